//! The answer when rules were not grounded in time: parts by relation.

use std::io::Write;

use gambol::Game;
use gambol::decompose::{RelationPart, RelationParts};
use gambol::syntax::Rules;
use serde::Serialize;

use crate::outcome::Outcome;
use crate::session::Session;

/// The same keys as for a whole answer, as far as they make sense; fluents are patterns.
#[derive(Serialize)]
struct Report {
    subgames: Vec<PartView>,
    counts: CountsView,
    rest: Vec<String>,
    basis: &'static str,
    found_by: &'static str,
    complete: bool,
}

#[derive(Serialize)]
struct CountsView {
    action_dependent: usize,
    useless_action_dependent: usize,
    action_independent: usize,
    useless_action_independent: usize,
}

#[derive(Serialize)]
struct PartView {
    id: usize,
    fluents: Vec<String>,
    action_dependent: bool,
    useful: bool,
    basis: &'static str,
}

/// Prints what relations tell.
pub(super) fn tell_relations(
    game: &Game,
    parts: &RelationParts,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let report = Report::of(game.rules(), parts);
    match session.flags.json {
        true => session.json(&report)?,
        false => report.print(&mut session.out)?,
    }
    session.warn(
        "the rules were not grounded in time, so only relations were read; --time gives more",
    );
    Ok(Outcome::Partial)
}

impl Report {
    fn of(rules: &Rules, parts: &RelationParts) -> Self {
        let played = (!parts.played.relations.is_empty()).then_some((&parts.played, true));
        let all = played.into_iter().chain(parts.clocks.iter().map(|clock| (clock, false)));
        let patterns = |relations: &[gambol::decompose::Relation]| {
            relations.iter().map(|one| one.pattern(rules)).collect()
        };
        let view = |(id, (part, action_dependent)): (usize, (&RelationPart, bool))| PartView {
            id,
            fluents: patterns(&part.relations),
            action_dependent,
            useful: part.useful,
            basis: "proved",
        };
        let subgames: Vec<PartView> = all.enumerate().map(view).collect();
        let count = |dependent: bool, useless: bool| {
            let of_kind = subgames.iter().filter(|part| part.action_dependent == dependent);
            of_kind.filter(|part| !useless || !part.useful).count()
        };
        let counts = CountsView {
            action_dependent: count(true, false),
            useless_action_dependent: count(true, true),
            action_independent: count(false, false),
            useless_action_independent: count(false, true),
        };
        let rest = patterns(&parts.constants);
        let (basis, found_by) = ("proved", "relations");
        Self { subgames, counts, rest, basis, found_by, complete: false }
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "by relations: what runs by itself, and one part of everything else")?;
        for part in &self.subgames {
            let kind = if part.action_dependent { "everything else" } else { "runs by itself" };
            let useless = if part.useful { "" } else { ", useless" };
            writeln!(out, "  {}: {kind}{useless}; {}", part.id, part.basis)?;
            writeln!(out, "     {}", part.fluents.join(" "))?;
        }
        Ok(())
    }
}
