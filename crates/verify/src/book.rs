//! A book of values: what each role can secure from every state on. One entry is checked by the rules and by what the
//! book says of the states that follow.
//!
//! A book of which every entry passes, and whose play always ends, is right. A sample of entries is a test.

use gambol_reference::{Interpreter, ReferenceError};

use crate::{Fraction, HIGHEST_GOAL};

/// What a role can secure, from the worst reading of unclear ends to the best.
type Range = [Fraction; 2];

/// Why an entry is not borne out.
#[derive(Debug, thiserror::Error)]
pub enum WrongEntry {
    /// The rules cannot be followed there.
    #[error("the rules cannot be followed: {0}")]
    Rules(#[from] ReferenceError),
    /// A state that follows is not in the book.
    #[error("after {0} comes a state that is not listed")]
    Missing(String),
    /// The value is another one.
    #[error("{role} is said to get {said}; what follows gives {found}")]
    Value {
        /// For whom.
        role: String,
        /// What the book says.
        said: String,
        /// What the rules and the next entries say.
        found: String,
    },
    /// The numbers have too many digits to be compared.
    #[error("the fractions have too many digits")]
    Digits,
    /// The book cannot be read.
    #[error("{0}")]
    Book(String),
}

/// What a book says of a state, given by its fluents in any order; nothing if it is not listed.
pub type Lookup<'a> = dyn FnMut(&[String]) -> Result<Option<Vec<Range>>, String> + 'a;

/// Checks what a book says of a state: in an end the goals, elsewhere the most or the least of what follows, the
/// average over the moves of the role `random`, and where several roles choose at once bounds of the matrix game.
pub fn check_entry(
    game: &mut Interpreter,
    state: &str,
    said: &[Range],
    lookup: &mut Lookup<'_>,
) -> Result<(), WrongEntry> {
    let state = game.state_from_text(state)?;
    let roles: Vec<String> = game.roles().iter().map(|&role| game.text(role)).collect();
    if game.terminal(&state)? {
        let goals = game.goals(&state)?;
        for (role, goals) in goals.iter().enumerate() {
            let mut goals: Vec<u32> = goals.iter().filter_map(|&goal| game.number(goal)).collect();
            if goals.is_empty() {
                goals = vec![0, HIGHEST_GOAL];
            }
            let [least, most] = [goals.iter().min(), goals.iter().max()]
                .map(|goal| Fraction::from(goal.copied().unwrap_or(0)));
            compare(&roles[role], said.get(role), [[least; 2], [most; 2]])?;
        }
        return Ok(());
    }
    let legal = game.legal(&state)?;
    let counts: Vec<usize> = legal.iter().map(Vec::len).collect();
    let joint_moves: usize = counts.iter().product();
    let mut after: Vec<Vec<Range>> = Vec::with_capacity(joint_moves);
    for number in 0..joint_moves {
        let joint: Vec<_> =
            moves(number, &counts).iter().zip(&legal).map(|(&one, all)| all[one]).collect();
        let next = game.next(&state, &joint)?;
        let names = game.sorted_texts(next.fluents());
        let values = lookup(&names).map_err(WrongEntry::Book)?;
        let played =
            || joint.iter().map(|&action| game.text(action)).collect::<Vec<_>>().join(", ");
        after.push(values.ok_or_else(|| WrongEntry::Missing(played()))?);
    }
    let chance = roles.iter().position(|role| role == CHANCE);
    for (role, name) in roles.iter().enumerate() {
        let of_reading = |reading: usize| {
            let entries: Vec<Fraction> = after.iter().map(|values| values[role][reading]).collect();
            pure_bounds(&entries, &counts, role, chance)
        };
        let found = match joint_moves {
            // Somebody has no move: nobody is sure of anything.
            0 => [[Fraction::ZERO; 2]; 2],
            _ => [of_reading(0)?, of_reading(1)?],
        };
        compare(name, said.get(role), found)?;
    }
    Ok(())
}

/// The role that moves at random, as in the language.
const CHANCE: &str = "random";

/// The moves of a joint move by its number, the last role's changing fastest.
fn moves(mut number: usize, counts: &[usize]) -> Vec<usize> {
    let mut moves = vec![0; counts.len()];
    for (one, &count) in moves.iter_mut().zip(counts).rev() {
        (*one, number) = (number % count, number / count);
    }
    moves
}

/// What a role gets at least and at most, by pure strategies and on average over chance.
fn pure_bounds(
    entries: &[Fraction],
    counts: &[usize],
    role: usize,
    chance: Option<usize>,
) -> Result<[Fraction; 2], WrongEntry> {
    if chance == Some(role) {
        return Ok([Fraction::ZERO; 2]);
    }
    // Rows are the role's own moves, columns those of the others; a cell is an average over chance.
    let exact = average_bounds(entries, counts, role, chance);
    match exact {
        Err(WrongEntry::Digits) => {
            let parts = |entry: &Fraction| Fraction::new(entry.parts(FINE)?.0, 1 << FINE);
            let entries: Option<Vec<Fraction>> = entries.iter().map(parts).collect();
            average_bounds(&entries.ok_or(WrongEntry::Digits)?, counts, role, chance)
        }
        exact => exact,
    }
}

/// Where fractions have too many digits they are cut after so many binary places.
const FINE: u32 = 50;

fn average_bounds(
    entries: &[Fraction],
    counts: &[usize],
    role: usize,
    chance: Option<usize>,
) -> Result<[Fraction; 2], WrongEntry> {
    let throws = chance.map_or(1, |chance| counts[chance]);
    let share = Fraction::new(1, throws as i128).ok_or(WrongEntry::Digits)?;
    let columns: usize = counts.iter().product::<usize>() / counts[role] / throws;
    let mut cells = vec![Fraction::ZERO; counts[role] * columns];
    for (number, &entry) in entries.iter().enumerate() {
        let moves = moves(number, counts);
        let mut column = 0;
        for other in (0..counts.len()).filter(|&other| other != role && Some(other) != chance) {
            column = column * counts[other] + moves[other];
        }
        let cell = &mut cells[moves[role] * columns + column];
        let part = entry.times(share).ok_or(WrongEntry::Digits)?;
        *cell = cell.plus(part).ok_or(WrongEntry::Digits)?;
    }
    let row = |row: usize| cells[row * columns..(row + 1) * columns].iter().copied();
    let column = |column: usize| cells[column..].iter().step_by(columns).copied();
    let least = (0..counts[role]).filter_map(|number| row(number).min()).max();
    let most = (0..columns).filter_map(|number| column(number).max()).min();
    least.zip(most).map(|(least, most)| [least, most]).ok_or(WrongEntry::Digits)
}

/// Exact values are met up to this, since what follows may be rounded; bounds that do not touch up to the other number.
const ROUNDED: f64 = 1e-9;
const BOUNDED: f64 = 1e-6;

/// Both readings must lie within what was found.
fn compare(role: &str, said: Option<&Range>, found: [[Fraction; 2]; 2]) -> Result<(), WrongEntry> {
    let within = |said: Fraction, [least, most]: [Fraction; 2], slack: f64| {
        let near = |bound: Fraction| (said.as_f64() - bound.as_f64()).abs() < slack;
        (least <= said && said <= most) || near(least) || near(most)
    };
    let fits = |said: &Range| {
        let slack = if said[0] == said[1] { ROUNDED } else { BOUNDED };
        (0..2).all(|one| within(said[one], found[one], slack))
    };
    if role == CHANCE || said.is_some_and(fits) {
        return Ok(());
    }
    let words = |[least, most]: [Fraction; 2]| match least == most {
        true => least.to_string(),
        false => format!("{least} to {most}"),
    };
    let found = [words(found[0]), words(found[1])];
    let found = if found[0] == found[1] { found[0].clone() } else { found.join(" or ") };
    let said = said.map_or("nothing".to_string(), |said| words(*said));
    Err(WrongEntry::Value { role: role.to_string(), said, found })
}

#[cfg(test)]
mod tests {
    use gambol_syntax::{ReadOptions, read};

    use super::*;

    /// A coin is thrown; whoever called may double or stop.
    const RULES: &[u8] = b"(role me) (role random) (init start)
        (<= (legal me wait) (true start)) (<= (legal random ?c) (true start) (face ?c))
        (face heads) (face tails)
        (<= (next (shown ?c)) (does random ?c))
        (<= terminal (true (shown ?c)))
        (<= (goal me 100) (true (shown heads))) (<= (goal me 0) (true (shown tails)))";

    fn check(state: &str, said: u32, heads: u32) -> Result<(), WrongEntry> {
        let rules = read(RULES, &ReadOptions::default()).rules.expect("this parses");
        let mut game = Interpreter::new(&rules).expect("a game");
        let whole = |value: u32| vec![[Fraction::from(value); 2], [Fraction::ZERO; 2]];
        check_entry(&mut game, state, &whole(said), &mut |state| {
            Ok(match state.join(" ").as_str() {
                "(shown heads)" => Some(whole(heads)),
                "(shown tails)" => Some(whole(0)),
                _ => None,
            })
        })
    }

    #[test]
    fn ends_are_worth_their_goals_and_chance_is_taken_on_average() {
        assert!(check("(shown heads)", 100, 100).is_ok());
        assert!(check("(shown heads)", 50, 100).is_err());
        assert!(check("start", 50, 100).is_ok());
        let wrong = check("start", 50, 90).expect_err("45").to_string();
        assert_eq!(wrong, "me is said to get 50; what follows gives 45");
    }
}
