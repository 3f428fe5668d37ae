//! The structure of a game as data, key by key.

use std::collections::BTreeMap;

use gambol_analysis as analysis;
use gambol_analysis::{GoalFacts, GroupLatch, Literal, Shape, Together, Verdict};
use gambol_net::{FluentId, Net};
use serde::Serialize;

/// The structure of a game as data. What is not told to be `sampled` is proved.
#[derive(Serialize, Debug)]
pub struct Structure<'a> {
    latches: Vec<Valued<'a>>,
    view_latches: Vec<ViewLatch<'a>>,
    forbidden_moves: Vec<ForbiddenMove<'a>>,
    group_latches: Vec<Group<'a>>,
    inhibitors: Vec<Inhibitor<'a>>,
    goal_inhibitors: Vec<GoalInhibitor<'a>>,
    goal_bars: Vec<GoalInhibitor<'a>>,
    unreachable_goals: Vec<Goal<'a>>,
    mutexes: Vec<Vec<&'a str>>,
    exactly_one: Vec<Vec<&'a str>>,
    constants: Vec<Valued<'a>>,
    clocks: Vec<Vec<&'a str>>,
    rhythms: Vec<Vec<&'a str>>,
    turn: Vec<Turn<'a>>,
    unknown_latches: Vec<Valued<'a>>,
    states: Option<usize>,
    complete: bool,
    cut_short: Vec<&'static str>,
    seconds: f64,
    seconds_by_stage: BTreeMap<String, f64>,
}

#[derive(Serialize, Debug)]
struct Valued<'a> {
    fluent: &'a str,
    polarity: &'static str,
    basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<String>,
}

#[derive(Serialize, Debug)]
struct ViewLatch<'a> {
    view: &'a str,
    polarity: &'static str,
    basis: &'static str,
}

/// A latch after which a role never again has a move.
#[derive(Serialize, Debug)]
struct ForbiddenMove<'a> {
    fluent: &'a str,
    polarity: &'static str,
    role: &'a str,
    #[serde(rename = "move")]
    action: &'a str,
    basis: &'static str,
}

#[derive(Serialize, Debug)]
struct Group<'a> {
    fluents: Vec<&'a str>,
    polarities: Vec<&'static str>,
    /// Whether one of them or all of them keep on holding.
    together: &'static str,
    basis: &'static str,
}

#[derive(Serialize, Debug)]
struct Inhibitor<'a> {
    inhibitor: &'a str,
    inhibited: &'a str,
    basis: &'static str,
}

#[derive(Serialize, Debug)]
struct GoalInhibitor<'a> {
    fluent: &'a str,
    polarity: &'static str,
    role: &'a str,
    goal: u32,
    basis: &'static str,
}

#[derive(Serialize, Debug)]
struct Goal<'a> {
    role: &'a str,
    goal: u32,
    basis: &'static str,
}

#[derive(Serialize, Debug)]
struct Turn<'a> {
    fluent: &'a str,
    role: Option<&'a str>,
    basis: &'static str,
}

const PROVED: &str = "proved";

fn polarity(holds: bool) -> &'static str {
    if holds { "true" } else { "false" }
}

fn valued<'a>(net: &'a Net, literal: Literal, basis: &'static str) -> Valued<'a> {
    let fluent = &*net.fluents[literal.fluent];
    Valued { fluent, polarity: polarity(literal.holds), basis, proof: None }
}

fn names<'a>(net: &'a Net, fluents: &[FluentId]) -> Vec<&'a str> {
    fluents.iter().map(|&fluent| &*net.fluents[fluent]).collect()
}

impl<'a> Structure<'a> {
    /// What is known of a net.
    pub fn of(net: &'a Net, shape: &'a Shape) -> Self {
        let exclusive = &shape.exclusive;
        let groups = |groups: &[Vec<FluentId>]| {
            groups.iter().map(|group| names(net, group)).collect::<Vec<_>>()
        };
        let exactly_one = groups(&exclusive.exactly_one);
        let clocks = |runs_out: bool| {
            let clocks = shape.clocks.iter().filter(|clock| clock.back_to.is_none() == runs_out);
            clocks.map(|clock| names(net, &clock.members)).collect()
        };
        Self {
            latches: latches(net, shape),
            view_latches: view_latches(shape),
            forbidden_moves: forbidden_moves(net, shape),
            group_latches: group_latches(net, shape),
            inhibitors: inhibitors(net, shape),
            goal_inhibitors: goal_facts(net, shape, |facts| &facts.inhibitors),
            goal_bars: goal_facts(net, shape, |facts| &facts.bars),
            unreachable_goals: unreachable_goals(net, shape),
            mutexes: [exactly_one.clone(), groups(&exclusive.at_most_one)].concat(),
            exactly_one,
            constants: shape.constants.iter().map(|&one| valued(net, one, PROVED)).collect(),
            clocks: clocks(true),
            rhythms: clocks(false),
            turn: turn(net, shape),
            unknown_latches: unknown_latches(net, shape),
            states: shape.states,
            complete: shape.complete,
            cut_short: shape.cut_short.iter().map(|stage| stage.text()).collect(),
            seconds: shape.time.as_secs_f64(),
            seconds_by_stage: seconds_by_stage(shape),
        }
    }
}

fn seconds_by_stage(shape: &Shape) -> BTreeMap<String, f64> {
    let name = |stage| format!("{stage:?}").to_lowercase();
    shape.stages.iter().map(|&(stage, time)| (name(stage), time.as_secs_f64())).collect()
}

fn latches<'a>(net: &'a Net, shape: &Shape) -> Vec<Valued<'a>> {
    let moving = shape.latches.iter().filter(|latch| latch.moves);
    let proved = moving.filter_map(|latch| match latch.verdict {
        Verdict::Proved(how) => {
            Some(Valued { proof: Some(how.to_string()), ..valued(net, latch.literal, PROVED) })
        }
        Verdict::Refuted(_) | Verdict::Unknown => None,
    });
    proved.collect()
}

/// No step of the sample breaks these, and no proof was found.
fn unknown_latches<'a>(net: &'a Net, shape: &Shape) -> Vec<Valued<'a>> {
    let unknown = |verdict: &Verdict| *verdict == Verdict::Unknown;
    let latches = shape.latches.iter().filter(|latch| latch.moves && unknown(&latch.verdict));
    latches.map(|latch| valued(net, latch.literal, "sampled")).collect()
}

fn view_latches(shape: &Shape) -> Vec<ViewLatch<'_>> {
    let proved = shape.view_latches.iter().filter(|latch| latch.verdict.is_proved());
    proved
        .map(|latch| ViewLatch {
            view: &latch.view,
            polarity: polarity(latch.holds),
            basis: PROVED,
        })
        .collect()
}

fn forbidden_moves<'a>(net: &'a Net, shape: &Shape) -> Vec<ForbiddenMove<'a>> {
    let mut found = Vec::new();
    for forbidden in &shape.forbidden_moves {
        let actions = forbidden.moves.iter().map(|&action| &net.moves[action]);
        found.extend(actions.map(|action| ForbiddenMove {
            fluent: &net.fluents[forbidden.latch.fluent],
            polarity: polarity(forbidden.latch.holds),
            role: &net.roles[action.role],
            action: &action.name,
            basis: PROVED,
        }));
    }
    found
}

fn group_latches<'a>(net: &'a Net, shape: &Shape) -> Vec<Group<'a>> {
    let group = |group: &GroupLatch| Group {
        fluents: group.members.iter().map(|member| &*net.fluents[member.fluent]).collect(),
        polarities: group.members.iter().map(|member| polarity(member.holds)).collect(),
        together: match group.together {
            Together::Any => "any",
            Together::All => "all",
        },
        basis: PROVED,
    };
    shape.group_latches().into_iter().map(group).collect()
}

fn inhibitors<'a>(net: &'a Net, shape: &Shape) -> Vec<Inhibitor<'a>> {
    let proved = shape.inhibitors.iter().filter(|pair| pair.verdict.is_proved());
    let pair = |pair: &analysis::Inhibitor| Inhibitor {
        inhibitor: &net.fluents[pair.inhibitor],
        inhibited: &net.fluents[pair.inhibited],
        basis: PROVED,
    };
    proved.map(pair).collect()
}

fn goal_facts<'a>(
    net: &'a Net,
    shape: &Shape,
    literals: impl Fn(&GoalFacts) -> &Vec<Literal>,
) -> Vec<GoalInhibitor<'a>> {
    let mut found = Vec::new();
    for facts in &shape.goals {
        found.extend(literals(facts).iter().map(|literal| GoalInhibitor {
            fluent: &net.fluents[literal.fluent],
            polarity: polarity(literal.holds),
            role: &net.roles[facts.goal.role],
            goal: facts.goal.value,
            basis: PROVED,
        }));
    }
    found
}

fn unreachable_goals<'a>(net: &'a Net, shape: &Shape) -> Vec<Goal<'a>> {
    let goals = shape.goals.iter().filter(|facts| facts.unreachable);
    let goal = |facts: &GoalFacts| Goal {
        role: &net.roles[facts.goal.role],
        goal: facts.goal.value,
        basis: PROVED,
    };
    goals.map(goal).collect()
}

fn turn<'a>(net: &'a Net, shape: &Shape) -> Vec<Turn<'a>> {
    let turn = |turn: &analysis::Turn| Turn {
        fluent: &net.fluents[turn.fluent],
        role: turn.role.map(|role| &*net.roles[role]),
        basis: PROVED,
    };
    shape.turn.iter().map(turn).collect()
}
