//! The claims that `fuzz/` attacks with inputs made to break them, here with a few random ones.

mod claims;
#[path = "../generated/components.rs"]
mod components;
#[path = "../generated/rules.rs"]
mod rules;
#[path = "../generated/tape.rs"]
#[expect(dead_code, reason = "libFuzzer makes its own inputs short")]
mod tape;

/// Tries a claim on so many inputs, and holds that at least one in five says something.
fn hold(claim: fn(&[u8]) -> bool, cases: u64, input: impl Fn(u64) -> Vec<u8>) {
    let telling = (0..cases).filter(|&case| claim(&input(case))).count() as u64;
    assert!(telling * 5 >= cases, "{telling} of {cases}");
}

fn numbers(case: u64) -> Vec<u8> {
    tape::random(case, 200).into_iter().flat_map(u16::to_le_bytes).collect()
}

/// Rules of which one byte is another one.
fn damaged(case: u64) -> Vec<u8> {
    let mut random = tape::Random(case);
    let mut text = gambol::bundled_game("tic-tac-toe").expect("it is bundled").rules().into_owned();
    let place = random.below(text.len());
    text[place] = random.next() as u8;
    text
}

#[test]
fn rules_never_panic() {
    hold(claims::rules_never_panic, 100, damaged);
}

#[test]
fn engines_agree() {
    hold(claims::engines_agree, 30, numbers);
}

#[test]
fn methods_agree() {
    hold(claims::methods_agree, 30, numbers);
}

#[test]
fn verify_refuses_changes() {
    hold(claims::verify_refuses_changes, 30, numbers);
}
