//! The conditions of a cut, looked up in all states.

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::certificate::Scores;
use crate::cut::{Cut, Known};
use crate::listing::Place;
use crate::refusal::CutRefusal;

pub(crate) struct Listed<'a> {
    pub(crate) cut: &'a Cut<'a>,
    /// The states of the game, or of a phase with the steps that do not leave it.
    pub(crate) places: &'a [Place],
    /// The highest value that each role has in some state of the game.
    pub(crate) highest: &'a [Option<u32>],
}

type Verdict = Result<(), CutRefusal>;

fn refused(what: impl Into<String>) -> CutRefusal {
    CutRefusal::Condition(what.into())
}

impl Listed<'_> {
    pub(crate) fn check(&self) -> Verdict {
        if self.places.iter().all(|place| place.steps.is_empty()) {
            return Err(refused("nothing can be played"));
        }
        if self.cut.sound || self.cut.classes_exact {
            self.rest_is_constant()?;
            self.clocks_run_by_themselves()?;
            self.parts_are_closed()?;
        }
        if self.cut.sound && self.cut.played().len() > 1 {
            self.series_is_one()?;
            self.classes_are_available()?;
            (0..self.cut.names.roles.len()).try_for_each(|role| self.choice_is_free(role))?;
        }
        match self.cut.scores {
            None => Ok(()),
            Some(Scores::Goals) => self.goals_split(),
            Some(Scores::End) => self.end_splits(),
        }
    }

    fn going_on(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|place| !place.terminal)
    }

    /// Some fluents of a state.
    fn values(&self, place: &Place, wanted: impl Fn(usize) -> bool) -> Vec<bool> {
        let fluents = (0..place.state.len()).filter(|&fluent| wanted(fluent));
        fluents.map(|fluent| place.state[fluent]).collect()
    }

    fn rest_is_constant(&self) -> Verdict {
        let rest = |place: &Place| self.values(place, |fluent| self.cut.part_of[fluent].is_none());
        let stays = |place: &Place| {
            let now = rest(place);
            place.steps.iter().all(|(_, after)| rest(&self.places[*after]) == now)
        };
        self.places
            .iter()
            .all(stays)
            .then_some(())
            .ok_or_else(|| refused("what is in no part changes"))
    }

    /// For each crossing, whether something can be done in the parts before it.
    fn stage(&self, place: &Place) -> Vec<bool> {
        let points = self.cut.series.iter();
        points.map(|point| self.something_to_do(place, &point.before)).collect()
    }

    fn something_to_do(&self, place: &Place, parts: &[usize]) -> bool {
        place.legal.iter().enumerate().any(|(role, legal)| {
            legal.iter().any(|&a| parts.iter().any(|&part| self.cut.acts(part, role, a)))
        })
    }

    fn clocks_run_by_themselves(&self) -> Verdict {
        let clocks = (0..self.cut.is_clock.len()).filter(|&part| self.cut.is_clock[part]);
        for part in clocks {
            self.runs_by_itself(&|fluent| self.cut.part_of[fluent] == Some(part))?;
        }
        Ok(())
    }

    fn runs_by_itself(&self, own: &dyn Fn(usize) -> bool) -> Verdict {
        let mut next = Function::default();
        for place in self.going_on() {
            for (_, after) in &place.steps {
                let key = (self.values(place, own), self.stage(place));
                next.maps(
                    key,
                    self.values(&self.places[*after], own),
                    "a clock reads something else",
                )?;
            }
        }
        Ok(())
    }

    /// What a part may read of a state.
    fn view(&self, place: &Place, part: usize) -> (Vec<bool>, Vec<bool>) {
        (self.values(place, |fluent| self.cut.may_read(part, fluent)), self.stage(place))
    }

    fn own(&self, place: &Place, part: usize) -> Vec<bool> {
        self.values(place, |fluent| self.cut.part_of[fluent] == Some(part))
    }

    fn parts_are_closed(&self) -> Verdict {
        for part in self.cut.played() {
            let mut next = Function::default();
            for place in self.going_on() {
                for (joint, after) in &place.steps {
                    let classes = joint.iter().zip(&self.cut.class_of[part]);
                    let classes: Vec<usize> = classes.map(|(&action, of)| of[action]).collect();
                    let key = (self.view(place, part), classes);
                    let after = self.own(&self.places[*after], part);
                    next.maps(key, after, "a part depends on something else")?;
                }
            }
        }
        Ok(())
    }

    fn series_is_one(&self) -> Verdict {
        for place in self.going_on() {
            let now = self.stage(place);
            let after = place.steps.iter().map(|(_, after)| &self.places[*after]);
            for after in after.filter(|after| !after.terminal) {
                if now.iter().zip(self.stage(after)).any(|(now, then)| !now && then) {
                    return Err(refused("what is over begins again"));
                }
            }
            for (point, active) in self.cut.series.iter().zip(now) {
                if active && self.something_to_do(place, &point.after) {
                    return Err(refused("a later part does not wait"));
                }
            }
        }
        Ok(())
    }

    fn classes_are_available(&self) -> Verdict {
        for part in self.cut.played() {
            for class in self.cut.binding(part, self.is_quiet(part)) {
                let role = self.cut.role_of[part][class];
                let mut available = Function::default();
                for place in self.going_on() {
                    let mut classes =
                        place.legal[role].iter().map(|&a| self.cut.class_of[part][role][a]);
                    let there = classes.any(|of| of == class);
                    let what = "whether a class is available depends on something else";
                    available.maps(self.view(place, part), there, what)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a part stays as it is while everybody is idle in it, but for clocks of its own. That nobody
    /// ever is will not do, unless no move is said to be idle.
    fn is_quiet(&self, part: usize) -> bool {
        let mut seen = !self.cut.idle[part].contains(&true);
        let mut changed = BTreeSet::new();
        for place in self.going_on() {
            for (joint, after) in &place.steps {
                let acts = |(role, &action): (usize, &usize)| self.cut.acts(part, role, action);
                if joint.iter().enumerate().any(acts) {
                    continue;
                }
                seen = true;
                let after = &self.places[*after];
                let own = (0..place.state.len()).filter(|&f| self.cut.part_of[f] == Some(part));
                changed.extend(own.filter(|&f| place.state[f] != after.state[f]));
            }
        }
        seen && self.runs_by_itself(&|fluent| changed.contains(&fluent)).is_ok()
    }

    fn choice_is_free(&self, role: usize) -> Verdict {
        let parts = self.cut.acted_in(role);
        if parts.len() < 2 {
            return Ok(());
        }
        let quiet = parts.iter().all(|&part| self.is_quiet(part));
        for place in self.going_on() {
            let classes = |&action: &usize| -> Vec<usize> {
                parts.iter().map(|&part| self.cut.class_of[part][role][action]).collect()
            };
            let there: BTreeSet<Vec<usize>> = place.legal[role].iter().map(classes).collect();
            let idle = |at: usize, class: usize| self.cut.idle[parts[at]][class];
            let alone = |at: usize, class: usize| {
                there.iter().any(|tuple| {
                    let others = |(other, &of): (usize, &usize)| other == at || idle(other, of);
                    tuple[at] == class && tuple.iter().enumerate().all(others)
                })
            };
            let options: Vec<Vec<usize>> = (0..parts.len())
                .map(|at| there.iter().map(|tuple| tuple[at]).collect::<BTreeSet<_>>())
                .map(|classes| classes.into_iter().collect())
                .collect();
            for wanted in tuples(&options) {
                let mut each = wanted.iter().enumerate();
                let one_by_one = quiet && each.all(|(at, &of)| idle(at, of) || alone(at, of));
                if !there.contains(&wanted) && !one_by_one {
                    return Err(refused("classes that are possible cannot be chosen together"));
                }
            }
        }
        Ok(())
    }

    fn goals_split(&self) -> Verdict {
        for (role, highest) in self.highest.iter().enumerate() {
            let Some(highest) = highest else { continue };
            let wins = |place: &Place| place.goals[role].contains(highest);
            // A value that no end has is had nowhere; then nothing is left to split.
            let wins = |place: &Place| place.terminal.then(|| wins(place));
            let splits = match self.cut.thresholds.iter().find(|known| known.role == role) {
                Some(threshold) => self.is_threshold(&wins, threshold),
                None => self.splits(&wins),
            };
            if !splits {
                let role = &self.cut.names.roles[role];
                return Err(refused(format!("the score of {role} does not split")));
            }
        }
        Ok(())
    }

    /// Whether a condition holds just where enough of those of the parts do.
    fn is_threshold(&self, wins: &dyn Fn(&Place) -> Option<bool>, threshold: &Known) -> bool {
        let met = |place: &Place| {
            let conditions = threshold.conditions.iter();
            conditions.filter(|one| one.holds(&|&fluent| place.state[fluent])).count()
        };
        let mut ends = self.places.iter().filter_map(|place| Some((place, wins(place)?)));
        ends.all(|(place, wins)| wins == (met(place) >= threshold.least))
    }

    fn end_splits(&self) -> Verdict {
        let mut goals = Function::default();
        for place in self.places.iter().filter(|place| place.terminal) {
            let of_part = |fluent: usize| self.cut.part_of[fluent];
            let clock = |f: usize| of_part(f).is_none_or(|part| self.cut.is_clock[part]);
            goals.maps(self.values(place, clock), &place.goals, "the score looks at parts")?;
        }
        let splits = self.splits(&|place| Some(place.terminal));
        splits.then_some(()).ok_or_else(|| refused("the end does not split"))
    }

    /// Whether a condition is a conjunction, or a disjunction, of one condition per part.
    fn splits(&self, condition: &dyn Fn(&Place) -> Option<bool>) -> bool {
        let parts = self.cut.played();
        let view = |place: &Place, part: usize| {
            self.values(place, |fluent| self.cut.may_read(part, fluent))
        };
        let looked_at = || self.places.iter().filter_map(|p| Some((p, condition(p)?)));
        let together = |value: bool| {
            let with = |part: usize| {
                let places = looked_at().filter(|(_, holds)| *holds == value);
                places.map(|(place, _)| view(place, part)).collect::<BTreeSet<_>>()
            };
            let views: Vec<BTreeSet<Vec<bool>>> = parts.iter().map(|&part| with(part)).collect();
            looked_at().filter(|(_, holds)| *holds != value).all(|(place, _)| {
                let mut each = parts.iter().zip(&views);
                !each.all(|(&part, views)| views.contains(&view(place, part)))
            })
        };
        parts.is_empty() || together(true) || together(false)
    }
}

/// A relation that must be a function.
struct Function<K, V> {
    values: FxHashMap<K, V>,
}

impl<K, V> Default for Function<K, V> {
    fn default() -> Self {
        Self { values: FxHashMap::default() }
    }
}

impl<K: Eq + Hash, V: PartialEq> Function<K, V> {
    fn maps(&mut self, key: K, value: V, otherwise: &str) -> Verdict {
        let before = self.values.entry(key);
        match before {
            std::collections::hash_map::Entry::Occupied(before) if *before.get() != value => {
                Err(refused(otherwise))
            }
            std::collections::hash_map::Entry::Occupied(_) => Ok(()),
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(value);
                Ok(())
            }
        }
    }
}

fn tuples(options: &[Vec<usize>]) -> Vec<Vec<usize>> {
    options.iter().fold(vec![Vec::new()], |tuples, of_part| {
        let longer = |tuple: Vec<usize>| {
            of_part.iter().map(move |&one| tuple.iter().copied().chain([one]).collect())
        };
        tuples.into_iter().flat_map(longer).collect()
    })
}
