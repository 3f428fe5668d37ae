//! Random small games, as text that is valid by construction.
//!
//! A game is a list of small numbers, so that a failing one shrinks to a short one. Relations have
//! levels; a condition may name its own level or a lower one, a negated condition only a lower one.
//! So recursion occurs and negation is stratified, whatever the numbers are.

use std::fmt::Write;

use proptest::prelude::*;

/// A condition as numbers; [`Writer`] gives them their meaning.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    relation: u8,
    negated: bool,
    arguments: [u8; 2],
}

/// A rule as numbers.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    head: u8,
    arguments: [u8; 2],
    body: Vec<Condition>,
    /// Whether the last two conditions are alternatives.
    alternatives: bool,
}

/// A game as numbers.
#[derive(Clone, Debug)]
pub(crate) struct Sketch {
    /// Which of [`CUSTOMARY`] are in.
    customary: u16,
    edges: u16,
    initial: u16,
    rules: Vec<Rule>,
}

/// All sketches.
pub(crate) fn sketches() -> impl Strategy<Value = Sketch> {
    let condition = (any::<u8>(), any::<bool>(), any::<[u8; 2]>())
        .prop_map(|(relation, negated, arguments)| Condition { relation, negated, arguments });
    let body = prop::collection::vec(condition, 0..4);
    let rule = (any::<u8>(), any::<[u8; 2]>(), body, prop::bool::weighted(0.3)).prop_map(
        |(head, arguments, body, alternatives)| Rule { head, arguments, body, alternatives },
    );
    (any::<[u16; 3]>(), prop::collection::vec(rule, 0..24)).prop_map(
        |([customary, edges, initial], rules)| Sketch { customary, edges, initial, rules },
    )
}

/// A relation that conditions may name.
struct Relation {
    level: u8,
    /// The text before the arguments, for example `(true (g`.
    open: &'static str,
    arity: usize,
    close: &'static str,
}

const fn relation(level: u8, open: &'static str, arity: usize, close: &'static str) -> Relation {
    Relation { level, open, arity, close }
}

/// Sorted by level. Those of one level may call one another.
const RELATIONS: &[Relation] = &[
    relation(0, "(edge", 2, ")"),
    relation(0, "(true f", 0, ")"),
    relation(0, "(true (g", 1, "))"),
    relation(0, "(true (h", 2, "))"),
    relation(1, "(odd", 1, ")"),
    relation(1, "(even", 1, ")"),
    relation(2, "still", 0, ""),
    relation(3, "(path", 2, ")"),
    relation(3, "(way", 2, ")"),
    relation(4, "(far", 1, ")"),
    relation(5, "(legal one (a", 1, "))"),
    relation(5, "(legal two (b", 2, "))"),
    relation(6, "(does one (a", 1, "))"),
    relation(6, "(does two (b", 2, "))"),
    relation(6, "(does one wait)", 0, ""),
    relation(7, "(hit", 1, ")"),
    relation(7, "(reach", 1, ")"),
    relation(8, "quiet", 0, ""),
];

/// The relations that rules may define, and the highest level their conditions may name.
const HEADS: &[(Relation, u8)] = &[
    (relation(9, "(next f", 0, ")"), 8),
    (relation(9, "(next (g", 1, "))"), 8),
    (relation(9, "(next (h", 2, "))"), 8),
    (relation(9, "(next (g", 1, "))"), 8),
    (relation(9, "(next (h", 2, "))"), 8),
    (relation(1, "(odd", 1, ")"), 1),
    (relation(1, "(even", 1, ")"), 1),
    (relation(2, "still", 0, ""), 2),
    (relation(3, "(path", 2, ")"), 3),
    (relation(3, "(way", 2, ")"), 3),
    (relation(4, "(far", 1, ")"), 4),
    (relation(5, "(legal one (a", 1, "))"), 5),
    (relation(5, "(legal two (b", 2, "))"), 5),
    (relation(7, "(hit", 1, ")"), 7),
    (relation(7, "(reach", 1, ")"), 7),
    (relation(8, "quiet", 0, ""), 8),
    (relation(6, "(goal one 100", 0, ")"), 5),
    (relation(6, "(goal one 30", 0, ")"), 5),
    (relation(6, "(goal two 50", 0, ")"), 5),
    (relation(6, "terminal", 0, ""), 5),
];

/// Rules that chance alone would seldom make: recursion that something feeds, and moves that matter.
const CUSTOMARY: [&str; 13] = [
    "(<= (path ?x ?y) (true (h ?x ?y)))",
    "(<= (path ?x ?z) (path ?x ?y) (way ?y ?z))",
    "(<= (way ?x ?y) (path ?x ?y) (not still))",
    "(<= (odd ?x) (true (g ?x)))",
    "(<= (even ?y) (odd ?x) (edge ?x ?y))",
    "(<= (odd ?y) (even ?x) (true (h ?x ?y)))",
    "(<= (reach ?x) (does one (a ?x)))",
    "(<= (reach ?y) (reach ?x) (true (h ?x ?y)))",
    "(<= (next (h ?x ?y)) (true (h ?x ?y)) (not (does one (a ?x))))",
    "(<= (next (g ?x)) (reach ?x))",
    "(<= (next (h ?x ?y)) (does two (b ?x ?y)))",
    "(<= (legal two (b ?x ?y)) (edge ?x ?y))",
    "(<= (legal one (a ?x)) (item ?x) (not (far ?x)))",
];

const ITEMS: [&str; 3] = ["i", "j", "k"];
const TERMS: [&str; 5] = ["?x", "?y", "i", "j", "k"];

impl Sketch {
    /// The game as GDL.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from("(role one) (role two)\n(item i) (item j) (item k)\n");
        text.push_str("(legal one wait) (legal two wait)\n(<= (goal two 0) (not (true f)))\n");
        for (bit, (from, to)) in pairs().enumerate() {
            if self.edges >> bit & 1 == 1 {
                let _ = writeln!(text, "(edge {from} {to})");
            }
            if self.initial >> bit & 1 == 1 {
                let _ = writeln!(text, "(init (h {from} {to}))");
            }
        }
        for (bit, fluent) in ["f", "(g i)", "(g j)", "(g k)"].iter().enumerate() {
            if self.initial >> (9 + bit) & 1 == 1 {
                let _ = writeln!(text, "(init {fluent})");
            }
        }
        for (bit, rule) in CUSTOMARY.iter().enumerate() {
            if self.customary >> bit & 1 == 1 {
                let _ = writeln!(text, "{rule}");
            }
        }
        for rule in &self.rules {
            rule.write(&mut text);
        }
        text
    }
}

fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    ITEMS.into_iter().flat_map(|from| ITEMS.into_iter().map(move |to| (from, to)))
}

impl Rule {
    fn write(&self, text: &mut String) {
        let (head, highest) = &HEADS[usize::from(self.head) % HEADS.len()];
        let own_level = head.level;
        let head = application(head, self.arguments);
        let conditions: Vec<(String, bool)> =
            self.body.iter().map(|condition| condition.text(own_level, *highest)).collect();
        let mut body: Vec<String> = conditions.iter().map(|(text, _)| text.clone()).collect();
        let mut bound: String =
            conditions.iter().filter(|(_, binds)| *binds).map(|(text, _)| text.as_str()).collect();
        if self.alternatives && body.len() >= 2 {
            let (last, before) = (body.pop().unwrap(), body.pop().unwrap());
            body.push(format!("(or {before} {last})"));
            // An alternative binds nothing by itself.
            bound = conditions[..body.len() - 1]
                .iter()
                .filter(|(_, binds)| *binds)
                .map(|(text, _)| text.as_str())
                .collect();
        }
        let whole = format!("{head} {}", body.join(" "));
        for variable in ["?x", "?y"] {
            if whole.contains(variable) && !bound.contains(variable) {
                body.push(format!("(item {variable})"));
            }
        }
        let _ = writeln!(text, "(<= {head} {})", body.join(" "));
    }
}

impl Condition {
    /// The condition, and whether it binds its variables.
    fn text(&self, own_level: u8, highest: u8) -> (String, bool) {
        if self.relation >= 240 {
            let [one, other] = self.arguments.map(term);
            return (format!("(distinct {one} {other})"), false);
        }
        let relation = self.relation(own_level, highest);
        let atom = application(relation, self.arguments);
        if self.negated { (format!("(not {atom})"), false) } else { (atom, true) }
    }
}

impl Condition {
    fn relation(&self, own_level: u8, highest: u8) -> &'static Relation {
        let own = RELATIONS.iter().filter(|relation| relation.level == own_level);
        let own: Vec<&Relation> = own.collect();
        // Every third condition calls its own level, or hardly any game would be recursive.
        if !self.negated && self.relation % 3 == 2 && !own.is_empty() {
            return own[usize::from(self.relation) / 3 % own.len()];
        }
        let limit = if self.negated { own_level } else { highest + 1 };
        // Level 0 has no lower one, but its relations have no rules either.
        let choices = RELATIONS.iter().take_while(|relation| relation.level < limit.max(1)).count();
        &RELATIONS[usize::from(self.relation) % choices]
    }
}

fn application(relation: &Relation, arguments: [u8; 2]) -> String {
    let mut text = relation.open.to_string();
    for &argument in &arguments[..relation.arity] {
        text.push(' ');
        text.push_str(term(argument));
    }
    text + relation.close
}

fn term(number: u8) -> &'static str {
    TERMS[usize::from(number) % TERMS.len()]
}
