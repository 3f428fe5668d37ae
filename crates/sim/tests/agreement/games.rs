//! Random small games that reach the corners of the language: function terms, `distinct` of compound
//! terms, nested connectives, recursion through views and goals, overloaded arities, fluents and moves
//! in the place of a variable, one to four roles, roles without a move, ends without a goal or with
//! several.
//!
//! Relations have levels; a condition may name its own level or a lower one, and under a negation only
//! lower ones. So recursion occurs and negation is stratified, whatever the numbers are.

use std::fmt::Write;

use crate::formula::{Atom, Formula, Sort, Term, unbound};
use crate::tape::Tape;

use Sort::{Item, Pair, Role};

/// A relation: its level, and how an atom of it is written.
type Relation = (u8, &'static str, &'static [Sort], &'static str);

/// Sorted by level. The first three levels do not depend on the state, the last two on the moves.
const RELATIONS: &[Relation] = &[
    (0, "(item", &[Item], ")"),
    (0, "(pair", &[Pair], ")"),
    (0, "(role", &[Role], ")"),
    (0, "(edge", &[Item, Item], ")"),
    (1, "(s", &[Item], ")"),
    (1, "(s", &[Item, Item], ")"),
    (1, "(s", &[Pair, Item, Item], ")"),
    (2, "(t", &[Item], ")"),
    (2, "(t", &[Pair, Pair], ")"),
    (3, "(true f", &[], ")"),
    (3, "(true (g", &[Item], "))"),
    (3, "(true (g", &[Item, Item], "))"),
    (3, "(true (h", &[Item, Item], "))"),
    (3, "(true (at", &[Pair], "))"),
    (3, "(true (of", &[Role, Item], "))"),
    (4, "(v", &[Item], ")"),
    (4, "(v", &[Item, Item], ")"),
    (4, "(v", &[Pair], ")"),
    (5, "(w", &[Item, Pair], ")"),
    (5, "(w", &[Item], ")"),
    (5, "w", &[], ""),
    (6, "(legal", &[Role], " noop)"),
    (6, "(legal", &[Role, Item], ")"),
    (7, "(z", &[Item], ")"),
    (7, "(goal", &[Role], " 50)"),
    (7, "terminal", &[], ""),
    (8, "(does", &[Role], " noop)"),
    (8, "(does", &[Role, Item], ")"),
    (9, "(hit", &[Item], ")"),
    (9, "(hit", &[Pair], ")"),
];

/// What rules define.
const HEADS: &[Relation] = &[
    (10, "(next (g", &[Item], "))"),
    (10, "(next (g", &[Item, Item], "))"),
    (10, "(next (h", &[Item, Item], "))"),
    (10, "(next (at", &[Pair], "))"),
    (10, "(next (of", &[Role, Item], "))"),
    (10, "(next f", &[], ")"),
    (10, "(sees", &[Role, Item], ")"),
    (1, "(s", &[Item], ")"),
    (1, "(s", &[Item, Item], ")"),
    (1, "(s", &[Pair, Item, Item], ")"),
    (2, "(t", &[Item], ")"),
    (2, "(t", &[Pair, Pair], ")"),
    (4, "(v", &[Item], ")"),
    (4, "(v", &[Item, Item], ")"),
    (4, "(v", &[Pair], ")"),
    (5, "(w", &[Item, Pair], ")"),
    (5, "(w", &[Item], ")"),
    (5, "w", &[], ""),
    (6, "(legal", &[Role, Item], ")"),
    (7, "(z", &[Item], ")"),
    (7, "(goal", &[Role], " 50)"),
    (7, "(goal", &[Role], " 100)"),
    (7, "(goal", &[Role], " 0)"),
    (7, "terminal", &[], ""),
    (9, "(hit", &[Item], ")"),
    (9, "(hit", &[Pair], ")"),
];

/// Rules that chance alone would seldom make.
const CUSTOMARY: &[&str] = &[
    "(<= (next ?f) (true ?f) (not (does r0 noop)))",
    "(<= (next (at ?a)) (true (at ?a)) (does ?r (k ?b)) (distinct ?a ?b))",
    "(<= (next (at (p ?x ?y))) (true (at (p ?x ?y))) (does ?r (m ?z ?w)) (distinct (p ?x ?y) (p ?z ?w)))",
    "(<= (next (at ?a)) (does ?r (k ?a)))",
    "(<= (next (h ?x ?y)) (true (h ?x ?y)) (not (does r0 (m ?x))))",
    "(<= (next (h ?x ?y)) (does ?r (m ?x ?y)))",
    "(<= (next (g ?x)) (does ?r (m ?x)))",
    "(<= (next (of ?r ?x)) (does ?r (m ?x)))",
    "(<= (next (last ?m)) (does r0 ?m) (distinct ?m noop))",
    "(<= (s ?x ?z) (s ?x ?y) (edge ?y ?z))",
    "(<= (s ?x ?y) (edge ?x ?y))",
    "(<= (v ?x ?y) (true (h ?x ?y)))",
    "(<= (v ?x ?z) (v ?x ?y) (v ?y ?z))",
    "(<= (hit (p ?x ?y)) (does ?r (m ?x ?y)))",
    "(<= (z ?x) (goal r0 50) (item ?x))",
    "(<= (goal ?r 50) (role ?r) (z ?x) (not (true (g ?x))))",
    "(<= (init (g ?x)) (s ?x ?x))",
    "(<= (sees ?r ?m) (does ?q ?m) (role ?r) (distinct ?r ?q))",
    "(<= terminal (v ?x ?x))",
];

/// The game that the numbers stand for.
pub(crate) fn text(tape: &mut Tape) -> String {
    let roles = 1 + tape.below(4);
    // The more there is of everything, the fewer variables a rule may have.
    let items = if tape.one_in(6) { 4 + tape.below(4) } else { 1 + tape.below(3) };
    let mut writer = Writer { tape, roles, items, out: String::new() };
    writer.facts();
    for rule in CUSTOMARY {
        if writer.tape.one_in(3) {
            let _ = writeln!(writer.out, "{rule}");
        }
    }
    for _ in 0..2 + writer.tape.below(14) {
        writer.rule();
    }
    writer.out
}

struct Writer<'t, 'a> {
    tape: &'t mut Tape<'a>,
    roles: usize,
    items: usize,
    out: String,
}

impl Writer<'_, '_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{text}");
    }

    fn facts(&mut self) {
        for role in 0..self.roles {
            self.line(format_args!("(role r{role})"));
            match self.tape.below(8) {
                7 => {}
                6 => self.line(format_args!("(<= (legal r{role} noop) (not (true f)))")),
                _ => self.line(format_args!("(legal r{role} noop)")),
            }
        }
        for item in 0..self.items {
            self.line(format_args!("(item i{item})"));
        }
        self.line(format_args!("(<= (pair (p ?x ?y)) (item ?x) (item ?y))"));
        for (fact, copies) in [("(edge", 5), ("(init (h", 3), ("(init (g", 2), ("(init (at (p", 3)]
        {
            for _ in 0..self.tape.below(copies) {
                let (one, other) = (self.tape.below(self.items), self.tape.below(self.items));
                let close = ")".repeat(fact.matches('(').count());
                self.line(format_args!("{fact} i{one} i{other}{close}"));
            }
        }
        if self.tape.one_in(2) {
            self.line(format_args!("(init f)"));
        }
        for rule in [
            "(<= (legal ?r (m ?x)) (role ?r) (item ?x) (not (true (g ?x))))",
            "(<= (legal ?r (m ?x ?y)) (role ?r) (item ?x) (item ?y))",
            "(<= (legal r0 (k ?a)) (pair ?a) (not (true (at ?a))))",
        ] {
            if self.tape.one_in(2) {
                self.line(format_args!("{rule}"));
            }
        }
    }

    fn rule(&mut self) {
        let relation = self.tape.pick(HEADS);
        let head = self.atom(relation);
        let mut body = Vec::new();
        let mut disjunctions = 0;
        for _ in 0..self.tape.below(6) {
            let formula = self.formula(relation.0, relation.0, 2);
            disjunctions += usize::from(matches!(formula, Formula::Or(_) | Formula::Not(_)));
            if disjunctions <= 4 || matches!(formula, Formula::Atom(_)) {
                body.push(formula);
            }
        }
        for (variable, sort) in unbound(&head, &body) {
            let binder = self.binder(variable, sort, relation.0);
            let place = self.tape.below(body.len() + 1);
            body.insert(place, binder);
        }
        let body: Vec<String> = body.iter().map(ToString::to_string).collect();
        self.line(format_args!("(<= {head} {})", body.join(" ")));
    }

    /// A condition that gives a variable a value.
    fn binder(&mut self, variable: &'static str, sort: Sort, level: u8) -> Formula {
        let dynamic = level > 3;
        let choices: &[Relation] = match sort {
            Item if dynamic => &[
                (0, "(item", &[Item], ")"),
                (3, "(true (g", &[Item], "))"),
                (3, "(true (h", &[Item, Item], "))"),
            ],
            Item => &[(0, "(item", &[Item], ")"), (0, "(edge", &[Item, Item], ")")],
            Pair if dynamic => &[(0, "(pair", &[Pair], ")"), (3, "(true (at", &[Pair], "))")],
            Pair => &[(0, "(pair", &[Pair], ")")],
            Role => &[(0, "(role", &[Role], ")")],
        };
        let relation = self.tape.pick(choices);
        let (_, open, sorts, close) = relation;
        let mut arguments = vec![Term::Variable(variable, sort)];
        arguments.resize(sorts.len(), Term::Constant("i0".to_string()));
        Formula::Atom(Atom { open: open.to_string(), arguments, close: close.to_string() })
    }

    /// A condition of a rule of this level. It names relations up to `highest`.
    fn formula(&mut self, level: u8, highest: u8, depth: usize) -> Formula {
        let lower = highest.min(level.saturating_sub(1));
        match self.tape.below(if depth == 0 { 7 } else { 11 }) {
            0..=3 => Formula::Atom(self.condition(highest)),
            4 => Formula::Not(Box::new(Formula::Atom(self.condition(lower)))),
            5 | 6 => {
                let left = self.compared();
                let right = self.compared();
                Formula::Distinct(left, right)
            }
            7 | 8 => Formula::Or(self.formulas(level, highest, depth - 1)),
            9 => Formula::Not(Box::new(Formula::Or(self.formulas(level, lower, depth - 1)))),
            _ => Formula::Not(Box::new(Formula::And(self.formulas(level, lower, depth - 1)))),
        }
    }

    fn formulas(&mut self, level: u8, highest: u8, depth: usize) -> Vec<Formula> {
        (0..2 + self.tape.below(2))
            .map(|_| match self.tape.below(6) {
                5 => Formula::And(
                    (0..2).map(|_| self.formula(level, highest, depth.min(1) / 2)).collect(),
                ),
                _ => self.formula(level, highest, depth),
            })
            .collect()
    }

    /// An atom of a relation up to this level, of the level itself more often than chance has it.
    fn condition(&mut self, highest: u8) -> Atom {
        let allowed: Vec<Relation> =
            RELATIONS.iter().copied().filter(|relation| relation.0 <= highest).collect();
        let own: Vec<Relation> =
            allowed.iter().copied().filter(|relation| relation.0 == highest).collect();
        let relation = match self.tape.one_in(4) && !own.is_empty() {
            true => self.tape.pick(&own),
            false => self.tape.pick(&allowed),
        };
        self.atom(relation)
    }

    fn atom(&mut self, (_, open, sorts, close): Relation) -> Atom {
        let mut open = open.to_string();
        let mut close = close.to_string();
        let mut arguments: Vec<Term> = sorts.iter().map(|&sort| self.term(sort)).collect();
        // Moves are overloaded: `(m x)`, `(m x y)` and `(k (p x y))`.
        if (open == "(legal" || open == "(does") && sorts.len() == 2 {
            let role = arguments.remove(0);
            open = format!("{open} {role}");
            // The role is part of the text, so a variable there must be said again as an argument.
            let (functor, more) = match self.tape.below(4) {
                0 | 1 => ("(m", None),
                2 => ("(m", Some(Item)),
                _ => ("(k", Some(Pair)),
            };
            if functor == "(k" {
                arguments.clear();
            }
            arguments.extend(more.map(|sort| self.term(sort)));
            let action = Term::Function(if functor == "(k" { "k" } else { "m" }, arguments);
            open = open.rsplit_once(' ').map(|(word, _)| word.to_string()).unwrap_or(open);
            arguments = vec![role, action];
            close = ")".to_string();
        }
        Atom { open, arguments, close }
    }

    fn few(&self) -> bool {
        self.items > 3
    }

    fn term(&mut self, sort: Sort) -> Term {
        match (sort, self.tape.below(8)) {
            (Item, 0..=5) => {
                let names: &[&'static str] =
                    if self.few() { &["?x", "?y"] } else { &["?x", "?y", "?z", "?w"] };
                Term::Variable(self.tape.pick(names), Item)
            }
            (Item, _) => Term::Constant(format!("i{}", self.tape.below(self.items))),
            (Pair, 0..=2) => {
                let names: &[&'static str] = if self.few() { &["?a"] } else { &["?a", "?b"] };
                Term::Variable(self.tape.pick(names), Pair)
            }
            (Pair, _) => Term::Function("p", vec![self.term(Item), self.term(Item)]),
            (Role, 0..=4) => Term::Variable("?r", Role),
            (Role, _) => Term::Constant(format!("r{}", self.tape.below(self.roles))),
        }
    }

    /// A side of a `distinct`: of any sort, compound or not.
    fn compared(&mut self) -> Term {
        match self.tape.below(6) {
            0 | 1 => self.term(Item),
            2 | 3 => self.term(Pair),
            4 => Term::Function("q", vec![self.term(Item)]),
            _ => Term::Function("q", vec![self.term(Pair), self.term(Item)]),
        }
    }
}
