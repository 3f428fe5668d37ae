//! A few random games, to see what is true together.

use gambol_net::{BaseMarking, MoveId, Net, NetEngine};

/// How many states are looked at, at most.
const STATES: usize = 160;
/// Games end after so many steps at the latest.
const STEPS: usize = 40;
/// Gates evaluated in all: a large net is sampled less.
const WORK: usize = 40_000_000;

/// States met in random play, the initial one first. The same for the same net.
pub(crate) fn sample(net: &Net) -> Vec<BaseMarking> {
    let mut engine = NetEngine::new(net);
    let mut random = 0x0067_616d_626f_6c00_u64;
    let most = (WORK / (2 * net.gate_count().max(1))).clamp(1, STATES);
    let mut states = vec![engine.initial()];
    'games: while states.len() < most {
        let mut state = engine.initial();
        for _ in 0..STEPS {
            if states.len() >= most || engine.terminal(&state) {
                break;
            }
            let Some(joint) = any_joint_move(net, &engine.legal(&state), &mut random) else {
                break 'games;
            };
            state = engine.next(&state, &joint);
            states.push(state.clone());
        }
        if states.len() == 1 {
            break;
        }
    }
    states
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
