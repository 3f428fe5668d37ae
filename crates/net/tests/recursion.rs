//! Gates that read one another mean their least fixpoint, anew in every state.

use gambol_net::rewrite::fold_constants;
use gambol_net::{NetBuilder, NetEngine, NetError, Statistics};

#[test]
fn what_holds_itself_up_falls_with_its_reason() {
    // `linked` is true if the plug is in or if `linked` is true; pulling the plug ends it.
    let mut net = NetBuilder::new();
    let player = net.role("player");
    let plug = net.fluent("plug");
    net.initial(plug);
    let (pull, push) = (net.action(player, "pull"), net.action(player, "push"));
    let (plugged, pushed) = (net.truth(plug), net.does(push));
    let (linked, back) = (net.open_or(), net.open_or());
    net.close_or(linked, [plugged, back]);
    net.close_or(back, [linked]);
    net.next(plug, pushed);
    net.terminal(linked);
    let net = net.finish().unwrap();
    let mut engine = NetEngine::new(&net);
    let on = engine.initial();
    assert!(engine.terminal(&on));
    let off = engine.next(&on, &[pull]);
    assert!(!engine.terminal(&off));
    assert!(engine.terminal(&on) && !engine.terminal(&off));
}

#[test]
fn a_circle_of_empty_promises_is_false() {
    let mut net = NetBuilder::new();
    let (p, q) = (net.open_or(), net.open_or());
    net.close_or(p, [q]);
    net.close_or(q, [p]);
    net.terminal(p);
    let net = net.finish().unwrap();
    assert_eq!(Statistics::of(&net).cyclic_gates, 2);
    let mut engine = NetEngine::new(&net);
    let state = engine.initial();
    assert!(!engine.terminal(&state));
    assert_eq!(Statistics::of(&fold_constants(&net)).cyclic_gates, 0);
}

#[test]
fn depending_on_ones_own_negation_is_refused() {
    let mut net = NetBuilder::new();
    let liar = net.open_or();
    let honest = net.not(liar);
    net.close_or(liar, [honest]);
    net.view("liar", &[], liar);
    let error = net.finish().unwrap_err();
    assert_eq!(error, NetError::NegativeCycle { gate: "liar".into() });
}

#[test]
fn moves_are_added_role_by_role() {
    let mut net = NetBuilder::new();
    let (one, two) = (net.role("one"), net.role("two"));
    net.action(one, "go");
    net.action(two, "go");
    net.action(one, "stay");
    assert_eq!(net.finish().unwrap_err(), NetError::ScatteredMoves { name: "stay".into() });
}

#[test]
fn a_long_recursive_chain_takes_time_in_proportion() {
    // Each link holds if the one before or the one after does; only the last is told directly. A
    // sweep in the wrong direction would need as many sweeps as there are links.
    let mut net = NetBuilder::new();
    let told = net.fluent("told");
    net.initial(told);
    let last = net.truth(told);
    let links: Vec<_> = (0..200_000).map(|_| net.open_or()).collect();
    for (row, &link) in links.iter().enumerate() {
        let before = row.checked_sub(1).map(|row| links[row]);
        let after = links.get(row + 1).copied().unwrap_or(last);
        net.close_or(link, before.into_iter().chain([after]));
    }
    net.terminal(links[0]);
    let net = net.finish().unwrap();
    assert_eq!(Statistics::of(&net).cyclic_gates, 200_000);
    let mut engine = NetEngine::new(&net);
    let state = engine.initial();
    assert!(engine.terminal(&state));
}
