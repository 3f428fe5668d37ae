//! The example net of chapter 9, section 9.3, and its pictures.

use gambol_net::{
    BaseMarking, FluentId, Marking, MoveId, Net, NetBuilder, NetEngine, NetError, PictureOptions,
    svg_with,
};

/// `p` is `a` and `s`, `q` is not `p`, `r` is `q` or `b`, and `s` becomes `r`. Both moves are always
/// legal, the game is over when `q` holds and is worth 100 while `s` does.
pub(crate) struct Example {
    pub(crate) net: Net,
    pub(crate) s: FluentId,
    pub(crate) a: MoveId,
    pub(crate) b: MoveId,
}

impl Example {
    pub(crate) fn new() -> Result<Self, NetError> {
        let mut net = NetBuilder::new();
        let white = net.role("white");
        let s = net.fluent("s");
        let (a, b) = (net.action(white, "a"), net.action(white, "b"));
        let (s_true, does_a, does_b) = (net.truth(s), net.does(a), net.does(b));
        let p = net.and([does_a, s_true]);
        let q = net.not(p);
        let r = net.or([q, does_b]);
        let not_s = net.not(s_true);
        let always = net.constant(true);
        net.next(s, r);
        net.legal(a, always);
        net.legal(b, always);
        net.terminal(q);
        net.goal(white, 100, s_true);
        net.goal(white, 0, not_s);
        for (name, wire) in [("p", p), ("q", q), ("r", r)] {
            net.view(name, &[], wire);
        }
        Ok(Self { net: net.finish()?, s, a, b })
    }

    /// The marking in which exactly what is said is true.
    pub(crate) fn mark(&self, s: bool, a: bool, b: bool) -> Marking {
        let fluents: Vec<FluentId> = s.then_some(self.s).into_iter().collect();
        let moves = a.then_some(self.a).into_iter().chain(b.then_some(self.b));
        let moves: Vec<MoveId> = moves.collect();
        NetEngine::new(&self.net).marking(&BaseMarking::of(&self.net, &fluents), &moves)
    }
}

/// File names and documents.
pub(crate) fn figures() -> Result<Vec<(&'static str, String)>, NetError> {
    let example = Example::new()?;
    let draw = |title, marking: Option<&Marking>| {
        svg_with(
            &example.net,
            &PictureOptions { title: Some(title), marking, ..Default::default() },
        )
    };
    let marked = |title, s, a, b| draw(title, Some(&example.mark(s, a, b)));
    Ok(vec![
        ("one-proposition.svg", draw("A game of one base proposition", None)),
        ("first-marking.svg", marked("s is true and a is done", true, true, false)),
        ("second-marking.svg", marked("s is false and a is done", false, true, false)),
        ("exercise-9-1.svg", marked("s is false and b is done", false, false, true)),
    ])
}
