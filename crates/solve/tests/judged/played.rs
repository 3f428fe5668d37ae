//! Games as rules, played by the plain interpreter: the judge sees no net.

use std::collections::BTreeMap;

use gambol_net::{FluentId, MoveId, Net};
use gambol_reference::{GroundTerm, Interpreter, State};
use gambol_syntax::Rules;

use crate::judge::Game;

pub(crate) struct Played {
    interpreter: Interpreter,
    /// What is legal where it was asked last.
    legal: (Option<State>, Vec<Vec<GroundTerm>>),
}

pub(crate) fn rules_of(text: &str) -> Rules {
    let read = gambol_syntax::read(text.as_bytes(), &Default::default());
    let rules = read.rules.unwrap_or_else(|| panic!("it does not parse\n{text}"));
    let repaired = gambol_syntax::repair(rules);
    repaired.rules.unwrap_or_else(|| panic!("it cannot be played\n{text}"))
}

impl Played {
    pub(crate) fn new(rules: &Rules) -> Self {
        let interpreter = Interpreter::new(rules).expect("the rules can be interpreted");
        Self { interpreter, legal: (None, Vec::new()) }
    }

    /// The fluents of the net that are true in a state, in the order of the state.
    pub(crate) fn fluents(&self, net: &Net, state: &State) -> Vec<FluentId> {
        let known: BTreeMap<&str, FluentId> =
            net.fluents.iter_ids().map(|(id, name)| (&**name, id)).collect();
        let names = self.interpreter.sorted_texts(state.fluents());
        let fluent = |name: &String| known.get(name.as_str()).copied();
        names
            .iter()
            .map(|name| fluent(name).unwrap_or_else(|| panic!("{name} is unknown")))
            .collect()
    }

    pub(crate) fn text(&self, state: &State) -> String {
        self.interpreter.sorted_texts(state.fluents()).join(" ")
    }
}

impl Game for Played {
    type Position = State;
    type Choice = GroundTerm;

    fn roles(&self) -> usize {
        self.interpreter.roles().len()
    }

    fn start(&mut self) -> State {
        self.interpreter.initial().expect("there is a start")
    }

    fn over(&mut self, position: &State) -> bool {
        self.interpreter.terminal(position).expect("it is over or not")
    }

    fn legal(&mut self, position: &State, role: usize) -> Vec<GroundTerm> {
        if self.legal.0.as_ref() != Some(position) {
            let legal = self.interpreter.legal(position).expect("moves can be listed");
            self.legal = (Some(position.clone()), legal);
        }
        self.legal.1[role].clone()
    }

    fn next(&mut self, position: &State, joint: &[GroundTerm]) -> State {
        self.interpreter.next(position, joint).expect("a step can be made")
    }

    fn payoff(&mut self, position: &State, role: usize) -> (u32, u32) {
        let goals = self.interpreter.goals(position).expect("goals can be listed");
        let values = goals[role].iter().filter_map(|&goal| self.interpreter.number(goal));
        let values: Vec<u32> = values.collect();
        match (values.iter().min(), values.iter().max()) {
            (Some(&least), Some(&most)) => (least, most),
            _ => (0, 100),
        }
    }

    fn choice(&mut self, net: &Net, action: MoveId) -> GroundTerm {
        let terms = self.interpreter.terms_from_text(&net.moves[action].name);
        terms.expect("a move is a term")[0]
    }
}
