//! Goal regression: a policy for every state of an automaton, as a file that can be read and asked.
//!
//! `cargo run --example write_a_policy`
#![allow(clippy::print_stdout)]

use std::error::Error;

use gambol::regress::{
    Family, Options, find_policy, policy_from_text, policy_to_text, read_automaton,
};

fn main() -> Result<(), Box<dyn Error>> {
    let automaton = read_automaton(&Family::named("nim", &[2, 3])?.text())?;
    let found = find_policy(&automaton, &Options::default(), &mut |_| ())?;
    let text = policy_to_text(&found.policy);
    println!("{text}");

    // What was written is what is read.
    let again = policy_from_text(&text)?;
    let value = again.start_value().ok_or("the start is in no class")?;
    println!("from the start: {}", automaton.outcomes[value.outcome].name);
    Ok(())
}
