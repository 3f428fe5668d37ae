//! Biased choice, in all lanes at once: with a stated probability only preferred moves are chosen among.
//!
//! Where a role has a preferred legal move, a lane is held to its preferred moves with probability `eighths / 8`,
//! drawn for each step and role; the choice is uniform among what is left. So a move that is not preferred has
//! probability `(1 - p) / N` where `k > 0` of `N` legal moves are preferred, and a preferred one that and `p / k`.

use crate::engine::batch::Batch;
use crate::engine::random::Random;
use crate::engine::word::Word;

/// Which moves are preferred in random games, and how often.
#[derive(Clone, Debug)]
pub struct Bias<'a> {
    /// Whether each move is preferred.
    pub preferred: &'a [bool],
    /// The probability with which a role keeps to preferred moves, in eighths.
    pub eighths: u8,
}

/// The moves of one choice, by slot.
#[derive(Clone, Debug, Default)]
struct Preference {
    preferred: Vec<u32>,
    others: Vec<u32>,
}

/// A bias for each choice of each phase.
#[derive(Clone, Debug)]
pub(crate) struct Preferences {
    eighths: u8,
    of_phase: Vec<Vec<Preference>>,
}

impl Preferences {
    pub(crate) fn of(batch: &Batch, bias: &Bias<'_>) -> Self {
        let base = batch.layout.moves as usize;
        let of_phase = batch.phases.iter().map(|phase| {
            let of_choice = |slots: &std::ops::Range<usize>| {
                let mut preference = Preference::default();
                for slot in slots.clone() {
                    let action = phase.moves[slot - base] as usize;
                    match bias.preferred.get(action) {
                        Some(true) => preference.preferred.push(slot as u32),
                        _ => preference.others.push(slot as u32),
                    }
                }
                preference
            };
            phase.choices.iter().map(of_choice).collect()
        });
        Self { eighths: bias.eighths.min(8), of_phase: of_phase.collect() }
    }

    /// Takes the other moves away where a lane is to keep to the preferred ones.
    #[inline(always)]
    pub(crate) fn apply<W: Word>(
        &self,
        phase: usize,
        choice: usize,
        slots: &mut [W],
        running: W,
        random: &mut Random<W>,
    ) {
        let Preference { preferred, others } = &self.of_phase[phase][choice];
        if preferred.is_empty() || others.is_empty() {
            return;
        }
        let mut any = W::zero();
        for &slot in preferred {
            any = any.or(slots[slot as usize]);
        }
        let held = any.and(running).and(in_eighths(self.eighths, random));
        for &slot in others {
            slots[slot as usize] = slots[slot as usize].and_not(held);
        }
    }
}

/// Lanes that are set with a probability in eighths: where a number of three random bits is less.
#[inline(always)]
fn in_eighths<W: Word>(eighths: u8, random: &mut Random<W>) -> W {
    if eighths >= 8 {
        return W::ones();
    }
    let mut less = W::zero();
    for bit in 0..3 {
        let zero = W::ones().and_not(random.word());
        less = if eighths >> bit & 1 == 1 { less.or(zero) } else { less.and(zero) };
    }
    less
}

#[cfg(test)]
mod tests {
    use gambol_net::{NetBuilder, RoleId};

    use super::*;
    use crate::{Circuit, CompileOptions, Rollouts, Start};

    /// One move of so many, then the game is over; each move has a goal of its own.
    fn lottery(moves: u32) -> Circuit {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let start = net.fluent("start");
        net.initial(start);
        let made: Vec<_> = (0..moves).map(|n| net.fluent(&format!("made {n}"))).collect();
        let actions: Vec<_> = (0..moves).map(|n| net.action(player, &format!("{n}"))).collect();
        let begun = net.truth(start);
        for (&action, &made) in actions.iter().zip(&made) {
            net.legal(action, begun);
            let does = net.does(action);
            net.next(made, does);
        }
        let over = net.not(begun);
        net.terminal(over);
        for (value, &made) in (0..).zip(&made) {
            let made = net.truth(made);
            net.goal(player, value, made);
        }
        Circuit::compile(&net.finish().expect("a net"), &CompileOptions::default())
            .expect("a circuit")
    }

    /// How often each of some moves is made: one game at a time tells by its goal which it was.
    fn counts(moves: u32, bias: Option<&Bias<'_>>, games: usize) -> Vec<u32> {
        let circuit = lottery(moves);
        let mut rollouts = Rollouts::new(&circuit, 11, 10);
        rollouts.prefer(bias);
        let state = circuit.initial();
        let starts = vec![Start { state: &state, playouts: 1 }; games];
        let mut counts = vec![0; moves as usize];
        for returns in rollouts.run(&starts) {
            counts[returns.goals[RoleId::new(0)] as usize] += 1;
        }
        counts
    }

    /// Chi-square against the stated distribution, as a number of standard deviations.
    fn deviation(moves: u32, preferred: &[bool], eighths: u8) -> f64 {
        let games = 40_000;
        let counts = counts(moves, Some(&Bias { preferred, eighths }), games);
        let liked = preferred.iter().filter(|&&liked| liked).count() as f64;
        let held = if liked > 0.0 { f64::from(eighths) / 8.0 } else { 0.0 };
        let (mut chi_square, mut freedom) = (0.0, -1.0);
        for (&count, &liked_one) in counts.iter().zip(preferred) {
            let own = if liked_one { held / liked } else { 0.0 };
            let expected = games as f64 * ((1.0 - held) / f64::from(moves) + own);
            if expected == 0.0 {
                assert_eq!(count, 0);
                continue;
            }
            chi_square += (f64::from(count) - expected).powi(2) / expected;
            freedom += 1.0;
        }
        // Where only one move is left there is nothing to deviate.
        (chi_square - freedom) / (2.0f64 * freedom).max(1.0).sqrt()
    }

    #[test]
    fn moves_are_made_as_often_as_is_stated() {
        for moves in [3, 9, 20, 70] {
            for eighths in [0, 1, 3, 6, 8] {
                let some: Vec<bool> = (0..moves).map(|place| place % 3 == 1).collect();
                for preferred in [some, vec![false; moves as usize], vec![true; moves as usize]] {
                    let deviation = deviation(moves, &preferred, eighths);
                    assert!(
                        deviation < 4.5,
                        "{moves} moves, {eighths} eighths: {deviation} standard deviations"
                    );
                }
            }
        }
    }

    #[test]
    fn no_bias_is_no_preference() {
        let none = Bias { preferred: &[true, false, false], eighths: 0 };
        assert_eq!(counts(3, None, 500).iter().sum::<u32>(), 500);
        assert!(counts(3, Some(&none), 3_000).iter().all(|&count| (850..1150).contains(&count)));
    }
}
