//! `gambol decompose --explain A B`: why two fluents are in one part, or in two.

use std::io::Write;

use gambol::decompose::{Decomposition, Explanation, Link, Tie, TieKind, explain_fluents};
use gambol::ground::FluentId;
use gambol::index::Id;
use gambol::net::Net;
use gambol::report::joint_moves;

/// Prints the explanation.
pub(super) fn print_explanation(
    net: &Net,
    found: &Decomposition,
    fluents: [FluentId; 2],
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let [one, other] = fluents.map(|fluent| &net.fluents[fluent]);
    match explain_fluents(net, found, fluents) {
        Explanation::InNoPart(fluent) => {
            let fluent = &net.fluents[fluent];
            writeln!(out, "  {fluent} is in no part: it never changes, or play never changed it")?;
        }
        Explanation::Apart { parts, claims } => {
            let [first, second] = parts.map(|part| part.index());
            writeln!(out, "  {one} is in part {first}, {other} in part {second}:")?;
            for (claim, basis) in claims {
                let proof = basis.proof().map_or(String::new(), |proof| format!(" ({proof})"));
                writeln!(out, "     {claim}: {}{proof}", basis.as_str())?;
            }
        }
        Explanation::Together { part, chain, scores } => {
            writeln!(out, "  {one} and {other} are both in part {}:", part.index())?;
            for link in &chain {
                print_link(net, link, out)?;
            }
            for role in scores {
                writeln!(out, "     a score of {} looks at both", net.roles[role])?;
            }
            if chain.is_empty() {
                writeln!(out, "     no chain of ties and conditions is known between them")?;
            }
        }
    }
    Ok(())
}

fn print_link(net: &Net, link: &Link, out: &mut impl Write) -> anyhow::Result<()> {
    match link {
        Link::Tie(tie) => print_tie(net, tie, out),
        Link::Condition { fluents, reads } => {
            let [one, other] = fluents.map(|fluent| &net.fluents[fluent]);
            let number = reads.len();
            writeln!(
                out,
                "     one condition for points, of {number} fluents, looks at {one} and {other}"
            )?;
            Ok(())
        }
    }
}

fn print_tie(net: &Net, tie: &Tie, out: &mut impl Write) -> anyhow::Result<()> {
    let [one, other] = tie.fluents.map(|fluent| &net.fluents[fluent]);
    let lines: Vec<String> = tie.lines.iter().map(|line| line_of(net, &line.moves)).collect();
    let moves = joint_moves(net, &tie.moves).join(", or ");
    match tie.kind {
        TieKind::Choice(role) => {
            let role = &net.roles[role];
            writeln!(out, "     {role} cannot choose {one} and {other} freely")?;
            writeln!(out, "        after {}: {moves}", lines.join(" and "))?;
        }
        TieKind::Reading => {
            writeln!(out, "     what {one} becomes depends on {other}")?;
            writeln!(out, "        after {}: {moves}", lines.join(", and after "))?;
        }
    }
    Ok(())
}

fn line_of(net: &Net, moves: &[Vec<gambol::ground::MoveId>]) -> String {
    match moves.is_empty() {
        true => "the start".to_string(),
        false => joint_moves(net, moves).join("; "),
    }
}
