//! Arguments that stand in each other's place: `(color ?c ?r)` where all other rules say `(color ?r ?c)`.
//!
//! An argument of a name takes values of one kind, and variables carry kinds from name to name: a kind is a class of
//! arguments that rules join. A rule is suspected that joins two classes with no constant in common, or puts a constant
//! of one class where another stands, or has a constant and a variable where all others have them the other way
//! round; and it is reported if all this is mended by exchanging two arguments in one place.

use gambol_index::{Id, IndexVec, UnionFind, define_id};
use gambol_syntax::{
    Atom, Category, Clause, Diagnosis, Literal, Rules, Span, Symbol, Term, TermId, keyword, print,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::notes::Notes;

define_id! {
    /// An argument of a relation or function, by its place.
    struct Column;
}

/// How many joins and constants are looked at in all; larger texts were hardly written by hand.
const MOST_WORK: usize = 20_000_000;
/// So many others must agree on what is a variable and what is a constant.
const FEWEST: usize = 5;

pub(crate) fn look(rules: &Rules, notes: &mut Notes) {
    let mut columns = Columns::default();
    let outlines: Vec<Outline> =
        rules.clauses.iter().map(|clause| columns.outline(rules, clause)).collect();
    let size: usize = outlines.iter().map(Outline::size).sum();
    let suspects = |outline: &Outline| !outline.joins(rules).is_empty();
    let count = outlines.iter().filter(|outline| suspects(outline)).count();
    if size.saturating_mul(count) > MOST_WORK {
        return;
    }
    for (index, outline) in outlines.iter().enumerate() {
        if notes.clauses.contains(&index) || !suspects(outline) {
            continue;
        }
        let others = Others::of(rules, &outlines, index, columns.0.len());
        if others.accept(rules, outline) {
            continue;
        }
        let better = |(row, changed): &(usize, Outline)| {
            !changed.is_empty_talk(rules)
                && others.accept(rules, changed)
                && others.know(rules, changed, *row)
        };
        let Some((row, meant)) = outline.exchanges(rules).find(better) else { continue };
        let message = "two arguments seem to stand in each other's place";
        let finding =
            Diagnosis::warning(Category::ExchangedArguments, outline.rows[row].span, message);
        let hint = format!("did you mean {}?", meant.rows[row].text(rules));
        notes.add(index, finding.with_hint(hint));
    }
}

/// The columns met so far: of a relation, or of a function.
#[derive(Default)]
struct Columns(FxHashMap<(bool, Symbol, usize, usize), Column>);

/// A name with arguments, as it stands in the text.
#[derive(Clone)]
struct Row {
    span: Span,
    name: Symbol,
    relation: bool,
    negated: bool,
    columns: Vec<Column>,
    arguments: Vec<TermId>,
}

/// All rows of a clause; the first is that of its head.
#[derive(Clone)]
struct Outline {
    rows: Vec<Row>,
    is_fact: bool,
}

impl Columns {
    fn outline(&mut self, rules: &Rules, clause: &Clause) -> Outline {
        let mut rows = Vec::new();
        self.add_atom(rules, &clause.head, false, &mut rows);
        for condition in rules.conditions(&clause.body) {
            if let Literal::Atom(atom) = rules.literal(condition.literal) {
                self.add_atom(rules, atom, condition.negated, &mut rows);
            }
        }
        Outline { rows, is_fact: clause.body.is_empty() }
    }

    /// Fluents and moves are functions; before a move and a goal value stands a role.
    fn add_atom(&mut self, rules: &Rules, atom: &Atom, negated: bool, rows: &mut Vec<Row>) {
        let functions = match (atom.relation, atom.arguments.as_slice()) {
            (keyword::TRUE | keyword::INIT | keyword::NEXT | keyword::BASE, fluent) => fluent,
            (
                keyword::LEGAL | keyword::DOES | keyword::INPUT | keyword::GOAL | keyword::SEES,
                [role, rest @ ..],
            ) => {
                let role = std::slice::from_ref(role);
                rows.push(self.row((true, keyword::ROLE), role, atom.span, negated));
                rest
            }
            (relation, arguments) => {
                rows.push(self.row((true, relation), arguments, atom.span, negated));
                arguments
            }
        };
        for term in rules.subterms_of(functions) {
            if let Term::Function(name, parts @ [_, ..]) = rules.term(term) {
                rows.push(self.row((false, name), parts, rules.term_span(term), negated));
            }
        }
    }

    fn row(
        &mut self,
        (relation, name): (bool, Symbol),
        arguments: &[TermId],
        span: Span,
        negated: bool,
    ) -> Row {
        let arity = arguments.len();
        let mut column = |place: usize| {
            let new = self.0.len();
            *self.0.entry((relation, name, arity, place)).or_insert_with(|| Column::from_index(new))
        };
        let columns = (0..arity).map(&mut column).collect();
        Row { span, name, relation, negated, columns, arguments: arguments.to_vec() }
    }
}

impl Row {
    fn cells(&self) -> impl Iterator<Item = (Column, TermId)> {
        self.columns.iter().copied().zip(self.arguments.iter().copied())
    }

    fn text(&self, rules: &Rules) -> String {
        let arguments: Vec<String> =
            self.arguments.iter().map(|&argument| print::term(rules, argument)).collect();
        format!("({} {})", rules.symbols.text(self.name), arguments.join(" "))
    }
}

impl Outline {
    fn size(&self) -> usize {
        self.rows.iter().map(|row| row.columns.len()).sum()
    }

    /// The columns of each variable.
    fn joins(&self, rules: &Rules) -> FxHashMap<Symbol, Vec<Column>> {
        let mut joins: FxHashMap<Symbol, Vec<Column>> = FxHashMap::default();
        for (column, argument) in self.rows.iter().flat_map(Row::cells) {
            if let Term::Variable(name) = rules.term(argument) {
                joins.entry(name).or_default().push(column);
            }
        }
        joins
    }

    fn constants<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = (Column, Symbol)> + 'a {
        let cells = self.rows.iter().flat_map(Row::cells);
        cells.filter_map(|(column, argument)| Some((column, rules.constant(argument)?)))
    }

    /// The clause with two different arguments of a row exchanged, and which row it is.
    fn exchanges<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = (usize, Outline)> + 'a {
        let pairs = self.rows.iter().enumerate().flat_map(|(place, row)| {
            let count = row.arguments.len();
            (0..count).flat_map(move |one| (one + 1..count).map(move |other| (place, one, other)))
        });
        pairs.filter_map(|(place, one, other)| {
            let arguments = &self.rows[place].arguments;
            let same = rules.term(arguments[one]) == rules.term(arguments[other]);
            let mut changed = self.clone();
            changed.rows[place].arguments.swap(one, other);
            (!same).then_some((place, changed))
        })
    }

    /// Whether the head is one of the conditions.
    fn is_empty_talk(&self, rules: &Rules) -> bool {
        let Some((head, conditions)) = self.rows.split_first() else { return false };
        let text = head.text(rules);
        let same = |row: &Row| row.relation && !row.negated && row.text(rules) == text;
        head.relation && conditions.iter().any(same)
    }
}

/// What the other clauses say of the columns.
struct Others {
    class_of: IndexVec<Column, Column>,
    constants: FxHashMap<Column, FxHashSet<Symbol>>,
    known: FxHashSet<Symbol>,
    /// For each column, in how many rules it has a variable, and in how many a constant.
    filled: IndexVec<Column, (usize, usize)>,
}

impl Others {
    fn of(rules: &Rules, outlines: &[Outline], without: usize, columns: usize) -> Self {
        let mut union = UnionFind::new(columns);
        let others = || outlines.iter().enumerate().filter(|&(index, _)| index != without);
        let mut filled: IndexVec<Column, (usize, usize)> = (0..columns).map(|_| (0, 0)).collect();
        for (_, outline) in others() {
            for joined in outline.joins(rules).into_values() {
                union.union_all(joined);
            }
            for (column, argument) in outline.rows.iter().flat_map(Row::cells) {
                if outline.is_fact {
                    continue;
                }
                let (variables, constants) = &mut filled[column];
                match rules.term(argument) {
                    Term::Variable(_) => *variables += 1,
                    Term::Function(..) => *constants += 1,
                }
            }
        }
        let class_of: IndexVec<Column, Column> =
            (0..columns).map(|column| union.find(Column::from_index(column))).collect();
        let mut constants: FxHashMap<Column, FxHashSet<Symbol>> = FxHashMap::default();
        let mut known = FxHashSet::default();
        for (column, constant) in others().flat_map(|(_, outline)| outline.constants(rules)) {
            constants.entry(class_of[column]).or_default().insert(constant);
            known.insert(constant);
        }
        Self { class_of, constants, known, filled }
    }

    fn class(&self, column: Column) -> Column {
        self.class_of[column]
    }

    /// Whether the others have nothing against the clause.
    fn accept(&self, rules: &Rules, outline: &Outline) -> bool {
        let fits = |(column, constant): (Column, Symbol)| {
            let Some(own) = self.constants.get(&self.class(column)) else { return true };
            let mut homes = self.constants.values().filter(|class| class.contains(&constant));
            own.contains(&constant)
                || !self.known.contains(&constant)
                || homes.any(|home| !are_foreign(own, home))
        };
        outline.constants(rules).all(fits)
            && outline.joins(rules).values().all(|columns| self.are_alike(columns))
            && !outline.rows.iter().any(|row| !row.relation && self.is_reversed(rules, row))
    }

    /// Whether each constant of a row has been seen in its class, and its variables join what is known to be alike.
    fn know(&self, rules: &Rules, outline: &Outline, row: usize) -> bool {
        let joins = outline.joins(rules);
        outline.rows[row].cells().all(|(column, argument)| match rules.term(argument) {
            Term::Variable(name) => joins[&name].iter().all(|&other| {
                let [one, other] = [column, other].map(|column| self.class(column));
                let known = [one, other].map(|class| self.constants.get(&class));
                one == other || matches!(known, [Some(one), Some(other)] if !one.is_disjoint(other))
            }),
            Term::Function(name, []) => {
                self.constants.get(&self.class(column)).is_some_and(|known| known.contains(&name))
            }
            Term::Function(..) => true,
        })
    }

    /// Whether no two of these columns have constants and none in common.
    fn are_alike(&self, columns: &[Column]) -> bool {
        let mut classes: Vec<Column> = columns.iter().map(|&column| self.class(column)).collect();
        classes.sort_unstable();
        classes.dedup();
        let known: Vec<_> = classes.iter().filter_map(|class| self.constants.get(class)).collect();
        known
            .iter()
            .enumerate()
            .all(|(place, one)| known[..place].iter().all(|other| !are_foreign(one, other)))
    }

    /// Whether a row has a constant where all others have variables, and the reverse.
    fn is_reversed(&self, rules: &Rules, row: &Row) -> bool {
        let is_variable = |argument: TermId| matches!(rules.term(argument), Term::Variable(_));
        let odd_constant = row.cells().any(|(column, argument)| {
            let (variables, constants) = self.filled[column];
            rules.constant(argument).is_some() && constants == 0 && variables >= FEWEST
        });
        let odd_variable = row.cells().any(|(column, argument)| {
            let (variables, constants) = self.filled[column];
            is_variable(argument) && variables == 0 && constants >= FEWEST
        });
        odd_constant && odd_variable
    }
}

/// Whether two classes have several constants each, and none in common.
fn are_foreign(one: &FxHashSet<Symbol>, other: &FxHashSet<Symbol>) -> bool {
    one.len().min(other.len()) > 1 && one.is_disjoint(other)
}
