//! Ways to make a circuit from rules, all of which must give the same game.

use gambol_ground::Shortcuts;
use gambol_net::{Rewrites, When};

/// One way.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) shortcuts: Shortcuts,
    pub(crate) rewrites: Rewrites,
    /// How the circuit is reduced; none is made if that is not said.
    pub(crate) reductions: Option<When>,
}

impl Setting {
    pub(crate) fn of(name: &str, shortcuts: Shortcuts) -> Self {
        let (rewrites, reductions) = (Rewrites::default(), None);
        Self { name: name.to_string(), shortcuts, rewrites, reductions }
    }
}

/// Sets when one of the short cuts is taken.
type Choice = fn(&mut Shortcuts, When);

/// The defaults; everything forced, everything forbidden, everything where it pays with thresholds at
/// nothing; and each short cut alone forced and alone forbidden.
pub(crate) fn settings() -> Vec<Setting> {
    let mut all = vec![
        Setting {
            reductions: Some(When::WhenItPays),
            ..Setting::of("default", Shortcuts::default())
        },
        Setting {
            rewrites: Rewrites::NONE,
            reductions: Some(When::Never),
            ..Setting::of("never", Shortcuts::never())
        },
        Setting {
            rewrites: Rewrites::ALL,
            reductions: Some(When::Always),
            ..Setting::of("always", Shortcuts::always())
        },
        Setting::of("eager", Shortcuts::eager()),
    ];
    let each: [(&str, Choice); 5] = [
        ("split", |it, when| it.split = when),
        ("name_disjunctions", |it, when| it.name_disjunctions = when),
        ("demand", |it, when| it.demand = when),
        ("unfold", |it, when| it.unfold = when),
        ("families", |it, when| it.families = when),
    ];
    for (name, set) in each {
        let mut forced = Shortcuts::never();
        set(&mut forced, When::Always);
        all.push(Setting::of(&format!("only {name}"), forced));
        let mut forbidden = Shortcuts::always();
        set(&mut forbidden, When::Never);
        all.push(Setting::of(&format!("all but {name}"), forbidden));
    }
    let single = |set: fn(&mut Rewrites)| {
        let mut rewrites = Rewrites::NONE;
        set(&mut rewrites);
        rewrites
    };
    let rewrites = [
        single(|it| it.fold_constants = true),
        single(|it| it.merge_duplicates = true),
        single(|it| it.flatten = true),
        single(|it| it.drop_views = true),
    ];
    // Each rewrite alone, beside the short cuts and not times them.
    for (place, setting) in all.iter_mut().skip(4).enumerate() {
        setting.rewrites = rewrites[place % rewrites.len()];
    }
    all
}
