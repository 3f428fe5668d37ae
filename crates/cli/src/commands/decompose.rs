//! `gambol decompose`: the parts of a game, and how they are put together.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use gambol::decompose::{
    Basis, Composition, CrossingPoint, DecomposeOptions, Decomposition, Method, Subgame, SubgameId,
    certify_cut, decompose, matrix_svg, meta_action_names, part_colours,
};
use gambol::ground::FluentId;
use gambol::index::Id;
use gambol::net::{Net, PictureOptions, svg_with};
use gambol::terms;
use serde::Serialize;

use super::decompose_repair::RepairView;
use super::decompose_ties::FinestView;
use crate::arguments::CaseFlag;
use crate::game_source::load;
use crate::outcome::{Outcome, Stop};
use crate::progress::Working;
use crate::session::Session;

/// What to take apart, and how.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    #[command(flatten)]
    how: How,
    /// Draw which moves act on which fluents, before and after the cut
    #[arg(long, value_name = "FILE")]
    matrix: Option<PathBuf>,
    /// Draw the net with its parts in colours
    #[arg(long, value_name = "FILE")]
    net: Option<PathBuf>,
    /// Write what is proved to a file that `gambol verify` checks; needs --prove
    #[arg(long, value_name = "FILE", requires = "prove")]
    certificate: Option<PathBuf>,
}

/// How to take a game apart.
#[derive(Args, Debug)]
pub(crate) struct How {
    /// By what the rules read, by what playouts show, or both
    #[arg(long, default_value = "auto")]
    method: MethodFlag,
    /// How many random games to look at
    #[arg(long, value_name = "N", default_value_t = 5_000)]
    playouts: u64,
    /// The state to begin with, as in "(cell 1 1 x) (control o)" [default: the start]
    #[arg(long, value_name = "TERMS", allow_hyphen_values = true)]
    at: Option<String>,
    /// Prove that the cut is right
    #[arg(long)]
    prove: bool,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum MethodFlag {
    /// What the rules read.
    Structural,
    /// What playouts show.
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

#[derive(Serialize)]
struct Report {
    subgames: Vec<SubgameView>,
    composition: &'static str,
    termination: &'static str,
    crossing_points: Vec<CrossingView>,
    repairs: Vec<RepairView>,
    counts: CountsView,
    rest: Vec<String>,
    sound: &'static str,
    classes_exact: &'static str,
    scores_split: &'static str,
    /// How these three were proved, as far as they were.
    proofs: ProofsView,
    finest: FinestView,
    /// Where what is proved was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<String>,
    /// What the word for the composition rests on.
    composition_basis: &'static str,
    basis: &'static str,
    complete: bool,
    playouts: u64,
    seconds: Seconds,
}

#[derive(Serialize)]
struct ProofsView {
    sound: Option<String>,
    classes_exact: Option<String>,
    scores_split: Option<String>,
}

/// How a claim was proved.
fn how(basis: Basis) -> Option<String> {
    basis.proof().map(|proof| proof.to_string())
}

#[derive(Serialize)]
struct SubgameView {
    id: usize,
    fluents: Vec<String>,
    moves: Vec<String>,
    meta_actions: Vec<MetaActionView>,
    action_dependent: bool,
    useful: bool,
    ends_game: bool,
    role_in_goal: &'static str,
    safe_until: Option<u32>,
    finest: bool,
    basis: &'static str,
}

#[derive(Serialize)]
struct MetaActionView {
    name: String,
    role: String,
    idle: bool,
    moves: Vec<String>,
}

#[derive(Serialize)]
struct CrossingView {
    fluents: Vec<String>,
    before: Vec<usize>,
    after: Vec<usize>,
}

#[derive(Serialize)]
struct CountsView {
    action_dependent: usize,
    useless_action_dependent: usize,
    action_independent: usize,
    useless_action_independent: usize,
}

#[derive(Serialize)]
struct Seconds {
    ground: f64,
    playouts: f64,
    decompose: f64,
    prove: f64,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let started = std::time::Instant::now();
    let files = [&arguments.matrix, &arguments.net, &arguments.certificate];
    session.will_write(files.into_iter().flatten().map(PathBuf::as_path))?;
    let game = load(&arguments.game, session)?;
    let net = super::net_of(&game, session)?;
    let ground = started.elapsed();
    let options = arguments.how.options(net, session)?;
    let working = Working::on("taking the game apart", session);
    let found = decompose(net, &options);
    drop(working);
    let certificate = certify(arguments, net, &found, options.at.as_deref(), session)?;
    if session.flags.json {
        let report = Report::of(net, &found, ground);
        session.json(&Report { certificate, ..report })?;
    } else {
        print(net, &found, options.prove, session)?;
    }
    draw(arguments, net, &found, session);
    if !found.complete {
        session.warn("the limits were met before everything was tried; --time gives more");
        return Ok(Outcome::Partial);
    }
    Ok(session.outcome(!options.prove || found.basis.is_proved()))
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
    pub(crate) fn options(&self, net: &Net, session: &Session) -> anyhow::Result<DecomposeOptions> {
        let mut options = DecomposeOptions::default();
        options.method = self.method.into();
        options.playouts = self.playouts;
        options.seed = session.flags.seed;
        options.prove = self.prove;
        // A little is kept back, to write the answer in.
        options.time = session.watch.time_left().map(|left| left.mul_f64(0.9));
        options.stop = Some(session.watch.flag());
        options.at = self.at.as_deref().map(|text| state(text, net, session)).transpose()?;
        Ok(options)
    }
}

/// The fluents that a text names.
fn state(text: &str, net: &Net, session: &Session) -> anyhow::Result<Vec<FluentId>> {
    let options = session.read_options(CaseFlag::Exact);
    let terms = terms(text, &options).map_err(|error| Stop::Usage(error.to_string()))?;
    let mut fluents = Vec::new();
    for term in terms {
        // The fluents of a net are sorted by their bytes.
        match net.fluents.as_slice().binary_search_by(|name| (**name).cmp(term.as_str())) {
            Ok(place) => fluents.push(FluentId::from_index(place)),
            Err(_) => {
                let message =
                    format!("{term} is no fluent of this game; `gambol ground` lists them");
                return Err(Stop::Usage(message).into());
            }
        }
    }
    fluents.sort_unstable();
    fluents.dedup();
    Ok(fluents)
}

pub(crate) fn names(net: &Net, fluents: &[FluentId]) -> Vec<String> {
    let mut names: Vec<String> = fluents.iter().map(|&f| net.fluents[f].to_string()).collect();
    names.sort_unstable();
    names
}

fn numbers(ids: &[SubgameId]) -> Vec<usize> {
    ids.iter().map(|id| id.index()).collect()
}

impl Report {
    fn of(net: &Net, found: &Decomposition, ground: Duration) -> Self {
        let counts = found.counts();
        let subgames = found.subgames.iter_ids();
        Self {
            subgames: subgames.map(|(id, one)| SubgameView::of(net, id, one)).collect(),
            composition: found.composition.as_str(),
            termination: found.termination.as_str(),
            crossing_points: found
                .crossing_points
                .iter()
                .map(|p| CrossingView::of(net, p))
                .collect(),
            repairs: found.repairs.iter().map(|repair| RepairView::of(net, repair)).collect(),
            counts: CountsView {
                action_dependent: counts.action_dependent,
                useless_action_dependent: counts.useless_action_dependent,
                action_independent: counts.action_independent,
                useless_action_independent: counts.useless_action_independent,
            },
            rest: names(net, &found.rest),
            sound: found.sound.as_str(),
            classes_exact: found.classes_exact.as_str(),
            scores_split: found.scores_split.as_str(),
            proofs: ProofsView {
                sound: how(found.sound),
                classes_exact: how(found.classes_exact),
                scores_split: how(found.scores_split),
            },
            finest: FinestView::of(net, found),
            certificate: None,
            composition_basis: found.composition_basis().as_str(),
            basis: found.basis.as_str(),
            complete: found.complete,
            playouts: found.playouts,
            seconds: Seconds {
                ground: ground.as_secs_f64(),
                playouts: found.times.playouts.as_secs_f64(),
                decompose: found.times.decompose.as_secs_f64(),
                prove: found.times.prove.as_secs_f64(),
            },
        }
    }
}

impl SubgameView {
    fn of(net: &Net, id: SubgameId, subgame: &Subgame) -> Self {
        let spelt = |moves: &[gambol::ground::MoveId]| {
            let mut names: Vec<String> =
                moves.iter().map(|&action| net.moves[action].name.to_string()).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let meta_names = meta_action_names(net, &subgame.meta_actions);
        let meta_actions = subgame.meta_actions.iter().zip(meta_names);
        Self {
            id: id.index(),
            fluents: names(net, &subgame.fluents),
            moves: spelt(&subgame.moves),
            meta_actions: meta_actions
                .map(|(one, name)| MetaActionView {
                    name,
                    role: net.roles[one.role].to_string(),
                    idle: one.idle,
                    moves: spelt(&one.moves),
                })
                .collect(),
            action_dependent: subgame.action_dependent,
            useful: subgame.useful,
            ends_game: subgame.ends_game,
            role_in_goal: subgame.role_in_goal.as_str(),
            safe_until: subgame.safe_until,
            finest: subgame.finest,
            basis: subgame.basis.as_str(),
        }
    }
}

impl CrossingView {
    fn of(net: &Net, point: &CrossingPoint) -> Self {
        Self {
            fluents: point.literals.iter().map(|literal| literal.text(net)).collect(),
            before: numbers(&point.before),
            after: numbers(&point.after),
        }
    }
}

fn print(
    net: &Net,
    found: &Decomposition,
    proved: bool,
    session: &mut Session,
) -> anyhow::Result<()> {
    let out = &mut session.out;
    writeln!(out, "{}", summary(found))?;
    if proved {
        let claims = found.claims().map(|(claim, basis)| format!("{claim}: {}", basis.as_str()));
        writeln!(out, "  {}", claims.join("; "))?;
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
                "     if only this is played, another part ends the game after {}",
                steps(step)
            )?;
        }
    }
    for repair in &found.repairs {
        super::decompose_repair::print(net, repair, out)?;
    }
    for point in &found.crossing_points {
        let literals: Vec<String> = point.literals.iter().map(|one| one.text(net)).collect();
        writeln!(
            out,
            "  crossing from {:?} to {:?} when {}",
            numbers(&point.before),
            numbers(&point.after),
            if literals.is_empty() { "the first is over".to_string() } else { literals.join(" ") }
        )?;
    }
    Ok(())
}

pub(crate) fn steps(count: u32) -> String {
    if count == 1 { "1 step".to_string() } else { format!("{count} steps") }
}

/// One line that says how the parts are put together.
fn summary(found: &Decomposition) -> String {
    let counts = found.counts();
    let parts = match counts.action_dependent {
        0 => "nothing to decide".to_string(),
        1 => "one game".to_string(),
        many => format!("{many} games"),
    };
    let useless = match counts.useless_action_dependent {
        0 => String::new(),
        many => format!(" ({many} useless)"),
    };
    let clocks = match counts.action_independent {
        0 => String::new(),
        1 => ", one part that runs by itself".to_string(),
        many => format!(", {many} parts that run by themselves"),
    };
    let how = match found.composition {
        Composition::None => String::new(),
        how => format!(", {}", how.as_str()),
    };
    format!(
        "{parts}{useless}{how}{clocks}; {} end; {}",
        found.termination.as_str(),
        found.basis.as_str()
    )
}

/// As many names as fit on a line.
pub(crate) fn shortened(names: &[String]) -> String {
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
