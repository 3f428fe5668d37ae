//! Automaton to text.

use std::fmt::Write;

use crate::automaton::{Automaton, Fact, FactPlace, NodeKind, Transition};
use crate::cube::Cube;
use crate::quote::quote;

/// An automaton as text that reads back as the same automaton.
pub fn to_text(automaton: &Automaton) -> String {
    let mut text = format!("autre 1\nname {}\nplayers", quote(&automaton.name));
    automaton.agents.iter().for_each(|agent| text.extend([" ", &quote(agent)]));
    text.push('\n');
    for variable in &automaton.variables {
        text.extend(["var ", &quote(&variable.name)]);
        variable.values.iter().for_each(|value| text.extend([" ", &quote(value)]));
        text.push('\n');
    }
    for (id, outcome) in automaton.outcomes.iter_ids() {
        let endless = id == automaton.endless();
        text +=
            &if endless { "endless".into() } else { format!("outcome {}", quote(&outcome.name)) };
        for (agent, reward) in outcome.rewards.iter_ids() {
            text += &format!(" {}={reward}", quote(&automaton.agents[agent]));
        }
        text.push('\n');
    }
    for node in &automaton.nodes {
        let (keyword, owner) = match node.kind {
            NodeKind::Choice(agent) => ("node", &automaton.agents[agent]),
            NodeKind::Goal(outcome) => ("goal", &automaton.outcomes[outcome].name),
        };
        text += &format!("{keyword} {} {}\n", quote(&node.name), quote(owner));
    }
    print_start(automaton, &mut text);
    automaton.forbidden.iter().for_each(|cube| {
        text += &format!("never{}\n", condition(automaton, cube));
    });
    print_facts(automaton, &mut text);
    print_transitions(automaton, &mut text);
    text
}

fn print_start(automaton: &Automaton, text: &mut String) {
    let start = condition_of(automaton, &automaton.start, true);
    text.push_str(&format!(
        "start {}{start}\n",
        quote(&automaton.nodes[automaton.start_node].name)
    ));
}

fn print_facts(automaton: &Automaton, text: &mut String) {
    for Fact { term, place } in &automaton.facts {
        let place = match *place {
            FactPlace::Always => "always".to_string(),
            FactPlace::Node(node) => format!("at {}", quote(&automaton.nodes[node].name)),
            FactPlace::Value(variable, value) => {
                let variable = &automaton.variables[variable];
                let value = &variable.values[usize::from(value)];
                format!("{}={}", quote(&variable.name), quote(value))
            }
        };
        text.push_str(&format!("fact {} {place}\n", quote(term)));
    }
}

fn print_transitions(automaton: &Automaton, text: &mut String) {
    for node in automaton.choice_nodes().filter(|&node| automaton.group_count(node) > 0) {
        text.push_str(&format!("from {}\n", quote(&automaton.nodes[node].name)));
        for group in 0..automaton.group_count(node) {
            if group > 0 {
                text.push_str("  else\n");
            }
            for id in automaton.group(node, group) {
                text.push_str(&transition(automaton, &automaton.transitions[id]));
            }
        }
    }
}

fn transition(automaton: &Automaton, transition: &Transition) -> String {
    let target = quote(&automaton.nodes[transition.target].name);
    let mut text = format!("  move {} to {target}", quote(&transition.name));
    for (place, &(variable, value)) in transition.assignments.iter().enumerate() {
        let variable = &automaton.variables[variable];
        let value = quote(&variable.values[usize::from(value)]);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{} {}={value}",
            if place == 0 { " set" } else { "" },
            quote(&variable.name)
        );
    }
    let guard = condition(automaton, &transition.guard);
    if !guard.is_empty() {
        text += " when";
        text += &guard;
    }
    text.push('\n');
    text
}

/// The literals of a cube, each after a blank.
pub(crate) fn condition(automaton: &Automaton, cube: &Cube) -> String {
    condition_of(automaton, cube, false)
}

/// With `all`, variables that have only one value are spelt out too.
fn condition_of(automaton: &Automaton, cube: &Cube, all: bool) -> String {
    let layout = &automaton.layout;
    let mut text = String::new();
    for (id, variable) in automaton.variables.iter_ids() {
        let allowed: Vec<_> = layout.values(cube, id).map(usize::from).collect();
        let (count, size) = (allowed.len(), variable.values.len());
        if count == size && !(all && size == 1) {
            continue;
        }
        let name = quote(&variable.name);
        let value = |value: usize| quote(&variable.values[value]);
        let missing = (0..size).find(|value| !allowed.contains(value));
        text += &match (count, missing) {
            (1, _) => format!(" {name}={}", value(allowed[0])),
            (_, Some(missing)) if count + 1 == size => format!(" {name}!={}", value(missing)),
            _ => {
                let list: Vec<String> = allowed.iter().map(|&place| value(place)).collect();
                format!(" {name} in {}", list.join(","))
            }
        };
    }
    text
}
