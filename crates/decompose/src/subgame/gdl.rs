//! A net as rules without variables, in prefix GDL.
//!
//! Every gate that is read more than once, or that cannot be written in place, is a relation without
//! arguments, `gate12`; its rules say when it holds.

use std::fmt::Write;

use gambol_index::Id;
use gambol_net::{Gate, GateId, Net};

use crate::evaluate::lanes::cone;

/// Writes the rules.
pub fn write_gdl(net: &Net) -> String {
    let mut text = String::new();
    let roots: Vec<GateId> = net
        .next
        .iter()
        .chain(&net.legal)
        .copied()
        .chain([net.terminal])
        .chain(net.goals.iter().map(|goal| goal.gate))
        .collect();
    let writer = Writer { net, prefix: prefix(net) };
    writer.facts(&mut text);
    writer.rules(&mut text);
    writer.gates(&cone(net, roots), &mut text);
    text
}

/// A name for gates that no fluent or move uses.
fn prefix(net: &Net) -> String {
    let mut prefix = "gate".to_string();
    let used = |prefix: &str| {
        net.fluents.iter().any(|name| name.contains(prefix))
            || net.moves.iter().any(|action| action.name.contains(prefix))
            || net.roles.iter().any(|name| name.contains(prefix))
    };
    while used(&prefix) {
        prefix.push('_');
    }
    prefix
}

struct Writer<'a> {
    net: &'a Net,
    prefix: String,
}

impl Writer<'_> {
    fn facts(&self, text: &mut String) {
        for role in &self.net.roles {
            line(text, format_args!("(role {role})"));
        }
        for fluent in &self.net.fluents {
            line(text, format_args!("(base {fluent})"));
        }
        for action in &self.net.moves {
            let role = &self.net.roles[action.role];
            line(text, format_args!("(input {role} {})", action.name));
        }
        for &fluent in &self.net.initial {
            line(text, format_args!("(init {})", self.net.fluents[fluent]));
        }
    }

    fn rules(&self, text: &mut String) {
        for (action, &gate) in self.net.legal.iter_ids() {
            let action = &self.net.moves[action];
            let head = format!("(legal {} {})", self.net.roles[action.role], action.name);
            self.rule(&head, gate, text);
        }
        for (fluent, &gate) in self.net.next.iter_ids() {
            self.rule(&format!("(next {})", self.net.fluents[fluent]), gate, text);
        }
        self.rule("terminal", self.net.terminal, text);
        for goal in &self.net.goals {
            let head = format!("(goal {} {})", self.net.roles[goal.role], goal.value);
            self.rule(&head, goal.gate, text);
        }
    }

    /// The rules of the gates themselves.
    fn gates(&self, used: &[bool], text: &mut String) {
        for gate in self.net.gate_ids().filter(|gate| used[gate.index()]) {
            if matches!(self.net.gate(gate), Gate::And(_) | Gate::Or(_)) {
                self.rule(&self.name(gate), gate, text);
            }
        }
    }

    /// The head holds if the gate does.
    fn rule(&self, head: &str, gate: GateId, text: &mut String) {
        match self.net.gate(gate) {
            Gate::Constant(false) => {}
            Gate::Constant(true) => line(text, format_args!("{head}")),
            Gate::And(inputs) if head == self.name(gate) => {
                let body: Vec<String> = inputs.iter().map(|&input| self.literal(input)).collect();
                line(text, format_args!("(<= {head} {})", body.join(" ")));
            }
            Gate::Or(inputs) if head == self.name(gate) => {
                for &input in inputs {
                    line(text, format_args!("(<= {head} {})", self.literal(input)));
                }
            }
            _ => line(text, format_args!("(<= {head} {})", self.literal(gate))),
        }
    }

    fn literal(&self, gate: GateId) -> String {
        match self.net.gate(gate) {
            Gate::Not(input) => match self.net.gate(input) {
                Gate::Not(inner) => self.literal(inner),
                _ => format!("(not {})", self.literal(input)),
            },
            Gate::Fluent(fluent) => format!("(true {})", self.net.fluents[fluent]),
            Gate::Does(action) => {
                let action = &self.net.moves[action];
                format!("(does {} {})", self.net.roles[action.role], action.name)
            }
            Gate::And(_) | Gate::Or(_) | Gate::Constant(_) => self.name(gate),
        }
    }

    fn name(&self, gate: GateId) -> String {
        format!("{}{}", self.prefix, gate.number())
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{content}");
}
