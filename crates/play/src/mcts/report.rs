//! The opinion of a search: what it knows of each move, and how it expects the game to go on.

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};

use crate::evaluation::share_of;
use crate::mcts::tree::{Chooser, NodeId};
use crate::mcts::tree_search::TreeSearch;

/// Lines of play are told no further than this.
const LONGEST_LINE: usize = 16;

/// What is known of a move.
#[derive(Clone, PartialEq, Debug)]
pub struct MoveReport {
    /// The move.
    pub action: MoveId,
    /// How often the search went through it.
    pub visits: u32,
    /// The mean goal of the games played from there; none if there were none.
    pub mean: Option<f64>,
    /// What it is proved to be worth: the role gets that whatever the others do, and no more if all play their best.
    pub proved: Option<u32>,
    /// What the search expects of it and looks no further into. Beside what is proved that may rest on goals of
    /// constant sum that is not proved, or on play that comes to an end.
    pub settled: Option<u32>,
    /// How often it should be made, where others choose at the same time and moves are mixed.
    pub mixed: Option<f64>,
}

impl MoveReport {
    /// The goal that the search expects of it: what is settled, or else the mean of its games.
    pub fn expected(&self) -> Option<f64> {
        self.settled.map(f64::from).or(self.mean)
    }
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
    /// What the state is proved to be worth to the role.
    pub proved: Option<u32>,
    /// What the search expects of it and looks no further into.
    pub settled: Option<u32>,
    /// How the search expects the game to go on: joint moves, one move per role in each.
    pub line: Vec<Vec<MoveId>>,
    /// The moves of that line whose roles had a choice, in order.
    pub choices: Vec<MoveId>,
    /// What the evaluation says of the state, as a share of the role's best goal; `None` if states are
    /// not evaluated.
    pub evaluation: Option<f64>,
}

impl TreeSearch<'_> {
    /// What the search knows about a role's moves.
    pub fn report(&self, role: RoleId) -> SearchReport {
        let alone = self.tree.node(self.root).chooser == Chooser::One(role);
        let mixture = self.mixture(self.root, role);
        let of_arm = |(place, arm): (usize, usize)| {
            let seen = self.tree.arm(arm);
            let settled = self.certain(arm).filter(|_| alone).map(|goals| goals[role.index()]);
            let child = self.tree.child(arm).filter(|_| alone);
            let proved = child.and_then(|child| self.claim(child, role));
            let mixed = mixture.as_ref().map(|mixture| mixture[place]);
            MoveReport {
                action: seen.action,
                visits: seen.visits,
                mean: seen.mean(),
                proved,
                settled,
                mixed,
            }
        };
        let span = self.tree.span(self.root, role);
        let mut moves: Vec<MoveReport> = span.enumerate().map(of_arm).collect();
        moves.sort_by(|a, b| self.rank(role, b).total_cmp(&self.rank(role, a)));
        let line = self.principal_variation();
        SearchReport {
            moves,
            playouts: self.playouts,
            nodes: self.tree.len(),
            proved: self.claim(self.root, role),
            settled: self.tree.settled(self.root).map(|goals| goals[role.index()]),
            choices: line.iter().flat_map(|(_, choices)| choices.iter().copied()).collect(),
            line: line.into_iter().map(|(joint, _)| joint).collect(),
            evaluation: (self.evaluation.as_ref())
                .map(|evaluation| share_of(evaluation.logit(role, self.tree.state(self.root))))
                .map(f64::from),
        }
    }

    /// The moves that were tried most, from state to state; and those of roles that had a choice.
    fn principal_variation(&self) -> Vec<(Vec<MoveId>, Vec<MoveId>)> {
        let (mut line, mut node) = (Vec::new(), self.root);
        while line.len() < LONGEST_LINE
            && let Some((joint, child)) = self.most_tried(node)
        {
            let chooses = |role: &RoleId| self.tree.span(node, *role).len() > 1;
            let choices = self.tree.roles().filter(chooses).map(|role| joint[role.index()]);
            let choices = choices.collect();
            line.push((joint, choices));
            let Some(child) = child else { break };
            node = child;
        }
        line
    }

    /// The joint move that was tried most in a node, and where it leads; `None` if none was tried.
    fn most_tried(&self, node: NodeId) -> Option<(Vec<MoveId>, Option<NodeId>)> {
        let at = self.tree.node(node);
        if at.terminal || at.visits == 0 && !at.settled {
            return None;
        }
        let (mut number, mut arms) = (0u64, Vec::new());
        for role in self.tree.roles() {
            let span = self.tree.span(node, role);
            let rank = |arm: &usize| {
                let arm = self.tree.arm(*arm);
                (arm.certain() == Some(self.best_goals[role]), arm.visits)
            };
            let best = span.clone().max_by_key(rank)?;
            let place = (best - span.start) as u64;
            number = number.wrapping_mul(span.len() as u64).wrapping_add(place);
            arms.push(best);
        }
        let child = match at.chooser {
            Chooser::Several => self.tree.joint_child(node, number),
            Chooser::One(role) => self.tree.child(arms[role.index()]),
            Chooser::Chance => self.chance.and_then(|role| self.tree.child(arms[role.index()])),
            _ => self.tree.child(arms[0]),
        };
        Some((arms.iter().map(|&arm| self.tree.arm(arm).action).collect(), child))
    }

    /// The best move of a role, if it has one.
    pub fn best(&self, role: RoleId) -> Option<MoveId> {
        self.report(role).moves.first().map(|best| best.action)
    }

    /// Settled wins first, then what was tried most, or should be drawn most.
    fn rank(&self, role: RoleId, report: &MoveReport) -> f64 {
        let tried = f64::from(report.visits) / f64::from(self.descents().max(1));
        let tried = report.mixed.unwrap_or(tried);
        match report.settled {
            Some(goal) if goal == self.best_goals[role] => 10.0 + tried,
            // A settled goal outranks moves that promise less, and no others.
            Some(goal) => {
                let arms = self.tree.arms(self.root, role);
                let mut others = arms.iter().filter(|arm| arm.certain().is_none());
                let promises_more = |mean: f64| mean > f64::from(goal);
                let promised = others.any(|arm| arm.mean().is_some_and(promises_more));
                self.share(role, goal) * if promised { 1e-3 } else { 5.0 } + tried * 1e-6
            }
            None => tried + report.mean.unwrap_or(0.0) * 1e-6,
        }
    }
}
