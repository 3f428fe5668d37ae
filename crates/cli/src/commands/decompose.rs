//! `gambol decompose`: the parts of a game, and how they are put together.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gambol::Game;
use gambol::decompose::{
    DecomposeOptions, Decomposition, Method, Repair, certify_cut, matrix_svg, part_colours,
};
use gambol::ground::FluentId;
use gambol::index::Id;
use gambol::net::{Net, PictureOptions, svg_with};
use gambol::report::{self, crossing, joint_moves, names, phase_parts, phases, score, summary};
use serde::Serialize;

use super::decompose_explain::print_explanation;
use super::decompose_relations::tell_relations;
use super::decompose_steps::{Answer, Found, answer};
use crate::game_source::load;
use crate::outcome::Outcome;
use crate::progress::Working;
use crate::session::Session;
use crate::watch::Watch;

/// What to take apart, and how.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    #[command(flatten)]
    how: How,
    /// Draw the dependency matrix (fluents by moves), before and after the cut
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Draw the propositional net with its subgames in colours
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Write a certificate that `gambol verify` checks; needs --prove
    #[arg(long, value_name = "FILE", requires = "prove")]
    certificate: Option<PathBuf>,
    /// Explain why two fluents are in the same part, or in two
    #[arg(long, num_args = 2, value_names = ["A", "B"], allow_hyphen_values = true)]
    explain: Option<Vec<String>>,
}

/// How to take a game apart.
#[derive(Args, Clone, Debug)]
pub(crate) struct How {
    /// Find dependencies in the rules, by interventions in playouts, or both
    #[arg(long, default_value = "auto")]
    method: MethodFlag,
    /// Number of playouts
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    playouts: u64,
    /// Decompose from this state, as in "(cell 1 1 x) (control o)" [default: the start]
    #[arg(long, value_name = "TERMS", allow_hyphen_values = true)]
    at: Option<String>,
    /// Prove the decomposition: closure, lossless join, scores
    #[arg(long)]
    prove: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MethodFlag {
    /// Connected components of the net.
    Structural,
    /// Interventions in playouts.
    Statistical,
    /// Both.
    Auto,
}

impl From<MethodFlag> for Method {
    fn from(flag: MethodFlag) -> Self {
        match flag {
            MethodFlag::Structural => Method::Structural,
            MethodFlag::Statistical => Method::Statistical,
            MethodFlag::Auto => Method::Auto,
        }
    }
}

/// What is found, with the times, and where what is proved was written to.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    found: report::Decomposition,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
    /// Why two fluents are where they are, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Vec<String>>,
    seconds: Seconds,
}

#[derive(Serialize)]
struct Seconds {
    ground: f64,
    playouts: f64,
    decompose: f64,
    prove: f64,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let files = [&arguments.matrix, &arguments.net, &arguments.certificate];
    session.will_write(files.into_iter().flatten().map(PathBuf::as_path))?;
    let game = Arc::new(load(&arguments.game, session)?);
    let working = Working::on("taking the game apart", session);
    // Ties are looked for where a cut is proved.
    let prove = arguments.how.prove || arguments.explain.is_some();
    let how = How { prove, ..arguments.how.clone() };
    let answer = answer(&game, &how, arguments.explain.as_deref(), session)?;
    drop(working);
    let (net, found) = match answer {
        Answer::Parts(found) => (super::stage(game.net())?, found),
        Answer::Relations(parts) => return tell_relations(&game, &parts, session),
    };
    let Found { decomposition: found, options, ground, explained } = *found;
    let certificate = certify(arguments, net, &found, options.at.as_deref(), session)?;
    let explanation = explained.map(|fluents| explanation(net, &found, fluents)).transpose()?;
    if session.flags.json {
        let report = Report::of(net, &found, certificate, ground);
        session.json(&Report { explanation, ..report })?;
    } else {
        print(net, &found, options.prove, session)?;
        for line in explanation.into_iter().flatten() {
            writeln!(session.out, "{line}")?;
        }
    }
    draw(arguments, net, &found, session);
    if !found.complete {
        session.warn("the limits were met before everything was tried; --time gives more");
        return Ok(Outcome::Partial);
    }
    Ok(session.outcome(!arguments.how.prove || found.basis.is_proved()))
}

/// Why two fluents are where they are, in lines of text.
fn explanation(
    net: &Net,
    found: &Decomposition,
    fluents: [FluentId; 2],
) -> anyhow::Result<Vec<String>> {
    let mut text = Vec::new();
    print_explanation(net, found, fluents, &mut text)?;
    Ok(String::from_utf8_lossy(&text).lines().map(str::to_string).collect())
}

/// Writes the certificate that was asked for; says where to.
fn certify(
    arguments: &Arguments,
    net: &Net,
    found: &Decomposition,
    at: Option<&[FluentId]>,
    session: &mut Session,
) -> anyhow::Result<Option<String>> {
    let Some(path) = &arguments.certificate else { return Ok(None) };
    let Some(certificate) = certify_cut(net, found, at) else {
        session.warn("nothing is proved, so there is no certificate");
        return Ok(None);
    };
    let written = session.write_beside(path, &serde_json::to_vec(&certificate)?);
    Ok(written.then(|| path.display().to_string()))
}

/// The pictures that were asked for.
fn draw(arguments: &Arguments, net: &Net, found: &Decomposition, session: &mut Session) {
    let title = Path::new(&arguments.game).file_stem().unwrap_or_default().to_string_lossy();
    if let Some(path) = &arguments.matrix {
        session.write_beside(path, matrix_svg(net, found, &title).as_bytes());
    }
    if let Some(path) = &arguments.net {
        let colours = part_colours(net, found);
        let options =
            PictureOptions { parts: Some(&colours), title: Some(&title), ..Default::default() };
        session.write_beside(path, svg_with(net, &options).as_bytes());
    }
}

impl How {
    /// The same for the library.
    pub(crate) fn options(
        &self,
        game: &Game,
        session: &Session,
    ) -> anyhow::Result<DecomposeOptions> {
        self.within(game, session.flags.seed, &session.watch)
    }

    /// The same, for work beside the thread of the session.
    pub(crate) fn within(
        &self,
        game: &Game,
        seed: u64,
        watch: &Watch,
    ) -> anyhow::Result<DecomposeOptions> {
        let mut options = DecomposeOptions::default();
        options.method = self.method.into();
        options.playouts = self.playouts;
        options.seed = seed;
        options.prove = self.prove;
        // A little is kept back, to write the answer in.
        options.time = watch.time_left().map(|left| left.mul_f64(0.9));
        options.stop = Some(watch.flag());
        options.at = self.at.as_deref().map(|text| super::state(text, game)).transpose()?;
        Ok(options)
    }
}

impl Report {
    fn of(net: &Net, found: &Decomposition, certificate: Option<String>, ground: Duration) -> Self {
        let seconds = Seconds {
            ground: ground.as_secs_f64(),
            playouts: found.times.playouts.as_secs_f64(),
            decompose: found.times.decompose.as_secs_f64(),
            prove: found.times.prove.as_secs_f64(),
        };
        let found = report::Decomposition::of(net, found);
        Self { found, certificate, explanation: None, seconds }
    }
}

fn print(
    net: &Net,
    found: &Decomposition,
    proved: bool,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    writeln!(out, "{}; {}", summary(found), found.basis.as_str())?;
    if proved {
        let claims = found.claims().map(|(claim, basis)| format!("{claim}: {}", basis.as_str()));
        writeln!(out, "  {}", claims.join("; "))?;
        if found.counts().action_dependent > 1 {
            let basis = found.composition_basis().as_str();
            writeln!(out, "  how they are put together: {basis}")?;
        }
        writeln!(out, "  {}", found.finest_text())?;
    }
    for (id, subgame) in found.subgames.iter_ids() {
        let kind = match (subgame.action_dependent, subgame.useful) {
            (true, true) => "played",
            (true, false) => "played, useless",
            (false, true) => "runs by itself",
            (false, false) => "runs by itself, useless",
        };
        writeln!(
            out,
            "  {}: {kind}; {} fluents, {} moves in {} classes; {}",
            id.index(),
            subgame.fluents.len(),
            subgame.moves.len(),
            subgame.meta_actions.iter().filter(|one| !one.idle).count(),
            subgame.basis.as_str()
        )?;
        writeln!(out, "     {}", shortened(&names(net, &subgame.fluents)))?;
        if let Some(step) = subgame.safe_until {
            writeln!(
                out,
                "     if only this is played, another part ends the game after {} (sampled)",
                steps(step)
            )?;
        }
    }
    for form in &found.scores {
        writeln!(out, "  {}; {}", score(net, form), form.basis.as_str())?;
    }
    for repair in &found.repairs {
        print_repair(net, repair, out)?;
    }
    for point in &found.crossing_points {
        writeln!(out, "  {}", crossing(net, point))?;
    }
    for (phase, text) in found.phases.iter().zip(phases(net, found)) {
        writeln!(out, "  {text}")?;
        for (part, fluents) in phase_parts(net, phase) {
            writeln!(out, "     {part}")?;
            writeln!(out, "        {}", shortened(&fluents))?;
        }
    }
    Ok(())
}

fn steps(count: u32) -> String {
    if count == 1 { "1 step".to_string() } else { format!("{count} steps") }
}

/// Parts that a failed proof has joined, and the play that shows why.
fn print_repair(net: &Net, repair: &Repair, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "  joined by the proof: {}", repair.reason(net))?;
    for part in &repair.joined {
        writeln!(out, "     {}", shortened(&names(net, part)))?;
    }
    let from = if repair.start == net.initial { "" } else { " from a state met in play" };
    for line in &repair.lines {
        let played = joint_moves(net, &line.moves);
        let after = steps(played.len() as u32);
        writeln!(out, "     after {after}{from}: {}", shortened(&played))?;
    }
    Ok(())
}

/// As many names as fit on a line.
fn shortened(names: &[String]) -> String {
    const WIDTH: usize = 90;
    let mut line = String::new();
    for (place, name) in names.iter().enumerate() {
        if line.len() + name.len() > WIDTH && place + 1 < names.len() {
            return format!("{line} … and {} more", names.len() - place);
        }
        if place > 0 {
            line.push(' ');
        }
        line.push_str(name);
    }
    line
}
