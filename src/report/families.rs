//! Facts by symmetry: sentences that differ only in the arguments of their terms are told once, with variables.

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
    let family = |members: Vec<usize>| {
        let own: Vec<&[Piece<'_>]> = members.iter().map(|&number| &*cut[number]).collect();
        let sentence = if own.len() < FEWEST { None } else { sentence(&own) };
        Family { sentence, members }
    };
    families.into_iter().map(family).collect()
}

/// A word, a parenthesis, or what stands between them.
#[derive(Clone, Copy)]
struct Piece<'a> {
    text: &'a str,
    /// A word of a term that is not its first.
    argument: bool,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let (mut depth, mut first) = (0usize, false);
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
        found.push(Piece { text, argument: word && depth > 0 && !first });
        match text {
            "(" => (depth, first) = (depth + 1, true),
            ")" => depth = depth.saturating_sub(1),
            _ => first &= !word,
        }
    }
    found
}

/// How a sentence reads without its arguments.
fn form(pieces: &[Piece<'_>]) -> String {
    pieces.iter().map(|piece| if piece.argument { "·" } else { piece.text }).collect()
}

/// One sentence for all: what never changes stays, what is always equal has one variable.
fn sentence(all: &[&[Piece<'_>]]) -> Option<Sentence> {
    let mut variables: Vec<Vec<&str>> = Vec::new();
    let mut text = String::new();
    for (place, piece) in all[0].iter().enumerate() {
        let values: Vec<&str> = all.iter().map(|one| one[place].text).collect();
        if !piece.argument || values.iter().all(|value| *value == piece.text) {
            text += piece.text;
            continue;
        }
        let known = variables.iter().position(|other| *other == values);
        let variable = known.unwrap_or_else(|| {
            variables.push(values);
            variables.len() - 1
        });
        text += VARIABLES.get(variable)?;
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
    fn long_domains_are_cut() {
        let names: Vec<String> = "abcdefgh".chars().map(|it| format!("once (on {it}) …")).collect();
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        let sentence = "once (on X) …, for X one of a, b, c, d, e, … (8)";
        assert_eq!(told(&texts), [(Some(sentence.to_string()), 8)]);
    }
}
