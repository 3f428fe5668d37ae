//! The parts that gates show without play: what is closed under reading, and everything else.
//!
//! A fluent is closed if no move, and no fluent that is not closed, lies in the cone of what it becomes.
//! Closed fluents that read one another are a clock; all others are one part. This takes one pass over
//! the net, so that there is an answer whatever the time is, and it is proved as it stands.

use gambol_analysis::{FixedFluents, Proof, reads_only, runs_by_itself};
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, Readers};
use rustc_hash::FxHashMap;

use crate::decomposition::{
    Basis, Composition, Decomposition, FoundBy, MetaAction, RoleInGoal, Subgame, Termination, Times,
};
use crate::evaluate::lanes::cone;
use crate::partition::Partition;
use crate::sample::matrix::DependencyMatrix;

/// The parts by reading alone.
pub(crate) fn by_reading(net: &Net, fixed: &FixedFluents) -> Decomposition {
    let closed = closed(net, fixed);
    let is_fixed = |fluent: &FluentId| fixed.value(*fluent).is_some();
    let rest: Vec<FluentId> = net.fluents.ids().filter(is_fixed).collect();
    let open = |fluent: &FluentId| !closed[*fluent] && !is_fixed(fluent);
    let mut played: Vec<FluentId> = net.fluents.ids().filter(open).collect();
    let reading = Reading { net, fixed, marks: Marks::of(net), readers: Readers::of(net) };
    let running: Vec<FluentId> =
        net.fluents.ids().filter(|fluent| closed[*fluent] && !is_fixed(fluent)).collect();
    let (mut clocks, unread): (Vec<Vec<FluentId>>, Vec<Vec<FluentId>>) =
        grouped(net, &running).into_iter().partition(|clock| reading.is_looked_at(clock));
    match played.is_empty() {
        true => clocks.extend(unread),
        false => played.extend(unread.concat()),
    }
    played.sort_unstable();
    let mut subgames: Vec<Subgame> = Vec::new();
    if !played.is_empty() {
        subgames.push(reading.played(played));
    }
    subgames.extend(clocks.into_iter().map(|clock| reading.clock(clock)));
    reading.decomposition(subgames, rest)
}

/// Which fluents neither a move nor an open fluent can reach: the rest after everything was spread.
fn closed(net: &Net, fixed: &FixedFluents) -> IndexVec<FluentId, bool> {
    let readers = Readers::of(net);
    let mut becomes: FxHashMap<GateId, Vec<FluentId>> = FxHashMap::default();
    for (fluent, &gate) in net.next.iter_ids() {
        if fixed.value(fluent).is_none() {
            becomes.entry(gate).or_default().push(fluent);
        }
    }
    let mut reached = vec![false; net.gate_count()];
    let mut open: Vec<GateId> = net.moves.ids().map(|action| net.move_gate(action)).collect();
    while let Some(gate) = open.pop() {
        if std::mem::replace(&mut reached[gate.index()], true) {
            continue;
        }
        open.extend(readers.of_gate(gate).iter().filter(|reader| !reached[reader.index()]));
        let fluents = becomes.get(&gate).into_iter().flatten();
        open.extend(fluents.map(|&fluent| net.fluent_gate(fluent)));
    }
    let closed = net.fluents.ids().map(|fluent| !reached[net.fluent_gate(fluent).index()]);
    closed.collect::<Vec<_>>().into()
}

/// Fluents in groups that read one another.
fn grouped(net: &Net, fluents: &[FluentId]) -> Vec<Vec<FluentId>> {
    let mut linked = Partition::singletons(fluents.len());
    let mut seen_by = vec![u32::MAX; net.gate_count()];
    for (one, &fluent) in (0..).zip(fluents) {
        let mut open = vec![net.next[fluent]];
        while let Some(gate) = open.pop() {
            let before = std::mem::replace(&mut seen_by[gate.index()], one);
            if before == one {
                continue;
            }
            match net.gate(gate) {
                Gate::Constant(_) => {}
                Gate::Fluent(read) => {
                    let read = fluents.binary_search(&read).ok().map(|place| place as u32);
                    linked.join_all(read.into_iter().chain([one]));
                }
                // What lies behind was seen; whoever saw it reads the same.
                _ if before != u32::MAX => _ = linked.join(one, before),
                _ => open.extend(net.inputs_of(gate)),
            }
        }
    }
    let named = |set: Vec<u32>| set.into_iter().map(|one| fluents[one as usize]).collect();
    linked.sets().into_iter().map(named).collect()
}

/// What the goals and the end look at.
struct Marks {
    goal: Vec<bool>,
    end: Vec<bool>,
}

impl Marks {
    fn of(net: &Net) -> Self {
        let goal = cone(net, net.goals.iter().map(|goal| goal.gate));
        Self { goal, end: cone(net, [net.terminal]) }
    }
}

struct Reading<'a> {
    net: &'a Net,
    fixed: &'a FixedFluents,
    marks: Marks,
    readers: Readers,
}

impl Reading<'_> {
    /// Everything that is not closed: each move is a class of its own.
    fn played(&self, fluents: Vec<FluentId>) -> Subgame {
        let moves: Vec<MoveId> = self.net.moves.ids().collect();
        let class = |&action: &MoveId| MetaAction {
            role: self.net.moves[action].role,
            moves: vec![action],
            idle: false,
        };
        let meta_actions = moves.iter().map(class).collect();
        let basis = Basis::Assumed.or_proved(self.anything());
        let subgame = self.subgame(fluents, basis);
        Subgame { moves, meta_actions, action_dependent: true, ..subgame }
    }

    /// Whether a group is more than one fluent that nothing looks at: that is no clock, and stays with what is played.
    fn is_looked_at(&self, group: &[FluentId]) -> bool {
        let [fluent] = *group else { return true };
        let gate = self.net.fluent_gate(fluent);
        let marked = self.marks.goal[gate.index()] || self.marks.end[gate.index()];
        marked || self.readers.of_gate(gate).iter().any(|&reader| reader != self.net.next[fluent])
    }

    fn clock(&self, fluents: Vec<FluentId>) -> Subgame {
        let next = fluents.iter().map(|&fluent| self.net.next[fluent]);
        let proof = runs_by_itself(self.net, next, |fluent| {
            fluents.binary_search(&fluent).is_ok() || self.fixed.value(fluent).is_some()
        });
        self.subgame(fluents, Basis::Assumed.or_proved(proof))
    }

    fn subgame(&self, fluents: Vec<FluentId>, basis: Basis) -> Subgame {
        let marked = |marks: &[bool]| {
            fluents.iter().any(|&fluent| marks[self.net.fluent_gate(fluent).index()])
        };
        let (ends_game, in_goal) = (marked(&self.marks.end), marked(&self.marks.goal));
        Subgame {
            fluents,
            moves: Vec::new(),
            meta_actions: Vec::new(),
            action_dependent: false,
            useful: ends_game || in_goal,
            ends_game,
            role_in_goal: if in_goal { RoleInGoal::Contributes } else { RoleInGoal::None },
            basis,
            ties: Vec::new(),
            finest: false,
            seen_with: self.net.initial.clone(),
            safe_until: None,
        }
    }

    /// One part may read anything.
    fn anything(&self) -> Option<Proof> {
        reads_only(self.net, [], |_| true)
    }

    fn decomposition(&self, subgames: Vec<Subgame>, rest: Vec<FluentId>) -> Decomposition {
        let whole = Basis::Assumed.or_proved(
            self.anything()
                .zip(self.fixed.prove(&rest))
                .map(|(anything, fixed)| anything.and(fixed)),
        );
        let basis = subgames.iter().map(|part| part.basis).fold(whole, Basis::and);
        Decomposition {
            subgames: subgames.into(),
            rest,
            composition: Composition::None,
            termination: Termination::Single,
            crossing_points: Vec::new(),
            phases: Vec::new(),
            matrix: DependencyMatrix::default(),
            repairs: Vec::new(),
            sound: basis,
            classes_exact: basis,
            scores_split: basis,
            scores: Vec::new(),
            basis,
            invariants: self.fixed.invariants(),
            by_stage: false,
            complete: false,
            found_by: FoundBy::Reading,
            playouts: 0,
            times: Times::default(),
        }
    }
}
