//! Facts in words, one line each.

use gambol_net::{FluentId, GoalGate, MoveId, Net};

use crate::verdict::{Verdict, Witness};
use crate::{Clock, ForbiddenMoves, GoalFacts, Latch, Literal, Shape, Together, ViewLatch};

/// What is proved, most useful first.
pub fn explain(net: &Net, shape: &Shape) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(shape.goals.iter().filter(|facts| facts.unreachable).map(|facts| {
        format!("{} can never end with {}", net.roles[facts.goal.role], facts.goal.value)
    }));
    lines.extend(shape.proved_latches().map(|latch| latch_line(net, shape, latch)));
    lines.extend(group_lines(net, shape));
    lines.extend(shape.goals.iter().flat_map(|facts| bar_lines(net, facts)));
    lines.extend(shape.clocks.iter().map(|clock| clock_line(net, clock)));
    lines.extend(shape.turn.iter().map(|turn| match turn.role {
        Some(role) => {
            format!(
                "while {} is true only {} has a choice",
                net.fluents[turn.fluent], net.roles[role]
            )
        }
        None => format!("while {} is true nobody has a choice", net.fluents[turn.fluent]),
    }));
    let groups = |groups: &[Vec<FluentId>], how: &'static str| -> Vec<String> {
        groups.iter().map(|group| format!("{how} of {} is true", names(net, group))).collect()
    };
    lines.extend(groups(&shape.exclusive.exactly_one, "exactly one"));
    lines.extend(groups(&shape.exclusive.at_most_one, "at most one"));
    lines.extend(
        shape
            .view_latches
            .iter()
            .filter(|latch| latch.verdict.is_proved())
            .map(|latch| view_line(net, latch)),
    );
    lines.extend(inhibitor_lines(net, shape));
    lines
}

/// How each verdict about a latch came about; refutations with the moves that show them.
pub fn explain_latch(net: &Net, shape: &Shape, latch: &Latch) -> String {
    let Literal { fluent, holds } = latch.literal;
    let name = &net.fluents[fluent];
    match &latch.verdict {
        Verdict::Proved(proof) => match proof.depth() {
            Some(depth) if depth > 1 => format!(
                "{name} keeps the value {holds}: no {depth} steps in a row end by taking it away"
            ),
            Some(_) => format!("{name} keeps the value {holds}: no step takes it away"),
            None => {
                let states = shape.states.unwrap_or_default();
                format!("{name} keeps the value {holds}: so in all {states} states")
            }
        },
        Verdict::Refuted(witness) => {
            format!("{name} does not keep the value {holds}: {} takes it away", path(net, witness))
        }
        Verdict::Unknown => format!("whether {name} keeps the value {holds} is not known"),
    }
}

fn latch_line(net: &Net, shape: &Shape, latch: Literal) -> String {
    let name = &net.fluents[latch.fluent];
    let line = format!("once {name} is {} it stays {0}", latch.holds);
    let lost = shape.goals.iter().filter(|facts| facts.inhibitors.contains(&latch));
    let gone = shape.forbidden_moves.iter().filter(|forbidden| forbidden.latch == latch);
    line + &consequence(net, lost) + &gone.map(|gone| gone_line(net, gone)).collect::<String>()
}

/// `; then white never again has (put 2 2)`, for each role.
fn gone_line(net: &Net, gone: &ForbiddenMoves) -> String {
    let of_roles = gone.moves.chunk_by(|&one, &other| net.moves[one].role == net.moves[other].role);
    let of_role = |moves: &[MoveId]| {
        let names: Vec<&str> = moves.iter().map(|&action| &*net.moves[action].name).collect();
        let shown = match names.as_slice() {
            [first, second, rest @ ..] if rest.len() > 2 => {
                format!("{first}, {second} or {} others", rest.len())
            }
            names => names.join(" or "),
        };
        format!("; then {} never again has {shown}", net.roles[net.moves[moves[0]].role])
    };
    of_roles.map(of_role).collect()
}

fn view_line(net: &Net, latch: &ViewLatch) -> String {
    let line = format!("once {} is {} it stays {1}", latch.view, latch.holds);
    match latch.legal.map(|action| &net.moves[action]) {
        Some(action) if !latch.holds => {
            format!("{line}; {} never gets the move {} back", net.roles[action.role], action.name)
        }
        _ => line,
    }
}

/// `; then white can no longer reach 100`, for each role.
fn consequence<'f>(net: &Net, lost: impl Iterator<Item = &'f GoalFacts>) -> String {
    let mut goals: Vec<&GoalGate> =
        lost.filter(|facts| !facts.unreachable).map(|facts| &facts.goal).collect();
    goals.sort_by_key(|goal| (goal.role, std::cmp::Reverse(goal.value)));
    let mut line = String::new();
    for goals in goals.chunk_by(|one, other| one.role == other.role) {
        let values: Vec<String> = goals.iter().map(|goal| goal.value.to_string()).collect();
        let role = &net.roles[goals[0].role];
        line += &format!("; then {role} can no longer reach {}", values.join(" or "));
    }
    line
}

fn group_lines(net: &Net, shape: &Shape) -> Vec<String> {
    shape
        .group_latches()
        .into_iter()
        .map(|group| {
            let members: Vec<String> =
                group.members.iter().map(|member| member.text(net)).collect();
            let lost = shape.goals.iter().filter(|facts| facts.groups.contains(group));
            let then = consequence(net, lost);
            let members = members.join(", ");
            match group.together {
                Together::Any => {
                    format!("once one of {members} holds, one of them always does{then}")
                }
                Together::All => format!("once all of {members} hold, they all stay{then}"),
            }
        })
        .collect()
}

fn bar_lines(net: &Net, facts: &GoalFacts) -> Vec<String> {
    let (role, value) = (&net.roles[facts.goal.role], facts.goal.value);
    let line = |bar: &Literal| {
        let name = &net.fluents[bar.fluent];
        format!("after {name} is {} {role} gets {value} only if it would already", bar.holds)
    };
    facts.bars.iter().map(line).collect()
}

fn clock_line(net: &Net, clock: &Clock) -> String {
    let members: Vec<&str> = clock.members.iter().map(|&member| &*net.fluents[member]).collect();
    let members = members.join(", then ");
    match clock.back_to {
        None => format!("time runs by itself: {members}"),
        Some(first) => format!("it goes round by itself: {members}, then {}", net.fluents[first]),
    }
}

/// One line for each inhibitor, with all that it inhibits.
fn inhibitor_lines(net: &Net, shape: &Shape) -> Vec<String> {
    let proved: Vec<_> = shape.inhibitors.iter().filter(|pair| pair.verdict.is_proved()).collect();
    let rows = proved.chunk_by(|one, other| one.inhibitor == other.inhibitor);
    rows.map(|row| {
        let inhibited: Vec<FluentId> = row.iter().map(|pair| pair.inhibited).collect();
        let (after, last) = (&net.fluents[row[0].inhibitor], names(net, &inhibited));
        format!("in the state after one with {after}, false: {last}")
    })
    .collect()
}

fn names(net: &Net, fluents: &[FluentId]) -> String {
    fluents.iter().map(|&fluent| &*net.fluents[fluent]).collect::<Vec<_>>().join(", ")
}

fn path(net: &Net, witness: &Witness) -> String {
    let steps: Vec<String> = witness.text(net);
    match steps.as_slice() {
        [] => "the start".to_string(),
        [only] => format!("the move {only}"),
        [first @ .., last] => format!("after {}, the move {last}", first.join(", ")),
    }
}
