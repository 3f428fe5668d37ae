//! Step limits (chapter 11.3): while one part is played, another may end the game.
//!
//! Games are played in which every role moves in one part only, as far as it can. The first step at
//! which the game then ends for a reason that has nothing to do with this part is its limit.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net, State};

use crate::decomposition::Subgame;
use crate::evaluate::lanes::{LANES, Lanes, Trial, cone, holds};
use crate::goals::termination::{Ending, endings};
use crate::sample::outcome::{Situation, situations};
use gambol_run::Random;

/// Games that are played for each part.
const GAMES: usize = 32;
/// Steps after which a game is given up.
const LONGEST: u32 = 200;
/// What may be read of gates.
const EFFORT: u64 = 60_000_000;

/// The limit of each part that is played, if there is one.
pub(crate) fn safe_limits(
    lanes: &mut Lanes<'_>,
    acts_on: &IndexVec<MoveId, Vec<u32>>,
    subgames: &[Subgame],
    seed: u64,
) -> Vec<Option<u32>> {
    let net = lanes.net();
    let ways: Vec<(Ending, Vec<usize>)> = endings(net)
        .into_iter()
        .map(|ending| {
            let parts = parts_read(net, &ending, subgames);
            (ending, parts)
        })
        .collect();
    let foreign = |part: usize| -> Vec<&Ending> {
        let others = ways.iter().filter(|(_, read)| !read.is_empty() && !read.contains(&part));
        others.map(|(ending, _)| ending).collect()
    };
    let played = (0..subgames.len()).filter(|&part| subgames[part].action_dependent);
    let mut contests: Vec<Contest<'_>> = played
        .map(|part| Contest::new(net, part, foreign(part), seed))
        .filter(|contest| !contest.foreign.is_empty())
        .collect();
    let until = lanes.effort() + EFFORT;
    for together in contests.chunks_mut(LANES / GAMES) {
        play(lanes, acts_on, together, until);
    }
    let mut limits = vec![None; subgames.len()];
    contests.iter().for_each(|contest| limits[contest.part] = contest.limit);
    limits
}

fn parts_read(net: &Net, ending: &Ending, subgames: &[Subgame]) -> Vec<usize> {
    let read = cone(net, [ending.gate]);
    let looks_at = |fluent: &FluentId| read[net.fluent_gate(*fluent).index()];
    let parts = subgames.iter().enumerate();
    parts.filter(|(_, one)| one.fluents.iter().any(looks_at)).map(|(part, _)| part).collect()
}

/// Games in which only one part is played, and the first step at which something else ended one.
struct Contest<'a> {
    part: usize,
    foreign: Vec<&'a Ending>,
    random: Random,
    states: Vec<State>,
    limit: Option<u32>,
}

impl<'a> Contest<'a> {
    fn new(net: &Net, part: usize, foreign: Vec<&'a Ending>, seed: u64) -> Self {
        let states = vec![State::initial(net); GAMES];
        Self { part, foreign, random: Random::new(seed), states, limit: None }
    }

    /// A move of each role: in this part if it has one, otherwise one that acts nowhere, or any.
    fn moves(
        &mut self,
        acts_on: &IndexVec<MoveId, Vec<u32>>,
        situation: &Situation,
    ) -> Vec<MoveId> {
        let mut of_role = |legal: &Vec<MoveId>| {
            let here = |action: &&MoveId| acts_on[**action].contains(&(self.part as u32));
            let nowhere = |action: &&MoveId| acts_on[**action].is_empty();
            let mut fit: Vec<MoveId> = legal.iter().filter(here).copied().collect();
            if fit.is_empty() {
                fit = legal.iter().filter(nowhere).copied().collect();
            }
            let fit = if fit.is_empty() { legal } else { &fit };
            fit[self.random.below(fit.len())]
        };
        situation.legal.iter().map(&mut of_role).collect()
    }
}

/// Plays the games of some parts, all at once, until they are over or their limits are known.
fn play(
    lanes: &mut Lanes<'_>,
    acts_on: &IndexVec<MoveId, Vec<u32>>,
    contests: &mut [Contest<'_>],
    until: u64,
) {
    for step in 0..LONGEST {
        let (mut owners, mut states) = (Vec::new(), Vec::new());
        for (owner, contest) in contests.iter_mut().enumerate() {
            owners.extend(std::iter::repeat_n(owner, contest.states.len()));
            states.append(&mut contest.states);
        }
        if states.is_empty() || lanes.effort() > until {
            return;
        }
        let now = situations(lanes, states);
        // The lanes still hold these states.
        for (lane, &owner) in owners.iter().enumerate().filter(|&(lane, _)| now[lane].terminal) {
            let ended = |end: &&Ending| holds(lanes.value(end.gate), lane) == end.value;
            if contests[owner].foreign.iter().any(ended) {
                contests[owner].limit = Some(step);
            }
        }
        let goes_on =
            |&(one, owner): &(&Situation, usize)| one.goes_on() && contests[owner].limit.is_none();
        let going: Vec<(&Situation, usize)> = now.iter().zip(owners).filter(goes_on).collect();
        let mut trials = Vec::with_capacity(going.len());
        for &(one, owner) in &going {
            let moves = contests[owner].moves(acts_on, one);
            trials.push(Trial { state: &one.state, moves });
        }
        for (state, &(_, owner)) in lanes.successors(&trials).into_iter().zip(&going) {
            contests[owner].states.push(state);
        }
    }
}
