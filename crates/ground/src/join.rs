//! Joins: all ways to satisfy a conjunction, by nested loops over indexed tables.
//!
//! A [`Plan`] fixes the order of the literals, how each is looked up, and where each test is made:
//! as soon as its variables have values. [`Plan::run`] reports each match with the row that every
//! literal matched, and from which level on the match differs from the one before.

use std::ops::Range;

use gambol_syntax::Symbol;

use crate::limits::{Halt, Meter};
use crate::names::{GroundTerm, Names};
use crate::program::{Literal, Pattern, RelationId, Sign, Test};
use crate::relation::{IndexNumber, Relation};
use crate::tables::RelationTables;

/// A conjunction to be joined.
pub(crate) struct Conjunction<'a> {
    pub(crate) body: &'a [Literal],
    pub(crate) tests: &'a [Test],
    pub(crate) variables: u32,
    /// The variables whose values are asked for.
    pub(crate) wanted: &'a [bool],
}

impl Conjunction<'_> {
    /// The literals that bind all variables that are asked for.
    fn covering(&self, treatment: &impl Fn(&Literal) -> Treatment) -> Vec<usize> {
        let covers = |literal: &Literal| {
            let mut missing = self.wanted.to_vec();
            for pattern in &literal.arguments {
                pattern.visit_variables(&mut |variable| missing[variable as usize] = false);
            }
            literal.binds() && treatment(literal) != Treatment::Ignore && !missing.contains(&true)
        };
        (0..self.body.len()).filter(|&place| covers(&self.body[place])).collect()
    }
}

/// The tries that are expected where one success is enough.
const TRIES: f64 = 2.0;

/// A term made from the values of variables.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Slot(u32),
    Constant(u32),
    Build(Pattern),
}

impl Source {
    pub(crate) fn of(pattern: &Pattern) -> Self {
        match pattern {
            Pattern::Variable(variable) => Source::Slot(*variable),
            Pattern::Ground(term) => Source::Constant(term.number()),
            Pattern::Function(..) => Source::Build(pattern.clone()),
        }
    }

    /// The term, if it exists; a term that was never made is in no table.
    #[inline]
    fn find(&self, names: &Names, slots: &[u32]) -> Option<u32> {
        match self {
            Source::Slot(slot) => Some(slots[*slot as usize]),
            Source::Constant(term) => Some(*term),
            Source::Build(pattern) => find_term(pattern, names, slots),
        }
    }

    /// The term, made if it is new.
    #[inline]
    pub(crate) fn make(&self, names: &mut Names, slots: &[u32]) -> u32 {
        match self {
            Source::Slot(slot) => slots[*slot as usize],
            Source::Constant(term) => *term,
            Source::Build(pattern) => make_term(pattern, names, slots).number(),
        }
    }
}

fn find_term(pattern: &Pattern, names: &Names, slots: &[u32]) -> Option<u32> {
    match pattern {
        Pattern::Variable(variable) => Some(slots[*variable as usize]),
        Pattern::Ground(term) => Some(term.number()),
        Pattern::Function(functor, arguments) => {
            let arguments: Option<Vec<GroundTerm>> = arguments
                .iter()
                .map(|argument| find_term(argument, names, slots).map(GroundTerm::new))
                .collect();
            names.find(*functor, &arguments?).map(GroundTerm::number)
        }
    }
}

fn make_term(pattern: &Pattern, names: &mut Names, slots: &[u32]) -> GroundTerm {
    match pattern {
        Pattern::Variable(variable) => GroundTerm::new(slots[*variable as usize]),
        Pattern::Ground(term) => *term,
        Pattern::Function(functor, arguments) => {
            let arguments: Vec<GroundTerm> =
                arguments.iter().map(|argument| make_term(argument, names, slots)).collect();
            names.term(*functor, &arguments)
        }
    }
}

/// How a column's value meets a pattern whose variables are partly bound.
#[derive(Clone, Debug)]
enum Meeting {
    Bind(u32),
    Equal(u32),
    Constant(u32),
    TakeApart(Symbol, Box<[Meeting]>),
}

impl Meeting {
    fn of(pattern: &Pattern, bound: &mut [bool]) -> Self {
        match pattern {
            Pattern::Variable(variable) => {
                let seen = std::mem::replace(&mut bound[*variable as usize], true);
                if seen { Meeting::Equal(*variable) } else { Meeting::Bind(*variable) }
            }
            Pattern::Ground(term) => Meeting::Constant(term.number()),
            Pattern::Function(functor, arguments) => Meeting::TakeApart(
                *functor,
                arguments.iter().map(|argument| Meeting::of(argument, bound)).collect(),
            ),
        }
    }

    #[inline]
    fn meets(&self, value: u32, names: &Names, slots: &mut [u32]) -> bool {
        match self {
            Meeting::Bind(slot) => {
                slots[*slot as usize] = value;
                true
            }
            Meeting::Equal(slot) => slots[*slot as usize] == value,
            Meeting::Constant(term) => *term == value,
            Meeting::TakeApart(functor, parts) => {
                let term = GroundTerm::new(value);
                let arguments = names.arguments(term);
                names.functor(term) == *functor
                    && arguments.len() == parts.len()
                    && parts
                        .iter()
                        .zip(arguments)
                        .all(|(part, argument)| part.meets(argument.number(), names, slots))
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Access {
    Scan,
    Index(IndexNumber, Box<[Source]>),
    Find(Box<[Source]>),
}

#[derive(Clone, Debug)]
enum Check {
    Compare { left: Source, right: Source, equal: bool },
    Absent { relation: RelationId, key: Box<[Source]> },
}

/// One literal of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    relation: RelationId,
    /// Its place in the conjunction's body.
    pub(crate) literal: usize,
    access: Access,
    /// The columns whose values are known when the step is entered.
    columns: Vec<usize>,
    meetings: Vec<(usize, Meeting)>,
    checks: Vec<Check>,
    /// Negative literals that become decidable here but are the caller's business.
    pub(crate) negatives: Vec<usize>,
}

/// How a conjunction is joined.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    before: Vec<Check>,
    /// Negative literals without variables that are the caller's business.
    pub(crate) negatives_before: Vec<usize>,
    pub(crate) steps: Vec<Step>,
    /// After a match, go on at this level: deeper ones can only repeat what is asked for.
    resume: usize,
    slots: usize,
}

/// One way to satisfy a conjunction.
#[derive(Clone, Copy)]
pub(crate) struct Match<'a> {
    /// The values of the variables.
    pub(crate) slots: &'a [u32],
    /// The row that the literal of each step matched.
    pub(crate) rows: &'a [u32],
    /// The steps before this one are as in the last match.
    pub(crate) changed: usize,
}

/// What the caller makes of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Treatment {
    /// Only whether it matches counts.
    Existence,
    /// Every row it matches counts. A negative literal is handed to the caller.
    Rows,
    /// As if it were not there.
    Ignore,
}

impl Plan {
    /// Orders the literals greedily by the expected number of matching rows; `first` leads.
    pub(crate) fn new(
        conjunction: &Conjunction,
        tables: &mut RelationTables,
        first: Option<usize>,
        treatment: impl Fn(&Literal) -> Treatment,
    ) -> Self {
        let ordered = |tables: &mut RelationTables, lead: Option<usize>, scan: bool| {
            let mut builder = Builder::new(conjunction, &treatment);
            builder.attach(&treatment);
            if let Some(literal) = lead {
                builder.place(literal, tables, &treatment, scan);
            }
            while let Some(literal) = builder.best(tables) {
                builder.place(literal, tables, &treatment, false);
            }
            builder
        };
        let mut best = ordered(tables, first, first.is_some());
        let existence_only = conjunction.body.iter().all(|it| treatment(it) != Treatment::Rows);
        if first.is_none() && existence_only {
            // A literal that names all that is asked for may lead: one success is then enough.
            for lead in conjunction.covering(&treatment) {
                let other = ordered(tables, Some(lead), false);
                if other.cost < best.cost {
                    best = other;
                }
            }
        }
        // A test whose variables get no value would be forgotten: whoever makes a conjunction sees to
        // it that its literals bind all of them, and all that is asked for.
        debug_assert!(best.waiting_tests.is_empty(), "a test on a variable that nothing binds");
        debug_assert!(best.waiting_negatives.is_empty(), "a negation that nothing binds");
        debug_assert!(
            best.bound.iter().zip(conjunction.wanted).all(|(&bound, &wanted)| bound || !wanted),
            "a variable that is asked for and that nothing binds"
        );
        best.plan.make_indexes(tables);
        best.plan
    }

    fn make_indexes(&mut self, tables: &mut RelationTables) {
        for step in &mut self.steps {
            if let Access::Index(index, _) = &mut step.access {
                *index = tables.get_mut(step.relation).index_on(&step.columns);
            }
        }
    }

    /// Calls `found` for each match.
    pub(crate) fn run(
        &self,
        tables: &RelationTables,
        names: &mut Names,
        meter: &mut Meter,
        range_of: impl Fn(usize) -> Range<u32>,
        mut found: impl FnMut(&mut Names, &mut Meter, Match) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let mut slots = vec![0; self.slots];
        if !self.before.iter().all(|check| check.holds(tables, names, &slots)) {
            return Ok(());
        }
        if self.steps.is_empty() {
            return found(names, meter, Match { slots: &slots, rows: &[], changed: 0 });
        }
        let relations: Vec<&Relation> =
            self.steps.iter().map(|step| tables.get(step.relation)).collect();
        let ranges: Vec<Range<u32>> =
            self.steps.iter().map(|step| range_of(step.literal)).collect();
        let mut cursors: Vec<Option<u32>> = vec![None; self.steps.len()];
        let mut rows = vec![0; self.steps.len()];
        let mut key = Vec::new();
        let (mut level, mut changed) = (0, 0);
        cursors[0] = self.steps[0].start(relations[0], &ranges[0], names, &slots, &mut key);
        loop {
            meter.tick()?;
            let step = &self.steps[level];
            let Some(row) = cursors[level] else {
                if level == 0 {
                    return Ok(());
                }
                level -= 1;
                continue;
            };
            cursors[level] = step.advance(relations[level], row, &ranges[level]);
            changed = changed.min(level);
            if !step.accepts(relations[level].row(row), tables, names, &mut slots) {
                continue;
            }
            rows[level] = row;
            if level + 1 < self.steps.len() {
                level += 1;
                let step = &self.steps[level];
                cursors[level] =
                    step.start(relations[level], &ranges[level], names, &slots, &mut key);
            } else {
                found(names, meter, Match { slots: &slots, rows: &rows, changed })?;
                changed = self.steps.len();
                match self.resume {
                    0 => return Ok(()),
                    resume => level = resume - 1,
                }
            }
        }
    }
}

impl Step {
    #[inline]
    fn start(
        &self,
        relation: &Relation,
        range: &Range<u32>,
        names: &Names,
        slots: &[u32],
        key: &mut Vec<u32>,
    ) -> Option<u32> {
        let (Access::Index(_, sources) | Access::Find(sources)) = &self.access else {
            return (range.start < range.end).then_some(range.start);
        };
        key.clear();
        for source in sources {
            key.push(source.find(names, slots)?);
        }
        let mut row = match &self.access {
            Access::Index(index, _) => relation.first_with(*index, key),
            _ => relation.find(key),
        };
        while let Some(number) = row
            && number < range.start
        {
            row = match &self.access {
                Access::Index(index, _) => relation.next_with(*index, number),
                _ => None,
            };
        }
        row.filter(|&row| row < range.end)
    }

    #[inline]
    fn advance(&self, relation: &Relation, row: u32, range: &Range<u32>) -> Option<u32> {
        let next = match &self.access {
            Access::Scan => Some(row + 1),
            Access::Index(index, _) => relation.next_with(*index, row),
            Access::Find(_) => None,
        };
        next.filter(|&next| next < range.end)
    }

    #[inline]
    fn accepts(
        &self,
        row: &[u32],
        tables: &RelationTables,
        names: &Names,
        slots: &mut [u32],
    ) -> bool {
        self.meetings.iter().all(|(column, meeting)| meeting.meets(row[*column], names, slots))
            && self.checks.iter().all(|check| check.holds(tables, names, slots))
    }
}

impl Check {
    fn holds(&self, tables: &RelationTables, names: &Names, slots: &[u32]) -> bool {
        match self {
            Check::Compare { left, right, equal } => match (left, right) {
                (Source::Build(_), _) | (_, Source::Build(_)) => {
                    // Two terms that were never made can still be equal, so compare by structure.
                    same_term(left, right, names, slots) == *equal
                }
                _ => (left.find(names, slots) == right.find(names, slots)) == *equal,
            },
            Check::Absent { relation, key } => {
                let row: Option<Vec<u32>> =
                    key.iter().map(|source| source.find(names, slots)).collect();
                row.is_none_or(|row| tables.get(*relation).find(&row).is_none())
            }
        }
    }
}

fn same_term(left: &Source, right: &Source, names: &Names, slots: &[u32]) -> bool {
    match (left.find(names, slots), right.find(names, slots)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => match (left, right) {
            (Source::Build(left), Source::Build(right)) => same_pattern(left, right, names, slots),
            _ => false,
        },
        _ => false,
    }
}

fn same_pattern(left: &Pattern, right: &Pattern, names: &Names, slots: &[u32]) -> bool {
    match (left, right) {
        (Pattern::Function(left, lefts), Pattern::Function(right, rights)) => {
            left == right
                && lefts.len() == rights.len()
                && lefts
                    .iter()
                    .zip(rights)
                    .all(|(left, right)| same_pattern(left, right, names, slots))
        }
        _ => match (find_term(left, names, slots), find_term(right, names, slots)) {
            (Some(left), Some(right)) => left == right,
            _ => false,
        },
    }
}

struct Builder<'a> {
    conjunction: &'a Conjunction<'a>,
    bound: Vec<bool>,
    open: Vec<usize>,
    waiting_tests: Vec<usize>,
    waiting_negatives: Vec<usize>,
    plan: Plan,
    /// Expected partial matches after the steps so far, and in all of them together.
    rows: f64,
    cost: f64,
}

impl<'a> Builder<'a> {
    fn new(conjunction: &'a Conjunction<'a>, treatment: &impl Fn(&Literal) -> Treatment) -> Self {
        let kept = |binds: bool| {
            conjunction
                .body
                .iter()
                .enumerate()
                .filter(|(_, literal)| {
                    literal.binds() == binds && treatment(literal) != Treatment::Ignore
                })
                .map(|(place, _)| place)
                .collect::<Vec<usize>>()
        };
        Self {
            conjunction,
            bound: vec![false; conjunction.variables as usize],
            open: kept(true),
            waiting_tests: (0..conjunction.tests.len()).collect(),
            waiting_negatives: kept(false),
            plan: Plan {
                before: Vec::new(),
                negatives_before: Vec::new(),
                steps: Vec::new(),
                resume: 0,
                slots: conjunction.variables as usize,
            },
            rows: 1.0,
            cost: 0.0,
        }
    }

    /// The open literal with the fewest expected matches.
    fn best(&self, tables: &mut RelationTables) -> Option<usize> {
        let estimates = self.open.iter().map(|&place| (self.fan_out(place, tables), place));
        estimates
            .min_by(|left, right| left.partial_cmp(right).unwrap_or(std::cmp::Ordering::Equal))
            .map(|(_, place)| place)
    }

    fn fan_out(&self, place: usize, tables: &mut RelationTables) -> f64 {
        let literal = &self.conjunction.body[place];
        let table = tables.get_mut(literal.relation);
        let mut rows = f64::from(table.len());
        let mut all_bound = true;
        for (column, pattern) in literal.arguments.iter().enumerate() {
            if is_bound(pattern, &self.bound) {
                rows /= f64::from(table.distinct(column).max(1));
            } else {
                all_bound = false;
            }
        }
        if all_bound { rows.min(0.5) } else { rows }
    }

    /// Counts what a literal costs at this point of the order.
    fn charge(&mut self, place: usize, tables: &mut RelationTables, treatment: Treatment) {
        let fan_out = self.fan_out(place, tables);
        let mut asked = (0..self.bound.len()).filter(|&variable| self.conjunction.wanted[variable]);
        let decided = asked.all(|variable| self.bound[variable]);
        if decided && treatment == Treatment::Existence {
            self.cost += self.rows * fan_out.min(TRIES);
        } else {
            self.rows *= fan_out;
            self.cost += self.rows;
        }
    }

    fn place(
        &mut self,
        place: usize,
        tables: &mut RelationTables,
        treatment: &impl Fn(&Literal) -> Treatment,
        scan: bool,
    ) {
        self.open.retain(|&other| other != place);
        let literal = &self.conjunction.body[place];
        self.charge(place, tables, treatment(literal));
        let (mut columns, mut key, mut meetings) = (Vec::new(), Vec::new(), Vec::new());
        let before = self.bound.clone();
        for (column, pattern) in literal.arguments.iter().enumerate() {
            if !scan && is_bound(pattern, &before) {
                columns.push(column);
                key.push(Source::of(pattern));
            } else {
                meetings.push((column, Meeting::of(pattern, &mut self.bound)));
            }
        }
        let access = if columns.is_empty() {
            if literal.arguments.is_empty() && !scan {
                Access::Find(Box::default())
            } else {
                Access::Scan
            }
        } else if meetings.is_empty() {
            Access::Find(key.into())
        } else {
            Access::Index(IndexNumber::UNMADE, key.into())
        };
        self.plan.steps.push(Step {
            relation: literal.relation,
            literal: place,
            access,
            columns,
            meetings,
            checks: Vec::new(),
            negatives: Vec::new(),
        });
        let brings_wanted = (0..self.bound.len()).any(|variable| {
            self.conjunction.wanted[variable] && self.bound[variable] && !before[variable]
        });
        if brings_wanted || treatment(literal) == Treatment::Rows {
            self.plan.resume = self.plan.steps.len();
        }
        self.attach(treatment);
    }

    /// Attaches tests and negative literals that have all their values now.
    fn attach(&mut self, treatment: &impl Fn(&Literal) -> Treatment) {
        let Self { conjunction, bound, waiting_tests, waiting_negatives, plan, .. } = self;
        let mut checks = Vec::new();
        waiting_tests.retain(|&place| {
            let test = &conjunction.tests[place];
            let ready = is_bound(&test.left, bound) && is_bound(&test.right, bound);
            if ready {
                let (left, right) = (Source::of(&test.left), Source::of(&test.right));
                checks.push(Check::Compare { left, right, equal: test.equal });
            }
            !ready
        });
        let mut handed = Vec::new();
        waiting_negatives.retain(|&place| {
            let literal = &conjunction.body[place];
            let ready = literal.arguments.iter().all(|pattern| is_bound(pattern, bound));
            if ready && treatment(literal) == Treatment::Rows {
                handed.push(place);
            } else if ready {
                debug_assert_eq!(literal.sign, Sign::Negative);
                let key = literal.arguments.iter().map(Source::of).collect();
                checks.push(Check::Absent { relation: literal.relation, key });
            }
            !ready
        });
        match plan.steps.last_mut() {
            None => {
                plan.before.append(&mut checks);
                plan.negatives_before.append(&mut handed);
            }
            Some(step) => {
                step.checks.append(&mut checks);
                step.negatives.append(&mut handed);
            }
        }
        if !plan.steps.is_empty() && !plan.steps[plan.steps.len() - 1].negatives.is_empty() {
            plan.resume = plan.steps.len();
        }
    }
}

fn is_bound(pattern: &Pattern, bound: &[bool]) -> bool {
    let mut all = true;
    pattern.visit_variables(&mut |variable| all &= bound[variable as usize]);
    all
}
