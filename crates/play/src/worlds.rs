//! Worlds: the states that a role cannot tell apart.
//!
//! In a game with `sees` a role knows its own moves, what it perceived after each step, whether the game is over, and
//! which moves it has. A world is a state that agrees with all of this, weighted by how likely it is if every move of
//! the others, and every one of chance, is as likely as any other. All worlds are kept while they are few; beyond that
//! a sample of them, which says so.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gambol_net::{BaseMarking, FluentId, MoveId, Net, NetEngine, RoleId};
use gambol_sim::Circuit;
use rustc_hash::FxHashMap;

use crate::mcts::tree_search::{SearchOptions, TreeSearch};

/// More worlds than this are sampled.
const MOST_WORLDS: usize = 2_000;
/// Joint moves tried in one world, at most.
const MOST_JOINTS: usize = 5_000;
/// Worlds that are searched for one decision.
const SEARCHED: usize = 8;

/// What a role knows.
#[derive(Clone, Debug)]
pub struct Worlds {
    role: RoleId,
    /// Worlds and their weights, which add up to one.
    states: Vec<(BaseMarking, f64)>,
    exact: bool,
    /// What was perceived after the last step: indices of [`Net::percepts`].
    seen: Vec<usize>,
    random: u64,
}

/// A move chosen without knowing the state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guess {
    /// The move.
    pub action: MoveId,
    /// Its mean goal over the worlds searched.
    pub mean: f64,
    /// How many worlds were searched.
    pub worlds: usize,
    /// Random games played.
    pub playouts: u64,
}

/// Whether some role may not see everything.
pub fn has_hidden_information(net: &Net) -> bool {
    !net.percepts.is_empty()
}

/// Whether a role is chance: its moves are made by lot.
pub fn is_chance(net: &Net, role: RoleId) -> bool {
    net.roles[role].eq_ignore_ascii_case("random")
}

impl Worlds {
    /// Everybody knows the start.
    pub fn start(net: &Net, role: RoleId, seed: u64) -> Self {
        let states = vec![(BaseMarking::initial(net), 1.0)];
        Self { role, states, exact: true, seen: Vec::new(), random: seed | 1 }
    }

    /// What a role knows after these joint moves from the start, if all of them are legal.
    pub fn after(net: &Net, role: RoleId, history: &[Vec<MoveId>], seed: u64) -> Option<Self> {
        let mut engine = NetEngine::new(net);
        let (mut worlds, mut state) = (Self::start(net, role, seed), engine.initial());
        for joint in history {
            let legal = engine.legal(&state);
            if joint.len() != net.roles.len() || !joint.iter().all(|action| legal.contains(action))
            {
                return None;
            }
            worlds.step(&mut engine, &state, joint);
            state = engine.next(&state, joint);
        }
        Some(worlds)
    }

    /// The true state and the joint move made in it; only what the role notices of them is used.
    pub fn step(&mut self, engine: &mut NetEngine<&Net>, state: &BaseMarking, joint: &[MoveId]) {
        let own = joint[self.role.number() as usize];
        let noticed = Noticed::of(engine, self.role, state, joint);
        let mut next: FxHashMap<BaseMarking, f64> = FxHashMap::default();
        for (world, weight) in std::mem::take(&mut self.states) {
            let joints = self.joints(engine, &world, own);
            let share = weight / joints.len().max(1) as f64;
            for joint in &joints {
                if Noticed::of(engine, self.role, &world, joint) == noticed {
                    *next.entry(engine.next(&world, joint)).or_default() += share;
                }
            }
        }
        self.seen = noticed.percepts;
        let mut states: Vec<(BaseMarking, f64)> = next.into_iter().collect();
        states.sort_by(|one, other| one.0.cmp(&other.0));
        self.keep(states);
    }

    /// The joint moves of a world in which the role makes this move; a sample if there are many.
    fn joints(
        &mut self,
        engine: &mut NetEngine<&Net>,
        world: &BaseMarking,
        own: MoveId,
    ) -> Vec<Vec<MoveId>> {
        let legal = engine.legal(world);
        let net = engine.net();
        let choices: Vec<Vec<MoveId>> = net
            .roles
            .ids()
            .map(|role| {
                let of_role =
                    legal.iter().copied().filter(|action| net.moves[*action].role == role);
                of_role.filter(|action| role != self.role || *action == own).collect()
            })
            .collect();
        let count = choices.iter().try_fold(1_usize, |count, some| count.checked_mul(some.len()));
        match count {
            Some(count) if count <= MOST_JOINTS => all_of(&choices),
            _ => {
                self.exact = false;
                (0..MOST_JOINTS).map(|_| self.any_of(&choices)).collect()
            }
        }
    }

    fn any_of(&mut self, choices: &[Vec<MoveId>]) -> Vec<MoveId> {
        choices.iter().map(|some| some[(self.draw() * some.len() as f64) as usize]).collect()
    }

    /// From 0 to below 1 (xorshift: nothing here depends on better numbers).
    fn draw(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Keeps the worlds, or so many of them as can be kept, and lets their weights add up to one.
    fn keep(&mut self, states: Vec<(BaseMarking, f64)>) {
        self.states = states;
        while self.states.len() > MOST_WORLDS {
            self.exact = false;
            let gone = (self.draw() * self.states.len() as f64) as usize;
            self.states.swap_remove(gone);
        }
        let sum: f64 = self.states.iter().map(|(_, weight)| weight).sum();
        self.states.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.states.len()
    }

    /// Whether these are all of them.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// What the role perceived after the last step: indices of [`Net::percepts`].
    pub fn seen(&self) -> &[usize] {
        &self.seen
    }

    /// Whether a fluent is true in all worlds, or false in all; `None` if they differ.
    pub fn knows(&self, fluent: FluentId) -> Option<bool> {
        let (first, rest) = self.states.split_first()?;
        let value = first.0.holds(fluent);
        rest.iter().all(|(world, _)| world.holds(fluent) == value).then_some(value)
    }

    /// Some of the worlds, likely ones more often, all different.
    fn some(&mut self, count: usize) -> Vec<(BaseMarking, f64)> {
        let mut left = self.states.clone();
        let mut chosen = Vec::new();
        while chosen.len() < count && !left.is_empty() {
            let sum: f64 = left.iter().map(|(_, weight)| weight).sum();
            let mut at = self.draw() * sum;
            let place = left.iter().position(|(_, weight)| {
                at -= weight;
                at < 0.0
            });
            chosen.push(left.swap_remove(place.unwrap_or(left.len() - 1)));
        }
        chosen
    }

    /// The move that is best on average over some worlds, each searched as if it were the truth.
    pub fn decide(
        &mut self,
        net: &Net,
        circuit: &Circuit,
        options: &SearchOptions,
        until: Instant,
        stop: &AtomicBool,
    ) -> Option<Guess> {
        let worlds = self.some(SEARCHED);
        let mut sums: FxHashMap<MoveId, (f64, f64)> = FxHashMap::default();
        let mut playouts = 0;
        for (at, (world, weight)) in worlds.iter().enumerate() {
            let now = Instant::now();
            let share = until.saturating_duration_since(now) / (worlds.len() - at) as u32;
            let mut search = TreeSearch::new(net, circuit, options.clone());
            search.go_to(circuit.state_of(&world.fluents()));
            search.search(now + share, stop);
            let report = search.report(self.role);
            playouts += report.playouts;
            for one in &report.moves {
                let mean = one.expected().unwrap_or(0.0);
                let sum = sums.entry(one.action).or_default();
                *sum = (sum.0 + weight * mean, sum.1 + weight);
            }
        }
        let means = sums
            .iter()
            .map(|(&action, (sum, weight))| (action, sum / weight.max(f64::MIN_POSITIVE)));
        let best = means.max_by(|one, other| one.1.total_cmp(&other.1).then(other.0.cmp(&one.0)));
        best.map(|(action, mean)| Guess { action, mean, worlds: worlds.len(), playouts })
    }
}

/// What a role notices of a step.
#[derive(PartialEq)]
struct Noticed {
    percepts: Vec<usize>,
    over: bool,
    legal: Vec<MoveId>,
}

impl Noticed {
    fn of(
        engine: &mut NetEngine<&Net>,
        role: RoleId,
        state: &BaseMarking,
        joint: &[MoveId],
    ) -> Self {
        let percepts = engine.percepts(state, joint);
        let next = engine.next(state, joint);
        let over = engine.terminal(&next);
        let legal = engine.legal(&next);
        let net = engine.net();
        Self {
            percepts: percepts.into_iter().filter(|&row| net.percepts[row].role == role).collect(),
            over,
            legal: legal
                .into_iter()
                .filter(|&action| !over && net.moves[action].role == role)
                .collect(),
        }
    }
}

/// All combinations.
fn all_of(choices: &[Vec<MoveId>]) -> Vec<Vec<MoveId>> {
    choices.iter().fold(vec![Vec::new()], |joints, some| {
        let longer = |joint: &Vec<MoveId>| {
            let joint = joint.clone();
            some.iter()
                .map(move |&action| [joint.as_slice(), &[action]].concat())
                .collect::<Vec<_>>()
        };
        joints.iter().flat_map(longer).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn net(name: &str) -> Net {
        let path = format!("{}/../../games/{name}/rules.kif", env!("CARGO_MANIFEST_DIR"));
        crate::testing::net_of(&std::fs::read_to_string(path).expect("bundled games are there"))
    }

    fn role(net: &Net, name: &str) -> RoleId {
        net.roles.ids().find(|&role| &*net.roles[role] == name).expect("there is such a role")
    }

    fn joint(net: &Net, names: &[&str]) -> Vec<MoveId> {
        let one = |(role, name): (RoleId, &&str)| {
            let mut moves = net.moves_of(role).map(MoveId::new);
            moves.find(|&action| &*net.moves[action].name == *name).expect("there is such a move")
        };
        net.roles.ids().zip(names).map(one).collect()
    }

    fn fluent(net: &Net, name: &str) -> FluentId {
        net.fluents.ids().find(|&fluent| &*net.fluents[fluent] == name).expect("a fluent")
    }

    #[test]
    fn a_player_of_poker_knows_his_own_card_and_not_the_other() {
        let net = net("kuhn-poker");
        let history = [joint(&net, &["wait", "wait", "(give king jack)"])];
        let ann = Worlds::after(&net, role(&net, "ann"), &history, 1).expect("a legal start");
        assert_eq!((ann.count(), ann.is_exact()), (2, true));
        assert_eq!(ann.knows(fluent(&net, "(hand ann king)")), Some(true));
        assert_eq!(ann.knows(fluent(&net, "(hand bob king)")), Some(false));
        assert_eq!(ann.knows(fluent(&net, "(hand bob jack)")), None);
    }

    #[test]
    fn switching_doors_wins_twice_as_often_as_far_as_the_guest_knows() {
        let net = net("monty-hall");
        let history = [joint(&net, &["(point 1)", "(hide 2)"]), joint(&net, &["wait", "(open 3)"])];
        let guest = Worlds::after(&net, role(&net, "guest"), &history, 1).expect("legal moves");
        let car = |door: &str| -> f64 {
            let car = fluent(&net, &format!("(car {door})"));
            guest
                .states
                .iter()
                .filter(|(world, _)| world.holds(car))
                .map(|(_, weight)| weight)
                .sum()
        };
        assert!((car("1") - 1.0 / 3.0).abs() < 1e-9 && (car("2") - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_hidden_where_all_is_perceived() {
        let net = net("pig");
        let history = [joint(&net, &["roll", "wait", "(throw 4)"])];
        let bob = Worlds::after(&net, role(&net, "bob"), &history, 1).expect("legal moves");
        assert_eq!(bob.count(), 1);
    }

    #[test]
    fn illegal_histories_are_refused() {
        let net = net("pig");
        assert!(Worlds::after(&net, RoleId::new(0), &[Vec::new()], 1).is_none());
    }
}
