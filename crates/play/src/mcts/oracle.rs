//! An oracle: an external evaluator of states and moves, for example a learned network.
//!
//! It is asked for the leaves of a round together, and then nothing is played out. Its priors guide the descent as in
//! PUCT (Rosin 2011, in the form of Silver and others 2017): what a move is worth so far, and a bonus in the
//! proportion of its prior that shrinks as the move is tried.

use std::sync::Arc;

use gambol_net::{MoveId, RoleId};
use gambol_sim::State;
use smallvec::SmallVec;

use crate::mcts::selection::Leaf;
use crate::mcts::tree::{Arm, NodeId};
use crate::mcts::tree_search::TreeSearch;

/// A state that an oracle is asked about.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The state.
    pub state: State,
    /// The legal moves of all roles, sorted.
    pub legal: Vec<MoveId>,
}

/// What an oracle says of a state.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The goal that each role can expect, from 0 to 100.
    pub goals: Vec<f32>,
    /// How good each legal move looks, as a share of those of its role; any scale, not less than 0.
    pub priors: Vec<f32>,
}

/// Somebody who is asked what states are worth.
pub trait Oracle: Send + Sync {
    /// An answer to each question, in order; `None` if it cannot answer. Then the search ends.
    fn consult(&self, asked: &[Asked]) -> Option<Vec<Answered>>;
}

/// An oracle, and what it said of the moves in the tree.
pub(crate) struct Consulted {
    oracle: Arc<dyn Oracle>,
    /// By arm, as shares of the moves of one role; not a number where the node was not asked about.
    priors: Vec<f32>,
    /// Whether it gave no answer.
    pub(crate) silent: bool,
}

/// How much priors count against what was seen.
const CONFIDENCE: f64 = 1.5;

impl TreeSearch<'_> {
    /// Asks an oracle about leaves from now on, instead of playing them out.
    pub fn use_oracle(&mut self, oracle: Arc<dyn Oracle>) {
        self.begin_anew();
        self.consulted = Some(Consulted { oracle, priors: Vec::new(), silent: false });
    }

    /// Whether the oracle gave no answer.
    pub fn is_deserted(&self) -> bool {
        self.consulted.as_ref().is_some_and(|consulted| consulted.silent)
    }

    /// Has the leaves judged, and takes that up.
    pub(crate) fn consult(&mut self, descents: &mut Vec<Leaf>) {
        let Some(mut consulted) = self.consulted.take() else { return };
        let (certain, open): (Vec<Leaf>, Vec<Leaf>) = descents
            .drain(..)
            .partition(|leaf| leaf.beyond.is_none() && self.tree.node(leaf.node).settled);
        for leaf in certain {
            self.take_up_certain(&leaf);
            self.spare.push(leaf);
        }
        // The root is no descent's leaf.
        let root = (!consulted.knows(self, self.root)).then_some(self.root);
        let mut asked: Vec<Asked> = root.iter().map(|&node| self.question(node)).collect();
        asked.extend(open.iter().map(|leaf| match &leaf.beyond {
            Some(state) => Asked { state: state.clone(), legal: self.evaluator.legal(state) },
            None => self.question(leaf.node),
        }));
        if !asked.is_empty() {
            let answered = consulted.oracle.consult(&asked);
            let answered = answered.filter(|answered| answered.len() == asked.len());
            consulted.silent = answered.is_none();
            let mut answered = answered.into_iter().flatten();
            if let Some((root, said)) = root.and_then(|root| Some((root, answered.next()?))) {
                consulted.keep(self, root, &said);
            }
            for leaf in open {
                self.take_up_answer(&mut consulted, leaf, answered.next());
            }
        }
        self.consulted = Some(consulted);
    }

    fn question(&self, node: NodeId) -> Asked {
        let arms = self.tree.roles().flat_map(|role| self.tree.arms(node, role));
        let legal = arms.map(|arm| arm.action).collect();
        Asked { state: self.state_at(node), legal }
    }

    fn take_up_answer(&mut self, consulted: &mut Consulted, leaf: Leaf, said: Option<Answered>) {
        let roles = self.tree.roles().count();
        let goals: Option<SmallVec<[f64; 4]>> = said
            .as_ref()
            .filter(|said| said.goals.len() == roles)
            .map(|said| said.goals.iter().map(|&goal| f64::from(goal)).collect());
        consulted.silent |= goals.is_none();
        let worth = goals.map(|goals| self.worth(&goals));
        self.playouts += u64::from(worth.is_some());
        self.take_up(&leaf, worth.as_deref());
        if let Some(said) = said.filter(|_| leaf.beyond.is_none()) {
            consulted.keep(self, leaf.node, &said);
        }
        self.spare.push(leaf);
    }

    /// The place of the move that the priors and what was seen speak for; `None` if there are no priors.
    pub(crate) fn choose_by_priors(&self, node: NodeId, role: RoleId) -> Option<usize> {
        let consulted = self.consulted.as_ref()?;
        let priors = consulted.priors.get(self.tree.span(node, role))?;
        if priors.iter().any(|prior| prior.is_nan()) {
            return None;
        }
        let arms = self.tree.arms(node, role);
        let scale = 1.0 / f64::from(self.best_goals[role].max(1));
        let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
        let goals: f64 = arms.iter().map(|arm| arm.goals).sum();
        // A move that was never tried counts as its node does so far.
        let usual = goals / f64::from(visits.max(1)) * scale;
        let reach = CONFIDENCE * f64::from(visits.max(1)).sqrt();
        let bound = |arm: &Arm, prior: f32| match arm.certain() {
            // What is certain need not be looked at again.
            Some(goal) => f64::from(goal) * scale - 20.0,
            None => {
                let tried = f64::from(arm.visits);
                let value = if arm.visits == 0 { usual } else { arm.goals / tried * scale };
                value + reach * f64::from(prior) / (1.0 + tried)
            }
        };
        let bounds = arms.iter().zip(priors).map(|(arm, &prior)| bound(arm, prior)).enumerate();
        // Of equal bounds the first.
        bounds.rev().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(place, _)| place)
    }
}

impl Consulted {
    fn knows(&self, search: &TreeSearch<'_>, node: NodeId) -> bool {
        let first = search.tree.span(node, RoleId::new(0)).start;
        self.priors.get(first).is_some_and(|prior| !prior.is_nan())
    }

    /// Keeps the priors of a node, as shares by role.
    fn keep(&mut self, search: &TreeSearch<'_>, node: NodeId, said: &Answered) {
        if search.tree.arm_count() > self.priors.len() {
            self.priors.resize(search.tree.arm_count(), f32::NAN);
        }
        let mut given = said.priors.iter().copied();
        for role in search.tree.roles() {
            let span = search.tree.span(node, role);
            let own = &mut self.priors[span];
            for prior in own.iter_mut() {
                *prior = given.next().filter(|prior| prior.is_finite()).unwrap_or(0.0).max(0.0);
            }
            let sum: f32 = own.iter().sum();
            let equal = 1.0 / own.len().max(1) as f32;
            for prior in own {
                *prior = if sum > 0.0 { *prior / sum } else { equal };
            }
        }
    }

    /// The tree was made anew: nothing is known of its moves.
    pub(crate) fn forget(&mut self) {
        self.priors.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::mcts::tree_search::SearchOptions;
    use gambol_net::Net;
    use gambol_sim::Circuit;

    fn tic_tac_toe() -> Net {
        let text = include_str!("../../../../games/tic-tac-toe/rules.kif");
        let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
        let ground = gambol_ground::instantiate(&rules.expect("it parses"), &Default::default());
        gambol_net::simplify(&gambol_net::build(&ground.expect("it grounds")).expect("a net"))
    }

    /// Likes one move, knows nothing else, and counts the questions.
    struct Fond {
        of: MoveId,
        questions: Mutex<Vec<usize>>,
        silent: bool,
    }

    impl Oracle for Fond {
        fn consult(&self, asked: &[Asked]) -> Option<Vec<Answered>> {
            self.questions.lock().expect("nobody panics").push(asked.len());
            let prior = |&action: &MoveId| if action == self.of { 1.0 } else { 0.01 };
            let answer = |asked: &Asked| Answered {
                goals: vec![50.0, 50.0],
                priors: asked.legal.iter().map(prior).collect(),
            };
            (!self.silent).then(|| asked.iter().map(answer).collect())
        }
    }

    fn searched(silent: bool) -> (Vec<(MoveId, u32)>, Vec<usize>, bool, MoveId) {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let of = net.moves.iter_ids().find(|(_, action)| &*action.name == "(put 3 1)");
        let of = of.expect("a move of that name").0;
        let oracle = Arc::new(Fond { of, questions: Mutex::default(), silent });
        let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
        search.use_oracle(oracle.clone());
        search.search_playouts(320);
        let report = search.report(RoleId::new(0));
        let visits = report.moves.iter().map(|one| (one.action, one.visits)).collect();
        let questions = oracle.questions.lock().expect("nobody panics").clone();
        (visits, questions, search.is_deserted(), of)
    }

    #[test]
    fn leaves_are_asked_about_together_and_priors_are_followed() {
        let (visits, questions, deserted, fond) = searched(false);
        assert!(!deserted);
        assert!(questions.len() <= 10 && questions.iter().any(|&asked| asked > 8), "{questions:?}");
        assert_eq!(visits[0].0, fond);
        let all: u32 = visits.iter().map(|one| one.1).sum();
        assert!(2 * visits[0].1 > all, "{visits:?}");
        assert_eq!(searched(false).0, visits);
    }

    #[test]
    fn a_search_ends_when_its_oracle_is_silent() {
        let (_, questions, deserted, _) = searched(true);
        assert!(deserted && questions.len() == 1);
    }
}
