//! Damaged policies, diagrams and checkpoints are refused, whatever bit is flipped and wherever they are cut off.
//!
//! `GAMBOL_CASES` says how many damages of each are tried.

use gambol_regress::{
    Family, Limits, Options, Preferences, diagram_from_bytes, diagram_to_bytes, find_policy_saving,
    policy_from_text, policy_to_text, read_automaton, read_checkpoint, regress_in_layers,
};

/// Flips and cuts off, all over the file.
fn refuses_damage(file: &[u8], accepts: impl Fn(&[u8]) -> bool) {
    let cases = std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases: usize = cases.unwrap_or(1000);
    assert!(accepts(file));
    for case in 0..cases {
        // Steps of a prime number come everywhere.
        let place = case * 7919 % file.len();
        let mut damaged = file.to_vec();
        damaged[place] ^= 1 << (case % 8);
        assert!(!accepts(&damaged), "bit {} of byte {place}", case % 8);
        assert!(!accepts(&file[..place]), "cut off after {place} bytes");
    }
    assert!(!accepts(&[file, b"\n"].concat()), "something was added");
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn damaged_files_are_refused() {
    let family = Family::named("nim", &[2, 3]).expect("a family");
    let automaton = read_automaton(&family.text()).expect("it is well formed");
    let mut kept = Vec::new();
    let found =
        find_policy_saving(&automaton, &Options::default(), None, &mut |_| (), &mut |write| {
            kept.push(write());
        });
    let policy = found.expect("it can be solved").policy;
    refuses_damage(policy_to_text(&policy).as_bytes(), |file| {
        policy_from_text(&text(file)).is_ok()
    });
    let checkpoint = kept.pop().expect("something was kept");
    refuses_damage(checkpoint.as_bytes(), |file| {
        read_checkpoint(&text(file), &automaton, false).is_ok()
    });
    let preferences = Preferences::of(&automaton, false);
    let layers = regress_in_layers(&automaton, &preferences, &Limits::default(), &mut |_| ());
    let diagram = layers.expect("it can be solved").policy();
    refuses_damage(&diagram_to_bytes(&diagram), |file| diagram_from_bytes(file).is_ok());
}

#[test]
fn damage_and_other_versions_are_named() {
    let family = Family::named("nim", &[2]).expect("a family");
    let automaton = read_automaton(&family.text()).expect("it is well formed");
    let found = find_policy_saving(&automaton, &Options::default(), None, &mut |_| (), &mut |_| ());
    let policy = policy_to_text(&found.expect("it can be solved").policy);
    let said = |text: &str| policy_from_text(text).expect_err("it is refused").to_string();
    assert!(said(&policy.replace("complete yes", "complete no")).contains("damaged"));
    assert!(said(&policy.replacen("gambol-policy 2", "gambol-policy 1", 1)).contains("version 2"));
    assert!(said("gambol-polity 2\n").contains("not a policy"));
}
