//! Random games of every kind: one to four roles, in turn and at once, with and without constant sum,
//! with endless play, ends with several goals or none, and roles that are stuck.

use crate::sheet::{Action, Condition, Dice, Effect, Sheet};

/// What is allowed to go wrong in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Everything at random.
    Any,
    /// Who cannot move has lost, or won; each move acts in one part.
    Sum,
    /// Parts of which one is played at a time, all at a time, or one after the other.
    Compound,
}

pub(crate) fn sheet(kind: Kind, seed: u64) -> Sheet {
    let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    (0..8).for_each(|_| _ = dice.roll(2));
    match kind {
        Kind::Any => any(dice),
        Kind::Sum => sum(dice),
        Kind::Compound => compound(dice),
    }
}

fn any(dice: &mut Dice) -> Sheet {
    let roles = dice.pick(&[1, 1, 2, 2, 2, 2, 3, 4]);
    let in_turn = roles == 1 || !dice.one_in(3);
    let parts: Vec<usize> = (0..1 + dice.roll(2)).map(|_| 2 + dice.roll(4)).collect();
    let falls = dice.one_in(3);
    let most = if in_turn { 3 } else { 2 };
    let moves = (0..roles)
        .map(|_| {
            let count = 1 + dice.roll(most);
            (0..count).map(|_| action(dice, &parts, falls)).collect()
        })
        .collect();
    let odd = dice.one_in(4);
    let drift = parts.iter().map(|&size| dice.one_in(6).then(|| effect(dice, size, true, falls)));
    let drift = drift.collect();
    let clock = dice.one_in(2).then(|| 1 + dice.roll(6));
    let mut ends = vec![Condition::Clock];
    for (part, &size) in parts.iter().enumerate() {
        if dice.one_in(2) || (clock.is_none() && part == 0) {
            ends.push(Condition::Part(part, marks(dice, size, 3)));
        }
    }
    Sheet {
        roles,
        clock,
        in_turn,
        moves,
        waits: (0..roles).map(|_| !(odd && dice.one_in(3))).collect(),
        passes: (0..roles).map(|_| !odd || dice.one_in(2)).collect(),
        drift,
        clash: roles == 2 && dice.one_in(2),
        over: Condition::Any(ends),
        goals: goals(dice, roles, &parts),
        parts,
    }
}

/// A sum of games: normal or misère play, the same moves for both or not.
fn sum(dice: &mut Dice) -> Sheet {
    let parts: Vec<usize> = (0..2 + dice.roll(2)).map(|_| 2 + dice.roll(3)).collect();
    let impartial = dice.one_in(2);
    let mut of_role = || -> Vec<Action> {
        (0..2 * parts.len())
            .map(|number| {
                let part = number % parts.len();
                let mut effect: Effect = vec![None; parts[part]];
                for (state, next) in effect.iter_mut().enumerate() {
                    if !dice.one_in(3) && state + 1 < parts[part] {
                        *next = Some(state + 1 + dice.roll(parts[part] - state - 1));
                    }
                }
                Action { acts: vec![(part, effect)], again: false }
            })
            .collect()
    };
    let first = of_role();
    let second = if impartial { first.clone() } else { of_role() };
    let (wins, loses) = dice.pick(&[(100, 0), (0, 100), (70, 30), (30, 70)]);
    let lost =
        |role: usize| vec![(loses, Condition::Control(role)), (wins, Condition::Control(1 - role))];
    Sheet {
        roles: 2,
        clock: None,
        in_turn: true,
        moves: vec![first, second],
        waits: vec![true; 2],
        passes: vec![false; 2],
        drift: vec![None; parts.len()],
        clash: false,
        over: Condition::NoMove,
        goals: vec![lost(0), lost(1)],
        parts,
    }
}

fn compound(dice: &mut Dice) -> Sheet {
    let roles = 1 + dice.roll(2);
    let parts: Vec<usize> = (0..2 + dice.roll(2)).map(|_| 2 + dice.roll(3)).collect();
    let in_turn = roles == 1 || !dice.one_in(4);
    let falls = dice.one_in(2);
    let way = dice.roll(3);
    let mut of_role = |role: usize| -> Vec<Action> {
        (0..2 * parts.len())
            .map(|number| {
                let own = number % parts.len();
                let mut acts = Vec::new();
                for (part, &size) in parts.iter().enumerate() {
                    match way {
                        0 if part == own => acts.push((part, effect(dice, size, false, falls))),
                        1 => acts.push((part, effect(dice, size, true, falls))),
                        // One after the other: the first must be in its last state.
                        2 if part == 0 && own != 0 => {
                            let mut done = vec![None; size];
                            done[size - 1] = Some(size - 1);
                            acts.push((part, done));
                        }
                        2 if part == own => acts.push((part, effect(dice, size, false, falls))),
                        _ => {}
                    }
                }
                if !in_turn && way == 0 && own % roles != role {
                    acts.clear();
                }
                Action { acts, again: false }
            })
            .collect()
    };
    let moves = (0..roles).map(&mut of_role).collect();
    let clock = (!dice.one_in(3)).then(|| 2 + dice.roll(4));
    let mut ends = vec![Condition::Clock];
    if clock.is_none() || dice.one_in(2) {
        let count = if dice.one_in(2) { 1 } else { parts.len() };
        let last = |&size: &usize| (0..size).map(|state| state + 1 == size).collect();
        let lasts: Vec<Vec<bool>> = parts.iter().map(last).collect();
        ends.extend((count..=parts.len()).map(|count| Condition::Marked(lasts.clone(), count)));
    }
    Sheet {
        roles,
        clock,
        in_turn,
        moves,
        waits: vec![true; roles],
        passes: vec![!dice.one_in(4); roles],
        drift: vec![None; parts.len()],
        clash: false,
        over: Condition::Any(ends),
        goals: goals(dice, roles, &parts),
        parts,
    }
}

fn action(dice: &mut Dice, parts: &[usize], falls: bool) -> Action {
    let mut acts = Vec::new();
    for (part, &size) in parts.iter().enumerate() {
        if dice.one_in(2) || (acts.is_empty() && part + 1 == parts.len()) {
            acts.push((part, effect(dice, size, false, falls)));
        }
    }
    Action { acts, again: dice.one_in(12) }
}

/// What a move does to a part; if states only rise, no part can come back.
fn effect(dice: &mut Dice, size: usize, total: bool, rises: bool) -> Effect {
    (0..size)
        .map(|state| {
            let legal = total || !dice.one_in(4);
            let next = if rises { state + dice.roll(size - state) } else { dice.roll(size) };
            legal.then_some(next)
        })
        .collect()
}

fn marks(dice: &mut Dice, size: usize, rare: usize) -> Vec<bool> {
    let mut marks: Vec<bool> = (0..size).map(|_| dice.one_in(rare)).collect();
    if !marks.contains(&true) {
        marks[size - 1] = true;
    }
    marks
}

fn goals(dice: &mut Dice, roles: usize, parts: &[usize]) -> Vec<Vec<(u32, Condition)>> {
    let all: [u32; 5] =
        dice.pick(&[[0, 25, 50, 75, 100], [20, 40, 60, 80, 100], [0, 0, 50, 100, 100]]);
    let mut marked =
        || -> Vec<Vec<bool>> { parts.iter().map(|&size| marks(dice, size, 2)).collect() };
    let common = marked();
    let own: Vec<Vec<Vec<bool>>> = (0..roles).map(|_| marked()).collect();
    let levels: Vec<u32> = (0..=parts.len()).map(|_| dice.pick(&all)).collect();
    let style = dice.roll(6);
    let sum = if all[0] == 0 { 100 } else { 120 };
    // One rare end that does not fit the rest.
    let rare = dice.one_in(4).then(|| dice.roll(roles));
    (0..roles)
        .map(|role| {
            let mut goals: Vec<(u32, Condition)> = Vec::new();
            for (count, &level) in levels.iter().enumerate() {
                let value = match (style, role) {
                    (0..=2, 0) => level,
                    (0..=2, 1) => sum - level,
                    _ => dice.pick(&all),
                };
                let marks = if style < 4 { common.clone() } else { own[role].clone() };
                if style == 5 && dice.one_in(3) && !goals.is_empty() {
                    continue;
                }
                goals.push((value, Condition::Marked(marks, count)));
            }
            if rare == Some(role) {
                let part = dice.roll(parts.len());
                let condition = Condition::Part(part, marks(dice, parts[part], parts[part]));
                match dice.roll(3) {
                    0 => goals[0].1 = condition,
                    1 => goals.push((dice.pick(&all), condition)),
                    _ => goals = vec![(dice.pick(&all), Condition::Always)],
                }
            }
            goals
        })
        .collect()
}
