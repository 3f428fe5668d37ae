//! Claims about all nets, tried on random ones.

mod random_game;

use gambol_net::rewrite::{
    Views, drop_unobserved, flatten, fold_constants, from_state, merge_duplicates,
};
use gambol_net::{
    BaseMarking, FluentId, Gate, GateId, MoveId, Net, NetBuilder, NetEngine, Statistics, build,
    simplify,
};
use proptest::prelude::*;
use random_game::{FLUENTS, MOVES, random_game};

fn assignments() -> impl Iterator<Item = (Vec<FluentId>, Vec<MoveId>)> {
    let set = |bits: u32, count: u32| (0..count).filter(move |id| bits >> id & 1 == 1);
    (0..1 << (FLUENTS + MOVES)).map(move |bits: u32| {
        let fluents = set(bits, FLUENTS).map(FluentId::new).collect();
        (fluents, set(bits >> FLUENTS, MOVES).map(MoveId::new).collect())
    })
}

/// The values of all roots, in the order of [`Net::roots`].
fn root_values(engine: &mut NetEngine<&Net>, fluents: &[FluentId], moves: &[MoveId]) -> Vec<bool> {
    let state = BaseMarking::of(engine.net(), fluents);
    let marking = engine.marking(&state, moves);
    engine.net().roots().map(|root| marking.holds(root)).collect()
}

fn check_order(net: &Net) {
    for id in net.gate_ids() {
        let cycle = net.cycle_of(id);
        for &input in net.inputs_of(id) {
            assert!(input < id || cycle.is_some() && net.cycle_of(input) == cycle);
            assert!(!net.reads_moves(input) || net.reads_moves(id));
        }
        assert!(cycle.is_none() || matches!(net.gate(id), Gate::And(_) | Gate::Or(_)));
    }
    for (fluent, _) in net.fluents.iter_ids() {
        assert_eq!(net.gate(net.fluent_gate(fluent)), Gate::Fluent(fluent));
    }
    for (action, _) in net.moves.iter_ids() {
        assert_eq!(net.gate(net.move_gate(action)), Gate::Does(action));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_net_is_worth_what_its_formulas_are(random in random_game()) {
        let net = build(&random.game).unwrap();
        check_order(&net);
        let mut engine = NetEngine::new(&net);
        for (fluents, moves) in assignments() {
            let found = root_values(&mut engine, &fluents, &moves);
            prop_assert_eq!(found, random.naive(&fluents, &moves));
        }
    }

    #[test]
    fn the_order_of_questions_does_not_matter(random in random_game(), jump in 1usize..500) {
        let net = build(&random.game).unwrap();
        let mut engine = NetEngine::new(&net);
        let all: Vec<_> = assignments().collect();
        for row in 0..all.len() {
            let (fluents, moves) = &all[row * jump % all.len()];
            let state = BaseMarking::of(&net, fluents);
            let fresh = NetEngine::new(&net).next(&state, moves);
            prop_assert_eq!(engine.next(&state, moves), fresh);
            prop_assert_eq!(engine.terminal(&state), NetEngine::new(&net).terminal(&state));
        }
    }

    #[test]
    fn simplifying_keeps_every_root(random in random_game()) {
        let net = build(&random.game).unwrap();
        let keep = |net: &Net| drop_unobserved(net, Views::Keep);
        for rewrite in [fold_constants, merge_duplicates, flatten, simplify, keep] {
            let smaller = rewrite(&net);
            check_order(&smaller);
            prop_assert!(Statistics::of(&smaller).circuit_gates <= Statistics::of(&net).circuit_gates);
            let (mut one, mut other) = (NetEngine::new(&net), NetEngine::new(&smaller));
            for (fluents, moves) in assignments() {
                let expected = root_values(&mut one, &fluents, &moves);
                prop_assert_eq!(root_values(&mut other, &fluents, &moves), expected);
            }
        }
    }

    #[test]
    fn without_views_play_is_the_same(random in random_game()) {
        let net = build(&random.game).unwrap();
        let smaller = drop_unobserved(&net, Views::Drop);
        prop_assert!(smaller.views.is_empty());
        let (mut one, mut other) = (NetEngine::new(&net), NetEngine::new(&smaller));
        for (fluents, moves) in assignments() {
            let found = root_values(&mut other, &fluents, &moves);
            prop_assert_eq!(&found[..], &root_values(&mut one, &fluents, &moves)[..found.len()]);
        }
    }

    #[test]
    fn fixed_propositions_are_fixed_in_all_play_from_any_state(
        random in random_game(),
        start in 0u32..1 << FLUENTS,
        choices in prop::collection::vec(any::<usize>(), 60),
    ) {
        let net = build(&random.game).unwrap();
        let start: Vec<FluentId> =
            net.fluents.ids().filter(|fluent| start >> fluent.number() & 1 == 1).collect();
        let (replaced, fixed) = from_state(&net, &start);
        check_order(&replaced);
        let (mut one, mut other) = (NetEngine::new(&net), NetEngine::new(&replaced));
        let mut state = other.initial();
        for choice in choices.chunks(2) {
            for &(fluent, value) in &fixed.fluents {
                prop_assert_eq!(state.holds(fluent), value);
            }
            // Only legal moves count, and a role without any does nothing.
            let expected = one.marking(&state, &[]);
            let legal: Vec<MoveId> = net.moves.ids().filter(|&id| expected.holds(net.legal[id])).collect();
            prop_assert!(legal.iter().all(|action| !fixed.never_legal.contains(action)));
            let moves = pick_moves(&net, &legal, choice);
            let (fluents, before) = (state.fluents(), state.clone());
            prop_assert_eq!(root_values(&mut one, &fluents, &moves), root_values(&mut other, &fluents, &moves));
            state = one.next(&before, &moves);
        }
    }
}

fn pick_moves(net: &Net, legal: &[MoveId], choice: &[usize]) -> Vec<MoveId> {
    let of_role = |(role, pick): (gambol_net::RoleId, &usize)| {
        let own: Vec<&MoveId> = legal.iter().filter(|&&id| net.moves[id].role == role).collect();
        (!own.is_empty()).then(|| *own[pick % own.len()])
    };
    net.roles.ids().zip(choice).filter_map(of_role).collect()
}

#[test]
fn even_an_empty_net_has_its_two_constants() {
    let net = NetBuilder::new().finish().unwrap();
    assert_eq!(net.gate(GateId::new(0)), Gate::Constant(false));
    assert_eq!(net.gate(GateId::new(1)), Gate::Constant(true));
    assert_eq!(net.gate_count(), 2);
}
