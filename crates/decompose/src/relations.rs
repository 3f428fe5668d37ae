//! What rules tell before they are grounded: which relations run by themselves.
//!
//! Fluents are taken together by relation, name and number of arguments. A relation is *closed* if its
//! `next` rules read no move, directly or through other relations, and no fluent relation that is not
//! closed. Closed relations that read one another are one clock. That is a proof, by reading, of all
//! ground instances; but it is coarse: everything else is one part.

use gambol_syntax::{Atom, Clause, Literal, Rules, Symbol, Term, TermId, keyword};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::partition::Partition;

/// A fluent relation: all fluents with this name and this number of arguments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relation {
    /// Its name.
    pub name: Symbol,
    /// How many arguments it has.
    pub arity: usize,
}

impl Relation {
    /// Its fluents as a pattern: `(cell * * *)`.
    pub fn pattern(self, rules: &Rules) -> String {
        let name = rules.symbols.text(self.name);
        match self.arity {
            0 => name.to_string(),
            arity => format!("({name}{})", " *".repeat(arity)),
        }
    }
}

/// Relations that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationPart {
    /// They are sorted.
    pub relations: Vec<Relation>,
    /// Whether the goals or the end of the game read one of them.
    pub useful: bool,
}

/// The fluent relations of a game in parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelationParts {
    /// All that is not known to run by itself, as one part; empty if there is nothing else.
    pub played: RelationPart,
    /// What runs by itself: clocks and turn markers.
    pub clocks: Vec<RelationPart>,
    /// Relations that only hand on what they were.
    pub constants: Vec<Relation>,
}

/// Takes the fluent relations of rules apart, by reading alone.
pub fn relation_parts(rules: &Rules) -> RelationParts {
    let reading = Reading::of(rules);
    let fluents: Vec<Relation> = reading.fluents.clone();
    let constants: Vec<Relation> =
        fluents.iter().copied().filter(|&fluent| reading.is_constant(fluent)).collect();
    let closed = reading.closed(&constants);
    let changing = fluents.iter().copied().filter(|fluent| !constants.contains(fluent));
    let (running, played): (Vec<Relation>, Vec<Relation>) =
        changing.partition(|fluent| closed.contains(fluent));
    let watched = reading.watched();
    let part = |relations: Vec<Relation>| RelationPart {
        useful: relations.iter().any(|relation| watched.includes(*relation)),
        relations,
    };
    let clocks = reading.grouped(&running).into_iter().map(part).collect();
    RelationParts { played: part(played), clocks, constants }
}

/// What some rules read.
#[derive(Clone, Default)]
struct Reads {
    fluents: FxHashSet<Relation>,
    /// Whether a fluent is read that may be any.
    any: bool,
    moves: bool,
}

impl Reads {
    fn includes(&self, fluent: Relation) -> bool {
        self.any || self.fluents.contains(&fluent)
    }
}

/// Rules by what they define.
struct Reading<'a> {
    rules: &'a Rules,
    /// All fluent relations, sorted.
    fluents: Vec<Relation>,
    /// The rules of each relation that is not a fluent relation.
    defined: FxHashMap<Relation, Vec<&'a Clause>>,
    /// What the `next` rules of each fluent relation read.
    reads: FxHashMap<Relation, Reads>,
}

impl<'a> Reading<'a> {
    fn of(rules: &'a Rules) -> Self {
        let mut defined: FxHashMap<Relation, Vec<&Clause>> = FxHashMap::default();
        let mut fluents: Vec<Relation> = Vec::new();
        for clause in &rules.clauses {
            let relation = relation_of(&clause.head);
            if matches!(relation.name, keyword::INIT | keyword::NEXT) {
                fluents.extend(clause.head.arguments.first().and_then(|&term| shape(rules, term)));
            }
            defined.entry(relation).or_default().push(clause);
        }
        fluents.sort_unstable();
        fluents.dedup();
        let mut reading = Self { rules, fluents, defined, reads: FxHashMap::default() };
        for fluent in reading.fluents.clone() {
            let rules = reading.rules_of(fluent);
            let reads = reading.read_by(&rules);
            reading.reads.insert(fluent, reads);
        }
        reading
    }

    /// The `next` rules that may be about a fluent relation.
    fn rules_of(&self, fluent: Relation) -> Vec<&'a Clause> {
        let next = Relation { name: keyword::NEXT, arity: 1 };
        let about = |clause: &&&Clause| {
            let head = clause.head.arguments.first().map(|&term| shape(self.rules, term));
            head.is_none_or(|head| head.is_none_or(|head| head == fluent))
        };
        self.defined.get(&next).into_iter().flatten().filter(about).copied().collect()
    }

    /// What some rules read, through all relations.
    fn read_by(&self, clauses: &[&'a Clause]) -> Reads {
        let (mut reads, mut seen) = (Reads::default(), FxHashSet::default());
        let mut open: Vec<&Clause> = clauses.to_vec();
        while let Some(clause) = open.pop() {
            for condition in self.rules.conditions(&clause.body) {
                let Literal::Atom(atom) = self.rules.literal(condition.literal) else { continue };
                let relation = relation_of(atom);
                match relation.name {
                    keyword::TRUE => match atom.arguments.first().map(|&t| shape(self.rules, t)) {
                        Some(Some(fluent)) => _ = reads.fluents.insert(fluent),
                        _ => reads.any = true,
                    },
                    keyword::DOES => reads.moves = true,
                    _ if seen.insert(relation) => {
                        open.extend(self.defined.get(&relation).into_iter().flatten());
                    }
                    _ => {}
                }
            }
        }
        reads
    }

    /// Whether a relation only keeps what holds: every rule asks for the very fluent that it makes true,
    /// and one of them for nothing else.
    fn is_constant(&self, fluent: Relation) -> bool {
        let rules = self.rules_of(fluent);
        let keeps = |clause: &&Clause| {
            let head = clause.head.arguments.first();
            clause.body.iter().any(|&literal| match self.rules.literal(literal) {
                Literal::Atom(atom) if atom.relation == keyword::TRUE => head
                    .zip(atom.arguments.first())
                    .is_some_and(|(&head, &read)| same_term(self.rules, head, read)),
                _ => false,
            })
        };
        // `(next (wall ?x ?y))` for variables that differ keeps all of them.
        let general = |clause: &&Clause| clause.body.len() == 1 && self.is_general(clause);
        !rules.is_empty() && rules.iter().all(keeps) && rules.iter().any(general)
    }

    /// Whether the head is about any fluent of its relation: its arguments are different variables.
    fn is_general(&self, clause: &Clause) -> bool {
        let Some(Term::Function(_, arguments)) =
            clause.head.arguments.first().map(|&term| self.rules.term(term))
        else {
            return false;
        };
        let mut names = FxHashSet::default();
        arguments.iter().all(|&argument| match self.rules.term(argument) {
            Term::Variable(name) => names.insert(name),
            Term::Function(..) => false,
        })
    }

    /// The largest set of relations that read no move and nothing outside of the set; constants are in it.
    fn closed(&self, constants: &[Relation]) -> FxHashSet<Relation> {
        let reads = |fluent: &Relation| &self.reads[fluent];
        let fixed = |fluent: &Relation| constants.contains(fluent);
        let still = |fluent: &Relation| !reads(fluent).moves && !reads(fluent).any || fixed(fluent);
        let mut closed: FxHashSet<Relation> = self.fluents.iter().copied().filter(still).collect();
        loop {
            let before = closed.len();
            let inside = closed.clone();
            closed.retain(|fluent| fixed(fluent) || reads(fluent).fluents.is_subset(&inside));
            if closed.len() == before {
                return closed;
            }
        }
    }

    /// Relations in groups that read one another.
    fn grouped(&self, relations: &[Relation]) -> Vec<Vec<Relation>> {
        let mut linked = Partition::singletons(relations.len());
        for (one, relation) in (0..).zip(relations) {
            for (other, read) in (0..).zip(relations) {
                if self.reads[relation].includes(*read) {
                    linked.join(one, other);
                }
            }
        }
        let named = |set: Vec<u32>| set.into_iter().map(|one| relations[one as usize]).collect();
        linked.sets().into_iter().map(named).collect()
    }

    /// What the goals and the end read.
    fn watched(&self) -> Reads {
        let of = |name, arity| self.defined.get(&Relation { name, arity }).into_iter().flatten();
        let clauses: Vec<&Clause> =
            of(keyword::GOAL, 2).chain(of(keyword::TERMINAL, 0)).copied().collect();
        self.read_by(&clauses)
    }
}

fn relation_of(atom: &Atom) -> Relation {
    Relation { name: atom.relation, arity: atom.arguments.len() }
}

/// The relation of a fluent; `None` if it may be any.
fn shape(rules: &Rules, term: TermId) -> Option<Relation> {
    match rules.term(term) {
        Term::Variable(_) => None,
        Term::Function(name, arguments) => Some(Relation { name, arity: arguments.len() }),
    }
}

/// Whether two terms are spelt alike. Terms may be deep, so there is no recursion.
fn same_term(rules: &Rules, one: TermId, other: TermId) -> bool {
    let mut open = vec![(one, other)];
    while let Some((one, other)) = open.pop() {
        match (rules.term(one), rules.term(other)) {
            (Term::Variable(one), Term::Variable(other)) if one == other => {}
            (Term::Function(one, ours), Term::Function(other, theirs))
                if one == other && ours.len() == theirs.len() =>
            {
                open.extend(ours.iter().copied().zip(theirs.iter().copied()));
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Played, clocks and constants as patterns.
    fn check(text: &str, played: &[&str], clocks: &[&[&str]], constants: &[&str]) {
        let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules.unwrap();
        let found = relation_parts(&rules);
        let patterns = |relations: &[Relation]| -> Vec<String> {
            relations.iter().map(|one| one.pattern(&rules)).collect()
        };
        assert_eq!(patterns(&found.played.relations), played);
        let found_clocks: Vec<Vec<String>> =
            found.clocks.iter().map(|clock| patterns(&clock.relations)).collect();
        assert_eq!(found_clocks, clocks);
        assert_eq!(patterns(&found.constants), constants);
    }

    const LAMP: &str = "(role r) (legal r press) (init (step 1)) (init (wall 1)) (succ 1 2)
        (<= (next (on ?x)) (does r press) (true (wall ?x))) (<= (next (on ?x)) (true (on ?x)))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= (next (wall ?x)) (true (wall ?x))) (<= terminal (true (step 2))) (goal r 100)";

    #[test]
    fn a_counter_runs_and_a_wall_stands() {
        check(LAMP, &["(on *)"], &[&["(step *)"]], &["(wall *)"]);
    }

    #[test]
    fn what_reads_a_lamp_does_not_run_by_itself() {
        let late = "(init (late)) (<= (next (late)) lit) (<= lit (true (on ?x)))";
        check(&format!("{LAMP} {late}"), &["(on *)", "late"], &[&["(step *)"]], &["(wall *)"]);
    }

    #[test]
    fn a_rule_that_may_be_about_anything_closes_nothing() {
        let any = "(<= (next ?f) (true ?f) (does r press))";
        check(&format!("{LAMP} {any}"), &["(step *)", "(on *)"], &[], &["(wall *)"]);
    }

    #[test]
    fn a_wall_that_stands_in_some_places_only_is_a_clock() {
        let frame = "(<= (next (wall ?x)) (true (wall ?x)))";
        let text = LAMP.replace(frame, "(<= (next (wall 1)) (true (wall 1)))");
        check(&text, &["(on *)"], &[&["(step *)"], &["(wall *)"]], &[]);
    }
}
