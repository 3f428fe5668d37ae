//! The net as a picture: whole, by relations, or around a proposition; and the search for one.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use gambol::net::{Detail, GateId, Net, NetEngine, PictureOptions, svg_with};
use serde::{Deserialize, Serialize};

use crate::picture;
use crate::position::joint_move;
use crate::refusal::Refusal;
use crate::workshop::{Opened, Workshop};

/// What to draw.
#[derive(Deserialize)]
pub(crate) struct Asked {
    detail: DetailWord,
    /// The gate in the middle, with `around`.
    gate: Option<u32>,
    /// Of the relations only those with this word in their name, and their neighbours.
    relation: Option<String>,
    /// What is true; nothing is marked if left out.
    state: Option<Vec<u32>>,
    moves: Option<Vec<u32>>,
    /// Whether the picture is to be a document of its own.
    #[serde(default)]
    standalone: bool,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum DetailWord {
    Auto,
    Whole,
    Relations,
    Around,
}

/// `POST /api/games/{id}/net.svg`
pub(crate) async fn net(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(asked): Json<Asked>,
) -> Result<Response, Refusal> {
    let opened = workshop.game(id)?;
    let work = tokio::task::spawn_blocking(move || draw(&opened, &asked));
    work.await.map_err(|_| crate::load::broke_off())?.map(picture::answer)
}

fn draw(opened: &Opened, asked: &Asked) -> Result<String, Refusal> {
    let net = opened.net()?;
    let mut engine = NetEngine::new(net);
    let marking = match &asked.state {
        Some(state) => {
            let state = opened.state(Some(state))?;
            Some(match asked.moves.as_deref() {
                Some(moves) => {
                    let legal = engine.legal(&state);
                    engine.marking(&state, &joint_move(net, &legal, moves)?)
                }
                None => engine.marking_before_moves(&state),
            })
        }
        None => None,
    };
    let parts = opened.parts();
    let options = PictureOptions {
        detail: detail(net, asked)?,
        marking: marking.as_ref(),
        parts: parts.as_ref().map(|parts| &parts.colours),
        relation: asked.relation.as_deref(),
        title: asked.standalone.then_some(&*opened.title),
    };
    let svg = svg_with(net, &options);
    Ok(if asked.standalone { svg } else { picture::without_style(&svg) })
}

fn detail(net: &Net, asked: &Asked) -> Result<Detail, Refusal> {
    Ok(match (asked.detail, asked.gate) {
        (DetailWord::Auto, _) => Detail::Auto,
        (DetailWord::Whole, _) => Detail::Whole,
        (DetailWord::Relations, _) => Detail::Relations,
        (DetailWord::Around, Some(gate)) if (gate as usize) < net.gate_count() => {
            Detail::Around(GateId::new(gate))
        }
        (DetailWord::Around, _) => {
            return Err(Refusal::Senseless("there is no such gate in this net".to_string()));
        }
    })
}

/// What to search for.
#[derive(Deserialize)]
pub(crate) struct Sought {
    q: String,
}

/// A proposition that was found.
#[derive(Serialize)]
pub(crate) struct Proposition {
    gate: u32,
    kind: &'static str,
    name: String,
}

/// So many are shown.
const MOST_FOUND: usize = 40;

/// `GET /api/games/{id}/propositions?q=…`
pub(crate) async fn propositions(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Query(sought): Query<Sought>,
) -> Result<Json<Vec<Proposition>>, Refusal> {
    let opened = workshop.game(id)?;
    let net = opened.net()?;
    let phrase = sought.q.trim().to_lowercase();
    let words: Vec<&str> = phrase.split_whitespace().collect();
    let fits = |one: &Proposition| {
        let name = one.name.to_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    let (mut found, others): (Vec<_>, Vec<_>) =
        all(net).filter(fits).partition(|one| one.name.to_lowercase().contains(&phrase));
    found.extend(others);
    found.truncate(MOST_FOUND);
    Ok(Json(found))
}

/// Every proposition, the state's first.
fn all(net: &Net) -> impl Iterator<Item = Proposition> {
    let fluents = net
        .fluents
        .iter_ids()
        .map(|(fluent, name)| proposition(net.fluent_gate(fluent), "base", name.to_string()));
    let moves = net.moves.iter_ids().map(|(id, action)| {
        let name = format!("{} {}", net.roles[action.role], action.name);
        proposition(net.move_gate(id), "input", name)
    });
    let end = [proposition(net.terminal, "answer", "terminal".to_string())];
    let goals = net.goals.iter().map(|goal| {
        let name = format!("goal {} {}", net.roles[goal.role], goal.value);
        proposition(goal.gate, "answer", name)
    });
    let views = net
        .views
        .iter()
        .map(|view| proposition(view.gate, "view", net.names.atom_text(&view.atom)));
    fluents.chain(moves).chain(end).chain(goals).chain(views)
}

fn proposition(gate: GateId, kind: &'static str, name: String) -> Proposition {
    Proposition { gate: gate.number(), kind, name }
}
