//! Safe play (chapter 11.3): while one part is played, another may end the game.
//!
//! Games are played in which every role moves in one part only, as far as it can. The first step at
//! which the game then ends for a reason that has nothing to do with this part is its limit.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net};

use crate::decomposition::Subgame;
use crate::lanes::{Lanes, cone, holds};
use crate::outcome::{Situation, Trial, situations};
use crate::random::Random;
use crate::state::State;
use crate::termination::{Ending, endings};

/// Games that are played for each part.
const GAMES: usize = 64;
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
    let until = lanes.effort() + EFFORT;
    let mut limit = |part: usize| {
        let foreign: Vec<&Ending> = ways
            .iter()
            .filter(|(_, read)| !read.is_empty() && !read.contains(&part))
            .map(|(ending, _)| ending)
            .collect();
        if foreign.is_empty() || !subgames[part].action_dependent {
            return None;
        }
        let mut play = Play { acts_on, part: part as u32, random: Random::new(seed) };
        play.first_end(lanes, &foreign, until)
    };
    (0..subgames.len()).map(&mut limit).collect()
}

fn parts_read(net: &Net, ending: &Ending, subgames: &[Subgame]) -> Vec<usize> {
    let read = cone(net, [ending.gate]);
    let looks_at = |fluent: &FluentId| read[net.fluent_gate(*fluent).index()];
    let parts = subgames.iter().enumerate();
    parts.filter(|(_, one)| one.fluents.iter().any(looks_at)).map(|(part, _)| part).collect()
}

/// Games in which only one part is played.
struct Play<'a> {
    acts_on: &'a IndexVec<MoveId, Vec<u32>>,
    part: u32,
    random: Random,
}

impl Play<'_> {
    /// The first step at which one of the endings is met.
    fn first_end(&mut self, lanes: &mut Lanes<'_>, foreign: &[&Ending], until: u64) -> Option<u32> {
        let mut states = vec![State::initial(lanes.net()); GAMES];
        for step in 0..LONGEST {
            let now = situations(lanes, states);
            // The lanes still hold these states.
            let ended = |lane: usize| {
                foreign.iter().any(|end| holds(lanes.value(end.gate), lane) == end.value)
            };
            if (0..now.len()).any(|lane| now[lane].terminal && ended(lane)) {
                return Some(step);
            }
            let going: Vec<Situation> = now.into_iter().filter(Situation::goes_on).collect();
            if going.is_empty() || lanes.effort() > until {
                return None;
            }
            let moves: Vec<Vec<MoveId>> = going.iter().map(|one| self.moves(one)).collect();
            let trials = going.iter().zip(moves);
            let trials: Vec<Trial<'_>> =
                trials.map(|(one, moves)| Trial { state: &one.state, moves }).collect();
            states = lanes.successors(&trials);
        }
        None
    }

    /// A move of each role: in this part if it has one, otherwise one that acts nowhere, or any.
    fn moves(&mut self, situation: &Situation) -> Vec<MoveId> {
        let mut of_role = |legal: &Vec<MoveId>| {
            let here = |action: &&MoveId| self.acts_on[**action].contains(&self.part);
            let nowhere = |action: &&MoveId| self.acts_on[**action].is_empty();
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
