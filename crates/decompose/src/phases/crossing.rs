//! Crossing points: conditions that hold from some step on, and at which play forgets what was.
//!
//! Candidates are literals and gates. Whole games refute those that come back. Of what is left one counts that
//! *forgets*: of the fluents that players have moved since the crossing point before, at least half have no influence
//! any more, because they always have the same value by then or because nothing looks at them. A square that is taken
//! for good forgets nothing; the board that is cleared for the next stage does. Of so many candidates some seem to
//! forget by chance, so each must do so in other games too.

use std::cell::LazyCell;

use gambol_analysis::Literal;
use gambol_index::{Id, IndexVec};
use gambol_net::{Condition, FluentId, Gate, GateId, Net, State};
use rustc_hash::FxHashMap;

use crate::evaluate::lanes::{LANES, NONE, Word, and, and_not, holds, is_none, lanes_of, or, xor};
use crate::evaluate::plan::{Plan, Row};
use crate::evaluate::scope::in_lanes;
use crate::phases::interface::{Known, interface, surely_open};
use crate::sample::trail::Trail;
use gambol_run::Deadline;

/// Literals of a crossing point at most.
const MOST_LITERALS: usize = 24;
/// Games that must pass a crossing point, and of those that are played to confirm it.
const EVIDENCE: usize = 16;
const CONFIRMED: usize = 8;
/// Steps with a choice that a phase has on average, at least.
const CHOICES: usize = 2;
/// Candidates that are looked at, and gates that are read to find out what they forget.
const MOST_ASKED: usize = 96;
const MOST_GATES: usize = 8_000_000;
/// Fluents that are forgotten, at least.
const FORGOTTEN: usize = 2;
/// The step of a game that never comes to a crossing point.
const NEVER: u16 = u16::MAX;

/// A crossing point, as play shows it.
#[derive(Clone, Debug)]
pub(crate) struct Crossing {
    pub(crate) condition: Condition,
    /// What always has the same value where it is passed, and what then matters.
    pub(crate) entry: Vec<Literal>,
    pub(crate) interface: Vec<FluentId>,
    /// What players have moved since the crossing point before.
    moved: Vec<FluentId>,
    /// What never changed between the crossing point before and this one.
    pub(crate) constant: Vec<Literal>,
    /// The first and the last step at which it was passed.
    pub(crate) steps: [u32; 2],
    /// A state in which it was just passed.
    pub(crate) seen: State,
}

/// Whether so much of what was moved is forgotten that play forgets.
fn enough(forgotten: usize, moved: usize) -> bool {
    forgotten >= FORGOTTEN && 2 * forgotten >= moved
}

impl Crossing {
    /// Whether a literal is about what players have moved, so that play forgets it if it always holds there.
    pub(crate) fn is_moved(&self, literal: &Literal) -> bool {
        self.moved.binary_search(&literal.fluent).is_ok()
    }

    /// Whether play forgets there, if no more than these always hold.
    pub(crate) fn forgets<'l>(
        &self,
        net: &Net,
        entry: impl IntoIterator<Item = &'l Literal>,
    ) -> bool {
        let mut known: Known = IndexVec::filled(None, net.next.len());
        entry.into_iter().for_each(|literal| known[literal.fluent] = Some(literal.holds));
        forgets(net, &known, &self.moved, &mut { usize::MAX }).is_some()
    }

    /// What is handed on there, if these crossing points come later.
    pub(crate) fn hand_on(&mut self, net: &Net, later: &[Crossing]) {
        let mut known: Known = IndexVec::filled(None, net.next.len());
        self.entry.iter().for_each(|literal| known[literal.fluent] = Some(literal.holds));
        let watched: Vec<FluentId> =
            later.iter().flat_map(|point| point.condition.fluents()).collect();
        self.interface = interface(net, &known, &watched);
    }
}

/// When each lane passes a condition. No two of those that are compared are passed at the same steps.
#[derive(Clone)]
struct Passage {
    condition: Condition,
    steps: Vec<u16>,
}

/// The crossing points of a game, in the order of play. Other games are asked for if some games seem to have any.
pub(crate) fn crossings(
    net: &Net,
    trail: &Trail,
    others: impl FnOnce() -> Trail,
    dependent: &IndexVec<FluentId, bool>,
    deadline: &Deadline,
) -> Vec<Crossing> {
    let mut found = Vec::new();
    // Of what players do not see nothing is said.
    if trail.states.len() < 2 || !net.percepts.is_empty() {
        return found;
    }
    let others = LazyCell::new(others);
    let (mut since, mut since_there) = (vec![0; LANES], vec![0; LANES]);
    let mut gates = MOST_GATES;
    for passage in passages(net, trail) {
        if deadline.is_over() {
            break;
        }
        let stretch = Stretch { net, trail, since: &since, until: &passage.steps };
        let seen = stretch.crossing(&passage.condition, dependent, &mut gates);
        let Some(mut crossing) = seen else { continue };
        let Some(until) = passed(&others, &crossing.condition) else { continue };
        let there = Stretch { net, trail: &others, since: &since_there, until: &until };
        if there.confirms(&mut crossing, dependent, &mut gates) {
            found.push(crossing);
            (since, since_there) = (passage.steps, until);
        }
    }
    found
}

/// When each lane passes a condition; `None` if one is open again.
fn passed(trail: &Trail, condition: &Condition) -> Option<Vec<u16>> {
    let (mut steps, mut passed) = (vec![NEVER; LANES], NONE);
    for (step, words) in trail.states.iter().enumerate() {
        let present = &trail.present[step];
        let now = and(&in_lanes(condition, &|fluent| &words[fluent]), present);
        if !is_none(&and_not(&and(&passed, present), &now)) {
            return None;
        }
        lanes_of(&and_not(&now, &passed)).for_each(|lane| steps[lane] = step as u16);
        passed = or(&passed, &now);
    }
    Some(steps)
}

/// The earliest conditions that hold for good once they hold, in order; one of those that are passed together, and
/// none that is only one way to pass another.
fn passages(net: &Net, trail: &Trail) -> Vec<Passage> {
    let mut smallest: FxHashMap<Vec<u16>, Condition> = FxHashMap::default();
    for Candidate { gate, opposite, steps, .. } in lasting(net, trail) {
        let Some(condition) = Condition::of_gate(net, gate, MOST_LITERALS) else { continue };
        let condition = if opposite { condition.negated() } else { condition };
        let place = smallest.entry(steps).or_insert_with(|| condition.clone());
        if condition.size() < place.size() {
            *place = condition;
        }
    }
    let mut passages: Vec<Passage> =
        smallest.into_iter().map(|(steps, condition)| Passage { condition, steps }).collect();
    let mean = |steps: &[u16]| {
        let passed = steps.iter().filter(|&&step| step != NEVER);
        let (sum, count) = passed.fold((0, 0), |(sum, n), &step| (sum + u64::from(step), n + 1));
        (sum << 16) / u64::max(count, 1)
    };
    passages.sort_by_cached_key(|one| (mean(&one.steps), one.steps.clone()));
    let one_way = |one: &Passage| passages.iter().any(|other| one.is_one_way(other));
    passages.iter().filter(|one| !one_way(one)).take(MOST_ASKED).cloned().collect()
}

/// A literal or a gate that may be a crossing point, as far as play has refuted none of it.
struct Candidate {
    gate: GateId,
    /// Whether the opposite is the candidate: what holds at the start is not passed later.
    opposite: bool,
    /// When each lane passes it; empty as long as none has.
    steps: Vec<u16>,
    /// The lanes in which it has been passed, and those of them in which there was a choice since.
    passed: Word,
    chosen: Word,
}

impl Candidate {
    fn new(gate: GateId) -> Self {
        Self { gate, opposite: false, steps: Vec::new(), passed: NONE, chosen: NONE }
    }

    /// Takes in the states of a step; false if what was passed is open again.
    fn goes_on(&mut self, step: usize, value: &Word, trail: &Trail) -> bool {
        let present = &trail.present[step];
        if step == 0 {
            // All games begin in one state.
            self.opposite = !is_none(&and(value, present));
        }
        let now = if self.opposite { and_not(present, value) } else { and(value, present) };
        if !is_none(&and_not(&and(&self.passed, present), &now)) {
            return false;
        }
        let passing = and_not(&now, &self.passed);
        if self.steps.is_empty() && !is_none(&passing) {
            self.steps = vec![NEVER; LANES];
        }
        lanes_of(&passing).for_each(|lane| self.steps[lane] = step as u16);
        self.chosen = or(&self.chosen, &and(&trail.choice[step], &now));
        self.passed = or(&self.passed, &now);
        true
    }

    /// Whether enough games pass it, and go on with choices.
    fn is_passed(&self) -> bool {
        let count = lanes_of(&self.passed).count();
        count >= EVIDENCE && 2 * lanes_of(&self.chosen).count() >= count
    }
}

/// The fluents and short gates that hold for good once they hold, or of which the opposite does. All are evaluated
/// together, step by step; what no candidate needs any more is left out from time to time.
fn lasting(net: &Net, trail: &Trail) -> Vec<Candidate> {
    let literals_of = literal_counts(net);
    let short = |gate: &GateId| (2..=MOST_LITERALS).contains(&literals_of[gate.index()]);
    let fluents = net.fluents.ids().map(|fluent| net.fluent_gate(fluent));
    let gates = net.state_gates().map(GateId::new).filter(short);
    let mut left: Vec<Candidate> = fluents.chain(gates).map(Candidate::new).collect();
    let (mut values, mut plan) = (vec![Row(NONE); net.gate_count()], None);
    let first = net.fluent_gate(FluentId::new(0)).index();
    for (step, words) in trail.states.iter().enumerate() {
        if step.is_power_of_two() {
            plan = None;
        }
        let plan = plan.get_or_insert_with(|| {
            let gates: Vec<GateId> = left.iter().map(|candidate| candidate.gate).collect();
            Plan::of(net, &gates, &mut vec![false; net.gate_count()])
        });
        for (fluent, word) in words.iter_ids() {
            values[first + fluent.index()] = Row(*word);
        }
        plan.run(&mut values);
        let goes_on = |candidate: &mut Candidate| {
            candidate.goes_on(step, &values[candidate.gate.index()].0, trail)
        };
        left.retain_mut(goes_on);
    }
    left.retain(Candidate::is_passed);
    left
}

/// How many literals it takes to spell out each gate that looks at the state only; too many for what looks at itself.
fn literal_counts(net: &Net) -> Vec<usize> {
    let mut counts = vec![usize::MAX; net.gate_count()];
    for gate in net.gate_ids().take_while(|gate| gate.number() < net.state_gates().end) {
        counts[gate.index()] = match net.gate(gate) {
            Gate::Fluent(_) => 1,
            Gate::Constant(_) | Gate::Does(_) => usize::MAX,
            _ if net.cycle_of(gate).is_some() => usize::MAX,
            _ => {
                let inputs = net.inputs_of(gate).iter();
                inputs.fold(0, |sum: usize, input| sum.saturating_add(counts[input.index()]))
            }
        };
    }
    counts
}

impl Passage {
    /// Whether the other is passed whenever this is, at the same step, and in other games too.
    fn is_one_way(&self, other: &Self) -> bool {
        let with = |(&mine, &theirs): (&u16, &u16)| mine == NEVER || mine == theirs;
        !std::ptr::eq(self, other) && self.steps.iter().zip(&other.steps).all(with)
    }
}

/// What is handed on where a crossing point is passed, if play forgets there; `known` always has the same value.
fn forgets(
    net: &Net,
    known: &Known,
    moved: &[FluentId],
    gates: &mut usize,
) -> Option<Vec<FluentId>> {
    let enough = |forgotten: usize| enough(forgotten, moved.len());
    if !enough(moved.iter().filter(|&&fluent| known[fluent].is_some()).count()) {
        if moved.len() < FORGOTTEN {
            return None;
        }
        *gates = gates.checked_sub(net.gate_count())?;
        let open = surely_open(net, known);
        if !enough(moved.iter().filter(|&&fluent| !open[fluent]).count()) {
            return None;
        }
    }
    *gates = gates.checked_sub(net.gate_count())?;
    let left = interface(net, known, &[]);
    let forgotten = moved.iter().filter(|fluent| left.binary_search(fluent).is_err());
    enough(forgotten.count()).then_some(left)
}

/// The games from one crossing point to another.
struct Stretch<'a> {
    net: &'a Net,
    trail: &'a Trail,
    since: &'a [u16],
    until: &'a [u16],
}

impl Stretch<'_> {
    /// The second crossing point, if it is one: it comes after the first, after some choices, and play forgets there.
    fn crossing(
        &self,
        condition: &Condition,
        dependent: &IndexVec<FluentId, bool>,
        gates: &mut usize,
    ) -> Option<Crossing> {
        let lanes = self.in_order()?;
        let states = self.entries(&lanes);
        let seen = states.first()?.clone();
        let known = same(&states, self.net.next.len());
        let moved = self.moved(dependent);
        let interface = forgets(self.net, &known, &moved, gates)?;
        let entry = known
            .iter_ids()
            .filter_map(|(fluent, value)| value.map(|holds| Literal { fluent, holds }));
        Some(Crossing {
            condition: condition.clone(),
            entry: entry.collect(),
            interface,
            moved,
            constant: self.constant(),
            steps: self.steps(&lanes),
            seen,
        })
    }

    /// Whether these games bear a crossing point out. What is said of it is then what all games show.
    fn confirms(
        &self,
        crossing: &mut Crossing,
        dependent: &IndexVec<FluentId, bool>,
        gates: &mut usize,
    ) -> bool {
        let Some(lanes) = self.in_order().filter(|lanes| lanes.len() >= CONFIRMED) else {
            return false;
        };
        let states = self.entries(&lanes);
        let mut known = same(&states, self.net.next.len());
        crossing.entry.retain(|literal| known[literal.fluent] == Some(literal.holds));
        known.iter_mut().for_each(|value| *value = None);
        crossing.entry.iter().for_each(|literal| known[literal.fluent] = Some(literal.holds));
        let constant = self.constant();
        crossing.constant.retain(|literal| constant.binary_search(literal).is_ok());
        let [first, last] = self.steps(&lanes);
        crossing.steps = [crossing.steps[0].min(first), crossing.steps[1].max(last)];
        crossing.moved.extend(self.moved(dependent));
        crossing.moved.sort_unstable();
        crossing.moved.dedup();
        let Some(interface) = forgets(self.net, &known, &crossing.moved, gates) else {
            return false;
        };
        crossing.interface = interface;
        true
    }

    /// The lanes that pass the second, if all do so after the first, and after some choices.
    fn in_order(&self) -> Option<Vec<usize>> {
        let lanes: Vec<usize> = (0..LANES).filter(|&lane| self.until[lane] != NEVER).collect();
        let in_order = |&lane: &usize| self.since[lane] < self.until[lane];
        let right = lanes.iter().all(in_order) && self.choices() >= CHOICES * lanes.len();
        right.then_some(lanes)
    }

    /// The first and the last step at which some lanes pass the second.
    fn steps(&self, lanes: &[usize]) -> [u32; 2] {
        let step = |&lane: &usize| u32::from(self.until[lane]);
        let (first, last) = (lanes.iter().map(step).min(), lanes.iter().map(step).max());
        [first.unwrap_or_default(), last.unwrap_or_default()]
    }

    /// The literals that hold in all states between the two crossing points.
    fn constant(&self) -> Vec<Literal> {
        let mut possible: IndexVec<FluentId, [bool; 2]> =
            IndexVec::filled([true; 2], self.net.next.len());
        for (step, words) in self.trail.states.iter().enumerate() {
            let inside = self.between(step);
            for (fluent, word) in words.iter_ids() {
                possible[fluent][0] &= is_none(&and(word, &inside));
                possible[fluent][1] &= is_none(&and_not(&inside, word));
            }
        }
        let literal = |(fluent, can): (FluentId, &[bool; 2])| match can {
            [true, false] => Some(Literal { fluent, holds: false }),
            [false, true] => Some(Literal { fluent, holds: true }),
            _ => None,
        };
        possible.iter_ids().filter_map(literal).collect()
    }

    /// The lanes that are between the two crossing points at a step.
    fn between(&self, step: usize) -> Word {
        let mut lanes = NONE;
        for lane in 0..LANES {
            if usize::from(self.since[lane]) <= step && step < usize::from(self.until[lane]) {
                lanes[lane / 64] |= 1 << (lane % 64);
            }
        }
        and(&lanes, &self.trail.present[step])
    }

    /// The lanes that pass the second.
    fn passing(&self) -> Word {
        let mut lanes = NONE;
        for lane in (0..LANES).filter(|&lane| self.until[lane] != NEVER) {
            lanes[lane / 64] |= 1 << (lane % 64);
        }
        lanes
    }

    /// How many steps between them had a choice, in games that pass the second.
    fn choices(&self) -> usize {
        let passing = self.passing();
        let choices = |step: usize| and(&self.between(step), &self.trail.choice[step]);
        let steps = 0..self.trail.states.len();
        steps.map(|step| lanes_of(&and(&choices(step), &passing)).count()).sum()
    }

    /// The fluents that players have moved in between, in games that pass the second: what else they may move is no
    /// more forgotten there than it was ever known.
    fn moved(&self, dependent: &IndexVec<FluentId, bool>) -> Vec<FluentId> {
        let mut moved: IndexVec<FluentId, bool> = IndexVec::filled(false, dependent.len());
        let passing = self.passing();
        for (step, pair) in self.trail.states.windows(2).enumerate() {
            // What changes where the second is passed is the work of the crossing point.
            let inside = and(&self.between(step), &self.between(step + 1));
            let inside = and(&inside, &passing);
            if is_none(&inside) {
                continue;
            }
            for fluent in self.net.fluents.ids().filter(|&fluent| dependent[fluent]) {
                let changed = and(&xor(&pair[0][fluent], &pair[1][fluent]), &inside);
                moved[fluent] |= !is_none(&changed);
            }
        }
        moved.iter_ids().filter(|(_, moved)| **moved).map(|(fluent, _)| fluent).collect()
    }

    /// The states in which the second is just passed.
    fn entries(&self, lanes: &[usize]) -> Vec<State> {
        let mut states = Vec::new();
        for step in 0..self.trail.states.len() {
            let here: Vec<usize> = lanes
                .iter()
                .copied()
                .filter(|&lane| usize::from(self.until[lane]) == step)
                .collect();
            if !here.is_empty() {
                debug_assert!(here.iter().all(|&lane| holds(&self.trail.present[step], lane)));
                states.extend(self.trail.states_at(step, &here));
            }
        }
        states
    }
}

/// The values that are the same in all states.
fn same(states: &[State], fluents: usize) -> Known {
    let value = |fluent: FluentId| {
        let first = states[0].holds(fluent);
        states.iter().all(|state| state.holds(fluent) == first).then_some(first)
    };
    (0..fluents)
        .map(|fluent| value(gambol_index::Id::from_index(fluent)))
        .collect::<Vec<_>>()
        .into()
}
