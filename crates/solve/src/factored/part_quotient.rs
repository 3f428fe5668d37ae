//! Quotients of parts, and parts merged into one.
//!
//! Two parts that the rest of the game only reads together (three free squares here and two there are as good as five)
//! have fewer blocks when they are taken as one part. Merging goes on as long as it saves a good deal.
//!
//! Two parts that the rest of the game reads only together (three free squares here and two there are
//! as good as five) are told apart less when they are taken as one part. Gluing goes on as long as it
//! saves a good deal.

use gambol_index::Id;
use gambol_net::{FluentId, Net, Supports};
use rustc_hash::FxHashMap;

use super::blocks::blocks;
use super::context::Orbit;
use super::transition_system::{Local, NONE, distinct_columns, project, unproject};
use crate::limits::Meter;
use crate::listing::store::{StateId, Store};

/// Two parts with more blocks in their product than this are not glued.
const MOST_GLUED: usize = 20_000;
/// Merging must leave at most one block for this many states.
const WORTH: usize = 2;

/// How the block of a state is found.
enum Kind {
    /// The states of a part are its blocks.
    Listed,
    /// The states of a part, and for each its block.
    Part { fluents: Vec<FluentId>, store: Store, block: Vec<u32> },
    /// Two nodes, and for each pair of their blocks its block.
    Glued { nodes: Box<[Node; 2]>, block: FxHashMap<[u32; 2], u32> },
}

/// A part, or several glued together, with one state for each block.
pub(crate) struct Node {
    /// Nodes are numbered in the order in which they are made.
    number: usize,
    kind: Kind,
    /// States met, before they were made one.
    pub(crate) states: usize,
    /// The states that stand for the blocks, as a part of its own.
    pub(crate) reduced: Local,
}

impl Node {
    /// A part whose states are told apart, all of them.
    pub(crate) fn listed(number: usize, local: Local) -> Self {
        Self { number, kind: Kind::Listed, states: local.store.len(), reduced: local }
    }

    /// The block a state of the game is in.
    pub(crate) fn block(&self, state: &[u64]) -> Option<u32> {
        match &self.kind {
            Kind::Listed => {
                let Local { fluents, store, .. } = &self.reduced;
                Some(store.find(&project(state, fluents))?.number())
            }
            Kind::Part { fluents, store, block } => {
                let id = store.find(&project(state, fluents))?;
                Some(block[id.index()])
            }
            Kind::Glued { nodes, block } => {
                let [left, right] = &**nodes;
                block.get(&[left.block(state)?, right.block(state)?]).copied()
            }
        }
    }

    /// How many blocks there are.
    pub(crate) fn len(&self) -> usize {
        self.reduced.store.len()
    }
}

/// Parts as nodes: first each part by itself, then glued as long as that helps.
pub(crate) fn nodes(
    net: &Net,
    supports: &Supports,
    orbit: &Orbit,
    locals: Vec<Local>,
    meter: &Meter,
) -> Vec<Node> {
    let of_part = |part: usize| blocks(net, supports, orbit, part, &each(&locals));
    let all: Vec<Vec<u32>> = (0..locals.len()).map(of_part).collect();
    let parts = locals.into_iter().zip(all).enumerate();
    let mut nodes: Vec<Node> =
        parts.map(|(number, (local, block))| part_node(number, local, block)).collect();
    let (mut refused, mut fresh) = (Vec::new(), nodes.len());
    while nodes.len() > 2 && meter.check_time().is_ok() {
        let Some([left, right]) = smallest_pair(&nodes, &refused) else { break };
        match glue(net, supports, orbit, &nodes, [left, right]) {
            Some((glued, block)) => {
                let second = nodes.remove(right);
                let first = nodes.remove(left);
                nodes.push(glued_node(fresh, [first, second], glued, &block));
                fresh += 1;
            }
            None => refused.push([nodes[left].number, nodes[right].number]),
        }
    }
    nodes
}

fn each(locals: &[Local]) -> Vec<&Local> {
    locals.iter().collect()
}

fn part_node(number: usize, local: Local, block: Vec<u32>) -> Node {
    let reduced = reduce(&local, &block);
    let Local { fluents, store, .. } = local;
    Node { number, states: store.len(), kind: Kind::Part { fluents, store, block }, reduced }
}

fn glued_node(number: usize, nodes: [Node; 2], glued: Glued, block: &[u32]) -> Node {
    let reduced = reduce(&glued.local, block);
    let block = glued.pairs.into_iter().zip(block.iter().copied()).collect();
    let kind = Kind::Glued { nodes: Box::new(nodes), block };
    Node { number, states: glued.local.store.len(), kind, reduced }
}

/// The first state of each block, with what follows it.
fn reduce(local: &Local, block: &[u32]) -> Local {
    let count = block.iter().max().map_or(0, |&most| most as usize + 1);
    let mut standing: Vec<Option<StateId>> = vec![None; count];
    for state in local.states() {
        standing[block[state.index()] as usize].get_or_insert(state);
    }
    let mut store = Store::new(local.fluents.len().div_ceil(64).max(1));
    let standing: Vec<StateId> = standing.into_iter().flatten().collect();
    standing.iter().for_each(|&state| _ = store.insert(local.store.row(state)));
    let follows = |column: &Vec<u32>, state: StateId| match column[state.index()] {
        NONE => NONE,
        next => block[next as usize],
    };
    let reduced = |column| standing.iter().map(|&state| follows(column, state)).collect();
    Local {
        fluents: local.fluents.clone(),
        store,
        columns: local.columns.iter().map(reduced).collect(),
        column_of: local.column_of.clone(),
    }
}

/// The two smallest nodes that are not yet known to be better apart.
fn smallest_pair(nodes: &[Node], refused: &[[usize; 2]]) -> Option<[usize; 2]> {
    let pairs = (0..nodes.len())
        .flat_map(|right| (0..right).map(move |left| [left, right]))
        .filter(|&[left, right]| !refused.contains(&[nodes[left].number, nodes[right].number]));
    let size = |&[left, right]: &[usize; 2]| nodes[left].len() * nodes[right].len();
    pairs.filter(|pair| size(pair) <= MOST_GLUED).min_by_key(size)
}

/// Two nodes as one part, and the blocks of both that make its states.
struct Glued {
    local: Local,
    pairs: Vec<[u32; 2]>,
}

/// Glues two nodes, if that is worth while.
fn glue(
    net: &Net,
    supports: &Supports,
    orbit: &Orbit,
    nodes: &[Node],
    [left, right]: [usize; 2],
) -> Option<(Glued, Vec<u32>)> {
    let glued = product(net, orbit, &nodes[left].reduced, &nodes[right].reduced)?;
    let others = nodes.iter().enumerate().filter(|(place, _)| ![left, right].contains(place));
    let mut locals = vec![&glued.local];
    locals.extend(others.map(|(_, node)| &node.reduced));
    let block = blocks(net, supports, orbit, 0, &locals);
    let found = block.iter().max().map_or(0, |&most| most as usize + 1);
    (found * WORTH <= glued.local.store.len()).then_some((glued, block))
}

/// What two parts can be in together.
fn product(net: &Net, orbit: &Orbit, left: &Local, right: &Local) -> Option<Glued> {
    let (labels, label_of) = common_columns(orbit, left, right);
    let (mut pairs, mut rows) = (vec![[0u32, 0u32]], Vec::new());
    let mut known: FxHashMap<[u32; 2], u32> = FxHashMap::from_iter([([0, 0], 0)]);
    let mut done = 0;
    while done < pairs.len() {
        if pairs.len() > MOST_GLUED {
            return None;
        }
        let [one, other] = pairs[done].map(|block| block as usize);
        for &(a, b) in &labels {
            let next = [left.columns[a][one], right.columns[b][other]];
            if next.contains(&NONE) {
                rows.push(NONE);
                continue;
            }
            rows.push(*known.entry(next).or_insert_with(|| {
                pairs.push(next);
                pairs.len() as u32 - 1
            }));
        }
        done += 1;
    }
    let mut fluents = [&left.fluents[..], &right.fluents].concat();
    fluents.sort_unstable();
    let mut store = Store::new(fluents.len().div_ceil(64).max(1));
    for &[one, other] in &pairs {
        let mut state = vec![0; net.fluents.len().div_ceil(64).max(1)];
        unproject(left.store.row(StateId::new(one)), &left.fluents, &mut state);
        unproject(right.store.row(StateId::new(other)), &right.fluents, &mut state);
        store.insert(&project(&state, &fluents));
    }
    let (columns, column_of) = distinct_columns(&rows, labels.len(), &label_of);
    Some(Glued { local: Local { fluents, store, columns, column_of }, pairs })
}

/// The pairs of columns that go together, and for each moment and joint move the number of its pair.
fn common_columns(
    orbit: &Orbit,
    left: &Local,
    right: &Local,
) -> (Vec<(usize, usize)>, Vec<Vec<usize>>) {
    let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    let (mut labels, mut label_of) = (Vec::new(), Vec::new());
    for moment in 0..orbit.moments.len() {
        let both = left.column_of[moment].iter().zip(&right.column_of[moment]);
        let number = |(&one, &other): (&usize, &usize)| {
            *known.entry((one, other)).or_insert_with(|| {
                labels.push((one, other));
                labels.len() - 1
            })
        };
        label_of.push(both.map(number).collect());
    }
    (labels, label_of)
}
