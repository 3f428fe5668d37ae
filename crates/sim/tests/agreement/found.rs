//! Games on which net and interpreter once differed.

use crate::judge::{Amount, compare};
use crate::settings::{Setting, settings};
use crate::wide;

fn check(text: &str, settings: &[Setting]) {
    let amount = Amount { games: 2, steps: 4, given: 3 };
    if let Err(difference) = compare(text, settings, 1, amount) {
        panic!("{difference}");
    }
}

/// A piece moves, all others stay: on 49 squares the moves that leave a square alone are a family, and
/// what tells them apart was bound by no literal of it.
#[test]
fn pieces_that_do_not_move_stay_on_large_boards_too() {
    check(include_str!("ground-frame-two-distinct.kif"), &wide::settings());
}

/// "Has no more than both others" over 200 numbers: the same, with a negation in the place of the
/// `distinct`.
#[test]
fn comparisons_of_large_numbers_are_not_forgotten() {
    check(include_str!("ground-or-of-negations.kif"), &wide::settings());
}

/// A disjunction that gets its values from another one, where so many are not multiplied out.
#[test]
fn disjunctions_may_bind_what_others_read() {
    let many = "(or (true (p ?x)) (true (q ?x))) (or (not (even ?x)) (not (true (p ?x))))
        (or (true (p a)) (true (p b)) (true (q a)) (true (q b))) (or (not (true (q a))) (true (p ?x)))";
    check(
        &format!(
            "(role r) (init (p a)) (init (q b)) (even a) (legal r go) (legal r stay)
             (<= (next (p ?x)) (true (q ?x)) (does r go)) (<= (next (q ?x)) (true (p ?x)))
             (<= (next (both ?x)) {many}) (<= terminal (true (both b)))
             (<= (goal r 100) {many}) (goal r 0)"
        ),
        &settings(),
    );
}

/// Two disjunctions that bind a variable only together.
#[test]
fn disjunctions_that_bind_only_together_are_multiplied_out() {
    check(
        "(role r) (init (p a)) (init (q b)) (init on) (legal r go)
         (<= (next (p ?x)) (true (q ?x))) (<= (next (q ?x)) (true (p ?x)))
         (<= (next on) (or (true (p ?x)) (true on)) (or (true (q ?x)) (not (true on))))
         (<= terminal (not (true on))) (goal r 0)",
        &settings(),
    );
}

/// What is asked for would grow for ever, though what there is does not.
#[test]
fn demand_stays_finite_where_the_rules_do() {
    check(
        "(role r) (item a) (init on) (legal r go)
         (<= (p ?y) (p (f ?x ?y)) (item ?x)) (<= (p ?x) (true on) (item ?x))
         (<= (next on) (true on) (not (p b))) (<= terminal (p (f a a))) (<= (goal r 100) (p a))",
        &settings(),
    );
}
