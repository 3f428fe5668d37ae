//! Games that are prepared and studied, for tests of what players make of them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use gambol_play::Prepared;

/// The study ends by itself; the limit is for machines that are very busy.
pub(crate) fn prepared(rules: &str) -> Arc<Prepared> {
    let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules.expect("rules");
    let rules = gambol_syntax::repair(rules).rules.expect("a game");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("small");
    let net = gambol_net::simplify(&gambol_net::build(&ground).expect("a net"));
    let prepared = Arc::new(Prepared::new(net).expect("a circuit"));
    prepared.study(Duration::from_secs(60), &Arc::new(AtomicBool::new(false)));
    prepared
}
