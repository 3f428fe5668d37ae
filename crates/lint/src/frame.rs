//! Fluents that nothing keeps: true in one state, gone in the next unless a move sets them anew.
//!
//! Much in a game is meant to pass: whose turn it is, the number of the step, the last move, a knight
//! that leaves its square. So fluents are suspected only if others of their kind are kept and
//! nothing becomes of them, or many of them hold at the start; or if they are set where they were
//! not, as a lamp is that any other move puts out.

use std::collections::BTreeMap;

use gambol_ground::{FluentId, Formula, FormulaId, GroundGame, Signal};
use gambol_syntax::{Category, Clause, Diagnosis, Literal, Rules, Symbol, Term, keyword, shown};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::notes::Notes;

/// How many formulas are visited; larger games are not looked at.
const MOST_VISITS: usize = 5_000_000;

/// How many groups of fluents are looked at.
const MOST_GROUPS: usize = 200;

pub(crate) fn look(rules: &Rules, game: &GroundGame, notes: &mut Notes) {
    if notes.suspicious {
        return;
    }
    let Some(fluents) = fluents(game) else { return };
    let read = read_shapes(rules);
    let mut reported: FxHashSet<(String, usize)> = FxHashSet::default();
    for group in groups(&fluents).into_iter().take(MOST_GROUPS) {
        let shape = group.shape();
        if reported.contains(&shape) || !read.contains(&shape) {
            continue;
        }
        let Some((clause, finding)) = group.finding(rules) else { continue };
        reported.insert(shape);
        notes.add(clause, finding);
    }
}

/// A fluent, and what becomes of it.
struct Fluent<'a> {
    functor: &'a str,
    arguments: Vec<&'a str>,
    /// If it is true, it can be true in the next state because it was.
    kept: bool,
    /// It is set where it was not.
    toggled: bool,
    /// A move or the start makes it true.
    set: bool,
    initial: bool,
    /// Another fluent of the same function can become true because this one was.
    followed: bool,
}

/// So many pieces at the start are not meant to vanish all at once.
const MANY: usize = 4;

fn fluents(game: &GroundGame) -> Option<Vec<Fluent<'_>>> {
    let mut visits = MOST_VISITS;
    let mut fluents = Vec::new();
    let mut followed: Vec<(FluentId, FluentId)> = Vec::new();
    for (id, name) in game.fluents.iter_ids() {
        let support = Support::of(game, game.next[id], id, &mut visits)?;
        followed.extend(support.others.iter().map(|&other| (other, id)));
        let (functor, arguments) = take_apart(name);
        let initial = game.initial.binary_search(&id).is_ok();
        fluents.push(Fluent {
            functor,
            arguments,
            kept: support.itself || game.next[id].constant() == Some(true),
            toggled: support.absent && support.moves && goes_out(game, id, &mut visits)?,
            set: support.moves || initial,
            initial,
            followed: false,
        });
    }
    for (before, after) in followed {
        let [before, after] = [before, after].map(gambol_index::Id::index);
        fluents[before].followed |= fluents[before].functor == fluents[after].functor;
    }
    Some(fluents)
}

/// What the next value of a fluent depends on.
#[derive(Default)]
struct Support {
    itself: bool,
    absent: bool,
    moves: bool,
    /// The other fluents that help.
    others: Vec<FluentId>,
}

impl Support {
    fn of(game: &GroundGame, root: Signal, fluent: FluentId, visits: &mut usize) -> Option<Self> {
        let mut support = Support::default();
        let mut seen: FxHashSet<(FormulaId, bool)> = FxHashSet::default();
        let mut open = vec![(root, false)];
        while let Some((signal, negated)) = open.pop() {
            let negated = negated != signal.is_negated();
            if !seen.insert((signal.formula(), negated)) {
                continue;
            }
            *visits = visits.checked_sub(1)?;
            match game.formulas.formula(signal.formula()) {
                Formula::False => {}
                Formula::Fluent(other) if other == fluent => {
                    support.itself |= !negated;
                    support.absent |= negated;
                }
                Formula::Fluent(other) => support.others.extend((!negated).then_some(other)),
                Formula::Does(_) => support.moves |= !negated,
                Formula::And(inputs) | Formula::Or(inputs) => {
                    open.extend(inputs.iter().map(|&input| (input, negated)));
                }
            }
        }
        Some(support)
    }
}

/// Whether a fluent that is true is false in the next state, whatever else holds and is done.
fn goes_out(game: &GroundGame, fluent: FluentId, visits: &mut usize) -> Option<bool> {
    if game.formulas.has_cycles() {
        return Some(false);
    }
    let mut values: FxHashMap<FormulaId, Option<bool>> = FxHashMap::default();
    let root = game.next[fluent];
    let mut open = vec![root.formula()];
    while let Some(&formula) = open.last() {
        *visits = visits.checked_sub(1)?;
        let value = match game.formulas.formula(formula) {
            Formula::False => Some(false),
            Formula::Fluent(other) => (other == fluent).then_some(true),
            Formula::Does(_) => None,
            Formula::And(inputs) | Formula::Or(inputs) => {
                let before = open.len();
                let unknown = |input: &&Signal| !values.contains_key(&input.formula());
                open.extend(inputs.iter().filter(unknown).map(|input| input.formula()));
                if open.len() > before {
                    continue;
                }
                let deciding = matches!(game.formulas.formula(formula), Formula::Or(_));
                let value =
                    |input: &Signal| values[&input.formula()].map(|it| it != input.is_negated());
                if inputs.iter().any(|input| value(input) == Some(deciding)) {
                    Some(deciding)
                } else {
                    inputs.iter().all(|input| value(input).is_some()).then_some(!deciding)
                }
            }
        };
        values.insert(formula, value);
        open.pop();
    }
    Some(values[&root.formula()].map(|value| value != root.is_negated()) == Some(false))
}

/// Fluents of one function that agree in one argument, or all of them.
pub(crate) struct Group<'a> {
    functor: &'a str,
    arity: usize,
    fixed: Option<(usize, &'a str)>,
    /// One of them can become true because another was.
    followed: bool,
}

/// The fluents by their functions, in the order of the game.
fn by_shape<'f, 'a>(fluents: &'f [Fluent<'a>]) -> Vec<((&'a str, usize), Vec<&'f Fluent<'a>>)> {
    let mut places: FxHashMap<(&str, usize), usize> = FxHashMap::default();
    let mut shapes: Vec<((&'a str, usize), Vec<&'f Fluent<'a>>)> = Vec::new();
    for fluent in fluents {
        let shape = (fluent.functor, fluent.arguments.len());
        let place = *places.entry(shape).or_insert_with(|| {
            shapes.push((shape, Vec::new()));
            shapes.len() - 1
        });
        shapes[place].1.push(fluent);
    }
    shapes
}

/// Functions of several fluents that moves or the start make true and that rules read; and whether something of them
/// can be kept.
pub(crate) fn set_and_read<'a>(rules: &Rules, game: &'a GroundGame) -> Vec<(Group<'a>, bool)> {
    let Some(fluents) = fluents(game) else { return Vec::new() };
    let read = read_shapes(rules);
    let fitting = |((functor, arity), members): &((&str, usize), Vec<&Fluent<'_>>)| {
        members.len() > 1
            && members.iter().any(|fluent| fluent.set)
            && read.contains(&((*functor).to_owned(), *arity))
    };
    let shapes = by_shape(&fluents).into_iter().filter(fitting);
    let group = |((functor, arity), members): (_, Vec<&Fluent<'_>>)| {
        let kept = members.iter().any(|fluent| fluent.kept);
        let followed = members.iter().any(|fluent| fluent.followed);
        (Group { functor, arity, fixed: None, followed }, kept)
    };
    shapes.map(group).collect()
}

/// The groups of which nothing is kept though it should be.
fn groups<'a>(fluents: &[Fluent<'a>]) -> Vec<Group<'a>> {
    let mut groups = Vec::new();
    for ((functor, arity), members) in by_shape(fluents) {
        if !members.iter().any(|fluent| fluent.kept) {
            if members.iter().all(|fluent| fluent.toggled) {
                groups.push(Group { functor, arity, fixed: None, followed: false });
            }
            continue;
        }
        for place in 0..arity {
            groups.extend(lost_values(&members, place).map(|value| Group {
                functor,
                arity,
                fixed: Some((place, value)),
                followed: false,
            }));
        }
    }
    groups
}

/// What is known of the fluents that agree in one argument.
#[derive(Default)]
struct Value {
    members: usize,
    initial: usize,
    kept: bool,
    set: bool,
    followed: bool,
}

impl Value {
    /// Whether such fluents are lost and should not be: put by moves and left alone, or most of what
    /// there is at the start.
    fn is_lost(&self, initial: usize) -> bool {
        let put = self.initial == 0 && !self.followed;
        let crowd = self.initial >= MANY && self.initial * 2 > initial;
        self.set && !self.kept && self.members > 1 && (put || crowd)
    }
}

/// The values of an argument whose fluents are set and never kept, where those of others are kept.
fn lost_values<'a>(members: &[&Fluent<'a>], place: usize) -> impl Iterator<Item = &'a str> {
    let mut values: BTreeMap<&'a str, Value> = BTreeMap::new();
    for fluent in members {
        let value = values.entry(fluent.arguments[place]).or_default();
        value.members += 1;
        value.initial += usize::from(fluent.initial);
        value.kept |= fluent.kept;
        value.set |= fluent.set;
        value.followed |= fluent.followed;
    }
    let initial = members.iter().filter(|fluent| fluent.initial).count();
    values.into_iter().filter(move |(_, value)| value.is_lost(initial)).map(|(name, _)| name)
}

impl Group<'_> {
    /// The rule that sets such fluents, if possible one for `next`, and what to say of it.
    pub(crate) fn finding(&self, rules: &Rules) -> Option<(usize, Diagnosis)> {
        let setting = |relation: Symbol| {
            let sets =
                |clause: &Clause| clause.head.relation == relation && self.is_set_by(rules, clause);
            rules.clauses.iter().position(sets)
        };
        let clause = setting(keyword::NEXT).or_else(|| setting(keyword::INIT))?;
        let message = format!("nothing keeps {} from one state to the next", self.text());
        let span = rules.clauses[clause].head.span;
        let hint = format!("is a frame rule missing? (<= (next {0}) (true {0}) …)", self.pattern());
        Some((clause, Diagnosis::warning(Category::MissingFrame, span, message).with_hint(hint)))
    }

    pub(crate) fn shape(&self) -> (String, usize) {
        (self.functor.to_owned(), self.arity)
    }

    /// Whether one of them can become true because another was, as the steps of a counter do.
    pub(crate) fn is_followed(&self) -> bool {
        self.followed
    }

    /// Whether fluents of this function belong to it.
    pub(crate) fn has(&self, functor: &str, arity: usize) -> bool {
        self.fixed.is_none() && (self.functor, self.arity) == (functor, arity)
    }

    fn text(&self) -> String {
        shown(&self.pattern())
    }

    fn pattern(&self) -> String {
        if self.arity == 0 {
            return self.functor.to_owned();
        }
        let arguments: Vec<String> = (0..self.arity)
            .map(|place| match self.fixed {
                Some((fixed, value)) if fixed == place => value.to_owned(),
                _ => format!("?{}", char::from(b'a' + u8::try_from(place % 26).unwrap_or(0))),
            })
            .collect();
        format!("({} {})", self.functor, arguments.join(" "))
    }

    /// Whether a clause may make fluents of the group true, at the start or by a move.
    fn is_set_by(&self, rules: &Rules, clause: &Clause) -> bool {
        let by_move = clause.head.relation == keyword::NEXT;
        let (true, &[fluent]) =
            (by_move || clause.head.relation == keyword::INIT, clause.head.arguments.as_slice())
        else {
            return false;
        };
        let Term::Function(name, parts) = rules.term(fluent) else { return false };
        rules.symbols.text(name) == self.functor
            && parts.len() == self.arity
            && self.fixed.is_none_or(|(place, value)| match rules.term(parts[place]) {
                Term::Variable(_) => true,
                Term::Function(name, _) => rules.symbols.text(name) == value,
            })
    }
}

/// The functions of fluents that some rule reads.
fn read_shapes(rules: &Rules) -> FxHashSet<(String, usize)> {
    shapes_read_by(rules, rules.clauses.iter())
}

/// The functions of fluents that `goal` and `terminal` depend on in a state.
pub(crate) fn decisive_shapes(rules: &Rules) -> FxHashSet<(String, usize)> {
    let mut open = vec![keyword::GOAL, keyword::TERMINAL];
    let mut seen: FxHashSet<Symbol> = open.iter().copied().collect();
    let mut clauses = Vec::new();
    while let Some(relation) = open.pop() {
        for clause in rules.clauses.iter().filter(|clause| clause.head.relation == relation) {
            clauses.push(clause);
            for condition in rules.conditions(&clause.body) {
                if let Literal::Atom(atom) = rules.literal(condition.literal)
                    && seen.insert(atom.relation)
                {
                    open.push(atom.relation);
                }
            }
        }
    }
    shapes_read_by(rules, clauses.into_iter())
}

fn shapes_read_by<'a>(
    rules: &Rules,
    clauses: impl Iterator<Item = &'a Clause>,
) -> FxHashSet<(String, usize)> {
    let mut read = FxHashSet::default();
    for clause in clauses {
        for condition in rules.conditions(&clause.body) {
            if let Literal::Atom(atom) = rules.literal(condition.literal)
                && let (keyword::TRUE, &[fluent]) = (atom.relation, atom.arguments.as_slice())
                && let Term::Function(name, parts) = rules.term(fluent)
            {
                read.insert((text(rules, name), parts.len()));
            }
        }
    }
    read
}

fn text(rules: &Rules, name: Symbol) -> String {
    rules.symbols.text(name).to_owned()
}

/// The function and the arguments of a term in prefix text.
pub(crate) fn take_apart(term: &str) -> (&str, Vec<&str>) {
    let Some(inner) = term.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return (term, Vec::new());
    };
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (index, byte) in inner.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => {
                parts.push(&inner[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let functor = parts.remove(0);
    (functor, parts)
}
