//! Canonical forms as they are usually written: numbers, nimbers, ups and downs, switches, or options.

use crate::canonical_form::{FormId, Forms, TooLarge};
use crate::players::{LEFT, RIGHT};
use crate::thermograph::Thermograph;

/// Longer forms are not written out, nor those with more moves.
const LONGEST: usize = 40;
const MOST_MOVES: u32 = 8;

/// A form in the usual notation; one that is large by the moves that can be made in it, what it is worth
/// on average, and what a move in it is.
pub fn notation(forms: &mut Forms, form: FormId) -> Result<String, TooLarge> {
    let birthday = forms.get(form).birthday;
    let written = match forms.get(form).number {
        Some(number) => Some(number.to_string()),
        None if birthday <= MOST_MOVES => written(forms, form)?,
        None => None,
    };
    let short = written.filter(|text| text.chars().count() <= LONGEST);
    Ok(short.unwrap_or_else(|| {
        let Thermograph { mean, temperature, .. } = &forms.get(form).thermograph;
        format!("a game (birthday {birthday}, mean {mean}, temperature {temperature})")
    }))
}

/// None if it is too long.
fn written(forms: &mut Forms, form: FormId) -> Result<Option<String>, TooLarge> {
    if let Some(name) = named(forms, form) {
        return Ok(Some(name));
    }
    let Some(left) = listed(forms, form, LEFT)? else { return Ok(None) };
    if forms.negative(form)? == form {
        let several = forms.get(form).options[LEFT].len() > 1;
        return Ok(Some(if several { format!("±({left})") } else { format!("±{left}") }));
    }
    let right = listed(forms, form, RIGHT)?;
    Ok(right.map(|right| format!("{{{left} | {right}}}")).filter(|text| text.len() <= 4 * LONGEST))
}

fn listed(forms: &mut Forms, form: FormId, player: usize) -> Result<Option<String>, TooLarge> {
    let mut texts = Vec::new();
    for option in forms.get(form).options[player].clone() {
        match written(forms, option)? {
            Some(text) => texts.push(text),
            None => return Ok(None),
        }
    }
    Ok(Some(texts.join(", ")))
}

fn named(forms: &Forms, form: FormId) -> Option<String> {
    let game = forms.get(form);
    let number = |form: FormId| forms.get(form).number;
    match (game.number, &*game.options[LEFT], &*game.options[RIGHT]) {
        (Some(number), _, _) => Some(number.to_string()),
        (None, &[left], &[right]) => match (number(left), number(right)) {
            (Some(left), Some(right)) if left == right => Some(starred(left.to_string())),
            (Some(left), None) if left == Default::default() => {
                is_star(forms, right).then(|| "↑".to_string())
            }
            (None, Some(right)) if right == Default::default() => {
                is_star(forms, left).then(|| "↓".to_string())
            }
            _ => None,
        },
        (None, left, right) if left == right => nimber(forms, form).map(|heap| format!("*{heap}")),
        _ => None,
    }
}

fn starred(number: String) -> String {
    if number == "0" { "*".to_string() } else { format!("{number}*") }
}

fn is_star(forms: &Forms, form: FormId) -> bool {
    nimber(forms, form) == Some(1)
}

/// The heap a form is, if both players can move to all smaller ones.
fn nimber(forms: &Forms, form: FormId) -> Option<usize> {
    let [left, right] = &forms.get(form).options;
    let mut heaps: Vec<usize> =
        left.iter().map(|&option| nimber(forms, option)).collect::<Option<_>>()?;
    heaps.sort_unstable();
    (left == right && heaps.iter().copied().eq(0..heaps.len())).then_some(heaps.len())
}
