//! Invariants made to measure: clauses that rule out the states in which a proof fails.
//!
//! If a claim cannot be proved, the solver shows a state that satisfies the invariants and breaks
//! it. Often that state is unreachable, and a few of its literals already are: a *cube* that no
//! state of the sample has and that no step brings about from outside it. Its negation is a new
//! invariant. If some state leads into the cube, that state is ruled out first. This is the
//! generalisation step of property-directed reachability (Bradley 2011), with the sample in the
//! place of its frames.

use gambol_net::{Net, State};
use rustsat::types::Lit;

use crate::Literal;
use crate::encode::{Encoding, NOW, THEN};
use crate::literal::Clause;
use crate::sample::Sample;
use crate::solver::Answer;
use gambol_run::Deadline;

/// Something to be proved.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// No reachable state has all of these.
    Never(Vec<Literal>),
    /// No step from a reachable state loses this.
    Keeps(Literal),
}

/// Decisions per question.
const EFFORT: u64 = 3_000;
/// States that are ruled out for one target.
const ATTEMPTS: usize = 48;
/// Targets in a row that are missed before the search ends: the others are likely out of reach too.
const PATIENCE: usize = 8;
/// How far back to follow states that lead to a cube.
const MOST_DEPTH: usize = 12;

/// Clauses that hold in all reachable states and help with the targets.
pub(crate) fn strengthen<'a>(
    net: &'a Net,
    sample: &Sample,
    encoding: &mut Encoding<'a>,
    targets: &[Target],
    deadline: &Deadline,
) -> Vec<Clause> {
    encoding.solver.set_deadline(deadline);
    encoding.observe(THEN);
    let mut search = Search { net, sample, encoding, found: Vec::new() };
    let mut missed = 0;
    for target in targets {
        if deadline.is_over() || missed == PATIENCE {
            break;
        }
        missed = if search.aim_at(target) { 0 } else { missed + 1 };
    }
    search.found
}

struct Search<'s, 'a> {
    net: &'a Net,
    sample: &'s Sample,
    /// One step, with the invariants and all that was found.
    encoding: &'s mut Encoding<'a>,
    found: Vec<Clause>,
}

impl Search<'_, '_> {
    /// Whether the target was hit.
    fn aim_at(&mut self, target: &Target) -> bool {
        let mut attempts = ATTEMPTS;
        match target {
            Target::Never(cube) => self.rule_out(cube.clone(), &mut attempts),
            &Target::Keeps(literal) => {
                while let Some(state) = self.state_that_loses(literal) {
                    let cube = self.cube_of(&state);
                    if !self.rule_out(cube, &mut attempts) {
                        return false;
                    }
                }
                true
            }
        }
    }

    /// A state that satisfies the invariants and from which a step loses the literal.
    fn state_that_loses(&mut self, literal: Literal) -> Option<State> {
        let has = self.encoding.literal(NOW, literal);
        let lost = self.encoding.literal(THEN, literal.negated());
        match self.encoding.solve(&[has, lost], EFFORT) {
            Answer::Model => Some(self.encoding.state_in_model(NOW)),
            Answer::NoModel | Answer::Unknown => None,
        }
    }

    fn cube_of(&self, state: &State) -> Vec<Literal> {
        let fluents = self.net.fluents.ids();
        fluents.map(|fluent| Literal { fluent, holds: state.holds(fluent) }).collect()
    }

    /// Proves that a cube is unreachable, and what leads to it before that; whether it succeeded.
    fn rule_out(&mut self, cube: Vec<Literal>, attempts: &mut usize) -> bool {
        let mut open = vec![cube];
        while let Some(cube) = open.last() {
            if *attempts == 0 || open.len() > MOST_DEPTH || self.is_met(cube) {
                return false;
            }
            *attempts -= 1;
            let cube = cube.clone();
            match self.enter(&cube) {
                Entrance::None(core) => {
                    let widened = self.widened(cube, core);
                    self.add(widened);
                    open.pop();
                }
                Entrance::From(state) => open.push(self.cube_of(&state)),
                Entrance::Unknown => return false,
            }
        }
        true
    }

    fn is_met(&self, cube: &[Literal]) -> bool {
        self.sample.now.first_with(cube).is_some()
    }

    /// Whether a step leads into the cube from outside it.
    fn enter(&mut self, cube: &[Literal]) -> Entrance {
        let chosen = self.encoding.solver.fresh();
        let mut outside: Vec<Lit> =
            cube.iter().map(|&literal| !self.encoding.literal(NOW, literal)).collect();
        outside.push(!chosen);
        self.encoding.solver.add(&outside);
        let inside: Vec<Lit> =
            cube.iter().map(|&literal| self.encoding.literal(THEN, literal)).collect();
        let assumptions = [&[chosen], inside.as_slice()].concat();
        let entrance = match self.encoding.solve(&assumptions, EFFORT) {
            Answer::Model => Entrance::From(self.encoding.state_in_model(NOW)),
            Answer::Unknown => Entrance::Unknown,
            Answer::NoModel => Entrance::None(self.encoding.solver.in_core(&inside)),
        };
        self.encoding.solver.add(&[!chosen]);
        entrance
    }

    /// A larger cube, of fewer literals, that still nothing enters.
    fn widened(&mut self, cube: Vec<Literal>, needed: Vec<bool>) -> Vec<Literal> {
        let mut kept = cube.clone();
        let mut flags = needed.into_iter();
        kept.retain(|_| flags.next().expect("one flag per literal"));
        // The core speaks of cubes that are left out whole; ask again about the part.
        if self.is_met(&kept) || !self.is_closed(&kept) {
            kept = cube;
        }
        for literal in kept.clone() {
            let mut fewer = kept.clone();
            fewer.retain(|&other| other != literal);
            if !fewer.is_empty() && !self.is_met(&fewer) && self.is_closed(&fewer) {
                kept = fewer;
            }
        }
        kept
    }

    fn is_closed(&mut self, cube: &[Literal]) -> bool {
        !cube.is_empty() && matches!(self.enter(cube), Entrance::None(_))
    }

    /// The start is in the sample and so outside the cube; no step enters it: it is unreachable.
    fn add(&mut self, cube: Vec<Literal>) {
        let mut clause: Clause = cube.into_iter().map(Literal::negated).collect();
        clause.sort_unstable();
        for frame in [NOW, THEN] {
            self.encoding.assume(frame, std::slice::from_ref(&clause));
        }
        self.found.push(clause);
    }
}

/// How a cube can be entered.
enum Entrance {
    /// Not at all; which literals of the cube the proof uses.
    None(Vec<bool>),
    /// From this state.
    From(State),
    Unknown,
}
