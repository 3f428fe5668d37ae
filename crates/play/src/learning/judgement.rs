//! What makes the search stronger in a game: evaluations and biased playouts play for their place.
//!
//! A search guided by a candidate and one without play short games against each other, each opening twice
//! with sides swapped. That asks the question itself: an evaluation can predict well what comes of the games
//! it was learnt from and mislead a search all the same, and random games that keep to moves that did well won
//! 9 of 10 games of pentago and 1 of 8 of nineBoardTicTacToe at 20 ms.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::{MoveId, Net, RoleId};
use gambol_sim::{Circuit, Evaluator, State};

use crate::evaluation::{Evaluation, Guidance};
use crate::learning::Lesson;
use crate::mcts::tree_search::{SearchOptions, TreeSearch};
use gambol_run::mixed;

/// Time for a move.
const MOVE: Duration = Duration::from_millis(4);
/// Pairs of games that are played at most.
const MOST_PAIRS: u64 = 12;
/// Games begin with at most this many random steps.
const OPENING: u64 = 6;
const LONGEST_GAME: usize = 200;
/// A deficit that is hardly made up for: the next candidate needs the time more.
const HOPELESS: f64 = -4.0;
/// The least lead that is enough, however few games there was time for. With 3 points and one standard deviation
/// reversi got an evaluation, and nineBoardTicTacToe a bias, that lost 6 and 5 of 8 games at 50 ms.
const ENOUGH: f64 = 5.0;
/// The least lead in standard deviations.
const DEVIATIONS: f64 = 2.0;
/// Shares of random games beside an evaluation that are tried.
const SHARES: [f32; 2] = [0.0, 0.5];
/// The bias of random games that is tried, in eighths.
const BIAS: u8 = 4;

/// The first candidate that convinces against the search without any of them; no guidance if none does.
pub(crate) fn judged(
    net: &Net,
    circuit: &Circuit,
    learnt: Option<&Evaluation>,
    lesson: &Lesson<'_>,
) -> Guidance {
    let evaluated = |share: f32| learnt.map(|learnt| Arc::new(learnt.with_playouts(share)));
    let evaluations = SHARES.into_iter().filter_map(evaluated);
    let mut candidates: Vec<Guidance> =
        evaluations.map(|one| Guidance { evaluation: Some(one), bias: 0 }).collect();
    candidates.push(Guidance { evaluation: None, bias: BIAS });
    let deadline = Instant::now() + lesson.time;
    for (place, candidate) in candidates.iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        // The first is the likeliest, and too few games convince nobody.
        let until = Instant::now() + if place + 1 < candidates.len() { left / 2 } else { left };
        let mut contest = Contest::new(net, circuit, candidate, lesson.seed);
        let score = contest.score(until, lesson.stop);
        if score.is_convincing() {
            return candidate.clone();
        }
    }
    Guidance::default()
}

/// What came of some games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Score {
    /// Games won less games lost.
    lead: f64,
    games: f64,
}

impl Score {
    /// Whether chance alone would seldom bring as much.
    fn is_convincing(self) -> bool {
        self.lead >= ENOUGH.max(DEVIATIONS * self.games.sqrt())
    }
}

/// Games of a search with a candidate against one without.
struct Contest<'a> {
    with: TreeSearch<'a>,
    without: TreeSearch<'a>,
    evaluator: Evaluator<'a>,
    start: State,
    seed: u64,
    draws: u64,
}

impl<'a> Contest<'a> {
    fn new(net: &Net, circuit: &'a Circuit, candidate: &Guidance, seed: u64) -> Self {
        let search = || TreeSearch::new(net, circuit, SearchOptions::default());
        let (mut with, without) = (search(), search());
        with.use_guidance(candidate);
        let (evaluator, start) = (Evaluator::new(circuit), circuit.initial());
        Self { with, without, evaluator, start, seed, draws: 0 }
    }

    /// Plays until there is a clear lead or no time.
    fn score(&mut self, deadline: Instant, stop: &AtomicBool) -> Score {
        let mut score = Score::default();
        for _ in 0..MOST_PAIRS {
            let opening = self.opening();
            for role in [RoleId::new(0), RoleId::new(1)] {
                let Some(points) = self.game(&opening, role, deadline, stop) else { return score };
                score.lead += points;
                score.games += 1.0;
            }
            if score.is_convincing() || score.lead <= HOPELESS {
                break;
            }
        }
        score
    }

    /// Some random steps from the start.
    fn opening(&mut self) -> State {
        let steps = self.draw(OPENING + 1);
        let mut state = self.start.clone();
        for _ in 0..steps {
            let legal = self.evaluator.legal(&state);
            let Some(joint) = self.random_moves(&legal) else { break };
            let next = self.evaluator.next(&state, &joint);
            if self.evaluator.terminal(&next) {
                break;
            }
            state = next;
        }
        state
    }

    fn draw(&mut self, bound: u64) -> u64 {
        self.draws += 1;
        mixed(self.seed, self.draws) % bound.max(1)
    }

    fn random_moves(&mut self, legal: &[MoveId]) -> Option<Vec<MoveId>> {
        let by_role = |role: RoleId| -> Vec<MoveId> {
            legal.iter().copied().filter(|&one| self.with.role_of(one) == role).collect()
        };
        let all = [by_role(RoleId::new(0)), by_role(RoleId::new(1))];
        all.iter().map(|own| own.get(self.draw(own.len() as u64) as usize).copied()).collect()
    }

    /// One game, in which the search with the candidate plays a role: 1 if it gets more, -1 if it gets less;
    /// `None` if there is no time left.
    fn game(
        &mut self,
        opening: &State,
        role: RoleId,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Option<f64> {
        for search in [&mut self.with, &mut self.without] {
            search.go_to(opening.clone());
            search.begin_anew();
        }
        let other = RoleId::from_index(1 - role.index());
        for _ in 0..LONGEST_GAME {
            if self.with.is_over() {
                let goals = self.evaluator.goals(self.with.state());
                let goal = |role: RoleId| goals[role].unwrap_or(0);
                return Some(f64::from(goal(role).cmp(&goal(other)) as i8));
            }
            let mut joint = [MoveId::new(0); 2];
            let draw = self.draw(u64::MAX);
            for (search, role) in [(&mut self.with, role), (&mut self.without, other)] {
                if search.legal(role).len() > 1 {
                    search.search((Instant::now() + MOVE).min(deadline), stop);
                }
                joint[role.index()] = search.chosen(role, mixed(draw, u64::from(role.number())))?;
            }
            if Instant::now() >= deadline || stop.load(Ordering::Relaxed) {
                return None;
            }
            self.with.advance(&joint);
            self.without.advance(&joint);
        }
        // A game that takes so long is drawn.
        Some(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_counts_if_chance_seldom_brings_it() {
        let convincing = |lead: f64, games: f64| Score { lead, games }.is_convincing();
        assert!(convincing(5.0, 5.0) && convincing(7.0, 9.0) && convincing(10.0, 24.0));
        assert!(!convincing(4.0, 4.0) && !convincing(8.0, 24.0) && !convincing(-6.0, 8.0));
    }

    /// The weights of a race turned upside down must not be used.
    #[test]
    fn an_evaluation_that_misleads_is_refused() {
        let rules = include_str!("../../../../games/breakthrough-5x5/rules.kif");
        let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules;
        let ground = gambol_ground::instantiate(&rules.expect("rules"), &Default::default());
        let net = gambol_net::simplify(&gambol_net::build(&ground.expect("small")).expect("a net"));
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let mut wrong = Evaluation::nothing(net.fluents.len(), 2);
        wrong.constant_sum = true;
        for (place, name) in net.fluents.iter().enumerate() {
            let weight = match name.to_string() {
                name if name.ends_with("white)") => -1.0,
                name if name.ends_with("black)") => 1.0,
                _ => 0.0,
            };
            wrong.weights[2 * place..][..2].copy_from_slice(&[weight, -weight]);
        }
        let stop = AtomicBool::new(false);
        let lesson = Lesson { time: Duration::from_secs(3), games: 0, stop: &stop, seed: 1 };
        assert_eq!(judged(&net, &circuit, Some(&wrong), &lesson).evaluation, None);
    }
}
