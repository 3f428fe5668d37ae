//! Regret matching: how several roles that choose at the same time mix their moves.
//!
//! Every role keeps for each of its moves the sum of what it would have got more by making it (the regret), and draws
//! its moves in proportion to the positive regrets (Hart and Mas-Colell 2000; sums never below nothing: Tammelin 2014;
//! in search trees: Lanctot, Lisý and Winands 2014). Where two roles are opposed the mean of their mixtures approaches
//! an equilibrium. The best move by its mean does not: in rock-paper-scissors it is always beaten by another.

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};
use gambol_run::mixed;
use smallvec::SmallVec;

use crate::mcts::selection::Step;
use crate::mcts::together::Mixture;
use crate::mcts::tree::{Arm, Chooser, NodeId};
use crate::mcts::tree_search::TreeSearch;

/// Moves that are less likely than the likeliest by this factor are not drawn when it counts: they are what is left of
/// the first guesses.
const SELDOM: f64 = 0.15;

/// The probabilities of the moves of a role.
pub(crate) type Probabilities = SmallVec<[f64; 32]>;

impl TreeSearch<'_> {
    /// Whether the roles that choose in a node mix their moves.
    pub(crate) fn mixes(&self, node: NodeId) -> bool {
        let several = self.tree.node(node).chooser == Chooser::Several;
        several && self.options.regret.is_some() && self.consulted.is_none()
    }

    /// The place of a move that is drawn by the regrets; now and then any move.
    pub(crate) fn draw_by_regret(&mut self, node: NodeId, role: RoleId) -> usize {
        let span = self.tree.span(node, role);
        // Later mixtures count more: the first ones were guesses.
        let weight = 1.0 + self.tree.node(node).visits as f32;
        let mixtures = self.tree.together.mixtures_mut(span);
        let mut probabilities = by_regret(mixtures);
        for (mixture, &probability) in mixtures.iter_mut().zip(&probabilities) {
            mixture.drawn += weight * probability as f32;
        }
        let (any, equal) = (self.options.regret.unwrap_or(0.0), 1.0 / probabilities.len() as f64);
        for probability in &mut probabilities {
            *probability += any * (equal - *probability);
        }
        self.draws += 1;
        place_of(&probabilities, mixed(self.options.seed, self.draws))
    }

    /// What the moves made at the same time in a node have brought, and what others would have brought.
    pub(crate) fn take_up_together(&mut self, steps: &[Step], goals: &[f64]) {
        let Some(&Step { node, .. }) = steps.first() else { return };
        let scaled = |(&goal, &best): (&f64, &u32)| (goal / f64::from(best.max(1))) as f32;
        let shares: SmallVec<[f32; 4]> =
            goals.iter().zip(self.best_goals.iter()).map(scaled).collect();
        let (mut number, mut places) = (0u64, SmallVec::<[(usize, u64); 4]>::new());
        for role in self.tree.roles() {
            let span = self.tree.span(node, role);
            let made = steps.iter().find(|step| step.role == role);
            let place = made.map_or(0, |step| step.arm - span.start);
            number = number.wrapping_mul(span.len() as u64).wrapping_add(place as u64);
            places.iter_mut().for_each(|(_, stride)| {
                *stride = stride.wrapping_mul(span.len() as u64);
            });
            places.push((place, 1));
        }
        self.tree.together.note(node, number, &shares);
        let chance = self.chance;
        for step in steps.iter().filter(|step| chance != Some(step.role)) {
            let (place, stride) = places[step.role.index()];
            let first = number.wrapping_sub(stride.wrapping_mul(place as u64));
            self.regret(node, step.role, shares[step.role.index()], first, stride);
        }
    }

    /// Adds to a role's regrets. The joint move of its move `p`, the others' as they were, is `first + p * stride`; if
    /// it was never made, the move counts as it did with other answers.
    fn regret(&mut self, node: NodeId, role: RoleId, got: f32, first: u64, stride: u64) {
        let span = self.tree.span(node, role);
        let scale = 1.0 / f64::from(self.best_goals[role].max(1));
        for (place, arm) in span.enumerate() {
            let number = first.wrapping_add(stride.wrapping_mul(place as u64));
            let together = self.tree.together.mean(node, number, role.index());
            let alone = || self.tree.arm(arm).mean().map(|mean| (mean * scale) as f32);
            if let Some(worth) = together.or_else(alone) {
                let mixture = &mut self.tree.together.mixtures_mut(arm..arm + 1)[0];
                mixture.regret = (mixture.regret + worth - got).max(0.0);
            }
        }
    }

    /// How a role that does not choose alone should mix its moves, as far as is known; `None` if it chooses alone.
    pub(crate) fn mixture(&self, node: NodeId, role: RoleId) -> Option<Probabilities> {
        if !self.mixes(node) || self.chance == Some(role) {
            return None;
        }
        let drawn = self.tree.together.mixtures(self.tree.span(node, role));
        let arms = self.tree.arms(node, role);
        let sure = |arm: &Arm| arm.certain() == Some(self.best_goals[role]);
        let drawn: Probabilities = match arms.iter().any(sure) {
            true => arms.iter().map(|arm| f64::from(u8::from(sure(arm)))).collect(),
            false => drawn.iter().map(|mixture| f64::from(mixture.drawn)).collect(),
        };
        let most = drawn.iter().copied().fold(0.0, f64::max);
        let kept = drawn.iter().map(|&one| if one < SELDOM * most { 0.0 } else { one });
        Some(normal(kept.collect()))
    }

    /// The move that a role makes: the best, or one of several that it mixes, as a number that looks random has it.
    pub(crate) fn chosen(&self, role: RoleId, draw: u64) -> Option<MoveId> {
        match self.mixture(self.root, role) {
            Some(mixture) if mixture.len() > 1 => {
                Some(self.tree.arms(self.root, role)[place_of(&mixture, draw)].action)
            }
            _ => self.best(role),
        }
    }
}

/// Probabilities in proportion to the regrets; all the same if there is nothing to regret.
fn by_regret(mixtures: &[Mixture]) -> Probabilities {
    normal(mixtures.iter().map(|mixture| f64::from(mixture.regret)).collect())
}

fn normal(mut weights: Probabilities) -> Probabilities {
    let (sum, equal) = (weights.iter().sum::<f64>(), 1.0 / weights.len().max(1) as f64);
    weights.iter_mut().for_each(|weight| *weight = if sum > 0.0 { *weight / sum } else { equal });
    weights
}

/// The place that a pseudo-random number selects.
fn place_of(probabilities: &[f64], draw: u64) -> usize {
    let mut left = (draw >> 11) as f64 / (1u64 << 53) as f64;
    let mut last = 0;
    for (place, &probability) in probabilities.iter().enumerate() {
        if probability > 0.0 {
            last = place;
        }
        if left < probability {
            return place;
        }
        left -= probability;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcts::tree_search::SearchOptions;
    use gambol_net::Net;
    use gambol_sim::Circuit;

    /// A game of one joint move: what the row gets of 100, for each of its moves and the column's.
    fn matrix_game(payoffs: &[&[u32]]) -> Net {
        let mut rules = String::from("(role row) (role column) (init open)");
        for (row, line) in payoffs.iter().enumerate() {
            rules += &format!("(<= (legal row {row}) (true open))");
            for (column, goal) in line.iter().enumerate() {
                let over = format!("(true (made {row} {column}))");
                rules += &format!(
                    "(<= (next (made {row} {column})) (does row {row}) (does column {column}))"
                );
                rules += &format!("(<= terminal {over}) (<= (goal row {goal}) {over})");
                rules += &format!("(<= (goal column {}) {over})", 100 - goal);
            }
        }
        for column in 0..payoffs[0].len() {
            rules += &format!("(<= (legal column {column}) (true open))");
        }
        let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules;
        let ground = gambol_ground::instantiate(&rules.expect("rules"), &Default::default());
        gambol_net::simplify(&gambol_net::build(&ground.expect("small")).expect("a net"))
    }

    fn check_mixture(payoffs: &[&[u32]], row: &[f64], column: &[f64]) {
        let net = matrix_game(payoffs);
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        for seed in 1..4 {
            let options = SearchOptions { seed, ..SearchOptions::default() };
            let mut search = TreeSearch::new(&net, &circuit, options);
            search.search_rounds(1_000);
            for (role, expected) in [(RoleId::new(0), row), (RoleId::new(1), column)] {
                let mixture = search.mixture(search.root, role).expect("both choose");
                let close =
                    mixture.iter().zip(expected).all(|(one, other)| (one - other).abs() < 0.05);
                assert!(close, "{mixture:?} is not {expected:?}");
            }
        }
    }

    #[test]
    fn rock_paper_scissors_is_mixed_evenly() {
        let even = [1.0 / 3.0; 3];
        check_mixture(&[&[50, 0, 100], &[100, 50, 0], &[0, 100, 50]], &even, &even);
    }

    #[test]
    fn if_rock_wins_twice_as_much_paper_is_played_twice_as_often() {
        let payoffs: [&[u32]; 3] = [&[50, 25, 100], &[75, 50, 25], &[0, 75, 50]];
        check_mixture(&payoffs, &[0.25, 0.5, 0.25], &[0.25, 0.5, 0.25]);
    }

    #[test]
    fn uneven_pennies_are_mixed_unevenly() {
        check_mixture(&[&[100, 0], &[0, 50]], &[1.0 / 3.0, 2.0 / 3.0], &[1.0 / 3.0, 2.0 / 3.0]);
    }

    #[test]
    fn a_move_that_is_never_better_is_not_drawn() {
        check_mixture(&[&[60, 40], &[30, 20]], &[1.0, 0.0], &[0.0, 1.0]);
    }

    #[test]
    fn a_move_that_wins_whatever_the_other_does_is_proved() {
        let net = matrix_game(&[&[0, 100], &[100, 100], &[50, 0]]);
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
        search.search_rounds(50);
        assert_eq!(search.report(RoleId::new(0)).proved, Some(100));
        assert_eq!(
            search.chosen(RoleId::new(0), 7),
            Some(search.tree.arms(search.root, RoleId::new(0))[1].action)
        );
    }

    #[test]
    fn moves_are_drawn_as_they_are_mixed() {
        let mut drawn = [0u32; 3];
        for draw in 0..10_000 {
            drawn[place_of(&[0.25, 0.0, 0.75], mixed(3, draw))] += 1;
        }
        assert!((2_300..2_700).contains(&drawn[0]) && drawn[1] == 0, "{drawn:?}");
    }
}
