//! Bounds: what is proved of what each role gets from a state on, where the search takes it for settled.
//!
//! A role gets its least goal whatever the others do: it has a move for each state that may come up, and what is below
//! is finite. It does not get more than its most if all play their best, that is in no subgame-perfect equilibrium.
//! Both hold without a word about what goals add up to; where that is proved, each role's bounds tighten the other's.
//!
//! What was not looked into may be worth anything: an end without a goal, or with several, and play that goes on for
//! ever, which is worth nothing.

use std::sync::Arc;

use gambol_analysis::OpenGoals;
use gambol_index::{Id, IndexVec, bits};
use gambol_net::{FluentId, RoleId};
use gambol_solve::Ends;
use smallvec::SmallVec;

use crate::mcts::tree::{Chooser, NodeId};
use crate::mcts::tree_search::TreeSearch;

/// The greatest goal that the language allows.
const GREATEST: u32 = 100;

/// What a role gets at least, and at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bounds {
    pub(crate) least: u32,
    pub(crate) most: u32,
}

/// The bounds of every role.
pub(crate) type AllBounds = SmallVec<[Bounds; 4]>;

impl Bounds {
    /// What the role gets, if that is proved.
    pub(crate) fn value(self) -> Option<u32> {
        (self.least == self.most).then_some(self.least)
    }

    fn either(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// The bounds of states of which nothing else is known.
pub(crate) fn widest(ends: Ends, best_goals: &IndexVec<RoleId, u32>) -> AllBounds {
    let most = |&best: &u32| if ends.have_goals() { best } else { best.max(GREATEST) };
    best_goals.iter().map(|best| Bounds { least: 0, most: most(best) }).collect()
}

impl TreeSearch<'_> {
    /// Rests its claims on what is proved of the ends of the game from now on.
    pub fn use_ends(&mut self, ends: Ends) {
        self.ends = ends;
        self.begin_anew();
    }

    /// Knows from now on which goals are out of reach in a state.
    pub fn use_open_goals(&mut self, open_goals: Arc<OpenGoals>) {
        self.open_goals = Some(open_goals);
        self.begin_anew();
    }

    /// What a role gets from a node on, if that is proved.
    pub(crate) fn claim(&self, node: NodeId, role: RoleId) -> Option<u32> {
        // Of parts, in which goals are differences, nothing is claimed.
        let claims = self.tree.node(node).settled && !self.options.opposed;
        self.tree.bounds(node)[role.index()].value().filter(|_| claims)
    }

    /// The only goal that nothing played from a state can take from each role, as long as play comes to an end.
    pub(crate) fn left_over(&self, words: &[u64]) -> Option<SmallVec<[u32; 4]>> {
        let open_goals = self.open_goals.as_ref()?;
        let holds = |fluent: FluentId| bits::is_set(words, fluent.index());
        let only = |role: RoleId| {
            let mut open = open_goals.open(role, holds);
            open.next().filter(|_| open.next().is_none())
        };
        self.best_goals.ids().map(only).collect()
    }

    /// The bounds that hold where each role has this goal only: at an end, or because no other is open any more.
    pub(crate) fn bounds_of_goals(&self, goals: &[u32], over: bool) -> AllBounds {
        let (surely, has_goals) = (over || self.ends.every_play_scores(), self.ends.have_goals());
        let bounds = |(&goal, widest): (&u32, &Bounds)| Bounds {
            least: if surely { goal } else { widest.least.min(goal) },
            most: if surely || has_goals { goal } else { widest.most },
        };
        goals.iter().zip(self.tree.widest()).map(bounds).collect()
    }

    /// The bounds of a node by those of the nodes after it.
    pub(crate) fn bounds_after(&self, node: NodeId) -> AllBounds {
        let bounds = match self.tree.node(node).chooser {
            Chooser::One(role) => self.bounds_of_choice(node, role),
            Chooser::Nobody => self.bounds_of_any(node, RoleId::new(0)),
            Chooser::Chance => match self.chance {
                Some(chance) => self.bounds_of_any(node, chance),
                None => SmallVec::from_slice(self.tree.widest()),
            },
            Chooser::Several => self.bounds_of_joint_moves(node),
            Chooser::Stuck => SmallVec::from_slice(self.tree.widest()),
        };
        self.tightened(&bounds)
    }

    fn bounds_of_arm(&self, arm: usize) -> &[Bounds] {
        self.tree.child(arm).map_or(self.tree.widest(), |child| self.tree.bounds(child))
    }

    /// One role chooses: it need not get less than the best of its lower bounds, and so it makes no move whose upper
    /// bound is below that. Against the others it may make any.
    fn bounds_of_choice(&self, node: NodeId, chooser: RoleId) -> AllBounds {
        let of_moves = || self.tree.span(node, chooser).map(|arm| self.bounds_of_arm(arm));
        let sure = of_moves().map(|bounds| bounds[chooser.index()].least).max().unwrap_or(0);
        let of_role = |role: RoleId| {
            let sensible = of_moves().filter(|bounds| bounds[chooser.index()].most >= sure);
            let most = sensible.map(|bounds| bounds[role.index()].most).max().unwrap_or(0);
            let least = of_moves().map(|bounds| bounds[role.index()].least).min().unwrap_or(0);
            Bounds { least: if role == chooser { sure } else { least }, most }
        };
        self.tree.roles().map(of_role).collect()
    }

    /// Whatever chance does.
    fn bounds_of_any(&self, node: NodeId, role: RoleId) -> AllBounds {
        let all = self.tree.span(node, role).map(|arm| self.bounds_of_arm(arm));
        union(all).unwrap_or_else(|| SmallVec::from_slice(self.tree.widest()))
    }

    /// Several roles choose: each can keep to the move that is best in the worst case.
    fn bounds_of_joint_moves(&self, node: NodeId) -> AllBounds {
        let count = self.tree.joint_moves(node);
        let after = |number: u64| {
            let child = self.tree.joint_child(node, number);
            child.map_or(self.tree.widest(), |child| self.tree.bounds(child))
        };
        let Some(mut bounds) = union((0..count).map(after)) else {
            return SmallVec::from_slice(self.tree.widest());
        };
        let mut stride = count;
        for role in self.tree.roles() {
            let moves = self.tree.span(node, role).len() as u64;
            stride /= moves.max(1);
            let worst = |place: u64| {
                let answers = (0..count).filter(|number| number / stride % moves == place);
                answers.map(|number| after(number)[role.index()].least).min().unwrap_or(0)
            };
            if self.chance != Some(role) {
                bounds[role.index()].least = (0..moves).map(worst).max().unwrap_or(0);
            }
        }
        bounds
    }

    /// What one of two roles is sure of the other does not get; and if every play scores the other gets all the rest.
    fn tightened(&self, bounds: &[Bounds]) -> AllBounds {
        let (Some(sum), &[one, other]) = (self.ends.sum(), bounds) else {
            return SmallVec::from_slice(bounds);
        };
        let scores = self.ends.every_play_scores();
        let against = |own: Bounds, other: Bounds| Bounds {
            least: if scores { own.least.max(sum.saturating_sub(other.most)) } else { own.least },
            most: own.most.min(sum.saturating_sub(other.least)),
        };
        SmallVec::from_slice(&[against(one, other), against(other, one)])
    }
}

fn union<'b>(mut all: impl Iterator<Item = &'b [Bounds]>) -> Option<AllBounds> {
    let mut union = AllBounds::from_slice(all.next()?);
    for bounds in all {
        union.iter_mut().zip(bounds).for_each(|(one, &other)| *one = one.either(other));
    }
    Some(union)
}

#[cfg(test)]
mod tests {
    use gambol_analysis::{ShapeOptions, shape};
    use gambol_sim::Circuit;
    use gambol_solve::Limits;

    use super::*;
    use crate::mcts::report::SearchReport;
    use crate::mcts::tree_search::SearchOptions;
    use crate::testing::net_of;

    /// What a search says of each role at the start, with what can be proved of the ends, and of latches.
    fn reports(rules: &str) -> Vec<SearchReport> {
        let net = net_of(rules);
        let circuit = Circuit::compile(&net, &Default::default()).expect("a circuit");
        let mut search = TreeSearch::new(&net, &circuit, SearchOptions::default());
        search.use_ends(Ends::of_play_from(&net, &circuit, &net.initial, &Limits::default()));
        let shape = shape(&net, &ShapeOptions::default());
        search.use_open_goals(Arc::new(OpenGoals::of(&net, &shape)));
        search.search_rounds(20);
        net.roles.ids().map(|role| search.report(role)).collect()
    }

    /// For each role what the search expects, and what it says is proved.
    fn opinions(rules: &str) -> Vec<(Option<u32>, Option<u32>)> {
        reports(rules).iter().map(|report| (report.settled, report.proved)).collect()
    }

    /// One chooses between two moves that both bring it 100; to the other they bring 100 and nothing.
    const GENEROUS: &str = "
        (role one) (role other) (init open)
        (<= (legal one share) (true open)) (<= (legal one keep) (true open))
        (<= (legal other wait) (true open))
        (<= (next shared) (does one share)) (<= (next kept) (does one keep))
        (<= terminal (not (true open)))
        (goal one 100) (<= (goal other 100) (true shared)) (<= (goal other 0) (not (true shared)))";

    #[test]
    fn a_win_tells_nothing_of_the_other_role_without_a_constant_sum() {
        assert!(matches!(opinions(GENEROUS)[..], [(Some(100), Some(100)), (Some(_), None)]));
    }

    /// The same with a constant sum.
    #[test]
    fn a_win_is_the_loss_of_the_other_role_where_the_sum_is_proved() {
        let opposed =
            GENEROUS.replace("(goal other 100) (true shared)", "(goal other 1) (true no)");
        let opposed = opposed.replace("(<= (goal other 0) (not (true shared)))", "(goal other 0)");
        assert_eq!(opinions(&opposed), [(Some(100), Some(100)), (Some(0), Some(0))]);
    }

    /// Whoever comes to the end has 100, but one who never stops never gets there.
    const ENDLESS: &str = "
        (role walker) (role gate) (init (at 0)) (init closed)
        (<= (legal walker on) (true (at 0))) (<= (legal walker back) (true (at 0)))
        (<= (legal walker wait) (true (at 1)))
        (<= (legal gate open) (true (at 1))) (<= (legal gate keep) (true (at 1)))
        (<= (legal gate wait) (true (at 0)))
        (<= (next (at 0)) (does walker back)) (<= (next (at 1)) (does walker on))
        (<= (next (at 1)) (true (at 1)) (does gate keep))
        (<= (next done) (does gate open))
        (<= terminal (true done)) (<= (goal walker 100) (true done)) (<= (goal gate 0) (true done))";

    #[test]
    fn the_only_goal_that_is_left_is_proved_only_if_play_comes_to_an_end() {
        // The gate need not open, and has no reason to.
        assert_eq!(opinions(ENDLESS), [(Some(100), None), (Some(0), Some(0))]);
    }

    /// Left leads to an end that has no goal for the player, right to one with two.
    const UNCLEAR: &str = "
        (role player) (init open)
        (<= (legal player left) (true open)) (<= (legal player right) (true open))
        (<= (legal player on) (true open))
        (<= (next l) (does player left)) (<= (next r) (does player right)) (<= (next o) (does player on))
        (<= terminal (true l)) (<= terminal (true r)) (<= terminal (true o))
        (<= (goal player 30) (true r)) (<= (goal player 60) (true r)) (<= (goal player 40) (true o))";

    #[test]
    fn an_end_with_several_goals_or_none_is_worth_nothing_that_is_proved() {
        let report = reports(UNCLEAR).remove(0);
        assert_eq!(report.proved, None);
        let mut claims: Vec<Option<u32>> = report.moves.iter().map(|one| one.proved).collect();
        claims.sort_unstable();
        assert_eq!(claims, [None, None, Some(40)]);
    }
}
