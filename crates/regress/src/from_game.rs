//! A game as an automaton.
//!
//! Groups of fluents that are proved to exclude one another become variables, the turn becomes the
//! nodes. What ends the game stands in the first priority group, one transition per cube and goal
//! vector; the moves stand in the second, one transition per case in which a move's effect is a
//! constant. Guards are irredundant cubes of the net's own functions.
//!
//! Play without end, and states in which a role has no move, are worth 0 to everybody, as for all
//! solvers. An end with several goals for a role, or none, counts as the worst it can be read as;
//! [`GameAutomaton::secured_by`] asks about either reading.

mod compare;
mod effects;
mod gates;
mod variables;

pub use compare::{Mismatch, compare_with_circuit};

use gambol_analysis::Shape;
use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net, RoleId};
use oxidd::BooleanFunction;

use crate::automaton::{
    AgentId, Automaton, Node, NodeId, NodeKind, Outcome, OutcomeId, Transition,
};
use crate::build::{Draft, Move};
use crate::cube::Cube;
use crate::diagram::cubes::cubes;
use crate::diagram::encode::{Encoding, Set};
use crate::error::RegressError;
use crate::limits::{Halt, Limits};
use effects::{Effect, effects};
use gates::Gates;
use variables::Variables;

/// What an end without a goal may be read as.
const HIGHEST_GOAL: u32 = 100;

/// Why a game cannot be made an automaton.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// Two roles may choose at once.
    #[error(
        "the model is sequential, and no turn could be proved: {0}; games with simultaneous moves \
         cannot be treated"
    )]
    Simultaneous(String),
    /// Chance or hidden information.
    #[error("the game has chance or hidden information ({0}); only games without can be treated")]
    Imperfect(&'static str),
    /// A move has too many different effects.
    #[error("the effect of {action} depends on the state in more than {most} ways")]
    Cases {
        /// The move.
        action: String,
        /// The limit.
        most: usize,
    },
    /// A limit was met, or diagrams failed.
    #[error(transparent)]
    Regress(#[from] RegressError),
}

impl From<oxidd::error::OutOfMemory> for GameError {
    fn from(error: oxidd::error::OutOfMemory) -> Self {
        GameError::Regress(error.into())
    }
}

/// An automaton and how its states are those of a game.
#[derive(Clone, Debug)]
pub struct GameAutomaton {
    /// The automaton.
    pub automaton: Automaton,
    /// For each outcome but that of play without end what it is worth to each role.
    pub payoffs: IndexVec<OutcomeId, Vec<Payoff>>,
    variables: Variables,
}

/// What an end is worth to a role: from the worst to the best it can be read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Payoff {
    /// The least of several goals, 0 if there is none.
    pub least: u32,
    /// The greatest of several goals, 100 if there is none.
    pub most: u32,
}

/// More cubes than this for one guard are not made.
const MOST_CUBES: usize = 100_000;
/// Moves stand below all that ends the game.
const MOVE_GROUP: usize = usize::MAX;

/// Makes a game an automaton.
pub fn automaton_of_game(
    name: &str,
    net: &Net,
    shape: &Shape,
    limits: &Limits,
) -> Result<GameAutomaton, GameError> {
    refuse_imperfect(net)?;
    let turns = turns(net, shape)?;
    let turn_fluents: Vec<FluentId> = turns.iter().filter_map(|turn| turn.0).collect();
    let variables = Variables::of(net, shape, &turn_fluents);
    let skeleton = skeleton(name, &variables);
    let mut making = Making {
        net,
        encoding: Encoding::new(&skeleton, limits)?,
        outcomes: IndexVec::new(),
        moves: Vec::new(),
        variables: &variables,
        turns: &turns,
    };
    for node in 0..turns.len() {
        making.add_node(node)?;
    }
    let Making { outcomes, moves, .. } = making;
    let automaton = finish(name, net, &variables, &turns, &outcomes, moves);
    Ok(GameAutomaton { automaton, payoffs: outcomes, variables })
}

/// The fluent that marks a node, and who chooses there.
type Turn = (Option<FluentId>, RoleId);

fn refuse_imperfect(net: &Net) -> Result<(), GameError> {
    if !net.percepts.is_empty() {
        return Err(GameError::Imperfect("it says what roles perceive"));
    }
    match net.roles.iter().any(|role| &**role == "random") {
        true => Err(GameError::Imperfect("it has the role random")),
        false => Ok(()),
    }
}

fn turns(net: &Net, shape: &Shape) -> Result<Vec<Turn>, GameError> {
    if net.roles.len() == 1 {
        return Ok(vec![(None, RoleId::new(0))]);
    }
    if shape.turn.is_empty() {
        let reason = compare::simultaneous_choice(net)
            .unwrap_or_else(|| "no state was met in which two roles choose, though".to_string());
        return Err(GameError::Simultaneous(reason));
    }
    // Where nobody has a choice it does not matter who makes it.
    let owner = |role: Option<RoleId>| role.unwrap_or(RoleId::new(0));
    Ok(shape.turn.iter().map(|turn| (Some(turn.fluent), owner(turn.role))).collect())
}

/// The variables alone, to encode sets of states with.
fn skeleton(name: &str, variables: &Variables) -> Automaton {
    let mut draft = Draft::new(name, variables.layout());
    draft.variables = variables.named();
    draft.nodes.push(Node {
        name: "play".into(),
        kind: NodeKind::Goal(OutcomeId::new(0)),
        groups: Vec::new(),
    });
    draft.finish()
}

struct Making<'m> {
    net: &'m Net,
    encoding: Encoding<'m>,
    variables: &'m Variables,
    turns: &'m [Turn],
    /// The goal vectors that have been met.
    outcomes: IndexVec<OutcomeId, Vec<Payoff>>,
    /// Node, group, move, target (a node or an outcome), guard and effect of every transition.
    moves: Vec<Made>,
}

struct Made {
    node: usize,
    group: usize,
    name: Box<str>,
    target: Target,
    guard: Cube,
    effect: Effect,
}

#[derive(Clone, Copy)]
enum Target {
    Node(usize),
    Outcome(OutcomeId),
}

impl Making<'_> {
    fn add_node(&mut self, node: usize) -> Result<(), GameError> {
        let marker = self.turns[node].0;
        let gates = Gates::of_state(self.net, &mut self.encoding, self.variables, marker)?;
        let possible = self.encoding.possible()?;
        let terminal = gates.get(self.net.terminal).and(&possible)?;
        self.add_ends(node, &gates, &terminal, &possible.not()?)?;
        let going = terminal.imp_strict(&possible)?;
        // Where the game is over a group above is in effect, and the guards may say what they like.
        let free = going.not()?;
        for joint in self.joint_moves(&gates, &going)? {
            self.add_joint(node, &gates, &going, &free, &joint)?;
        }
        Ok(())
    }

    /// One priority group per goal vector, so that each need only say what those above do not.
    fn add_ends(
        &mut self,
        node: usize,
        gates: &Gates,
        terminal: &Set,
        impossible: &Set,
    ) -> Result<(), GameError> {
        let mut vectors = self.goal_vectors(gates, terminal)?;
        let mut free = impossible.clone();
        for group in 0..vectors.len() {
            // The vector that takes the fewest cubes comes next.
            let mut fewest: Option<(usize, Vec<Cube>)> = None;
            for (place, (_, set)) in vectors.iter().enumerate() {
                let most = fewest.as_ref().map_or(MOST_CUBES, |(_, cubes)| cubes.len());
                match cubes(&self.encoding, set, &set.or(&free)?, most) {
                    Ok(cubes) if cubes.len() < most || fewest.is_none() => {
                        fewest = Some((place, cubes));
                    }
                    Ok(_) | Err(RegressError::Halt(Halt::Memory)) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            let (place, guards) = fewest.ok_or(RegressError::Halt(Halt::Memory))?;
            let (vector, set) = vectors.swap_remove(place);
            free = free.or(&set)?;
            let known = self.outcomes.iter_ids().find(|(_, known)| **known == vector);
            let known = known.map(|(id, _)| id);
            let target = Target::Outcome(known.unwrap_or_else(|| self.outcomes.push(vector)));
            for guard in guards {
                let effect = Effect::default();
                self.moves.push(Made { node, group, name: "end".into(), target, guard, effect });
            }
        }
        Ok(())
    }

    /// What the roles get, and in which of the terminal states.
    fn goal_vectors(
        &self,
        gates: &Gates,
        terminal: &Set,
    ) -> Result<Vec<(Vec<Payoff>, Set)>, GameError> {
        let mut vectors = vec![(Vec::new(), terminal.clone())];
        for role in self.net.roles.ids() {
            let mut longer = Vec::new();
            for (vector, set) in vectors {
                for (payoff, set) in self.payoffs(gates, role, set)? {
                    longer.push(([&vector[..], &[payoff]].concat(), set));
                }
            }
            vectors = merged(longer)?;
        }
        Ok(vectors)
    }

    /// What a role gets, and in which of some terminal states.
    fn payoffs(
        &self,
        gates: &Gates,
        role: RoleId,
        set: Set,
    ) -> Result<Vec<(Payoff, Set)>, GameError> {
        let mut goals: Vec<_> = self.net.goals.iter().filter(|goal| goal.role == role).collect();
        goals.sort_by_key(|goal| goal.value);
        let mut found: Vec<(Option<Payoff>, Set)> = vec![(None, set)];
        for goal in goals {
            let mut split = Vec::new();
            for (payoff, set) in found {
                let here = set.and(gates.get(goal.gate))?;
                let least = payoff.map_or(goal.value, |payoff| payoff.least);
                let rest = here.imp_strict(&set)?;
                split.push((Some(Payoff { least, most: goal.value }), here));
                split.push((payoff, rest));
            }
            split.retain(|(_, set)| set.satisfiable());
            found = split;
        }
        let none = Payoff { least: 0, most: HIGHEST_GOAL };
        Ok(found.into_iter().map(|(payoff, set)| (payoff.unwrap_or(none), set)).collect())
    }

    /// One move per role, the chooser's first among those that matter; the others have one each.
    fn joint_moves(&self, gates: &Gates, going: &Set) -> Result<Vec<Vec<MoveId>>, GameError> {
        let mut joint: Vec<(Vec<MoveId>, Set)> = vec![(Vec::new(), going.clone())];
        for role in self.net.roles.ids() {
            let mut longer = Vec::new();
            for (moves, set) in joint {
                for action in self.net.moves_of(role).map(MoveId::new) {
                    let here = set.and(gates.get(self.net.legal[action]))?;
                    if here.satisfiable() {
                        longer.push(([moves.clone(), vec![action]].concat(), here));
                    }
                }
            }
            joint = longer;
        }
        Ok(joint.into_iter().map(|(moves, _)| moves).collect())
    }

    fn add_joint(
        &mut self,
        node: usize,
        gates: &Gates,
        going: &Set,
        free: &Set,
        joint: &[MoveId],
    ) -> Result<(), GameError> {
        let mut guard = going.clone();
        for &action in joint {
            guard = guard.and(gates.get(self.net.legal[action]))?;
        }
        let after = gates.with_moves(self.net, &mut self.encoding, joint)?;
        let chooser = self.turns[node].1;
        let name = self.net.moves[joint[chooser.index()]].name.clone();
        for (target, (marker, _)) in self.turns.iter().enumerate() {
            let here = match marker {
                Some(fluent) => guard.and(after.get(self.net.next[*fluent]))?,
                None => guard.clone(),
            };
            if !here.satisfiable() {
                continue;
            }
            let cases = effects(self.net, &mut self.encoding, self.variables, &after, here, &name)?;
            for (set, effect) in cases {
                let target = Target::Node(target);
                for guard in cubes(&self.encoding, &set, &set.or(free)?, MOST_CUBES)? {
                    let (name, effect) = (name.clone(), effect.clone());
                    let group = MOVE_GROUP;
                    self.moves.push(Made { node, group, name, target, guard, effect });
                }
            }
        }
        Ok(())
    }
}

/// Each vector once.
fn merged(
    vectors: Vec<(Vec<Payoff>, Set)>,
) -> Result<Vec<(Vec<Payoff>, Set)>, oxidd::error::OutOfMemory> {
    let mut merged: Vec<(Vec<Payoff>, Set)> = Vec::new();
    for (vector, set) in vectors {
        match merged.iter_mut().find(|(known, _)| *known == vector) {
            Some((_, known)) => *known = known.or(&set)?,
            None => merged.push((vector, set)),
        }
    }
    Ok(merged)
}

fn finish(
    name: &str,
    net: &Net,
    variables: &Variables,
    turns: &[Turn],
    outcomes: &IndexVec<OutcomeId, Vec<Payoff>>,
    moves: Vec<Made>,
) -> Automaton {
    let layout = variables.layout();
    let mut draft = Draft::new(name, layout.clone());
    draft.agents = net.roles.iter().cloned().collect();
    draft.variables = variables.named();
    draft.facts = variables.facts(net);
    for (marker, role) in turns {
        let name = marker.map_or("play".into(), |fluent| net.fluents[fluent].clone());
        let kind = NodeKind::Choice(AgentId::from_index(role.index()));
        draft.nodes.push(Node { name, kind, groups: Vec::new() });
    }
    for (id, vector) in outcomes.iter_ids() {
        let word = |payoff: &Payoff| match payoff.value() {
            Some(value) => value.to_string(),
            None => format!("{}..{}", payoff.least, payoff.most),
        };
        let name: Box<str> = vector.iter().map(word).collect::<Vec<_>>().join("-").into();
        let rewards = vector.iter().map(|payoff| i64::from(payoff.least)).collect();
        draft.outcomes.push(Outcome { name: name.clone(), rewards });
        let name = format!("end-{name}").into();
        draft.nodes.push(Node { name, kind: NodeKind::Goal(id), groups: Vec::new() });
    }
    draft.endless = draft.agents.ids().map(|_| 0).collect();
    for made in moves {
        let target = match made.target {
            Target::Node(node) => NodeId::from_index(node),
            Target::Outcome(outcome) => NodeId::from_index(turns.len() + outcome.index()),
        };
        let transition = Transition::new(&layout, &made.name, target, made.guard, made.effect);
        draft.moves.push(Move {
            node: NodeId::from_index(made.node),
            group: made.group,
            transition,
        });
    }
    let at_start = |(marker, _): &Turn| marker.is_none_or(|fluent| net.initial.contains(&fluent));
    let node = turns.iter().position(at_start).unwrap_or(0);
    draft.start = Some((NodeId::from_index(node), variables.state(&net.initial)));
    draft.finish()
}

impl Payoff {
    /// The value, if both readings agree.
    pub fn value(self) -> Option<u32> {
        (self.least == self.most).then_some(self.least)
    }
}

impl GameAutomaton {
    /// The automaton that asks what a role can secure against all others together, if ends are read in
    /// the worst way for it, or in the best. The role is the first agent of two with opposed rewards.
    pub fn secured_by(&self, role: RoleId, best: bool) -> Automaton {
        let mut asked = self.automaton.clone();
        let own = AgentId::from_index(role.index());
        let name = asked.agents[own].clone();
        // A single agent has nobody against it.
        let sides = asked.agents.len().min(2);
        asked.agents = [name, "others".into()].into_iter().take(sides).collect();
        for (place, outcome) in asked.outcomes.iter_mut().enumerate() {
            let id = OutcomeId::from_index(place);
            let payoff = self.payoffs.get(id).map(|payoffs| payoffs[role.index()]);
            let value = payoff.map_or(0, |it| i64::from(if best { it.most } else { it.least }));
            outcome.rewards = [value, -value].into_iter().take(sides).collect();
        }
        for node in asked.nodes.iter_mut() {
            if let NodeKind::Choice(agent) = node.kind {
                node.kind = NodeKind::Choice(AgentId::from_index(usize::from(agent != own)));
            }
        }
        asked
    }

    /// The node and the state in which these fluents are true and no others.
    pub fn state_of(&self, fluents: &[FluentId]) -> (NodeId, Cube) {
        (self.variables.node(fluents), self.variables.state(fluents))
    }

    /// The fluents that are true in a state, sorted.
    pub fn fluents_of(&self, node: NodeId, state: &Cube) -> Vec<FluentId> {
        self.variables.fluents(node, state, &self.automaton.layout)
    }
}
