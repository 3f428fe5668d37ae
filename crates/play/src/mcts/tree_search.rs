//! Monte-Carlo tree search, batched.
//!
//! A round makes a number of descents. At each node every role selects by UCB over its own moves
//! (decoupled UCT). Descents under way carry a virtual loss, so that the next one goes elsewhere. The
//! leaves of a round are played out together, by other threads if there are any. Terminal states have
//! proven values, and where only one role has a choice these are backed up (MCTS-Solver).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gambol_analysis::OpenGoals;
use gambol_index::IndexVec;
use gambol_net::{MoveId, Net, RoleId};
use gambol_sim::{Circuit, Evaluator, Rollouts, State, Successor};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::mcts::node::{Node, NodeId};
use crate::mcts::selection::Leaf;

/// How to search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchOptions {
    /// For the random games.
    pub seed: u64,
    /// How much a move that was seldom tried is preferred.
    pub exploration: f64,
    /// Random games from each leaf; if nothing is said, as many as take as long as finding the leaf.
    pub playouts: Option<u32>,
    /// Leaves that are played out together.
    pub leaves: usize,
    /// The tree stops growing here; the search goes on in it.
    pub most_nodes: usize,
    /// Random games are cut off after so many steps.
    pub max_steps: u32,
    /// Threads that play random games, this one included.
    pub threads: usize,
    /// Of two roles each wants the other to get little as well: what counts is the difference.
    pub opposed: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            exploration: 0.08,
            playouts: None,
            leaves: 32,
            most_nodes: 1_000_000,
            max_steps: 2_000,
            threads: 1,
            opposed: false,
        }
    }
}

/// What is known of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReport {
    /// The move.
    pub action: MoveId,
    /// How often the search went through it.
    pub visits: u32,
    /// The mean goal of the games played from there; none if there were none.
    pub mean: Option<f64>,
    /// What it is worth if all play their best, where that is certain.
    pub proved: Option<u32>,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport {
    /// The role's moves, the best first.
    pub moves: Vec<MoveReport>,
    /// Random games since the search began.
    pub playouts: u64,
    /// Nodes of the tree.
    pub nodes: usize,
    /// What the state is worth to the role, if that is certain.
    pub proved: Option<u32>,
}

/// A search of one game. The tree is kept from move to move.
pub struct TreeSearch<'a> {
    pub(crate) circuit: &'a Circuit,
    roles_of_moves: IndexVec<MoveId, RoleId>,
    pub(crate) best_goals: IndexVec<RoleId, u32>,
    pub(crate) options: SearchOptions,
    pub(crate) evaluator: Evaluator<'a>,
    /// One for each thread, the first for this one.
    pub(crate) rollouts: Vec<Rollouts<'a>>,
    pub(crate) nodes: IndexVec<NodeId, Node>,
    pub(crate) known: FxHashMap<State, NodeId>,
    pub(crate) root: NodeId,
    /// The moves of all nodes.
    pub(crate) arms: usize,
    /// Random games so far.
    pub(crate) playouts: u64,
    /// Leaves whose games are not over, by their numbers, and how many there were so far.
    pub(crate) under_way: FxHashMap<usize, Leaf>,
    pub(crate) ways_down: usize,
    /// Random games from each leaf, as it has turned out.
    pub(crate) games_per_leaf: u32,
    open_goals: Option<Arc<OpenGoals>>,
}

/// The games of a leaf before it is known how long they take, or if that must not matter.
pub(crate) const USUAL_GAMES: u32 = 32;
/// The tree stops growing when its nodes have so many moves together.
const MOST_ARMS: usize = 10_000_000;

impl<'a> TreeSearch<'a> {
    /// A search that begins at the start of the game.
    pub fn new(net: &Net, circuit: &'a Circuit, options: SearchOptions) -> Self {
        let mut best_goals = IndexVec::filled(0, circuit.role_count());
        for goal in circuit.goals() {
            best_goals[goal.role] = goal.value.max(best_goals[goal.role]);
        }
        if options.opposed && best_goals.len() == 2 {
            best_goals = IndexVec::filled(100, 2);
        }
        let roles: Vec<RoleId> = net.moves.iter().map(|action| action.role).collect();
        let threads = options.threads.max(1) as u64;
        let rollouts = |thread| Rollouts::new(circuit, options.seed + thread, options.max_steps);
        let mut search = Self {
            circuit,
            roles_of_moves: roles.into(),
            best_goals,
            evaluator: Evaluator::new(circuit),
            rollouts: (0..threads).map(rollouts).collect(),
            games_per_leaf: options.playouts.unwrap_or(USUAL_GAMES),
            options,
            nodes: IndexVec::new(),
            known: FxHashMap::default(),
            root: NodeId::new(0),
            arms: 0,
            playouts: 0,
            under_way: FxHashMap::default(),
            ways_down: 0,
            open_goals: None,
        };
        search.root = search.node_of(circuit.initial());
        search
    }

    /// Knows from now on which goals are out of reach in a state.
    pub fn use_open_goals(&mut self, open_goals: Arc<OpenGoals>) {
        self.open_goals = Some(open_goals);
        self.begin_anew();
    }

    fn begin_anew(&mut self) {
        let state = self.state().clone();
        self.nodes = IndexVec::new();
        self.arms = 0;
        self.known.clear();
        self.root = self.node_of(state);
    }

    /// The state that is searched from.
    pub fn state(&self) -> &State {
        &self.nodes[self.root].state
    }

    /// How often the search went on from the state.
    pub(crate) fn ways(&self) -> u32 {
        self.nodes[self.root].visits
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.nodes[self.root].terminal
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, role: RoleId) -> Vec<MoveId> {
        self.nodes[self.root].arms_of(role).iter().map(|arm| arm.action).collect()
    }

    /// Whether all of these moves are legal.
    pub(crate) fn are_legal(&self, moves: &[MoveId]) -> bool {
        let legal = |action: &MoveId| self.legal(self.roles_of_moves[*action]).contains(action);
        moves.len() == self.circuit.role_count() && moves.iter().all(legal)
    }

    /// Goes on from the state after a joint move: one move per role, in the order of the roles. They
    /// need not be legal: the referee is right.
    pub fn advance(&mut self, moves: &[MoveId]) {
        let next = self.after(moves);
        self.go_to(next);
    }

    /// The state after a joint move.
    pub(crate) fn after(&mut self, moves: &[MoveId]) -> State {
        let state = self.state().clone();
        self.evaluator.next(&state, moves)
    }

    /// Goes on from any state. What is known of states that can still occur is kept.
    pub fn go_to(&mut self, state: State) {
        self.root = self.node_of(state);
        if self.nodes.len() > self.options.most_nodes / 2 || self.arms > MOST_ARMS / 2 {
            self.forget_the_past();
        }
    }

    /// Searches until the deadline, until stopped, or until the value is certain.
    pub fn search(&mut self, deadline: Instant, stop: &AtomicBool) {
        if self.rollouts.len() > 1 {
            return self.search_together(deadline, stop);
        }
        while self.is_worth_searching()
            && Instant::now() < deadline
            && !stop.load(Ordering::Relaxed)
        {
            self.round(Some(deadline));
        }
        self.finish(Some(deadline));
    }

    /// Searches for a number of rounds, in a way that can be repeated.
    pub fn search_rounds(&mut self, rounds: usize) {
        for _ in 0..rounds {
            if self.is_worth_searching() {
                self.round(None);
            }
        }
        self.finish(None);
    }

    /// Searches until so many random games have been played, in a way that can be repeated. Games
    /// that were not needed because their end was certain count as well.
    pub fn search_playouts(&mut self, playouts: u64) {
        let in_round = self.options.leaves as u64 * u64::from(self.games_per_leaf);
        self.search_rounds(playouts.div_ceil(in_round.max(1)) as usize);
    }

    pub(crate) fn is_worth_searching(&self) -> bool {
        let root = &self.nodes[self.root];
        !root.terminal && !root.is_stuck() && root.proved.is_none()
    }

    /// What the search knows about a role's moves.
    pub fn report(&self, role: RoleId) -> SearchReport {
        let root = &self.nodes[self.root];
        let mut moves: Vec<MoveReport> = (root.arms_of(role).iter().enumerate())
            .map(|(place, arm)| MoveReport {
                action: arm.action,
                visits: arm.tried.visits,
                mean: arm.tried.mean(),
                proved: self.certain(root, role, place).map(|goals| goals[role]),
            })
            .collect();
        moves.sort_by(|a, b| self.rank(role, b).total_cmp(&self.rank(role, a)));
        SearchReport {
            moves,
            playouts: self.playouts,
            nodes: self.nodes.len(),
            proved: root.proved.as_ref().map(|goals| goals[role]),
        }
    }

    /// The best move of a role, if it has one.
    pub fn best(&self, role: RoleId) -> Option<MoveId> {
        self.report(role).moves.first().map(|best| best.action)
    }

    /// Certain wins first, then what was tried most.
    fn rank(&self, role: RoleId, report: &MoveReport) -> f64 {
        let root = &self.nodes[self.root];
        let tried = f64::from(report.visits) / f64::from(root.visits.max(1));
        match report.proved {
            Some(goal) if goal == self.best_goals[role] => 10.0 + tried,
            // A certain goal outranks moves that promise less, and no others.
            Some(goal) => {
                let mut others = root.arms_of(role).iter().filter(|arm| arm.certain.is_none());
                let promises_more = |mean: f64| mean > f64::from(goal);
                let promised = others.any(|arm| arm.tried.mean().is_some_and(promises_more));
                self.share(role, goal) * if promised { 1e-3 } else { 5.0 } + tried * 1e-6
            }
            None => tried + report.mean.unwrap_or(0.0) * 1e-6,
        }
    }

    /// What goals are worth to the roles.
    pub(crate) fn worth(&self, goals: &[f64]) -> SmallVec<[f64; 4]> {
        match *goals {
            [first, second] if self.options.opposed => SmallVec::from_slice(&[
                50.0 + (first - second) / 2.0,
                50.0 + (second - first) / 2.0,
            ]),
            _ => SmallVec::from_slice(goals),
        }
    }

    /// A goal as a share of the best there is.
    pub(crate) fn share(&self, role: RoleId, goal: u32) -> f64 {
        f64::from(goal) / f64::from(self.best_goals[role].max(1))
    }

    fn node_of(&mut self, state: State) -> NodeId {
        if let Some(&node) = self.known.get(&state) {
            return node;
        }
        let terminal = self.evaluator.terminal(&state);
        let legal = self.evaluator.legal(&state);
        self.add(Successor { state: &state, terminal, legal: &legal })
    }

    /// A node for a state that has none.
    pub(crate) fn add(&mut self, seen: Successor<'_>) -> NodeId {
        let role_of = |action: MoveId| self.roles_of_moves[action];
        let (state, roles) = (seen.state.clone(), self.circuit.role_count());
        let mut node = Node::new(state.clone(), seen.terminal, seen.legal, role_of, roles);
        node.proved = match seen.terminal {
            true => Some(self.goals_at(&state)),
            false => self.settled(&state),
        };
        self.arms += node.arms.len();
        let id = self.nodes.push(node);
        self.known.insert(state, id);
        id
    }

    /// What everybody gets at the end.
    fn goals_at(&mut self, state: &State) -> IndexVec<RoleId, u32> {
        let goals = self.evaluator.goals(state);
        let goals: Vec<f64> = goals.iter().map(|goal| f64::from(goal.unwrap_or(0))).collect();
        self.worth(&goals).iter().map(|&worth| worth as u32).collect::<Vec<_>>().into()
    }

    /// Whether the tree must not grow any more.
    pub(crate) fn is_full(&self) -> bool {
        self.nodes.len() >= self.options.most_nodes || self.arms >= MOST_ARMS
    }

    /// What everybody gets, if nothing that is played can change it any more.
    fn settled(&self, state: &State) -> Option<IndexVec<RoleId, u32>> {
        let open_goals = self.open_goals.as_ref()?;
        let words = state.words();
        let holds = |fluent: gambol_net::FluentId| {
            let fluent = fluent.number() as usize;
            words[fluent / 64] >> (fluent % 64) & 1 == 1
        };
        let only = |role: RoleId| {
            let mut open = open_goals.open(role, holds);
            open.next().filter(|_| open.next().is_none())
        };
        self.best_goals.ids().map(only).collect::<Option<Vec<u32>>>().map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net_of(rules: &str) -> Net {
        let rules = gambol_syntax::read(rules.as_bytes(), &Default::default()).rules;
        let rules = gambol_syntax::repair(rules.expect("rules")).rules.expect("a game");
        let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("small");
        gambol_net::simplify(&gambol_net::build(&ground).expect("a net"))
    }

    fn tic_tac_toe() -> Net {
        net_of(include_str!("../../../../games/tic-tac-toe/rules.kif"))
    }

    fn named(net: &Net, role: u32, name: &str) -> MoveId {
        let mut moves = net.moves.iter_ids();
        let found = moves.find(|(_, m)| m.role == RoleId::new(role) && &*m.name == name);
        found.expect("a move of that name").0
    }

    /// Plays the marks in turn, then searches.
    fn after<'a>(net: &Net, circuit: &'a Circuit, marks: &[&str], rounds: usize) -> TreeSearch<'a> {
        let mut search = TreeSearch::new(net, circuit, SearchOptions::default());
        for (turn, mark) in (0..).zip(marks) {
            let mover = turn % 2;
            let mut moves = [named(net, 0, "wait"), named(net, 1, "wait")];
            moves[mover as usize] = named(net, mover, mark);
            search.advance(&moves);
        }
        search.search_rounds(rounds);
        search
    }

    #[test]
    fn a_line_that_can_be_completed_is_proved_won() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let marks = ["(put 1 1)", "(put 2 1)", "(put 1 2)", "(put 2 2)"];
        let report = after(&net, &circuit, &marks, 20).report(RoleId::new(0));
        assert_eq!(report.moves[0].action, named(&net, 0, "(put 1 3)"));
        assert_eq!((report.moves[0].proved, report.proved), (Some(100), Some(100)));
    }

    #[test]
    fn a_threat_is_met() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let marks = ["(put 1 1)", "(put 2 2)", "(put 1 2)"];
        let search = after(&net, &circuit, &marks, 50);
        assert_eq!(search.best(RoleId::new(1)), Some(named(&net, 1, "(put 1 3)")));
    }

    #[test]
    fn tic_tac_toe_is_proved_a_draw() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
        search.search_rounds(2_000);
        assert_eq!(search.report(RoleId::new(0)).proved, Some(50));
    }

    #[test]
    fn what_can_no_longer_be_reached_is_forgotten() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let options = SearchOptions { most_nodes: 400, ..SearchOptions::default() };
        let mut search = TreeSearch::new(&net, &circuit, options);
        search.search_rounds(20);
        let before = search.nodes.len();
        search.advance(&[named(&net, 0, "(put 2 2)"), named(&net, 1, "wait")]);
        assert!(search.nodes.len() < before);
        search.search_rounds(20);
        assert_eq!(search.legal(RoleId::new(1)).len(), 8);
        assert!(search.best(RoleId::new(1)).is_some());
    }

    #[test]
    fn both_choose_at_once_in_rock_paper_scissors() {
        let net = net_of(include_str!("../../../../games/rock-paper-scissors/rules.kif"));
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
        search.search_rounds(50);
        let report = search.report(RoleId::new(0));
        assert!(report.moves.iter().all(|report| report.visits > 0 && report.proved.is_none()));
    }
}
