//! A state of a game: the boards, everything else that is true, and what can be done.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use gambol::board::{BoardStyle, Boards, Spot, decided, slide, svg};
use gambol::ground::{FluentId, MoveId, RoleId};
use gambol::index::Id;
use gambol::net::{BaseMarking, Net, NetEngine, PartColours};
use gambol::play::is_chance;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::ending::Ending;
use crate::picture;
use crate::refusal::Refusal;
use crate::sight::Sight;
use crate::workshop::{Opened, ShownParts, Workshop};

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
}

/// A state as the page shows it.
#[derive(Serialize)]
pub(crate) struct Position {
    /// The fluents that are true, or known to be.
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
    /// Whether the one who looks does not see its choices.
    hidden: bool,
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
    document(&opened, &state, None).map(picture::answer)
}

/// The colours of the parts; what is one piece needs none.
fn colours_of(parts: Option<&Arc<ShownParts>>) -> Option<&PartColours> {
    let parts = parts.filter(|parts| parts.found.counts().action_dependent > 1)?;
    Some(&parts.colours)
}

/// The boards of a state, or of what is known of it, as a document of their own.
pub(crate) fn document(
    opened: &Opened,
    state: &BaseMarking,
    unknown: Option<&FxHashSet<FluentId>>,
) -> Result<String, Refusal> {
    let parts = opened.parts();
    let parts = colours_of(parts.as_ref());
    let style = BoardStyle { parts, unknown, standalone: true, ..BoardStyle::default() };
    Ok(svg(opened.boards()?, state, &style))
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
    laid_open(opened, &state, before.as_ref())
}

/// A state that hides nothing.
pub(crate) fn laid_open(
    opened: &Opened,
    state: &BaseMarking,
    before: Option<&BaseMarking>,
) -> Result<Position, Refusal> {
    let (net, boards, parts) = (opened.net()?, opened.boards()?, opened.parts());
    let colours = colours_of(parts.as_ref());
    let mut engine = NetEngine::new(net);
    let terminal = engine.terminal(state);
    let ending = terminal.then(|| Ending::of(net, &engine.goals(state)));
    let winner = ending.as_ref().and_then(|ending| ending.winner);
    let decided = winner.map_or_else(Vec::new, |winner| decided(net, boards, state, winner));
    let latched = opened.latched(net, state);
    let style = BoardStyle {
        parts: colours,
        latched: Some(&latched),
        before,
        decided: &decided,
        unknown: None,
        standalone: false,
    };
    let slides = before.map_or_else(Vec::new, |before| slide(boards, before, state));
    let roles = roles(net, opened, &mut engine, state, colours)?;
    Ok(Position {
        board: (!boards.boards.is_empty()).then(|| svg(boards, state, &style)),
        groups: groups(net, opened, state, &latched, colours, None)?,
        known: None,
        turn: if terminal { Vec::new() } else { to_move(net, boards, state, &roles) },
        roles,
        terminal,
        ending: ending.map(|ending| ending.words),
        slides: slides.iter().map(|(from, to)| [place_name(*from), place_name(*to)]).collect(),
        state: numbers(state),
    })
}

/// A state that is not over, as one role knows it. Nothing in the answer depends on anything else.
pub(crate) fn as_known(
    opened: &Opened,
    role: RoleId,
    own: &[MoveId],
    sight: &Sight,
) -> Result<Position, Refusal> {
    let (net, boards, parts) = (opened.net()?, opened.boards()?, opened.parts());
    let colours = colours_of(parts.as_ref());
    let known = &sight.known;
    let latched = opened.latched(net, known);
    let style = BoardStyle {
        parts: colours,
        latched: Some(&latched),
        unknown: Some(&sight.unknown),
        ..BoardStyle::default()
    };
    // What a move does may tell what is hidden: only its name says where to click.
    let paths = Paths::by_name(net, boards, own);
    let view = |one: RoleId| RoleView {
        hidden: one != role && !is_chance(net, one),
        goal: None,
        ..role_view(net, boards, one, if one == role { own } else { &[] }, &paths, colours)
    };
    let roles: Vec<RoleView> = net.roles.ids().map(view).collect();
    Ok(Position {
        board: (!boards.boards.is_empty()).then(|| svg(boards, known, &style)),
        groups: groups(net, opened, known, &latched, colours, Some(&sight.unknown))?,
        known: Some(sight.words.clone()),
        turn: to_move(net, boards, known, &roles),
        roles,
        terminal: false,
        ending: None,
        slides: Vec::new(),
        state: numbers(known),
    })
}

fn numbers(state: &BaseMarking) -> Vec<u32> {
    state.fluents().iter().map(|fluent| fluent.number()).collect()
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
        let view = role_view(net, boards, role, &own, &paths, colours);
        RoleView { goal: goals[role], ..view }
    };
    Ok(net.roles.ids().map(role).collect())
}

fn role_view(
    net: &Net,
    boards: &Boards,
    role: RoleId,
    own: &[MoveId],
    paths: &Paths,
    colours: Option<&PartColours>,
) -> RoleView {
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
        chance: is_chance(net, role),
        hidden: false,
        goal: None,
        moves: own.iter().take(MOST_MOVES).map(view).collect(),
        more: own.len().saturating_sub(MOST_MOVES),
    }
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
            by_move.insert(action, path_of(net, boards, action, step));
        }
        Self { by_move }
    }

    /// By the names of the moves alone.
    fn by_name(net: &Net, boards: &Boards, moves: &[MoveId]) -> Self {
        let path = |&action: &MoveId| (action, path_of(net, boards, action, None));
        Self { by_move: moves.iter().map(path).collect() }
    }
}

fn path_of(
    net: &Net,
    boards: &Boards,
    action: MoveId,
    step: Option<(&BaseMarking, &BaseMarking)>,
) -> Vec<Vec<String>> {
    let names = |spots: &Vec<Spot>| spots.iter().map(|&spot| place_name(spot)).collect();
    boards.path(&net.moves[action].name, step).iter().map(names).collect()
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
