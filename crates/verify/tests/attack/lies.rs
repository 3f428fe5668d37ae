//! Certificates of games that are not quite the game: all is consistent but for one thing that is not so. A checker
//! that left out a single check would accept them.

use gambol_verify::Sense;

use crate::random::Random;
use crate::truth::Listed;

/// Pretends something about a game.
pub(crate) fn pretend(listed: &mut Listed, sense: Sense, random: &mut Random) {
    let ends: Vec<usize> =
        (0..listed.len()).filter(|&state| listed.ends[state].is_some()).collect();
    let open: Vec<usize> =
        (0..listed.len()).filter(|&state| listed.ends[state].is_none()).collect();
    if ends.is_empty() || open.is_empty() {
        return;
    }
    let (end, state) = (*random.pick(&ends), *random.pick(&open));
    let role = random.below(listed.names.len());
    let goal = *random.pick(&[0, 25, 50, 75, 100]);
    match random.below(7) {
        // An end is worth something else, or only one of its readings counts.
        0 => set_goal(listed, end, role, |_| (goal, goal)),
        1 => set_goal(listed, end, role, |(_, best)| (best, best)),
        2 => set_goal(listed, end, role, |(worst, _)| (worst, worst)),
        // A move leads elsewhere.
        3 => redirect(listed, state, end, random),
        4 if sense != Sense::Mixed => redirect(listed, state, *random.pick(&open), random),
        // The others have no such reply.
        5 if sense != Sense::Mixed => {
            let edges = &mut listed.edges[state];
            let left_out = random.below(edges.len());
            if edges.len() > 1 {
                edges.remove(left_out);
            }
        }
        // Play ends here.
        6 => {
            listed.ends[state] = Some(vec![(goal, goal); listed.names.len()]);
            listed.edges[state].clear();
        }
        _ => {}
    }
}

fn set_goal(
    listed: &mut Listed,
    end: usize,
    role: usize,
    change: impl Fn((u32, u32)) -> (u32, u32),
) {
    if let Some(goals) = &mut listed.ends[end] {
        goals[role] = change(goals[role]);
    }
}

fn redirect(listed: &mut Listed, state: usize, to: usize, random: &mut Random) {
    let edges = &mut listed.edges[state];
    if !edges.is_empty() {
        let place = random.below(edges.len());
        edges[place].1 = to;
    }
}
