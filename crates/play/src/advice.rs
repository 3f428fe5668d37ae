//! EXPERIMENT
use gambol_index::Id;
use gambol_net::{MoveId, RoleId};
use gambol_sim::State;
use smallvec::SmallVec;

use crate::factors::Factors;
use crate::node::Node;
use crate::tree_search::TreeSearch;

pub(crate) fn knob(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

pub(crate) struct Advice<'a> {
    pub(crate) factors: &'a Factors,
    pub(crate) parts: Vec<TreeSearch<'a>>,
    pub(crate) c: f64,
    pub(crate) t: f64,
    pub(crate) virtual_visits: f64,
}

impl<'a> Advice<'a> {
    /// Left alone: the whole state after a move elsewhere, for each part.
    pub(crate) fn priors(
        &self,
        node: &Node,
        role: RoleId,
        after: &mut dyn FnMut(MoveId) -> State,
    ) -> Option<Vec<f32>> {
        let f = self.factors;
        let other = RoleId::from_index(1 - role.index());
        let arms = node.arms_of(role);
        let part_of: Option<Vec<usize>> = arms.iter().map(|a| (0..f.count()).find(|&p| f.acts(p, a.action))).collect();
        let part_of = part_of?;
        let mut prior = vec![0f32; arms.len()];
        let mut worth: Vec<Option<f64>> = vec![None; arms.len()];
        let mut alones: SmallVec<[(usize, f64); 4]> = SmallVec::new();
        let mut weights: SmallVec<[(usize, f64); 4]> = SmallVec::new();
        let mut any = false;
        for p in 0..f.count() {
            let mine: Vec<usize> = (0..arms.len()).filter(|&k| part_of[k] == p).collect();
            if mine.is_empty() { continue; }
            let game = &f.games()[p];
            let search = &self.parts[p];
            let local = search.known.get(&game.state_of(&node.state)).map(|&id| &search.nodes[id]);
            let local = local.filter(|l| l.visits >= 8 && !l.arms_of(role).is_empty());
            let Some(local) = local else {
                for &k in &mine { prior[k] = 1.0 / mine.len() as f32; }
                weights.push((p, 0.0));
                continue;
            };
            any = true;
            let mut by_class: rustc_hash::FxHashMap<u32, f32> = Default::default();
            let mut means: rustc_hash::FxHashMap<u32, f64> = Default::default();
            let largs = local.arms_of(role);
            let total = largs.iter().map(|a| a.tried.visits as f32).sum::<f32>() + largs.len() as f32;
            let mut best = (0u32, 0.0f64);
            for a in largs {
                by_class.insert(game.class(a.action), (a.tried.visits as f32 + 1.0) / total);
                let v = a.certain.map(f64::from).or(a.tried.mean()).unwrap_or(0.0);
                if a.tried.visits > 0 { means.insert(game.class(a.action), v); }
                if a.tried.visits > best.0 { best = (a.tried.visits, v); }
            }
            for &k in &mine { worth[k] = means.get(&f.class(p, arms[k].action)).copied(); }
            let mut sum = 0.0;
            for &k in &mine {
                prior[k] = by_class.get(&f.class(p, arms[k].action)).copied().unwrap_or(0.0);
                sum += prior[k];
            }
            for &k in &mine { prior[k] /= sum.max(1e-6); }
            // heat
            let elsewhere = arms.iter().zip(&part_of).find(|(_, q)| **q != p).map(|(a, _)| a.action);
            let mut heat = 0.0;
            if let Some(elsewhere) = elsewhere {
                let alone = game.state_of(&after(elsewhere));
                if let Some(&id) = search.known.get(&alone) {
                    let l2 = &search.nodes[id];
                    let mut b2 = (0u32, 0.0f64);
                    for a in l2.arms_of(other) {
                        let v = a.certain.map(f64::from).or(a.tried.mean()).unwrap_or(0.0);
                        if a.tried.visits > b2.0 { b2 = (a.tried.visits, v); }
                    }
                    if l2.visits >= 8 && b2.0 > 0 { heat = best.1 - (100.0 - b2.1); }
                }
            }
            weights.push((p, heat));
            alones.push((p, best.1 - heat));
        }
        if !any { return None; }
        if self.virtual_visits > 0.0 {
            // What a move adds to leaving its part alone; where nothing is known, as much as the best of the part would add if it were no hotter than nothing.
            let gain = |k: usize| -> Option<f64> {
                let alone = alones.iter().find(|a| a.0 == part_of[k])?.1;
                Some(worth[k]? - alone)
            };
            let gains: Vec<Option<f64>> = (0..arms.len()).map(gain).collect();
            let top = gains.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max).max(if alones.len() < weights.len() { 0.0 } else { f64::NEG_INFINITY });
            return Some(gains.iter().map(|g| ((g.unwrap_or(0.0).min(top) - top) / 100.0) as f32).collect());
        }
        let top = weights.iter().map(|w| w.1).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = weights.iter().map(|w| ((w.1 - top) / self.t).exp()).sum();
        for (k, &p) in part_of.iter().enumerate() {
            let w = weights.iter().find(|w| w.0 == p)?.1;
            prior[k] *= (((w - top) / self.t).exp() / sum) as f32;
        }
        Some(prior)
    }
}
