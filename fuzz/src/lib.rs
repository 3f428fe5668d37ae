//! The claims of `tests/claims`, by name, for libFuzzer to attack. A broken claim panics.

#[path = "../../tests/claims/claims.rs"]
mod claims;
#[path = "../../tests/generated/components.rs"]
mod components;
#[path = "../../tests/generated/rules.rs"]
mod rules;
#[path = "../../tests/generated/tape.rs"]
#[expect(dead_code, reason = "inputs come from libFuzzer, and are made short by it")]
mod tape;

/// Holds a claim to one input.
pub fn hold(claim: &str, bytes: &[u8]) {
    let claim = match claim {
        "rules_never_panic" => claims::rules_never_panic,
        "engines_agree" => claims::engines_agree,
        "methods_agree" => claims::methods_agree,
        "verify_refuses_changes" => claims::verify_refuses_changes,
        _ => panic!("there is no claim {claim}"),
    };
    claim(bytes);
}
