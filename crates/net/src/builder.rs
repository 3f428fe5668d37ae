//! Nets made by hand, proposition by proposition.

use std::sync::Arc;

use gambol_index::IndexVec;
use gambol_syntax::Symbols;

use crate::draft::{Draft, FALSE, Wire};
use crate::frame::Frame;
use crate::net::Kind;
use crate::order::order;
use crate::{AtomName, FluentId, Move, MoveId, Names, Net, NetError, RoleId};

/// Collects propositions and gates and puts them in order at the end.
///
/// What is not said is false: a fluent without transition is never true in a later state, a move
/// without condition is never legal, a game without end does not end.
///
/// ```
/// use gambol_net::NetBuilder;
/// let mut net = NetBuilder::new();
/// let player = net.role("player");
/// let lit = net.fluent("lit");
/// let press = net.action(player, "press");
/// let (lit_now, pressed) = (net.truth(lit), net.does(press));
/// let stays_lit = net.or([lit_now, pressed]);
/// net.next(lit, stays_lit);
/// let dark = net.not(lit_now);
/// net.legal(press, dark);
/// let net = net.finish()?;
/// assert_eq!(net.moves_of(player).len(), 1);
/// # Ok::<(), gambol_net::NetError>(())
/// ```
pub struct NetBuilder {
    draft: Draft,
    frame: Frame,
    views: Vec<(Box<str>, Vec<Box<str>>, Wire)>,
}

impl Default for NetBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl NetBuilder {
    /// No propositions yet.
    pub fn new() -> Self {
        let frame = Frame {
            roles: IndexVec::new(),
            fluents: IndexVec::new(),
            moves: IndexVec::new(),
            initial: Vec::new(),
            next: IndexVec::new(),
            legal: IndexVec::new(),
            terminal: FALSE,
            goals: Vec::new(),
            percepts: Vec::new(),
            views: Vec::new(),
            names: Arc::default(),
        };
        Self { draft: Draft::new(), frame, views: Vec::new() }
    }

    /// Adds a player.
    pub fn role(&mut self, name: &str) -> RoleId {
        self.frame.roles.push(name.into())
    }

    /// Adds a base proposition, false at the start.
    pub fn fluent(&mut self, name: &str) -> FluentId {
        self.frame.next.push(FALSE);
        self.frame.fluents.push(name.into())
    }

    /// Adds an input proposition. All moves of a role must be added one after the other.
    pub fn action(&mut self, role: RoleId, name: &str) -> MoveId {
        self.frame.legal.push(FALSE);
        self.frame.moves.push(Move { role, name: name.into() })
    }

    /// Makes a fluent true at the start.
    pub fn initial(&mut self, fluent: FluentId) {
        self.frame.initial.push(fluent);
    }

    /// A wire that always has this value.
    pub fn constant(&self, value: bool) -> Wire {
        Draft::constant(value)
    }

    /// A wire that is true while the fluent is.
    pub fn truth(&mut self, fluent: FluentId) -> Wire {
        self.draft.fluent(fluent)
    }

    /// A wire that is true when the move is done.
    pub fn does(&mut self, action: MoveId) -> Wire {
        self.draft.does(action)
    }

    /// An and-gate.
    pub fn and(&mut self, inputs: impl IntoIterator<Item = Wire>) -> Wire {
        self.draft.junction(Kind::And, inputs)
    }

    /// An or-gate.
    pub fn or(&mut self, inputs: impl IntoIterator<Item = Wire>) -> Wire {
        self.draft.junction(Kind::Or, inputs)
    }

    /// An inverter.
    pub fn not(&mut self, input: Wire) -> Wire {
        self.draft.not(input)
    }

    /// An or-gate whose inputs are given later, so that they may depend on it.
    pub fn open_or(&mut self) -> Wire {
        self.draft.open(Kind::Or)
    }

    /// Gives an or-gate of [`open_or`](Self::open_or) its inputs.
    ///
    /// # Panics
    ///
    /// If the wire is not that of an open or-gate.
    pub fn close_or(&mut self, opened: Wire, inputs: impl IntoIterator<Item = Wire>) {
        let is_open = self.draft.kind(opened) == Kind::Or && self.draft.inputs(opened).is_empty();
        assert!(is_open, "close_or takes a wire of open_or, once");
        self.draft.close(opened, inputs);
    }

    /// The transition of a fluent: its value in the following state.
    pub fn next(&mut self, fluent: FluentId, when: Wire) {
        self.frame.next[fluent] = when;
    }

    /// When a move is legal.
    pub fn legal(&mut self, action: MoveId, when: Wire) {
        self.frame.legal[action] = when;
    }

    /// When the game is over.
    pub fn terminal(&mut self, when: Wire) {
        self.frame.terminal = when;
    }

    /// When a role has reached this value.
    pub fn goal(&mut self, role: RoleId, value: u32, when: Wire) {
        self.frame.goals.push((role, value, when));
    }

    /// When a role perceives something.
    pub fn percept(&mut self, role: RoleId, name: &str, when: Wire) {
        self.frame.percepts.push((role, name.into(), when));
    }

    /// Names a wire: a view proposition.
    pub fn view(&mut self, relation: &str, arguments: &[&str], wire: Wire) {
        let arguments = arguments.iter().map(|&argument| argument.into()).collect();
        self.views.push((relation.into(), arguments, wire));
    }

    /// The net, its gates in evaluation order.
    pub fn finish(mut self) -> Result<Net, NetError> {
        self.frame.initial.sort_unstable();
        self.frame.initial.dedup();
        self.frame.goals.sort_by_key(|&(role, value, _)| (role, value));
        self.name_views();
        order(&self.draft, self.frame)
    }

    fn name_views(&mut self) {
        let mut symbols = Symbols::new();
        for (relation, arguments, _) in &self.views {
            symbols.intern(relation);
            for argument in arguments {
                symbols.intern(argument);
            }
        }
        let mut names = Names::new(symbols.clone());
        for (relation, arguments, wire) in &self.views {
            let relation = symbols.intern(relation);
            let terms = arguments.iter().map(|text| names.term(symbols.intern(text), &[]));
            let atom = AtomName { relation, arguments: terms.collect() };
            self.frame.views.push((atom, *wire));
        }
        self.frame.names = Arc::new(names);
    }
}
