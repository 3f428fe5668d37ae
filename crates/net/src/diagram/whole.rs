//! Every proposition and gate of a net, as in the figures of chapter 9.
//!
//! A named gate is followed by the box of its name, and whoever reads the gate reads the box.

use gambol_index::{Id, IndexVec};

use super::neighbourhood::neighbourhood;
use super::parts::parts_of_gates;
use super::{Diagram, Edge, Node, NodeId, PictureOptions, Shape};
use crate::{Gate, GateId, Marking, Net};

/// In characters.
const LONGEST: usize = 400;

pub(super) fn whole(net: &Net, options: &PictureOptions) -> Diagram {
    drawn(net, options, IndexVec::filled(true, net.gate_count()), None)
}

/// Only what lies around a gate.
pub(super) fn around(net: &Net, middle: GateId, options: &PictureOptions) -> Diagram {
    drawn(net, options, neighbourhood(net, middle), Some(middle))
}

fn drawn(
    net: &Net,
    options: &PictureOptions,
    shown: IndexVec<GateId, bool>,
    middle: Option<GateId>,
) -> Diagram {
    let mut drawing = Drawing {
        net,
        marking: options.marking,
        parts: options.parts.map_or_else(Vec::new, |parts| parts_of_gates(net, parts)),
        diagram: Diagram::default(),
        shown,
        middle,
        output: IndexVec::filled(None, net.gate_count()),
        gate: IndexVec::filled(None, net.gate_count()),
    };
    drawing.propositions();
    drawing.gates();
    drawing.wires();
    drawing.answers();
    drawing.transitions();
    drawing.diagram
}

struct Drawing<'a> {
    net: &'a Net,
    marking: Option<&'a Marking>,
    /// By gate; empty if no parts are shown.
    parts: Vec<Option<u32>>,
    diagram: Diagram,
    /// The gates to draw.
    shown: IndexVec<GateId, bool>,
    /// The gate that the picture is about, if it is about one.
    middle: Option<GateId>,
    /// Where the wire that carries a gate's value starts: at the gate or at the box of its name.
    output: IndexVec<GateId, Option<NodeId>>,
    gate: IndexVec<GateId, Option<NodeId>>,
}

impl Drawing<'_> {
    fn add(&mut self, shape: Shape, label: String, title: String, gate: GateId) -> NodeId {
        let value = self.marking.map(|marking| marking.holds(gate));
        let (label, title) = (cut(label), cut(title));
        let part = self.parts.get(gate.index()).copied().flatten();
        let hidden = shape.is_gate() && self.net.reads_hidden(gate, &self.shown);
        let title = if hidden { format!("{title}; some are not shown") } else { title };
        let (note, gate) = (String::new(), Some(gate));
        self.diagram.nodes.push(Node { shape, label, note, title, value, part, gate })
    }

    fn propositions(&mut self) {
        for (fluent, name) in self.net.fluents.iter_ids() {
            let (gate, title) = (self.net.fluent_gate(fluent), format!("base proposition {name}"));
            if !self.shown[gate] {
                continue;
            }
            let node = self.add(Shape::Base, name.to_string(), title, gate);
            if self.net.initial.binary_search(&fluent).is_ok() {
                self.diagram.nodes[node].note = "true at the start".into();
            }
            self.output[gate] = Some(node);
        }
        for (action, named) in self.net.moves.iter_ids() {
            let gate = self.net.move_gate(action);
            if !self.shown[gate] {
                continue;
            }
            let label = self.with_role(named.role, &named.name);
            let title = format!("input proposition {label}");
            self.output[gate] = Some(self.add(Shape::Input, label, title, gate));
        }
    }

    /// The role is said only if there is a choice.
    fn with_role(&self, role: crate::RoleId, text: &str) -> String {
        if self.net.roles.len() == 1 {
            text.to_string()
        } else {
            format!("{} {text}", self.net.roles[role])
        }
    }

    fn gates(&mut self) {
        let names = self.view_names();
        for id in self.net.gate_ids().filter(|&id| self.shown[id]).collect::<Vec<_>>() {
            let (shape, inputs) = match self.net.gate(id) {
                Gate::And(inputs) => (Shape::And, inputs.len()),
                Gate::Or(inputs) => (Shape::Or, inputs.len()),
                Gate::Not(_) => (Shape::Not, 1),
                Gate::Constant(_) | Gate::Fluent(_) | Gate::Does(_) => continue,
            };
            let title = match shape {
                Shape::Not => "inverter".to_string(),
                _ => format!("{}-gate of {inputs} inputs", shape.word()),
            };
            let gate = self.add(shape, String::new(), title, id);
            self.gate[id] = Some(gate);
            self.output[id] = Some(gate);
            if !names[id].is_empty() {
                let title = format!("view proposition {}", names[id].join(", "));
                let view = self.add(Shape::View, shortened(&names[id]), title, id);
                self.connect(gate, view);
                self.output[id] = Some(view);
            }
        }
    }

    fn view_names(&self) -> IndexVec<GateId, Vec<String>> {
        let mut names = IndexVec::filled(Vec::new(), self.net.gate_count());
        for view in &self.net.views {
            names[view.gate].push(self.net.names.atom_text(&view.atom));
        }
        names
    }

    fn connect(&mut self, from: NodeId, to: NodeId) {
        self.diagram.edges.push(Edge { from, to, weight: 1 });
    }

    fn wires(&mut self) {
        for id in self.net.gate_ids() {
            let Some(to) = self.gate[id] else { continue };
            for &input in self.net.inputs_of(id) {
                let Some(from) = self.output[input] else { continue };
                let edge = Edge { from, to, weight: 1 };
                let back = input >= id;
                if back { self.diagram.back.push(edge) } else { self.diagram.edges.push(edge) }
            }
        }
    }

    fn answers(&mut self) {
        let net = self.net;
        for (action, &gate) in net.legal.iter_ids() {
            let named = &net.moves[action];
            self.answer(format!("legal {}", self.with_role(named.role, &named.name)), gate);
        }
        if net.terminal != GateId::new(0) {
            self.answer("terminal".into(), net.terminal);
        }
        for goal in &net.goals {
            self.answer(
                format!("goal {}", self.with_role(goal.role, &goal.value.to_string())),
                goal.gate,
            );
        }
        for seen in &net.percepts {
            self.answer(format!("{} sees {}", net.roles[seen.role], seen.name), seen.gate);
        }
    }

    fn answer(&mut self, label: String, gate: GateId) {
        if !self.shown[gate] || self.is_far_constant(gate) {
            return;
        }
        let node = self.add(Shape::Answer, label.clone(), label, gate);
        self.read(node, gate);
    }

    /// Around a gate, constants would bring in everything that reads them.
    fn is_far_constant(&self, gate: GateId) -> bool {
        self.middle.is_some() && matches!(self.net.gate(gate), Gate::Constant(_))
    }

    /// A wire to the node, or the constant written into it.
    fn read(&mut self, node: NodeId, gate: GateId) {
        match (self.net.gate(gate), self.output[gate]) {
            (Gate::Constant(true), _) => self.diagram.nodes[node].note = "always".into(),
            (Gate::Constant(false), _) => self.diagram.nodes[node].note = "never".into(),
            (_, Some(from)) => self.connect(from, node),
            (_, None) => {}
        }
    }

    fn transitions(&mut self) {
        for (fluent, &gate) in self.net.next.iter_ids() {
            let own = self.net.fluent_gate(fluent);
            let about_it = self.middle.is_none_or(|middle| middle == own || middle == gate);
            if !self.shown[gate] || self.is_far_constant(gate) && !about_it {
                continue;
            }
            let name = &self.net.fluents[fluent];
            let title = format!("transition: {name} in the next step");
            let node = self.add(Shape::Transition, format!("next {name}"), title, gate);
            self.read(node, gate);
            if let Some(to) = self.output[self.net.fluent_gate(fluent)] {
                self.diagram.feedback.push(Edge { from: node, to, weight: 1 });
            }
        }
    }
}

/// Terms can be longer than any document should be.
fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn shortened(names: &[String]) -> String {
    match names {
        [name] => name.clone(),
        [name, other] => format!("{name}, {other}"),
        [name, rest @ ..] => format!("{name} + {}", rest.len()),
        [] => String::new(),
    }
}
