//! Monte-Carlo tree search, batched.
//!
//! A round makes a number of descents. At each node the role that chooses selects by UCB; several that choose at
//! the same time draw by regret matching. In-flight descents carry a virtual loss, so that the next one goes
//! elsewhere. The leaves of a round are played out together. Terminal states are settled, and where only one
//! role has a choice that is backed up (MCTS-Solver).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gambol_analysis::OpenGoals;
use gambol_index::IndexVec;
use gambol_net::{MoveId, Net, RoleId};
use gambol_sim::{Answers, Circuit, Evaluator, Rollouts, State, Successors};
use gambol_solve::Ends;
use smallvec::SmallVec;

use crate::evaluation::{Evaluation, Guidance};
use crate::mcts::batch::UnderWay;
use crate::mcts::bounds::widest;
use crate::mcts::history::History;
use crate::mcts::look_ahead::{Looking, Offspring, Trial};
use crate::mcts::oracle::Consulted;
use crate::mcts::selection::Leaf;
use crate::mcts::tree::{Chooser, NodeId, Tree};
use crate::mcts::turns::Turns;

/// How to search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchOptions {
    /// For the random games.
    pub seed: u64,
    /// The exploration constant of UCB.
    pub exploration: f64,
    /// Playouts per leaf; `None`: as many as take as long as finding the leaf.
    pub playouts: Option<u32>,
    /// Leaves per batch.
    pub leaves: usize,
    /// The tree stops growing here; the search goes on in it.
    pub most_nodes: usize,
    /// Random games are cut off after so many steps.
    pub max_steps: u32,
    /// Threads that search, this one included, where time is what ends it.
    pub threads: usize,
    /// Of two roles each wants the other to get little as well: what counts is the difference.
    pub opposed: bool,
    /// Whether all moves of a new node are made at once, to see which of them end the game.
    pub look_ahead: bool,
    /// First-play urgency: how much worse than its node an untried move counts; `None` if all moves are tried
    /// before any of them a second time.
    pub urgency: Option<f64>,
    /// Simultaneous moves are drawn by regret matching, with this probability of a uniform move; `None`: decoupled
    /// UCT.
    pub regret: Option<f64>,
    /// The weight of the minimax value in the value of a move, where states are evaluated.
    pub minimax: f64,
    /// The weight of progressive history.
    pub history: f64,
    /// How often random games keep to moves that did well in the tree, in eighths.
    pub bias: u8,
    /// Whether random games are played from the states after a leaf instead of the leaf itself, where there are
    /// enough for all of them.
    pub children: bool,
    /// The share of the minimax value of such games in what a move is worth.
    pub backup: f64,
    /// The fewest random games from each leaf, where their number is measured.
    pub fewest: u32,
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
            look_ahead: true,
            urgency: None,
            regret: Some(0.1),
            minimax: 0.4,
            // At 20 ms, 10 games each: connectFour 65 %, pentago 60 %, hex 60 %, breakthrough 80 %, nineBoardTicTacToe
            // 40 %.
            history: 0.3,
            // Found by trial for each game.
            bias: 0,
            // Connect four, 8 by 6: 72 % (57 to 84) of 40 games at 30 ms; nineBoardTicTacToe 58 % (39 to 76) of 24.
            children: true,
            backup: 0.2,
            fewest: 8,
        }
    }
}

/// A search of one game. The tree is kept from move to move.
pub struct TreeSearch<'a> {
    pub(crate) circuit: &'a Circuit,
    pub(crate) roles_of_moves: IndexVec<MoveId, RoleId>,
    /// The role that is chance, if there is one.
    pub(crate) chance: Option<RoleId>,
    pub(crate) best_goals: IndexVec<RoleId, u32>,
    pub(crate) options: SearchOptions,
    pub(crate) evaluator: Evaluator<'a>,
    /// Always there, but for the time in which it is used.
    pub(crate) successors: Option<Successors<'a>>,
    pub(crate) rollouts: Rollouts<'a>,
    /// What other threads search with. Their trees are empty: they take turns with this one.
    pub(crate) others: Vec<Self>,
    pub(crate) tree: Tree,
    pub(crate) root: NodeId,
    /// The state of the root.
    here: State,
    /// Random games so far, and states evaluated instead of them.
    pub(crate) playouts: u64,
    /// Leaves whose games are not over, by their numbers.
    pub(crate) under_way: UnderWay,
    /// New nodes whose moves are tried, and the states after them.
    pub(crate) trials: Vec<Trial>,
    pub(crate) offspring: Offspring,
    /// Whether what one of two roles gains the other loses, as far as games have shown.
    pub(crate) constant_sum: bool,
    /// The descents of a batch, and memory of earlier ones.
    pub(crate) descents: Vec<Leaf>,
    pub(crate) spare: Vec<Leaf>,
    /// What the games of a round brought.
    pub(crate) answers: Answers,
    /// The new nodes of a round.
    pub(crate) fresh: Vec<NodeId>,
    /// Random games from each leaf, as it has turned out.
    pub(crate) games_per_leaf: u32,
    /// Draws of chance so far.
    pub(crate) draws: u64,
    pub(crate) looking: Looking,
    pub(crate) history: History,
    /// How many records there were when random games were last told what to prefer.
    pub(crate) told: u64,
    pub(crate) evaluation: Option<Arc<Evaluation>>,
    /// Who is asked about leaves instead of playing them out.
    pub(crate) consulted: Option<Consulted>,
    /// The share of the minimax value in what a move is worth.
    pub(crate) minimax_weight: f64,
    /// Room for what a state is worth to each role, and for what moves are worth.
    pub(crate) shares: Vec<f32>,
    pub(crate) moves_worth: Vec<f32>,
    /// What is proved of all ends of the game.
    pub(crate) ends: Ends,
    pub(crate) open_goals: Option<Arc<OpenGoals>>,
}

/// A terminal state: every role's goal, 0 if it has none or several, and whether each has exactly one.
pub(crate) struct End<'g> {
    goals: &'g [u32],
    clear: bool,
}

impl<'g> End<'g> {
    /// The end that an answer is about.
    pub(crate) fn after(looked: &'g Successors<'_>, answer: usize) -> Self {
        Self { goals: looked.goals(answer), clear: looked.has_clear_goals(answer) }
    }
}

/// The games of a leaf before it is known how long they take, or if that must not matter.
pub(crate) const USUAL_GAMES: u32 = 32;
/// The tree stops growing when its nodes have so many moves together.
const MOST_ARMS: usize = 10_000_000;

/// The role that is chance: by the custom of the field, that of this name.
pub(crate) fn chance_of(net: &Net) -> Option<RoleId> {
    net.roles.ids().find(|&role| net.roles[role].eq_ignore_ascii_case("random"))
}

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
        let mut search = Self::bare(circuit, roles.into(), chance_of(net), best_goals, options);
        search.root = search.node_of(&circuit.initial());
        search
    }

    /// A search without a node.
    pub(crate) fn bare(
        circuit: &'a Circuit,
        roles_of_moves: IndexVec<MoveId, RoleId>,
        chance: Option<RoleId>,
        best_goals: IndexVec<RoleId, u32>,
        options: SearchOptions,
    ) -> Self {
        let successors = Successors::new(circuit);
        Self {
            circuit,
            chance,
            evaluator: Evaluator::new(circuit),
            tree: Tree::new(successors.width(), widest(Ends::default(), &best_goals), chance),
            best_goals,
            successors: Some(successors),
            rollouts: Rollouts::new(circuit, options.seed, options.max_steps),
            others: Vec::new(),
            games_per_leaf: options.playouts.unwrap_or(USUAL_GAMES),
            root: NodeId::new(0),
            here: circuit.initial(),
            playouts: 0,
            under_way: UnderWay::default(),
            trials: Vec::new(),
            offspring: Offspring::default(),
            constant_sum: circuit.role_count() == 2,
            descents: Vec::new(),
            spare: Vec::new(),
            answers: Answers::default(),
            fresh: Vec::new(),
            draws: 0,
            looking: Looking::default(),
            history: History::new(roles_of_moves.len()),
            told: 0,
            roles_of_moves,
            evaluation: None,
            consulted: None,
            minimax_weight: if options.children { options.backup } else { 0.0 },
            shares: vec![0.0; circuit.role_count()],
            moves_worth: Vec::new(),
            ends: Ends::default(),
            open_goals: None,
            options,
        }
    }

    /// Follows what own play has taught from now on.
    pub(crate) fn use_guidance(&mut self, guidance: &Guidance) {
        self.options.bias = self.options.bias.max(guidance.bias);
        self.others.clear();
        if let Some(evaluation) = &guidance.evaluation {
            self.use_evaluation(Arc::clone(evaluation));
        }
    }

    /// Evaluates states from now on.
    pub fn use_evaluation(&mut self, evaluation: Arc<Evaluation>) {
        self.minimax_weight = match evaluation.constant_sum {
            true => self.options.minimax * (1.0 - f64::from(evaluation.playout_weight)),
            false => 0.0,
        };
        self.evaluation = Some(evaluation);
        self.begin_anew();
    }

    /// Forgets the tree, and the searches of other threads, whose settings may have changed.
    pub(crate) fn begin_anew(&mut self) {
        self.others.clear();
        self.tree.clear(widest(self.ends, &self.best_goals));
        self.under_way.clear();
        self.consulted.iter_mut().for_each(Consulted::forget);
        self.root = self.node_of(&self.here.clone());
    }

    /// Whether leaves are played out.
    pub(crate) fn plays_out(&self) -> bool {
        self.evaluation.as_ref().is_none_or(|evaluation| evaluation.playout_weight > 0.0)
    }

    /// The state that is searched from.
    pub fn state(&self) -> &State {
        &self.here
    }

    pub(crate) fn state_at(&self, node: NodeId) -> State {
        self.circuit.state_from(self.tree.state(node))
    }

    /// Descents from the root.
    pub(crate) fn descents(&self) -> u32 {
        self.tree.node(self.root).visits
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.tree.node(self.root).terminal
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, role: RoleId) -> Vec<MoveId> {
        self.tree.arms(self.root, role).iter().map(|arm| arm.action).collect()
    }

    /// Whose move it is.
    pub(crate) fn role_of(&self, action: MoveId) -> RoleId {
        self.roles_of_moves[action]
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
        let state = self.here.clone();
        self.evaluator.next(&state, moves)
    }

    /// Goes on from any state. What is known of states that can still occur is kept.
    pub fn go_to(&mut self, state: State) {
        self.root = self.node_of(&state);
        self.here = state;
        self.history.fade();
        let crowded = self.tree.len() > self.options.most_nodes / 2;
        if crowded || self.tree.arm_count() > MOST_ARMS / 2 {
            match self.consulted {
                // What was said is not kept from tree to tree.
                Some(_) => self.begin_anew(),
                None => {
                    self.tree.keep_reachable(self.root);
                    self.root = NodeId::new(0);
                }
            }
        }
    }

    /// Searches until the deadline, until stopped, or until the value is certain.
    pub fn search(&mut self, deadline: Instant, stop: &AtomicBool) {
        // An oracle is asked by one.
        match self.options.threads > 1 && self.consulted.is_none() && self.is_worth_searching() {
            true => self.search_together(deadline, stop),
            false => self.search_on(&mut Turns::default(), deadline, stop),
        }
    }

    /// Searches for a number of rounds, reproducibly.
    pub fn search_rounds(&mut self, rounds: usize) {
        self.search_rounds_unless(rounds, &AtomicBool::new(false));
    }

    fn search_rounds_unless(&mut self, rounds: usize, stop: &AtomicBool) {
        let mut turns = Turns::default();
        for _ in 0..rounds {
            if !self.is_worth_searching() || stop.load(Ordering::Relaxed) {
                break;
            }
            self.round(&mut turns, None);
        }
        self.finish(&mut turns, None);
    }

    /// Searches for a number of playouts, reproducibly. Playouts that were skipped because their value was certain
    /// count as well.
    pub fn search_playouts(&mut self, playouts: u64) {
        self.search_playouts_unless(playouts, &AtomicBool::new(false));
    }

    /// The same, unless it is stopped.
    pub fn search_playouts_unless(&mut self, playouts: u64, stop: &AtomicBool) {
        let of_leaf = if self.consulted.is_some() { 1 } else { self.games_per_leaf };
        let in_round = self.options.leaves as u64 * u64::from(of_leaf);
        self.search_rounds_unless(playouts.div_ceil(in_round.max(1)) as usize, stop);
    }

    pub(crate) fn is_worth_searching(&self) -> bool {
        let root = self.tree.node(self.root);
        !root.terminal && root.chooser != Chooser::Stuck && !root.settled && !self.is_deserted()
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

    fn node_of(&mut self, state: &State) -> NodeId {
        let mut row = state.words().to_vec();
        row.resize(row.len().max(1), 0);
        if let Some(node) = self.tree.find(&row) {
            return node;
        }
        let legal = self.evaluator.legal(state);
        let over = self.evaluator.terminal(state);
        let found = self.evaluator.goals(state);
        let goals: Vec<u32> = found.iter().map(|goal| goal.unwrap_or(0)).collect();
        let clear = found.iter().all(Option::is_some);
        let node = self.add(&row, &legal, over.then_some(End { goals: &goals, clear }));
        self.look_ahead(&[node], &mut Turns::default());
        node
    }

    /// A node for a state that has none; with what everybody gets if the game is over there.
    pub(crate) fn add(&mut self, state: &[u64], legal: &[MoveId], end: Option<End<'_>>) -> NodeId {
        let roles_of_moves = &self.roles_of_moves;
        let role_of = |action: MoveId| roles_of_moves[action];
        let node = self.tree.add(state, end.is_some(), legal, role_of);
        if let Some(End { goals, clear }) = end {
            let bounds = match clear {
                true => self.bounds_of_goals(goals, true),
                // It may be worth anything.
                false => widest(Ends::default(), &self.best_goals),
            };
            self.tree.settle(node, &self.worth_of(goals), &bounds);
        } else if let Some(goals) = self.left_over(state) {
            let bounds = self.bounds_of_goals(&goals, false);
            self.tree.settle(node, &goals, &bounds);
        }
        node
    }

    /// What goals at the end are worth to the roles.
    pub(crate) fn worth_of(&self, goals: &[u32]) -> SmallVec<[u32; 4]> {
        let goals: SmallVec<[f64; 4]> = goals.iter().map(|&goal| f64::from(goal)).collect();
        self.worth(&goals).iter().map(|&worth| worth as u32).collect()
    }

    /// Whether the tree must not grow any more.
    pub(crate) fn is_full(&self) -> bool {
        self.tree.len() >= self.options.most_nodes || self.tree.arm_count() >= MOST_ARMS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::net_of;

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
        assert_eq!(report.line, [[named(&net, 0, "(put 1 3)"), named(&net, 1, "wait")]]);
        assert_eq!(report.choices, [named(&net, 0, "(put 1 3)")]);
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
        search.use_ends(Ends::of_play_from(&net, &circuit, &net.initial, &Default::default()));
        search.search_rounds(2_000);
        assert_eq!(search.report(RoleId::new(0)).proved, Some(50));
    }

    #[test]
    fn whatever_guides_the_search_the_value_is_the_same() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let usual = SearchOptions::default();
        for options in [
            SearchOptions { children: false, ..usual.clone() },
            SearchOptions { playouts: Some(256), ..usual.clone() },
            SearchOptions { history: 0.5, ..usual.clone() },
            SearchOptions { bias: 6, ..usual.clone() },
        ] {
            let mut search = TreeSearch::new(&net, &circuit, options);
            search.search_rounds(4_000);
            assert_eq!(search.report(RoleId::new(0)).settled, Some(50));
        }
    }

    #[test]
    fn every_move_of_a_leaf_begins_with_games_of_its_own() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        for (children, playouts, expected) in
            [(true, 256, true), (false, 256, false), (true, 8, false)]
        {
            let playouts = Some(playouts);
            let options = SearchOptions { children, playouts, ..SearchOptions::default() };
            let mut search = TreeSearch::new(&net, &circuit, options);
            search.search_rounds(1);
            for arm in search.tree.span(search.root, RoleId::new(0)) {
                let leaf = search.tree.child(arm).expect("every move was tried");
                let moves = search.tree.arms(leaf, RoleId::new(1));
                assert_eq!(moves.len(), 8);
                assert!(moves.iter().all(|known| known.minimax.is_nan() != expected));
            }
        }
    }

    #[test]
    fn what_can_no_longer_be_reached_is_forgotten() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let options = SearchOptions { most_nodes: 400, ..SearchOptions::default() };
        let mut search = TreeSearch::new(&net, &circuit, options);
        search.search_rounds(20);
        let before = search.tree.len();
        search.advance(&[named(&net, 0, "(put 2 2)"), named(&net, 1, "wait")]);
        assert!(search.tree.len() < before);
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

    #[test]
    fn a_win_at_once_is_seen_before_the_first_game() {
        let net = tic_tac_toe();
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let marks = ["(put 1 1)", "(put 2 1)", "(put 1 2)", "(put 2 2)"];
        let search = after(&net, &circuit, &marks, 0);
        let report = search.report(RoleId::new(0));
        assert_eq!((report.proved, report.playouts), (Some(100), 0));
        assert_eq!(report.moves[0].action, named(&net, 0, "(put 1 3)"));
    }

    /// One may take a sure half, or let chance decide: one of four draws wins, the others lose.
    const LOTTERY: &str = "
        (role player) (role random) (init choice) (draw 1) (draw 2) (draw 3) (draw 4)
        (<= (legal player sure) (true choice)) (<= (legal player gamble) (true choice))
        (<= (legal random wait) (true choice))
        (<= (legal player wait) (true gambled)) (<= (legal random (draw ?n)) (true gambled) (draw ?n))
        (<= (next half) (does player sure)) (<= (next gambled) (does player gamble))
        (<= (next (drawn ?n)) (does random (draw ?n)))
        (<= terminal (true half)) (<= terminal (true (drawn ?n)))
        (<= (goal player 50) (true half)) (<= (goal player 100) (true (drawn 2)))
        (<= (goal player 0) (true (drawn ?n)) (distinct ?n 2))
        (<= (goal random 0) (role random))";

    #[test]
    fn chance_draws_and_does_not_choose() {
        let net = net_of(LOTTERY);
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
        search.search_rounds(100);
        let report = search.report(RoleId::new(0));
        assert_eq!(report.moves[0].action, named(&net, 0, "sure"));
        let gamble = report.moves[1].mean.expect("it was tried");
        assert!((5.0..45.0).contains(&gamble), "one draw in four wins, not {gamble}");
        assert_eq!(report.moves[1].proved, None);
    }
}
