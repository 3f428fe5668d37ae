//! Where each player chooses the part it moves in: the best move of the hottest part.
//!
//! A part is searched as a game in which both players keep to it, once as it stands and once as it would be if the
//! player moved elsewhere. The difference is the value of moving there first: its temperature, in the theory of sums of
//! games. To move in the hottest part is not always best. But the decision takes two searches of a small game instead
//! of one of a large game, and those look much deeper. The whole game is searched first, for a short time: a win in one
//! move is taken, and moves that are proved to lose are left out.
//!
//! A part is searched as a game in which both keep to it, once as it stands and once as it would be if
//! the player moved elsewhere. The difference is what it is worth to move there first: its temperature,
//! in the theory of sums of games. To move in the hottest part is not always best. But it is decided by
//! two searches of a small game instead of one of a large game, and those look much deeper. A look at
//! the whole game comes first: a win at once is taken, and moves that lose at once are left out.

use std::sync::atomic::AtomicBool;

use gambol_index::Id;
use gambol_net::{MoveId, RoleId};

use crate::agent::composed::share_of;
use crate::agent::{Agent, Decision, Effort, Question, Reason, think};
use crate::mcts::report::SearchReport;
use crate::parts::factors::Factors;

/// With fewer descents for each move, the search of a part is a matter of luck: found by trial, with little time on
/// four compound games.
const DESCENTS_PER_MOVE: usize = 24;

/// The best move of a part.
struct Local {
    action: MoveId,
    /// What it is worth to make it now, between -100 and 100.
    heat: f64,
    /// The share of the descents that went there.
    share: f64,
}

impl Agent<'_> {
    /// The best move of the part in which it matters most who moves next; `None` if players do not choose
    /// parts, or only one is left.
    pub(crate) fn by_heat(&mut self, question: Question<'_>) -> Option<Decision> {
        let Question { role, legal, effort, stop } = question;
        let factors = self.factors().filter(|factors| factors.are_chosen())?;
        let parts = parts_of(factors, legal)?;
        let mut open = parts.clone();
        open.sort_unstable();
        open.dedup();
        if open.len() < 2 || self.parts.is_empty() {
            return None;
        }
        // Two searches of each part, and a look at the whole that takes as long as one of them.
        let searches = 2 * open.len() as u32 + 1;
        let mut shares = (0..searches).map(|done| effort.share(searches - done, searches));
        let before = self.search.descents();
        think(&mut self.search, shares.next()?, stop);
        let descents = self.search.descents().saturating_sub(before) as usize;
        let (whole, mut hottest) = (self.search.report(role), None::<Local>);
        if whole.settled.is_some() || is_hasty(descents, legal.len(), open.len()) {
            return None;
        }
        for &part in &open {
            let elsewhere = legal.iter().zip(&parts).find(|&(_, &other)| other != part)?.0;
            let local = self.local(role, part, *elsewhere, &mut shares, stop)?;
            let hotter = hottest.as_ref().is_none_or(|one| local.heat > one.heat);
            if hotter && is_sensible(&whole, local.action) && legal.contains(&local.action) {
                hottest = Some(local);
            }
        }
        let Local { action, share, .. } = hottest?;
        Some(Decision { action, reason: Reason::Parts { share } })
    }

    /// The best move in a part, and what it is worth to make it before the other player moves there.
    fn local(
        &mut self,
        role: RoleId,
        part: usize,
        elsewhere: MoveId,
        shares: &mut dyn Iterator<Item = Effort>,
        stop: &AtomicBool,
    ) -> Option<Local> {
        let factors = self.factors()?;
        let other = RoleId::from_index(1 - role.index());
        let report = self.part_report(part, role, shares.next()?, stop);
        let best = report.moves.first()?;
        let mut joint = [elsewhere; 2];
        joint[other.index()] = *self.search.legal(other).first()?;
        let left_alone = factors.games()[part].state_of(&self.search.after(&joint));
        let search = &mut self.parts[part];
        search.go_to(left_alone);
        think(search, shares.next()?, stop);
        // A part that is over, or in which nobody can move any more, is worth the same whoever moves next.
        let after = match search.report(other).moves.first() {
            Some(reply) if !search.is_over() => 100.0 - reply.expected()?,
            _ => best.expected()?,
        };
        let class = factors.games()[part].class(best.action);
        let mut moves = self.search.legal(role).into_iter();
        let action = moves.find(|&action| factors.class(part, action) == class)?;
        Some(Local { action, heat: best.expected()? - after, share: share_of(best, &report) })
    }
}

/// The part in which each of these moves acts; `None` if one acts nowhere.
fn parts_of(factors: &Factors, legal: &[MoveId]) -> Option<Vec<usize>> {
    let part_of = |&action: &MoveId| (0..factors.count()).find(|&part| factors.acts(part, action));
    legal.iter().map(part_of).collect()
}

/// Whether the search of the whole was so short that searches of the parts, which take as long, would not distinguish
/// their moves.
fn is_hasty(descents: usize, moves: usize, parts: usize) -> bool {
    descents * parts < DESCENTS_PER_MOVE * moves
}

/// Whether nothing better than this move is known.
fn is_sensible(whole: &SearchReport, action: MoveId) -> bool {
    let found = whole.moves.iter().find(|one| one.action == action);
    let Some(goal) = found.and_then(|one| one.settled) else { return true };
    whole.moves.iter().all(|one| one.expected().is_none_or(|other| other <= f64::from(goal)))
}
