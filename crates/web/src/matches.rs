//! Matches in the browser: engine against engine, and what the search thinks of a match that was recorded.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::{Path, State};
use gambol::ground::{MoveId, RoleId};
use gambol::index::Id;
use gambol::net::{BaseMarking, Net, NetEngine};
use gambol::play::{
    Clock, Opinion, SearchOptions, Settings, TreeSearch, Way, is_chance, local_match, study_for,
};
use gambol::solve::{Ends, Limits};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ending::Ending;
use crate::job::{Job, Telling};
use crate::position::joint_move;
use crate::refusal::Refusal;
use crate::workshop::{Opened, Workshop};

/// Longer matches are called off, and not followed.
const MOST_STEPS: usize = 2_000;
/// The longest clock, in seconds a move.
const LONGEST: f64 = 30.0;
/// The longest that is spent on the structure of the game before a match.
const STUDY: Duration = Duration::from_secs(5);

/// Joint moves by name, from the start.
#[derive(Deserialize)]
pub(crate) struct Recorded {
    joints: Vec<Vec<String>>,
}

/// The states that they lead through.
#[derive(Serialize)]
pub(crate) struct Followed {
    /// The numbers of the joint moves, as far as they are legal.
    moves: Vec<Vec<u32>>,
    /// One state more than moves.
    states: Vec<Vec<u32>>,
    /// For each step the roles that had a choice.
    choosers: Vec<Vec<u32>>,
    /// Where the record stops being legal, in words.
    fault: Option<String>,
}

/// `POST /api/games/{id}/follow`
pub(crate) async fn follow(
    State(workshop): State<Arc<Workshop>>,
    Path(id): Path<u64>,
    Json(recorded): Json<Recorded>,
) -> Result<Json<Followed>, Refusal> {
    let opened = workshop.game(id)?;
    let work = tokio::task::spawn_blocking(move || followed(opened.net()?, &recorded.joints));
    work.await.map_err(|_| crate::load::broke_off())?.map(Json)
}

fn followed(net: &Net, joints: &[Vec<String>]) -> Result<Followed, Refusal> {
    let mut engine = NetEngine::new(net);
    let mut state = engine.initial();
    let mut found = Followed {
        moves: Vec::new(),
        states: vec![numbers(&state)],
        choosers: Vec::new(),
        fault: None,
    };
    for (step, names) in joints.iter().take(MOST_STEPS).enumerate() {
        let legal = engine.legal(&state);
        let Some(joint) = named(net, &legal, names) else {
            found.fault = Some(format!("step {}: {} is not legal", step + 1, names.join(" ")));
            break;
        };
        state = engine.next(&state, &joint);
        let choosers = net.roles.ids().filter(|&role| choices(net, &legal, role) > 1);
        found.choosers.push(choosers.map(|role| role.number()).collect());
        found.moves.push(joint.iter().map(|action| action.number()).collect());
        found.states.push(numbers(&state));
    }
    Ok(found)
}

/// How many legal moves a role has.
fn choices(net: &Net, legal: &[MoveId], role: RoleId) -> usize {
    legal.iter().filter(|&&action| net.moves[action].role == role).count()
}

fn numbers(state: &BaseMarking) -> Vec<u32> {
    state.fluents().iter().map(|fluent| fluent.number()).collect()
}

/// The legal moves of these names, one per role.
fn named(net: &Net, legal: &[MoveId], names: &[String]) -> Option<Vec<MoveId>> {
    let of_role = |(role, name): (RoleId, &String)| {
        let mut own = legal.iter().copied().filter(|&action| net.moves[action].role == role);
        own.find(|&action| *net.moves[action].name == **name)
    };
    (names.len() == net.roles.len()).then(|| net.roles.ids().zip(names).map(of_role).collect())?
}

/// What a side expects.
#[derive(Serialize)]
struct Expected {
    goal: f64,
    certain: bool,
    playouts: u64,
}

fn expected(opinion: &Opinion) -> Option<Expected> {
    let (goal, certain) = opinion.reason.expectation()?;
    Some(Expected { goal, certain, playouts: opinion.playouts })
}

/// Who plays, and how long they think.
pub(crate) struct Wish {
    pub(crate) players: Vec<String>,
    pub(crate) seconds: f64,
    pub(crate) seed: u64,
}

/// How a match ended.
#[derive(Serialize)]
pub(crate) struct Ended {
    steps: usize,
    /// In words; none if it was stopped.
    ending: Option<String>,
}

/// Plays a match of engines; each step is told as it is made.
pub(crate) fn play(opened: &Opened, job: &Arc<Job>, wish: &Wish) -> Result<Ended, Refusal> {
    let net = opened.net()?;
    let sides = sides(net, wish)?;
    let mut telling = Telling::of(job);
    telling.say(json!({ "stage": "looking at the structure of the game" }));
    let prepared = opened.game.prepared().map_err(|error| Refusal::Beyond(error.to_string()))?;
    let stop = job.flag();
    let clock = Clock::Time(time(wish.seconds));
    study_for(prepared, &sides, clock, STUDY, &stop);
    let mut show = |joint: &[MoveId], opinions: &[Opinion]| {
        let moves: Vec<u32> = joint.iter().map(|action| action.number()).collect();
        let opinions: Vec<Option<Expected>> = opinions.iter().map(expected).collect();
        telling.say(json!({ "moves": moves, "opinions": opinions }));
    };
    let played = local_match(prepared, &sides, clock, MOST_STEPS, &stop, &mut show);
    let ending = played.goals.map(|goals| Ending::of(net, &goals).words);
    Ok(Ended { steps: played.moves.len(), ending })
}

fn time(seconds: f64) -> Duration {
    let seconds = if seconds.is_finite() { seconds } else { 1.0 };
    Duration::from_secs_f64(seconds.clamp(0.02, LONGEST))
}

/// The sides in the order of the roles. Nobody plays chance.
fn sides(net: &Net, wish: &Wish) -> Result<Vec<Settings>, Refusal> {
    if wish.players.len() != net.roles.len() {
        return Err(Refusal::Senseless("name one player for each role".to_string()));
    }
    let side = |(role, word): (RoleId, &String)| {
        let settings: Result<Settings, _> = word.parse();
        let mut settings = settings.map_err(|error| Refusal::Senseless(error.to_string()))?;
        if is_chance(net, role) {
            settings.way = Way::Random;
        }
        settings.search.seed = wish.seed.wrapping_add(role.index() as u64);
        Ok(settings)
    };
    net.roles.ids().zip(&wish.players).map(side).collect()
}

/// How much was looked at.
#[derive(Serialize)]
pub(crate) struct Judged {
    states: usize,
    complete: bool,
}

/// Searches each state of a match for a while, and tells what the roles with a choice expect there.
pub(crate) fn judge(
    opened: &Opened,
    job: &Arc<Job>,
    moves: &[Vec<u32>],
    seconds: f64,
) -> Result<Judged, Refusal> {
    let (net, circuit) = (opened.net()?, opened.circuit()?);
    let mut engine = NetEngine::new(net);
    let mut state = engine.initial();
    let (mut telling, stop) = (Telling::of(job), job.flag());
    let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
    let ends = Ends::of_play_from(net, circuit, &net.initial, &limits);
    for (step, numbers) in moves.iter().take(MOST_STEPS).enumerate() {
        if stop.load(Ordering::Relaxed) {
            return Ok(Judged { states: step, complete: false });
        }
        let legal = engine.legal(&state);
        let mut search = TreeSearch::new(net, circuit, SearchOptions::default());
        search.use_ends(ends);
        search.go_to(circuit.state_of(&state.fluents()));
        search.search(Instant::now() + time(seconds), &stop);
        let opinion = |role: RoleId| {
            let chooses = choices(net, &legal, role) > 1 && !is_chance(net, role);
            let report = chooses.then(|| search.report(role))?;
            let best = report.moves.first()?;
            let goal = best.proved.map(f64::from).or(best.expected())?;
            Some(Expected { goal, certain: best.proved.is_some(), playouts: report.playouts })
        };
        let opinions: Vec<Option<Expected>> = net.roles.ids().map(opinion).collect();
        telling.say(json!({ "step": step, "opinions": opinions }));
        let joint = joint_move(net, &legal, numbers)?;
        state = engine.next(&state, &joint);
    }
    Ok(Judged { states: moves.len(), complete: true })
}
