//! Games from rules, and the truth about small ones by listing all their states.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use gambol_index::Id;
use gambol_net::{BaseMarking, FluentId, MoveId, Net, NetEngine, build, simplify};

/// The net of some rules.
pub(crate) fn net_of(rules: &[u8]) -> Net {
    let reading = gambol_syntax::read(rules, &Default::default());
    let rules =
        gambol_syntax::repair(reading.rules.expect("it parses")).rules.expect("it is valid");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    simplify(&build(&ground).expect("it is a net"))
}

/// The net of a game in the folder of games.
pub(crate) fn net_of_game(name: &str) -> Net {
    let path = games().join(name).join("rules.kif");
    net_of(&std::fs::read(path).expect("the game is there"))
}

pub(crate) fn games() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../games"))
}

/// The fluent with this name.
pub(crate) fn fluent(net: &Net, name: &str) -> FluentId {
    net.fluents.iter_ids().find(|(_, text)| &***text == name).expect("there is such a fluent").0
}

/// What all reachable states and steps say.
pub(crate) struct Truth {
    pub(crate) states: usize,
    /// Whether a fluent is ever true, ever false, ever gained, ever lost.
    pub(crate) ever: Vec<[bool; 4]>,
    /// `together[p][q]`: both true in some state.
    pub(crate) together: Vec<Vec<bool>>,
    /// `follows[p][q]`: a step from a state with p to a state with q.
    pub(crate) follows: Vec<Vec<bool>>,
    /// For each goal of the net, whether some end has it.
    pub(crate) reached: Vec<bool>,
    /// `reached_after[goal][2 * fluent + holds]`: a play goes through a state with the literal and
    /// ends with the goal.
    pub(crate) reached_after: Vec<Vec<bool>>,
    /// The fluents of each state, sorted.
    pub(crate) listed: Vec<Vec<usize>>,
    /// `leads[goal][state]`: a play from the state ends with the goal.
    pub(crate) leads: Vec<Vec<bool>>,
}

/// Lists the states of a game, if there are not too many.
pub(crate) fn truth(net: &Net, most: usize) -> Option<Truth> {
    let mut engine = NetEngine::new(net);
    let mut states = vec![engine.initial()];
    let mut number: HashMap<Vec<FluentId>, usize> = HashMap::from([(states[0].fluents(), 0)]);
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let mut ends: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut at = 0;
    while at < states.len() {
        if states.len() > most || edges.len() > 12 * most {
            return None;
        }
        let state = states[at].clone();
        if engine.terminal(&state) {
            let marking = engine.marking(&state, &[]);
            let goals = net.goals.iter().enumerate().filter(|(_, goal)| marking.holds(goal.gate));
            ends.push((at, goals.map(|(place, _)| place).collect()));
        } else {
            for moves in joint_moves(net, &engine.legal(&state)) {
                let next = engine.next(&state, &moves);
                let fresh = states.len();
                let to = *number.entry(next.fluents()).or_insert(fresh);
                if to == fresh {
                    states.push(next);
                }
                edges.push((at, to));
            }
        }
        at += 1;
    }
    Some(judge(net, &states, &edges, &ends))
}

fn joint_moves(net: &Net, legal: &[MoveId]) -> Vec<Vec<MoveId>> {
    let mut joint: Vec<Vec<MoveId>> = vec![Vec::new()];
    for role in net.roles.ids() {
        let own = legal.iter().filter(|action| net.moves[**action].role == role);
        let own: Vec<MoveId> = own.copied().collect();
        let extend = |moves: &Vec<MoveId>| {
            own.iter().map(|&action| [moves.clone(), vec![action]].concat()).collect::<Vec<_>>()
        };
        joint = joint.iter().flat_map(extend).collect();
    }
    joint
}

fn judge(
    net: &Net,
    states: &[BaseMarking],
    edges: &[(usize, usize)],
    ends: &[(usize, Vec<usize>)],
) -> Truth {
    let count = net.fluents.len();
    let sets: Vec<Vec<usize>> = states
        .iter()
        .map(|state| state.fluents().iter().map(|fluent| fluent.index()).collect())
        .collect();
    let mut truth = Truth {
        states: states.len(),
        ever: vec![[false; 4]; count],
        together: vec![vec![false; count]; count],
        follows: vec![vec![false; count]; count],
        reached: vec![false; net.goals.len()],
        reached_after: vec![vec![false; 2 * count]; net.goals.len()],
        listed: sets.clone(),
        leads: Vec::new(),
    };
    for (state, set) in states.iter().zip(&sets) {
        for fluent in net.fluents.ids() {
            truth.ever[fluent.index()][usize::from(!state.holds(fluent))] = true;
        }
        for &one in set {
            set.iter().for_each(|&other| truth.together[one][other] = true);
        }
    }
    for &(from, to) in edges {
        for fluent in net.fluents.ids() {
            let change = (states[from].holds(fluent), states[to].holds(fluent));
            truth.ever[fluent.index()][2] |= change == (false, true);
            truth.ever[fluent.index()][3] |= change == (true, false);
        }
        for &one in &sets[from] {
            sets[to].iter().for_each(|&other| truth.follows[one][other] = true);
        }
    }
    let mut sources = vec![Vec::new(); states.len()];
    edges.iter().for_each(|&(from, to)| sources[to].push(from));
    for goal in 0..net.goals.len() {
        let mut open: VecDeque<usize> =
            ends.iter().filter(|(_, goals)| goals.contains(&goal)).map(|(end, _)| *end).collect();
        truth.reached[goal] = !open.is_empty();
        let mut leads = vec![false; states.len()];
        open.iter().for_each(|&end| leads[end] = true);
        while let Some(state) = open.pop_front() {
            for &source in &sources[state] {
                if !leads[source] {
                    leads[source] = true;
                    open.push_back(source);
                }
            }
        }
        for state in (0..states.len()).filter(|&state| leads[state]) {
            for fluent in net.fluents.ids() {
                let holds = usize::from(states[state].holds(fluent));
                truth.reached_after[goal][2 * fluent.index() + holds] = true;
            }
        }
        truth.leads.push(leads);
    }
    truth
}

impl Truth {
    pub(crate) fn varies(&self, fluent: usize) -> bool {
        self.ever[fluent][0] && self.ever[fluent][1]
    }

    /// Whether a fluent that changes keeps a value for good.
    pub(crate) fn latches(&self, fluent: usize, holds: bool) -> bool {
        self.varies(fluent) && !self.ever[fluent][if holds { 3 } else { 2 }]
    }

    pub(crate) fn excludes(&self, one: usize, other: usize) -> bool {
        one != other && self.varies(one) && self.varies(other) && !self.together[one][other]
    }

    pub(crate) fn inhibits(&self, one: usize, other: usize) -> bool {
        self.varies(one) && self.varies(other) && !self.follows[one][other]
    }
}
