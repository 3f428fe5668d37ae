//! What is proved about a game, fact by fact, each with its reason.

use std::sync::Arc;
use std::time::Duration;

use gambol::analysis::{
    Budget, GroupLatch, Literal, Shape, ShapeOptions, Together, Verdict, explain_latch,
    shape_with_progress,
};
use gambol::ground::FluentId;
use gambol::net::Net;
use serde::Serialize;
use serde_json::json;

use crate::job::{Job, Telling};
use crate::refusal::Refusal;
use crate::workshop::Opened;

/// Facts of one kind.
#[derive(Serialize)]
pub(crate) struct Section {
    title: &'static str,
    /// What facts of this kind are good for.
    about: &'static str,
    facts: Vec<Fact>,
    /// Facts that are not listed.
    more: usize,
}

#[derive(Serialize)]
struct Fact {
    text: String,
    why: String,
    basis: &'static str,
    /// The propositions it is about, as gates.
    gates: Vec<u32>,
}

/// The answer of the job.
#[derive(Serialize)]
pub(crate) struct Structure {
    sections: Vec<Section>,
    states: Option<usize>,
    complete: bool,
    seconds: f64,
}

const MOST_FACTS: usize = 400;
const PROVED: &str = "proved";
/// Why a fact holds, if no more is to be said.
const BY_INDUCTION: &str = "it holds at the start, and no step can end it";

/// Analyses the game, and keeps what it finds.
pub(crate) fn structure(
    opened: &Opened,
    job: &Arc<Job>,
    seconds: f64,
) -> Result<Structure, Refusal> {
    let net = opened.net()?;
    let shape = analysed(opened, job, Duration::from_secs_f64(seconds.clamp(0.5, 120.0)))?;
    let sections = [
        goals(net, &shape),
        latches(net, &shape),
        group_latches(net, &shape),
        turns(net, &shape),
        clocks(net, &shape),
        exclusive(net, &shape),
        inhibitors(net, &shape),
        open_questions(net, &shape),
    ];
    Ok(Structure {
        sections: sections.into_iter().filter(|section| !section.facts.is_empty()).collect(),
        states: shape.states,
        complete: shape.complete,
        seconds: shape.time.as_secs_f64(),
    })
}

/// The shape of the game, from before if there is one.
pub(crate) fn analysed(
    opened: &Opened,
    job: &Arc<Job>,
    time: Duration,
) -> Result<Arc<Shape>, Refusal> {
    if let Some(shape) = opened.shape().filter(|shape| shape.complete) {
        return Ok(shape);
    }
    let net = opened.net()?;
    let mut options = ShapeOptions::default();
    options.budget = Budget { time: Some(time), stop: Some(job.flag()) };
    let mut telling = Telling::of(job);
    let shape = shape_with_progress(net, &options, &mut |stage| {
        telling.say(json!({ "stage": stage.text(), "seconds": job.seconds() }));
    });
    Ok(opened.keep_shape(shape))
}

fn section(title: &'static str, about: &'static str, mut facts: Vec<Fact>) -> Section {
    let more = facts.len().saturating_sub(MOST_FACTS);
    facts.truncate(MOST_FACTS);
    Section { title, about, facts, more }
}

fn fact(net: &Net, text: String, why: impl Into<String>, fluents: &[FluentId]) -> Fact {
    let gates = fluents.iter().map(|&fluent| net.fluent_gate(fluent).number()).collect();
    Fact { text, why: why.into(), basis: PROVED, gates }
}

fn names(net: &Net, fluents: &[FluentId]) -> String {
    fluents.iter().map(|&fluent| &*net.fluents[fluent]).collect::<Vec<_>>().join(", ")
}

fn goals(net: &Net, shape: &Shape) -> Section {
    let mut facts = Vec::new();
    for goal in &shape.goals {
        let (role, value) = (&net.roles[goal.goal.role], goal.goal.value);
        if goal.unreachable {
            let text = format!("{role} can never end with {value}");
            facts.push(fact(net, text, "no state in which the game is over has this value", &[]));
            continue;
        }
        for latch in &goal.inhibitors {
            let text = format!("once {} {role} can no longer reach {value}", holds(net, *latch));
            let why = "it stays so, and while it is so no end of the game has this value";
            facts.push(fact(net, text, why, &[latch.fluent]));
        }
        for bar in &goal.bars {
            let text =
                format!("once {} {role} gets {value} only if it would already", holds(net, *bar));
            facts.push(fact(
                net,
                text,
                "it stays so, and no step then brings the value",
                &[bar.fluent],
            ));
        }
    }
    section("Goals that are lost", "Search need not look behind these.", facts)
}

/// `(jammed) is true`
fn holds(net: &Net, literal: Literal) -> String {
    format!("{} is {}", net.fluents[literal.fluent], literal.holds)
}

fn latches(net: &Net, shape: &Shape) -> Section {
    let proved = shape.latches.iter().filter(|latch| latch.moves && latch.verdict.is_proved());
    let mut facts: Vec<Fact> = proved
        .map(|latch| {
            let Literal { fluent, holds } = latch.literal;
            let text = format!("once {} is {holds} it stays {holds}", net.fluents[fluent]);
            fact(net, text, explain_latch(net, shape, latch), &[fluent])
        })
        .collect();
    let views = shape.view_latches.iter().filter(|latch| latch.verdict.is_proved());
    facts.extend(views.map(|latch| {
        let text = format!("once {} is {} it stays {1}", latch.view, latch.holds);
        fact(net, text, "no step takes it away", &[])
    }));
    section(
        "Latches",
        "What can never change back. Shaded on the board once it has happened.",
        facts,
    )
}

fn group_latches(net: &Net, shape: &Shape) -> Section {
    let facts = shape.group_latches().into_iter().map(|group| {
        let members: Vec<String> = group.members.iter().map(|&member| holds(net, member)).collect();
        let fluents: Vec<FluentId> = group.members.iter().map(|member| member.fluent).collect();
        let (members, lost) = (members.join("; "), lost_with(net, shape, group));
        let text = match group.together {
            Together::Any => format!("once one of these holds, one always does: {members}{lost}"),
            Together::All => format!("once all of these hold, they all stay: {members}{lost}"),
        };
        fact(net, text, "no step ends it", &fluents)
    });
    section("Latches of groups", "What lasts together, and what is lost with it.", facts.collect())
}

/// `; then white can no longer reach 100`
fn lost_with(net: &Net, shape: &Shape, group: &GroupLatch) -> String {
    let lost = shape.goals.iter().filter(|facts| facts.groups.contains(group));
    let lost = lost.map(|facts| {
        let (role, value) = (&net.roles[facts.goal.role], facts.goal.value);
        format!("; then {role} can no longer reach {value}")
    });
    lost.collect()
}

fn turns(net: &Net, shape: &Shape) -> Section {
    let facts = shape.turn.iter().map(|turn| {
        let name = &net.fluents[turn.fluent];
        let text = match turn.role {
            Some(role) => format!("while {name} is true only {} has a choice", net.roles[role]),
            None => format!("while {name} is true nobody has a choice"),
        };
        fact(net, text, "every other role has exactly one legal move then", &[turn.fluent])
    });
    section("Turns", "Who can choose when.", facts.collect())
}

fn clocks(net: &Net, shape: &Shape) -> Section {
    let facts = shape.clocks.iter().map(|clock| {
        let members = names(net, &clock.members).replace(", ", " → ");
        let text = match clock.back_to {
            None => format!("time runs by itself: {members}"),
            Some(first) => format!("it goes round by itself: {members} → {}", net.fluents[first]),
        };
        fact(net, text, "each step leads to the next whatever is played", &clock.members)
    });
    section("Clocks", "What changes by itself, whatever is played.", facts.collect())
}

fn exclusive(net: &Net, shape: &Shape) -> Section {
    let group = |how: &'static str| {
        move |group: &Vec<FluentId>| {
            fact(net, format!("{how} of these is true: {}", names(net, group)), BY_INDUCTION, group)
        }
    };
    let exactly = shape.exclusive.exactly_one.iter().map(group("exactly one"));
    let most = shape.exclusive.at_most_one.iter().map(group("at most one"));
    section(
        "Exclusive groups",
        "The variables that the rules never name.",
        exactly.chain(most).collect(),
    )
}

fn inhibitors(net: &Net, shape: &Shape) -> Section {
    let proved: Vec<_> = shape.inhibitors.iter().filter(|pair| pair.verdict.is_proved()).collect();
    let rows = proved.chunk_by(|one, other| one.inhibitor == other.inhibitor);
    let facts = rows.map(|row| {
        let inhibited: Vec<FluentId> = row.iter().map(|pair| pair.inhibited).collect();
        let text = format!(
            "in the state after one with {}, these are false: {}",
            net.fluents[row[0].inhibitor],
            names(net, &inhibited)
        );
        fact(net, text, "no step leads from the one to the other", &[row[0].inhibitor])
    });
    section("Inhibitors", "What keeps something else away for a step.", facts.collect())
}

/// No playout contradicts these, and no proof was found.
fn open_questions(net: &Net, shape: &Shape) -> Section {
    let unknown =
        shape.latches.iter().filter(|latch| latch.moves && latch.verdict == Verdict::Unknown);
    let facts = unknown.map(|latch| {
        let Literal { fluent, holds } = latch.literal;
        let text = format!("{} may keep the value {holds} once it has it", net.fluents[fluent]);
        let why = "no game played at random contradicts it, and no proof was found";
        Fact { basis: "sampled", ..fact(net, text, why, &[fluent]) }
    });
    section("Not decided", "Seen in every random game, and not proved.", facts.collect())
}
