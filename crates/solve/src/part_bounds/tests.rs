//! Compounds whose value as a whole is known: it lies within the bounds by parts, for every role.

use gambol_net::{FluentId, Net, NetBuilder, RoleId, Wire};
use gambol_sim::{Circuit, CompileOptions};

use super::Parts;
use crate::circuit_dynamics::CircuitDynamics;
use crate::mixed::mixed;
use crate::random_walk::Random;
use crate::solve::{Choice, Task, solve};
use crate::{Bounds, Dynamics, Limits, Solution, SolveOptions, Unobserved};

/// The bounds by parts, if there are parts. Small games need no proofs to leave out states by.
fn by_parts(net: &Net) -> Option<Solution> {
    let circuit = Circuit::compile(net, &CompileOptions::default()).expect("small");
    let options = SolveOptions { pruning: false, ..SolveOptions::default() };
    let start = CircuitDynamics::new(net, &circuit).start();
    let task = Task { net, circuit: &circuit, start: &start, options: &options };
    let limits = Limits::default();
    Parts::of(&task, &limits).map(|mut parts| parts.bounds(&limits, &mut Unobserved))
}

/// The values of the whole, from all its states.
fn as_a_whole(net: &Net) -> Vec<Bounds> {
    let circuit = Circuit::compile(net, &CompileOptions::default()).expect("small");
    let (choice, pruning) = (Choice::Listing, false);
    let options = SolveOptions { choice, pruning, ..SolveOptions::default() };
    if let Ok(solution) = solve(net, &circuit, &options) {
        return solution.values;
    }
    // Some values have too many digits.
    let start = CircuitDynamics::new(net, &circuit).start();
    let task = Task { net, circuit: &circuit, start: &start, options: &options };
    let found = mixed(&task, &Limits::default(), None, &mut Unobserved).expect("it has a value");
    found.expect("it is small").values
}

/// Checks that the values lie within the bounds; says how many bounds are better than none.
fn check(net: &Net, solution: &Solution, label: &str) -> usize {
    let whole = as_a_whole(net);
    for (bounds, exact) in solution.values.iter().zip(&whole) {
        let shown = format!("{label}: {bounds:?} {exact:?} {:?}", solution.notes);
        assert!(bounds.least <= exact.most && exact.least <= bounds.most, "{shown}");
    }
    solution.notes.len() - usize::from(solution.unfinished.is_some())
}

/// A random compound: parts of a few states, in each of which each role makes one of a few choices at the same time as
/// in all others; any part, or a clock, ends all.
struct Way {
    roles: usize,
    parts: usize,
    states: usize,
    choices: usize,
    steps: usize,
    scores: Scores,
}

/// What the score of a role reads.
#[derive(Clone, Copy, Debug)]
enum Scores {
    /// Some table of what the parts are in.
    Any,
    /// The sum of what the parts are worth.
    Sum,
    /// Whether some part is good.
    Or,
}

struct Builder<'a> {
    way: &'a Way,
    net: NetBuilder,
    roles: Vec<RoleId>,
    states: Vec<Vec<FluentId>>,
    clock: Vec<FluentId>,
    /// For each part, role and choice the moves that make it.
    made: Vec<Vec<Vec<Vec<Wire>>>>,
}

impl<'a> Builder<'a> {
    fn new(way: &'a Way) -> Self {
        let mut net = NetBuilder::new();
        let roles = (0..way.roles).map(|role| net.role(&format!("r{role}"))).collect();
        let mut states = Vec::new();
        for part in 0..way.parts {
            let fluents = (0..way.states).map(|state| net.fluent(&format!("s{part}{state}")));
            states.push(fluents.collect::<Vec<_>>());
        }
        let clock: Vec<FluentId> =
            (0..=way.steps).map(|step| net.fluent(&format!("c{step}"))).collect();
        states.iter().for_each(|states| net.initial(states[0]));
        net.initial(clock[0]);
        let made = vec![vec![vec![Vec::new(); way.choices]; way.roles]; way.parts];
        Self { way, net, roles, states, clock, made }
    }

    /// Whether a part is in one of some states, given as bits.
    fn any_state(&mut self, part: usize, wanted: u64) -> Wire {
        let states = self.states[part].iter().enumerate();
        let states = states.filter(|(state, _)| wanted >> state & 1 == 1);
        let wires: Vec<Wire> = states.map(|(_, &fluent)| self.net.truth(fluent)).collect();
        self.net.or(wires)
    }

    /// All combinations of choices. The first choice is always there, so that nobody is stuck.
    fn add_moves(&mut self, random: &mut Random) {
        for (number, role) in self.roles.clone().into_iter().enumerate() {
            let cells = self.way.parts * self.way.choices;
            let legal: Vec<u64> = (0..cells).map(|_| random.next() | random.next()).collect();
            for mut rest in 0..self.way.choices.pow(self.way.parts as u32) {
                let action = self.net.action(role, &format!("m{rest}"));
                let done = self.net.does(action);
                let mut conditions = Vec::new();
                for part in 0..self.way.parts {
                    let choice = rest % self.way.choices;
                    rest /= self.way.choices;
                    self.made[part][number][choice].push(done);
                    if choice > 0 {
                        conditions
                            .push(self.any_state(part, legal[part * self.way.choices + choice]));
                    }
                }
                let legal = self.net.and(conditions);
                self.net.legal(action, legal);
            }
        }
    }

    /// What follows a state of a part after what all roles choose there is random.
    fn add_transitions(&mut self, random: &mut Random) {
        for (states, made) in self.states.iter().zip(&self.made) {
            let mut ways = vec![Vec::new(); states.len()];
            for &from in states {
                for mut joint in 0..self.way.choices.pow(self.way.roles as u32) {
                    let mut wires = vec![self.net.truth(from)];
                    for choices in made {
                        wires.push(self.net.or(choices[joint % self.way.choices].clone()));
                        joint /= self.way.choices;
                    }
                    ways[random.below(states.len())].push(self.net.and(wires));
                }
            }
            for (&state, ways) in states.iter().zip(ways) {
                let next = self.net.or(ways);
                self.net.next(state, next);
            }
        }
        for pair in self.clock.windows(2) {
            let now = self.net.truth(pair[0]);
            self.net.next(pair[1], now);
        }
    }

    fn add_end(&mut self, random: &mut Random) {
        let mut ends = vec![self.net.truth(self.clock[self.way.steps])];
        for part in 0..self.way.parts {
            ends.push(self.any_state(part, random.next() & random.next() & !1));
        }
        let terminal = self.net.or(ends);
        self.net.terminal(terminal);
    }

    fn add_goals(&mut self, random: &mut Random) {
        for role in self.roles.clone() {
            let good: Vec<u64> = (0..self.way.parts).map(|_| random.next()).collect();
            let mut ways = vec![Vec::new(); 1 + self.way.parts.max(2)];
            for set in 0..1usize << self.way.parts {
                let in_set = |part: usize| set >> part & 1 == 1;
                let bits = |part: usize| if in_set(part) { good[part] } else { !good[part] };
                let wires: Vec<Wire> =
                    (0..good.len()).map(|part| self.any_state(part, bits(part))).collect();
                let score = match self.way.scores {
                    Scores::Any => random.below(3),
                    Scores::Sum => set.count_ones() as usize,
                    Scores::Or => 2 * usize::from(set != 0),
                };
                ways[score].push(self.net.and(wires));
            }
            for (score, ways) in ways.into_iter().enumerate() {
                let goal = self.net.or(ways);
                self.net.goal(role, 30 * score as u32, goal);
            }
        }
    }
}

fn compound(way: &Way, random: &mut Random) -> Net {
    let mut builder = Builder::new(way);
    builder.add_moves(random);
    builder.add_transitions(random);
    builder.add_end(random);
    builder.add_goals(random);
    builder.net.finish().expect("all moves of a role stand together")
}

#[test]
fn values_of_random_compounds_lie_within_the_bounds() {
    let (mut random, mut better, mut games) = (Random(7), 0, 0);
    for scores in [Scores::Any, Scores::Sum, Scores::Or] {
        for (roles, parts, states, choices, steps, seeds) in [
            (2, 2, 3, 2, 3, 28),
            (2, 2, 4, 2, 3, 4),
            (2, 2, 3, 3, 2, 3),
            (2, 3, 3, 2, 2, 2),
            (3, 2, 3, 2, 2, 3),
        ] {
            for seed in 0..seeds {
                let way = Way { roles, parts, states, choices, steps, scores };
                let net = compound(&way, &mut random);
                // A part that nothing changes is none.
                let Some(solution) = by_parts(&net) else { continue };
                let label = format!("{scores:?} {roles} {parts} {states} {seed}");
                better += check(&net, &solution, &label);
                games += 1;
            }
        }
    }
    assert!(games > 100 && better > games, "{games} {better}");
}

fn net_of(rules: &str) -> Net {
    let rules = gambol_syntax::read(rules.as_bytes(), &Default::default());
    let rules = rules.rules.expect("the rules parse");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
    gambol_net::simplify(&gambol_net::build(&ground).expect("they make a net"))
}

/// Two tables; on each both players show a coin; one of them has won a table where they are equal.
const PENNIES: &str = "(role even) (role odd) (side heads) (side tails) (table 1) (table 2)
    (init (open 1)) (init (open 2))
    (<= (legal ?p (show ?a ?b)) (role ?p) (side ?a) (side ?b))
    (<= (equal 1) (does even (show ?a ?b)) (does odd (show ?a ?c)))
    (<= (equal 2) (does even (show ?a ?b)) (does odd (show ?c ?b)))
    (<= (next (won ?t)) (equal ?t)) (<= (next (lost ?t)) (table ?t) (not (equal ?t)))
    (<= (over ?t) (true (won ?t))) (<= (over ?t) (true (lost ?t)))
    (<= some (true (won ?t)))
    (<= (goal even 100) some) (<= (goal even 0) (not some))
    (<= (goal odd 0) some) (<= (goal odd 100) (not some))";

#[test]
fn one_of_two_pennies_is_won_three_times_in_four() {
    let either = net_of(&format!("{PENNIES} (<= terminal (table ?t) (over ?t))"));
    let solution = by_parts(&either).expect("two tables");
    let [even, odd] = solution.values[..] else { panic!("two players") };
    assert_eq!((even, odd), (Bounds::exact(75), Bounds::exact(25)));
    assert!(solution.unfinished.is_none());
    assert_eq!(as_a_whole(&either), solution.values);
}

#[test]
fn an_end_of_all_parts_together_is_refused() {
    let both = net_of(&format!("{PENNIES} (<= terminal (over 1) (over 2))"));
    assert!(by_parts(&both).is_none());
}

#[test]
fn choices_that_are_not_free_are_refused() {
    let rules = format!("{PENNIES} (<= terminal (table ?t) (over ?t))");
    let tied = rules.replace("(side ?b))\n", "(side ?b) (distinct ?a ?b))\n");
    assert_ne!(rules, tied);
    assert!(by_parts(&net_of(&tied)).is_none());
}

/// Two fields of squares; on each the digger wants planks from one bank to the other in two rows, and the guard takes
/// squares away. A field that is bridged or full ends all.
fn fields(columns: usize) -> Net {
    let mut rules = String::from("(role digger) (role guard) (field 1) (field 2) ");
    for row in 1..=2 {
        for column in 1..=columns {
            rules += &format!(
                "(square {row} {column}) (init (free 1 {row} {column})) (init (free 2 {row} {column})) "
            );
        }
    }
    for column in 1..=columns {
        rules += &format!("(near {column} {column}) ");
        if column > 1 {
            rules += &format!("(near {column} {}) (near {} {column}) ", column - 1, column - 1);
        }
    }
    net_of(&(rules
        + "(<= (legal ?p (take ?a ?b ?c ?d)) (role ?p) (true (free 1 ?a ?b)) (true (free 2 ?c ?d)))
        (<= (takes ?p 1 ?a ?b) (does ?p (take ?a ?b ?c ?d)))
        (<= (takes ?p 2 ?c ?d) (does ?p (take ?a ?b ?c ?d)))
        (<= (next (free ?f ?a ?b)) (true (free ?f ?a ?b)) (not (takes digger ?f ?a ?b)) (not (takes guard ?f ?a ?b)))
        (<= (next (plank ?f ?a ?b)) (takes digger ?f ?a ?b) (not (takes guard ?f ?a ?b)))
        (<= (next (plank ?f ?a ?b)) (true (plank ?f ?a ?b)))
        (<= (bridged ?f) (true (plank ?f 1 ?a)) (near ?a ?b) (true (plank ?f 2 ?b)))
        (<= (open ?f) (true (free ?f ?a ?b)))
        (<= terminal (bridged ?f)) (<= terminal (field ?f) (not (open ?f)))
        (<= (kept ?f) (field ?f) (not (bridged ?f)) (not (open ?f)))
        (<= (goal digger 100) (bridged 1) (bridged 2))
        (<= (goal digger 50) (bridged 1) (not (bridged 2))) (<= (goal digger 50) (bridged 2) (not (bridged 1)))
        (<= (goal digger 0) (not (bridged 1)) (not (bridged 2)))
        (<= (goal guard 100) (kept 1) (kept 2))
        (<= (goal guard 50) (kept 1) (not (kept 2))) (<= (goal guard 50) (kept 2) (not (kept 1)))
        (<= (goal guard 0) (not (kept 1)) (not (kept 2)))"))
}

#[test]
fn what_is_secured_on_two_fields_lies_within_the_bounds() {
    let net = fields(2);
    let solution = by_parts(&net).expect("two fields");
    assert_eq!(check(&net, &solution, "two fields of 2x2"), 4);
    assert!(solution.values.iter().all(|bounds| bounds.width() < 60.0), "{solution:?}");
    assert!(solution.unfinished.is_some() && solution.notes.len() == 5);
}

#[test]
fn a_bridge_counts_before_the_other_field_can_be_full() {
    // A field of six squares is full after three steps at the earliest, and bridged after two.
    let solution = by_parts(&fields(3)).expect("two fields");
    let guard = solution.notes.iter().find(|note| note.starts_with("guard at most"));
    assert!(
        guard.is_some_and(|note| note.contains("before any is over otherwise")),
        "{solution:?}"
    );
}
