//! Generated games: graphs of numbered states, written as rules.

use std::fmt::Write;

use gambol_reference::Interpreter;
use gambol_syntax::{ReadOptions, read};

use crate::random::Random;

/// What kinds of games are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    pub(crate) roles: usize,
    /// Several roles choose in one state.
    pub(crate) at_once: bool,
    /// Play may return.
    pub(crate) endless: bool,
    /// A role may be without a move.
    pub(crate) stuck: bool,
    /// Ends may have several goals, or none.
    pub(crate) unclear: bool,
    /// The goals of two roles always add up to 100.
    pub(crate) opposed: bool,
}

impl Shape {
    pub(crate) const PLAIN: Shape = Shape {
        roles: 2,
        at_once: false,
        endless: false,
        stuck: false,
        unclear: false,
        opposed: false,
    };
}

pub(crate) const ROLES: [&str; 3] = ["a", "b", "c"];
const GOALS: [u32; 5] = [0, 25, 50, 75, 100];

pub(crate) fn interpreter(rules: &str) -> Interpreter {
    let rules = read(rules.as_bytes(), &ReadOptions::default()).rules.expect("the rules parse");
    Interpreter::new(&rules).expect("they can be interpreted")
}

/// What all graphs have in common; facts `option`, `edge`, `final` and `pays` follow.
pub(crate) fn prelude(roles: &[&str]) -> String {
    let does: Vec<String> = roles.iter().map(|role| format!("(does {role} ?{role})")).collect();
    let moves: Vec<String> = roles.iter().map(|role| format!("?{role}")).collect();
    let named: Vec<String> = roles.iter().map(|role| format!("(role {role})")).collect();
    format!(
        "{} (init (at 0)) (<= (legal ?r ?m) (true (at ?n)) (option ?n ?r ?m))
        (<= (next (at ?to)) (true (at ?n)) {} (edge ?n {} ?to))
        (<= terminal (true (at ?n)) (final ?n)) (<= (goal ?r ?g) (true (at ?n)) (pays ?n ?r ?g))\n",
        named.join(" "),
        does.join(" "),
        moves.join(" ")
    )
}

/// The rules of a graph: in state n a role has the moves 0, 1, … and each joint move leads to a state.
pub(crate) fn generated(shape: Shape, random: &mut Random) -> String {
    let states = 5 + random.below(6);
    let ends = states - 2 - random.below(2);
    let roles = &ROLES[..shape.roles];
    let mut text = prelude(roles);
    for state in 0..ends {
        push_choices(&mut text, (state, ends, states), shape, random);
    }
    for state in ends..states {
        push_end(&mut text, state, shape, random);
    }
    text
}

fn push_choices(
    text: &mut String,
    (state, ends, states): (usize, usize, usize),
    shape: Shape,
    random: &mut Random,
) {
    let chooser = random.below(shape.roles);
    let mut joint = vec![String::new()];
    for (place, role) in ROLES[..shape.roles].iter().enumerate() {
        let chooses = if shape.at_once { !random.chance(4) } else { place == chooser };
        let stuck = shape.stuck && random.chance(10);
        let moves = if stuck {
            0
        } else if chooses {
            2
        } else {
            1
        };
        for number in 0..moves {
            let _ = write!(text, "(option {state} {role} m{number}) ");
        }
        let numbers = 0..moves;
        joint = numbers.flat_map(|m| joint.iter().map(move |j| format!("{j} m{m}"))).collect();
    }
    for moves in joint {
        let back = shape.endless && random.chance(3);
        let to = match () {
            () if back => random.below(ends),
            () if random.chance(3) => ends + random.below(states - ends),
            () => state + 1 + random.below(states - state - 1),
        };
        let _ = writeln!(text, "(edge {state}{moves} {to})");
    }
}

fn push_end(text: &mut String, state: usize, shape: Shape, random: &mut Random) {
    let _ = write!(text, "(final {state}) ");
    let first = *random.pick(&GOALS);
    for (place, role) in ROLES[..shape.roles].iter().enumerate() {
        let goals = if shape.unclear && random.chance(3) { random.below(3) } else { 1 };
        for number in 0..goals {
            let goal = match (shape.opposed, place, number) {
                (true, 0, 0) => first,
                (true, 1, 0) => 100 - first,
                _ => *random.pick(&GOALS),
            };
            let _ = write!(text, "(pays {state} {role} {goal}) ");
        }
    }
    text.push('\n');
}
