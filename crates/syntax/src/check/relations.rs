//! Relations that are used and never defined, or defined and never used.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnosis::Findings;
use crate::source::shown;
use crate::survey::{RelationId, Survey, keyword_arity};
use crate::{
    Category, Diagnosis, Severity, Span, Symbol, Term, closest, counterpart, edit_distance,
    is_slip, keyword,
};

pub(super) fn check(survey: &Survey<'_>, findings: &mut Findings) {
    let undefined = undefined(survey);
    let mut unused = unused(survey);
    let fluents = fluents(survey);
    for (relation, uses) in undefined {
        let (name, arity) = survey.relations[relation];
        let text = survey.rules.symbols.text(name);
        let stray = stray_for(survey, relation, &unused);
        if let Some(stray) = stray {
            unused.retain(|&other| other != stray);
            if survey.clauses_of[stray].len() < uses.len() {
                findings.add(misspelt(survey, stray, text));
                continue;
            }
        }
        let message = format!("nothing defines {}, so this is never true", shown(text));
        let mut finding = Diagnosis::warning(Category::UndefinedRelation, uses[0], message);
        if let Some(&clause) = stray.and_then(|stray| survey.clauses_of[stray].first()) {
            finding = finding.with_also(survey.rules.clauses[clause].head.span);
        }
        let meant = stray.or_else(|| similar(survey, relation, survey.relations.ids()));
        let hint = if fluents.contains(&(name, arity)) {
            Some(format!("{} is a fluent: did you mean (true …)?", shown(text)))
        } else {
            let meant = meant.map(|meant| survey.rules.symbols.text(survey.relations[meant].0));
            let short = || counterpart(text, defined_alike(survey, relation));
            meant.or_else(|| closest(text, QUERIES)).or_else(short).map(did_you_mean)
        };
        findings.add(match hint {
            Some(hint) => finding.with_hint(hint),
            None => finding,
        });
    }
    for relation in unused {
        findings.add(match meant_by_unused(survey, relation) {
            Meant::Missing => continue,
            Meant::Name(meant) => misspelt(survey, relation, meant),
            Meant::Unknown if fluents.contains(&survey.relations[relation]) => {
                stated_fluent(survey, relation)
            }
            Meant::Unknown => unused_finding(survey, relation),
        });
    }
}

/// Words of the language that may begin a condition.
const QUERIES: [&str; 10] =
    ["true", "does", "not", "or", "distinct", "and", "legal", "goal", "terminal", "role"];

/// The relations that are used and never defined, with the places where they are used. One that is
/// defined with another arity has been reported as such.
fn undefined(survey: &Survey<'_>) -> Vec<(RelationId, Vec<Span>)> {
    let defined: FxHashSet<Symbol> = survey
        .relations
        .iter_ids()
        .filter(|&(id, _)| !survey.clauses_of[id].is_empty())
        .map(|(_, &(name, _))| name)
        .collect();
    let mut undefined: Vec<(RelationId, Vec<Span>)> = Vec::new();
    let mut places: FxHashMap<RelationId, usize> = FxHashMap::default();
    for condition in &survey.uses {
        let (name, _) = survey.relations[condition.relation];
        if name.is_game_relation() || defined.contains(&name) {
            continue;
        }
        let span = survey.atom(condition).span;
        let place = *places.entry(condition.relation).or_insert_with(|| {
            undefined.push((condition.relation, Vec::new()));
            undefined.len() - 1
        });
        undefined[place].1.push(span);
    }
    undefined
}

/// The relations that are defined and never used. Going by names: one that is used with another
/// arity has been reported as such.
fn unused(survey: &Survey<'_>) -> Vec<RelationId> {
    let used: FxHashSet<Symbol> =
        survey.uses.iter().map(|condition| survey.relations[condition.relation].0).collect();
    let is_unused = |&(id, &(name, arity)): &(RelationId, &(Symbol, usize))| {
        let declares_percepts = survey.rules.symbols.text(name) == PERCEPT && arity == 2;
        !survey.clauses_of[id].is_empty()
            && !name.is_game_relation()
            && !used.contains(&name)
            && !declares_percepts
    };
    survey.relations.iter_ids().filter(is_unused).map(|(id, _)| id).collect()
}

/// Authors leave helpers behind that nothing needs; a word by itself is more likely a slip.
fn unused_finding(survey: &Survey<'_>, relation: RelationId) -> Diagnosis {
    let (name, arity) = survey.relations[relation];
    let name = shown(survey.rules.symbols.text(name));
    let clause = &survey.rules.clauses[survey.clauses_of[relation][0]];
    let stray_word = arity == 0 && clause.body.is_empty();
    let find = if stray_word { Diagnosis::warning } else { Diagnosis::note };
    find(Category::UnusedRelation, clause.head.span, format!("nothing uses {name}"))
}

fn misspelt(survey: &Survey<'_>, relation: RelationId, meant: &str) -> Diagnosis {
    let severity = Severity::Warning;
    Diagnosis { severity, ..unused_finding(survey, relation).with_hint(did_you_mean(meant)) }
}

/// A fluent that is stated as if it were a relation: `next` or `init` is missing around it.
fn stated_fluent(survey: &Survey<'_>, relation: RelationId) -> Diagnosis {
    let clause = &survey.rules.clauses[survey.clauses_of[relation][0]];
    let name = shown(survey.rules.symbols.text(survey.relations[relation].0));
    let keyword = if clause.body.is_empty() { "init" } else { "next" };
    let hint = format!("{name} is a fluent: did you mean ({keyword} …)?");
    let severity = Severity::Warning;
    Diagnosis { severity, ..unused_finding(survey, relation).with_hint(hint) }
}

/// With more relations than people write, names are not compared.
const MOST_NAMES: usize = 1_000;

/// The defined relation of the same arity whose name is most like that of another.
fn similar(
    survey: &Survey<'_>,
    relation: RelationId,
    among: impl Iterator<Item = RelationId>,
) -> Option<RelationId> {
    if survey.relations.len() > MOST_NAMES {
        return None;
    }
    let (name, arity) = survey.relations[relation];
    let text = |id: RelationId| survey.rules.symbols.text(survey.relations[id].0);
    let fitting: Vec<RelationId> = among
        .filter(|&id| survey.relations[id].1 == arity && !survey.clauses_of[id].is_empty())
        .filter(|&id| !survey.relations[id].0.is_game_relation())
        .collect();
    let meant = closest(survey.rules.symbols.text(name), fitting.iter().map(|&id| text(id)))?;
    fitting.into_iter().find(|&id| text(id) == meant)
}

/// The names of the defined relations of the same arity.
fn defined_alike<'a>(
    survey: &'a Survey<'_>,
    relation: RelationId,
) -> impl Iterator<Item = &'a str> {
    let (_, arity) = survey.relations[relation];
    let fitting = move |&(id, &(name, other)): &(RelationId, &(Symbol, usize))| {
        other == arity && !name.is_game_relation() && !survey.clauses_of[id].is_empty()
    };
    let ids = survey.relations.iter_ids().filter(fitting).take(MOST_NAMES);
    ids.map(|(_, &(name, _))| survey.rules.symbols.text(name))
}

/// The relation that nothing uses and that one which nothing defines was meant to be.
fn stray_for(
    survey: &Survey<'_>,
    relation: RelationId,
    unused: &[RelationId],
) -> Option<RelationId> {
    let text = |id: RelationId| survey.rules.symbols.text(survey.relations[id].0);
    let fitting = || {
        let arity = |id: RelationId| survey.relations[id].1;
        unused.iter().copied().filter(move |&id| arity(id) == arity(relation))
    };
    similar(survey, relation, unused.iter().copied()).or_else(|| {
        let meant = counterpart(text(relation), fitting().take(MOST_NAMES).map(text))?;
        fitting().find(|&id| text(id) == meant)
    })
}

/// What a relation that nothing uses was meant to be.
enum Meant<'a> {
    /// A game relation that is missing altogether, which has been reported here.
    Missing,
    Name(&'a str),
    Unknown,
}

fn meant_by_unused<'a>(survey: &Survey<'a>, relation: RelationId) -> Meant<'a> {
    let (name, arity) = survey.relations[relation];
    let keyword = misspelt_keyword(survey, relation);
    if keyword.is_some_and(|meant| is_needed(meant) && !survey.is_defined(meant, arity)) {
        return Meant::Missing;
    }
    let used = survey.uses.iter().map(|condition| condition.relation);
    let own = || similar(survey, relation, used).map(|meant| survey.relations[meant].0);
    let symbols = &survey.rules.symbols;
    // Much is defined and not used: only a slip of one letter in one clause is likely to be one.
    let near = |meant: &&str| edit_distance(symbols.text(name), meant) == 1;
    let slip = |meant: &&str| is_slip(symbols.text(name), meant) && near(meant);
    let keyword = keyword.map(|meant| symbols.text(meant)).filter(near);
    let meant = keyword.or_else(|| own().map(|meant| symbols.text(meant)).filter(slip));
    match meant.filter(|_| survey.clauses_of[relation].len() == 1) {
        Some(meant) => Meant::Name(meant),
        None => Meant::Unknown,
    }
}

fn is_needed(relation: Symbol) -> bool {
    matches!(relation, keyword::ROLE | keyword::LEGAL | keyword::GOAL | keyword::TERMINAL)
}

/// The game relation that a relation of the same arity is spelt almost like.
fn misspelt_keyword(survey: &Survey<'_>, relation: RelationId) -> Option<Symbol> {
    const STATED: [Symbol; 9] = [
        keyword::ROLE,
        keyword::INIT,
        keyword::NEXT,
        keyword::BASE,
        keyword::LEGAL,
        keyword::INPUT,
        keyword::GOAL,
        keyword::TERMINAL,
        keyword::SEES,
    ];
    let (name, arity) = survey.relations[relation];
    let symbols = &survey.rules.symbols;
    let fitting = STATED.iter().filter(|&&stated| keyword_arity(stated) == Some(arity));
    let meant = closest(symbols.text(name), fitting.map(|&stated| symbols.text(stated)))?;
    symbols.find(meant)
}

/// Where a relation is defined that nothing uses and that is spelt almost like this game relation.
pub(super) fn misspelt_definition(survey: &Survey<'_>, meant: Symbol) -> Option<Span> {
    let mut misspelt =
        unused(survey).into_iter().filter(|&id| misspelt_keyword(survey, id) == Some(meant));
    let clause = survey.clauses_of[misspelt.next()?][0];
    Some(survey.rules.clauses[clause].head.span)
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean {}?", shown(name))
}

/// Name and arity of the terms that `init`, `next`, `base` and `true` speak of.
fn fluents(survey: &Survey<'_>) -> FxHashSet<(Symbol, usize)> {
    let rules = survey.rules;
    let speaks_of_fluent = |relation: Symbol| {
        matches!(relation, keyword::INIT | keyword::NEXT | keyword::BASE | keyword::TRUE)
    };
    let atoms = super::atoms(rules).filter(|(atom, _)| speaks_of_fluent(atom.relation));
    let names = atoms.filter_map(|(atom, _)| match rules.term(*atom.arguments.first()?) {
        Term::Function(name, arguments) => Some((name, arguments.len())),
        Term::Variable(_) => None,
    });
    names.collect()
}

/// The domain of `sees`, which some authors declare. It has no meaning for play.
const PERCEPT: &str = "percept";
