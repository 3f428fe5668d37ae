//! Refutation of independent scores by play: four ends of the game that are the corners of a
//! [`crate::prove::score_square`], followed once more on the net before anything is concluded. The two parts
//! are joined.

use gambol_analysis::Budget;
use gambol_net::{NetEngine, State};

use crate::decomposition::{Decomposition, Line, Repair, Requirement};
use crate::evaluate::lanes::Lanes;
use crate::goals::score_form::highest;
use crate::prove::refutation::{Clock, EFFORT, Judge, MOST_GATES, Refutation, chosen};
use crate::prove::score_square::{Corners, SIDES, Square, WINS};
use crate::sample::outcome::Situation;

/// Steps to ends of the game, from the initial state and from others.
const STEPS: usize = 24;
const STEPS_ON: usize = 6;
/// As far as this, lines from the initial state are to be preferred.
const NEAR: usize = 8;

/// Looks for play that shows that the scores do not split.
pub(crate) fn refute_scores(
    lanes: &mut Lanes<'_>,
    found: &Decomposition,
    states: &[&State],
    budget: &Budget,
) -> Option<Refutation> {
    // Parts of a series are apart although the later ones count for what the earlier ones left.
    if !found.crossing_points.is_empty() {
        return None;
    }
    let net = lanes.net();
    let initial = State::initial(net);
    let starts = chosen(states).flat_map(|state| (1..=STEPS_ON).map(move |steps| (steps, state)));
    let mut plan: Vec<(usize, &State)> =
        (1..=STEPS).map(|steps| (steps, &initial)).chain(starts).collect();
    // From the initial state, if that is not far.
    let is_initial = |start: &State| std::ptr::eq(start, &initial);
    plan.sort_by_key(|&(steps, start)| (steps > NEAR, !is_initial(start), steps));
    plan.retain(|(steps, _)| 4 * steps * net.gate_count() <= MOST_GATES);
    let clock = Clock::start(budget);
    plan.into_iter().find_map(|(steps, start)| {
        let corners = Square::new(net, found, start, steps, EFFORT, &clock.left()?).find()?;
        Judge { net, found, start, lanes }.corners(corners)
    })
}

impl Judge<'_, '_, '_> {
    /// Four ends that are what they should be.
    fn corners(&mut self, corners: Corners) -> Option<Refutation> {
        let Corners { role, parts, lines } = corners;
        let ends = lines.iter().map(|line| self.arrive(line));
        let ends: Vec<Situation> = ends.collect::<Option<_>>()?;
        let states: Vec<State> = ends.iter().map(|end| end.state.clone()).collect();
        let gate = highest(self.net, role)?;
        let mut engine = NetEngine::new(self.net);
        let wins = states
            .iter()
            .zip(WINS)
            .all(|(state, wins)| engine.marking(state, &[]).holds(gate) == wins);
        let alike = SIDES.iter().all(|&([one, other], differs)| {
            let part = &self.found.subgames[parts[differs]].fluents;
            let mut others = self.net.fluents.ids().filter(|f| part.binary_search(f).is_err());
            others.all(|f| states[one].holds(f) == states[other].holds(f))
        });
        if !wins || !alike || !ends.iter().all(|end| end.terminal) {
            return None;
        }
        let lines = lines.into_iter().zip(&states);
        let lines = lines.map(|(moves, end)| Line { moves, state: end.fluents() }).collect();
        let joined = parts.map(|id| self.found.subgames[id].fluents.clone()).to_vec();
        let repair = Repair {
            requirement: Requirement::Scores,
            joined,
            moves: Vec::new(),
            fluent: None,
            role: Some(role),
            start: self.start.fluents(),
            lines,
        };
        Some(Refutation { tied: parts.to_vec(), homeless: Vec::new(), moves: Vec::new(), repair })
    }
}
