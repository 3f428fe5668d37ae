//! Which rule a fault of play concerns.

use gambol_ground::Extent;
use gambol_reference::{Fault, Finding, GroundTerm, Interpreter};
use gambol_syntax::{
    Atom, Clause, Literal, Rules, Span, Symbol, Term, TermId, closest, edit_distance, keyword,
};

use crate::frame::take_apart;
use crate::notes::did_you_mean;

/// The rule to look at, and what may be meant there.
#[derive(Default)]
pub(crate) struct Blame {
    pub(crate) span: Option<Span>,
    pub(crate) hint: Option<String>,
}

impl From<Option<&Clause>> for Blame {
    fn from(clause: Option<&Clause>) -> Self {
        Self { span: clause.map(|clause| clause.head.span), hint: None }
    }
}

pub(crate) fn blame(
    rules: &Rules,
    extent: &Extent,
    interpreter: &mut Interpreter,
    finding: &Finding,
) -> Blame {
    let role = finding.role.and_then(|role| interpreter.roles().get(role).copied());
    let role = role.map(|role| interpreter.text(role));
    let subject = finding.subject.map(|term| interpreter.text(term)).unwrap_or_default();
    let heads = |relation: Symbol| heads(rules, relation, role.as_deref());
    match finding.fault {
        Fault::NoLegalMove => match unread(rules, interpreter, &finding.witness) {
            Some(blame) => blame,
            None => heads(keyword::LEGAL).next().into(),
        },
        // Of rules that hold together the last is the one that forgot about the others.
        Fault::GoalAmbiguous => heads(keyword::GOAL).last().into(),
        Fault::GoalMissing | Fault::GoalValue | Fault::GoalFalls | Fault::Unwinnable => {
            heads(keyword::GOAL).next().into()
        }
        Fault::Nonterminating => heads(keyword::TERMINAL).next().into(),
        Fault::InputMissing => {
            let speaks = |clause: &&Clause| speaks_of(rules, clause, 1, &subject);
            let clauses = rules.clauses.iter();
            let mut declaring = clauses.filter(|clause| clause.head.relation == keyword::INPUT);
            declaring
                .find(speaks)
                .or_else(|| heads(keyword::LEGAL).find(|clause| fits_head(rules, clause, &subject)))
                .into()
        }
        Fault::BaseMissing => {
            let declared: Vec<String> = match interpreter.base() {
                Ok(Some(base)) => base.iter().map(|&term| interpreter.text(term)).collect(),
                _ => Vec::new(),
            };
            undeclared(rules, extent, &subject, &declared, finding.witness.is_empty())
        }
    }
}

/// The rule that gives the last state a new fluent that no rule asks for, if there is one.
fn unread(
    rules: &Rules,
    interpreter: &mut Interpreter,
    witness: &[Vec<GroundTerm>],
) -> Option<Blame> {
    let mut state = interpreter.initial().ok()?;
    let mut before = state.clone();
    for joint in witness {
        let after = interpreter.next(&state, joint).ok()?;
        before = std::mem::replace(&mut state, after);
    }
    let conditions = rules.clauses.iter().flat_map(|clause| rules.conditions(&clause.body));
    let asked: Vec<&Atom> = conditions
        .filter_map(|condition| match rules.literal(condition.literal) {
            Literal::Atom(atom) if atom.relation == keyword::TRUE => Some(atom),
            _ => None,
        })
        .collect();
    let new = state.fluents().iter().filter(|it| !before.fluents().contains(it));
    let fluents: Vec<String> = new.map(|&it| interpreter.text(it)).collect();
    let is_asked = |text: &str| {
        asked.iter().any(|atom| atom.arguments.first().is_some_and(|&term| fits(rules, term, text)))
    };
    let stray = fluents.iter().find(|text| !is_asked(text))?;
    let gives =
        |clause: &&Clause| clause.head.relation == keyword::NEXT && fits_head(rules, clause, stray);
    let clause = rules.clauses.iter().find(gives)?;
    let hint = format!("{stray} is true there, and no rule asks for it;");
    Some(Blame { span: Some(clause.head.span), hint: Some(hint) })
}

/// The clauses for a relation that may speak of the role.
fn heads<'a>(
    rules: &'a Rules,
    relation: Symbol,
    role: Option<&'a str>,
) -> impl Iterator<Item = &'a Clause> {
    rules.clauses.iter().filter(move |clause| {
        let names_role = || match clause.head.arguments.first().map(|&term| rules.term(term)) {
            Some(Term::Function(name, _)) => role == Some(rules.symbols.text(name)),
            Some(Term::Variable(_)) => true,
            None => false,
        };
        clause.head.relation == relation && (role.is_none() || names_role())
    })
}

/// Whether the argument of a head is a term of the same function.
fn speaks_of(rules: &Rules, clause: &Clause, place: usize, subject: &str) -> bool {
    let (functor, arguments) = take_apart(subject);
    match clause.head.arguments.get(place).map(|&term| rules.term(term)) {
        Some(Term::Function(name, parts)) => {
            rules.symbols.text(name) == functor && parts.len() == arguments.len()
        }
        _ => false,
    }
}

/// Whether the last argument of a head may be this term.
fn fits_head(rules: &Rules, clause: &Clause, subject: &str) -> bool {
    clause.head.arguments.last().is_some_and(|&term| fits(rules, term, subject))
}

fn fits(rules: &Rules, pattern: TermId, subject: &str) -> bool {
    let Term::Function(name, parts) = rules.term(pattern) else { return true };
    let (functor, arguments) = take_apart(subject);
    rules.symbols.text(name) == functor
        && parts.len() == arguments.len()
        && parts.iter().zip(arguments).all(|(&part, argument)| fits(rules, part, argument))
}

/// A fluent that holds and is not declared. A constant that no declared fluent has in its place leads to the rule it
/// comes from; otherwise the declaration is too narrow, or there is none.
fn undeclared(
    rules: &Rules,
    extent: &Extent,
    subject: &str,
    declared: &[String],
    at_start: bool,
) -> Blame {
    let (functor, arguments) = take_apart(subject);
    let alike: Vec<Vec<&str>> = declared
        .iter()
        .map(|text| take_apart(text))
        .filter(|(other, others)| *other == functor && others.len() == arguments.len())
        .map(|(_, arguments)| arguments)
        .collect();
    let provides = if at_start { keyword::INIT } else { keyword::NEXT };
    let providers = || {
        let clauses = rules.clauses.iter().filter(|clause| clause.head.relation == provides);
        clauses.filter(|clause| fits_head(rules, clause, subject))
    };
    if alike.is_empty() {
        return providers().next().into();
    }
    let foreign = (0..arguments.len())
        .find(|&place| alike.iter().all(|others| others[place] != arguments[place]));
    let Some(place) = foreign else {
        let declares = |clause: &&Clause| {
            clause.head.relation == keyword::BASE && speaks_of(rules, clause, 0, subject)
        };
        return rules.clauses.iter().find(declares).into();
    };
    let constant = arguments[place];
    let mut values: Vec<&str> = alike.iter().map(|others| others[place]).collect();
    values.sort_unstable();
    values.dedup();
    let hint = meant_by(constant, &values).map(did_you_mean);
    if hint.is_some()
        && let Some(span) = only_place(rules, constant)
    {
        return Blame { span: Some(span), hint };
    }
    let mut sources = providers().filter_map(|clause| {
        let variable = variable_at(rules, clause, place)?;
        supplies(rules, extent, clause, variable, functor, constant).then_some((clause, variable))
    });
    match sources.next() {
        Some((clause, variable)) => Blame { hint, ..Some(origin(rules, clause, variable)).into() },
        None => Blame { hint, ..providers().next().into() },
    }
}

/// The declared name that an undeclared one was meant to be; of two letters, those exchanged.
fn meant_by<'a>(constant: &str, values: &[&'a str]) -> Option<&'a str> {
    let exchanged = |value: &&&str| {
        constant.len() == 2 && value.len() == 2 && edit_distance(constant, value) == 1 && {
            let (mut one, mut other): (Vec<u8>, Vec<u8>) = (constant.into(), (**value).into());
            one.sort_unstable();
            other.sort_unstable();
            one == other
        }
    };
    closest(constant, values.iter().copied()).or_else(|| values.iter().find(exchanged).copied())
}

/// Where a constant stands that occurs once.
fn only_place(rules: &Rules, constant: &str) -> Option<Span> {
    let name = rules.symbols.find(constant)?;
    let atoms = rules.clauses.iter().flat_map(|clause| {
        let conditions = rules.conditions(&clause.body);
        let body = conditions.filter_map(|condition| match rules.literal(condition.literal) {
            Literal::Atom(atom) => Some(atom),
            _ => None,
        });
        std::iter::once(&clause.head).chain(body)
    });
    let terms = atoms.flat_map(|atom| rules.subterms_of(&atom.arguments));
    let mut places = terms.filter(|&term| rules.constant(term) == Some(name));
    let first = places.next()?;
    places.next().is_none().then(|| rules.term_span(first))
}

/// The variable at this place of the fluent that a head speaks of.
fn variable_at(rules: &Rules, clause: &Clause, place: usize) -> Option<Symbol> {
    let Term::Function(_, parts) = rules.term(*clause.head.arguments.last()?) else { return None };
    match rules.term(*parts.get(place)?) {
        Term::Variable(name) => Some(name),
        Term::Function(..) => None,
    }
}

/// The positive conditions with this variable as an argument, and in which place; those of `true` and `does` by the
/// function they ask for.
fn bindings<'a>(
    rules: &'a Rules,
    clause: &'a Clause,
    variable: Symbol,
) -> impl Iterator<Item = (&'a Atom, usize)> {
    rules.conditions(&clause.body).filter_map(move |condition| {
        let Literal::Atom(atom) = rules.literal(condition.literal) else { return None };
        let arguments = match atom.relation {
            keyword::TRUE | keyword::DOES => match rules.term(*atom.arguments.last()?) {
                Term::Function(_, parts) => parts,
                Term::Variable(_) => return None,
            },
            _ => &atom.arguments,
        };
        let is_it = |&term: &TermId| rules.term(term) == Term::Variable(variable);
        let place = arguments.iter().position(is_it).filter(|_| !condition.negated)?;
        Some((atom, place))
    })
}

/// Whether every condition that binds the variable can give it this value; a rule that keeps the fluent is not where
/// the value comes from.
fn supplies(
    rules: &Rules,
    extent: &Extent,
    clause: &Clause,
    variable: Symbol,
    functor: &str,
    constant: &str,
) -> bool {
    let mut bound = false;
    let can = bindings(rules, clause, variable).all(|(atom, place)| {
        bound = true;
        let names = extent.names();
        let (table, place) = match (atom.relation, atom.arguments.last().map(|&it| rules.term(it)))
        {
            (keyword::TRUE, Some(Term::Function(name, parts))) => {
                if rules.symbols.text(name) == functor {
                    return false;
                }
                (extent.shape(keyword::TRUE, name, parts.len()), place)
            }
            (keyword::DOES, Some(Term::Function(name, parts))) => {
                (extent.shape(keyword::DOES, name, parts.len()), place + 1)
            }
            (relation, _) => (extent.table(relation, atom.arguments.len()), place),
        };
        table.is_none_or(|table| {
            let text =
                |row: gambol_ground::Row<'_>| names.symbols().text(names.functor(row.term(place)));
            table.rows().any(|row| text(row) == constant)
        })
    });
    bound && can
}

/// Follows a variable down to the relations it gets its values from, as long as one rule alone defines them.
fn origin<'a>(rules: &'a Rules, clause: &'a Clause, variable: Symbol) -> &'a Clause {
    const DEEPEST: usize = 8;
    let (mut clause, mut variable) = (clause, variable);
    for _ in 0..DEEPEST {
        let below = bindings(rules, clause, variable).find_map(|(atom, place)| {
            let same = |other: &&Clause| {
                other.head.relation == atom.relation
                    && other.head.arguments.len() == atom.arguments.len()
            };
            let mut defining = rules.clauses.iter().filter(same);
            let only = defining.next().filter(|only| !only.body.is_empty())?;
            let Term::Variable(inner) = rules.term(only.head.arguments[place]) else { return None };
            defining.next().is_none().then_some((only, inner))
        });
        match below {
            Some(below) => (clause, variable) = below,
            None => break,
        }
    }
    clause
}
