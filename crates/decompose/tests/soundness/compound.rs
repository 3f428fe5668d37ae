//! Games put together in the ways of chapter 11, and games that only seem to be.

use std::fmt::Write;

/// A small generator of numbers (xorshift), so that a seed is a game.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// How moves reach the machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// One player moves in one machine.
    Independent,
    /// One move acts in all of them.
    Compound,
    /// Two players in turn, each in a machine of his choice.
    Turns,
    /// Each machine has a player of its own, all at the same time.
    Simultaneous,
    /// Two players at the same time, each in a machine of his choice.
    Crowd,
    /// The second machine waits until the first has stopped.
    Serial,
}

const WAYS: [Way; 6] =
    [Way::Independent, Way::Compound, Way::Turns, Way::Simultaneous, Way::Crowd, Way::Serial];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Score {
    All,
    Any,
    First,
    ExclusiveOr,
    Majority,
    Recursive,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    None,
    /// What a machine does looks at another in one state.
    SharedBit,
    /// A move is possible only in some state of another machine.
    Locked,
    /// A move in one machine acts in another in one rare state.
    ActsElsewhere,
    /// One combination of a compound move is missing.
    Missing,
}

/// A machine with few states and moves.
struct Machine {
    states: usize,
    moves: usize,
    /// For each state and move, where it leads; none if it is not possible.
    leads: Vec<Vec<Option<usize>>>,
    wins: Vec<bool>,
    stops: Vec<bool>,
}

pub(crate) struct Compound {
    pub(crate) text: String,
    pub(crate) way: Way,
    pub(crate) score: Score,
    pub(crate) fault: Fault,
    pub(crate) clock: bool,
}

pub(crate) fn compound(seed: u64) -> Compound {
    let dice = &mut Dice::new(seed);
    let way = WAYS[dice.below(WAYS.len())];
    let parts = if matches!(way, Way::Serial | Way::Crowd) { 2 } else { 2 + dice.below(2) };
    let faults =
        [Fault::None, Fault::SharedBit, Fault::Locked, Fault::ActsElsewhere, Fault::Missing];
    let fault = faults[dice.below(8).min(faults.len()) % faults.len()];
    let scores = [
        Score::All,
        Score::Any,
        Score::First,
        Score::ExclusiveOr,
        Score::Majority,
        Score::Recursive,
    ];
    let score = scores[dice.below(9) % scores.len()];
    let clock = dice.below(3) > 0;
    let machines: Vec<Machine> = (0..parts).map(|_| machine(dice, way)).collect();
    let mut text = String::new();
    dynamics(&mut text, dice, &machines, way, fault);
    moves(&mut text, dice, &machines, way, fault);
    ends(&mut text, dice, &machines, score, clock);
    Compound { text, way, score, fault, clock }
}

fn machine(dice: &mut Dice, way: Way) -> Machine {
    let (states, moves) = (2 + dice.below(3), 1 + dice.below(3));
    let mut leads: Vec<Vec<Option<usize>>> = (0..states)
        .map(|_| (0..moves).map(|_| (!dice.one_in(4)).then(|| dice.below(states))).collect())
        .collect();
    if matches!(way, Way::Compound | Way::Simultaneous) {
        // Every step needs a move here.
        leads.iter_mut().for_each(|of_state| of_state[0] = of_state[0].or(Some(0)));
    }
    if way == Way::Serial {
        // The last state is the end of it.
        leads[states - 1] = vec![None; moves];
    }
    let wins = (0..states).map(|_| dice.one_in(2)).collect();
    let stops = (0..states).map(|state| state + 1 == states || dice.one_in(6)).collect();
    Machine { states, moves, leads, wins, stops }
}

/// What the machines do when a move reaches them.
fn dynamics(text: &mut String, dice: &mut Dice, machines: &[Machine], way: Way, fault: Fault) {
    for (part, machine) in machines.iter().enumerate() {
        let _ = writeln!(text, "(init (s {part} 0))");
        let _ = writeln!(text, "(<= (moved {part}) (plays {part} ?a))");
        let _ =
            writeln!(text, "(<= (next (s {part} ?v)) (true (s {part} ?v)) (not (moved {part})))");
        for (state, of_state) in machine.leads.iter().enumerate() {
            for (action, to) in of_state.iter().enumerate() {
                // A move that is not possible here stays here, should it reach the machine.
                let to = to.unwrap_or(state);
                let here = format!("(true (s {part} {state})) (plays {part} {action})");
                let other = (part + 1) % machines.len();
                let rare = machines[other].states - 1;
                let shared = fault == Fault::SharedBit && part == 0 && dice.one_in(4);
                if shared {
                    let else_to = dice.below(machine.states);
                    let _ = writeln!(
                        text,
                        "(<= (next (s {part} {to})) {here} (not (true (s {other} {rare}))))"
                    );
                    let _ = writeln!(
                        text,
                        "(<= (next (s {part} {else_to})) {here} (true (s {other} {rare})))"
                    );
                } else {
                    let _ = writeln!(text, "(<= (next (s {part} {to})) {here})");
                }
            }
        }
    }
    if fault == Fault::ActsElsewhere {
        let (rare, action) = (machines[0].states - 1, dice.below(machines[1].moves));
        let _ = writeln!(text, "(<= (next lost) (true (s 0 {rare})) (plays 1 {action}))");
        let _ = writeln!(text, "(<= (next lost) (true lost))");
    }
    let _ = way;
}

/// Which moves there are, and which machines they reach.
fn moves(text: &mut String, dice: &mut Dice, machines: &[Machine], way: Way, fault: Fault) {
    for (part, machine) in machines.iter().enumerate() {
        for action in 0..machine.moves {
            for state in (0..machine.states).filter(|&s| machine.leads[s][action].is_some()) {
                let other = (part + 1) % machines.len();
                let lock = match fault == Fault::Locked && part == 0 && dice.one_in(3) {
                    true => format!("(not (true (s {other} {})))", machines[other].states - 1),
                    false => String::new(),
                };
                let wait = match way == Way::Serial && part == 1 {
                    true => format!("(true (s 0 {}))", machines[0].states - 1),
                    false => String::new(),
                };
                let _ = writeln!(
                    text,
                    "(<= (can {part} {action}) (true (s {part} {state})) {lock} {wait})"
                );
            }
        }
    }
    match way {
        Way::Independent | Way::Serial => {
            text.push_str(
                "(role r) (<= (legal r (m ?p ?a)) (can ?p ?a)) (<= (plays ?p ?a) (does r (m ?p ?a)))\n",
            );
            if way == Way::Serial || !dice.one_in(4) {
                text.push_str("(legal r rest)\n");
            }
        }
        Way::Turns | Way::Crowd => {
            let turn = if way == Way::Turns { "(true (control ?r))" } else { "(role ?r)" };
            let _ =
                writeln!(text, "(role x) (role o) (<= (legal ?r (m ?p ?a)) {turn} (can ?p ?a))");
            text.push_str("(<= (plays ?p ?a) (does x (m ?p ?a)))\n");
            if way == Way::Turns {
                text.push_str(
                    "(init (control x)) (<= (next (control o)) (true (control x)))
                     (<= (next (control x)) (true (control o)))
                     (<= (legal x rest) (true (control o))) (<= (legal o rest) (true (control x)))
                     (<= (plays ?p ?a) (does o (m ?p ?a)))\n",
                );
                if !dice.one_in(3) {
                    text.push_str("(<= (legal ?r rest) (true (control ?r)))\n");
                }
            } else {
                text.push_str(
                    "(<= (first ?p) (does x (m ?p ?a))) (legal x rest) (legal o rest)
                     (<= (plays ?p ?a) (does o (m ?p ?a)) (not (first ?p)))\n",
                );
            }
        }
        Way::Simultaneous => {
            for part in 0..machines.len() {
                let _ = writeln!(
                    text,
                    "(role r{part}) (<= (legal r{part} (m ?a)) (can {part} ?a))
                     (<= (plays {part} ?a) (does r{part} (m ?a)))"
                );
            }
        }
        Way::Compound => product_moves(text, dice, machines, fault),
    }
}

fn product_moves(text: &mut String, dice: &mut Dice, machines: &[Machine], fault: Fault) {
    text.push_str("(role r)\n");
    let counts: Vec<usize> = machines.iter().map(|machine| machine.moves).collect();
    let total: usize = counts.iter().product();
    let missing = if fault == Fault::Missing { dice.below(total) } else { total };
    for number in (0..total).filter(|&number| number != missing) {
        let (mut rest, mut name, mut condition) = (number, String::from("(m"), String::new());
        let mut reached = Vec::new();
        for (part, count) in counts.iter().enumerate() {
            let _ = write!(name, " {}", rest % count);
            let _ = write!(condition, " (can {part} {})", rest % count);
            reached.push((part, rest % count));
            rest /= count;
        }
        name.push(')');
        let _ = writeln!(text, "(<= (legal r {name}){condition})");
        for (part, action) in reached {
            let _ = writeln!(text, "(<= (plays {part} {action}) (does r {name}))");
        }
    }
}

/// When the game is over, and who has won.
fn ends(text: &mut String, dice: &mut Dice, machines: &[Machine], score: Score, clock: bool) {
    for (part, machine) in machines.iter().enumerate() {
        for state in 0..machine.states {
            if machine.wins[state] {
                let _ = writeln!(text, "(<= (won {part}) (true (s {part} {state})))");
            }
            if machine.stops[state] {
                let _ = writeln!(text, "(<= (stopped {part}) (true (s {part} {state})))");
            }
        }
    }
    if clock {
        let limit = 3 + dice.below(4);
        let steps: String = (0..limit).map(|t| format!("(then {t} {}) ", t + 1)).collect();
        let _ = writeln!(
            text,
            "{steps} (init (time 0)) (<= (next (time ?u)) (true (time ?t)) (then ?t ?u))
             (<= terminal (true (time {limit})))"
        );
    }
    let each = |word: &str, wanted: &dyn Fn(usize) -> bool| -> String {
        (0..machines.len()).filter(|&p| wanted(p)).map(|p| format!(" ({word} {p})")).collect()
    };
    if !clock || dice.one_in(4) {
        match dice.below(3) {
            0 => drop(writeln!(text, "(<= terminal{})", each("stopped", &|_| true))),
            1 => drop(writeln!(text, "(<= terminal (stopped ?p))")),
            _ => drop(writeln!(text, "(<= terminal (stopped 0))")),
        }
    }
    let top = match score {
        Score::All => format!("(<= top{})", each("won", &|_| true)),
        Score::Any => "(<= top (won ?p))".to_string(),
        Score::First => "(<= top (won 0))".to_string(),
        Score::ExclusiveOr => {
            "(<= top (won 0) (not (won 1))) (<= top (not (won 0)) (won 1))".to_string()
        }
        Score::Majority => (0..machines.len())
            .map(|left_out| format!("(<= top{})\n", each("won", &|p| p != left_out)))
            .collect(),
        Score::Recursive => "(<= top (won 0) (not (won 1))) (<= top other (not (won 1)))
             (<= top top (won 1)) (<= other (won 0) (won 1)) (<= other top)"
            .to_string(),
    };
    let _ = writeln!(
        text,
        "{top} (<= (goal ?r 100) (role ?r) top) (<= (goal ?r 0) (role ?r) (not top))"
    );
}
