//! `gambol structure`: latches, inhibitors, exclusive groups, clocks and turns, proved.

mod tree;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use clap::Args;
use gambol::analysis::{
    Budget, Literal, Shape, ShapeOptions, Together, Verdict, explain, explain_latch,
    shape_with_progress,
};
use gambol::ground::FluentId;
use gambol::net::Net;
use serde::Serialize;

use crate::game_source::load;
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::session::Session;

/// What to analyse.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// Say how each latch was proved, and show the moves that refute the others
    #[arg(long)]
    explain: bool,
    /// Prove by induction only, even if all states of the game can be listed
    #[arg(long)]
    no_listing: bool,
    /// Count the game tree of a puzzle, whole and without the states that are dead for its best goal
    #[arg(long)]
    tree: bool,
}

/// Seconds for the analysis if no limit is given.
const DEFAULT_SECONDS: u64 = 6;

#[derive(Serialize)]
struct Report<'a> {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<tree::Counts<'a>>,
    states: Option<usize>,
    complete: bool,
    seconds: f64,
    seconds_by_stage: BTreeMap<String, f64>,
}

#[derive(Serialize)]
struct Valued<'a> {
    fluent: &'a str,
    polarity: &'static str,
    basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<String>,
}

#[derive(Serialize)]
struct ViewLatch<'a> {
    view: &'a str,
    polarity: &'static str,
    basis: &'static str,
}

/// A latch after which a role never again has a move.
#[derive(Serialize)]
struct ForbiddenMove<'a> {
    fluent: &'a str,
    polarity: &'static str,
    role: &'a str,
    #[serde(rename = "move")]
    action: &'a str,
    basis: &'static str,
}

#[derive(Serialize)]
struct Group<'a> {
    fluents: Vec<&'a str>,
    polarities: Vec<&'static str>,
    /// Whether one of them or all of them keep on holding.
    together: &'static str,
    basis: &'static str,
}

#[derive(Serialize)]
struct Inhibitor<'a> {
    inhibitor: &'a str,
    inhibited: &'a str,
    basis: &'static str,
}

#[derive(Serialize)]
struct GoalInhibitor<'a> {
    fluent: &'a str,
    polarity: &'static str,
    role: &'a str,
    goal: u32,
    basis: &'static str,
}

#[derive(Serialize)]
struct Goal<'a> {
    role: &'a str,
    goal: u32,
    basis: &'static str,
}

#[derive(Serialize)]
struct Turn<'a> {
    fluent: &'a str,
    role: Option<&'a str>,
    basis: &'static str,
}

const PROVED: &str = "proved";

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    let net = super::net_of(&game, session)?;
    let shape = {
        let working = Working::on("playing", session);
        let options = options(arguments, session);
        shape_with_progress(net, &options, &mut |stage| working.now(stage.text()))
    };
    let counts = arguments.tree.then(|| tree::counts(net, &shape, session)).transpose()?;
    if session.flags.json {
        session.json(&Report { tree: counts, ..Report::of(net, &shape) })?;
    } else {
        print(net, &shape, arguments.explain, session)?;
        if let Some(counts) = counts {
            writeln!(session.out, "{counts}")?;
        }
    }
    if !shape.complete {
        session.warn("the time was not enough for everything; --time gives more");
        return Ok(Outcome::Partial);
    }
    Ok(session.outcome(true))
}

fn options(arguments: &Arguments, session: &Session) -> ShapeOptions {
    // A little is kept back, to write the answer in.
    let time = session.watch.time_left().map(|left| left.mul_f64(0.9));
    let mut options = ShapeOptions::default();
    options.budget = Budget {
        time: Some(time.unwrap_or(Duration::from_secs(DEFAULT_SECONDS))),
        stop: Some(session.watch.flag()),
    };
    options.seed = session.flags.seed;
    options.listing = !arguments.no_listing;
    options
}

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

impl<'a> Report<'a> {
    fn of(net: &'a Net, shape: &'a Shape) -> Self {
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
            tree: None,
            states: shape.states,
            complete: shape.complete,
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
    let group = |group: &gambol::analysis::GroupLatch| Group {
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
    let pair = |pair: &gambol::analysis::Inhibitor| Inhibitor {
        inhibitor: &net.fluents[pair.inhibitor],
        inhibited: &net.fluents[pair.inhibited],
        basis: PROVED,
    };
    proved.map(pair).collect()
}

fn goal_facts<'a>(
    net: &'a Net,
    shape: &Shape,
    literals: impl Fn(&gambol::analysis::GoalFacts) -> &Vec<Literal>,
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
    let goal = |facts: &gambol::analysis::GoalFacts| Goal {
        role: &net.roles[facts.goal.role],
        goal: facts.goal.value,
        basis: PROVED,
    };
    goals.map(goal).collect()
}

fn turn<'a>(net: &'a Net, shape: &Shape) -> Vec<Turn<'a>> {
    let turn = |turn: &gambol::analysis::Turn| Turn {
        fluent: &net.fluents[turn.fluent],
        role: turn.role.map(|role| &*net.roles[role]),
        basis: PROVED,
    };
    shape.turn.iter().map(turn).collect()
}

fn print(net: &Net, shape: &Shape, how: bool, session: &mut Session) -> anyhow::Result<()> {
    let out = &mut session.out;
    for line in explain(net, shape) {
        writeln!(out, "{line}")?;
    }
    if how {
        for latch in &shape.latches {
            writeln!(out, "{}", explain_latch(net, shape, latch))?;
        }
    }
    let states = shape.states.map_or(String::new(), |states| format!(" all {states} states met;"));
    writeln!(out, "everything above is proved;{states} {:.3} s", shape.time.as_secs_f64())?;
    Ok(())
}
