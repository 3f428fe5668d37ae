//! A subgame as a game of its own.
//!
//! Its state is the subgame's fluents with the clocks and turn markers they look at; its moves are
//! the meta-actions. The other parts are held as they were in a state of play in which this part was
//! up to the players. A meta-action is played as the first of its moves that is legal. From the end
//! condition and the goals, what only the other parts decide is left out: of a conjunction the other
//! conjuncts are taken as done, of a disjunction the other disjuncts as not happening. If that leaves
//! no end, or one that has come already, the part ends when nobody can move in it.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, Gate, GateId, MoveId, Net, NetBuilder, NetEngine, NetError, Wire};
use rustc_hash::FxHashMap;

use crate::decomposition::{Decomposition, MetaAction, SubgameId};
use crate::evaluate::lanes::cone;

/// The names of a subgame's meta-actions: that of the first move, or `idle` for those that act
/// elsewhere.
pub fn meta_action_names(net: &Net, meta_actions: &[MetaAction]) -> Vec<String> {
    let taken = |name: &str| {
        meta_actions
            .iter()
            .any(|one| one.moves.first().is_some_and(|&action| &*net.moves[action].name == name))
    };
    let mut idle = "idle".to_string();
    while taken(&idle) {
        idle.push('_');
    }
    let name = |one: &MetaAction| match one.moves.as_slice() {
        [only] => net.moves[*only].name.to_string(),
        _ if one.idle => idle.clone(),
        [first, ..] => net.moves[*first].name.to_string(),
        [] => idle.clone(),
    };
    meta_actions.iter().map(name).collect()
}

/// A subgame as a net. Fluents keep their names, meta-actions have those of [`meta_action_names`].
/// It may have no end.
pub fn subgame_net(
    net: &Net,
    decomposition: &Decomposition,
    id: SubgameId,
) -> Result<Net, NetError> {
    ending_somehow(net, decomposition, id, End::Never, true)
}

/// The same, but whoever can move in the part may not move elsewhere instead.
pub fn confined_subgame_net(
    net: &Net,
    decomposition: &Decomposition,
    id: SubgameId,
) -> Result<Net, NetError> {
    ending_somehow(net, decomposition, id, End::Never, false)
}

/// The same as a game that ends: if nothing in the part ends it, a step counter does.
pub fn finite_subgame_net(
    net: &Net,
    decomposition: &Decomposition,
    id: SubgameId,
) -> Result<Net, NetError> {
    ending_somehow(net, decomposition, id, End::AfterSteps, true)
}

/// How a part ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// As the whole does, without what the other parts decide.
    Own,
    /// As the whole does, the other parts being as they were.
    Whole,
    /// When nobody can move in it.
    NoMoves,
    /// After some steps.
    AfterSteps,
    Never,
}

/// The part with the first end that makes sense, or with the last resort.
fn ending_somehow(
    net: &Net,
    decomposition: &Decomposition,
    id: SubgameId,
    last: End,
    idling: bool,
) -> Result<Net, NetError> {
    let wanted = Wanted::of(net, decomposition, id);
    for end in [End::Own, End::Whole, End::NoMoves] {
        let part = ending(net, decomposition, id, &wanted, end, idling)?;
        if ends_later(&part) {
            return Ok(part);
        }
    }
    ending(net, decomposition, id, &wanted, last, idling)
}

fn ending(
    net: &Net,
    decomposition: &Decomposition,
    id: SubgameId,
    wanted: &Wanted,
    end: End,
    idling: bool,
) -> Result<Net, NetError> {
    let mut copy = Copy::new(net, decomposition, id, wanted);
    let active = copy.legality(decomposition, id, idling);
    copy.transitions();
    copy.end(end, active);
    copy.goals();
    Ok(gambol_net::simplify(&copy.built.finish()?))
}

/// Whether a game ends, as far as its rules tell, and not before it has begun.
fn ends_later(part: &Net) -> bool {
    let mut engine = NetEngine::new(part);
    let initial = engine.initial();
    !matches!(part.gate(part.terminal), Gate::Constant(false)) && !engine.terminal(&initial)
}

/// Steps after which a part without an end of its own is over, per fluent, and at least.
const STEPS_PER_FLUENT: usize = 2;
const FEWEST_STEPS: usize = 8;
const MOST_STEPS: usize = 200;

/// The fluents of the new game, and the fixed values of the others.
struct Wanted {
    own: IndexVec<FluentId, bool>,
    /// The subgame's fluents without the clocks.
    core: IndexVec<FluentId, bool>,
    /// The fluents of other subgames that moves act in.
    others: IndexVec<FluentId, bool>,
    fixed: IndexVec<FluentId, bool>,
}

impl Wanted {
    fn of(net: &Net, decomposition: &Decomposition, id: SubgameId) -> Self {
        let subgame = &decomposition.subgames[id];
        let mut own = IndexVec::filled(false, net.next.len());
        subgame.fluents.iter().for_each(|&fluent| own[fluent] = true);
        let core = own.clone();
        let clocks: Vec<&Vec<FluentId>> = decomposition
            .subgames
            .iter()
            .filter(|other| !other.action_dependent)
            .map(|other| &other.fluents)
            .collect();
        let mut roots: Vec<GateId> =
            subgame.fluents.iter().map(|&fluent| net.next[fluent]).collect();
        let moves = subgame.meta_actions.iter().flat_map(|one| &one.moves);
        roots.extend(moves.map(|&action| net.legal[action]));
        roots.push(net.terminal);
        roots.extend(net.goals.iter().map(|goal| goal.gate));
        let read = cone(net, roots);
        for clock in clocks {
            if clock.iter().any(|&fluent| read[net.fluent_gate(fluent).index()]) {
                clock.iter().for_each(|&fluent| own[fluent] = true);
            }
        }
        let mut others = IndexVec::filled(false, net.next.len());
        for (other, subgame) in decomposition.subgames.iter_ids() {
            if other != id && subgame.action_dependent {
                subgame.fluents.iter().for_each(|&fluent| others[fluent] = true);
            }
        }
        let mut fixed = IndexVec::filled(false, net.next.len());
        subgame.seen_with.iter().for_each(|&fluent| fixed[fluent] = true);
        Self { own, core, others, fixed }
    }
}

/// The new net while it is built, and where the old gates are in it.
struct Copy<'a> {
    net: &'a Net,
    wanted: &'a Wanted,
    built: NetBuilder,
    fluents: FxHashMap<FluentId, FluentId>,
    /// The wire of each move: its meta-action is played and it is the first of its moves that is legal.
    does: FxHashMap<MoveId, Wire>,
    actions: Vec<MoveId>,
    wires: FxHashMap<GateId, Wire>,
}

impl<'a> Copy<'a> {
    fn new(net: &'a Net, decomposition: &Decomposition, id: SubgameId, wanted: &'a Wanted) -> Self {
        let mut built = NetBuilder::new();
        net.roles.iter().for_each(|name| {
            built.role(name);
        });
        let mut fluents = FxHashMap::default();
        for fluent in net.fluents.ids().filter(|&fluent| wanted.own[fluent]) {
            let new = built.fluent(&net.fluents[fluent]);
            fluents.insert(fluent, new);
            if net.initial.binary_search(&fluent).is_ok() {
                built.initial(new);
            }
        }
        let meta_actions = &decomposition.subgames[id].meta_actions;
        let names = meta_action_names(net, meta_actions);
        let mut actions = Vec::new();
        for role in net.roles.ids() {
            for (_, name) in meta_actions.iter().zip(&names).filter(|(one, _)| one.role == role) {
                actions.push(built.action(role, name));
            }
        }
        let (does, wires) = (FxHashMap::default(), FxHashMap::default());
        Self { net, wanted, built, fluents, does, actions, wires }
    }

    fn transitions(&mut self) {
        for fluent in self.net.fluents.ids() {
            if let Some(&new) = self.fluents.get(&fluent) {
                let wire = self.wire(self.net.next[fluent]);
                self.built.next(new, wire);
            }
        }
    }

    /// A meta-action is legal if one of its moves is; to leave the part alone, where `idling` is not
    /// allowed, only if the role can do nothing else. Returns whether one that acts here is legal.
    fn legality(&mut self, decomposition: &Decomposition, id: SubgameId, idling: bool) -> Wire {
        let meta_actions = &decomposition.subgames[id].meta_actions;
        let mut active = Vec::new();
        let mut place = 0;
        for role in self.net.roles.ids() {
            let (mut acting, mut idle) = (Vec::new(), Vec::new());
            for one in meta_actions.iter().filter(|one| one.role == role) {
                let any = self.play_first_legal(self.actions[place], &one.moves);
                match one.idle && !idling {
                    true => idle.push((self.actions[place], any)),
                    false => self.built.legal(self.actions[place], any),
                }
                acting.extend((!one.idle).then_some(any));
                place += 1;
            }
            let busy = self.built.or(acting.iter().copied());
            let free = self.built.not(busy);
            for (action, any) in idle {
                let allowed = self.built.and([any, free]);
                self.built.legal(action, allowed);
            }
            active.extend(acting);
        }
        self.built.or(active)
    }

    /// Makes a meta-action stand for the first of its moves that is legal; says whether there is one.
    fn play_first_legal(&mut self, action: MoveId, moves: &[MoveId]) -> Wire {
        let done = self.built.does(action);
        let mut earlier = self.built.constant(false);
        for &one in moves {
            let legal = self.wire(self.net.legal[one]);
            let none_before = self.built.not(earlier);
            let played = self.built.and([done, legal, none_before]);
            self.does.insert(one, played);
            earlier = self.built.or([earlier, legal]);
        }
        earlier
    }

    fn end(&mut self, end: End, active: Wire) {
        let wire = match end {
            End::Own => self.without_others(self.net.terminal),
            End::Whole => Some(self.wire(self.net.terminal)),
            End::NoMoves => Some(self.built.not(active)),
            End::AfterSteps => Some(self.steps()),
            End::Never => None,
        };
        let wire = wire.unwrap_or_else(|| self.built.constant(false));
        self.built.terminal(wire);
    }

    /// A counter of steps; whether it has run out.
    fn steps(&mut self) -> Wire {
        let mut name = "step".to_string();
        while self.net.fluents.iter().any(|one| one.starts_with(&format!("({name} "))) {
            name.push('_');
        }
        let most = (STEPS_PER_FLUENT * self.fluents.len()).clamp(FEWEST_STEPS, MOST_STEPS);
        let first = self.built.fluent(&format!("({name} 0)"));
        self.built.initial(first);
        let mut now = self.built.truth(first);
        let never = self.built.constant(false);
        self.built.next(first, never);
        for step in 1..=most {
            let fluent = self.built.fluent(&format!("({name} {step})"));
            self.built.next(fluent, now);
            now = self.built.truth(fluent);
        }
        now
    }

    /// If a role's goals look at no other part they are kept. Otherwise the highest is kept, without
    /// the other parts, and the lowest is for all other cases.
    fn goals(&mut self) {
        for role in self.net.roles.ids() {
            let goals: Vec<_> = self.net.goals.iter().filter(|goal| goal.role == role).collect();
            if goals.iter().all(|goal| !self.reads_others(goal.gate)) {
                for goal in goals {
                    let wire = self.wire(goal.gate);
                    self.built.goal(role, goal.value, wire);
                }
                continue;
            }
            let (Some(lowest), Some(highest)) = (goals.first(), goals.last()) else { continue };
            let best = match self.reads_core(highest.gate) {
                true => self.without_others(highest.gate),
                false => None,
            };
            let best = best.unwrap_or_else(|| self.built.constant(false));
            let worst = self.built.not(best);
            self.built.goal(role, highest.value, best);
            self.built.goal(role, lowest.value, worst);
        }
    }

    fn reads(&self, gate: GateId, wanted: impl Fn(FluentId) -> bool) -> bool {
        let read = cone(self.net, [gate]);
        self.net.fluents.ids().any(|f| wanted(f) && read[self.net.fluent_gate(f).index()])
    }

    fn reads_others(&self, gate: GateId) -> bool {
        self.reads(gate, |fluent| self.wanted.others[fluent])
    }

    fn reads_core(&self, gate: GateId) -> bool {
        self.reads(gate, |fluent| self.wanted.core[fluent])
    }

    /// A gate in the new net, the other parts being as they were.
    fn wire(&mut self, root: GateId) -> Wire {
        let mut open = vec![root];
        while let Some(&gate) = open.last() {
            if self.wires.contains_key(&gate) {
                open.pop();
                continue;
            }
            if let Some(cycle) = self.net.cycle_of(gate) {
                let range = self.net.cycles[cycle].clone();
                let outside = |input: &&GateId| !range.contains(&input.number());
                let needed: Vec<GateId> = range
                    .clone()
                    .map(GateId::new)
                    .flat_map(|member| self.net.inputs_of(member).iter().filter(outside))
                    .copied()
                    .filter(|input| !self.wires.contains_key(input))
                    .collect();
                match needed.is_empty() {
                    true => self.copy_cycle(range),
                    false => open.extend(needed),
                }
                continue;
            }
            let inputs = self.net.inputs_of(gate).iter();
            let needed: Vec<GateId> =
                inputs.copied().filter(|input| !self.wires.contains_key(input)).collect();
            if needed.is_empty() {
                let wire = self.combine(gate);
                self.wires.insert(gate, wire);
            } else {
                open.extend(needed);
            }
        }
        self.wires[&root]
    }

    /// Recursive gates: every gate becomes an or-gate whose inputs are given later.
    fn copy_cycle(&mut self, range: std::ops::Range<u32>) {
        for member in range.clone().map(GateId::new) {
            let wire = self.built.open_or();
            self.wires.insert(member, wire);
        }
        for member in range.map(GateId::new) {
            let value = self.combine(member);
            let wire = self.wires[&member];
            self.built.close_or(wire, [value]);
        }
    }

    fn combine(&mut self, gate: GateId) -> Wire {
        match self.net.gate(gate) {
            Gate::Constant(value) => self.built.constant(value),
            Gate::Fluent(fluent) => match self.fluents.get(&fluent) {
                Some(&new) => self.built.truth(new),
                None => self.built.constant(self.wanted.fixed[fluent]),
            },
            Gate::Does(action) => {
                self.does.get(&action).copied().unwrap_or_else(|| self.built.constant(false))
            }
            Gate::And(inputs) => {
                let wires: Vec<Wire> = inputs.iter().map(|input| self.wires[input]).collect();
                self.built.and(wires)
            }
            Gate::Or(inputs) => {
                let wires: Vec<Wire> = inputs.iter().map(|input| self.wires[input]).collect();
                self.built.or(wires)
            }
            Gate::Not(input) => {
                let wire = self.wires[&input];
                self.built.not(wire)
            }
        }
    }

    /// What is left of a condition if all that looks only at other parts is left out.
    fn without_others(&mut self, gate: GateId) -> Option<Wire> {
        if !self.reads_others(gate) || self.net.cycle_of(gate).is_some() {
            return Some(self.wire(gate));
        }
        if !self.reads(gate, |fluent| self.wanted.own[fluent]) {
            return None;
        }
        match self.net.gate(gate) {
            Gate::And(inputs) => {
                let left: Vec<Wire> =
                    inputs.to_vec().iter().filter_map(|&one| self.without_others(one)).collect();
                (!left.is_empty()).then(|| self.built.and(left))
            }
            Gate::Or(inputs) => {
                let left: Vec<Wire> =
                    inputs.to_vec().iter().filter_map(|&one| self.without_others(one)).collect();
                (!left.is_empty()).then(|| self.built.or(left))
            }
            Gate::Not(input) => {
                let wire = self.without_others(input)?;
                Some(self.built.not(wire))
            }
            _ => Some(self.wire(gate)),
        }
    }
}
