//! Facts in words, one line each.

use gambol_index::natural_order;
use gambol_net::{FluentId, GoalGate, MoveId, Net};

use crate::verdict::{Verdict, Witness};
use crate::{
    Clock, ForbiddenMoves, GoalFacts, GroupLatch, Latch, Literal, Shape, Together, Turn, ViewLatch,
};

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactKind {
    /// A goal value that no game ends with, or that can no longer be gained.
    Goal,
    /// A proposition that keeps its value.
    Latch,
    /// Propositions that keep a value together.
    GroupLatch,
    /// What changes by itself.
    Clock,
    /// Who has a choice.
    Turn,
    /// Fluents of which one is true, or none.
    Exclusive,
    /// A fluent that keeps others away for a step.
    Inhibitor,
    /// No playout contradicts it, and no proof was found.
    Open,
}

/// Something that is known about a game, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// What it is about.
    pub kind: FactKind,
    /// The fact.
    pub text: String,
    /// Why it holds.
    pub why: String,
    /// Whether it is proved; if not, it was only seen.
    pub proved: bool,
    /// The fluents it is about.
    pub fluents: Vec<FluentId>,
}

impl Fact {
    fn new(kind: FactKind, text: String, why: impl Into<String>, fluents: &[FluentId]) -> Self {
        Self { kind, text, why: why.into(), proved: true, fluents: fluents.to_vec() }
    }
}

/// What is proved, in words, most useful first.
pub fn explain(net: &Net, shape: &Shape) -> Vec<String> {
    facts(net, shape).into_iter().filter(|fact| fact.proved).map(|fact| fact.text).collect()
}

/// What is known, most useful first; at the end what is not decided.
pub fn facts(net: &Net, shape: &Shape) -> Vec<Fact> {
    let mut facts = unreachable_goals(net, shape);
    facts.extend(latches(net, shape));
    facts.extend(group_latches(net, shape));
    facts.extend(shape.goals.iter().flat_map(|goal| bars(net, goal)));
    facts.extend(shape.clocks.iter().map(|clock| clock_fact(net, clock)));
    facts.extend(shape.turn.iter().map(|turn| turn_fact(net, turn)));
    facts.extend(exclusive_groups(net, &shape.exclusive.exactly_one, "exactly one"));
    facts.extend(exclusive_groups(net, &shape.exclusive.at_most_one, "at most one"));
    facts.extend(view_latches(net, shape));
    facts.extend(inhibitors(net, shape));
    facts.extend(open_questions(net, shape));
    facts
}

fn unreachable_goals(net: &Net, shape: &Shape) -> Vec<Fact> {
    let unreachable = shape.goals.iter().filter(|facts| facts.unreachable);
    let fact = |facts: &GoalFacts| {
        let (role, value) = (&net.roles[facts.goal.role], facts.goal.value);
        let why = "no state in which the game is over has this value";
        Fact::new(FactKind::Goal, format!("{role} can never end with {value}"), why, &[])
    };
    unreachable.map(fact).collect()
}

fn latches(net: &Net, shape: &Shape) -> Vec<Fact> {
    let proved = shape.latches.iter().filter(|latch| latch.moves && latch.verdict.is_proved());
    let fact = |latch: &Latch| {
        let text = latch_line(net, shape, latch.literal);
        let why = explain_latch(net, shape, latch);
        Fact::new(FactKind::Latch, text, why, &[latch.literal.fluent])
    };
    proved.map(fact).collect()
}

fn turn_fact(net: &Net, turn: &Turn) -> Fact {
    let name = &net.fluents[turn.fluent];
    let text = match turn.role {
        Some(role) => format!("while {name} is true only {} has a choice", net.roles[role]),
        None => format!("while {name} is true nobody has a choice"),
    };
    let why = "every other role has exactly one legal move then";
    Fact::new(FactKind::Turn, text, why, &[turn.fluent])
}

fn exclusive_groups(net: &Net, groups: &[Vec<FluentId>], how: &str) -> Vec<Fact> {
    let fact = |group: &Vec<FluentId>| {
        let mut sorted = group.clone();
        sorted.sort_by(|&one, &other| natural_order(&net.fluents[one], &net.fluents[other]));
        let text = format!("{how} of {} is true", names(net, &sorted));
        let why = "it holds at the start, and no step can end it";
        Fact::new(FactKind::Exclusive, text, why, group)
    };
    groups.iter().map(fact).collect()
}

fn view_latches(net: &Net, shape: &Shape) -> Vec<Fact> {
    let proved = shape.view_latches.iter().filter(|latch| latch.verdict.is_proved());
    let fact = |latch: &ViewLatch| {
        Fact::new(FactKind::Latch, view_line(net, latch), "no step takes it away", &[])
    };
    proved.map(fact).collect()
}

fn open_questions(net: &Net, shape: &Shape) -> Vec<Fact> {
    let open = |latch: &&Latch| latch.moves && latch.verdict == Verdict::Unknown;
    let fact = |latch: &Latch| {
        let Literal { fluent, holds } = latch.literal;
        let text = format!("{} may keep the value {holds} once it has it", net.fluents[fluent]);
        let why = "no random game contradicts it, and no proof was found";
        Fact { proved: false, ..Fact::new(FactKind::Open, text, why, &[fluent]) }
    };
    shape.latches.iter().filter(open).map(fact).collect()
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

/// `; then white can never again choose (put 2 2)`, for each role.
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
        format!("; then {} can never again choose {shown}", net.roles[net.moves[moves[0]].role])
    };
    of_roles.map(of_role).collect()
}

fn view_line(net: &Net, latch: &ViewLatch) -> String {
    let line = format!("once {} is {} it stays {1}", latch.view, latch.holds);
    match latch.legal.map(|action| &net.moves[action]) {
        Some(action) if !latch.holds => {
            format!("{line}; {} can never again choose {}", net.roles[action.role], action.name)
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
        line += &format!("; then {role} can no longer reach {}", alternatives(&values));
    }
    line
}

/// `100, 50 or 0`
fn alternatives(words: &[String]) -> String {
    match words {
        [some @ .., last] if !some.is_empty() => format!("{} or {last}", some.join(", ")),
        words => words.concat(),
    }
}

fn group_latches(net: &Net, shape: &Shape) -> Vec<Fact> {
    let fact = |group: &GroupLatch| {
        let members: Vec<String> = group.members.iter().map(|member| member.text(net)).collect();
        let fluents: Vec<FluentId> = group.members.iter().map(|member| member.fluent).collect();
        let lost = shape.goals.iter().filter(|facts| facts.groups.contains(group));
        let then = consequence(net, lost);
        let members = members.join(", ");
        let text = match group.together {
            Together::Any => format!("once one of {members} holds, one of them always does{then}"),
            Together::All => format!("once all of {members} hold, they all stay{then}"),
        };
        Fact::new(FactKind::GroupLatch, text, "no step ends it", &fluents)
    };
    shape.group_latches().into_iter().map(fact).collect()
}

fn bars(net: &Net, facts: &GoalFacts) -> Vec<Fact> {
    let (role, value) = (&net.roles[facts.goal.role], facts.goal.value);
    let fact = |bar: &Literal| {
        let name = &net.fluents[bar.fluent];
        let text =
            format!("after {name} is {} {role} gets {value} only if it would already", bar.holds);
        let why = "it stays so, and no step then brings the value";
        Fact::new(FactKind::Goal, text, why, &[bar.fluent])
    };
    facts.bars.iter().map(fact).collect()
}

/// Of clocks with more states only the first and last are shown.
const LONG_ROW: usize = 6;

fn clock_fact(net: &Net, clock: &Clock) -> Fact {
    let members: Vec<&str> = clock.members.iter().map(|&member| &*net.fluents[member]).collect();
    let members = match members.as_slice() {
        // A long row says no more than its ends.
        [first, second, .., last] if members.len() > LONG_ROW => {
            format!("{first}, then {second}, and so on to {last}")
        }
        all => all.join(", then "),
    };
    let text = match clock.back_to {
        None => format!("time runs by itself: {members}"),
        Some(first) => format!("it goes round by itself: {members}, then {}", net.fluents[first]),
    };
    let why = "each step leads to the next whatever is played";
    Fact::new(FactKind::Clock, text, why, &clock.members)
}

/// One fact for each inhibitor, with all that it inhibits.
fn inhibitors(net: &Net, shape: &Shape) -> Vec<Fact> {
    let proved: Vec<_> = shape.inhibitors.iter().filter(|pair| pair.verdict.is_proved()).collect();
    let rows = proved.chunk_by(|one, other| one.inhibitor == other.inhibitor);
    rows.map(|row| {
        let inhibited: Vec<FluentId> = row.iter().map(|pair| pair.inhibited).collect();
        let (after, last) = (&net.fluents[row[0].inhibitor], names(net, &inhibited));
        let text = format!("in the state after one with {after}, false: {last}");
        let why = "no step leads from the one to the other";
        Fact::new(FactKind::Inhibitor, text, why, &[row[0].inhibitor])
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
