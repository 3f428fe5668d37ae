//! Prints the parts of games as text: `parts [--playouts N] [--seed N] [--prove] [--time S] FILE…`.
//!
//! One line of counts per game, then one line per subgame with its fluents. If the rules are not grounded within the
//! time, the parts are those that reading the rules shows.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use gambol_decompose::{DecomposeOptions, RelationPart, decompose, relation_parts};
use gambol_syntax::Rules;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut options = DecomposeOptions::default();
    let mut files = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--playouts" => options.playouts = words.next().ok_or("how many?")?.parse()?,
            "--seed" => options.seed = words.next().ok_or("which?")?.parse()?,
            "--prove" => options.prove = true,
            "--time" => {
                let seconds = words.next().ok_or("how long?")?.parse()?;
                options.time = Some(Duration::from_secs_f64(seconds));
            }
            _ => files.push(word),
        }
    }
    for file in files {
        print_parts(&file, &options)?;
    }
    Ok(())
}

fn print_parts(file: &str, options: &DecomposeOptions) -> Result<(), Box<dyn std::error::Error>> {
    let started = Instant::now();
    let mut how = gambol_syntax::ReadOptions::default();
    if std::env::var_os("FOLD").is_some() {
        how.case = gambol_syntax::Case::Fold;
    }
    let reading = gambol_syntax::read(&std::fs::read(file)?, &how);
    let rules = reading.rules.ok_or("does not parse")?;
    let rules = gambol_syntax::repair(rules).rules.ok_or("cannot be repaired")?;
    let limits = gambol_ground::Limits { time: options.time, ..Default::default() };
    let ground = match gambol_ground::instantiate(&rules, &limits) {
        Err(gambol_ground::GroundError::Time { .. }) => {
            print_relations(file, &rules, started.elapsed());
            return Ok(());
        }
        ground => ground?,
    };
    let net = gambol_net::simplify(&gambol_net::build(&ground)?);
    let built = started.elapsed();
    let mut options = options.clone();
    options.time = options.time.map(|time| time.saturating_sub(built));
    let found = decompose(&net, &options);
    let counts = found.counts();
    println!(
        "{file}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{}",
        counts.action_dependent,
        counts.useless_action_dependent,
        counts.action_independent,
        counts.useless_action_independent,
        found.composition.as_str(),
        found.termination.as_str(),
        found.basis.as_str(),
        built.as_secs_f64(),
        found.times.playouts.as_secs_f64(),
        found.times.decompose.as_secs_f64(),
        found.times.prove.as_secs_f64(),
        found.playouts,
    );
    for repair in &found.repairs {
        let steps = repair.lines.first().map_or(0, |line| line.moves.len());
        println!("\trepair\t{}\t{steps}\t\t\t", repair.requirement.as_str());
    }
    for subgame in &found.subgames {
        let kind = if subgame.action_dependent { "dependent" } else { "independent" };
        let names: Vec<&str> = subgame.fluents.iter().map(|&f| &*net.fluents[f]).collect();
        println!(
            "\t{kind}\t{}\t{}\t{}\t{}\t{}",
            if subgame.useful { "useful" } else { "useless" },
            subgame.basis.as_str(),
            subgame.moves.len(),
            subgame.meta_actions.len(),
            names.join(" ; ")
        );
    }
    for phase in &found.phases {
        let begins = phase.begins.as_ref().map_or("start".to_string(), |begins| begins.text(&net));
        let names: Vec<&str> = phase.interface.iter().map(|&f| &*net.fluents[f]).collect();
        let (basis, cut) = (phase.basis.as_str(), phase.parts.sound.as_str());
        let (handed, steps) = (names.join(" ; "), phase.steps);
        println!("\tphase\t{begins}\t{basis}\t{cut}\t{steps:?}\t{handed}");
        for part in &phase.parts.subgames {
            let kind = if part.action_dependent { "dependent" } else { "independent" };
            let names: Vec<&str> = part.fluents.iter().map(|&f| &*net.fluents[f]).collect();
            println!("\t  {kind}\t{}\t{}", part.basis.as_str(), names.join(" ; "));
        }
    }
    println!("\tclaims\t\t\t\t\t{}", found.finest_text());
    let rest: Vec<&str> = found.rest.iter().map(|&f| &*net.fluents[f]).collect();
    println!("\trest\t\t\t\t\t{}", rest.join(" ; "));
    Ok(())
}

/// What is known of a game that was not grounded in time.
fn print_relations(file: &str, rules: &Rules, took: Duration) {
    let parts = relation_parts(rules);
    let played = (!parts.played.relations.is_empty()).then_some(&parts.played);
    let useless = |part: &&RelationPart| !part.useful;
    println!(
        "{file}\t{}\t{}\t{}\t{}\tnone\tsingle\tproved\t{:.2}\t0\t0\t0\t0",
        played.iter().count(),
        played.iter().copied().filter(useless).count(),
        parts.clocks.len(),
        parts.clocks.iter().filter(useless).count(),
        took.as_secs_f64(),
    );
    let kinds = played.map(|part| (part, "dependent")).into_iter();
    for (part, kind) in kinds.chain(parts.clocks.iter().map(|part| (part, "independent"))) {
        let patterns: Vec<String> =
            part.relations.iter().map(|relation| relation.pattern(rules)).collect();
        let use_of = if part.useful { "useful" } else { "useless" };
        println!("\t{kind}\t{use_of}\tproved\t0\t0\t{}", patterns.join(" ; "));
    }
}
