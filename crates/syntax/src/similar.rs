//! Names that look alike: what a misspelt name was meant to be.

/// How many letters must be put in, left out, changed, or exchanged with their neighbour to make one
/// word the other.
pub fn edit_distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for i in 1..=one.len() {
        let mut next = vec![i];
        for j in 1..=other.len() {
            let change = row[j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut best = change.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[other.len()]
}

/// Whether one name may be the other, misspelt. Numbers are never misspelt, and names that differ in
/// a number only are names of a series.
pub fn is_similar(one: &str, other: &str) -> bool {
    let is_number = |name: &str| !name.chars().any(char::is_alphabetic);
    if one == other || are_of_a_series(one, other) || is_number(one) || is_number(other) {
        return false;
    }
    if one.len().min(other.len()) > 1 && once(one) == once(other) {
        return true;
    }
    let letters = one.chars().count().min(other.chars().count());
    let longer = one.chars().count().max(other.chars().count());
    let tolerance = match letters {
        2 if longer == 3 && one.chars().next() == other.chars().next() => 1,
        0..=2 => 0,
        3..=4 => 1,
        5..=8 => 2,
        _ => 3,
    };
    longer - letters <= tolerance
        && edit_distance(&one.to_lowercase(), &other.to_lowercase()) <= tolerance
}

/// Whether one name looks like a slip of the other although both may be meant. Names of a kind often
/// differ in their first letter, which is seldom mistyped.
pub fn is_slip(one: &str, other: &str) -> bool {
    let (mut left, mut right) = (one.chars(), other.chars());
    let first_differs = left.next() != right.next() && left.as_str() == right.as_str();
    is_similar(one, other) && !first_differs
}

/// Whether one variable may be the other, misspelt. Short names are common, so that of those only a
/// letter written twice counts: `?yy` and `?y`.
pub fn is_similar_variable(one: &str, other: &str) -> bool {
    is_similar(one, other) || (one != other && once(one) == once(other))
}

/// The name with each run of a letter written once.
fn once(name: &str) -> String {
    let mut letters: Vec<char> = name.to_lowercase().chars().collect();
    letters.dedup();
    letters.into_iter().collect()
}

/// Whether two names differ in a number only, as `x`, `x1` and `x12` do, and `n10` and `1n0` do not.
pub fn are_of_a_series(one: &str, other: &str) -> bool {
    const NUMBER: char = '0';
    let letters =
        |name: &str| -> String { name.chars().filter(|letter| !letter.is_ascii_digit()).collect() };
    let mark = |letter: char| if letter.is_ascii_digit() { NUMBER } else { letter };
    let shape = |name: &str| {
        let mut marked: Vec<char> = name.chars().map(mark).collect();
        marked.dedup_by(|letter, before| *letter == NUMBER && *before == NUMBER);
        marked
    };
    let has_number = |name: &str| name.contains(|letter: char| letter.is_ascii_digit());
    letters(one) == letters(other)
        && (shape(one) == shape(other) || !has_number(one) || !has_number(other))
}

/// The name most like a misspelt one, if any is like it. Of those equally like it, the first.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similar = candidates.into_iter().filter(|candidate| is_similar(name, candidate));
    similar.min_by_key(|candidate| edit_distance(name, candidate))
}

/// Of names that are used as little as this one is known, the only one that is a single slip away, however
/// short the two are: `in` for `win`.
pub fn counterpart<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const SHORTEST: usize = 2;
    let fits = |other: &&str| {
        let short = name.len().min(other.len());
        let longer = name.len().max(other.len()) > SHORTEST;
        short >= SHORTEST
            && longer
            && !are_of_a_series(name, other)
            && edit_distance(name, other) == 1
    };
    let mut fitting = candidates.into_iter().filter(fits);
    fitting.next().filter(|_| fitting.next().is_none())
}

/// The only name that a name which means nothing may be short for, or that is short for it.
pub fn abbreviation<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    const SHORTEST: usize = 3;
    let is_short_for = |short: &str, long: &str| short.len() >= SHORTEST && long.starts_with(short);
    let fits = |other: &&str| is_short_for(name, other) || is_short_for(other, name);
    let mut fitting = candidates.into_iter().filter(fits);
    fitting.next().filter(|_| fitting.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_letters() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("tictactoe", "tic-tac-toe"), 2);
        assert_eq!(edit_distance("nim", "nim"), 0);
        assert_eq!(edit_distance("pwan", "pawn"), 1);
        assert_eq!(edit_distance("stpe", "step"), 1);
    }

    #[test]
    fn slips_are_similar_and_series_are_not() {
        for (one, other) in [
            ("whit", "white"),
            ("hmoe", "home"),
            ("Cell", "cell"),
            ("nxt", "next"),
            ("onn", "on"),
            ("rw", "row"),
            ("1n0", "n10"),
        ] {
            assert!(is_similar(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("x1", "x2"),
            ("side", "side1"),
            ("12", "13"),
            ("x", "o"),
            ("left", "right"),
            ("a", "aa"),
        ] {
            assert!(!is_similar(one, other), "{one} {other}");
        }
        assert!(!is_similar("p16", "p116"), "both are of the series p1, p2");
        assert_eq!(counterpart("in", ["win", "lose"]), Some("win"));
        assert_eq!(counterpart("bat", ["cat", "rat"]), None);
        assert_eq!(closest("contrl", ["cell", "control", "contra"]), Some("control"));
    }
}
