//! Independent scores: every role's highest score is a threshold of conditions each of which looks at one part
//! only ([`crate::goals::score_form`]). A question to a solver, over all states that satisfy the proved
//! invariants; and what the scores below the highest pay for each part.

use gambol_analysis::{Answer, Budget, Clause, Encoding, Frame, Lit, Proof, reads_only};
use gambol_index::IndexVec;
use gambol_net::{GateId, Net, RoleId};

use crate::decomposition::{
    Basis, Combination, Decomposition, Pays, RoleInGoal, ScoreForm, SubgameId,
};
use crate::goals::joins::parts_read;
use crate::goals::score_form::{combination, conditions_of, highest};
use crate::prove::prover::EFFORT;
use crate::sample::outcome::PartOf;

/// What is proved of the scores.
pub(crate) struct Scores {
    /// That all of them split, if they do.
    pub(crate) split: Option<Proof>,
    /// The form of each role's score that looks at parts.
    pub(crate) forms: Vec<ScoreForm>,
}

/// Whether, for every role, the highest score splits into one condition per part; and how.
pub(crate) fn scores(
    net: &Net,
    found: &Decomposition,
    invariants: &[Clause],
    budget: &Budget,
) -> Scores {
    let mut part_of: PartOf = IndexVec::filled(None, net.next.len());
    for (id, part) in found.subgames.iter_ids().filter(|(_, part)| part.action_dependent) {
        part.fluents.iter().for_each(|&fluent| part_of[fluent] = Some(id.number()));
    }
    Question { net, found, part_of, invariants, budget }.ask()
}

/// Parts whose scores are tabulated: the table has two to this power entries.
const MOST_TABULATED: usize = 5;
/// Decisions per entry of the table.
const EFFORT_PER_ENTRY: u64 = 20_000;

struct Question<'a> {
    net: &'a Net,
    found: &'a Decomposition,
    part_of: PartOf,
    invariants: &'a [Clause],
    budget: &'a Budget,
}

impl Question<'_> {
    fn ask(&self) -> Scores {
        let played_for_score = self
            .found
            .subgames
            .iter()
            .any(|part| part.action_dependent && part.role_in_goal != RoleInGoal::None);
        if !played_for_score {
            // The score looks only at how long the game lasted.
            let end = self.form(self.net.terminal, None).map(|(_, proof)| proof);
            return Scores { split: end, forms: Vec::new() };
        }
        let mut proofs = Some(Vec::new());
        let mut forms = Vec::new();
        for role in self.net.roles.ids() {
            let Some(gate) = highest(self.net, role) else { continue };
            match self.form(gate, Some(role)) {
                Some((form, proof)) => {
                    forms.extend(form);
                    proofs.iter_mut().for_each(|proofs| proofs.push(proof));
                }
                None => proofs = None,
            }
        }
        let split = proofs.and_then(|proofs| Proof::all("scores split", proofs));
        Scores { split, forms }
    }

    /// The form of a role's score, or of the end of the game, and its proof.
    fn form(&self, gate: GateId, role: Option<RoleId>) -> Option<(Option<ScoreForm>, Proof)> {
        let parts = parts_read(self.net, [gate], &self.part_of);
        let named = |combination, parts: &[u32], pays, proof| {
            let parts = parts.iter().map(|&part| SubgameId::new(part)).collect();
            let basis = Basis::Proved(proof);
            role.map(|role| ScoreForm { role, parts, combination, pays, basis })
        };
        if let [] | [_] = parts.as_slice() {
            let alone = |fluent| self.part_of[fluent].is_none_or(|part| parts == [part]);
            let proof = reads_only(self.net, [gate], alone)?;
            let form = if parts.is_empty() {
                None
            } else {
                named(Combination::One, &parts, Pays::Unknown, proof)
            };
            return Some((form, proof));
        }
        let mut encoding = Encoding::new(self.net, self.budget);
        let state = encoding.state();
        encoding.assume(state, self.invariants);
        let conditions = conditions_of(self.net, &mut encoding, state, gate, &self.part_of)?;
        let conditions: Vec<Lit> = conditions.into_iter().map(|(_, literal)| literal).collect();
        let over = match gate == self.net.terminal {
            true => Vec::new(),
            false => vec![encoding.gate(state, self.net.terminal)],
        };
        let whole = encoding.gate(state, gate);
        let (how, proof) = combination(&mut encoding, &over, whole, &conditions, EFFORT)?;
        let pays = role.map_or(Pays::Unknown, |role| {
            let mut table = Table { net: self.net, encoding, state, over, conditions };
            table.pays(role)
        });
        Some((named(how, &parts, pays, proof), proof))
    }
}

/// What a role gets, by which conditions hold at the end.
struct Table<'a, 'n> {
    net: &'a Net,
    encoding: Encoding<'n>,
    state: Frame,
    over: Vec<Lit>,
    conditions: Vec<Lit>,
}

impl Table<'_, '_> {
    fn pays(&mut self, role: RoleId) -> Pays {
        if self.conditions.len() > MOST_TABULATED {
            return Pays::Unknown;
        }
        let sets = 0..1u32 << self.conditions.len();
        let entries: Option<Vec<Option<u32>>> = sets.map(|set| self.entry(role, set)).collect();
        entries.map_or(Pays::Unknown, |entries| Pays::of(&entries, self.conditions.len()))
    }

    /// What the role gets if just these conditions hold: `None` if they never do. None if it may get
    /// several things, or if it cannot be told.
    fn entry(&mut self, role: RoleId, set: u32) -> Option<Option<u32>> {
        let mut asked = self.over.clone();
        asked.extend(
            self.conditions.iter().enumerate().map(|(place, &condition)| {
                if set >> place & 1 == 1 { condition } else { !condition }
            }),
        );
        let mut found = None;
        let goals = self.net.goals.iter().filter(|goal| goal.role == role);
        for goal in goals {
            let pays = self.encoding.gate(self.state, goal.gate);
            asked.push(pays);
            let answer = self.encoding.solve(&asked, EFFORT_PER_ENTRY);
            asked.pop();
            match answer {
                Answer::NoModel => {}
                Answer::Model if found.is_none() => found = Some(goal.value),
                _ => return None,
            }
        }
        Some(found)
    }
}
