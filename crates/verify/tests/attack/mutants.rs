//! Thousands of mutants of valid certificates of every kind. A mutant may be accepted only if what the checker then
//! says is true, by a judge that looks at all states.

use std::time::{Duration, Instant};

use gambol_reference::{Budget, Interpreter};
use gambol_verify::{Accepted, Certificate, Refusal, Sense, VerifyOptions, verify};
use serde_json::{Value, json};

use crate::games::{Shape, generated, interpreter};
use crate::lies::pretend;
use crate::random::{Random, cases};
use crate::truth::Listed;
use crate::write::{certificate, certificate_of, seal};

const SENSES: [Sense; 4] = [Sense::Forced, Sense::Secured, Sense::Mixed, Sense::Equilibrium];
const PATIENCE: Duration = Duration::from_secs(20);

fn shapes() -> Vec<Shape> {
    let plain = Shape::PLAIN;
    vec![
        plain,
        Shape { roles: 1, ..plain },
        Shape { roles: 1, endless: true, unclear: true, ..plain },
        Shape { roles: 3, ..plain },
        Shape { opposed: true, ..plain },
        Shape { opposed: true, at_once: true, ..plain },
        Shape { at_once: true, ..plain },
        Shape { endless: true, opposed: true, ..plain },
        Shape { endless: true, stuck: true, ..plain },
        Shape { unclear: true, ..plain },
        Shape { roles: 3, endless: true, stuck: true, unclear: true, at_once: true, ..plain },
    ]
}

fn has(shape: Shape, sense: Sense) -> bool {
    let ends_clearly = !shape.endless && !shape.stuck && !shape.unclear;
    match sense {
        Sense::Forced => shape.roles < 3,
        Sense::Secured => true,
        Sense::Mixed => ends_clearly && shape.roles == 2,
        Sense::Equilibrium => ends_clearly && !shape.at_once,
    }
}

fn check(game: &Interpreter, certificate: &Certificate) -> Result<Accepted, Refusal> {
    let (mut game, begun) = (game.clone(), Instant::now());
    game.set_budget(Budget { deadline: Some(begun + PATIENCE), ..Budget::default() });
    let answer = verify(&game, certificate, VerifyOptions::default());
    assert!(begun.elapsed() < PATIENCE, "a certificate is checked in no time, or refused");
    answer
}

/// Fails if what is accepted is not true.
fn judge(game: &Interpreter, rules: &str, text: &str, accepted: &Accepted) {
    let listed = Listed::from(game, Some(&accepted.state));
    assert!(listed.bears_out(accepted), "accepted, and false: {accepted:?}\n{text}\n{rules}");
}

struct Sample {
    rules: String,
    game: Interpreter,
    certificates: Vec<Certificate>,
}

fn sample(shape: Shape, random: &mut Random) -> Sample {
    let rules = generated(shape, random);
    let game = interpreter(&rules);
    let listed = Listed::from(&game, None);
    let later = random.below(listed.len());
    let states = [None, Some(listed.texts[later].clone())];
    let mut certificates = Vec::new();
    for state in &states {
        for sense in SENSES.into_iter().filter(|&sense| has(shape, sense)) {
            certificates.extend(certificate(&game, state.as_deref(), sense));
        }
    }
    Sample { rules, game, certificates }
}

#[test]
fn no_mutant_that_is_false_is_accepted() {
    let mut random = Random(20);
    let mut counts = std::collections::BTreeMap::new();
    let (mut mutants, mut accepted, wanted) = (0, 0, cases(12_000));
    while mutants < wanted {
        for shape in shapes() {
            let sample = sample(shape, &mut random);
            for valid in &sample.certificates {
                let answer = check(&sample.game, valid);
                let answer = answer
                    .unwrap_or_else(|refusal| panic!("{refusal}\n{valid:?}\n{}", sample.rules));
                judge(&sample.game, &sample.rules, "", &answer);
                *counts.entry(answer.values[0].sense.word()).or_insert(0) += 1;
                for _ in 0..12 {
                    mutants += 1;
                    accepted += usize::from(attack(&sample, valid, &mut random));
                }
            }
        }
    }
    for sense in SENSES {
        assert!(counts.get(sense.word()).is_some_and(|&count| count > 5), "{counts:?}");
    }
    // Some mutants are valid still: an entry that no play reaches, a higher rank, a value that is not used.
    assert!(accepted * 3 < mutants, "{accepted} of {mutants}");
}

#[test]
fn no_certificate_of_almost_the_same_game_is_accepted() {
    let mut random = Random(21);
    let (mut lies, mut accepted, wanted) = (0, 0, cases(12_000));
    while lies < wanted {
        for shape in shapes() {
            let rules = generated(shape, &mut random);
            let game = interpreter(&rules);
            let truth = Listed::from(&game, None);
            for sense in SENSES.into_iter().filter(|&sense| has(shape, sense)).cycle().take(12) {
                let mut listed = truth.clone();
                for _ in 0..1 + random.below(2) {
                    pretend(&mut listed, sense, &mut random);
                }
                let Some(lie) = certificate_of(&listed, false, sense) else { continue };
                lies += 1;
                if let Ok(answer) = check(&game, &lie) {
                    accepted += 1;
                    assert!(
                        truth.bears_out(&answer),
                        "accepted, and false: {answer:?}\n{lie:?}\n{rules}"
                    );
                }
            }
        }
    }
    // What is pretended often does not matter; then the certificate is right.
    assert!(accepted * 3 < lies * 2, "{accepted} of {lies}");
}

/// Whether the mutant was accepted, rightly.
fn attack(sample: &Sample, valid: &Certificate, random: &mut Random) -> bool {
    let mut json = serde_json::to_value(valid).expect("it can be written");
    let donor = random.pick(&sample.certificates);
    let donor = serde_json::to_value(donor).expect("it can be written");
    for _ in 0..1 + random.below(3) {
        mutate(&mut json, &donor, random);
    }
    let text = json.to_string();
    let Ok(mutant) = serde_json::from_str::<Certificate>(&text) else { return false };
    let mutant = seal(mutant);
    match check(&sample.game, &mutant) {
        Ok(accepted) => {
            judge(&sample.game, &sample.rules, &text, &accepted);
            true
        }
        Err(_) => false,
    }
}

/// Changes one place of a document, or all that say the same.
fn mutate(json: &mut Value, donor: &Value, random: &mut Random) {
    let (own, other) = (pointers(json), pointers(donor));
    let pointer = random.pick(&own).clone();
    let from = random.pick(&own).clone();
    let copied = json.pointer(&from).cloned();
    let borrowed = donor.pointer(random.pick(&other[..]).as_str()).cloned();
    let same_place = donor.pointer(&pointer).cloned();
    let Some(place) = json.pointer_mut(&pointer) else { return };
    match random.below(9) {
        0 => remove(json, &pointer),
        1 => repeat(place, random),
        2 => swap(place, random),
        3 => *place = copied.unwrap_or_default(),
        4 => *place = borrowed.unwrap_or_default(),
        5 => *place = same_place.unwrap_or_default(),
        6 | 7 => *place = altered(place, random),
        _ => {
            let (old, new) = (place.clone(), altered(place, random));
            replace_everywhere(json, &old, &new);
        }
    }
}

/// All places of a document.
fn pointers(json: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), json)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                open.extend(items.map(|(place, item)| (format!("{pointer}/{place}"), item)));
            }
            Value::Object(items) => {
                open.extend(items.iter().map(|(key, item)| (format!("{pointer}/{key}"), item)));
            }
            _ => {}
        }
        found.push(pointer);
    }
    found
}

fn remove(json: &mut Value, pointer: &str) {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    match json.pointer_mut(parent) {
        Some(Value::Array(items)) => {
            items.remove(key.parse().expect("it is a place"));
        }
        Some(Value::Object(items)) => {
            items.remove(key);
        }
        _ => {}
    }
}

fn repeat(value: &mut Value, random: &mut Random) {
    if let Value::Array(items) = value
        && !items.is_empty()
    {
        let item = random.pick(items).clone();
        items.insert(random.below(items.len() + 1), item);
    }
}

fn swap(value: &mut Value, random: &mut Random) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            let (one, other) = (random.below(items.len()), random.below(items.len()));
            items.swap(one, other);
        }
        Value::Object(items) if !items.is_empty() => {
            let keys: Vec<String> = items.keys().cloned().collect();
            let (one, other) = (random.pick(&keys).clone(), random.pick(&keys).clone());
            let (first, second) = (items[&one].clone(), items[&other].clone());
            items.insert(one, second);
            items.insert(other, first);
        }
        _ => {}
    }
}

const TEXTS: [&str; 16] = [
    "a", "b", "c", "m0", "m1", "0", "25", "50", "75", "100", "1/2", "-1/2", "3/2", "forced",
    "secured", "(at 1)",
];
const HUGE: &str = "170141183460469231731687303715884105727";

fn altered(value: &Value, random: &mut Random) -> Value {
    match value {
        Value::Null => json!(random.below(120)),
        Value::Bool(is) => json!(!is),
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or(0);
            let near = [
                number + 1,
                number.saturating_sub(1),
                0,
                25,
                50,
                75,
                100,
                u32::MAX.into(),
                number * 2,
            ];
            json!(random.pick(&near))
        }
        Value::String(_) if random.chance(12) => json!(format!("{}/{HUGE}", random.below(3))),
        Value::String(_) if random.chance(12) => json!(HUGE),
        Value::String(_) => json!(random.pick(&TEXTS)),
        Value::Array(items) if random.chance(2) => json!(items[..random.below(items.len() + 1)]),
        Value::Array(_) => json!([]),
        Value::Object(_) => Value::Null,
    }
}

fn replace_everywhere(json: &mut Value, old: &Value, new: &Value) {
    if json == old {
        *json = new.clone();
        return;
    }
    match json {
        Value::Array(items) => items.iter_mut().for_each(|item| replace_everywhere(item, old, new)),
        Value::Object(items) => {
            items.values_mut().for_each(|item| replace_everywhere(item, old, new))
        }
        _ => {}
    }
}
