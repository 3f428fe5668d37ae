//! A state of a game: the boards, everything else that is true, and what can be done.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use gambol::board::{BoardStyle, svg};
use gambol::ground::{FluentId, MoveId};
use gambol::index::Id;
use gambol::net::{BaseMarking, Net, NetEngine, PartColours};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::picture;
use crate::refusal::Refusal;
use crate::workshop::{Opened, Workshop};

/// More moves of a role than this are not listed.
const MOST_MOVES: usize = 1500;
/// More values of a group than this are not listed.
const MOST_VALUES: usize = 60;
/// Gates that may be evaluated to find out what the moves change.
const WORK: usize = 20_000_000;

/// Which state.
#[derive(Deserialize)]
pub(crate) struct Asked {
    /// The numbers of the fluents that are true; the start if left out.
    state: Option<Vec<u32>>,
    /// Moves to be made in it, one per role.
    moves: Option<Vec<u32>>,
    /// The state before, to mark what is new.
    before: Option<Vec<u32>>,
}

/// A state as the page shows it.
#[derive(Serialize)]
pub(crate) struct Position {
    state: Vec<u32>,
    board: Option<String>,
    groups: Vec<GroupView>,
    roles: Vec<RoleView>,
    terminal: bool,
}

#[derive(Serialize)]
struct GroupView {
    name: String,
    values: Vec<ValueView>,
    /// True fluents that are not listed.
    more: usize,
}

#[derive(Serialize)]
struct ValueView {
    gate: u32,
    text: String,
    latched: bool,
    part: Option<u32>,
}

#[derive(Serialize)]
struct RoleView {
    name: String,
    goal: Option<u32>,
    moves: Vec<MoveView>,
    /// Legal moves that are not listed.
    more: usize,
}

#[derive(Serialize)]
struct MoveView {
    id: u32,
    name: String,
    /// The places of boards that it changes.
    places: Vec<String>,
    part: Option<u32>,
}

/// `POST /api/games/{id}/position`
pub(crate) async fn position(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(asked): Json<Asked>,
) -> Result<Json<Position>, Refusal> {
    let opened = workshop.game(id)?;
    let work = tokio::task::spawn_blocking(move || view(&opened, &asked));
    work.await.map_err(|_| crate::load::broke_off())?.map(Json)
}

/// `POST /api/games/{id}/board.svg`: the boards as a document of their own.
pub(crate) async fn board(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(asked): Json<Asked>,
) -> Result<Response, Refusal> {
    let opened = workshop.game(id)?;
    let state = opened.state(asked.state.as_deref())?;
    let parts = opened.parts();
    let style = BoardStyle {
        parts: parts.as_ref().map(|parts| &parts.1),
        standalone: true,
        ..BoardStyle::default()
    };
    Ok(picture::answer(svg(opened.boards()?, &state, &style)))
}

fn view(opened: &Opened, asked: &Asked) -> Result<Position, Refusal> {
    let net = opened.net()?;
    let mut engine = NetEngine::new(net);
    let mut state = opened.state(asked.state.as_deref())?;
    let mut before =
        asked.before.as_deref().map(|before| opened.state(Some(before))).transpose()?;
    if let Some(moves) = &asked.moves {
        let joint = joint_move(net, &engine.legal(&state), moves)?;
        let next = engine.next(&state, &joint);
        before = Some(std::mem::replace(&mut state, next));
    }
    let (latched, parts) = (opened.latched(net, &state), opened.parts());
    let colours = parts.as_ref().map(|parts| &parts.1);
    let boards = opened.boards()?;
    let style = BoardStyle {
        parts: colours,
        latched: Some(&latched),
        before: before.as_ref(),
        standalone: false,
    };
    Ok(Position {
        board: (!boards.boards.is_empty()).then(|| svg(boards, &state, &style)),
        groups: groups(net, opened, &state, &latched, colours)?,
        roles: roles(net, opened, &mut engine, &state, colours)?,
        terminal: engine.terminal(&state),
        state: state.fluents().iter().map(|fluent| fluent.number()).collect(),
    })
}

/// Moves that the page chose, if they are one legal move for each role.
pub(crate) fn joint_move(
    net: &Net,
    legal: &[MoveId],
    moves: &[u32],
) -> Result<Vec<MoveId>, Refusal> {
    let joint: Vec<MoveId> = moves.iter().map(|&number| MoveId::new(number)).collect();
    let fits = joint.len() == net.roles.len()
        && net.roles.ids().zip(&joint).all(|(role, action)| {
            net.moves_of(role).contains(&action.number()) && legal.contains(action)
        });
    match fits {
        true => Ok(joint),
        false => Err(Refusal::Senseless("these moves are not legal here".to_string())),
    }
}

fn groups(
    net: &Net,
    opened: &Opened,
    state: &BaseMarking,
    latched: &FxHashSet<FluentId>,
    colours: Option<&PartColours>,
) -> Result<Vec<GroupView>, Refusal> {
    let group = |group: &gambol::board::RestGroup| {
        let held: Vec<FluentId> =
            group.fluents.iter().copied().filter(|&fluent| state.holds(fluent)).collect();
        let value = |&fluent: &FluentId| ValueView {
            gate: net.fluent_gate(fluent).number(),
            text: arguments(&net.fluents[fluent], &group.name),
            latched: latched.contains(&fluent),
            part: colours.and_then(|colours| colours.fluents[fluent]),
        };
        GroupView {
            name: group.name.clone(),
            values: held.iter().take(MOST_VALUES).map(value).collect(),
            more: held.len().saturating_sub(MOST_VALUES),
        }
    };
    Ok(opened.boards()?.rest.iter().map(group).collect())
}

/// The name without its first word, which stands above the group.
fn arguments(name: &str, function: &str) -> String {
    let inner = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(name);
    let rest = inner.strip_prefix(function).unwrap_or(inner).trim();
    if rest.is_empty() { "yes".to_string() } else { rest.to_string() }
}

fn roles(
    net: &Net,
    opened: &Opened,
    engine: &mut NetEngine<&Net>,
    state: &BaseMarking,
    colours: Option<&PartColours>,
) -> Result<Vec<RoleView>, Refusal> {
    let (legal, goals) = (engine.legal(state), engine.goals(state));
    let over = engine.terminal(state);
    let changes = Changes::of(net, opened, engine, state, &legal)?;
    let role = |role| {
        let range = net.moves_of(role);
        let own: Vec<MoveId> = match over {
            true => Vec::new(),
            false => legal.iter().copied().filter(|one| range.contains(&one.number())).collect(),
        };
        let view = |action: &MoveId| MoveView {
            id: action.number(),
            name: net.moves[*action].name.to_string(),
            places: changes.by_move.get(action).cloned().unwrap_or_default(),
            part: colours.and_then(|colours| colours.moves[*action]),
        };
        RoleView {
            name: net.roles[role].to_string(),
            goal: goals[role],
            moves: own.iter().take(MOST_MOVES).map(view).collect(),
            more: own.len().saturating_sub(MOST_MOVES),
        }
    };
    Ok(net.roles.ids().map(role).collect())
}

/// What each move changes on the boards, the others' moves being any.
struct Changes {
    by_move: FxHashMap<MoveId, Vec<String>>,
}

impl Changes {
    fn of(
        net: &Net,
        opened: &Opened,
        engine: &mut NetEngine<&Net>,
        state: &BaseMarking,
        legal: &[MoveId],
    ) -> Result<Self, Refusal> {
        let mut by_move = FxHashMap::default();
        let places = opened.boards()?.places_of_fluents();
        let any: Option<Vec<MoveId>> = net
            .roles
            .ids()
            .map(|role| {
                let range = net.moves_of(role);
                legal.iter().copied().find(|action| range.contains(&action.number()))
            })
            .collect();
        let dear = legal.len() * net.gate_count() > WORK;
        let (Some(any), false) = (any, dear || places.is_empty()) else {
            return Ok(Self { by_move });
        };
        for &action in legal {
            let role = net.moves[action].role;
            let mut joint = any.clone();
            joint[role.index()] = action;
            let next = engine.next(state, &joint);
            by_move.insert(action, changed(net, &places, state, &next));
        }
        Ok(Self { by_move })
    }
}

fn changed(
    net: &Net,
    places: &FxHashMap<FluentId, (usize, usize)>,
    before: &BaseMarking,
    after: &BaseMarking,
) -> Vec<String> {
    let differs = net.fluents.ids().filter(|&fluent| before.holds(fluent) != after.holds(fluent));
    let mut places: Vec<(usize, usize)> =
        differs.filter_map(|fluent| places.get(&fluent).copied()).collect();
    places.sort_unstable();
    places.dedup();
    places.iter().map(|(board, place)| format!("{board}-{place}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_shows_arguments_only() {
        assert_eq!(arguments("(turn x)", "turn"), "x");
        assert_eq!(arguments("(at 1 (f 2))", "at"), "1 (f 2)");
        assert_eq!(arguments("jammed", "jammed"), "yes");
    }
}
