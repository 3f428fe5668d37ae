//! Games for the tests: the bundled ones, from text to circuit.

use std::path::PathBuf;

use gambol_net::Net;
use gambol_sim::{Circuit, CompileOptions};
use gambol_syntax::Rules;

pub(crate) struct Game {
    pub(crate) rules: Rules,
    pub(crate) net: Net,
    pub(crate) circuit: Circuit,
}

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games")
}

pub(crate) fn bundled(name: &str) -> Game {
    let path = folder().join(name).join("rules.kif");
    from_text(&std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

pub(crate) fn from_text(text: &[u8]) -> Game {
    let rules = gambol_syntax::read(text, &Default::default()).rules.expect("the rules parse");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
    let net = gambol_net::simplify(&gambol_net::build(&ground).expect("they make a net"));
    let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("and a circuit");
    Game { rules, net, circuit }
}
