//! Parts that are played at the same time, each searched as a game of its own.
//!
//! If whatever a role may do in one part can be combined with whatever it may do in the others, the
//! best move of the whole is made of the best moves of the parts. A part is then a smaller game with
//! its share of the end and of the goals, and its search is not disturbed by what happens elsewhere.

use gambol_decompose::{Decomposition, SubgameId, confined_subgame_net, subgame_net};
use gambol_index::{Id, bits};
use gambol_net::{FluentId, MoveId, Net, RoleId};
use gambol_sim::{Circuit, State};
use rustc_hash::FxHashMap;

/// A part as a game.
#[derive(Debug)]
pub(crate) struct PartGame {
    pub(crate) net: Net,
    pub(crate) circuit: Circuit,
    /// Its fluents in the whole game, in its own order.
    fluents: Vec<FluentId>,
    /// The class of each of its moves, in its own order.
    classes: Vec<u32>,
}

impl PartGame {
    /// One part of a decomposition; `None` if no goal looks at it.
    /// If it is `confined`, who can move in it may not move elsewhere instead.
    pub(crate) fn new(
        net: &Net,
        decomposition: &Decomposition,
        id: SubgameId,
        confined: bool,
    ) -> Option<Self> {
        let part = match confined {
            true => confined_subgame_net(net, decomposition, id).ok()?,
            false => subgame_net(net, decomposition, id).ok()?,
        };
        let circuit = Circuit::compile(&part, &Default::default()).ok()?;
        let by_name: FxHashMap<&str, FluentId> =
            net.fluents.iter_ids().map(|(fluent, name)| (&**name, fluent)).collect();
        let fluents = part.fluents.iter().map(|name| by_name.get(&**name).copied());
        let fluents = fluents.collect::<Option<Vec<_>>>()?;
        let classes = classes_in_order(net, decomposition, id);
        (classes.len() == part.moves.len()).then_some(Self { net: part, circuit, fluents, classes })
    }

    /// The part of a state.
    pub(crate) fn state_of(&self, state: &State) -> State {
        let words = state.words();
        let holds = |fluent: &FluentId| bits::is_set(words, fluent.index());
        let own = self.fluents.iter().enumerate().filter(|(_, fluent)| holds(fluent));
        let own: Vec<FluentId> = own.map(|(place, _)| FluentId::from_index(place)).collect();
        self.circuit.state_of(&own)
    }

    /// The class of a move.
    pub(crate) fn class(&self, action: MoveId) -> u32 {
        self.classes[action.index()]
    }
}

/// The moves of a part are its classes, role after role.
fn classes_in_order(net: &Net, decomposition: &Decomposition, id: SubgameId) -> Vec<u32> {
    let meta_actions = &decomposition.subgames[id].meta_actions;
    let of_role = |role: RoleId| {
        let own = (0u32..).zip(meta_actions).filter(move |(_, one)| one.role == role);
        own.map(|(class, _)| class)
    };
    net.roles.ids().flat_map(of_role).collect()
}
