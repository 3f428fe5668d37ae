//! What is regressed: an automaton file, a policy file, or a game.

use anyhow::bail;
use gambol::regress::{
    Automaton, DIAGRAM_HEADER, DiagramPolicy, GameAutomaton, POLICY_HEADER, Policy,
    diagram_from_bytes, policy_from_text, read_automaton,
};
use gambol::{bundled_automata, bundled_automaton};

use crate::game_source::load_text;
use crate::game_text::text_of;
use crate::outcome::Stop;
use crate::session::Session;

pub(super) enum Input {
    Automaton(Box<Automaton>),
    Policy(Box<Policy>),
    Diagram(Box<DiagramPolicy>),
}

/// Reads what the name stands for; told apart by content.
pub(super) fn read_input(name: &str, session: &mut Session) -> anyhow::Result<Input> {
    if !std::path::Path::new(name).is_file() && name.ends_with(".autre") {
        let Some(text) = bundled_automaton(name) else {
            let known = bundled_automata().join(", ");
            bail!(
                "there is no file {name}, and no bundled automaton of that name; there are {known}"
            );
        };
        return Ok(Input::Automaton(Box::new(read_automaton(&text)?)));
    }
    let source = text_of(name)?;
    if source.text.starts_with(DIAGRAM_HEADER.as_bytes()) {
        return Ok(Input::Diagram(Box::new(diagram_from_bytes(&source.text)?)));
    }
    let text = String::from_utf8_lossy(&source.text);
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    let first = first.split_whitespace().next().unwrap_or_default();
    if first == POLICY_HEADER {
        return Ok(Input::Policy(Box::new(policy_from_text(&text)?)));
    }
    if first == "autre" || name.ends_with(".autre") {
        let automaton = read_automaton(&text);
        let automaton = automaton.map_err(|error| anyhow::anyhow!("{}:\n{error}", source.name))?;
        return Ok(Input::Automaton(Box::new(automaton)));
    }
    let game = load_text(&source, session)?;
    Ok(Input::Automaton(Box::new(of_game(&source.name, &game, session)?.automaton)))
}

/// A game as an automaton, compared with the circuit on random games.
pub(super) fn of_game(
    name: &str,
    game: &gambol::Game,
    session: &mut Session,
) -> anyhow::Result<GameAutomaton> {
    crate::commands::net_of(game, session)?;
    let made = game.automaton(name, session.flags.seed, &super::limits(session));
    made.map_err(|error| match error.is_limit() {
        true => Stop::Limit(error.to_string()).into(),
        false => error.into(),
    })
}
