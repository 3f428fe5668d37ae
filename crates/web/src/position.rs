//! A state of a game: the boards, everything else that is true, and what can be done.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use gambol::board::{BoardStyle, Boards, Spot, decided, slide, svg};
use gambol::ground::{FluentId, MoveId};
use gambol::index::Id;
use gambol::net::{BaseMarking, Net, NetEngine, PartColours};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::ending::Ending;
use crate::picture;
use crate::refusal::Refusal;
use crate::sight::Sight;
use crate::workshop::{Opened, Workshop};

/// More moves of a role than this are not listed.
const MOST_MOVES: usize = 20_000;
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
    /// The role that looks, and all joint moves so far: what it cannot know is not shown.
    viewer: Option<u32>,
    history: Option<Vec<Vec<u32>>>,
}

/// A state as the page shows it.
#[derive(Serialize)]
pub(crate) struct Position {
    state: Vec<u32>,
    board: Option<String>,
    groups: Vec<GroupView>,
    roles: Vec<RoleView>,
    terminal: bool,
    /// The roles that are to move.
    turn: Vec<u32>,
    /// How the game ended, in words.
    ending: Option<String>,
    /// Things that changed their place: from where, to where.
    slides: Vec<[String; 2]>,
    /// What the one who looks has perceived, and what remains open, in words.
    known: Option<String>,
}

#[derive(Serialize)]
struct GroupView {
    name: String,
    values: Vec<ValueView>,
    /// True fluents that are not listed.
    more: usize,
    /// Whether it only says whose turn it is.
    turn: bool,
    /// Fluents of which the one who looks does not know whether they are true.
    unknown: usize,
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
    /// The colour of its things.
    colour: &'static str,
    /// Whether it is chance.
    chance: bool,
    goal: Option<u32>,
    moves: Vec<MoveView>,
    /// Legal moves that are not listed.
    more: usize,
}

#[derive(Serialize)]
struct MoveView {
    id: u32,
    /// Its gate in the net.
    gate: u32,
    name: String,
    /// The places to click for it: one of each group.
    path: Vec<Vec<String>>,
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
    let sight = sight(&opened, &asked)?;
    let style = BoardStyle {
        parts: parts.as_ref().map(|parts| &parts.1),
        unknown: sight.as_ref().map(|sight| &sight.unknown),
        standalone: true,
        ..BoardStyle::default()
    };
    let state = sight.as_ref().map_or(&state, |sight| &sight.known);
    Ok(picture::answer(svg(opened.boards()?, state, &style)))
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
    let terminal = engine.terminal(&state);
    let ending = terminal.then(|| Ending::of(net, &engine.goals(&state)));
    let winner = ending.as_ref().and_then(|ending| ending.winner);
    let decided = winner.map_or_else(Vec::new, |winner| decided(net, boards, &state, winner));
    // When all is over the cards are laid open.
    let sight = if terminal { None } else { sight(opened, asked)? };
    let seen = sight.as_ref().map_or(&state, |sight| &sight.known);
    let unknown = sight.as_ref().map(|sight| &sight.unknown);
    let style = BoardStyle {
        parts: colours,
        latched: Some(&latched),
        before: before.as_ref().filter(|_| sight.is_none()),
        decided: &decided,
        unknown,
        standalone: false,
    };
    let shown = before.as_ref().filter(|_| sight.is_none());
    let slides = shown.map_or_else(Vec::new, |before| slide(boards, before, &state));
    let roles = roles(net, opened, &mut engine, &state, colours)?;
    Ok(Position {
        board: (!boards.boards.is_empty()).then(|| svg(boards, seen, &style)),
        groups: groups(net, opened, seen, &latched, colours, unknown)?,
        known: sight.as_ref().map(|sight| sight.words.clone()),
        turn: if terminal { Vec::new() } else { to_move(net, boards, &state, &roles) },
        roles,
        terminal,
        ending: ending.map(|ending| ending.words),
        slides: slides.iter().map(|(from, to)| [place_name(*from), place_name(*to)]).collect(),
        state: state.fluents().iter().map(|fluent| fluent.number()).collect(),
    })
}

/// What the one who looks knows, if the page asks for that.
fn sight(opened: &Opened, asked: &Asked) -> Result<Option<Sight>, Refusal> {
    match (asked.viewer, &asked.history) {
        (Some(viewer), Some(history)) => Sight::of(opened, viewer, history).map(Some),
        _ => Ok(None),
    }
}

fn place_name((board, place): Spot) -> String {
    format!("{board}-{place}")
}

/// The role that a fluent says is to move, or else those that have a choice.
fn to_move(net: &Net, boards: &Boards, state: &BaseMarking, roles: &[RoleView]) -> Vec<u32> {
    let told = boards.rest.iter().filter(|group| group.turn).find_map(|group| {
        let held = group.fluents.iter().find(|&&fluent| state.holds(fluent))?;
        let named = arguments(&net.fluents[*held], &group.name);
        roles.iter().position(|role| role.name == named)
    });
    let numbers = || (0..).zip(roles);
    match told {
        Some(role) => vec![role as u32],
        None => {
            numbers().filter(|(_, role)| role.moves.len() > 1).map(|(number, _)| number).collect()
        }
    }
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
    unknown: Option<&FxHashSet<FluentId>>,
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
            turn: group.turn,
            unknown: unknown.map_or(0, |unknown| {
                group.fluents.iter().filter(|fluent| unknown.contains(fluent)).count()
            }),
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
    let boards = opened.boards()?;
    let paths = Paths::of(net, boards, engine, state, &legal);
    let role = |role| {
        let range = net.moves_of(role);
        let own: Vec<MoveId> = match over {
            true => Vec::new(),
            false => legal.iter().copied().filter(|one| range.contains(&one.number())).collect(),
        };
        let view = |action: &MoveId| MoveView {
            id: action.number(),
            gate: net.move_gate(*action).number(),
            name: net.moves[*action].name.to_string(),
            path: paths.by_move.get(action).cloned().unwrap_or_default(),
            part: colours.and_then(|colours| colours.moves[*action]),
        };
        RoleView {
            name: net.roles[role].to_string(),
            colour: boards.role_inks[role.index()].name(),
            chance: &*net.roles[role] == "random",
            goal: goals[role],
            moves: own.iter().take(MOST_MOVES).map(view).collect(),
            more: own.len().saturating_sub(MOST_MOVES),
        }
    };
    Ok(net.roles.ids().map(role).collect())
}

/// What is to be clicked for each move, the others' moves being any.
struct Paths {
    by_move: FxHashMap<MoveId, Vec<Vec<String>>>,
}

impl Paths {
    fn of(
        net: &Net,
        boards: &Boards,
        engine: &mut NetEngine<&Net>,
        state: &BaseMarking,
        legal: &[MoveId],
    ) -> Self {
        let any: Option<Vec<MoveId>> = net
            .roles
            .ids()
            .map(|role| {
                let range = net.moves_of(role);
                legal.iter().copied().find(|action| range.contains(&action.number()))
            })
            .collect();
        let dear = legal.len() * (net.gate_count() + net.fluents.len()) > WORK;
        let mut by_move = FxHashMap::default();
        if boards.boards.is_empty() {
            return Self { by_move };
        }
        for &action in legal {
            let next = any.as_ref().filter(|_| !dear).map(|any| {
                let mut joint = any.clone();
                joint[net.moves[action].role.index()] = action;
                engine.next(state, &joint)
            });
            let step = next.as_ref().map(|next| (state, next));
            let path = boards.path(&net.moves[action].name, step);
            let names = |spots: &Vec<Spot>| spots.iter().map(|&spot| place_name(spot)).collect();
            by_move.insert(action, path.iter().map(names).collect());
        }
        Self { by_move }
    }
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
