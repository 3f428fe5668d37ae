//! What is said to be proved is true: judged by listing all states, against the definition.
//!
//! `GAMBOL_CASES=20000 cargo test -p gambol-decompose --test soundness` tries more games than usual,
//! `GAMBOL_SEED=1000000` other ones.

#[path = "../../../../tests/generated/components.rs"]
mod components;
mod compound;
mod judge;
mod naive;
mod recoded;
#[path = "../../../../tests/generated/rules.rs"]
mod rules;
#[path = "../../../../tests/generated/tape.rs"]
mod tape;

use gambol_decompose::{
    DecomposeOptions, Decomposition, Tie, certify_cut, decompose, finite_subgame_net,
};
use gambol_net::{FluentId, Net};
use gambol_reference::Interpreter;
use gambol_verify_cuts::{CheckOptions, CutCertificate, CutRefusal, check_cut};

use compound::{Fault, Score, Way, compound};
use judge::Judge;
use naive::{Place, list};

const MOST_STATES: usize = 3_000;

fn net_of(text: &str) -> Net {
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
    let rules = gambol_syntax::repair(rules.expect("it parses")).rules.expect("it can be played");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("it grounds");
    gambol_net::simplify(&gambol_net::build(&ground).expect("it is a net"))
}

fn taken_apart(net: &Net, playouts: u64) -> Decomposition {
    let mut options = DecomposeOptions::default();
    options.playouts = playouts;
    options.prove = true;
    options.time = Some(std::time::Duration::from_secs(4));
    decompose(net, &options)
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn parts(found: &Decomposition) -> usize {
    found.counts().action_dependent
}

#[test]
fn a_move_that_seems_idle_ties_the_parts() {
    let net = net_of(include_str!("rules/idle-move-acts.kif"));
    let found = taken_apart(&net, 5_000);
    assert!(parts(&found) == 1 || !found.sound.is_proved());
    let places = list(&net, MOST_STATES).expect("it is small");
    Judge { net: &net, places: &places, found: &found }.check().expect("what is proved is true");
}

#[test]
fn classes_of_the_only_part_are_exact() {
    let net = net_of(include_str!("rules/classes-door.kif"));
    let found = taken_apart(&net, 5_000);
    assert!(found.classes_exact.is_proved());
    let places = list(&net, MOST_STATES).expect("it is small");
    Judge { net: &net, places: &places, found: &found }.check().expect("what is proved is true");
    let id = found.subgames.ids().next().expect("there is a part");
    let part = finite_subgame_net(&net, &found, id).expect("it is a game");
    assert!(can_win(&part, &list(&part, MOST_STATES).expect("it is small")));
}

#[test]
fn a_recursive_goal_is_not_split_by_itself() {
    let net = net_of(include_str!("rules/recursive-goal.kif"));
    let found = taken_apart(&net, 5_000);
    assert!(parts(&found) < 3 || !found.scores_split.is_proved());
    let places = list(&net, MOST_STATES).expect("it is small");
    Judge { net: &net, places: &places, found: &found }.check().expect("what is proved is true");
}

/// Who is to move when all heaps are empty has lost: the turn belongs to the condition of every heap.
#[test]
fn a_score_that_looks_at_a_clock_splits() {
    let text = include_str!("../../../../games/nim-2-3-4/rules.kif");
    let net = net_of(text);
    let found = taken_apart(&net, 5_000);
    assert!(parts(&found) == 3 && found.basis.is_proved(), "{}", described(&net, &found));
    let places = list(&net, MOST_STATES).expect("it is small");
    Judge { net: &net, places: &places, found: &found }.check().expect("what is proved is true");
    let certificate = certify_cut(&net, &found, None).expect("it is proved");
    checked_by_others(text, &net, &certificate).expect("the checker agrees");
}

/// Which moves act before a crossing point may turn out in the proof; what was proved by the old stages
/// is then worth nothing. Nor is what idle moves do in states that never come.
#[test]
fn proofs_are_about_the_moves_that_act_and_the_states_that_come() {
    for text in
        [include_str!("rules/series-moves-act.kif"), include_str!("rules/never-all-idle.kif")]
    {
        let net = net_of(text);
        let places = list(&net, MOST_STATES).expect("it is small");
        for playouts in [1, 8, 64, 5_000] {
            let found = taken_apart(&net, playouts);
            let judge = Judge { net: &net, places: &places, found: &found };
            judge.check().unwrap_or_else(|error| panic!("{error}\n{}", described(&net, &found)));
        }
    }
}

/// Whether a player who is alone can reach his highest score.
fn can_win(net: &Net, places: &[Place]) -> bool {
    let highest = net.goals.len() - 1;
    places.iter().any(|place| place.terminal && place.goals[highest])
}

#[test]
fn what_is_proved_of_compounds_is_true() {
    let (cases, first) = (number("GAMBOL_CASES", 200), number("GAMBOL_SEED", 1));
    let (mut listed, mut apart, mut proved, mut valued, mut finest) = (0, 0, 0, 0, 0);
    for seed in first..first + cases {
        let game = compound(seed);
        let net = net_of(&game.text);
        if net.next.len() > 128 {
            continue;
        }
        let Some(places) = list(&net, MOST_STATES) else { continue };
        listed += 1;
        // Few playouts, so that much is not seen.
        let found = taken_apart(&net, 1 + seed % 64);
        apart += u64::from(parts(&found) > 1);
        proved += u64::from(parts(&found) > 1 && found.sound.is_proved());
        let judge = Judge { net: &net, places: &places, found: &found };
        let about = || {
            format!("seed {seed}: {:?} {:?} {:?}\n{}", game.way, game.score, game.fault, game.text)
        };
        judge
            .check()
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", about(), described(&net, &found)));
        if game.fault == Fault::None {
            no_tie_between_machines(&net, &found)
                .unwrap_or_else(|error| panic!("{error}\n{}", about()));
        }
        finest += u64::from(found.is_finest());
        if seed % 4 == 0
            && let Some(certificate) = certify_cut(&net, &found, None)
        {
            // Only of recursive conditions nothing can be written down.
            assert!(
                game.score == Score::Recursive
                    || certificate.scores.is_some() == found.scores_split.is_proved(),
                "the certificate does not say what is proved\n{}",
                about()
            );
            checked_by_others(&game.text, &net, &certificate).unwrap_or_else(|error| {
                panic!("{error}\n{}\n{}", about(), described(&net, &found))
            });
        }
        let fixed_length = game.clock && game.way == Way::Compound;
        if fixed_length
            && matches!(game.score, Score::All | Score::Any)
            && values_compose(&game, &judge)
        {
            valued += 1;
        }
    }
    println!(
        "{listed} listed, {apart} taken apart, {proved} of them proved, {finest} finest, \
         {valued} with the value of parts"
    );
    let dull = proved < cases / 10 || valued == 0 || finest < cases / 8;
    assert!(cases < 200 || !dull, "the generator has become dull");
}

/// Blocks of bits in other coordinates, with a rare exception, and with phases where a block is cleared for good.
#[test]
fn what_is_proved_of_recoded_bits_is_true() {
    let (cases, first) = (number("GAMBOL_CASES", 120), number("GAMBOL_SEED", 1));
    let (mut listed, mut apart, mut proved, mut phases) = (0, 0, 0, 0);
    for seed in first..first + cases {
        let text = recoded::recoded(seed);
        let net = net_of(&text);
        let Some(places) = list(&net, MOST_STATES) else { continue };
        listed += 1;
        let found = taken_apart(&net, 1 + 8 * (seed % 64));
        let about = || format!("seed {seed}\n{text}\n{}", described(&net, &found));
        let judge = Judge { net: &net, places: &places, found: &found };
        judge.check().unwrap_or_else(|error| panic!("{error}\n{}", about()));
        apart += u64::from(parts(&found) > 1);
        proved += u64::from(parts(&found) > 1 && found.sound.is_proved());
        let Some(certificate) = certify_cut(&net, &found, None) else { continue };
        phases += u64::from(!certificate.phases.is_empty());
        checked_by_others(&text, &net, &certificate)
            .unwrap_or_else(|error| panic!("{error}\n{}", about()));
    }
    println!("{listed} listed, {apart} taken apart, {proved} of them proved, {phases} in phases");
    assert!(cases < 120 || proved >= cases / 30, "only {proved} were taken apart with proof");
}

/// Rules of every kind: compounds with conditions across, and games that are none.
#[test]
fn what_is_proved_of_rules_is_true() {
    let (cases, seed) = (number("GAMBOL_CASES", 100), number("GAMBOL_SEED", 1));
    let (mut listed, mut apart, mut proved) = (0, 0, 0);
    for case in 0..cases {
        let numbers = tape::random(seed.wrapping_mul(0x9e37_79b9).wrapping_add(case), 160);
        match taken_apart_wrongly(&numbers, case) {
            Ok(Some(found)) => {
                listed += 1;
                apart += u64::from(parts(&found) > 1);
                proved += u64::from(parts(&found) > 1 && found.sound.is_proved());
            }
            Ok(None) => {}
            Err(_) => {
                let short = tape::shortest(&numbers, |it| taken_apart_wrongly(it, case).is_err());
                panic!("case {case}: {}", taken_apart_wrongly(&short, case).expect_err("wrong"));
            }
        }
    }
    println!("{listed} listed, {apart} taken apart, {proved} of them proved");
    assert!(cases < 100 || proved >= cases / 30, "only {proved} were taken apart with proof");
}

/// What is wrong with the decomposition of the game that the numbers stand for; none if it is too large.
fn taken_apart_wrongly(numbers: &[u16], case: u64) -> Result<Option<Decomposition>, String> {
    let text = rules::text(&mut tape::Tape::of(numbers));
    let net = net_of(&text);
    if net.next.len() > 128 {
        return Ok(None);
    }
    let Some(places) = list(&net, MOST_STATES) else { return Ok(None) };
    let found = taken_apart(&net, 1 + case % 64);
    let about = |error: String| format!("{error}\n{text}\n{}", described(&net, &found));
    Judge { net: &net, places: &places, found: &found }.check().map_err(about)?;
    if case.is_multiple_of(4)
        && let Some(certificate) = certify_cut(&net, &found, None)
    {
        checked_by_others(&text, &net, &certificate).map_err(|error| about(error.to_string()))?;
    }
    Ok(Some(found))
}

/// The checker, which knows the interpreter and a solver, accepts what was proved.
fn checked_by_others(
    text: &str,
    net: &Net,
    certificate: &CutCertificate,
) -> Result<(), CutRefusal> {
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
    let rules = gambol_syntax::repair(rules.expect("it parses")).rules.expect("it can be played");
    let mut interpreter = Interpreter::new(&rules)?;
    for most_states in [MOST_STATES, 1] {
        let options = CheckOptions { most_states, stop: None };
        match check_cut(&mut interpreter, || Some(net), certificate, &options) {
            // What was known from a listing need not be inductive.
            Err(CutRefusal::Condition(what)) if most_states == 1 && what.contains("invariant") => {}
            other => {
                other?;
            }
        }
    }
    Ok(())
}

/// Machines that were made apart are not tied, whatever part they are in.
fn no_tie_between_machines(net: &Net, found: &Decomposition) -> Result<(), String> {
    let machine = |fluent: FluentId| {
        let name = net.fluents[fluent].strip_prefix("(s ")?;
        name.split(' ').next().map(str::to_string)
    };
    let ties = found.subgames.iter().flat_map(|part| &part.ties);
    let wrong = |tie: &&Tie| {
        let [one, other] = tie.fluents.map(machine);
        one.is_some() && other.is_some() && one != other
    };
    ties.into_iter().find(wrong).map_or(Ok(()), |tie| Err(format!("{tie:?} ties what is apart")))
}

/// If moves are made in all parts at once, the whole is won if all parts are, or if one is. Whether that
/// could be asked.
fn values_compose(game: &compound::Compound, judge: &Judge<'_>) -> bool {
    let (net, found) = (judge.net, judge.found);
    let idle = judge.played().iter().any(|part| part.meta_actions.iter().any(|class| class.idle));
    let ends_early = judge.played().iter().any(|part| part.ends_game);
    if !found.basis.is_proved() || parts(found) < 2 || idle || ends_early || net.goals.is_empty() {
        return false;
    }
    let won: Vec<bool> = found
        .subgames
        .iter_ids()
        .filter(|(_, part)| part.action_dependent && part.role_in_goal.as_str() != "none")
        .map(|(id, _)| {
            let part = finite_subgame_net(net, found, id).expect("it is a game");
            can_win(&part, &list(&part, MOST_STATES).expect("a part is smaller"))
        })
        .collect();
    let expected = match game.score {
        Score::All => won.iter().all(|&won| won),
        _ => won.iter().any(|&won| won),
    };
    let whole = can_win(net, judge.places);
    assert_eq!(whole, expected, "parts {won:?}\n{}\n{}", game.text, described(net, found));
    true
}

fn described(net: &Net, found: &Decomposition) -> String {
    let mut text = format!("{} {}", found.composition.as_str(), found.basis.as_str());
    for part in &found.subgames {
        let fluents: Vec<&str> = part.fluents.iter().map(|&f| &*net.fluents[f]).collect();
        text.push_str(&format!("\n{} {}: {fluents:?}", part.action_dependent, part.basis.as_str()));
        for class in &part.meta_actions {
            let moves: Vec<&str> = class.moves.iter().map(|&m| &*net.moves[m].name).collect();
            text.push_str(&format!(
                "\n   {} idle {}: {moves:?}",
                &net.roles[class.role], class.idle
            ));
        }
    }
    text
}
