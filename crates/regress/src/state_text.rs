//! States as people write them: a node and values, or the facts that are true.

use rustc_hash::FxHashMap;

use crate::automaton::{Automaton, FactPlace, NodeId};
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
    #[error("`{0}` is no fact of this automaton: no such term can be true in play")]
    Fact(String),
    /// Facts that are never true together.
    #[error("`{0}` and `{1}` are never true together")]
    Exclusive(String, String),
    /// None of several facts of which one is always true.
    #[error("one of these is always true, and none is given: {0}")]
    Missing(String),
    /// A text that can be read in two ways.
    #[error(
        "`{0}` is a node and a fact, and as such two states; write NODE v=a u=b, or all facts that are true"
    )]
    Ambiguous(String),
    /// The automaton was not made of a game.
    #[error(
        "this automaton knows no facts, for it was not made of a game; write a state as NODE v=a u=b"
    )]
    NoFacts,
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

/// Reads a state of an automaton made from a game: the terms that are true in it, and no others.
pub fn read_facts(automaton: &Automaton, facts: &[String]) -> Result<(NodeId, Cube), StateError> {
    if automaton.facts.is_empty() {
        return Err(StateError::NoFacts);
    }
    let known: FxHashMap<&str, FactPlace> =
        automaton.facts.iter().map(|fact| (&*fact.term, fact.place)).collect();
    let (mut node, mut values) = (None, FxHashMap::default());
    for fact in facts {
        let before = match known.get(&**fact) {
            None => return Err(StateError::Fact(fact.clone())),
            Some(FactPlace::Always) => None,
            Some(&FactPlace::Node(at)) => node.replace((at, fact)).filter(|one| one.0 != at),
            Some(&FactPlace::Value(variable, value)) => {
                let before = values.insert(variable, (value, fact));
                before.filter(|one| one.0 != value).map(|(_, fact)| (automaton.start_node, fact))
            }
        };
        if let Some((_, other)) = before {
            return Err(StateError::Exclusive(other.clone(), fact.clone()));
        }
    }
    let always = automaton.facts.iter().filter(|fact| fact.place == FactPlace::Always);
    if let Some(missing) =
        always.map(|fact| &*fact.term).find(|&term| facts.iter().all(|f| f != term))
    {
        return Err(StateError::Missing(missing.to_string()));
    }
    let mut state = automaton.start.clone();
    for variable in automaton.variables.ids() {
        let said = values.get(&variable).map(|said| said.0);
        let value = said.or_else(|| absence(automaton, variable));
        let value =
            value.ok_or_else(|| missing(automaton, |place| is_value_of(place, variable)))?;
        automaton.layout.fix(&mut state, variable, value);
    }
    let only =
        if automaton.choice_nodes().count() == 1 { automaton.choice_nodes().next() } else { None };
    let node = node.map(|(node, _)| node).or(only);
    let is_node = |place| matches!(place, FactPlace::Node(_));
    Ok((node.ok_or_else(|| missing(automaton, is_node))?, state))
}

fn is_value_of(place: FactPlace, variable: VariableId) -> bool {
    matches!(place, FactPlace::Value(of, _) if of == variable)
}

/// The value of a variable that no fact represents; `None` if one of its facts is always true.
fn absence(automaton: &Automaton, variable: VariableId) -> Option<ValueIndex> {
    let stands = |&value: &ValueIndex| {
        automaton.facts.iter().any(|fact| fact.place == FactPlace::Value(variable, value))
    };
    let values = 0..automaton.variables[variable].values.len() as ValueIndex;
    values.into_iter().find(|value| !stands(value))
}

/// All facts of one kind, of which none is given.
fn missing(automaton: &Automaton, kind: impl Fn(FactPlace) -> bool) -> StateError {
    let facts = automaton.facts.iter().filter(|fact| kind(fact.place));
    StateError::Missing(facts.map(|fact| &*fact.term).collect::<Vec<_>>().join(", "))
}

/// Reads `NODE v=a u=b`, or for an automaton made from a game the facts of a state; `facts` says which these are.
/// Where both are possible they must be the same state.
pub fn read_query(
    automaton: &Automaton,
    text: &str,
    facts: impl Fn(&str) -> Result<Vec<String>, String>,
) -> Result<(NodeId, Cube), StateError> {
    let as_state = read_state(automaton, text);
    if automaton.facts.is_empty() {
        return as_state;
    }
    let as_facts = facts(text).map_err(StateError::Syntax);
    match (as_facts.and_then(|facts| read_facts(automaton, &facts)), as_state) {
        (Ok(facts), Ok(state)) if facts != state => Err(StateError::Ambiguous(text.to_string())),
        (Ok(found), _) | (Err(_), Ok(found)) => Ok(found),
        (Err(facts), Err(state)) => {
            let has_pairs = words(text).is_ok_and(|(_, pairs)| !pairs.is_empty());
            Err(if has_pairs { state } else { facts })
        }
    }
}
