//! Meta-actions: the moves of a role, grouped by what they do in a part.
//!
//! Moves are alike if they change the part in the same way in every state of a sample, legal or not.
//! Those that were never seen to make a difference to the part are idle there, unless they are like
//! moves that were: such a move is only possible where playouts seldom come.

use gambol_index::IndexVec;
use gambol_net::{MoveId, Net, State};
use rustc_hash::FxHashMap;

use crate::decomposition::MetaAction;
use crate::evaluate::lanes::{Lanes, Trial};
use crate::sample::outcome::{PartOf, change_of, outcomes, situations};
use gambol_run::Random;

/// Gates times states times moves that are evaluated.
const EVALUATIONS: usize = 600_000_000;

/// For each move, what it does to each part in the sampled states.
pub(crate) struct Signatures {
    of_move: IndexVec<MoveId, FxHashMap<u32, Vec<(u32, u64)>>>,
}

impl Signatures {
    /// Tries every move in some of the states, the other roles playing at random.
    pub(crate) fn of(
        lanes: &mut Lanes<'_>,
        states: &[&State],
        part_of: &PartOf,
        seed: u64,
    ) -> Self {
        let net = lanes.net();
        let mut random = Random::new(seed);
        let per_state = net.moves.len().max(1).saturating_mul(net.gate_count());
        let count = (EVALUATIONS / per_state).clamp(1, 96).min(states.len());
        let chosen = (0..count).map(|_| states[random.below(states.len())].clone()).collect();
        let mut of_move = IndexVec::filled(FxHashMap::default(), net.moves.len());
        for (number, situation) in situations(lanes, chosen).into_iter().enumerate() {
            if !situation.goes_on() {
                continue;
            }
            let fixed = situation.random_moves(&mut random);
            let trials: Vec<Trial<'_>> = net
                .moves
                .ids()
                .map(|action| {
                    let mut moves = fixed.clone();
                    moves[net.moves[action].role.number() as usize] = action;
                    Trial { state: &situation.state, moves }
                })
                .collect();
            let leaving = lanes.leaving(&trials);
            let found = outcomes(lanes, &trials, part_of);
            let inside = net.moves.ids().zip(&found).zip(leaving).filter(|(_, leaving)| !leaving);
            for ((action, outcome), _) in inside {
                for &(part, _) in outcome {
                    let of_part: &mut Vec<(u32, u64)> =
                        FxHashMap::entry(&mut of_move[action], part).or_default();
                    of_part.push((number as u32, change_of(outcome, part)));
                }
            }
        }
        Self { of_move }
    }

    fn of_part(&self, action: MoveId, part: u32) -> &[(u32, u64)] {
        self.of_move[action].get(&part).map(Vec::as_slice).unwrap_or_default()
    }
}

/// The meta-actions of a part. `acts` says whether a move was seen to act in it.
pub(crate) fn meta_actions(
    net: &Net,
    part: u32,
    acts: &dyn Fn(MoveId) -> bool,
    signatures: &Signatures,
) -> Vec<MetaAction> {
    let mut found = Vec::new();
    for role in net.roles.ids() {
        let mut idle = Vec::new();
        let mut classes: FxHashMap<&[(u32, u64)], Vec<MoveId>> = FxHashMap::default();
        let moves = || net.moves_of(role).map(MoveId::new);
        for action in moves().filter(|&action| acts(action)) {
            classes.entry(signatures.of_part(action, part)).or_default().push(action);
        }
        for action in moves().filter(|&action| !acts(action)) {
            let signature = signatures.of_part(action, part);
            match classes.get_mut(signature).filter(|_| !signature.is_empty()) {
                Some(class) => class.push(action),
                None => idle.push(action),
            }
        }
        let mut classes: Vec<Vec<MoveId>> = classes.into_values().collect();
        classes.iter_mut().for_each(|class| class.sort_unstable());
        classes.sort_unstable();
        found.extend(classes.into_iter().map(|moves| MetaAction { role, moves, idle: false }));
        if !idle.is_empty() {
            found.push(MetaAction { role, moves: idle, idle: true });
        }
    }
    found
}
