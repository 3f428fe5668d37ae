//! Games that are too large for a net, played by the plain interpreter: states and moves in words.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use gambol::syntax::keyword;
use gambol::{Engine, EngineKind, Game, MachineError};
use serde::{Deserialize, Serialize};

use crate::load::{Wanted, broke_off, limits, rules_of};
use crate::refusal::Refusal;
use crate::workshop::Workshop;

/// Which game, and where in it.
#[derive(Deserialize)]
pub(crate) struct Asked {
    #[serde(flatten)]
    game: Wanted,
    /// The fluents of a state; the start if left out.
    state: Option<Vec<String>>,
    /// A move of each role, to be made in it.
    moves: Option<Vec<String>>,
}

/// A state as the interpreter sees it.
#[derive(Serialize)]
pub(crate) struct Interpreted {
    title: String,
    /// Whether the rules hide something from somebody; here everything is shown.
    hidden: bool,
    state: Vec<String>,
    terminal: bool,
    roles: Vec<Role>,
}

#[derive(Serialize)]
struct Role {
    name: String,
    moves: Vec<String>,
    goal: Option<u32>,
}

/// `POST /api/interpreted`
pub(crate) async fn interpreted(
    State(workshop): State<Arc<Workshop>>,
    Json(asked): Json<Asked>,
) -> Result<Json<Interpreted>, Refusal> {
    let guard = workshop.flag()?;
    let limits = limits(&workshop, &asked.game, &guard);
    let work = tokio::task::spawn_blocking(move || {
        let Asked { game, state, moves } = asked;
        let (title, text) = rules_of(&workshop, game)?;
        let game = crate::load::parse(&text)?.with_limits(limits);
        look(title, &game, state, moves.as_deref())
    });
    let found = work.await.map_err(|_| broke_off())?;
    drop(guard);
    found.map(Json)
}

fn look(
    title: String,
    game: &Game,
    state: Option<Vec<String>>,
    moves: Option<&[String]>,
) -> Result<Interpreted, Refusal> {
    let engine = game.engine(EngineKind::Reference);
    let mut engine = engine.map_err(|error| Refusal::Beyond(error.to_string()))?;
    let hides = game.rules().clauses.iter().any(|clause| clause.head.relation == keyword::SEES);
    read_state(&mut *engine, state, moves)
        .map(|found| Interpreted { title, hidden: hides, ..found })
        .map_err(|error| Refusal::Beyond(error.to_string()))
}

fn read_state(
    engine: &mut dyn Engine,
    state: Option<Vec<String>>,
    moves: Option<&[String]>,
) -> Result<Interpreted, MachineError> {
    let mut state = match state {
        Some(state) => state,
        None => engine.initial()?,
    };
    if let Some(moves) = moves {
        state = engine.next(&state, moves)?;
    }
    let terminal = engine.terminal(&state)?;
    let legal = if terminal { Vec::new() } else { engine.legal(&state)? };
    let goals = engine.goals(&state)?;
    let role = |(number, name): (usize, &String)| Role {
        name: name.clone(),
        moves: legal.get(number).cloned().unwrap_or_default(),
        goal: goals.get(number).copied().flatten(),
    };
    let roles = engine.roles().iter().enumerate().map(role).collect();
    Ok(Interpreted { title: String::new(), hidden: false, state, terminal, roles })
}
