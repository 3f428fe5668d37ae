//! A decomposition in words and as data.

use gambol_decompose::{
    Basis, Combination, Composition, CrossingPoint, Decomposition as Found, Pays, ScoreForm,
    Subgame, SubgameId, Termination, meta_action_names,
};
use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net};
use serde::Serialize;

use super::phases::PhaseView;
use super::witness::{Repair, TieView};

/// A decomposition as data.
#[derive(Serialize, Debug)]
pub struct Decomposition {
    /// How the parts are put together, in one sentence.
    summary: String,
    subgames: Vec<SubgameView>,
    composition: &'static str,
    termination: &'static str,
    crossing_points: Vec<CrossingView>,
    /// The phases of play, if it has crossing points at which it forgets what was.
    phases: Vec<PhaseView>,
    repairs: Vec<Repair>,
    counts: CountsView,
    rest: Vec<String>,
    sound: &'static str,
    classes_exact: &'static str,
    scores_split: &'static str,
    /// How each role's highest score is made of the parts, as far as it is known.
    scores: Vec<ScoreView>,
    /// How these three were proved, as far as they were.
    proofs: ProofsView,
    finest: FinestView,
    /// What the word for the composition rests on.
    composition_basis: &'static str,
    /// The fields, here and below, that say what was seen in play, whatever else is proved.
    sampled: &'static [&'static str],
    basis: &'static str,
    /// How far the search for parts came.
    found_by: &'static str,
    complete: bool,
    playouts: u64,
}

#[derive(Serialize, Debug)]
struct FinestView {
    /// Whether no part that is played can be cut further; if not, it is not known.
    known: bool,
    witnesses: Vec<TieView>,
}

#[derive(Serialize, Debug)]
struct ProofsView {
    sound: Option<String>,
    classes_exact: Option<String>,
    scores_split: Option<String>,
}

#[derive(Serialize, Debug)]
pub(super) struct SubgameView {
    id: usize,
    fluents: Vec<String>,
    moves: Vec<String>,
    meta_actions: Vec<MetaActionView>,
    action_dependent: bool,
    useful: bool,
    ends_game: bool,
    role_in_goal: &'static str,
    safe_until: Option<u32>,
    finest: bool,
    basis: &'static str,
}

#[derive(Serialize, Debug)]
struct ScoreView {
    role: String,
    parts: Vec<usize>,
    /// one, all, any or at-least.
    combination: &'static str,
    /// How many of the parts must be won.
    least: usize,
    /// What a role gets in any case, and for each part that it wins, if its scores add up.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Vec<i64>>,
    /// What it gets for none, one, two and more of them, if only their number counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_count: Option<Vec<Option<u32>>>,
    basis: &'static str,
    text: String,
}

#[derive(Serialize, Debug)]
struct MetaActionView {
    name: String,
    role: String,
    idle: bool,
    moves: Vec<String>,
}

#[derive(Serialize, Debug)]
struct CrossingView {
    fluents: Vec<String>,
    before: Vec<usize>,
    after: Vec<usize>,
}

#[derive(Serialize, Debug)]
struct CountsView {
    action_dependent: usize,
    useless_action_dependent: usize,
    action_independent: usize,
    useless_action_independent: usize,
}

impl Decomposition {
    /// The same in names.
    pub fn of(net: &Net, found: &Found) -> Self {
        let subgames = found.subgames.iter_ids();
        let points = found.crossing_points.iter();
        Self {
            summary: summary(found),
            subgames: subgames.map(|(id, one)| SubgameView::of(net, id, one)).collect(),
            composition: found.composition.as_str(),
            termination: found.termination.as_str(),
            crossing_points: points.map(|point| CrossingView::of(net, point)).collect(),
            phases: PhaseView::all(net, found),
            repairs: found.repairs.iter().map(|repair| Repair::of(net, repair)).collect(),
            counts: CountsView::of(found),
            rest: names(net, &found.rest),
            sound: found.sound.as_str(),
            classes_exact: found.classes_exact.as_str(),
            scores_split: found.scores_split.as_str(),
            scores: found.scores.iter().map(|form| ScoreView::of(net, form)).collect(),
            proofs: ProofsView {
                sound: how(found.sound),
                classes_exact: how(found.classes_exact),
                scores_split: how(found.scores_split),
            },
            finest: FinestView::of(net, found),
            composition_basis: found.composition_basis().as_str(),
            sampled: &["crossing_points", "safe_until", "first_step", "last_step"],
            basis: found.basis.as_str(),
            found_by: found.found_by.as_str(),
            complete: found.complete,
            playouts: found.playouts,
        }
    }
}

/// How a claim was proved.
fn how(basis: Basis) -> Option<String> {
    basis.proof().map(|proof| proof.to_string())
}

impl CountsView {
    fn of(found: &Found) -> Self {
        let counts = found.counts();
        Self {
            action_dependent: counts.action_dependent,
            useless_action_dependent: counts.useless_action_dependent,
            action_independent: counts.action_independent,
            useless_action_independent: counts.useless_action_independent,
        }
    }
}

impl FinestView {
    fn of(net: &Net, found: &Found) -> Self {
        let parts = found.subgames.iter_ids();
        let ties = parts.flat_map(|(id, part)| part.ties.iter().map(move |tie| (id, tie)));
        Self {
            known: found.is_finest(),
            witnesses: ties.map(|(id, tie)| TieView::of(net, id, tie)).collect(),
        }
    }
}

impl SubgameView {
    pub(super) fn of(net: &Net, id: SubgameId, subgame: &Subgame) -> Self {
        let meta_names = meta_action_names(net, &subgame.meta_actions);
        let meta_actions = subgame.meta_actions.iter().zip(meta_names);
        Self {
            id: id.index(),
            fluents: names(net, &subgame.fluents),
            moves: move_names(net, &subgame.moves),
            meta_actions: meta_actions
                .map(|(one, name)| MetaActionView {
                    name,
                    role: net.roles[one.role].to_string(),
                    idle: one.idle,
                    moves: move_names(net, &one.moves),
                })
                .collect(),
            action_dependent: subgame.action_dependent,
            useful: subgame.useful,
            ends_game: subgame.ends_game,
            role_in_goal: subgame.role_in_goal.as_str(),
            safe_until: subgame.safe_until,
            finest: subgame.finest,
            basis: subgame.basis.as_str(),
        }
    }
}

impl ScoreView {
    fn of(net: &Net, form: &ScoreForm) -> Self {
        let (mut base, mut shares, mut by_count) = (None, None, None);
        match &form.pays {
            Pays::Unknown => {}
            Pays::Shares { base: always, shares: each } => {
                (base, shares) = (Some(*always), Some(each.clone()));
            }
            Pays::Count(counts) => by_count = Some(counts.clone()),
        }
        Self {
            role: net.roles[form.role].to_string(),
            parts: form.parts.iter().map(|part| part.index()).collect(),
            combination: form.combination.as_str(),
            least: form.combination.least(form.parts.len()),
            base,
            shares,
            by_count,
            basis: form.basis.as_str(),
            text: score(net, form),
        }
    }
}

/// How a role's highest score is made of the parts, in one sentence.
pub fn score(net: &Net, form: &ScoreForm) -> String {
    let parts: Vec<String> = form.parts.iter().map(|part| part.index().to_string()).collect();
    let parts = parts.join(", ");
    let role = &net.roles[form.role];
    let wins = match form.combination {
        Combination::One => format!("the highest score of {role} is won in part {parts}"),
        Combination::All => format!("the highest score of {role} takes all of parts {parts}"),
        Combination::Any => format!("the highest score of {role} takes one of parts {parts}"),
        Combination::AtLeast(least) => {
            format!("the highest score of {role} takes {least} of parts {parts}")
        }
    };
    let pays = match &form.pays {
        Pays::Unknown => String::new(),
        Pays::Shares { base, shares } => {
            let shares: Vec<String> = shares.iter().map(i64::to_string).collect();
            format!("; they pay {} on top of {base}", shares.join(", "))
        }
        Pays::Count(counts) => {
            let cell = |count: &Option<u32>| count.map_or("-".to_string(), |pays| pays.to_string());
            let counts: Vec<String> = counts.iter().map(cell).collect();
            format!("; for none, one and more of them {}", counts.join(", "))
        }
    };
    format!("{wins}{pays}")
}

impl CrossingView {
    fn of(net: &Net, point: &CrossingPoint) -> Self {
        let numbers = |ids: &[SubgameId]| ids.iter().map(|id| id.index()).collect();
        Self {
            fluents: point.literals.iter().map(|literal| literal.text(net)).collect(),
            before: numbers(&point.before),
            after: numbers(&point.after),
        }
    }
}

/// The names of fluents, sorted by bytes.
pub fn names(net: &Net, fluents: &[FluentId]) -> Vec<String> {
    let mut names: Vec<String> = fluents.iter().map(|&f| net.fluents[f].to_string()).collect();
    names.sort_unstable();
    names
}

/// The names of moves, sorted by bytes, each once.
fn move_names(net: &Net, moves: &[MoveId]) -> Vec<String> {
    let mut names: Vec<String> =
        moves.iter().map(|&action| net.moves[action].name.to_string()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// How the parts are put together, in one sentence.
pub fn summary(found: &Found) -> String {
    let counts = found.counts();
    let played = counts.action_dependent;
    let useless = match counts.useless_action_dependent {
        0 => String::new(),
        1 => "; the outcome does not depend on one of them".to_string(),
        some => format!("; the outcome does not depend on {some} of them"),
    };
    let alone = match counts.action_independent {
        0 => String::new(),
        1 => "; one thing changes by itself, whatever is played".to_string(),
        some => format!("; {some} things change by themselves, whatever is played"),
    };
    let end = if played > 1 { end(found.termination) } else { "" };
    format!("{}{end}{useless}{alone}", composition(found.composition, played))
}

/// How this many played parts are put together.
fn composition(composition: Composition, played: usize) -> String {
    match composition {
        Composition::None if played == 0 => "nothing to decide".to_string(),
        Composition::None if played == 1 => "the game is one piece".to_string(),
        Composition::None => format!("{played} parts"),
        Composition::ParallelSynchronous => {
            format!("{played} parts (parallel, synchronous: each is played in every step)")
        }
        Composition::ParallelAsynchronous => {
            format!("{played} parts (parallel, asynchronous: a move is made in one of them)")
        }
        Composition::CompoundMoves => {
            format!("{played} parts (compound moves: one move acts in several)")
        }
        Composition::Serial => format!("{played} parts (serial: one after the other)"),
        Composition::Multiple => format!("{played} parts (multiple: only some of them count)"),
        Composition::Impartial => format!("{played} heaps (impartial: all players take from them)"),
        Composition::Mixed => format!("{played} parts, put together in several ways"),
    }
}

/// How the end depends on the parts.
fn end(termination: Termination) -> &'static str {
    match termination {
        Termination::Single => "",
        Termination::Disjunctive => "; any of them can end the game",
        Termination::Conjunctive => "; all of them must be over for the game to end",
        Termination::Mixed => "; the end depends on several of them",
    }
}

/// Where one part of a series ends and another begins, in one sentence. That it is there was seen in play.
pub fn crossing(net: &Net, point: &CrossingPoint) -> String {
    let numbers = |parts: &[SubgameId]| {
        parts.iter().map(|part| part.index().to_string()).collect::<Vec<_>>().join(", ")
    };
    let literals: Vec<String> = point.literals.iter().map(|literal| literal.text(net)).collect();
    let (before, after) = (numbers(&point.before), numbers(&point.after));
    match literals.is_empty() {
        true => format!("part {after} begins when part {before} is over (sampled)"),
        false => {
            let when = literals.join(" and ");
            format!("once {when} holds, part {before} is over and part {after} begins (sampled)")
        }
    }
}
