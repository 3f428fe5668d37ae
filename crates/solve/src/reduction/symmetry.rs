//! Symmetries of a net: ways to rename fluents and moves that leave all rules as they are.
//!
//! Candidates come from colour refinement: gates are coloured by what they read and who reads them,
//! until colours no longer split; then one fluent is singled out on either side, and so on. Each
//! candidate is then checked exactly: the image of every gate must be a gate of the net, and that of
//! every transition, legality, end and goal the one of the image. Values are the same under such a
//! renaming, from whatever state.

use gambol_index::bits::ones_of_row;
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, Readers};
use rustc_hash::{FxHashMap, FxHashSet};

/// Edges that may be looked at in all refinements together; fewer where symmetries must pay at once.
const MOST_WORK: usize = 200_000_000;
const LITTLE_WORK: usize = 20_000_000;

/// For each symmetry but the identity the image of each fluent. At most `most` of them.
pub fn symmetries(net: &Net, most: usize) -> Vec<Vec<u32>> {
    automorphisms(net, most).into_iter().map(|found| found.fluents).collect()
}

/// The same, only those that leave a state as it is.
pub(crate) fn symmetries_fixing(net: &Net, state: &[u64], most: usize) -> Vec<Vec<u32>> {
    let mut colours = start_colours(net);
    for fluent in ones_of_row(state) {
        let gate = net.fluent_gate(FluentId::from_index(fluent));
        colours[gate] = mix(colours[gate], 9);
    }
    automorphisms_of(net, (most, LITTLE_WORK), colours)
        .into_iter()
        .map(|found| found.fluents)
        .collect()
}

/// A renaming of fluents and moves that leaves all rules as they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automorphism {
    /// The image of each fluent.
    pub fluents: Vec<u32>,
    /// The image of each move, which is a move of the same role.
    pub moves: Vec<u32>,
}

/// The symmetries but the identity, each with its moves; of those that differ in the moves only, one. At most `most`.
pub fn automorphisms(net: &Net, most: usize) -> Vec<Automorphism> {
    automorphisms_of(net, (most, MOST_WORK), start_colours(net))
}

fn automorphisms_of(
    net: &Net,
    (most, most_work): (usize, usize),
    colours: Colours,
) -> Vec<Automorphism> {
    if !net.cycles.is_empty() || net.fluents.is_empty() {
        return Vec::new();
    }
    let graph = Graph::of(net);
    let mut search = Search { net, graph: &graph, most, most_work, found: Vec::new(), work: 0 };
    let colours = search.refine(colours);
    search.extend(&colours, &colours);
    search.found
}

type Colours = IndexVec<GateId, u64>;

/// What refinement and the check look at.
struct Graph {
    readers: Readers,
    edges: usize,
    /// A gate of each kind with each set of inputs.
    gates: FxHashMap<(u8, Vec<GateId>), GateId>,
}

impl Graph {
    fn of(net: &Net) -> Self {
        let mut gates = FxHashMap::default();
        let mut edges = net.gate_count();
        for id in net.gate_ids() {
            if let Some(key) = key_of(net, id, |input| input) {
                edges += key.1.len();
                gates.entry(key).or_insert(id);
            }
        }
        Self { readers: Readers::of(net), edges, gates }
    }
}

/// The kind of a gate and the images of its inputs, sorted; nothing for propositions.
fn key_of(net: &Net, id: GateId, image: impl Fn(GateId) -> GateId) -> Option<(u8, Vec<GateId>)> {
    let (kind, inputs) = match net.gate(id) {
        Gate::And(inputs) => (0, inputs.to_vec()),
        Gate::Or(inputs) => (1, inputs.to_vec()),
        Gate::Not(input) => (2, vec![input]),
        Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => return None,
    };
    let mut inputs: Vec<GateId> = inputs.into_iter().map(image).collect();
    inputs.sort_unstable();
    Some((kind, inputs))
}

fn mix(one: u64, other: u64) -> u64 {
    let mut word = (one ^ other.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word ^= word >> 29;
    word = word.wrapping_add(other).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ word >> 32
}

/// By kind, role and what the gate stands for; never by name.
fn start_colours(net: &Net) -> Colours {
    let colour = |id: GateId| match net.gate(id) {
        Gate::Constant(value) => 10 + u64::from(value),
        Gate::Fluent(_) => 2,
        Gate::Does(action) => mix(3, net.moves[action].role.number().into()),
        Gate::And(_) => 4,
        Gate::Or(_) => 5,
        Gate::Not(_) => 6,
    };
    let mut colours: Colours = net.gate_ids().map(colour).collect::<Vec<_>>().into();
    colours[net.terminal] = mix(colours[net.terminal], 7);
    for goal in &net.goals {
        let mark = mix(mix(8, goal.role.number().into()), goal.value.into());
        colours[goal.gate] = colours[goal.gate].wrapping_add(mark);
    }
    colours
}

struct Search<'a> {
    net: &'a Net,
    graph: &'a Graph,
    most: usize,
    most_work: usize,
    found: Vec<Automorphism>,
    work: usize,
}

impl Search<'_> {
    /// Splits colours until they do not split any more.
    fn refine(&mut self, mut colours: Colours) -> Colours {
        let mut classes = 0;
        loop {
            self.work += self.graph.edges;
            colours = self.refine_once(&colours);
            let count = colours.iter().collect::<FxHashSet<_>>().len();
            if count <= classes || self.work > self.most_work {
                return colours;
            }
            classes = count;
        }
    }

    fn refine_once(&self, colours: &Colours) -> Colours {
        let net = self.net;
        let mut sums: IndexVec<GateId, u64> = IndexVec::filled(0, net.gate_count());
        for id in net.gate_ids() {
            let gate = net.gate(id);
            let inputs: &[GateId] = match &gate {
                Gate::And(inputs) | Gate::Or(inputs) => inputs,
                Gate::Not(input) => std::slice::from_ref(input),
                _ => &[],
            };
            let read = inputs.iter().map(|&input| mix(colours[input], 1));
            let readers = self.graph.readers.of_gate(id).iter();
            let read_by = readers.map(|&reader| mix(colours[reader], 2));
            sums[id] = read.chain(read_by).fold(0, u64::wrapping_add);
        }
        let mut tie = |one: GateId, other: GateId, mark: u64| {
            sums[one] = sums[one].wrapping_add(mix(colours[other], mark));
            sums[other] = sums[other].wrapping_add(mix(colours[one], mark + 1));
        };
        for fluent in net.fluents.ids() {
            tie(net.fluent_gate(fluent), net.next[fluent], 3);
        }
        for action in net.moves.ids() {
            tie(net.move_gate(action), net.legal[action], 5);
        }
        let both = colours.iter().zip(sums.iter());
        both.map(|(&colour, &sum)| mix(colour, sum)).collect::<Vec<_>>().into()
    }

    /// Singles out propositions on both sides until all are told apart.
    fn extend(&mut self, left: &Colours, right: &Colours) {
        if self.found.len() >= self.most || self.work > self.most_work {
            return;
        }
        let (left_of, right_of) = (self.classes(left), self.classes(right));
        let same_size = |(colour, members): (&u64, &Vec<GateId>)| {
            right_of.get(colour).is_some_and(|others| others.len() == members.len())
        };
        #[allow(clippy::iter_over_hash_type, reason = "all must hold, in whatever order")]
        let fits = left_of.len() == right_of.len() && left_of.iter().all(same_size);
        if !fits {
            return;
        }
        let mut propositions = self.propositions();
        let Some(chosen) = propositions.find(|&gate| left_of[&left[gate]].len() > 1) else {
            let image = |gate: GateId| right_of[&left[gate]][0];
            self.check(image);
            return;
        };
        drop(propositions);
        let marked = self.single_out(left, chosen);
        for &other in &right_of[&left[chosen]] {
            let image = self.single_out(right, other);
            self.extend(&marked, &image);
        }
    }

    fn propositions(&self) -> impl Iterator<Item = GateId> + use<> {
        (2..2 + (self.net.fluents.len() + self.net.moves.len()) as u32).map(GateId::new)
    }

    fn classes(&self, colours: &Colours) -> FxHashMap<u64, Vec<GateId>> {
        let mut classes: FxHashMap<u64, Vec<GateId>> = FxHashMap::default();
        for gate in self.propositions() {
            classes.entry(colours[gate]).or_default().push(gate);
        }
        classes
    }

    fn single_out(&mut self, colours: &Colours, gate: GateId) -> Colours {
        let mut colours = colours.clone();
        colours[gate] = mix(colours[gate], 0xabcd);
        self.refine(colours)
    }

    /// Keeps a renaming if it is a symmetry and a new one.
    fn check(&mut self, image: impl Fn(GateId) -> GateId) {
        let net = self.net;
        let fluents: Option<Vec<u32>> = net
            .fluents
            .ids()
            .map(|fluent| match net.gate(image(net.fluent_gate(fluent))) {
                Gate::Fluent(other) => Some(other.number()),
                _ => None,
            })
            .collect();
        let moves: Option<Vec<u32>> = net
            .moves
            .ids()
            .map(|action| match net.gate(image(net.move_gate(action))) {
                Gate::Does(other) => Some(other.number()),
                _ => None,
            })
            .collect();
        let (Some(fluents), Some(moves)) = (fluents, moves) else { return };
        let identity = fluents.iter().enumerate().all(|(place, &other)| place as u32 == other);
        let known = self.found.iter().any(|found| found.fluents == fluents);
        if !identity && !known && self.is_symmetry(&fluents, &moves) {
            self.found.push(Automorphism { fluents, moves });
        }
    }

    /// The exact check.
    fn is_symmetry(&self, fluents: &[u32], moves: &[u32]) -> bool {
        let net = self.net;
        if !is_permutation(fluents) || !is_permutation(moves) {
            return false;
        }
        let mut images: IndexVec<GateId, GateId> = net.gate_ids().collect::<Vec<_>>().into();
        for id in net.gate_ids() {
            images[id] = match net.gate(id) {
                Gate::Constant(_) => id,
                Gate::Fluent(fluent) => net.fluent_gate(FluentId::new(fluents[fluent.index()])),
                Gate::Does(action) => {
                    let other = MoveId::new(moves[action.index()]);
                    if net.moves[other].role != net.moves[action].role {
                        return false;
                    }
                    net.move_gate(other)
                }
                _ => {
                    let key = key_of(net, id, |input| images[input]);
                    match key.and_then(|key| self.graph.gates.get(&key)) {
                        Some(&image) => image,
                        None => return false,
                    }
                }
            };
        }
        let next = |fluent: FluentId| {
            net.next[FluentId::new(fluents[fluent.index()])] == images[net.next[fluent]]
        };
        let legal = |action: MoveId| {
            net.legal[MoveId::new(moves[action.index()])] == images[net.legal[action]]
        };
        net.fluents.ids().all(next)
            && net.moves.ids().all(legal)
            && images[net.terminal] == net.terminal
            && net.goals.iter().all(|goal| images[goal.gate] == goal.gate)
    }
}

fn is_permutation(images: &[u32]) -> bool {
    let mut met = vec![false; images.len()];
    images.iter().all(|&image| !std::mem::replace(&mut met[image as usize], true))
}
