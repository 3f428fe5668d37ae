//! One person plays a role of a game with hidden information: the server lets chance decide and the engine play the
//! other roles. The page is sent what the person's role knows, and nothing else, until the game is over or the person
//! asks for everything.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use gambol::ground::{MoveId, RoleId};
use gambol::net::{Net, NetEngine};
use gambol::play::{SearchOptions, is_chance};
use serde::{Deserialize, Serialize};

use crate::engine::{Chosen, LONGEST, guessed};
use crate::lock::lock;
use crate::picture;
use crate::position::{Position, as_known, document, joint_move, laid_open};
use crate::refusal::Refusal;
use crate::table::Table;
use crate::workshop::{Opened, Workshop};

/// More tables of a game than this are not kept; the oldest makes room.
const MOST_TABLES: usize = 8;
/// Longer games are not followed.
const MOST_STEPS: usize = 2_000;

/// What the person wants.
#[derive(Deserialize)]
#[serde(tag = "act", rename_all = "lowercase")]
pub(crate) enum Act {
    /// To sit down; the seed of chance is nobody's business unless it is given.
    Begin { viewer: u32, seed: Option<u64> },
    /// To see what the role knew after so many steps.
    Look { table: u64, step: usize },
    /// The same board as a document of its own.
    Board { table: u64, step: usize },
    /// To make a move after so many steps; what came after them is forgotten.
    Move { table: u64, step: usize, action: u32, seconds: f64 },
    /// To be advised.
    Hint { table: u64, step: usize, seconds: f64 },
    /// To be told everything.
    Reveal { table: u64 },
}

#[derive(Serialize)]
struct Seated {
    table: u64,
    position: Position,
}

/// All joint moves so far.
#[derive(Serialize)]
struct Revealed {
    moves: Vec<Vec<u32>>,
}

/// `POST /api/games/{id}/table`
pub(crate) async fn table(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(act): Json<Act>,
) -> Result<Response, Refusal> {
    let opened = workshop.game(id)?;
    let guard = workshop.flag()?;
    let stop = Arc::clone(&guard.0);
    let work = tokio::task::spawn_blocking(move || answer(&opened, act, &stop));
    let answered = work.await.map_err(|_| crate::load::broke_off())?;
    drop(guard);
    answered
}

fn answer(opened: &Opened, act: Act, stop: &AtomicBool) -> Result<Response, Refusal> {
    let net = opened.net()?;
    match act {
        Act::Begin { viewer, seed } => {
            let table = begin(opened, net, viewer, seed)?;
            let position = table.position(opened, net, 0)?;
            Ok(Json(Seated { table: table.number, position }).into_response())
        }
        Act::Look { table, step } => {
            Ok(Json(find(opened, table)?.position(opened, net, step)?).into_response())
        }
        Act::Board { table, step } => {
            let sight = find(opened, table)?.sight(net, step)?;
            document(opened, &sight.known, Some(&sight.unknown)).map(picture::answer)
        }
        Act::Move { table, step, action, seconds } => {
            let mut table = find(opened, table)?;
            table.advance(opened, net, step, action, clock(seconds), stop)?;
            let position = table.position(opened, net, table.history.len())?;
            keep(opened, table);
            Ok(Json(position).into_response())
        }
        Act::Hint { table, step, seconds } => {
            let hint = find(opened, table)?.hint(opened, net, step, clock(seconds), stop)?;
            Ok(Json(hint).into_response())
        }
        Act::Reveal { table } => {
            let history = find(opened, table)?.history;
            let numbers = |joint: &Vec<MoveId>| joint.iter().map(|one| one.number()).collect();
            let moves = history.iter().map(numbers).collect();
            Ok(Json(Revealed { moves }).into_response())
        }
    }
}

fn clock(seconds: f64) -> Duration {
    let seconds = if seconds.is_finite() { seconds } else { 1.0 };
    Duration::from_secs_f64(seconds.clamp(0.05, LONGEST))
}

fn begin(opened: &Opened, net: &Net, viewer: u32, seed: Option<u64>) -> Result<Table, Refusal> {
    let viewer = RoleId::new(viewer);
    if !net.roles.ids().any(|role| role == viewer) || is_chance(net, viewer) {
        return Err(Refusal::Senseless("there is no such seat".to_string()));
    }
    let seed = seed.unwrap_or_else(|| RandomState::new().hash_one("the lot"));
    let mut tables = lock(&opened.tables);
    let number = tables.last().map_or(1, |last| last.number + 1);
    let table = Table { number, viewer, seed, history: Vec::new() };
    tables.push(table.clone());
    if tables.len() > MOST_TABLES {
        tables.remove(0);
    }
    Ok(table)
}

fn find(opened: &Opened, number: u64) -> Result<Table, Refusal> {
    let tables = lock(&opened.tables);
    let found = tables.iter().find(|table| table.number == number).cloned();
    found.ok_or_else(|| Refusal::Missing("this table is gone; begin a new game".to_string()))
}

/// The last word on a table counts; one that was cleared away meanwhile stays away.
fn keep(opened: &Opened, changed: Table) {
    let mut tables = lock(&opened.tables);
    if let Some(table) = tables.iter_mut().find(|table| table.number == changed.number) {
        *table = changed;
    }
}

impl Table {
    /// What the person sees after so many steps. When all is over the cards are laid open.
    fn position(&self, opened: &Opened, net: &Net, step: usize) -> Result<Position, Refusal> {
        let mut engine = NetEngine::new(net);
        let state = self.state(&mut engine, step)?;
        if engine.terminal(&state) {
            return laid_open(opened, &state, None);
        }
        let own = moves_of(net, &engine.legal(&state), self.viewer);
        as_known(opened, self.viewer, &own, &self.sight(net, step)?)
    }

    /// Makes the person's move, and everybody else's.
    fn advance(
        &mut self,
        opened: &Opened,
        net: &Net,
        step: usize,
        action: u32,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<(), Refusal> {
        let mut engine = NetEngine::new(net);
        let state = self.state(&mut engine, step)?;
        if step >= MOST_STEPS || engine.terminal(&state) {
            return Err(Refusal::Senseless("the game does not go on here".to_string()));
        }
        let legal = engine.legal(&state);
        self.history.truncate(step);
        let mut joint = Vec::new();
        for role in net.roles.ids() {
            let moves = moves_of(net, &legal, role);
            joint.push(match (role == self.viewer, moves.as_slice()) {
                (true, _) => action,
                (false, &[only]) => only.number(),
                (false, moves) if is_chance(net, role) => {
                    self.lot(moves, step).ok_or_else(stuck)?.number()
                }
                (false, _) => self.choice(opened, net, role, time, stop)?.number(),
            });
        }
        let joint = joint_move(net, &legal, &joint)?;
        self.history.push(joint);
        Ok(())
    }

    /// The engine's move for a role, from what that role knows.
    fn choice(
        &self,
        opened: &Opened,
        net: &Net,
        role: RoleId,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<MoveId, Refusal> {
        let mut worlds = self.worlds(net, role, self.history.len())?;
        let (options, until) = (SearchOptions::default(), Instant::now() + time);
        let guess = worlds.decide(net, opened.circuit()?, &options, until, stop);
        guess.map(|guess| guess.action).ok_or_else(stuck)
    }

    fn hint(
        &self,
        opened: &Opened,
        net: &Net,
        step: usize,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Chosen, Refusal> {
        let mut worlds = self.worlds(net, self.viewer, step)?;
        guessed(opened, net, &mut worlds, Instant::now() + time, stop)
    }
}

fn moves_of(net: &Net, legal: &[MoveId], role: RoleId) -> Vec<MoveId> {
    legal.iter().copied().filter(|&action| net.moves[action].role == role).collect()
}

fn stuck() -> Refusal {
    Refusal::Beyond("a role has no legal move here".to_string())
}
