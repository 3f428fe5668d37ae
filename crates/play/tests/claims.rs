//! What a search says is proved, on generated games of every kind, held to a plain judge: constant sum or not, play
//! that never ends, ends with several goals or none, roles that are stuck or choose at once.
//!
//! `GAMBOL_CASES` says how many games, `GAMBOL_SEED` from which on.

#[path = "../../../tests/generated/components.rs"]
mod components;
#[path = "../../solve/tests/judged/judge.rs"]
#[allow(dead_code, reason = "nothing is asked here about chance")]
mod judge;
#[path = "../../solve/tests/judged/played.rs"]
#[allow(dead_code, reason = "all positions are compared, so their text is not needed")]
mod played;
#[path = "../../../tests/generated/rules.rs"]
mod rules;
#[path = "../../../tests/generated/tape.rs"]
#[allow(dead_code, reason = "a game that fails is not made shorter here")]
mod tape;

use std::sync::Arc;

use gambol_analysis::{OpenGoals, ShapeOptions, shape};
use gambol_index::Id;
use gambol_net::{Net, RoleId};
use gambol_play::{SearchOptions, TreeSearch};
use gambol_sim::Circuit;
use gambol_solve::{Ends, Limits};

use crate::judge::{Game, Judged};
use crate::played::Played;
use crate::tape::Tape;

/// What averages may differ by in floating-point numbers.
const NEAR: f64 = 1e-5;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What can be secured in every position in the worst and in the best reading of its ends, and whether that is exact.
struct Secured {
    worst: (Vec<f64>, bool),
    best: (Vec<f64>, bool),
}

/// A claim must be what the role can secure, however ends are read, and what it gets in every equilibrium.
fn check_claim(
    judged: &Judged<Played>,
    secured: &Secured,
    (place, role): (usize, usize),
    claim: u32,
    name: &str,
) {
    let (claimed, at) = (f64::from(claim), format!("{role} at position {place} of {name}"));
    let slack = if secured.worst.1 { NEAR } else { 1.0 };
    let (worst, best) = (secured.worst.0[place], secured.best.0[place]);
    assert!(claimed <= worst + slack, "{claim} is claimed, {worst} can be secured: {at}");
    assert!(claimed >= best - NEAR, "{claim} is claimed, {best} can be secured: {at}");
    if place == 0 {
        for values in judged.equilibria(place).unwrap_or_default() {
            assert_eq!(values[role], claim, "an equilibrium: {at}");
        }
    }
}

/// Searches a little, and holds to the judge whatever is claimed about any position. How much was claimed?
fn check_search(
    search: &mut TreeSearch<'_>,
    (net, circuit): (&Net, &Circuit),
    game: &mut Played,
    judged: &Judged<Played>,
    (secured, name): (&[Secured], &str),
) -> usize {
    let mut claims = 0;
    for rounds in [2, 10] {
        search.search_rounds(rounds);
        let start = search.state().clone();
        for (place, position) in judged.positions.iter().enumerate() {
            search.go_to(circuit.state_of(&game.fluents(net, position)));
            for (role, secured) in secured.iter().enumerate() {
                let report = search.report(RoleId::from_index(role));
                if let Some(claim) = report.proved {
                    check_claim(judged, secured, (place, role), claim, name);
                    claims += 1;
                }
                let moves: Vec<_> =
                    report.moves.iter().filter(|one| one.proved.is_some()).collect();
                if moves.is_empty() {
                    continue;
                }
                // No other role has a choice.
                let roles = 0..judged.roles;
                let others: Vec<_> = roles.map(|role| game.legal(position, role)).collect();
                for one in moves {
                    let mut joint: Vec<_> = others.iter().map(|moves| moves[0]).collect();
                    joint[role] = game.choice(net, one.action);
                    let next = game.next(position, &joint);
                    let next = judged.positions.iter().position(|known| *known == next);
                    let at = (next.expect("it was listed"), role);
                    let claim = one.proved.expect("filtered");
                    check_claim(judged, secured, at, claim, name);
                    claims += 1;
                }
            }
        }
        search.go_to(start);
    }
    claims
}

#[test]
fn what_is_said_to_be_proved_is_what_the_judge_says() {
    let seed = number("GAMBOL_SEED", 1);
    let (mut claims, mut games) = ([0; 3], 0);
    for case in 0..number("GAMBOL_CASES", 400) {
        let numbers = tape::random(seed.wrapping_mul(0x9e37_79b9).wrapping_add(case), 160);
        let text = rules::text(&mut Tape::of(&numbers));
        let rules = played::rules_of(&text);
        let Ok(ground) = gambol_ground::instantiate(&rules, &Default::default()) else { continue };
        let Ok(net) = gambol_net::build(&ground) else { continue };
        let net = gambol_net::simplify(&net);
        let mut game = Played::new(&rules);
        let Some(judged) = Judged::of(&mut game, 200) else { continue };
        let circuit = Circuit::compile(&net, &Default::default()).expect("the net is small");
        let of_role =
            |role| Secured { worst: judged.secured(role, false), best: judged.secured(role, true) };
        let secured: Vec<Secured> = (0..judged.roles).map(of_role).collect();
        games += 1;
        let limits = Limits::default();
        let structure = shape(&net, &ShapeOptions::default());
        let ends = Ends::of_play_from(&net, &circuit, &net.initial, &limits);
        let facts = [(Ends::default(), false), (ends, false), (ends, true)];
        for (known, (ends, latches)) in facts.into_iter().enumerate() {
            let mut options = SearchOptions::default();
            (options.seed, options.look_ahead) = (case + 1, case % 3 > 0);
            // Play may go on for ever, and games prove nothing.
            (options.playouts, options.max_steps) = (Some(1), 4);
            let mut search = TreeSearch::new(&net, &circuit, options);
            search.use_ends(ends);
            if latches {
                search.use_open_goals(Arc::new(OpenGoals::of(&net, &structure)));
            }
            let name = format!("rules {case}, {ends:?}, latches {latches}\n{text}");
            let told = (&*secured, &*name);
            claims[known] += check_search(&mut search, (&net, &circuit), &mut game, &judged, told);
        }
    }
    println!("{games} games, {claims:?} claims");
    // The more is proved of the ends, the more is claimed; without it there is something to claim as well.
    assert!(claims[0] > games && claims[0] < claims[1], "{claims:?}");
}
