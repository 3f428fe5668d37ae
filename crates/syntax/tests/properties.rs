//! Claims about all texts and all rules, tried on random ones.

use gambol_syntax::{
    Atom, Category, Clause, Colour, Literal, LiteralId, Notation, ReadOptions, Rules, Source, Span,
    SyntaxLimits, Term, TermId, check, has_errors, print, read, repair, report, stratification,
};
use proptest::prelude::*;

const PREFIX_GAME: &str = "; a game\n(role r) (role s)\n(init (cell 1 b)) ; start\n\
    (<= (legal ?r (mark ?x)) (role ?r) (true (cell ?x b)))\n\
    (<= (next (cell ?x ?r))\n    (does ?r (mark ?x)) ; who\n    (not (true (cell ?x ?r))))\n\
    (<= terminal (or (true (cell 1 r)) (distinct a b)))\n(goal r 100) (goal s 0)\n";
const INFIX_GAME: &str = "% a game\nrole(r) role(s).\ninit(cell(1,b)) % start\n\
    legal(R,mark(X)) :- role(R) & true(cell(X,_))\n\
    next(cell(X,R)) :-\n    does(R,mark(X)) & % who\n    ~true(cell(X,R))\n\
    terminal :- (true(cell(1,r)) | distinct(a,b))\ngoal(r,100) goal(s,0)\n";

/// Reads, checks, repairs, prints and reports; what matters is that nothing panics.
fn exercise(text: &[u8]) {
    let limits = SyntaxLimits { depth: 20, arity: 20, token: 20, ..SyntaxLimits::default() };
    for syntax in [None, Some(Notation::Prefix), Some(Notation::Infix)] {
        let reading =
            read(text, &ReadOptions { syntax, limits: limits.clone(), ..Default::default() });
        let mut findings = reading.diagnoses;
        if let Some(rules) = reading.rules {
            findings.extend(check(&rules));
            stratification::negative_cycles(&rules);
            print::to_infix(&rules);
            print::to_prefix(&rules);
            let repaired = repair(rules);
            repaired.rules.iter().for_each(assert_fit_for_play);
            assert_eq!(repaired.rules.is_none(), has_errors(&repaired.diagnoses));
            findings.extend(repaired.diagnoses);
        }
        let source = Source::new(text);
        for finding in &findings {
            let shown = report(finding, &source, "text", Colour::Never);
            assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        }
    }
}

/// What repair promises to those who come later.
fn assert_fit_for_play(rules: &Rules) {
    const MENDED: &[Category] = &[
        Category::Unsafe,
        Category::FactVariable,
        Category::InitDepends,
        Category::DoesDependence,
        Category::KeywordArity,
        Category::BodyKeyword,
        Category::ConnectiveArity,
        Category::ReservedHead,
        Category::RoleRule,
        Category::RoleNotConstant,
        Category::MissingRole,
    ];
    let left = check(rules);
    let broken = left.iter().find(|finding| MENDED.contains(&finding.category));
    assert!(broken.is_none(), "{broken:?}\n{}", print::to_prefix(rules));
}

const SIGNS: &[u8] = b"()?;%.,:-&|~ \n\r\"<=_X";

fn mutated(text: &str, changes: &[(usize, u8, u8)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for &(place, what, byte) in changes {
        let place = place % (bytes.len() + 1);
        match what % 4 {
            0 => bytes.insert(place, byte),
            1 if place < bytes.len() => _ = bytes.remove(place),
            2 if place < bytes.len() => bytes[place] = SIGNS[usize::from(byte) % SIGNS.len()],
            _ => bytes.truncate(place),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_it_panic(text in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&text);
    }

    #[test]
    fn no_sequence_of_words_makes_it_panic(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..60)
    ) {
        exercise(words.join(" ").as_bytes());
        exercise(words.concat().as_bytes());
    }

    #[test]
    fn odd_rules_are_mended_or_refused(
        lines in prop::collection::vec(prop::sample::select(ODD_RULES), 0..8)
    ) {
        exercise(format!("(role r) (legal r go) {}", lines.join("\n")).as_bytes());
    }

    #[test]
    fn no_mutation_of_a_game_makes_it_panic(
        changes in prop::collection::vec((any::<usize>(), any::<u8>(), any::<u8>()), 1..6)
    ) {
        exercise(&mutated(PREFIX_GAME, &changes));
        exercise(&mutated(INFIX_GAME, &changes));
    }

    #[test]
    fn reading_what_was_printed_gives_the_same_rules(sheet in sheet()) {
        let rules = build(&sheet);
        for (notation, text) in
            [(Notation::Prefix, print::to_prefix(&rules)), (Notation::Infix, print::to_infix(&rules))]
        {
            let options = ReadOptions { syntax: Some(notation), ..ReadOptions::default() };
            let reading = read(text.as_bytes(), &options);
            let again = reading.rules.unwrap_or_else(|| panic!("{text}\n{:?}", reading.diagnoses));
            prop_assert!(same_rules(&rules, &again), "{}", text);
        }
    }
}

const WORDS: &[&str] = &[
    "(", ")", "((", "))", "(<=", "<=", "not", "or", "and", "distinct", "?x", "?", "X", "_", "p",
    "q", "role", "true", "does", "next", "legal", "goal", "terminal", "base", "init", "sees",
    "100", ":-", "&", "|", "~", ",", ".", ";", "%", "\n", "\"", "[", "a.b", "-5", "(or)", "(p",
    "\u{85}", "é",
];

const ODD_RULES: &[&str] = &[
    "(<= (next a) (next b))",
    "(<= (next (p ?x)) (does r ?x))",
    "(<= terminal (next a))",
    "(<= (init a) (true b))",
    "(<= (init ?x) (init ?x))",
    "(<= aux (does r go) (next a))",
    "(<= (legal r b) aux)",
    "(<= (goal r 50) (not aux))",
    "(<= aux (or (does r go) (true a)))",
    "(<= (base ?x) (true ?x))",
    "(base p q)",
    "(<= (input ?r a) (next a))",
    "(goal ?r 3)",
    "(<= (legal ?r ?m) (does ?r ?m))",
    "(<= (role ?x) (p ?x))",
    "(role q)",
    "(<= (q ?x) aux)",
    "(<= aux (not (and (q ?x) (does r ?x))))",
    "(sees r a)",
    "(<= aux (sees r a) (input r a))",
    "(<= (terminal now) (legal r b))",
    "(true a b)",
    "(<= terminal (true a b) not or)",
    "(distinct a b)",
    "(<= (role s) (init a))",
    "(role)",
    "(<= aux aux)",
    "(<= (next a) (not aux))",
];

/// A rulesheet as nested values, to be drawn at random.
#[derive(Clone, Debug)]
enum TermTree {
    Variable(u8),
    Function(u8, Vec<TermTree>),
}

#[derive(Clone, Debug)]
enum LiteralTree {
    Atom(u8, Vec<TermTree>),
    Distinct(TermTree, TermTree),
    Not(Box<LiteralTree>),
    Or(Vec<LiteralTree>),
    And(Vec<LiteralTree>),
}

type ClauseTree = (u8, Vec<TermTree>, Vec<LiteralTree>);

const NAMES: &[&str] = &["p", "cell", "a-b", "7", "2.5", "+", "role", "true", "next", "terminal"];
const VARIABLES: &[&str] = &["x", "X", "_", "Y1", "role", "-"];

fn term_tree() -> impl Strategy<Value = TermTree> {
    let leaf = prop_oneof![
        any::<u8>().prop_map(TermTree::Variable),
        any::<u8>().prop_map(|name| TermTree::Function(name, Vec::new())),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        (any::<u8>(), prop::collection::vec(inner, 1..4))
            .prop_map(|(name, parts)| TermTree::Function(name, parts))
    })
}

fn literal_tree() -> impl Strategy<Value = LiteralTree> {
    let terms = prop::collection::vec(term_tree(), 0..4);
    let leaf = prop_oneof![
        4 => (any::<u8>(), terms).prop_map(|(name, terms)| LiteralTree::Atom(name, terms)),
        1 => (term_tree(), term_tree()).prop_map(|(left, right)| LiteralTree::Distinct(left, right)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let parts = prop::collection::vec(inner.clone(), 2..4);
        prop_oneof![
            inner.prop_map(|part| LiteralTree::Not(Box::new(part))),
            parts.clone().prop_map(LiteralTree::Or),
            parts.prop_map(LiteralTree::And),
        ]
    })
}

fn sheet() -> impl Strategy<Value = Vec<ClauseTree>> {
    let head = (any::<u8>(), prop::collection::vec(term_tree(), 0..3));
    let body = prop::collection::vec(literal_tree(), 0..4);
    let clause = (head, body).prop_map(|((name, terms), body)| (name, terms, body));
    prop::collection::vec(clause, 1..6)
}

fn build(sheet: &[ClauseTree]) -> Rules {
    let mut rules = Rules::new();
    for (name, terms, body) in sheet {
        let head = build_atom(&mut rules, *name, terms);
        let body = body.iter().map(|literal| build_literal(&mut rules, literal)).collect();
        rules.clauses.push(Clause { head, body, span: Span::default() });
    }
    rules
}

fn build_atom(rules: &mut Rules, name: u8, terms: &[TermTree]) -> Atom {
    let relation = rules.symbols.intern(NAMES[usize::from(name) % NAMES.len()]);
    let arguments = terms.iter().map(|term| build_term(rules, term)).collect();
    Atom { relation, arguments, span: Span::default() }
}

fn build_term(rules: &mut Rules, tree: &TermTree) -> TermId {
    match tree {
        TermTree::Variable(name) => {
            let name = rules.symbols.intern(VARIABLES[usize::from(*name) % VARIABLES.len()]);
            rules.add_variable(name, Span::default())
        }
        TermTree::Function(name, parts) => {
            let name = rules.symbols.intern(NAMES[usize::from(*name) % NAMES.len()]);
            let parts: Vec<TermId> = parts.iter().map(|part| build_term(rules, part)).collect();
            rules.add_function(name, &parts, Span::default())
        }
    }
}

fn build_literal(rules: &mut Rules, tree: &LiteralTree) -> LiteralId {
    let literal = match tree {
        LiteralTree::Atom(name, terms) => Literal::Atom(build_atom(rules, *name, terms)),
        LiteralTree::Distinct(left, right) => {
            Literal::Distinct(build_term(rules, left), build_term(rules, right))
        }
        LiteralTree::Not(part) => Literal::Not(build_literal(rules, part)),
        LiteralTree::Or(parts) => {
            Literal::Or(parts.iter().map(|p| build_literal(rules, p)).collect())
        }
        LiteralTree::And(parts) => {
            Literal::And(parts.iter().map(|p| build_literal(rules, p)).collect())
        }
    };
    rules.add_literal(literal, Span::default())
}

/// Equality up to the names of variables.
fn same_rules(left: &Rules, right: &Rules) -> bool {
    left.clauses.len() == right.clauses.len()
        && left.clauses.iter().zip(&right.clauses).all(|(a, b)| {
            let mut pairing = Pairing { left, right, variables: Vec::new() };
            pairing.atoms(&a.head, &b.head) && pairing.literals(&a.body, &b.body)
        })
}

struct Pairing<'a> {
    left: &'a Rules,
    right: &'a Rules,
    variables: Vec<(String, String)>,
}

impl Pairing<'_> {
    fn atoms(&mut self, a: &Atom, b: &Atom) -> bool {
        self.left.symbols.text(a.relation) == self.right.symbols.text(b.relation)
            && self.terms(&a.arguments, &b.arguments)
    }

    fn terms(&mut self, a: &[TermId], b: &[TermId]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.term(a, b))
    }

    fn term(&mut self, a: TermId, b: TermId) -> bool {
        let (left, right) = (self.left, self.right);
        match (left.term(a), right.term(b)) {
            (Term::Function(a, a_parts), Term::Function(b, b_parts)) => {
                left.symbols.text(a) == right.symbols.text(b) && self.terms(a_parts, b_parts)
            }
            (Term::Variable(a), Term::Variable(b)) => {
                let pair = (left.symbols.text(a).to_owned(), right.symbols.text(b).to_owned());
                let known =
                    self.variables.iter().find(|(a, b)| *a == pair.0 || *b == pair.1).cloned();
                match known {
                    Some(known) => known == pair,
                    None => {
                        self.variables.push(pair);
                        true
                    }
                }
            }
            _ => false,
        }
    }

    fn literals(&mut self, a: &[LiteralId], b: &[LiteralId]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| self.literal(a, b))
    }

    fn literal(&mut self, a: LiteralId, b: LiteralId) -> bool {
        match (self.left.literal(a), self.right.literal(b)) {
            (Literal::Atom(a), Literal::Atom(b)) => self.atoms(a, b),
            (&Literal::Distinct(a, b), &Literal::Distinct(c, d)) => self.terms(&[a, b], &[c, d]),
            (&Literal::Not(a), &Literal::Not(b)) => self.literal(a, b),
            (Literal::Or(a), Literal::Or(b)) | (Literal::And(a), Literal::And(b)) => {
                self.literals(a, b)
            }
            _ => false,
        }
    }
}
