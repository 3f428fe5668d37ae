//! A few random games, to see what is true together and who brings it about.

use gambol_net::{BaseMarking, MoveId, Net, NetEngine, RoleId};

/// How many states are looked at, at most.
const STATES: usize = 160;
/// Games end after so many steps at the latest.
const STEPS: usize = 40;
/// Gates evaluated in all: a large net is sampled less.
const WORK: usize = 40_000_000;

/// States met in random play, the initial one first. The same for the same net.
pub(crate) struct Sample {
    pub(crate) states: Vec<BaseMarking>,
    /// How many steps were made before each state.
    pub(crate) times: Vec<usize>,
    pub(crate) steps: Vec<Step>,
}

/// A step of a game: two states, and the only role that had a choice, if there was one.
pub(crate) struct Step {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) mover: Option<RoleId>,
    /// Nobody had a choice, so it does not tell whose move it was.
    pub(crate) forced: bool,
}

/// Plays.
pub(crate) fn sample(net: &Net) -> Sample {
    let mut engine = NetEngine::new(net);
    let mut random = 0x0067_616d_626f_6c00_u64;
    let most = (WORK / (2 * net.gate_count().max(1))).clamp(1, STATES);
    let mut sample = Sample { states: vec![engine.initial()], times: vec![0], steps: Vec::new() };
    'games: while sample.states.len() < most {
        let mut at = 0;
        for time in 1..=STEPS {
            if sample.states.len() >= most || engine.terminal(&sample.states[at]) {
                break;
            }
            let legal = engine.legal(&sample.states[at]);
            let Some(joint) = any_joint_move(net, &legal, &mut random) else {
                break 'games;
            };
            let next = engine.next(&sample.states[at], &joint);
            sample.states.push(next);
            sample.times.push(time);
            let to = sample.states.len() - 1;
            let forced = net.roles.ids().all(|role| choices(net, &legal, role) <= 1);
            sample.steps.push(Step { from: at, to, mover: only_chooser(net, &legal), forced });
            at = to;
        }
        if sample.states.len() == 1 {
            break;
        }
    }
    sample
}

/// The role with a choice, if the others have none.
fn only_chooser(net: &Net, legal: &[MoveId]) -> Option<RoleId> {
    let mut choosers = net.roles.ids().filter(|&role| choices(net, legal, role) > 1);
    let first = choosers.next();
    first.filter(|_| choosers.next().is_none())
}

fn choices(net: &Net, legal: &[MoveId], role: RoleId) -> usize {
    legal.iter().filter(|&&action| net.moves[action].role == role).count()
}

/// One legal move for each role, unless some role has none.
fn any_joint_move(net: &Net, legal: &[MoveId], random: &mut u64) -> Option<Vec<MoveId>> {
    let role_moves = net.roles.ids().map(|role| {
        let range = net.moves_of(role);
        let own = legal.iter().filter(move |action| range.contains(&action.number()));
        own.copied().collect::<Vec<_>>()
    });
    role_moves
        .map(|own| {
            // Knuth's multiplier: nothing here depends on good random numbers.
            *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (*random >> 33) as usize;
            own.get(at % own.len().max(1)).copied()
        })
        .collect()
}
