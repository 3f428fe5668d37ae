//! Dead-state removal: how much of a game tree is left when states that cannot lead to the wanted
//! goal are skipped.

use gambol_net::{FluentId, GateId, MoveId, Net, RoleId, State};
use rustc_hash::FxHashMap;

use crate::Literal;
use crate::goal::GoalFacts;
use crate::group::Together;
use crate::sweep::Sweep;
use gambol_run::{Budget, Deadline};

/// When a state is not worth looking at for a goal.
#[derive(Clone, Debug, Default)]
pub struct DeadStates {
    /// A state with one of these is dead.
    pub any_of: Vec<Literal>,
    /// A state with all literals of one of these is dead.
    pub all_of: Vec<Vec<Literal>>,
    /// A state with the literal in which the gate is false is dead.
    pub without: Vec<(Literal, GateId)>,
}

impl DeadStates {
    /// No state is dead.
    pub fn none() -> Self {
        Self::default()
    }

    /// What is proved to be dead for a goal: group and single latches that forbid it, and states
    /// that are barred from it and do not have it.
    pub fn of(facts: &GoalFacts) -> Self {
        let of = |together| facts.groups.iter().filter(move |group| group.together == together);
        let groups = of(Together::Any).flat_map(|group| group.members.iter().copied());
        let mut any_of: Vec<Literal> = facts.inhibitors.iter().copied().chain(groups).collect();
        any_of.sort_unstable();
        any_of.dedup();
        let gate = facts.goal.gate;
        let all_of = of(Together::All).map(|group| group.members.clone()).collect();
        Self { any_of, all_of, without: facts.bars.iter().map(|&bar| (bar, gate)).collect() }
    }

    /// Also shuns the latches that bar the goal, even in states that have it already. This may cut
    /// off some ways to the goal. If a way is left it is as good as the others; if none is left,
    /// nothing follows.
    pub fn shunning(facts: &GoalFacts) -> Self {
        let mut dead = Self::of(facts);
        dead.any_of.extend(&facts.bars);
        dead.without.clear();
        dead
    }

    /// Whether a state is dead by its fluents alone; [`without`](Self::without) is not looked at.
    pub fn is_dead(&self, holds: impl Fn(FluentId) -> bool) -> bool {
        let satisfied = |literal: &Literal| holds(literal.fluent) == literal.holds;
        self.any_of.iter().any(satisfied)
            || self.all_of.iter().any(|group| group.iter().all(satisfied))
    }

    /// The lanes of a sweep in which the state is dead.
    fn lanes(&self, net: &Net, sweep: &Sweep<'_>) -> u64 {
        let value = |literal: &Literal| {
            let value = sweep.value(net.fluent_gate(literal.fluent));
            if literal.holds { value } else { !value }
        };
        let any = self.any_of.iter().fold(0, |any, literal| any | value(literal));
        let all = |group: &Vec<Literal>| group.iter().fold(!0, |all, one| all & value(one));
        let any = self.all_of.iter().fold(any, |any, group| any | all(group));
        let without = self.without.iter();
        without.fold(any, |any, (literal, gate)| any | value(literal) & !sweep.value(*gate))
    }
}

/// The size of a game tree and of the graph of its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeSize {
    /// Nodes of the tree, the root and the leaves counted, or the largest number if there are more;
    /// `None` if a state can come back.
    pub nodes: Option<u128>,
    /// Distinct states.
    pub states: usize,
}

/// Counts the tree from the start without the dead states. Equal states are expanded once and
/// counted as often as they occur. `None` if the budget or the number of states runs out.
pub fn tree_size(
    net: &Net,
    dead: &DeadStates,
    most_states: usize,
    budget: &Budget,
) -> Option<TreeSize> {
    let mut tree = Tree::new(net, dead);
    let deadline = Deadline::start(budget);
    let mut next = 0;
    while next < tree.states.len() {
        if tree.states.len() > most_states || deadline.is_over() {
            return None;
        }
        tree.expand(next);
        next += 1;
    }
    Some(TreeSize { nodes: tree.nodes(), states: tree.states.len() })
}

/// The states that are not dead, and the numbers of those that follow each, one per joint move.
struct Tree<'a> {
    net: &'a Net,
    dead: &'a DeadStates,
    sweep: Sweep<'a>,
    states: Vec<State>,
    known: FxHashMap<State, u32>,
    successors: Vec<Vec<u32>>,
}

impl<'a> Tree<'a> {
    fn new(net: &'a Net, dead: &'a DeadStates) -> Self {
        let (sweep, states, known) = (Sweep::new(net), Vec::new(), FxHashMap::default());
        let mut tree = Self { net, dead, sweep, states, known, successors: Vec::new() };
        let start = State::initial(net);
        tree.sweep.load([&start]);
        if tree.dead.lanes(net, &tree.sweep) & 1 == 0 {
            tree.number(start);
        }
        tree
    }

    fn number(&mut self, state: State) -> u32 {
        let fresh = self.states.len() as u32;
        let number = *self.known.entry(state.clone()).or_insert(fresh);
        if number == fresh {
            self.states.push(state);
        }
        number
    }

    fn expand(&mut self, number: usize) {
        let state = self.states[number].clone();
        self.sweep.load_everywhere(&state);
        let joint = joint_moves(self.net, &self.sweep);
        let mut successors = Vec::with_capacity(joint.len());
        for chunk in joint.chunks(64) {
            self.sweep.load_everywhere(&state);
            self.sweep.step(chunk.iter().map(Vec::as_slice));
            let next: Vec<State> =
                (0..chunk.len()).map(|lane| self.sweep.successor(lane)).collect();
            self.sweep.load(&next);
            let dead = self.dead.lanes(self.net, &self.sweep);
            let alive = next.into_iter().enumerate().filter(|(lane, _)| dead >> lane & 1 == 0);
            for (_, state) in alive {
                successors.push(self.number(state));
            }
        }
        self.successors.push(successors);
    }

    /// Nodes below each state, children first; `None` if a state is its own descendant.
    fn nodes(&self) -> Option<u128> {
        const OPEN: u128 = 0;
        let mut count: Vec<Option<u128>> = vec![None; self.states.len()];
        let mut path = if self.states.is_empty() { vec![] } else { vec![0u32] };
        while let Some(&state) = path.last() {
            let successors = &self.successors[state as usize];
            if count[state as usize].is_none() {
                count[state as usize] = Some(OPEN);
                for &next in successors {
                    match count[next as usize] {
                        None => path.push(next),
                        Some(OPEN) => return None,
                        Some(_) => {}
                    }
                }
            } else {
                path.pop();
                if count[state as usize] == Some(OPEN) {
                    let below = successors.iter().map(|&next| count[next as usize]);
                    let add = |sum: u128, nodes: Option<u128>| Some(sum.saturating_add(nodes?));
                    let below = below.into_iter().try_fold(0, add)?;
                    count[state as usize] = Some(below.saturating_add(1));
                }
            }
        }
        Some(count.first().copied().flatten().unwrap_or(0))
    }
}

fn joint_moves(net: &Net, sweep: &Sweep<'_>) -> Vec<Vec<MoveId>> {
    if sweep.value(net.terminal) & 1 == 1 {
        return Vec::new();
    }
    let mut joint = vec![Vec::new()];
    for role in net.roles.ids() {
        let legal = legal_moves(net, sweep, role);
        joint = joint
            .iter()
            .flat_map(|moves: &Vec<MoveId>| {
                legal.iter().map(move |&action| [moves.as_slice(), &[action]].concat())
            })
            .collect();
    }
    joint
}

fn legal_moves(net: &Net, sweep: &Sweep<'_>, role: RoleId) -> Vec<MoveId> {
    let moves = net.moves_of(role).map(MoveId::new);
    moves.filter(|&action| sweep.value(net.legal[action]) & 1 == 1).collect()
}
