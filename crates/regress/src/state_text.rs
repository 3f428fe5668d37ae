//! States as people write them: a node and values, or the facts that are true.

use crate::automaton::{Automaton, NodeId};
use crate::cube::{Cube, ValueIndex, VariableId};
use crate::file::words;

/// Why a text is no state of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StateError {
    /// Signs that cannot be read.
    #[error("{0}; write a state as NODE v=a u=b")]
    Syntax(String),
    /// No such node.
    #[error("no node is called `{0}`")]
    Node(String),
    /// No such variable.
    #[error("no variable is called `{0}`")]
    Variable(String),
    /// A variable cannot be this.
    #[error("`{0}` cannot be `{1}`")]
    Value(String, String),
    /// A fact that the automaton does not know.
    #[error("`{0}` is no fact of this automaton")]
    Fact(String),
    /// Several facts that exclude one another, or none where there must be one.
    #[error("the facts do not say what `{0}` is")]
    Missing(String),
}

/// Reads `NODE v=a u=b`; variables that are not named have their value at the start.
pub fn read_state(automaton: &Automaton, text: &str) -> Result<(NodeId, Cube), StateError> {
    let (node, pairs) = words(text).map_err(StateError::Syntax)?;
    let find = |name: &String| {
        let found = automaton.nodes.iter_ids().find(|(_, node)| *node.name == **name);
        found.map(|(id, _)| id).ok_or_else(|| StateError::Node(name.clone()))
    };
    let node = node.as_ref().map_or(Ok(automaton.start_node), find)?;
    let mut state = automaton.start.clone();
    for (name, value) in pairs {
        let variable = automaton.variables.iter_ids().find(|(_, known)| *known.name == *name);
        let (id, variable) = variable.ok_or_else(|| StateError::Variable(name.clone()))?;
        let place = variable.values.iter().position(|known| **known == *value);
        let place = place.ok_or(StateError::Value(name, value))?;
        automaton.layout.fix(&mut state, id, place as ValueIndex);
    }
    Ok((node, state))
}

/// Reads a state of an automaton made from a game: the terms that are true in it.
pub fn read_facts(automaton: &Automaton, facts: &[String]) -> Result<(NodeId, Cube), StateError> {
    let layout = &automaton.layout;
    let mut state = layout.nothing().clone();
    let mut node = automaton.choice_nodes().next().unwrap_or(automaton.start_node);
    for fact in facts {
        if let Some(found) = automaton.choice_nodes().find(|&n| *automaton.nodes[n].name == **fact)
        {
            node = found;
        } else if let Some((variable, value)) = meaning(automaton, fact) {
            layout.allow(&mut state, variable, value);
        } else {
            return Err(StateError::Fact(fact.clone()));
        }
    }
    for (id, variable) in automaton.variables.iter_ids() {
        let said = layout.values(&state, id).count();
        let absent = variable.values.iter().position(|value| is_absence(value));
        match (said, absent) {
            (1, _) => {}
            (0, Some(absent)) => layout.allow(&mut state, id, absent as ValueIndex),
            _ => return Err(StateError::Missing(variable.name.to_string())),
        }
    }
    Ok((node, state))
}

fn is_absence(value: &str) -> bool {
    matches!(value, "none" | "(none)" | "no")
}

fn meaning(automaton: &Automaton, fact: &str) -> Option<(VariableId, ValueIndex)> {
    automaton.variables.iter_ids().find_map(|(id, variable)| {
        let says = |value: &str| match value {
            "yes" => *variable.name == *fact,
            _ => variable.name.replacen('?', value, 1) == fact || value == fact,
        };
        let place = variable.values.iter().position(|value| says(value))?;
        Some((id, place as ValueIndex))
    })
}
