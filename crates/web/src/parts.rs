//! The parts of a game and how they are put together.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Response;
use gambol::decompose::{
    Basis, DecomposeOptions, Decomposition, Repair, RoleInGoal, Subgame, SubgameId, matrix_svg,
    meta_action_names,
};
use gambol::index::{Id, natural_order};
use gambol::net::{FluentId, Net, PART_HUES};
use gambol::report::{crossing, joint_moves, phases, summary};
use serde::Serialize;
use serde_json::json;

use crate::job::{Job, Telling};
use crate::picture;
use crate::refusal::Refusal;
use crate::workshop::{Opened, Workshop};

/// The answer of the job.
#[derive(Serialize)]
pub(crate) struct Parts {
    /// How the parts are put together, in one sentence.
    sentence: String,
    composition: &'static str,
    termination: &'static str,
    basis: &'static str,
    /// What is claimed of the cut, claim by claim.
    claims: Vec<ClaimView>,
    /// Whether it is the finest, in one sentence.
    finest: String,
    complete: bool,
    playouts: u64,
    seconds: f64,
    subgames: Vec<PartView>,
    crossings: Vec<String>,
    repairs: Vec<RepairView>,
    /// Fluents that never change, or that nothing was learnt about.
    rest: usize,
    matrix: String,
}

#[derive(Serialize)]
struct ClaimView {
    text: &'static str,
    basis: &'static str,
    /// How it was proved.
    proof: Option<String>,
}

impl ClaimView {
    fn of(text: &'static str, basis: Basis) -> Self {
        let proof = basis.proof().map(|proof| proof.to_string());
        Self { text, basis: basis.as_str(), proof }
    }
}

#[derive(Serialize)]
struct PartView {
    id: usize,
    colour: &'static str,
    action_dependent: bool,
    useful: bool,
    role_in_goal: &'static str,
    basis: &'static str,
    /// Whether lines of play hold it together.
    finest: bool,
    fluents: usize,
    moves: usize,
    /// Some of its fluents.
    examples: Vec<String>,
    /// Its classes of moves: how the part's own game is played; as many as the page can show.
    meta_actions: Vec<ClassView>,
    /// How many classes there are of moves that act in it.
    acting_classes: usize,
}

#[derive(Serialize)]
struct ClassView {
    role: String,
    name: String,
    moves: usize,
    idle: bool,
}

/// Parts that a failed proof has joined.
#[derive(Serialize)]
struct RepairView {
    reason: String,
    /// The parts as they were: some fluents of each.
    joined: Vec<Vec<String>>,
    from_the_start: bool,
    /// The moves of each line of play, step by step.
    lines: Vec<Vec<String>>,
}

const EXAMPLES: usize = 6;
const MOST_CLASSES: usize = 40;

/// What the page asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    pub(crate) playouts: u64,
    pub(crate) prove: bool,
    pub(crate) time: Duration,
}

/// Takes the game apart, and keeps the parts for the colours of every view.
pub(crate) fn parts(opened: &Opened, job: &Arc<Job>, wish: Wish) -> Result<Parts, Refusal> {
    let net = opened.net()?;
    let mut options = DecomposeOptions::default();
    options.playouts = wish.playouts.clamp(10, 100_000);
    options.prove = wish.prove;
    options.time = Some(wish.time);
    options.stop = Some(job.flag());
    Telling::of(job).say(json!({ "stage": "playing and comparing", "seconds": 0.0 }));
    let found = opened.game.subgames_with(&options, &mut |_| {});
    let found = found.map_err(|error| Refusal::Beyond(error.to_string()))?;
    let view = view(net, &found, &opened.title, job.seconds());
    opened.keep_colours(net, found);
    Ok(view)
}

/// What is claimed of the cut. Where there is one part only its classes of moves say something.
fn claims(found: &Decomposition) -> Vec<ClaimView> {
    let [sound, classes, scores] = found.claims().map(|(text, basis)| ClaimView::of(text, basis));
    match found.counts().action_dependent {
        0 | 1 => vec![classes],
        _ => vec![sound, classes, scores],
    }
}

/// The parts as the page shows them.
pub(crate) fn view(net: &Net, found: &Decomposition, title: &str, seconds: f64) -> Parts {
    Parts {
        sentence: summary(found),
        composition: found.composition.as_str(),
        termination: found.termination.as_str(),
        basis: found.basis.as_str(),
        claims: claims(found),
        finest: found.finest_text(),
        complete: found.complete,
        playouts: found.playouts,
        seconds,
        subgames: found.subgames.iter_ids().map(|(id, part)| part_view(net, id, part)).collect(),
        crossings: {
            let points = found.crossing_points.iter().map(|point| crossing(net, point));
            points.chain(phases(net, found)).collect()
        },
        repairs: found.repairs.iter().map(|repair| repair_view(net, repair)).collect(),
        rest: found.rest.len(),
        matrix: picture::without_style(&matrix_svg(net, found, title)),
    }
}

impl Parts {
    pub(crate) fn sentence(&self) -> &str {
        &self.sentence
    }

    pub(crate) fn basis(&self) -> &str {
        self.basis
    }
}

/// `GET /api/games/{id}/matrix.svg`: the matrix as a document of its own.
pub(crate) async fn matrix(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
) -> Result<Response, Refusal> {
    let opened = workshop.game(id)?;
    let parts = opened.parts();
    let parts = parts.ok_or_else(|| Refusal::Missing("take the game apart first".to_string()))?;
    Ok(picture::answer(matrix_svg(opened.net()?, &parts.found, &opened.title)))
}

fn part_view(net: &Net, id: SubgameId, part: &Subgame) -> PartView {
    let names = meta_action_names(net, &part.meta_actions);
    let classes = part.meta_actions.iter().zip(&names).take(MOST_CLASSES);
    PartView {
        id: id.index(),
        colour: PART_HUES[id.index() % PART_HUES.len()],
        action_dependent: part.action_dependent,
        useful: part.useful,
        role_in_goal: match part.role_in_goal {
            RoleInGoal::None => "no goal reads it",
            RoleInGoal::Decides => "it can decide the game",
            RoleInGoal::Contributes => "it contributes to the score",
        },
        basis: part.basis.as_str(),
        finest: part.finest,
        fluents: part.fluents.len(),
        moves: part.moves.len(),
        examples: examples(net, &part.fluents),
        acting_classes: part.meta_actions.iter().filter(|class| !class.idle).count(),
        meta_actions: classes
            .map(|(class, name)| ClassView {
                role: net.roles[class.role].to_string(),
                name: name.to_string(),
                moves: class.moves.len(),
                idle: class.idle,
            })
            .collect(),
    }
}

/// The names of some fluents.
fn examples(net: &Net, fluents: &[FluentId]) -> Vec<String> {
    let mut names: Vec<&str> = fluents.iter().map(|&fluent| &*net.fluents[fluent]).collect();
    names.sort_by(|one, other| natural_order(one, other));
    names.into_iter().take(EXAMPLES).map(str::to_string).collect()
}

fn repair_view(net: &Net, repair: &Repair) -> RepairView {
    RepairView {
        reason: repair.reason(net),
        joined: repair.joined.iter().map(|part| examples(net, part)).collect(),
        from_the_start: repair.start == net.initial,
        lines: repair.lines.iter().map(|line| joint_moves(net, &line.moves)).collect(),
    }
}
