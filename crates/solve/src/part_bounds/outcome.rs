//! What goals and the end of a game see of its parts.
//!
//! Goals are read down to conditions that one part decides alone, its *tests*. Which answers a part can give
//! to its tests together is asked of a solver, over all states, so there may be more than play comes to. Answers that
//! mean the same to the end and to all goals, whatever the other parts are in, are one *kind*.

use std::time::Duration;

use gambol_analysis::{Answer, Budget, Encoding};
use gambol_index::IndexVec;
use gambol_net::{FluentId, Gate, GateId, Net, RoleId};
use rustc_hash::FxHashMap;

use super::cut::{Condition, Cut};
use crate::Limits;
use crate::factored::Supports;

/// The most tests of a part.
const MOST_TESTS: usize = 10;
/// The most answers of a part, and of all parts together.
const MOST_ANSWERS: usize = 64;
const MOST_COMBINATIONS: usize = 1 << 14;
/// The most kinds of a part: sets of them are bits.
const MOST_KINDS: usize = 12;
/// The most nodes of the formulas of goals.
const MOST_NODES: usize = 20_000;
/// Effort for a question about all states, and time for all questions.
const EFFORT: u64 = 20_000;
const LONGEST: Duration = Duration::from_secs(3);

/// Whether any, or all, of some conditions of a part are fulfilled.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Test {
    pub(super) any: bool,
    pub(super) conditions: Vec<Condition>,
}

/// What can be seen of one part, or of the context.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) tests: Vec<Test>,
    /// The test that says whether it ends the game.
    pub(super) end: Option<usize>,
    /// For each kind the answers to the tests.
    pub(super) kinds: Vec<Vec<Vec<bool>>>,
    /// Which kinds are ends, as bits.
    pub(super) ends: u32,
}

impl Place {
    /// Whether what it is in makes a difference.
    pub(super) fn counts(&self) -> bool {
        self.kinds.len() > 1
    }
}

/// What is seen of all parts, the context last, and what it is worth.
pub(super) struct Outcomes {
    pub(super) places: Vec<Place>,
    /// For each combination of kinds, the last place's changing fastest: nothing if the game goes on, else for each role the
    /// least and the greatest goal that it can mean.
    worth: Vec<Option<Vec<[u32; 2]>>>,
}

impl Outcomes {
    /// Nothing if goals look at too much.
    pub(super) fn of(net: &Net, supports: &Supports, cut: &Cut, limits: &Limits) -> Option<Self> {
        let mut reader = Reader::new(net, supports, cut);
        let goals: Vec<(RoleId, u32, usize)> = net
            .goals
            .iter()
            .map(|goal| Some((goal.role, goal.value, reader.node(goal.gate)?)))
            .collect::<Option<_>>()?;
        let Reader { mut places, nodes, .. } = reader;
        if places.iter().any(|place| place.tests.len() > MOST_TESTS) {
            return None;
        }
        let answers = answers(net, &places, limits)?;
        let scene = Scene { net, places: &places, nodes: &nodes, goals: &goals };
        let counts: Vec<usize> = answers.iter().map(Vec::len).collect();
        let worth = scene.worth(&answers, &counts)?;
        let kind_of: Vec<Vec<usize>> =
            (0..places.len()).map(|place| scene.kinds(&answers, &counts, &worth, place)).collect();
        for (number, place) in places.iter_mut().enumerate() {
            let kinds = kind_of[number].iter().max().map_or(0, |&most| most + 1);
            if kinds > MOST_KINDS {
                return None;
            }
            place.kinds = vec![Vec::new(); kinds];
            for (answer, &kind) in answers[number].iter().zip(&kind_of[number]) {
                place.kinds[kind].push(answer.clone());
                place.ends |= u32::from(place.end.is_some_and(|end| answer[end])) << kind;
            }
        }
        let first = |place: usize, kind: usize| kind_of[place].iter().position(|&k| k == kind);
        let kinds: Vec<usize> = places.iter().map(|place| place.kinds.len()).collect();
        let worth = (0..kinds.iter().product()).map(|number| {
            let combination = digits(number, &kinds).into_iter().enumerate();
            let answers: Option<Vec<usize>> = combination.map(|(p, kind)| first(p, kind)).collect();
            answers.and_then(|answers| worth[index(&answers, &counts)].clone())
        });
        let worth = worth.collect();
        Some(Self { places, worth })
    }

    /// The ends: the kinds of all places, and for each role the goals that can be meant.
    pub(super) fn ends(&self) -> impl Iterator<Item = (Vec<usize>, &[[u32; 2]])> {
        let kinds: Vec<usize> = self.places.iter().map(|place| place.kinds.len()).collect();
        let worth = self.worth.iter().enumerate();
        worth.filter_map(move |(number, worth)| Some((digits(number, &kinds), worth.as_deref()?)))
    }
}

fn digits(mut number: usize, radices: &[usize]) -> Vec<usize> {
    let mut digits = vec![0; radices.len()];
    for place in (0..radices.len()).rev() {
        digits[place] = number % radices[place];
        number /= radices[place];
    }
    digits
}

fn index(digits: &[usize], radices: &[usize]) -> usize {
    digits.iter().zip(radices).fold(0, |number, (digit, radix)| number * radix + digit)
}

/// A goal as a formula over tests.
enum Node {
    Constant(bool),
    Test(usize, usize),
    Not(usize),
    All(Vec<usize>),
    Any(Vec<usize>),
}

struct Reader<'a> {
    net: &'a Net,
    supports: &'a Supports,
    place_of: IndexVec<FluentId, usize>,
    places: Vec<Place>,
    nodes: Vec<Node>,
    known: FxHashMap<GateId, usize>,
}

impl<'a> Reader<'a> {
    fn new(net: &'a Net, supports: &'a Supports, cut: &Cut) -> Self {
        let count = cut.parts.len();
        let mut place_of = IndexVec::filled(count, net.fluents.len());
        for (number, part) in cut.parts.iter().enumerate() {
            part.fluents.iter().for_each(|&fluent| place_of[fluent] = number);
        }
        let mut places = vec![Place::default(); count + 1];
        for (place, ends) in places.iter_mut().zip(&cut.ends) {
            if !ends.is_empty() {
                place.tests.push(Test { any: true, conditions: ends.clone() });
                place.end = Some(0);
            }
        }
        let (nodes, known) = (Vec::new(), FxHashMap::default());
        Self { net, supports, place_of, places, nodes, known }
    }

    /// The only part a gate looks at; the context if it looks at none.
    fn place(&self, gate: GateId) -> Option<usize> {
        let context = self.places.len() - 1;
        let mut found = context;
        for place in self.supports.fluents(gate).map(|fluent| self.place_of[fluent]) {
            if place != context && found != context && place != found {
                return None;
            }
            found = found.min(place);
        }
        Some(found)
    }

    fn node(&mut self, gate: GateId) -> Option<usize> {
        if let Some(&known) = self.known.get(&gate) {
            return Some(known);
        }
        let node = match (self.net.gate(gate), self.place(gate)) {
            (Gate::Constant(value), _) => Node::Constant(value),
            (Gate::Not(input), _) => Node::Not(self.node(input)?),
            (_, Some(place)) => self.test(place, false, vec![(gate, true)]),
            (Gate::And(inputs), None) => Node::All(self.inputs(inputs, false)?),
            (Gate::Or(inputs), None) => Node::Any(self.inputs(inputs, true)?),
            _ => return None,
        };
        let number = self.push(node)?;
        self.known.insert(gate, number);
        Some(number)
    }

    fn push(&mut self, node: Node) -> Option<usize> {
        self.nodes.push(node);
        (self.nodes.len() <= MOST_NODES).then_some(self.nodes.len() - 1)
    }

    /// The inputs of a gate; what looks at one part only is one test.
    fn inputs(&mut self, inputs: &[GateId], any: bool) -> Option<Vec<usize>> {
        let mut alone: Vec<Vec<Condition>> = vec![Vec::new(); self.places.len()];
        let mut nodes = Vec::new();
        for &input in inputs {
            match self.place(input) {
                Some(place) => alone[place].push((input, true)),
                None => nodes.push(self.node(input)?),
            }
        }
        for (place, conditions) in alone.into_iter().enumerate() {
            match conditions[..] {
                [] => {}
                [(gate, _)] => nodes.push(self.node(gate)?),
                _ => {
                    let node = self.test(place, any, conditions);
                    nodes.push(self.push(node)?);
                }
            }
        }
        Some(nodes)
    }

    fn test(&mut self, place: usize, any: bool, conditions: Vec<Condition>) -> Node {
        let (test, tests) = (Test { any, conditions }, &mut self.places[place].tests);
        let known = tests.iter().position(|known| *known == test);
        Node::Test(
            place,
            known.unwrap_or_else(|| {
                tests.push(test);
                tests.len() - 1
            }),
        )
    }
}

/// For each place the answers it can give to its tests, over all states.
fn answers(net: &Net, places: &[Place], limits: &Limits) -> Option<Vec<Vec<Vec<bool>>>> {
    let time = limits.time.map_or(LONGEST, |time| time.min(LONGEST));
    let mut encoding = Encoding::new(net, &Budget { time: Some(time), stop: limits.stop.clone() });
    let state = encoding.state();
    let mut all = Vec::new();
    for place in places {
        let mut literals = Vec::new();
        for test in &place.tests {
            let literal = encoding.fresh();
            let mut conditions = Vec::new();
            for &(gate, holds) in &test.conditions {
                let gate = encoding.gate(state, gate);
                conditions.push(if holds { gate } else { !gate });
            }
            // All of them are fulfilled unless any is not.
            let mut whole = literal;
            if !test.any {
                whole = !literal;
                conditions.iter_mut().for_each(|one| *one = !*one);
            }
            conditions.iter().for_each(|&one| encoding.add(&[!one, whole]));
            conditions.push(!whole);
            encoding.add(&conditions);
            literals.push(literal);
        }
        let mut found: Vec<Vec<bool>> = vec![Vec::new()];
        for number in 0..literals.len() {
            let mut longer = Vec::new();
            for answer in &found {
                for value in [false, true] {
                    let answer = [&answer[..], &[value]].concat();
                    let told = answer.iter().zip(&literals[..=number]);
                    let told: Vec<_> =
                        told.map(|(&yes, &lit)| if yes { lit } else { !lit }).collect();
                    if encoding.solve(&told, EFFORT) != Answer::NoModel {
                        longer.push(answer);
                    }
                }
            }
            if longer.len() > MOST_ANSWERS {
                return None;
            }
            found = longer;
        }
        all.push(found);
    }
    Some(all)
}

struct Scene<'a> {
    net: &'a Net,
    places: &'a [Place],
    nodes: &'a [Node],
    goals: &'a [(RoleId, u32, usize)],
}

impl Scene<'_> {
    /// What each combination of answers is worth.
    fn worth(
        &self,
        answers: &[Vec<Vec<bool>>],
        counts: &[usize],
    ) -> Option<Vec<Option<Vec<[u32; 2]>>>> {
        let all = counts.iter().try_fold(1usize, |all, &one| all.checked_mul(one))?;
        (all <= MOST_COMBINATIONS).then(|| {
            let combination = |number: usize| {
                let chosen = digits(number, counts).into_iter().enumerate();
                chosen.map(|(place, answer)| &answers[place][answer][..]).collect::<Vec<_>>()
            };
            (0..all).map(|number| self.worth_of(&combination(number))).collect()
        })
    }

    fn worth_of(&self, answers: &[&[bool]]) -> Option<Vec<[u32; 2]>> {
        let mut places = self.places.iter().zip(answers);
        if !places.any(|(place, answer)| place.end.is_some_and(|end| answer[end])) {
            return None;
        }
        let mut values: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in self.nodes {
            let value = match node {
                Node::Constant(value) => *value,
                Node::Test(place, test) => answers[*place][*test],
                Node::Not(input) => !values[*input],
                Node::All(inputs) => inputs.iter().all(|&input| values[input]),
                Node::Any(inputs) => inputs.iter().any(|&input| values[input]),
            };
            values.push(value);
        }
        let of_role = |role: RoleId| {
            let goals = self.goals.iter().filter(move |(of, ..)| *of == role);
            let mut met: Vec<u32> =
                goals.clone().filter(|(.., node)| values[*node]).map(|&(_, v, _)| v).collect();
            // Where the rules do not say which goal is meant, it can be any.
            if met.len() != 1 {
                met = goals.map(|&(_, value, _)| value).collect();
            }
            [met.iter().min().copied().unwrap_or(0), met.iter().max().copied().unwrap_or(0)]
        };
        Some(self.net.roles.ids().map(of_role).collect())
    }

    /// For each answer of a place the number of its kind.
    fn kinds(
        &self,
        answers: &[Vec<Vec<bool>>],
        counts: &[usize],
        worth: &[Option<Vec<[u32; 2]>>],
        place: usize,
    ) -> Vec<usize> {
        let mut known: FxHashMap<_, usize> = FxHashMap::default();
        let end = self.places[place].end;
        let kind = |(number, answer): (usize, &Vec<bool>)| {
            let with = (0..worth.len()).filter(|&all| digits(all, counts)[place] == number);
            let seen: Vec<_> = with.map(|all| &worth[all]).collect();
            let next = known.len();
            *known.entry((end.is_some_and(|end| answer[end]), seen)).or_insert(next)
        };
        answers[place].iter().enumerate().map(kind).collect()
    }
}
