//! Ground games without sense: random formulas, some of them recursive, under random roots, and
//! what they mean by the plainest possible evaluation.

use std::ops::Range;
use std::sync::Arc;

use gambol_ground::{
    AtomName, FluentId, Formula, FormulaId, Formulas, Goal, GroundGame, Move, MoveId, Names,
    Percept, RoleId, Signal, View,
};
use gambol_syntax::Symbols;
use proptest::prelude::*;

pub(crate) const FLUENTS: u32 = 5;
pub(crate) const MOVES: u32 = 4;

/// A game, and where its recursive formulas lie.
#[derive(Clone, Debug)]
pub(crate) struct RandomGame {
    pub(crate) game: GroundGame,
    cyclic: Range<u32>,
}

/// A gate to make: AND or OR, and which earlier signals it reads.
type Recipe = (bool, Vec<(usize, bool)>);

fn recipes(count: usize) -> impl Strategy<Value = Vec<Recipe>> {
    let inputs = prop::collection::vec((any::<usize>(), any::<bool>()), 0..4);
    prop::collection::vec((any::<bool>(), inputs), 0..count)
}

/// Any game.
pub(crate) fn random_game() -> impl Strategy<Value = RandomGame> {
    let picks = prop::collection::vec((any::<usize>(), any::<bool>()), 30);
    let closings = prop::collection::vec(prop::collection::vec(any::<usize>(), 0..3), 0..6);
    let initial = prop::collection::vec(any::<bool>(), FLUENTS as usize);
    (recipes(15), recipes(10), closings, recipes(15), picks, initial).prop_map(
        |(below, inside, closings, above, picks, initial)| {
            let (formulas, signals, cyclic) = formulas(&below, &inside, &closings, &above);
            RandomGame { game: game(formulas, &signals, &picks, &initial), cyclic }
        },
    )
}

/// Formulas below the recursion, the recursion, in which only what is below may be negated, and
/// formulas above it.
fn formulas(
    below: &[Recipe],
    inside: &[Recipe],
    closings: &[Vec<usize>],
    above: &[Recipe],
) -> (Formulas, Vec<Signal>, Range<u32>) {
    let mut formulas = Formulas::new();
    let mut signals = vec![Signal::FALSE];
    signals.extend((0..FLUENTS).map(|id| formulas.fluent(FluentId::new(id))));
    signals.extend((0..MOVES).map(|id| formulas.does(MoveId::new(id))));
    add(&mut formulas, &mut signals, below, 0);
    let start = formulas.len() as u32;
    let first_cyclic = signals.len();
    signals.extend(closings.iter().map(|_| formulas.open_or()));
    add(&mut formulas, &mut signals, inside, first_cyclic);
    for (row, closing) in closings.iter().enumerate() {
        let inputs: Vec<Signal> =
            closing.iter().map(|pick| signals[pick % signals.len()]).collect();
        formulas.close_or(signals[first_cyclic + row], inputs);
    }
    let cyclic = start..formulas.len() as u32;
    add(&mut formulas, &mut signals, above, 0);
    (formulas, signals, cyclic)
}

/// Signals from `positive` on are not negated, unless `positive` is 0.
fn add(formulas: &mut Formulas, signals: &mut Vec<Signal>, recipes: &[Recipe], positive: usize) {
    for (is_and, inputs) in recipes {
        let inputs: Vec<Signal> = inputs
            .iter()
            .map(|&(pick, negate)| {
                let pick = pick % signals.len();
                let negate = negate && (positive == 0 || pick < positive);
                if negate { !signals[pick] } else { signals[pick] }
            })
            .collect();
        signals.push(if *is_and { formulas.and(inputs) } else { formulas.or(inputs) });
    }
}

fn game(
    formulas: Formulas,
    signals: &[Signal],
    picks: &[(usize, bool)],
    initial: &[bool],
) -> GroundGame {
    let mut picks = picks.iter().cycle();
    let mut pick = || {
        let &(pick, negate) = picks.next().unwrap();
        let signal = signals[pick % signals.len()];
        if negate { !signal } else { signal }
    };
    let mut symbols = Symbols::new();
    let relation = symbols.intern("view");
    let view = AtomName { relation, arguments: Box::new([]) };
    let role = |id: u32| RoleId::new(id / (MOVES / 2));
    let name = |kind: &str, id: u32| format!("{kind}{id}").into_boxed_str();
    GroundGame {
        roles: vec!["left".into(), "right".into()].into(),
        fluents: (0..FLUENTS).map(|id| name("f", id)).collect(),
        moves: (0..MOVES).map(|id| Move { role: role(id), name: name("m", id) }).collect(),
        initial: (0..FLUENTS).filter(|&id| initial[id as usize]).map(FluentId::new).collect(),
        next: (0..FLUENTS).map(|_| pick()).collect(),
        legal: (0..MOVES).map(|_| pick()).collect(),
        terminal: pick(),
        goals: (0..4).map(|id| Goal { role: role(id), value: 10 * id, when: pick() }).collect(),
        percepts: (0..2)
            .map(|id| Percept { role: role(id), name: name("p", id), when: pick() })
            .collect(),
        views: (0..8).map(|_| View { atom: view.clone(), when: pick() }).collect(),
        formulas,
        names: Arc::new(Names::new(symbols)),
    }
}

/// What the formulas are worth under an assignment, in the order next, legal, terminal, goals,
/// percepts, views.
impl RandomGame {
    pub(crate) fn roots(&self) -> Vec<Signal> {
        let game = &self.game;
        let mut roots: Vec<Signal> = game.next.iter().chain(&game.legal).copied().collect();
        roots.push(game.terminal);
        roots.extend(game.goals.iter().map(|goal| goal.when));
        roots.extend(game.percepts.iter().map(|percept| percept.when));
        roots.extend(game.views.iter().map(|view| view.when));
        roots
    }

    pub(crate) fn naive(&self, fluents: &[FluentId], moves: &[MoveId]) -> Vec<bool> {
        let count = self.game.formulas.len() as u32;
        let mut values = vec![false; count as usize];
        self.sweep(0..self.cyclic.start, &mut values, fluents, moves);
        while self.sweep(self.cyclic.clone(), &mut values, fluents, moves) {}
        self.sweep(self.cyclic.end..count, &mut values, fluents, moves);
        self.roots().into_iter().map(|root| value(&values, root)).collect()
    }

    /// Whether anything changed.
    fn sweep(
        &self,
        range: Range<u32>,
        values: &mut [bool],
        fluents: &[FluentId],
        moves: &[MoveId],
    ) -> bool {
        let mut changed = false;
        for id in range {
            let found = match self.game.formulas.formula(FormulaId::new(id)) {
                Formula::False => false,
                Formula::Fluent(fluent) => fluents.contains(&fluent),
                Formula::Does(action) => moves.contains(&action),
                Formula::And(inputs) => inputs.iter().all(|&input| value(values, input)),
                Formula::Or(inputs) => inputs.iter().any(|&input| value(values, input)),
            };
            changed |= found != values[id as usize];
            values[id as usize] = found;
        }
        changed
    }
}

fn value(values: &[bool], signal: Signal) -> bool {
    values[signal.formula().number() as usize] != signal.is_negated()
}
