//! Opening games: bundled ones by name, others by their text.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use gambol::ground::Limits;
use gambol::net::Statistics;
use gambol::syntax::{Diagnosis, ReadOptions, Source};
use gambol::{Examination, Finding, Game, LoadError, bundled_game, bundled_games, examine};
use serde::{Deserialize, Serialize};

use crate::refusal::{Place, Refusal};
use crate::workshop::{Opened, StopWhenDropped, Workshop};

/// A bundled game in the list.
#[derive(Serialize)]
pub(crate) struct Listed {
    name: String,
    roles: Vec<String>,
    about: String,
}

/// `GET /api/bundled`
pub(crate) async fn bundled() -> Json<Vec<Listed>> {
    let listed = bundled_games().into_iter().map(|game| {
        let facts = game.facts().ok();
        Listed {
            name: game.name().to_string(),
            roles: facts.as_ref().map_or_else(Vec::new, |facts| facts.roles.clone()),
            about: facts.map_or_else(String::new, |facts| facts.about),
        }
    });
    Json(listed.collect())
}

/// What to open.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    name: Option<String>,
    text: Option<String>,
    /// How long reading may take.
    seconds: Option<f64>,
}

/// The longest time that may be asked for.
const LONGEST: f64 = 600.0;

impl Wanted {
    fn time(&self, usual: Duration) -> Duration {
        let asked = self.seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        asked.map_or(usual, |seconds| Duration::from_secs_f64(seconds.min(LONGEST)))
    }
}

/// A game that is open.
#[derive(Serialize)]
pub(crate) struct Open {
    id: u64,
    title: String,
    text: String,
    /// What it is about, in a sentence; nothing for a game that is not bundled.
    about: String,
    roles: Vec<String>,
    /// Whether a role may not see everything.
    hidden: bool,
    fluents: usize,
    moves: usize,
    gates: usize,
    depth: usize,
    warnings: Vec<Place>,
    seconds: f64,
}

/// `POST /api/games`
pub(crate) async fn open(
    State(workshop): State<Arc<Workshop>>,
    Json(wanted): Json<Wanted>,
) -> Result<Json<Open>, Refusal> {
    let guard = workshop.flag()?;
    let limits = limits(&workshop, &wanted, &guard);
    let opening = tokio::task::spawn_blocking(move || read(&workshop, wanted, limits));
    let opened = opening.await.map_err(|_| broke_off())?;
    drop(guard);
    opened.map(Json)
}

/// What reading a game may cost.
pub(crate) fn limits(workshop: &Workshop, wanted: &Wanted, guard: &StopWhenDropped) -> Limits {
    Limits {
        time: Some(wanted.time(workshop.options.load_time)),
        memory_mib: Some(workshop.options.memory_mib / 2),
        stop: Some(Arc::clone(&guard.0)),
        ..Limits::default()
    }
}

/// How long a text is looked at while its author types.
const TIME_TO_CHECK: Duration = Duration::from_secs(5);

/// `POST /api/check`: what `gambol check` says of a text, without opening it.
pub(crate) async fn check(
    State(workshop): State<Arc<Workshop>>,
    Json(wanted): Json<Wanted>,
) -> Result<Json<Vec<Place>>, Refusal> {
    let guard = workshop.flag()?;
    let limits = Limits {
        time: Some(TIME_TO_CHECK),
        memory_mib: Some(workshop.options.memory_mib / 4),
        stop: Some(Arc::clone(&guard.0)),
        ..Limits::default()
    };
    let looking = tokio::task::spawn_blocking(move || {
        let text = wanted.text.unwrap_or_default().into_bytes();
        let found = examine(&text, &Examination { limits, ..Examination::default() });
        let source = Source::new(&text);
        found.iter().map(|finding| place(&source, finding)).collect()
    });
    let found = looking.await.map_err(|_| broke_off())?;
    drop(guard);
    Ok(Json(found))
}

/// The work panicked: our fault, not the game's.
pub(crate) fn broke_off() -> Refusal {
    Refusal::Beyond("this should not happen: the work broke off".to_string())
}

fn read(workshop: &Workshop, wanted: Wanted, limits: Limits) -> Result<Open, Refusal> {
    let started = std::time::Instant::now();
    let about = about(&wanted);
    let (title, text) = rules_of(workshop, wanted)?;
    let source = Source::new(&text);
    let game = parse(&text)?.with_limits(limits);
    let warnings = places(&source, game.diagnoses());
    let opened = Opened::new(title.clone(), game);
    opened.game.ground().map_err(|error| match error.span() {
        Some(_) => Refusal::Rules(vec![place(&source, &Finding::from(&error))]),
        None => Refusal::Beyond(error.to_string()),
    })?;
    let net = opened.net()?;
    let size = Statistics::of(net);
    let open = Open {
        id: 0,
        title,
        text: String::from_utf8_lossy(&text).into_owned(),
        about,
        roles: net.roles.iter().map(ToString::to_string).collect(),
        hidden: gambol::play::has_hidden_information(net),
        fluents: net.fluents.len(),
        moves: net.moves.len(),
        gates: size.and_gates + size.or_gates + size.inverters,
        depth: size.depth,
        warnings,
        seconds: 0.0,
    };
    let id = workshop.keep(opened);
    Ok(Open { id, seconds: started.elapsed().as_secs_f64(), ..open })
}

/// The title and the text of a game, if it is not too long.
pub(crate) fn rules_of(workshop: &Workshop, wanted: Wanted) -> Result<(String, Vec<u8>), Refusal> {
    let (title, text) = title_and_text(wanted)?;
    let most = workshop.options.longest_text;
    if text.len() > most {
        return Err(Refusal::Beyond(format!("the text is longer than {most} bytes")));
    }
    Ok((title, text))
}

/// The rules of a text.
pub(crate) fn parse(text: &[u8]) -> Result<Game, Refusal> {
    Game::read(text, &ReadOptions::default()).map_err(|error| match error {
        LoadError::Invalid(diagnoses) => Refusal::Rules(places(&Source::new(text), &diagnoses)),
        other @ (LoadError::UnknownGame { .. } | LoadError::File { .. }) => {
            Refusal::Missing(other.to_string())
        }
    })
}

/// The sentence about a bundled game.
fn about(wanted: &Wanted) -> String {
    let name = wanted.name.as_deref().filter(|_| wanted.text.is_none());
    let facts = name.and_then(bundled_game).and_then(|game| game.facts().ok());
    facts.map_or_else(String::new, |facts| facts.about)
}

fn title_and_text(wanted: Wanted) -> Result<(String, Vec<u8>), Refusal> {
    match wanted {
        Wanted { text: Some(text), name, .. } => {
            Ok((name.unwrap_or_else(|| "your game".to_string()), text.into_bytes()))
        }
        Wanted { name: Some(name), text: None, .. } => {
            let game = bundled_game(&name);
            let game =
                game.ok_or_else(|| Refusal::Missing(format!("no bundled game is called {name}")))?;
            Ok((name, game.rules().into_owned()))
        }
        Wanted { name: None, text: None, .. } => {
            Err(Refusal::Senseless("give the name of a bundled game, or rules".to_string()))
        }
    }
}

fn places(source: &Source<'_>, diagnoses: &[Diagnosis]) -> Vec<Place> {
    diagnoses.iter().map(|diagnosis| place(source, &Finding::from(diagnosis))).collect()
}

fn place(source: &Source<'_>, finding: &Finding) -> Place {
    let at = finding.span.map(|span| source.line_column(span.start));
    Place {
        category: finding.category,
        severity: finding.severity.as_str(),
        line: at.map(|(line, _)| line),
        column: at.map(|(_, column)| column),
        length: finding.span.map_or(0, |span| source.excerpt(span).chars().count()),
        message: finding.message.clone(),
        hint: finding.hint.clone(),
    }
}
