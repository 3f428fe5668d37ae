//! Random rules against their definition: an atom holds if some rule for it has, for some values of
//! its variables, conditions that hold; evaluated here by trying all values.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use gambol_reference::{Budget, Interpreter, ReferenceError};
use gambol_syntax::{ReadOptions, read};
use proptest::collection::vec;
use proptest::prelude::*;

/// Three constants and four variables.
const CONSTANTS: u8 = 3;
const VARIABLES: u8 = 4;
/// Relations `p0`, `p1`, …; a rule may use its own and lower ones, and negate lower ones.
const RELATIONS: u8 = 5;

#[derive(Clone, Copy, Debug)]
enum Argument {
    Variable(u8),
    Constant(u8),
}

#[derive(Clone, Debug)]
enum Condition {
    /// A relation of the rules.
    Atom(u8, Argument, Argument),
    /// A fluent.
    Fluent(Argument),
    Distinct(Argument, Argument),
    Not(Box<Condition>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

#[derive(Clone, Debug)]
struct Rule {
    head: u8,
    arguments: (Argument, Argument),
    body: Vec<Condition>,
}

impl Display for Argument {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(number) => write!(out, "?v{number}"),
            Self::Constant(number) => write!(out, "c{number}"),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let group = |out: &mut Formatter<'_>, name: &str, parts: &[Condition]| {
            write!(out, "({name}")?;
            parts.iter().try_for_each(|part| write!(out, " {part}"))?;
            write!(out, ")")
        };
        match self {
            // The second argument stands below a function, to be found there.
            Self::Atom(relation, one, two) => write!(out, "(p{relation} {one} (f {two}))"),
            Self::Fluent(argument) => write!(out, "(true (t {argument}))"),
            Self::Distinct(one, two) => write!(out, "(distinct {one} {two})"),
            Self::Not(inner) => write!(out, "(not {inner})"),
            Self::All(parts) => group(out, "and", parts),
            Self::Any(parts) => group(out, "or", parts),
        }
    }
}

impl Display for Rule {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let (one, two) = self.arguments;
        write!(out, "(<= (p{} {one} (f {two}))", self.head)?;
        self.body.iter().try_for_each(|condition| write!(out, " {condition}"))?;
        writeln!(out, ")")
    }
}

/// Atoms: relation and the two arguments.
type Model = BTreeSet<(u8, u8, u8)>;

fn value(argument: Argument, values: &[u8]) -> u8 {
    match argument {
        Argument::Variable(number) => values[usize::from(number)],
        Argument::Constant(number) => number,
    }
}

fn holds(condition: &Condition, values: &[u8], model: &Model, fluents: &[u8]) -> bool {
    match condition {
        Condition::Atom(relation, one, two) => {
            model.contains(&(*relation, value(*one, values), value(*two, values)))
        }
        Condition::Fluent(argument) => fluents.contains(&value(*argument, values)),
        Condition::Distinct(one, two) => value(*one, values) != value(*two, values),
        Condition::Not(inner) => !holds(inner, values, model, fluents),
        Condition::All(parts) => parts.iter().all(|part| holds(part, values, model, fluents)),
        Condition::Any(parts) => parts.iter().any(|part| holds(part, values, model, fluents)),
    }
}

/// All values of all variables.
fn assignments() -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..VARIABLES {
        let longer = |values: &Vec<u8>| {
            let values = values.clone();
            (0..CONSTANTS).map(move |constant| [&values[..], &[constant]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The model by definition, one relation after the other.
fn model(rules: &[Rule], fluents: &[u8]) -> Model {
    let assignments = assignments();
    let mut model = Model::new();
    for relation in 0..RELATIONS {
        loop {
            let before = model.len();
            for rule in rules.iter().filter(|rule| rule.head == relation) {
                for values in &assignments {
                    if rule.body.iter().all(|part| holds(part, values, &model, fluents)) {
                        let (one, two) = rule.arguments;
                        model.insert((relation, value(one, values), value(two, values)));
                    }
                }
            }
            if model.len() == before {
                break;
            }
        }
    }
    model
}

fn argument() -> impl Strategy<Value = Argument> {
    prop_oneof![
        4 => (0..VARIABLES).prop_map(Argument::Variable),
        1 => (0..CONSTANTS).prop_map(Argument::Constant),
    ]
}

/// A condition on relations up to `relation`, those under a negation lower.
fn condition(relation: u8) -> BoxedStrategy<Condition> {
    let positive = positive(relation);
    if relation == 0 {
        return positive;
    }
    let lower = self::positive(relation - 1);
    let negated = lower.prop_map(|inner| Condition::Not(Box::new(inner)));
    prop_oneof![3 => positive, 1 => negated].boxed()
}

fn positive(relation: u8) -> BoxedStrategy<Condition> {
    let leaf = prop_oneof![
        4 => (0..=relation, argument(), argument()).prop_map(|(r, a, b)| Condition::Atom(r, a, b)),
        2 => argument().prop_map(Condition::Fluent),
        1 => (argument(), argument()).prop_map(|(a, b)| Condition::Distinct(a, b)),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            2 => vec(inner.clone(), 1..3).prop_map(Condition::Any),
            1 => vec(inner, 1..3).prop_map(Condition::All),
        ]
    })
    .boxed()
}

fn rule() -> impl Strategy<Value = Rule> {
    (0..RELATIONS)
        .prop_flat_map(|head| (Just(head), (argument(), argument()), vec(condition(head), 1..4)))
        .prop_map(|(head, arguments, body)| make_safe(Rule { head, arguments, body }))
}

/// Binds by a fluent each variable that must be bound and is not.
fn make_safe(mut rule: Rule) -> Rule {
    let bound: BTreeSet<u8> = rule.body.iter().flat_map(binds).collect();
    let mut missing = variables(&[rule.arguments.0, rule.arguments.1]);
    missing.retain(|variable| !bound.contains(variable));
    for condition in &rule.body {
        missing.extend(unbound(condition, &bound));
    }
    let fluent = |variable| Condition::Fluent(Argument::Variable(variable));
    rule.body.extend(missing.into_iter().map(fluent));
    rule
}

fn variables(arguments: &[Argument]) -> BTreeSet<u8> {
    let variable = |argument: &Argument| match argument {
        Argument::Variable(number) => Some(*number),
        Argument::Constant(_) => None,
    };
    arguments.iter().filter_map(variable).collect()
}

/// The variables a condition binds: a disjunction those that all its parts bind.
fn binds(condition: &Condition) -> BTreeSet<u8> {
    match condition {
        Condition::Atom(_, one, two) => variables(&[*one, *two]),
        Condition::Fluent(argument) => variables(&[*argument]),
        Condition::Distinct(..) | Condition::Not(_) => BTreeSet::new(),
        Condition::All(parts) => parts.iter().flat_map(binds).collect(),
        Condition::Any(parts) => {
            parts.iter().map(binds).reduce(|one, two| &one & &two).unwrap_or_default()
        }
    }
}

/// The variables under negations and comparisons that nothing binds.
fn unbound(condition: &Condition, bound: &BTreeSet<u8>) -> BTreeSet<u8> {
    let missing = |found: BTreeSet<u8>| &found - bound;
    match condition {
        Condition::Atom(..) | Condition::Fluent(_) => BTreeSet::new(),
        Condition::Distinct(one, two) => missing(variables(&[*one, *two])),
        Condition::Not(inner) => missing(mentioned(inner)),
        Condition::All(parts) => {
            let bound = bound | &binds(condition);
            parts.iter().flat_map(|part| unbound(part, &bound)).collect()
        }
        Condition::Any(parts) => {
            parts.iter().flat_map(|part| unbound(part, &(bound | &binds(part)))).collect()
        }
    }
}

fn mentioned(condition: &Condition) -> BTreeSet<u8> {
    match condition {
        Condition::Atom(_, one, two) | Condition::Distinct(one, two) => variables(&[*one, *two]),
        Condition::Fluent(argument) => variables(&[*argument]),
        Condition::Not(inner) => mentioned(inner),
        Condition::All(parts) | Condition::Any(parts) => parts.iter().flat_map(mentioned).collect(),
    }
}

/// What the interpreter says holds.
fn interpreted(rules: &[Rule], fluents: &[u8], listing: u64) -> Result<Model, ReferenceError> {
    let mut text = "(role r)\n".to_owned();
    fluents.iter().for_each(|fluent| text.push_str(&format!("(init (t c{fluent}))\n")));
    rules.iter().for_each(|rule| text.push_str(&rule.to_string()));
    // Each relation is also asked for row by row, as legal moves.
    for relation in 0..RELATIONS {
        text.push_str(&format!("(<= (legal r (m {relation} ?x ?y)) (p{relation} ?x (f ?y)))\n"));
    }
    let parsed = read(text.as_bytes(), &ReadOptions::default()).rules.expect("the text parses");
    let mut game = Interpreter::with_budget(&parsed, Budget { listing, ..Budget::default() })?;
    let state = game.initial()?;
    let legal = game.legal(&state)?;
    let number = |text: &str| text.trim_matches(['c', ')']).parse::<u8>().expect("a number");
    let atom = |text: String| {
        let parts: Vec<&str> = text.split(' ').collect();
        (number(parts[1]), number(parts[2]), number(parts[3]))
    };
    Ok(legal[0].iter().map(|&action| atom(game.text(action))).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..Default::default() })]

    #[test]
    fn rules_mean_what_their_definition_says(
        rules in vec(rule(), 1..10),
        fluents in vec(0..CONSTANTS, 1..4),
    ) {
        let text: String = rules.iter().map(Rule::to_string).collect();
        for listing in [u64::MAX, 0] {
            match interpreted(&rules, &fluents, listing) {
                Ok(found) => prop_assert_eq!(found, model(&rules, &fluents), "{}", text),
                Err(error) => prop_assert!(false, "{error}\n{text}"),
            }
        }
    }
}
