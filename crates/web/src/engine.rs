//! The engine as an opponent: one move against a clock.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, State};
use gambol::ground::RoleId;
use gambol::net::Net;
use gambol::play::{SearchOptions, TreeSearch, Worlds, is_chance};
use gambol::solve::{Ends, Limits};
use serde::{Deserialize, Serialize};

use crate::refusal::Refusal;
use crate::sight::worlds;
use crate::workshop::{Opened, Workshop};

/// The longest clock.
pub(crate) const LONGEST: f64 = 60.0;
/// So many moves are told of.
const SHOWN: usize = 8;

/// Where, for whom, and how long.
#[derive(Deserialize)]
pub(crate) struct Asked {
    state: Vec<u32>,
    role: u32,
    seconds: f64,
    /// All joint moves so far. With them the engine uses only what the role knows.
    history: Option<Vec<Vec<u32>>>,
}

/// What the engine would do, and why.
#[derive(Serialize)]
pub(crate) struct Chosen {
    action: u32,
    name: String,
    /// In words: proved, or the share of playouts.
    reason: String,
    playouts: u64,
    nodes: usize,
    considered: Vec<Considered>,
    /// How it expects the game to go on: the moves of those who have a choice.
    line: Vec<String>,
}

#[derive(Serialize)]
struct Considered {
    action: u32,
    name: String,
    visits: u32,
    mean: Option<f64>,
    proved: Option<u32>,
    /// How often it should be made, where others choose at the same time.
    mixed: Option<f64>,
}

/// `POST /api/games/{id}/engine`
pub(crate) async fn engine(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(asked): Json<Asked>,
) -> Result<Json<Chosen>, Refusal> {
    let opened = workshop.game(id)?;
    let guard = workshop.flag()?;
    let stop = Arc::clone(&guard.0);
    let work = tokio::task::spawn_blocking(move || choose(&opened, &asked, &stop));
    let chosen = work.await.map_err(|_| crate::load::broke_off())?;
    drop(guard);
    chosen.map(Json)
}

fn choose(opened: &Opened, asked: &Asked, stop: &AtomicBool) -> Result<Chosen, Refusal> {
    let started = Instant::now();
    let (net, circuit) = (opened.net()?, opened.circuit()?);
    if asked.role as usize >= net.roles.len() || !asked.seconds.is_finite() {
        return Err(Refusal::Senseless("there is no such role, or no such clock".to_string()));
    }
    let role = RoleId::new(asked.role);
    let state = opened.state(Some(&asked.state))?;
    if is_chance(net, role) {
        return Err(Refusal::Senseless("chance does not think".to_string()));
    }
    if let Some(history) = &asked.history {
        return guess(opened, asked, history, stop);
    }
    let mut search = TreeSearch::new(net, circuit, SearchOptions::default());
    let clock = Duration::from_secs_f64(asked.seconds.clamp(0.05, LONGEST));
    // Of its limit a proof takes a tenth.
    let limits = Limits { time: Some(clock), ..Limits::default() };
    search.use_ends(Ends::of_play_from(net, circuit, &state.fluents(), &limits));
    search.go_to(circuit.state_of(&state.fluents()));
    search.search(started + clock, stop);
    let report = search.report(role);
    let best = report.moves.first();
    let best = best.ok_or_else(|| Refusal::Senseless("the role has no move here".to_string()))?;
    let name = |action| net.moves[action].name.to_string();
    let reason = match (best.proved, best.expected()) {
        (Some(goal), _) => format!("proved: worth {goal} if all play their best"),
        (None, Some(mean)) => {
            format!("sampled: mean goal {mean:.1} over {} visits", best.visits)
        }
        (None, None) => "the only one it had time for".to_string(),
    };
    Ok(Chosen {
        action: best.action.number(),
        name: name(best.action),
        reason,
        playouts: report.playouts,
        nodes: report.nodes,
        line: report.choices.iter().map(|&action| name(action)).collect(),
        considered: report
            .moves
            .iter()
            .take(SHOWN)
            .map(|one| Considered {
                action: one.action.number(),
                name: name(one.action),
                visits: one.visits,
                mean: one.mean,
                proved: one.proved,
                mixed: one.mixed,
            })
            .collect(),
    })
}

/// A move for a role that does not know the state.
fn guess(
    opened: &Opened,
    asked: &Asked,
    history: &[Vec<u32>],
    stop: &AtomicBool,
) -> Result<Chosen, Refusal> {
    let net = opened.net()?;
    let mut worlds = worlds(net, asked.role, history)?;
    let clock = Duration::from_secs_f64(asked.seconds.clamp(0.05, LONGEST));
    guessed(opened, net, &mut worlds, Instant::now() + clock, stop)
}

/// A move that is good in the states that a role cannot tell apart.
pub(crate) fn guessed(
    opened: &Opened,
    net: &Net,
    worlds: &mut Worlds,
    until: Instant,
    stop: &AtomicBool,
) -> Result<Chosen, Refusal> {
    let guess = worlds.decide(net, opened.circuit()?, &SearchOptions::default(), until, stop);
    let guess = guess.ok_or_else(|| Refusal::Senseless("the role has no move here".to_string()))?;
    Ok(Chosen {
        action: guess.action.number(),
        name: net.moves[guess.action].name.to_string(),
        reason: format!(
            "sampled: mean goal {:.1} over {} {} with what it knows",
            guess.mean,
            guess.worlds,
            if guess.worlds == 1 { "state that agrees" } else { "states that agree" }
        ),
        playouts: guess.playouts,
        nodes: 0,
        considered: Vec::new(),
        line: Vec::new(),
    })
}
