//! A decomposition as a certificate.

use gambol_analysis::{Clause, Literal};
use gambol_index::{Id, IndexVec};
use gambol_net::{Condition as Literals, FluentId, Gate, GateId, Net};
use gambol_verify_cuts::{
    CUT_FORMAT, CUT_KIND, Class, Condition, Crossing, CutCertificate, Gate as Written, Part, Phase,
    Scores, Threshold,
};
use rustc_hash::FxHashMap;

use crate::decomposition::{
    Combination, CrossingPoint, Decomposition, MetaAction, Phase as Stretch, RoleInGoal, ScoreForm,
    Subgame, SubgameId,
};
use crate::evaluate::lanes::cone;
use crate::goals::score_form::{Logic, condition_of, highest};
use crate::sample::outcome::PartOf;

/// What is proved of a decomposition, to be checked by others. None if nothing is proved of it, or if nothing
/// is played. `at` is the state that it begins with, if that is not the start.
pub fn certify_cut(
    net: &Net,
    found: &Decomposition,
    at: Option<&[FluentId]>,
) -> Option<CutCertificate> {
    let written = Cut::of(net, found);
    let mut certificate = CutCertificate {
        kind: CUT_KIND.to_string(),
        format: CUT_FORMAT,
        at: at.map(|fluents| names(net, fluents)),
        parts: written.parts,
        rest: names(net, &found.rest),
        series: written.series,
        invariants: found.invariants.iter().map(|clause| values(net, clause)).collect(),
        sound: found.sound.is_proved(),
        classes_exact: found.classes_exact.is_proved(),
        scores: written.scores,
        thresholds: written.thresholds,
        phases: Vec::new(),
        digest: String::new(),
    };
    if found.phases.iter().all(|phase| phase.basis.is_proved()) {
        certificate.phases = found.phases.iter().map(|phase| phase_of(net, phase)).collect();
        for phase in &found.phases {
            add_clauses(net, &phase.parts.invariants, &mut certificate.invariants);
        }
    }
    certificate.digest = certificate.compute_digest();
    let says_something = certificate.sound || certificate.classes_exact;
    let is_played = found.subgames.iter().any(|part| part.action_dependent);
    (says_something && is_played).then_some(certificate)
}

/// What the whole game and its phases have in common.
struct Cut {
    parts: Vec<Part>,
    series: Vec<Crossing>,
    scores: Option<Scores>,
    thresholds: Vec<Threshold>,
}

impl Cut {
    fn of(net: &Net, found: &Decomposition) -> Self {
        let series = if found.by_stage { found.crossing_points.as_slice() } else { &[] };
        let played = || found.subgames.iter().filter(|part| part.action_dependent);
        let counts = played().any(|part| part.role_in_goal != RoleInGoal::None);
        let thresholds = if found.scores_split.is_proved() { thresholds(net, found) } else { None };
        Self {
            parts: found.subgames.iter().map(|part| part_of(net, part)).collect(),
            series: series.iter().map(crossing).collect(),
            scores: thresholds.is_some().then_some(match counts {
                true => Scores::Goals,
                false => Scores::End,
            }),
            thresholds: thresholds.unwrap_or_default(),
        }
    }
}

fn names(net: &Net, fluents: &[FluentId]) -> Vec<String> {
    fluents.iter().map(|&fluent| net.fluents[fluent].to_string()).collect()
}

fn values(net: &Net, literals: &[Literal]) -> Vec<(String, bool)> {
    let value = |literal: &Literal| (net.fluents[literal.fluent].to_string(), literal.holds);
    literals.iter().map(value).collect()
}

fn add_clauses(net: &Net, clauses: &[Clause], to: &mut Vec<Vec<(String, bool)>>) {
    for clause in clauses.iter().map(|clause| values(net, clause)) {
        if !to.contains(&clause) {
            to.push(clause);
        }
    }
}

fn part_of(net: &Net, part: &Subgame) -> Part {
    let class = |class: &MetaAction| Class {
        role: net.roles[class.role].to_string(),
        moves: class.moves.iter().map(|&action| net.moves[action].name.to_string()).collect(),
        idle: class.idle,
    };
    Part {
        fluents: names(net, &part.fluents),
        clock: !part.action_dependent,
        classes: part.meta_actions.iter().map(class).collect(),
    }
}

fn crossing(point: &CrossingPoint) -> Crossing {
    Crossing {
        before: point.before.iter().map(|id| id.index()).collect(),
        after: point.after.iter().map(|id| id.index()).collect(),
    }
}

fn phase_of(net: &Net, phase: &Stretch) -> Phase {
    let written = Cut::of(net, &phase.parts);
    Phase {
        begins: phase.begins.as_ref().map(|begins| {
            let mut spelt = Spelt::new(net);
            let last = spelt.condition(begins);
            spelt.until(last)
        }),
        facts: values(net, &phase.facts),
        parts: written.parts,
        rest: names(net, &phase.parts.rest),
        series: written.series,
        sound: phase.parts.sound.is_proved(),
        classes_exact: phase.parts.classes_exact.is_proved(),
        scores: written.scores,
        thresholds: written.thresholds,
    }
}

/// The conditions of the parts for roles whose score takes more than one of them and not all: with one, and with all,
/// it can be told without them. None if one cannot be spelt out.
fn thresholds(net: &Net, found: &Decomposition) -> Option<Vec<Threshold>> {
    let mut part_of: PartOf = IndexVec::filled(None, net.next.len());
    for (id, part) in found.subgames.iter_ids().filter(|(_, part)| part.action_dependent) {
        part.fluents.iter().for_each(|&fluent| part_of[fluent] = Some(id.number()));
    }
    let threshold = |form: &ScoreForm| {
        let Combination::AtLeast(least) = form.combination else { return None };
        let condition = |&part: &SubgameId| {
            let gate = highest(net, form.role)?;
            let mut spelt = Spelt::new(net);
            let last = condition_of(net, &mut spelt, gate, &part_of, part.number())?;
            Some((part.index(), spelt.until(last)))
        };
        let conditions: Option<Vec<_>> = form.parts.iter().map(condition).collect();
        let role = net.roles[form.role].to_string();
        Some(conditions.map(|conditions| Threshold { role, least, conditions }))
    };
    found.scores.iter().filter_map(threshold).collect()
}

/// Gates that are written down, each once.
struct Spelt<'a> {
    net: &'a Net,
    gates: Vec<Written>,
    place: FxHashMap<GateId, usize>,
}

impl<'a> Spelt<'a> {
    fn new(net: &'a Net) -> Self {
        Self { net, gates: Vec::new(), place: FxHashMap::default() }
    }

    fn push(&mut self, gate: Written) -> usize {
        self.gates.push(gate);
        self.gates.len() - 1
    }

    /// Writes down a condition that stands by itself.
    fn condition(&mut self, condition: &Literals) -> usize {
        match condition {
            Literals::Is(fluent, holds) => {
                let name = self.net.fluents[*fluent].to_string();
                let place = self.push(Written::Fluent(name));
                if *holds { place } else { self.not(place) }
            }
            Literals::All(parts) => {
                let parts = parts.iter().map(|part| self.condition(part)).collect();
                self.all(parts)
            }
            Literals::Any(parts) => {
                let parts = parts.iter().map(|part| self.condition(part)).collect();
                self.any(parts)
            }
        }
    }

    /// The condition that a gate stands for.
    fn until(mut self, last: usize) -> Condition {
        self.gates.truncate(last + 1);
        Condition { gates: self.gates }
    }
}

impl Logic for Spelt<'_> {
    type Value = usize;

    /// Writes down a gate and what it looks at; `None` if that is recursive or looks at moves.
    fn gate(&mut self, wanted: GateId) -> Option<usize> {
        let net = self.net;
        if let Some(&place) = self.place.get(&wanted) {
            return Some(place);
        }
        let used = cone(net, [wanted]);
        for gate in net.gate_ids().filter(|gate| used[gate.index()]) {
            if self.place.contains_key(&gate) {
                continue;
            }
            if net.cycle_of(gate).is_some() {
                return None;
            }
            let inputs = net.inputs_of(gate).iter().map(|input| self.place[input]).collect();
            let written = match net.gate(gate) {
                Gate::Fluent(fluent) => Written::Fluent(net.fluents[fluent].to_string()),
                Gate::Not(input) => Written::Not(self.place[&input]),
                Gate::And(_) | Gate::Constant(true) => Written::All(inputs),
                Gate::Or(_) | Gate::Constant(false) => Written::Any(inputs),
                Gate::Does(_) => return None,
            };
            let place = self.push(written);
            self.place.insert(gate, place);
        }
        self.place.get(&wanted).copied()
    }

    fn not(&mut self, input: usize) -> usize {
        self.push(Written::Not(input))
    }

    fn all(&mut self, inputs: Vec<usize>) -> usize {
        self.push(Written::All(inputs))
    }

    fn any(&mut self, inputs: Vec<usize>) -> usize {
        self.push(Written::Any(inputs))
    }
}
