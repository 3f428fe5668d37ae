//! Fluents and moves whose names do not meet: asked for and never provided, or the reverse.
//!
//! `init` and `next` provide the fluents that `true` asks for and `base` declares, `legal` the moves
//! that `does` asks for and `input` declares.

use gambol_syntax::{
    Atom, Category, Diagnosis, Literal, Rules, Span, Symbol, Term, abbreviation, closest,
    counterpart, edit_distance, is_slip, keyword, shown,
};
use rustc_hash::FxHashMap;

use crate::notes::{Notes, Shape, did_you_mean};

pub(crate) fn look(rules: &Rules, notes: &mut Notes) {
    for kind in [&FLUENTS, &MOVES] {
        let market = Market::of(rules, kind);
        market.look(rules, kind, notes);
    }
}

/// Fluents or moves.
struct Kind {
    providers: &'static [Symbol],
    askers: &'static [Symbol],
    declares: Symbol,
    arity: usize,
    missing: Category,
    missing_message: fn(&str) -> String,
    stray_message: fn(&str) -> String,
}

const FLUENTS: Kind = Kind {
    providers: &[keyword::INIT, keyword::NEXT],
    askers: &[keyword::TRUE],
    declares: keyword::BASE,
    arity: 1,
    missing: Category::NeverTrue,
    missing_message: |name| format!("neither init nor next makes the fluent {name} true"),
    stray_message: |name| format!("no rule asks for the fluent {name}"),
};

const MOVES: Kind = Kind {
    providers: &[keyword::LEGAL],
    askers: &[keyword::DOES, keyword::LEGAL],
    declares: keyword::INPUT,
    arity: 2,
    missing: Category::NeverLegal,
    missing_message: |name| format!("the move {name} is never legal"),
    stray_message: |name| format!("no rule asks for the move {name}"),
};

/// With more names than people write, they are not compared.
const MOST_NAMES: usize = 1_000;

/// Where a name stands: the clause and the place.
type Places = Vec<(usize, Span)>;

/// Who provides and who asks.
struct Market {
    provided: Names,
    asked: Names,
    declared: Names,
}

impl Market {
    fn of(rules: &Rules, kind: &Kind) -> Self {
        let [mut provided, mut asked, mut declared] = std::array::from_fn(|_| Names::default());
        for (index, clause) in rules.clauses.iter().enumerate() {
            if kind.providers.contains(&clause.head.relation) {
                provided.add(rules, kind, index, &clause.head);
            } else if clause.head.relation == kind.declares {
                declared.add(rules, kind, index, &clause.head);
            }
            for condition in rules.conditions(&clause.body) {
                match rules.literal(condition.literal) {
                    Literal::Atom(atom) if kind.askers.contains(&atom.relation) => {
                        asked.add(rules, kind, index, atom);
                    }
                    _ => {}
                }
            }
        }
        Self { provided, asked, declared }
    }

    fn look(&self, rules: &Rules, kind: &Kind, notes: &mut Notes) {
        // A variable in a head stands for any fluent or move.
        if self.provided.open {
            return;
        }
        for (shape, places) in self.missing(rules) {
            let stray = self.similar(rules, *shape, self.stray());
            if let Some((stray, heads)) = stray.or_else(|| self.counterpart(rules, *shape)) {
                notes.explained.extend([*shape, *stray]);
                // What is written less often is the slip; a declaration counts as well.
                if heads.len() < places.len().max(self.uses(*shape)) {
                    self.report_stray(rules, kind, *stray, heads, *shape, notes);
                    continue;
                }
            }
            self.report_missing(rules, kind, *shape, places, notes);
        }
        for (shape, places) in self.stray() {
            if notes.explained.contains(shape) {
                continue;
            }
            let text = |shape: Shape| rules.symbols.text(shape.0);
            let slips = self.met().filter(|(met, _)| is_slip(text(*shape), text(*met)));
            let words = || {
                let others = self.provided.list.iter().filter(|(other, _)| other != shape);
                let moves = others.filter(|_| kind.declares == keyword::INPUT);
                moves.filter(|(other, its)| is_other_spelling(rules, (shape, places), (other, its)))
            };
            let meant =
                self.similar(rules, *shape, slips).or_else(|| self.similar(rules, *shape, words()));
            if let Some((meant, _)) = meant {
                notes.explained.insert(*meant);
                self.report_stray(rules, kind, *shape, places, *meant, notes);
            }
        }
    }

    /// Asked for or declared, and never provided. What is only declared may be meant so, unless it
    /// looks misspelt.
    fn missing<'a>(&'a self, rules: &'a Rules) -> impl Iterator<Item = &'a (Shape, Places)> {
        let declared = self.declared.list.iter().filter(|(shape, _)| {
            !self.asked.has(*shape)
                && self.similar(rules, *shape, self.provided.list.iter()).is_some()
        });
        self.asked.list.iter().chain(declared).filter(|(shape, _)| !self.provided.has(*shape))
    }

    /// How often a name is asked for or declared.
    fn uses(&self, shape: Shape) -> usize {
        let count = |names: &Names| names.index.get(&shape).map_or(0, |&at| names.list[at].1.len());
        count(&self.asked) + count(&self.declared)
    }

    /// Provided, and never asked for.
    fn stray(&self) -> impl Iterator<Item = &(Shape, Places)> {
        let stray = |(shape, _): &&(Shape, Places)| {
            let expected = self.asked.has(*shape) || self.declared.has(*shape);
            (!self.asked.open || !self.declared.list.is_empty()) && !expected
        };
        self.provided.list.iter().filter(stray)
    }

    /// Provided, and asked for or declared.
    fn met(&self) -> impl Iterator<Item = &(Shape, Places)> {
        let met = |shape: Shape| self.asked.has(shape) || self.declared.has(shape);
        self.provided.list.iter().filter(move |(shape, _)| met(*shape))
    }

    /// The name of the same arity that is most like this one.
    fn similar<'a>(
        &self,
        rules: &Rules,
        (name, arity): Shape,
        among: impl Iterator<Item = &'a (Shape, Places)>,
    ) -> Option<&'a (Shape, Places)> {
        if self.provided.list.len() > MOST_NAMES {
            return None;
        }
        let text = |name: Symbol| rules.symbols.text(name);
        let fitting: Vec<_> = among.filter(|((_, other), _)| *other == arity).collect();
        let meant = closest(text(name), fitting.iter().map(|((other, _), _)| text(*other)))?;
        fitting.into_iter().find(|((other, _), _)| text(*other) == meant)
    }

    /// The name that no rule asks for and that is one slip away from this one, which nothing provides.
    fn counterpart(&self, rules: &Rules, (name, arity): Shape) -> Option<&(Shape, Places)> {
        let text = |name: Symbol| rules.symbols.text(name);
        let fitting = || self.stray().filter(|((_, other), _)| *other == arity).take(MOST_NAMES);
        let meant = counterpart(text(name), fitting().map(|((other, _), _)| text(*other)))?;
        fitting().find(|((other, _), _)| text(*other) == meant)
    }

    fn report_missing(
        &self,
        rules: &Rules,
        kind: &Kind,
        shape: Shape,
        places: &Places,
        notes: &mut Notes,
    ) {
        notes.explained.insert(shape);
        let name = rules.symbols.text(shape.0);
        let (clause, span) = places[0];
        let finding = Diagnosis::warning(kind.missing, span, (kind.missing_message)(&shown(name)));
        let provided = self.provided.list.iter().take(MOST_NAMES);
        let provided: Vec<&str> = provided.map(|((it, _), _)| rules.symbols.text(*it)).collect();
        let any_arity = || {
            closest(name, provided.iter().copied())
                .or_else(|| abbreviation(name, provided.iter().copied()))
        };
        let meant = self
            .similar(rules, shape, self.provided.list.iter())
            .or_else(|| self.counterpart(rules, shape));
        let finding = match meant {
            Some((_, places)) => finding.with_also(places[0].1),
            None => finding,
        };
        let meant = meant.map(|((it, _), _)| rules.symbols.text(*it)).or_else(any_arity);
        let hint = match meant {
            Some(meant) => did_you_mean(meant),
            None if is_relation(rules, shape) => {
                let name = shown(name);
                format!(
                    "{name} is a relation: ask for it without {}",
                    rules.symbols.text(kind.askers[0])
                )
            }
            None => return notes.add(clause, finding),
        };
        notes.add(clause, finding.with_hint(hint));
        notes.clauses.extend(places.iter().map(|&(clause, _)| clause));
    }

    fn report_stray(
        &self,
        rules: &Rules,
        kind: &Kind,
        stray: Shape,
        places: &Places,
        meant: Shape,
        notes: &mut Notes,
    ) {
        let (clause, span) = places[0];
        let message = (kind.stray_message)(&shown(rules.symbols.text(stray.0)));
        let finding = Diagnosis::warning(Category::NeverRead, span, message);
        notes.add(clause, finding.with_hint(did_you_mean(rules.symbols.text(meant.0))));
    }
}

#[derive(Default)]
struct Names {
    list: Vec<(Shape, Places)>,
    index: FxHashMap<Shape, usize>,
    open: bool,
}

impl Names {
    fn has(&self, shape: Shape) -> bool {
        self.index.contains_key(&shape)
    }

    fn add(&mut self, rules: &Rules, kind: &Kind, clause: usize, atom: &Atom) {
        if atom.arguments.len() != kind.arity {
            return;
        }
        let term = atom.arguments[kind.arity - 1];
        let Term::Function(name, parts) = rules.term(term) else {
            self.open = true;
            return;
        };
        let shape = (name, parts.len());
        let place = *self.index.entry(shape).or_insert_with(|| {
            self.list.push((shape, Vec::new()));
            self.list.len() - 1
        });
        self.list[place].1.push((clause, rules.name_span(rules.term_span(term))));
    }
}

/// Whether a word that stands once is a letter away from another: what one role waits by, and the other misspells.
fn is_other_spelling(
    rules: &Rules,
    (one, its): (&Shape, &Places),
    (other, their): (&Shape, &Places),
) -> bool {
    const SHORTEST: usize = 4;
    let [one, other] = [one, other].map(|shape| rules.symbols.text(shape.0));
    its.len() == 1
        && (their.len() > 1 || their[0] < its[0])
        && one.len().min(other.len()) >= SHORTEST
        && edit_distance(one, other) == 1
}

fn is_relation(rules: &Rules, (name, arity): Shape) -> bool {
    let head = |clause: &gambol_syntax::Clause| (clause.head.relation, clause.head.arguments.len());
    rules.clauses.iter().any(|clause| head(clause) == (name, arity))
}
