//! Monte-Carlo tree search.
//!
//! A round goes down the tree a number of times, each time to a leaf by the upper confidence bounds
//! of every role's own moves; games on their way count as played and lost, so that the next descent
//! looks elsewhere. The leaves of a round are played out together. Where a state is over its goals are
//! certain, and where only one role has a choice certainty travels upwards.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gambol_index::{Id, IndexVec};
use gambol_net::{MoveId, Net, RoleId};
use gambol_sim::{Circuit, Evaluator, Rollouts, Start, State};
use rustc_hash::FxHashMap;

use crate::node::{Arm, Node, NodeId};

/// How to search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SearchOptions {
    /// For the random games.
    pub seed: u64,
    /// How much a move that was seldom tried is preferred.
    pub exploration: f64,
    /// Random games from each leaf.
    pub playouts: u32,
    /// Leaves that are played out together.
    pub leaves: usize,
    /// The tree stops growing here; the search goes on in it.
    pub most_nodes: usize,
    /// Random games are cut off after so many steps.
    pub max_steps: u32,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            exploration: 0.7,
            playouts: 32,
            leaves: 64,
            most_nodes: 2_000_000,
            max_steps: 2_000,
        }
    }
}

/// What is known of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReport {
    /// The move.
    pub action: MoveId,
    /// Random games played through it.
    pub playouts: u32,
    /// Their mean goal; none if there were none.
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
    circuit: &'a Circuit,
    roles_of_moves: IndexVec<MoveId, RoleId>,
    best_goals: IndexVec<RoleId, u32>,
    options: SearchOptions,
    evaluator: Evaluator<'a>,
    rollouts: Rollouts<'a>,
    nodes: IndexVec<NodeId, Node>,
    known: FxHashMap<State, NodeId>,
    root: NodeId,
    playouts: u64,
}

/// A way down the tree: nodes and the places of the moves made in them.
type Path = Vec<(NodeId, Vec<usize>)>;

/// A leaf waiting for its games.
struct Leaf {
    path: Path,
    node: NodeId,
}

/// Nobody needs to look further down than this.
const DEEPEST: usize = 512;
/// States with more joint moves are not examined for certainty.
const MOST_JOINT_MOVES: u64 = 512;

impl<'a> TreeSearch<'a> {
    /// A search that begins at the start of the game.
    pub fn new(net: &Net, circuit: &'a Circuit, options: SearchOptions) -> Self {
        let mut best_goals = IndexVec::filled(0, circuit.role_count());
        for goal in circuit.goals() {
            best_goals[goal.role] = goal.value.max(best_goals[goal.role]);
        }
        let roles: Vec<RoleId> = net.moves.iter().map(|action| action.role).collect();
        let mut search = Self {
            circuit,
            roles_of_moves: roles.into(),
            best_goals,
            evaluator: Evaluator::new(circuit),
            rollouts: Rollouts::new(circuit, options.seed, options.max_steps),
            options,
            nodes: IndexVec::new(),
            known: FxHashMap::default(),
            root: NodeId::new(0),
            playouts: 0,
        };
        search.root = search.node_of(circuit.initial());
        search
    }

    /// The state that is searched from.
    pub fn state(&self) -> &State {
        &self.nodes[self.root].state
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.nodes[self.root].terminal
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, role: RoleId) -> Vec<MoveId> {
        self.nodes[self.root].arms_of(role).iter().map(|arm| arm.action).collect()
    }

    /// Goes on from the state after a joint move: one move per role, in the order of the roles. They
    /// need not be legal: the referee is right.
    pub fn advance(&mut self, moves: &[MoveId]) {
        let state = self.nodes[self.root].state.clone();
        let next = self.evaluator.next(&state, moves);
        self.go_to(next);
    }

    /// Goes on from any state. What is known of states that can still occur is kept.
    pub fn go_to(&mut self, state: State) {
        self.root = self.node_of(state);
        if self.nodes.len() > self.options.most_nodes / 2 {
            self.forget_the_past();
        }
    }

    /// Searches until the deadline, until stopped, or until the value is certain.
    pub fn search(&mut self, deadline: Instant, stop: &AtomicBool) {
        while self.is_worth_searching()
            && Instant::now() < deadline
            && !stop.load(Ordering::Relaxed)
        {
            self.round();
        }
    }

    /// Searches for a number of rounds.
    pub fn search_rounds(&mut self, rounds: usize) {
        for _ in 0..rounds {
            if self.is_worth_searching() {
                self.round();
            }
        }
    }

    fn is_worth_searching(&self) -> bool {
        let root = &self.nodes[self.root];
        !root.terminal && !root.is_stuck() && root.proved.is_none()
    }

    /// What the search knows about a role's moves.
    pub fn report(&self, role: RoleId) -> SearchReport {
        let root = &self.nodes[self.root];
        let mut moves: Vec<MoveReport> = (root.arms_of(role).iter().enumerate())
            .map(|(place, arm)| MoveReport {
                action: arm.action,
                playouts: arm.visits,
                mean: arm.mean(),
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
        let tried = f64::from(report.playouts) / f64::from(root.visits.max(1));
        match report.proved {
            Some(goal) if goal == self.best_goals[role] => 10.0,
            // A certain goal outranks moves that promise less, and no others.
            Some(goal) => {
                let mut others = root.arms_of(role).iter().filter_map(Arm::mean);
                let promised_more = others.any(|mean| mean > f64::from(goal));
                self.share(role, goal) * if promised_more { 1e-3 } else { 5.0 }
            }
            None => tried + report.mean.unwrap_or(0.0) * 1e-6,
        }
    }

    fn node_of(&mut self, state: State) -> NodeId {
        if let Some(&node) = self.known.get(&state) {
            return node;
        }
        let terminal = self.evaluator.terminal(&state);
        let legal = self.evaluator.legal(&state);
        let role_of = |action: MoveId| self.roles_of_moves[action];
        let mut node =
            Node::new(state.clone(), terminal, &legal, role_of, self.circuit.role_count());
        if terminal {
            let goals = self.evaluator.goals(&state);
            let goals: Vec<u32> = goals.iter().map(|goal| goal.unwrap_or(0)).collect();
            node.proved = Some(goals.into());
        }
        let id = self.nodes.push(node);
        self.known.insert(state, id);
        id
    }

    /// Descends to some leaves, plays from them, and takes what that brought back up.
    fn round(&mut self) {
        let mut leaves: Vec<Leaf> = Vec::with_capacity(self.options.leaves);
        for _ in 0..self.options.leaves {
            if self.nodes[self.root].proved.is_some() {
                break;
            }
            let leaf = self.descend();
            match self.nodes[leaf.node].proved.clone() {
                Some(goals) => self.take_up_certain(&leaf.path, &goals),
                None => leaves.push(leaf),
            }
        }
        self.play_out(leaves);
    }

    fn play_out(&mut self, leaves: Vec<Leaf>) {
        let playouts = self.options.playouts;
        let starts: Vec<Start<'_>> = leaves
            .iter()
            .map(|leaf| Start { state: &self.nodes[leaf.node].state, playouts })
            .collect();
        let returns = self.rollouts.run(&starts);
        for (leaf, returns) in leaves.iter().zip(returns) {
            self.playouts += u64::from(returns.playouts);
            let goals: Vec<f64> = returns.goals.iter().map(|&goals| goals as f64).collect();
            for (node, places) in &leaf.path {
                self.nodes[*node].end(places, playouts, returns.playouts, &goals);
            }
        }
    }

    /// Goes down to a node that is new, certain, or as deep as one may go.
    fn descend(&mut self) -> Leaf {
        let (mut path, mut at): (Path, NodeId) = (Vec::new(), self.root);
        loop {
            let node = &self.nodes[at];
            if node.proved.is_some() || node.is_stuck() || path.len() >= DEEPEST {
                return Leaf { path, node: at };
            }
            let places = self.choose(at);
            let (number, moves) = (node.number_of(&places), node.moves_at(&places));
            let known = node.children.get(&number).copied();
            self.nodes[at].begin(&places, self.options.playouts);
            path.push((at, places));
            match known {
                Some(child) => at = child,
                None => return self.grow(path, number, &moves),
            }
        }
    }

    fn grow(&mut self, path: Path, number: u64, moves: &[MoveId]) -> Leaf {
        let parent = path.last().expect("a child has a parent").0;
        if self.nodes.len() >= self.options.most_nodes {
            return Leaf { path, node: parent };
        }
        let state = self.nodes[parent].state.clone();
        let next = self.evaluator.next(&state, moves);
        let node = self.node_of(next);
        self.nodes[parent].children.insert(number, node);
        Leaf { path, node }
    }

    /// Each role takes the move with the highest upper bound.
    fn choose(&self, at: NodeId) -> Vec<usize> {
        let node = &self.nodes[at];
        let roles = (0..node.of_role.len()).map(RoleId::from_index);
        roles.map(|role| self.choose_for(node, role)).collect()
    }

    fn choose_for(&self, node: &Node, role: RoleId) -> usize {
        let arms = node.arms_of(role);
        if arms.len() == 1 {
            return 0;
        }
        let log = (1.0 + self.lots(node.visits)).ln();
        let bounds = (arms.iter().enumerate()).map(|(place, arm)| {
            let certain =
                self.certain(node, role, place).map(|goals| self.share(role, goals[role]));
            // What is certain need not be looked at again.
            (place, certain.map_or_else(|| self.bound(arm, role, log), |share| share - 2.0))
        });
        bounds.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map_or(0, |best| best.0)
    }

    fn bound(&self, arm: &Arm, role: RoleId, log: f64) -> f64 {
        if arm.visits == 0 {
            return f64::INFINITY;
        }
        let mean = arm.goals / f64::from(arm.visits) / f64::from(self.best_goals[role].max(1));
        mean + self.options.exploration * (log / self.lots(arm.visits)).sqrt()
    }

    /// Games come in lots, one for each leaf.
    fn lots(&self, games: u32) -> f64 {
        f64::from(games) / f64::from(self.options.playouts.max(1))
    }

    /// A goal as a share of the best there is.
    fn share(&self, role: RoleId, goal: u32) -> f64 {
        f64::from(goal) / f64::from(self.best_goals[role].max(1))
    }

    /// What a role's move certainly leads to; only where no other role has a choice.
    fn certain(&self, node: &Node, role: RoleId, place: usize) -> Option<&IndexVec<RoleId, u32>> {
        if node.chooser() != Some(role) {
            return None;
        }
        let mut places = vec![0; node.of_role.len()];
        places[role.index()] = place;
        let child = node.children.get(&node.number_of(&places))?;
        self.nodes[*child].proved.as_ref()
    }

    /// A path ended in certainty: its goals count like games, and may make its nodes certain.
    fn take_up_certain(&mut self, path: &Path, goals: &IndexVec<RoleId, u32>) {
        let games = self.options.playouts;
        let worth: Vec<f64> =
            goals.iter().map(|&goal| f64::from(goal) * f64::from(games)).collect();
        for (node, places) in path {
            self.nodes[*node].end(places, games, games, &worth);
        }
        for (node, _) in path.iter().rev() {
            match self.conclusion(*node) {
                Some(conclusion) => self.nodes[*node].proved = Some(conclusion),
                None => break,
            }
        }
    }

    /// What follows for a node from what is certain of its children.
    fn conclusion(&self, at: NodeId) -> Option<IndexVec<RoleId, u32>> {
        let node = &self.nodes[at];
        if node.proved.is_some() {
            return node.proved.clone();
        }
        match node.chooser() {
            Some(role) => self.best_choice(node, role),
            None => self.same_for_all(node),
        }
    }

    /// One role chooses: it takes the best it can get, as soon as it has that or knows all.
    fn best_choice(&self, node: &Node, role: RoleId) -> Option<IndexVec<RoleId, u32>> {
        let count = node.arms_of(role).len();
        let known: Vec<&IndexVec<RoleId, u32>> =
            (0..count).filter_map(|place| self.certain(node, role, place)).collect();
        let best = known.iter().map(|goals| goals[role]).max()?;
        if best < self.best_goals[role] && known.len() < count {
            return None;
        }
        let mut equal = known.iter().filter(|goals| goals[role] == best);
        let first = *equal.next()?;
        // Between equals a role may choose either; unless they are equal to all, nothing is certain.
        equal.all(|goals| **goals == *first).then(|| first.clone())
    }

    /// Several roles choose, or none: certain only if it makes no difference.
    fn same_for_all(&self, node: &Node) -> Option<IndexVec<RoleId, u32>> {
        let count = node.joint_moves();
        if node.is_stuck() || count > MOST_JOINT_MOVES || (node.children.len() as u64) < count {
            return None;
        }
        let child = |number: u64| self.nodes[*node.children.get(&number)?].proved.as_ref();
        let first = child(0)?;
        (1..count).all(|number| child(number) == Some(first)).then(|| first.clone())
    }

    /// Keeps only the nodes that can still be reached.
    fn forget_the_past(&mut self) {
        let mut moved: FxHashMap<NodeId, NodeId> = FxHashMap::default();
        let mut order = vec![self.root];
        moved.insert(self.root, NodeId::new(0));
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            let mut children: Vec<(u64, NodeId)> =
                self.nodes[node].children.iter().map(|(&number, &child)| (number, child)).collect();
            children.sort_unstable();
            for (_, child) in children {
                let fresh = NodeId::from_index(order.len());
                if let std::collections::hash_map::Entry::Vacant(entry) = moved.entry(child) {
                    entry.insert(fresh);
                    order.push(child);
                }
            }
        }
        let mut old: Vec<Option<Node>> =
            std::mem::take(&mut self.nodes).into_vec().into_iter().map(Some).collect();
        self.known.clear();
        for &id in &order {
            let Some(mut node) = old[id.index()].take() else { continue };
            node.children.values_mut().for_each(|child| *child = moved[child]);
            let fresh = self.nodes.push(node);
            self.known.insert(self.nodes[fresh].state.clone(), fresh);
        }
        self.root = NodeId::new(0);
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
        net_of(include_str!("../../../games/tic-tac-toe/rules.kif"))
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
        let net = net_of(include_str!("../../../games/rock-paper-scissors/rules.kif"));
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
        search.search_rounds(50);
        let report = search.report(RoleId::new(0));
        assert!(report.moves.iter().all(|report| report.playouts > 0 && report.proved.is_none()));
    }
}
