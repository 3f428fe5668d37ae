//! Games for tests.

use gambol_net::Net;

/// The simplified net of some rules.
pub(crate) fn net_of(rules: &str) -> Net {
    let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules;
    let rules = gambol_syntax::repair(rules.expect("rules")).rules.expect("a game");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("small");
    gambol_net::simplify(&gambol_net::build(&ground).expect("a net"))
}
