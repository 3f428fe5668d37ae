//! Parts that are played one after the other, proved stage by stage.

use gambol_decompose::{Composition, DecomposeOptions, Decomposition, decompose};

/// Two heaps, the second to be played when the first is gone. A beat runs while the second is played.
/// What was taken last from a heap is remembered. `second` says when something can be taken from the
/// second heap.
fn two_heaps(second: &str) -> Decomposition {
    let text = format!(
        "(role r) (less 3 1 2) (less 3 2 1) (less 2 1 1) (less 2 2 0) (less 1 1 0)
         (init (heap one 3)) (init (heap two 3)) (init (beat tick))
         (<= over (true (heap one 0)))
         (<= (legal r (take one ?k)) (not over) (true (heap one ?n)) (less ?n ?k ?m))
         (<= (legal r (take two 1)) over (true (heap two ?n)) (less ?n 1 ?m))
         (<= (legal r (take two 2)) over (true (heap two ?n)) (less ?n 2 ?m) {second})
         (<= (next (heap ?h ?m)) (does r (take ?h ?k)) (true (heap ?h ?n)) (less ?n ?k ?m))
         (<= (next (heap one ?n)) (true (heap one ?n)) over)
         (<= (next (heap two ?n)) (true (heap two ?n)) (not over))
         (<= (next (beat tick)) (not over) (true (beat tick)))
         (<= (next (beat tick)) over (true (beat tock)))
         (<= (next (beat tock)) over (true (beat tick)))
         (<= (next (last ?h ?k)) (does r (take ?h ?k)) (true (heap ?h ?n)) (less ?n ?k 0))
         (<= (next (last one ?k)) (true (last one ?k)))
         (<= terminal (true (heap two 0)))
         (<= won (true (last one 2)) (true (last two 2)))
         (<= (goal r 100) won) (<= (goal r 0) (not won))"
    );
    let rules = gambol_syntax::read(text.as_bytes(), &Default::default()).rules;
    let ground = gambol_ground::instantiate(&rules.expect("it parses"), &Default::default());
    let net = gambol_net::build(&ground.expect("it grounds")).expect("it is a net");
    let mut options = DecomposeOptions::default();
    options.playouts = 500;
    options.prove = true;
    decompose(&gambol_net::simplify(&net), &options)
}

#[test]
fn a_part_that_waits_for_another_is_a_game_of_its_own() {
    let found = two_heaps("");
    assert_eq!(found.counts().action_dependent, 2);
    assert_eq!((found.composition, found.basis.as_str()), (Composition::Serial, "proved"));
}

#[test]
fn a_part_that_asks_how_another_ended_is_not_proved_apart() {
    let found = two_heaps("(true (last one 2))");
    assert!(found.counts().action_dependent == 1 || !found.basis.is_proved());
}
