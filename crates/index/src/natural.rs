//! The order in which people list names: `(moves 2)` before `(moves 10)`.

use std::cmp::Ordering;

/// Compares two names piece by piece: runs of digits as numbers, all else letter by letter.
///
/// ```
/// use gambol_index::natural_order;
/// let mut names = ["(step 10)", "(step 9)", "(cell 1 2)", "(step 010)"];
/// names.sort_by(|one, other| natural_order(one, other));
/// assert_eq!(names, ["(cell 1 2)", "(step 9)", "(step 010)", "(step 10)"]);
/// ```
pub fn natural_order(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let (Some(a), Some(b)) = (left.chars().next(), right.chars().next()) else {
            // What is equal piece by piece may still be spelt differently.
            return left.len().cmp(&right.len()).then_with(|| one.cmp(other));
        };
        let order = if a.is_ascii_digit() && b.is_ascii_digit() {
            let (number, rest) = split_number(left);
            let (second, after) = split_number(right);
            (left, right) = (rest, after);
            number.len().cmp(&second.len()).then_with(|| number.cmp(second))
        } else {
            (left, right) = (&left[a.len_utf8()..], &right[b.len_utf8()..]);
            a.cmp(&b)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The digits at the beginning, without leading zeros, and what follows them.
fn split_number(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (text[..end].trim_start_matches('0'), &text[end..])
}
