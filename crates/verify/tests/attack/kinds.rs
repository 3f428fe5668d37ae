//! Falsifications by name, each with a fresh digest. Each begins with a certificate that is accepted, says one thing
//! that is false or not proved, and must be refused for the reason given.

use gambol_reference::Interpreter;
use gambol_verify::{
    Certificate, Claim, ClaimEntry, Condition, Fraction, Refusal, Sense, VerifyOptions, verify,
};

use crate::games::{interpreter, prelude};
use crate::write::{certificate, number, seal};

/// Turns and opposite goals: a gets 50 by going to 1, where b can do no better than 50.
fn turns() -> Interpreter {
    two("(option 0 a m0) (option 0 a m1) (option 0 b wait) (edge 0 m0 wait 1) (edge 0 m1 wait 2)
        (option 1 b m0) (option 1 b m1) (option 1 a wait) (edge 1 wait m0 3) (edge 1 wait m1 4)
        (option 2 b m0) (option 2 b m1) (option 2 a wait) (edge 2 wait m0 5) (edge 2 wait m1 4)
        (final 3) (pays 3 a 50) (pays 3 b 50) (final 4) (pays 4 a 100) (pays 4 b 0)
        (final 5) (pays 5 a 25) (pays 5 b 75)")
}

/// The same with other goals.
fn other_turns() -> Interpreter {
    two("(option 0 a m0) (option 0 a m1) (option 0 b wait) (edge 0 m0 wait 1) (edge 0 m1 wait 2)
        (option 1 b m0) (option 1 b m1) (option 1 a wait) (edge 1 wait m0 3) (edge 1 wait m1 4)
        (option 2 b m0) (option 2 b m1) (option 2 a wait) (edge 2 wait m0 5) (edge 2 wait m1 4)
        (final 3) (pays 3 a 25) (pays 3 b 75) (final 4) (pays 4 a 100) (pays 4 b 0)
        (final 5) (pays 5 a 25) (pays 5 b 75)")
}

/// a ends with 50 each, or leaves it to b, who gives both everything or nothing: 100 in equilibrium, 50 secured.
fn trust() -> Interpreter {
    two(
        "(option 0 a left) (option 0 a right) (option 0 b wait) (edge 0 left wait 2) (edge 0 right wait 1)
        (option 1 b left) (option 1 b right) (option 1 a wait) (edge 1 wait left 3) (edge 1 wait right 4)
        (final 2) (pays 2 a 50) (pays 2 b 50) (final 3) (pays 3 a 0) (pays 3 b 0)
        (final 4) (pays 4 a 100) (pays 4 b 100)",
    )
}

/// Matching pennies, with 100 for one kind of match: 75/2 on average for a.
fn pennies() -> Interpreter {
    two("(option 0 a m0) (option 0 a m1) (option 0 b m0) (option 0 b m1)
        (edge 0 m0 m0 1) (edge 0 m0 m1 2) (edge 0 m1 m0 2) (edge 0 m1 m1 3)
        (final 1) (pays 1 a 100) (pays 1 b 0) (final 2) (pays 2 a 0) (pays 2 b 100)
        (final 3) (pays 3 a 60) (pays 3 b 40)")
}

/// One role, who may also stay where it is.
fn stay() -> Interpreter {
    one("(option 0 a stay) (option 0 a go) (edge 0 stay 0) (edge 0 go 1)
        (option 1 a back) (option 1 a go) (edge 1 back 0) (edge 1 go 2) (final 2) (pays 2 a 75)")
}

/// One role: an end with two goals, one without any, one with one; and a state without a move.
fn unclear() -> Interpreter {
    one("(option 0 a two) (option 0 a none) (option 0 a one) (option 0 a pit)
        (edge 0 two 1) (edge 0 none 2) (edge 0 one 3) (edge 0 pit 4)
        (final 1) (pays 1 a 0) (pays 1 a 100) (final 2) (final 3) (pays 3 a 50)")
}

fn one(facts: &str) -> Interpreter {
    interpreter(&(prelude(&["a"]) + facts))
}

fn two(facts: &str) -> Interpreter {
    interpreter(&(prelude(&["a", "b"]) + facts))
}

fn valid(game: &Interpreter, sense: Sense) -> Certificate {
    let certificate = certificate(game, None, sense).expect("it can be written");
    verify(game, &certificate, VerifyOptions::default()).expect("it is accepted");
    certificate
}

/// What is said of a falsified certificate.
fn said(game: &Interpreter, certificate: Certificate) -> String {
    match verify(game, &seal(certificate), VerifyOptions::default()) {
        Ok(accepted) => panic!("accepted: {accepted:?}"),
        Err(Refusal::Digest) => panic!("the digest was made anew"),
        Err(refusal) => refusal.to_string(),
    }
}

#[track_caller]
fn refused(game: &Interpreter, sense: Sense, falsify: impl Fn(&mut Certificate), reason: &str) {
    let mut certificate = valid(game, sense);
    falsify(&mut certificate);
    let said = said(game, certificate);
    assert!(said.contains(reason), "{said}");
}

fn by<'c>(certificate: &'c mut Certificate, player: &str) -> &'c mut Claim {
    let mut claims = certificate.claims.iter_mut();
    claims.find(|claim| claim.players == [player]).expect("it claims something")
}

fn entry<'c>(certificate: &'c mut Certificate, player: &str, place: usize) -> &'c mut ClaimEntry {
    &mut by(certificate, player).entries[place]
}

fn set(certificate: &mut Certificate, role: &str, value: u32) {
    certificate.value.insert(role.to_string(), number(value));
}

fn fraction(text: &str) -> Fraction {
    text.parse().expect("it is a fraction")
}

#[test]
fn a_wrong_value() {
    let wrong = |c: &mut Certificate| (set(c, "a", 75), set(c, "b", 25)).0;
    refused(&turns(), Sense::Forced, wrong, "do not prove that a has the value 75");
}

#[test]
fn a_wrong_value_with_claims_that_say_the_same() {
    let wrong = |c: &mut Certificate| {
        set(c, "a", 75);
        set(c, "b", 25);
        for condition in c.claims.iter_mut().flat_map(|claim| &mut claim.ends) {
            let bound = if condition.role == "a" { 75 } else { 25 };
            condition.at_least = condition.at_least.map(|_| bound);
            condition.at_most = condition.at_most.map(|_| bound);
        }
    };
    refused(&turns(), Sense::Forced, wrong, "an end is worth 50 to a");
}

#[test]
fn a_value_no_goal_can_be() {
    refused(&turns(), Sense::Forced, |c| set(c, "a", 101), "a cannot get 101");
    let negative =
        |c: &mut Certificate| c.value.insert("b".into(), fraction("-1")).map_or((), drop);
    refused(&turns(), Sense::Forced, negative, "b cannot get -1");
}

#[test]
fn a_missing_reply() {
    refused(
        &turns(),
        Sense::Forced,
        |c| entry(c, "a", 0).reply.clear(),
        "one reply for each player",
    );
    refused(&turns(), Sense::Forced, |c| entry(c, "a", 0).reply[0].clear(), " is not legal");
}

#[test]
fn a_missing_state() {
    let missing = |c: &mut Certificate| by(c, "b").entries.truncate(2);
    refused(&turns(), Sense::Forced, missing, "play can leave the entries");
}

#[test]
fn a_missing_start() {
    let missing = |c: &mut Certificate| drop(by(c, "a").entries.remove(0));
    refused(&turns(), Sense::Forced, missing, "not among the entries");
}

#[test]
fn circular_ranks() {
    let equal = |c: &mut Certificate| by(c, "a").entries.iter_mut().for_each(|e| e.rank = 7);
    refused(&turns(), Sense::Forced, equal, "without coming nearer to the end");
}

#[test]
fn another_games_certificate() {
    let said = said(&other_turns(), valid(&turns(), Sense::Forced));
    assert!(said.contains("an end is worth 25 to a"), "{said}");
}

#[test]
fn another_states_certificate() {
    let game = turns();
    let later =
        certificate(&game, Some(&["(at 2)".to_string()]), Sense::Forced).expect("it has one");
    let accepted = verify(&game, &later, VerifyOptions::default()).expect("it is accepted");
    assert_eq!((accepted.state, accepted.is_initial), (vec!["(at 2)".to_string()], false));
    let moved = said(&game, Certificate { at: None, ..later });
    assert!(moved.contains("the state in question is not among the entries"), "{moved}");
    let elsewhere = |c: &mut Certificate| {
        let place = c.fluents.iter().position(|fluent| fluent == "(at 2)").expect("it is listed");
        c.at = Some(vec![place as u32]);
    };
    refused(&game, Sense::Forced, elsewhere, "the state in question is not among the entries");
}

#[test]
fn a_strategy_that_stalls() {
    let stays = |c: &mut Certificate| entry(c, "a", 0).reply[0] = "stay".to_string();
    refused(&stay(), Sense::Forced, stays, "without coming nearer to the end");
    let returns = |c: &mut Certificate| entry(c, "a", 1).reply[0] = "back".to_string();
    refused(&stay(), Sense::Forced, returns, "without coming nearer to the end");
}

#[test]
fn an_illegal_move() {
    let illegal = |c: &mut Certificate| entry(c, "a", 0).reply[0] = "m7".to_string();
    refused(&turns(), Sense::Forced, illegal, "m7 is not legal");
    let of_the_other = |c: &mut Certificate| entry(c, "a", 1).reply[0] = "m0".to_string();
    refused(&turns(), Sense::Forced, of_the_other, "m0 is not legal");
}

#[test]
fn a_mixture_of_less_than_one() {
    let less = |c: &mut Certificate| c.averages[0].entries[0].mixture.truncate(1);
    refused(&pennies(), Sense::Mixed, less, "do not make one whole");
}

#[test]
fn a_mixture_of_more_than_one() {
    let more = |c: &mut Certificate| c.averages[0].entries[0].mixture[0].1 = Fraction::ONE;
    refused(&pennies(), Sense::Mixed, more, "do not make one whole");
}

#[test]
fn an_empty_mixture() {
    let empty = |c: &mut Certificate| c.averages[1].entries[0].mixture.clear();
    refused(&pennies(), Sense::Mixed, empty, "do not make one whole");
}

#[test]
fn a_negative_share() {
    let negative = |c: &mut Certificate| {
        c.averages[0].entries[0].mixture[0].1 = fraction("3/2");
        c.averages[0].entries[0].mixture[1].1 = fraction("-1/2");
    };
    refused(&pennies(), Sense::Mixed, negative, "a mixture is malformed");
}

#[test]
fn averages_that_are_off_by_a_tiny_fraction() {
    let tiny = fraction("1/1000000000000000000000000000000");
    let higher = |c: &mut Certificate| {
        let value = &mut c.averages[0].entries[0].value;
        *value = value.plus(tiny).expect("these are few digits");
        let claimed = *value;
        c.value.insert("a".to_string(), claimed);
    };
    refused(&pennies(), Sense::Mixed, higher, "the average is not what an entry says");
    let lower = |c: &mut Certificate| {
        let value = &mut c.averages[1].entries[0].value;
        *value = value.minus(tiny).expect("these are few digits");
    };
    refused(&pennies(), Sense::Mixed, lower, "the average is not what an entry says");
    let only_the_value = |c: &mut Certificate| {
        let value = c.value["a"].plus(tiny).expect("these are few digits");
        c.value.insert("a".to_string(), value);
    };
    refused(&pennies(), Sense::Mixed, only_the_value, "do not prove that a has the value");
}

#[test]
fn shares_that_overflow() {
    let long = |c: &mut Certificate| {
        let mixture = &mut c.averages[0].entries[0].mixture;
        mixture[0].1 = fraction("1/170141183460469231731687303715884105727");
        mixture[1].1 = fraction("1/170141183460469231731687303715884105726");
    };
    refused(&pennies(), Sense::Mixed, long, "too many digits");
}

#[test]
fn huge_numbers() {
    let rank = |c: &mut Certificate| entry(c, "a", 1).rank = u32::MAX;
    refused(&turns(), Sense::Forced, rank, "without coming nearer to the end");
    let bound = |c: &mut Certificate| by(c, "a").ends[0].at_least = Some(u32::MAX);
    refused(&turns(), Sense::Forced, bound, "an end is worth");
    let place = |c: &mut Certificate| entry(c, "a", 0).state = vec![u32::MAX];
    refused(&turns(), Sense::Forced, place, "not a list of fluents");
    assert!("170141183460469231731687303715884105728".parse::<Fraction>().is_err());
    assert!("-170141183460469231731687303715884105728".parse::<Fraction>().is_err());
    assert!("1/-170141183460469231731687303715884105728".parse::<Fraction>().is_err());
}

#[test]
fn an_end_with_several_goals_read_for_the_claim() {
    let game = unclear();
    assert!(certificate(&game, None, Sense::Forced).is_none(), "its readings have two values");
    let way = |name: &str, value: u32| {
        let ends = vec![Condition { role: "a".into(), at_least: Some(value), at_most: None }];
        let entries = vec![ClaimEntry { state: vec![0], rank: 1, reply: vec![name.to_string()] }];
        let all = [0, 4].map(|place| ClaimEntry { state: vec![place], rank: 0, reply: Vec::new() });
        let most = vec![Condition { role: "a".into(), at_least: None, at_most: Some(value) }];
        Certificate {
            format: 3,
            sense: Some(Sense::Forced),
            fluents: (0..5).map(|number| format!("(at {number})")).collect(),
            at: None,
            value: [("a".to_string(), number(value))].into(),
            claims: vec![
                Claim { players: vec!["a".into()], ends, entries },
                Claim { players: Vec::new(), ends: most, entries: all.to_vec() },
            ],
            averages: Vec::new(),
            equilibrium: Vec::new(),
            digest: String::new(),
        }
    };
    let best_reading = said(&game, way("two", 100));
    assert!(
        best_reading.contains("claim 1 does not hold: an end is worth 0 to a"),
        "{best_reading}"
    );
    let too_little = said(&game, way("one", 50));
    assert!(too_little.contains("claim 2 does not hold: an end is worth 100 to a"), "{too_little}");
}

#[test]
fn an_end_without_a_goal() {
    let game = one("(option 0 a go) (edge 0 go 1) (final 1)");
    let stated = |least, most| {
        let condition = Condition { role: "a".to_string(), at_least: least, at_most: most };
        let players = if least.is_some() { vec!["a".to_string()] } else { Vec::new() };
        let reply = players.iter().map(|_| "go".to_string()).collect();
        let mut c = valid(&stay(), Sense::Forced);
        let entries = vec![ClaimEntry { state: vec![0], rank: 1, reply }];
        c.claims = vec![Claim { players, ends: vec![condition], entries }];
        set(&mut c, "a", least.or(most).unwrap_or(0));
        said(&game, c)
    };
    assert!(stated(Some(100), None).contains("an end is worth 0 to a"));
    assert!(stated(None, Some(0)).contains("an end is worth 100 to a"));
}

#[test]
fn a_goal_that_is_none() {
    for goal in ["200", "lots", "-5"] {
        let game = one(&format!("(option 0 a go) (edge 0 go 1) (final 1) (pays 1 a {goal})"));
        let mut c = valid(&stay(), Sense::Forced);
        c.claims.truncate(1);
        c.claims[0].ends[0].at_least = Some(100);
        c.claims[0].entries.truncate(1);
        set(&mut c, "a", 100);
        assert!(said(&game, c).contains("which is no goal"), "{goal}");
    }
}

#[test]
fn a_stuck_role() {
    let game = two(
        "(option 0 a go) (option 0 b wait) (edge 0 go wait 1) (option 1 a go) (edge 1 go wait 2)
        (final 2) (pays 2 a 100) (pays 2 b 0)",
    );
    let nothing = valid(&game, Sense::Forced);
    assert_eq!(nothing.value["a"], Fraction::ZERO, "b is stuck, and that is no end");
    let mut c = nothing;
    set(&mut c, "a", 100);
    let condition = Condition { role: "a".to_string(), at_least: Some(100), at_most: None };
    let entries = [(0, 2), (1, 1)].map(|(place, rank)| ClaimEntry {
        state: vec![place],
        rank,
        reply: vec!["go".to_string()],
    });
    let claim =
        Claim { players: vec!["a".into()], ends: vec![condition], entries: entries.to_vec() };
    c.claims.push(claim);
    assert!(said(&game, c.clone()).contains("a role has no legal move in an entry"));
    // An upper bound has no reply there, a lower one must have.
    c.claims.last_mut().expect("it is there").entries[1].reply[0].clear();
    assert!(said(&game, c).contains("a role has no legal move in an entry"));
}

#[test]
fn swapped_roles() {
    let game = two(
        "(option 0 a go) (option 0 b wait) (edge 0 go wait 1) (final 1) (pays 1 a 75) (pays 1 b 25)",
    );
    let swapped = |c: &mut Certificate| (set(c, "a", 25), set(c, "b", 75)).0;
    refused(&game, Sense::Forced, swapped, "do not prove that a has the value 25");
    let strategies = |c: &mut Certificate| {
        for claim in &mut c.claims {
            let other = if claim.players == ["a"] { "b" } else { "a" };
            claim.players = vec![other.to_string()];
        }
    };
    refused(&game, Sense::Forced, strategies, "by players who cannot give it");
}

#[test]
fn roles_that_are_not_there() {
    let renamed = |c: &mut Certificate| {
        let value = c.value.remove("b").expect("it has one");
        c.value.insert("x".to_string(), value);
    };
    refused(&turns(), Sense::Forced, renamed, "not one value for each role");
    let more = |c: &mut Certificate| set(c, "x", 0);
    refused(&turns(), Sense::Forced, more, "not one value for each role");
    let stranger = |c: &mut Certificate| by(c, "a").ends[1].role = "x".to_string();
    refused(&turns(), Sense::Forced, stranger, "x is not a role");
    let twice = |c: &mut Certificate| by(c, "a").players.push("a".to_string());
    refused(&turns(), Sense::Forced, twice, "not in the order of the roles");
}

#[test]
fn crossed_bounds() {
    let crossed = |c: &mut Certificate| {
        for condition in c.claims.iter_mut().flat_map(|claim| &mut claim.ends) {
            std::mem::swap(&mut condition.at_least, &mut condition.at_most);
        }
    };
    refused(&turns(), Sense::Forced, crossed, "by players who cannot give it");
    let both = |c: &mut Certificate| by(c, "a").ends[0].at_most = Some(100);
    refused(&turns(), Sense::Forced, both, "by players who cannot give it");
    let averages = |c: &mut Certificate| c.averages.iter_mut().for_each(|a| a.at_least ^= true);
    refused(&pennies(), Sense::Mixed, averages, "by players who cannot give it");
}

#[test]
fn another_sense() {
    let is = |sense: Sense| move |c: &mut Certificate| c.sense = Some(sense);
    refused(
        &trust(),
        Sense::Secured,
        is(Sense::Forced),
        "do not prove that a has the value 50 (forced)",
    );
    refused(&trust(), Sense::Secured, is(Sense::Equilibrium), "mixes senses");
    refused(&trust(), Sense::Secured, is(Sense::Mixed), "mixes senses");
    refused(&trust(), Sense::Equilibrium, is(Sense::Forced), "mixes senses");
    refused(&trust(), Sense::Equilibrium, is(Sense::Secured), "mixes senses");
    refused(&pennies(), Sense::Mixed, is(Sense::Secured), "mixes senses");
    refused(&turns(), Sense::Forced, is(Sense::Equilibrium), "mixes senses");
}

#[test]
fn proofs_in_two_senses() {
    let mut c = valid(&trust(), Sense::Equilibrium);
    c.claims = valid(&trust(), Sense::Secured).claims;
    set(&mut c, "a", 61);
    set(&mut c, "b", 83);
    for sense in [Sense::Equilibrium, Sense::Secured, Sense::Forced, Sense::Mixed] {
        let mixed = said(&trust(), Certificate { sense: Some(sense), ..c.clone() });
        assert!(mixed.contains("proofs of more than one kind"), "{mixed}");
    }
    let without = said(&trust(), Certificate { sense: None, format: 2, ..c });
    assert!(without.contains("proofs of more than one kind"), "{without}");
}

#[test]
fn what_is_secured_is_not_said_to_be_forced() {
    let mut c = valid(&trust(), Sense::Secured);
    (c.format, c.sense) = (2, None);
    let accepted = verify(&trust(), &seal(c), VerifyOptions::default()).expect("it is true");
    let told: Vec<(u32, Sense)> =
        accepted.values.iter().map(|v| (v.value.whole().unwrap_or(0) as u32, v.sense)).collect();
    assert_eq!(told, [(50, Sense::Secured), (50, Sense::Secured)]);
}

#[test]
fn a_state_that_occurs_twice() {
    let twice = |c: &mut Certificate| {
        let again = entry(c, "a", 1).clone();
        by(c, "a").entries.push(ClaimEntry { rank: 0, ..again });
    };
    refused(&turns(), Sense::Forced, twice, "a state occurs twice");
}

#[test]
fn an_end_among_the_entries() {
    let end = |c: &mut Certificate| {
        let place =
            c.fluents.iter().position(|fluent| fluent == "(at 4)").expect("it is listed") as u32;
        let entry = ClaimEntry { state: vec![place], rank: 0, reply: vec!["wait".to_string()] };
        by(c, "a").entries.push(entry);
    };
    refused(&turns(), Sense::Forced, end, "an entry is an end");
}

#[test]
fn a_line_of_play_that_is_not_legal() {
    // The plan goes to the end at once; from the start that is no move.
    let jump = |c: &mut Certificate| {
        let places = [1, 0].map(|place| c.claims[0].entries[place].state.clone());
        let entries = &mut c.claims[0].entries;
        entries.iter_mut().zip(places).for_each(|(entry, place)| entry.state = place);
    };
    refused(&stay(), Sense::Forced, jump, "without coming nearer to the end");
    let shorter = |c: &mut Certificate| drop(c.claims[0].entries.remove(1));
    refused(&stay(), Sense::Forced, shorter, "play can leave the entries");
}

#[test]
fn an_upper_bound_without_a_strategy_of_the_others() {
    let none = |c: &mut Certificate| c.claims.retain(|claim| claim.players == ["a"]);
    refused(&trust(), Sense::Secured, none, "do not prove that a has the value 50");
    let own = |c: &mut Certificate| {
        let way = by(c, "a");
        way.ends.push(Condition { role: "a".to_string(), at_least: None, at_most: Some(50) });
    };
    refused(&trust(), Sense::Secured, own, "by players who cannot give it");
    let of_averages = |c: &mut Certificate| c.averages.retain(|claim| claim.at_least);
    refused(&pennies(), Sense::Mixed, of_averages, "do not prove that a has the value 75/2");
}

#[test]
fn a_lower_bound_without_a_strategy_of_its_own() {
    let none = |c: &mut Certificate| c.claims.retain(|claim| claim.players == ["b"]);
    refused(&trust(), Sense::Secured, none, "do not prove that a has the value 50");
    let together = |c: &mut Certificate| {
        let way = by(c, "a");
        way.players.push("b".to_string());
        way.entries.iter_mut().for_each(|entry| entry.reply.push("wait".to_string()));
    };
    refused(&trust(), Sense::Secured, together, "do not prove that a has the value 50");
}

#[test]
fn a_claim_that_says_nothing() {
    refused(&turns(), Sense::Forced, |c| by(c, "a").ends.clear(), "it says nothing");
    let empty = |c: &mut Certificate| by(c, "a").ends[0].at_least = None;
    refused(&turns(), Sense::Forced, empty, "a condition says nothing");
    refused(&turns(), Sense::Forced, |c| c.claims.clear(), "do not prove that a has the value 50");
}

#[test]
fn an_equilibrium_in_which_a_role_would_do_better() {
    // a does not trust b, and so b has nothing to decide.
    let distrust = |c: &mut Certificate| {
        c.equilibrium[0].reply[0] = "left".to_string();
        c.equilibrium[0].values = vec![50, 50];
        (set(c, "a", 50), set(c, "b", 50)).0
    };
    refused(&trust(), Sense::Equilibrium, distrust, "a would do better by another move");
    // A threat that b would not carry out makes it an equilibrium at the start, not in every state.
    let threat = |c: &mut Certificate| {
        distrust(c);
        c.equilibrium[1].reply[1] = "left".to_string();
        c.equilibrium[1].values = vec![0, 0];
    };
    refused(&trust(), Sense::Equilibrium, threat, "b would do better by another move");
}

#[test]
fn an_equilibrium_in_which_the_first_move_would_be_better() {
    let game = two(
        "(option 0 a m0) (option 0 a m1) (option 0 b wait) (edge 0 m0 wait 1) (edge 0 m1 wait 2)
        (final 1) (pays 1 a 75) (pays 1 b 0) (final 2) (pays 2 a 25) (pays 2 b 100)",
    );
    let worse = |c: &mut Certificate| {
        c.equilibrium[0].reply[0] = "m1".to_string();
        c.equilibrium[0].values = vec![25, 100];
        (set(c, "a", 25), set(c, "b", 100)).0
    };
    refused(&game, Sense::Equilibrium, worse, "a would do better by another move");
}

#[test]
fn an_equilibrium_with_other_values_than_its_play() {
    let more = |c: &mut Certificate| {
        c.equilibrium.iter_mut().for_each(|entry| entry.values = vec![100, 0]);
        set(c, "b", 0);
    };
    refused(&trust(), Sense::Equilibrium, more, "not worth what its move leads to");
    refused(
        &trust(),
        Sense::Equilibrium,
        |c| set(c, "b", 50),
        "do not prove that b has the value 50",
    );
}

#[test]
fn an_equilibrium_that_leaves_a_deviation_out() {
    let out = |c: &mut Certificate| {
        c.equilibrium.truncate(1);
        c.equilibrium[0].reply[0] = "left".to_string();
        c.equilibrium[0].values = vec![50, 50];
        (set(c, "a", 50), set(c, "b", 50)).0
    };
    refused(&trust(), Sense::Equilibrium, out, "play can leave the entries");
}

#[test]
fn an_equilibrium_that_stalls_or_chooses_at_once() {
    let equal = |c: &mut Certificate| c.equilibrium.iter_mut().for_each(|entry| entry.rank = 1);
    refused(&trust(), Sense::Equilibrium, equal, "without coming nearer to the end");
    let mut c = valid(&trust(), Sense::Equilibrium);
    c.equilibrium.truncate(1);
    c.equilibrium[0].reply = vec!["m0".to_string(), "m1".to_string()];
    assert!(said(&pennies(), c).contains("two players choose at the same time"));
}

#[test]
fn averages_that_need_not_end() {
    let game = two("(option 0 a m0) (option 0 a m1) (option 0 b m0) (option 0 b m1)
        (edge 0 m0 m0 1) (edge 0 m0 m1 0) (edge 0 m1 m0 0) (edge 0 m1 m1 1)
        (final 1) (pays 1 a 100) (pays 1 b 0)");
    // a would get 100 in the end, with one half in each round: no number of rounds is enough.
    let mut c = valid(&pennies(), Sense::Mixed);
    set(&mut c, "a", 100);
    set(&mut c, "b", 0);
    for claim in &mut c.averages {
        let value = if claim.role == "a" { 100 } else { 0 };
        claim.entries[0].value = number(value);
        claim.entries[0].mixture.iter_mut().for_each(|(_, share)| *share = fraction("1/2"));
    }
    assert!(said(&game, c).contains("without coming nearer to the end"));
}

#[test]
fn states_out_of_order() {
    let twice = |c: &mut Certificate| {
        let state = &mut entry(c, "a", 0).state;
        state.push(state[0]);
    };
    refused(&turns(), Sense::Forced, twice, "ascending, each once");
    let falling = |c: &mut Certificate| entry(c, "a", 0).state = vec![1, 0];
    refused(&turns(), Sense::Forced, falling, "ascending, each once");
    let both = |c: &mut Certificate| c.fluents.push("( at  0 )".to_string());
    refused(&turns(), Sense::Forced, both, "a fluent is listed twice");
    let open = |c: &mut Certificate| c.fluents.push("(at 0".to_string());
    refused(&turns(), Sense::Forced, open, "is not one fluent");
    let deep = |c: &mut Certificate| c.fluents.push("(f ".repeat(100_000) + &")".repeat(99_999));
    refused(&turns(), Sense::Forced, deep, "is not one fluent");
}

#[test]
fn another_version() {
    for format in [0, 1, 4, u32::MAX] {
        refused(&turns(), Sense::Forced, |c| c.format = format, "is not known; this program reads");
    }
    refused(&turns(), Sense::Forced, |c| c.format = 2, "does not name the sense");
    refused(&turns(), Sense::Forced, |c| c.sense = None, "the sense of the values is not given");
}

#[test]
fn keys_that_occur_twice_or_are_not_known() {
    let text = serde_json::to_string(&valid(&turns(), Sense::Forced)).expect("it can be written");
    let read = |text: &str| serde_json::from_str::<Certificate>(text);
    assert!(read(&text).is_ok());
    for (from, to) in [
        (r#""value":{"#, r#""value":{"a":"100","#),
        (r#""rank":"#, r#""rank":0,"rank":"#),
        (r#""at":null"#, r#""at":null,"at":null"#),
        (r#""at":null"#, r#""at":null,"note":"trust me""#),
        (r#""sense":"forced""#, r#""sense":"true""#),
        (r#""a":"50""#, r#""a":50.0"#),
        (r#""a":"50""#, r#""a":"50/0""#),
    ] {
        let changed = text.replacen(from, to, 1);
        assert!(changed != text && read(&changed).is_err(), "{changed}");
    }
}

#[test]
fn a_digest_that_does_not_fit() {
    let mut c = valid(&turns(), Sense::Forced);
    c.claims[0].entries[0].rank += 1;
    assert!(matches!(verify(&turns(), &c, VerifyOptions::default()), Err(Refusal::Digest)));
}
