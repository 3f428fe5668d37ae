//! A decomposition as a certificate.

use gambol_analysis::{Clause, Literal};
use gambol_index::Id;
use gambol_net::{FluentId, Net};
use gambol_verify_cuts::{CUT_FORMAT, CUT_KIND, Class, Crossing, CutCertificate, Part, Scores};

use crate::decomposition::{
    Combination, CrossingPoint, Decomposition, MetaAction, RoleInGoal, ScoreForm, Subgame,
};

/// What is proved of a decomposition, to be checked by others. None if nothing is proved of it, or if nothing
/// is played. `at` is the state that it begins with, if that is not the start.
pub fn certify_cut(
    net: &Net,
    found: &Decomposition,
    at: Option<&[FluentId]>,
) -> Option<CutCertificate> {
    let names = |fluents: &[FluentId]| -> Vec<String> {
        fluents.iter().map(|&fluent| net.fluents[fluent].to_string()).collect()
    };
    let class = |class: &MetaAction| Class {
        role: net.roles[class.role].to_string(),
        moves: class.moves.iter().map(|&action| net.moves[action].name.to_string()).collect(),
        idle: class.idle,
    };
    let part = |part: &Subgame| Part {
        fluents: names(&part.fluents),
        clock: !part.action_dependent,
        classes: part.meta_actions.iter().map(class).collect(),
    };
    let crossing = |point: &CrossingPoint| Crossing {
        before: point.before.iter().map(|id| id.index()).collect(),
        after: point.after.iter().map(|id| id.index()).collect(),
    };
    let clause = |clause: &Clause| {
        let literal = |literal: &Literal| (net.fluents[literal.fluent].to_string(), literal.holds);
        clause.iter().map(literal).collect()
    };
    let played = || found.subgames.iter().filter(|part| part.action_dependent);
    let counts = played().any(|part| part.role_in_goal != RoleInGoal::None);
    let scores = if counts { Scores::Goals } else { Scores::End };
    // The checker knows conjunctions and disjunctions.
    let plain = |form: &ScoreForm| !matches!(form.combination, Combination::AtLeast(_));
    let checkable = found.scores_split.is_proved() && found.scores.iter().all(plain);
    let series = if found.by_stage { found.crossing_points.as_slice() } else { &[] };
    let mut certificate = CutCertificate {
        kind: CUT_KIND.to_string(),
        format: CUT_FORMAT,
        at: at.map(names),
        parts: found.subgames.iter().map(part).collect(),
        rest: names(&found.rest),
        series: series.iter().map(crossing).collect(),
        invariants: found.invariants.iter().map(clause).collect(),
        sound: found.sound.is_proved(),
        classes_exact: found.classes_exact.is_proved(),
        scores: checkable.then_some(scores),
        digest: String::new(),
    };
    certificate.digest = certificate.compute_digest();
    let says_something = certificate.sound || certificate.classes_exact;
    (says_something && played().next().is_some()).then_some(certificate)
}
