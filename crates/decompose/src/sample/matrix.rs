//! The dependency matrix: which moves act on which fluents, and how strongly.

use gambol_index::Id;
use gambol_net::{FluentId, Gate, GateId, MoveId, Net};
use rustc_hash::FxHashMap;

/// What a move has to do with a fluent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dependency {
    /// The fluent.
    pub fluent: FluentId,
    /// The move.
    pub action: MoveId,
    /// How often the move makes a difference to the fluent, where it was tried: 0 to 1.
    pub effect: f32,
    /// Whether the legality of the move looks at the fluent. Not told of what runs by itself, nor
    /// in very large games.
    pub gates: bool,
}

/// The dependencies that were found, sorted by fluent and move.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct DependencyMatrix {
    /// The entries that are not empty.
    pub entries: Vec<Dependency>,
}

impl DependencyMatrix {
    /// The entries of one fluent.
    pub fn of_fluent(&self, fluent: FluentId) -> &[Dependency] {
        let first = self.entries.partition_point(|entry| entry.fluent < fluent);
        let last = self.entries.partition_point(|entry| entry.fluent <= fluent);
        &self.entries[first..last]
    }
}

/// Gates that are visited to find out what legality looks at.
const MOST_VISITS: usize = 30_000_000;
/// Links of legality that are kept.
const MOST_LINKS: usize = 200_000;

impl DependencyMatrix {
    /// From effects, with how often each was seen where the move was tried.
    pub(crate) fn of(
        net: &Net,
        effects: &FxHashMap<(MoveId, FluentId), f32>,
        is_played: &dyn Fn(FluentId) -> bool,
    ) -> Self {
        let mut links: FxHashMap<(FluentId, MoveId), (f32, bool)> = effects
            .iter()
            .map(|(&(action, fluent), &effect)| ((fluent, action), (effect, false)))
            .collect();
        for (action, fluent) in legality(net, is_played) {
            links.entry((fluent, action)).or_insert((0.0, true)).1 = true;
        }
        let mut entries: Vec<Dependency> = links
            .into_iter()
            .map(|((fluent, action), (effect, gates))| Dependency { fluent, action, effect, gates })
            .collect();
        entries.sort_unstable_by_key(|entry| (entry.fluent, entry.action));
        Self { entries }
    }
}

/// Which moves are legal or not because of which fluents; nothing if there is too much of it.
fn legality(net: &Net, is_played: &dyn Fn(FluentId) -> bool) -> Vec<(MoveId, FluentId)> {
    let mut visited = vec![u32::MAX; net.gate_count()];
    let (mut visits, mut links) = (0, Vec::new());
    for (action, &legal) in net.legal.iter_ids() {
        let mut open: Vec<GateId> = vec![legal];
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut visited[gate.index()], action.number()) == action.number() {
                continue;
            }
            visits += 1;
            if let Gate::Fluent(fluent) = net.gate(gate) {
                links.extend(is_played(fluent).then_some((action, fluent)));
            }
            open.extend(net.inputs_of(gate));
        }
        if visits > MOST_VISITS || links.len() > MOST_LINKS {
            return Vec::new();
        }
    }
    links
}
