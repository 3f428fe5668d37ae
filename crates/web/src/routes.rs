//! Who answers which request.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::response::sse::{Event, Sse};
use axum::routing::{delete, get, post};
use axum::{Json, Router, middleware};
use serde::{Deserialize, Serialize};

use crate::bodies::{Bodies, receive};
use crate::guard::{Guard, watch};
use crate::job::Job;
use crate::refusal::Refusal;
use crate::workshop::Workshop;
use crate::{
    assets, engine, interpreted, load, matches, net_view, parts, position, regression, solving,
    structure, tables,
};

/// The whole explorer.
pub(crate) fn routes(workshop: Arc<Workshop>, guard: Guard) -> Router {
    // A text in JSON is longer than the text.
    let longest = 2 * workshop.options.longest_text + 4096;
    Router::new()
        .route("/", get(assets::index))
        .route("/pictures.css", get(assets::pictures))
        .route("/{name}", get(assets::asset))
        .route("/api/here", get(here))
        .route("/api/bundled", get(load::bundled))
        .route("/api/games", post(load::open))
        .route("/api/check", post(load::check))
        .route("/api/interpreted", post(interpreted::interpreted))
        .route("/api/games/{id}", delete(close))
        .route("/api/games/{id}/position", post(position::position))
        .route("/api/games/{id}/board.svg", post(position::board))
        .route("/api/games/{id}/net.svg", post(net_view::net))
        .route("/api/games/{id}/matrix.svg", get(parts::matrix))
        .route("/api/games/{id}/propositions", get(net_view::propositions))
        .route("/api/games/{id}/engine", post(engine::engine))
        .route("/api/games/{id}/table", post(tables::table))
        .route("/api/games/{id}/follow", post(matches::follow))
        .route("/api/games/{id}/rule", post(regression::rule))
        .route("/api/games/{id}/jobs", post(begin))
        .route("/api/jobs/{id}", get(listen).delete(stop))
        .layer(DefaultBodyLimit::max(longest))
        .layer(middleware::from_fn_with_state(Arc::new(Bodies::new(longest)), receive))
        .layer(middleware::from_fn_with_state(Arc::new(guard), watch))
        .with_state(workshop)
}

/// `GET /api/here`: the page asks now and then whether the engine is still there.
async fn here() -> &'static str {
    "yes\n"
}

/// `DELETE /api/games/{id}`
async fn close(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
) -> Result<&'static str, Refusal> {
    workshop.close(id)?;
    Ok("closed\n")
}

/// What to work on.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Wanted {
    /// What is proved about the game.
    Structure {
        seconds: f64,
        /// With all of the time, if there is something left to look for.
        #[serde(default)]
        thorough: bool,
    },
    /// Its parts.
    Parts { playouts: u64, prove: bool },
    /// Its value.
    Solve { factored: bool, state: Option<Vec<u32>> },
    /// A policy for all of it.
    Regress,
    /// A match of engines, one for each role.
    Match { players: Vec<String>, seconds: f64, seed: u64 },
    /// What the search thinks of the states that these joint moves lead through.
    Judge { moves: Vec<Vec<u32>>, seconds: f64 },
}

#[derive(Serialize)]
struct Begun {
    job: u64,
}

/// `POST /api/games/{id}/jobs`
async fn begin(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(wanted): Json<Wanted>,
) -> Result<Json<Begun>, Refusal> {
    let opened = workshop.game(id)?;
    let job = Job::new();
    let number = workshop.begin(Arc::clone(&job))?;
    let options = workshop.options.clone();
    let time = options.job_time;
    match wanted {
        Wanted::Structure { seconds, thorough } => {
            job.run(move |job| structure::structure(&opened, job, seconds, thorough));
        }
        Wanted::Parts { playouts, prove } => {
            let wish = parts::Wish { playouts, prove, time: time.min(Duration::from_secs(60)) };
            job.run(move |job| parts::parts(&opened, job, wish));
        }
        Wanted::Solve { factored, state } => {
            let (memory_mib, memory_used) = (options.memory_mib, options.memory_used);
            let wish = solving::Wish { factored, state, time, memory_mib, memory_used };
            job.run(move |job| solving::solving(&opened, job, &wish));
        }
        Wanted::Regress => {
            let memory = options.memory_mib / 2;
            job.run(move |job| regression::regression(&opened, job, time, memory));
        }
        Wanted::Match { players, seconds, seed } => {
            let wish = matches::Wish { players, seconds, seed };
            job.run(move |job| matches::play(&opened, job, &wish));
        }
        Wanted::Judge { moves, seconds } => {
            job.run(move |job| matches::judge(&opened, job, &moves, seconds));
        }
    }
    Ok(Json(Begun { job: number }))
}

/// `GET /api/jobs/{id}`: its events.
async fn listen(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
) -> Result<Sse<impl futures_core::Stream<Item = Result<Event, Infallible>>>, Refusal> {
    Ok(workshop.job(id)?.listen())
}

/// `DELETE /api/jobs/{id}`
async fn stop(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
) -> Result<&'static str, Refusal> {
    workshop.job(id)?.stop();
    Ok("stopping\n")
}
