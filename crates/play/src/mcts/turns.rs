//! Several threads on one tree: they take turns with it.
//!
//! All shared data is in the [`Table`], behind one lock. The thread that holds it selects and backs up; the others
//! make moves in lanes or play games without it. So no node has a lock or an atomic of its own, and a single thread
//! does exactly what it would do without the possibility of others. In-flight descents carry a virtual loss for all
//! threads (Chaslot, Winands and van den Herik 2008).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::mcts::history::History;
use crate::mcts::tree::Tree;
use crate::mcts::tree_search::{SearchOptions, TreeSearch};

/// The data that all threads share.
pub(crate) struct Table {
    tree: Tree,
    history: History,
    constant_sum: bool,
}

/// A thread's access to the table. While it holds the data no other thread can.
#[derive(Default)]
pub(crate) struct Turns<'t> {
    /// `None` if there is only one thread.
    table: Option<&'t Mutex<Table>>,
    /// The lock of the table, while this thread holds the data.
    taken: Option<MutexGuard<'t, Table>>,
    /// How long it waited for the others.
    pub(crate) waited: Duration,
}

impl<'a> TreeSearch<'a> {
    /// Does what the tree is not needed for; others may have it meanwhile.
    pub(crate) fn aside<T>(
        &mut self,
        turns: &mut Turns<'_>,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.put_back(turns);
        let done = work(self);
        self.take(turns);
        done
    }

    fn take(&mut self, turns: &mut Turns<'_>) {
        if let Some(table) = turns.table {
            let begun = Instant::now();
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            turns.waited += begun.elapsed();
            self.exchange(&mut table);
            turns.taken = Some(table);
        }
    }

    fn put_back(&mut self, turns: &mut Turns<'_>) {
        if let Some(mut table) = turns.taken.take() {
            self.exchange(&mut table);
        }
    }

    fn exchange(&mut self, table: &mut Table) {
        std::mem::swap(&mut self.tree, &mut table.tree);
        std::mem::swap(&mut self.history, &mut table.history);
        std::mem::swap(&mut self.constant_sum, &mut table.constant_sum);
    }

    /// Searches with as many threads as were asked for.
    pub(crate) fn search_together(&mut self, deadline: Instant, stop: &AtomicBool) {
        let mut others = std::mem::take(&mut self.others);
        for number in others.len() + 1..self.options.threads {
            others.push(self.another(number as u64));
        }
        let widest = self.tree.widest().into();
        let tree = Tree::new(self.tree.width(), widest, self.chance);
        let mut table = Table { tree, history: History::new(0), constant_sum: true };
        self.exchange(&mut table);
        let table = Mutex::new(table);
        thread::scope(|scope| {
            for other in &mut others {
                other.root = self.root;
                scope.spawn(|| other.search_in_turns(&table, deadline, stop));
            }
            self.search_in_turns(&table, deadline, stop);
        });
        self.exchange(&mut table.into_inner().unwrap_or_else(PoisonError::into_inner));
        for other in &mut others {
            self.playouts += std::mem::take(&mut other.playouts);
        }
        self.others = others;
    }

    fn search_in_turns(&mut self, table: &Mutex<Table>, deadline: Instant, stop: &AtomicBool) {
        let mut turns = Turns { table: Some(table), ..Turns::default() };
        self.take(&mut turns);
        self.search_on(&mut turns, deadline, stop);
        self.put_back(&mut turns);
    }

    /// Searches until the deadline, until stopped, or until the value is certain. The tree is here at the beginning and
    /// at the end.
    pub(crate) fn search_on(
        &mut self,
        turns: &mut Turns<'_>,
        deadline: Instant,
        stop: &AtomicBool,
    ) {
        while self.is_worth_searching()
            && Instant::now() < deadline
            && !stop.load(Ordering::Relaxed)
        {
            self.round(turns, Some(deadline));
        }
        self.finish(turns, Some(deadline));
    }

    /// The search of another thread: the same settings, no tree, and its own random numbers.
    fn another(&self, number: u64) -> Self {
        let options = SearchOptions { seed: self.options.seed + number, ..self.options.clone() };
        let (roles, best_goals) = (self.roles_of_moves.clone(), self.best_goals.clone());
        let mut other = Self::bare(self.circuit, roles, self.chance, best_goals, options);
        other.games_per_leaf = self.games_per_leaf;
        other.evaluation = self.evaluation.clone();
        other.minimax_weight = self.minimax_weight;
        other.open_goals = self.open_goals.clone();
        other.ends = self.ends;
        other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gambol_index::Id;
    use gambol_net::RoleId;
    use gambol_sim::Circuit;
    use gambol_solve::Ends;

    use crate::mcts::tree::{Chooser, NodeId};
    use crate::testing::net_of;

    const CROSSES: &str = include_str!("../../../../games/tic-tac-toe/rules.kif");
    const FOUR: &str = include_str!("../../../../games/connect-four/rules.kif");
    const BLOCKER: &str = include_str!("../../../../games/blocker/rules.kif");

    fn threads(threads: usize) -> SearchOptions {
        SearchOptions { threads, ..SearchOptions::default() }
    }

    /// Searches for so long, or until the value is certain.
    fn search(search: &mut TreeSearch<'_>, time: Duration) {
        search.search(Instant::now() + time, &AtomicBool::new(false));
    }

    #[test]
    fn several_threads_prove_what_one_proves() {
        let net = net_of(CROSSES);
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        for count in [1, 2, 5] {
            let mut together = TreeSearch::new(&net, &circuit, threads(count));
            let start = &net.initial;
            together.use_ends(Ends::of_play_from(&net, &circuit, start, &Default::default()));
            search(&mut together, Duration::from_secs(60));
            assert_eq!(together.report(RoleId::new(0)).proved, Some(50), "{count} threads");
        }
    }

    /// What was begun was ended, and what was noted of a node was noted of its moves.
    fn check_counts(search: &TreeSearch<'_>) {
        for node in (0..search.tree.len()).map(NodeId::from_index) {
            let at = search.tree.node(node);
            for role in search.tree.roles() {
                let arms = search.tree.arms(node, role);
                assert!(arms.iter().all(|arm| arm.pending == 0));
                let counted = match at.chooser {
                    Chooser::One(chooser) => role == chooser,
                    Chooser::Several => arms.len() > 1,
                    _ => false,
                };
                let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
                assert!(!counted || visits == at.visits, "{visits} of {}", at.visits);
            }
        }
    }

    #[test]
    fn no_way_is_lost_between_threads() {
        for rules in [FOUR, BLOCKER] {
            let net = net_of(rules);
            let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
            let mut together = TreeSearch::new(&net, &circuit, threads(4));
            for _ in 0..12 {
                search(&mut together, Duration::from_millis(15));
                check_counts(&together);
                let legal = together.tree.roles().map(|role| together.legal(role)[0]);
                let moves: Vec<_> = legal.collect();
                together.advance(&moves);
                if together.is_over() {
                    break;
                }
            }
            assert!(together.playouts > 0);
        }
    }

    #[test]
    fn other_threads_do_not_change_what_can_be_repeated() {
        let net = net_of(FOUR);
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let reports = [1, 3].map(|count| {
            let mut search = TreeSearch::new(&net, &circuit, threads(count));
            search.search_playouts(20_000);
            search.report(RoleId::new(0))
        });
        assert_eq!(reports[0], reports[1]);
    }
}
