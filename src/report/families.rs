//! Facts by symmetry: sentences that differ only in the arguments of their terms are told once, with variables. Where
//! that says too little, those whose numbers keep the same distances are: `(cell X Y)`, `(cell X+1 Y)`, `(cell X+2 Y)`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::facts::Fact;

/// Facts of one form.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Family {
    /// One sentence for all of them; none if they are better read one by one.
    pub sentence: Option<Sentence>,
    /// Their places in the list.
    pub members: Vec<usize>,
}

/// A sentence with variables.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// What the variables stand for: `for X from 1 to 3, Y a or b`.
    pub range: String,
}

/// Fewer facts than these are read as they are.
const FEWEST: usize = 3;
/// A sentence must be true of at least one in so many of the choices it seems to speak of.
const MOST_CHOICES: usize = 4;
const VARIABLES: [&str; 10] = ["X", "Y", "Z", "U", "V", "W", "A", "B", "C", "D"];

/// Facts of the same form and basis together, in the order in which they come.
pub fn families(facts: &[Fact]) -> Vec<Family> {
    let cut: Vec<Vec<Piece<'_>>> = facts.iter().map(|fact| pieces(&fact.text)).collect();
    let mut places: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut families: Vec<Vec<usize>> = Vec::new();
    for (number, fact) in facts.iter().enumerate() {
        let place = *places.entry((fact.basis, form(&cut[number]))).or_insert_with(|| {
            families.push(Vec::new());
            families.len() - 1
        });
        families[place].push(number);
    }
    families.into_iter().flat_map(|members| told(&cut, members)).collect()
}

/// A family as one sentence, as a few by the distances of their numbers, or as a list.
fn told(cut: &[Vec<Piece<'_>>], members: Vec<usize>) -> Vec<Family> {
    let own = |members: &[usize]| -> Vec<&[Piece<'_>]> {
        members.iter().map(|&number| &*cut[number]).collect()
    };
    let pieces = own(&members);
    if pieces.len() < FEWEST {
        return vec![Family { sentence: None, members }];
    }
    if let Some(sentence) = sentence(&pieces, &vec![None; pieces[0].len()]) {
        return vec![Family { sentence: Some(sentence), members }];
    }
    let mut shifted: Vec<(Vec<Shift>, Vec<usize>)> = Vec::new();
    for (&number, pieces) in members.iter().zip(&pieces) {
        let shifts = shifts(pieces);
        match shifted.iter_mut().find(|(known, _)| *known == shifts) {
            Some((_, members)) => members.push(number),
            None => shifted.push((shifts, vec![number])),
        }
    }
    let (mut families, mut rest) = (Vec::new(), Vec::new());
    for (shifts, members) in shifted {
        match sentence(&own(&members), &shifts) {
            Some(sentence) => families.push(Family { sentence: Some(sentence), members }),
            None => rest.extend(members),
        }
    }
    // What is hardly shorter than the facts is no better than they are.
    if (families.len() + rest.len()) * 2 > members.len() {
        return vec![Family { sentence: None, members }];
    }
    families.extend((!rest.is_empty()).then_some(Family { sentence: None, members: rest }));
    families
}

/// How much larger a number is than the one that stands first in the same argument of the same function, and where
/// that one stands.
type Shift = Option<(usize, i64)>;

/// The shift of each piece that is no first number of its kind.
fn shifts(pieces: &[Piece<'_>]) -> Vec<Shift> {
    let mut first: BTreeMap<(&str, usize), (usize, i64)> = BTreeMap::new();
    let mut shifts = vec![None; pieces.len()];
    for (place, piece) in pieces.iter().enumerate() {
        let Some((kind, Ok(number))) = piece.kind.map(|kind| (kind, piece.text.parse::<i64>()))
        else {
            continue;
        };
        match first.get(&kind) {
            Some(&(before, from)) => {
                shifts[place] = number.checked_sub(from).map(|by| (before, by))
            }
            None => _ = first.insert(kind, (place, number)),
        }
    }
    shifts
}

/// A word, a parenthesis, or what stands between them.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    /// A word of a term that is not its first.
    argument: bool,
    /// For an argument, the function and which of its arguments.
    kind: Option<(&'a str, usize)>,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut first = false;
    let mut open: Vec<(&str, usize)> = Vec::new();
    let is_mark = |letter: char| "() ,;".contains(letter);
    let mut rest = text;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let end = match rest.find(is_mark) {
            Some(0) => 1,
            Some(end) => end,
            None => rest.len(),
        };
        let (text, behind) = rest.split_at(end);
        rest = behind;
        let word = !text.starts_with(is_mark);
        let argument = word && !open.is_empty() && !first;
        let kind = open.last().copied().filter(|_| argument);
        found.push(Piece { text, argument, kind });
        match (text, open.last_mut()) {
            ("(", function) => {
                function.into_iter().for_each(|(_, place)| *place += 1);
                open.push((text, 0));
                first = true;
            }
            (")", _) => _ = open.pop(),
            (_, Some(function)) if first && word => (*function, first) = ((text, 0), false),
            (_, Some((_, place))) if word => *place += 1,
            _ => first &= !word,
        }
    }
    found
}

/// How a sentence reads without its arguments.
fn form(pieces: &[Piece<'_>]) -> String {
    pieces.iter().map(|piece| if piece.argument { "·" } else { piece.text }).collect()
}

/// One sentence for all: what never changes stays, what is always equal has one variable, and what keeps its distance
/// from another is that one with a number added.
fn sentence(all: &[&[Piece<'_>]], shifts: &[Shift]) -> Option<Sentence> {
    let mut variables: Vec<Vec<&str>> = Vec::new();
    let mut text = String::new();
    for (place, piece) in all[0].iter().enumerate() {
        let (base, by) = shifts[place].unwrap_or((place, 0));
        let own: Vec<&str> = all.iter().map(|one| one[place].text).collect();
        if !piece.argument || own.iter().all(|value| *value == piece.text) {
            text += piece.text;
            continue;
        }
        let values: Vec<&str> = all.iter().map(|one| one[base].text).collect();
        let known = variables.iter().position(|other| *other == values);
        let variable = known.unwrap_or_else(|| {
            variables.push(values);
            variables.len() - 1
        });
        text += VARIABLES.get(variable)?;
        if by != 0 {
            text += &format!("{by:+}");
        }
    }
    let domains: Vec<Vec<&str>> = variables.iter().map(|values| domain(values)).collect();
    let choices = domains.iter().try_fold(1usize, |all, one| all.checked_mul(one.len()))?;
    if variables.is_empty() || choices > MOST_CHOICES * all.len() {
        return None;
    }
    let each = domains.iter().zip(VARIABLES).map(|(domain, name)| in_words(name, domain));
    let each = each.collect::<Vec<_>>().join(", ");
    let range = match choices == all.len() {
        true => format!("for {each}"),
        false => format!("in {} cases of {each}", all.len()),
    };
    Some(Sentence { text, range })
}

/// The values without repetition, numbers in their order.
fn domain<'a>(values: &[&'a str]) -> Vec<&'a str> {
    let key = |value: &'a str| (value.parse::<i64>().ok(), value);
    let sorted: BTreeSet<_> = values.iter().map(|&value| key(value)).collect();
    sorted.into_iter().map(|(_, value)| value).collect()
}

fn in_words(name: &str, domain: &[&str]) -> String {
    const SHOWN: usize = 5;
    let numbers: Vec<i64> = domain.iter().map_while(|value| value.parse().ok()).collect();
    let in_a_row = numbers.len() == domain.len()
        && numbers.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(1));
    match domain {
        [first, .., last] if in_a_row && domain.len() > 2 => {
            format!("{name} from {first} to {last}")
        }
        [some @ .., last] if some.len() <= SHOWN => format!("{name} {} or {last}", some.join(", ")),
        _ => format!("{name} one of {}, … ({})", domain[..SHOWN].join(", "), domain.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(texts: &[&str]) -> Vec<Fact> {
        let fact = |text: &&str| Fact {
            text: (*text).to_string(),
            why: String::new(),
            basis: "proved",
            fluents: Vec::new(),
            gates: Vec::new(),
        };
        texts.iter().map(fact).collect()
    }

    fn told(texts: &[&str]) -> Vec<(Option<String>, usize)> {
        let sentence = |one: Sentence| format!("{}, {}", one.text, one.range);
        let found = families(&facts(texts));
        found.into_iter().map(|it| (it.sentence.map(sentence), it.members.len())).collect()
    }

    #[test]
    fn facts_of_one_form_are_one_sentence() {
        let squares: Vec<String> = (1..=3)
            .flat_map(|x| {
                (1..=2).map(move |y| format!("once (cell {x} {y} b) goes, (put {x} {y}) does"))
            })
            .collect();
        let texts: Vec<&str> = squares.iter().map(String::as_str).collect();
        let sentence = "once (cell X Y b) goes, (put X Y) does, for X from 1 to 3, Y 1 or 2";
        assert_eq!(told(&texts), [(Some(sentence.to_string()), 6)]);
        let sentence =
            "once (cell X Y b) goes, (put X Y) does, in 5 cases of X from 1 to 3, Y 1 or 2";
        assert_eq!(told(&texts[1..]), [(Some(sentence.to_string()), 5)]);
    }

    #[test]
    fn what_has_little_in_common_is_listed() {
        assert_eq!(told(&["once (on a) …", "once (on b) …"]), [(None, 2)]);
        let lines = ["(c 1 1), (c 2 2)", "(c 3 5), (c 7 8)", "(c 4 6), (c 9 3)"];
        assert_eq!(told(&lines), [(None, 3)]);
        assert_eq!(told(&["a is true", "a is true", "b is true"]), [(None, 2), (None, 1)]);
    }

    #[test]
    fn lines_are_told_by_their_direction() {
        let line = |x: i64, y: i64, (across, up): (i64, i64)| {
            format!("all of (c {x} {y} r), (c {} {} r) stay", x + across, y + up)
        };
        let lines = |step: (i64, i64), xs: std::ops::RangeInclusive<i64>, ys| {
            let ys: std::ops::RangeInclusive<i64> = ys;
            xs.flat_map(move |x| ys.clone().map(move |y| line(x, y, step))).collect::<Vec<_>>()
        };
        let mut all = lines((1, 0), 1..=3, 1..=4);
        all.extend(lines((0, 1), 1..=4, 1..=3));
        all.extend(lines((1, -1), 1..=3, 2..=4));
        let texts: Vec<&str> = all.iter().map(String::as_str).collect();
        let sentences: Vec<String> =
            told(&texts).into_iter().map(|(text, _)| text.unwrap()).collect();
        assert_eq!(
            sentences,
            [
                "all of (c X Y r), (c X+1 Y r) stay, for X from 1 to 3, Y from 1 to 4",
                "all of (c X Y r), (c X Y+1 r) stay, for X from 1 to 4, Y from 1 to 3",
                "all of (c X Y r), (c X+1 Y-1 r) stay, for X from 1 to 3, Y from 2 to 4",
            ]
        );
    }

    #[test]
    fn long_domains_are_cut() {
        let names: Vec<String> = "abcdefgh".chars().map(|it| format!("once (on {it}) …")).collect();
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        let sentence = "once (on X) …, for X one of a, b, c, d, e, … (8)";
        assert_eq!(told(&texts), [(Some(sentence.to_string()), 8)]);
    }
}
