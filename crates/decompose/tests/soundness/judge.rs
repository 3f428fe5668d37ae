//! The definition of a right cut in `docs/decomposition.md`, checked in every reachable state.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::hash::Hash;

use gambol_decompose::{Combination, Decomposition, Line, MetaAction, Subgame, Tie, TieKind};
use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net, RoleId};

use crate::naive::{Place, State};

pub(crate) struct Judge<'a> {
    pub(crate) net: &'a Net,
    pub(crate) places: &'a [Place],
    pub(crate) found: &'a Decomposition,
}

/// What a part may read of a state.
type View = (State, State, Vec<bool>);

impl Judge<'_> {
    /// Checks whatever the decomposition says is proved.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.found.sound.is_proved() {
            self.nothing_else_changes()?;
            self.clocks()?;
            self.series()?;
            self.parts_are_closed()?;
            self.classes_are_available()?;
            self.choice_is_free()?;
        }
        if self.found.classes_exact.is_proved() {
            self.parts_are_closed()?;
            self.every_move_has_a_class()?;
        }
        if self.found.scores_split.is_proved() {
            self.scores_split()?;
        }
        self.ties_hold()?;
        let three = [self.found.sound, self.found.classes_exact, self.found.scores_split];
        if self.found.basis.is_proved() != three.iter().all(|basis| basis.is_proved()) {
            return Err("the whole is not what its three claims are".to_string());
        }
        Ok(())
    }

    pub(crate) fn played(&self) -> Vec<&Subgame> {
        self.found.subgames.iter().filter(|part| part.action_dependent).collect()
    }

    fn clock(&self) -> State {
        let clocks = self.found.subgames.iter().filter(|part| !part.action_dependent);
        clocks.map(|part| mask(&part.fluents)).fold(0, |all, one| all | one)
    }

    /// For each crossing point, whether something can be done in the parts before it.
    fn stage(&self, place: &Place) -> Vec<bool> {
        let active =
            |part: &Subgame| place.legal.iter().flatten().any(|action| part.moves.contains(action));
        let points = self.found.crossing_points.iter();
        points
            .map(|point| point.before.iter().any(|&id| active(&self.found.subgames[id])))
            .collect()
    }

    pub(crate) fn view(&self, place: &Place, part: &Subgame) -> View {
        (place.state & mask(&part.fluents), place.state & self.clock(), self.stage(place))
    }

    fn going_on(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(|place| !place.terminal)
    }

    fn nothing_else_changes(&self) -> Result<(), String> {
        let rest = mask(&self.found.rest);
        let same = |place: &Place| place.state & rest == self.places[0].state & rest;
        self.places.iter().all(same).then_some(()).ok_or("the rest changes".to_string())
    }

    fn clocks(&self) -> Result<(), String> {
        for part in self.found.subgames.iter().filter(|part| !part.action_dependent) {
            self.runs_by_itself(mask(&part.fluents))?;
        }
        Ok(())
    }

    fn runs_by_itself(&self, fluents: State) -> Result<(), String> {
        let mut next = Function::new("a clock");
        for place in self.going_on() {
            for (_, after) in &place.steps {
                let key = (place.state & fluents, self.stage(place));
                next.maps(key, self.places[*after].state & fluents)?;
            }
        }
        Ok(())
    }

    /// What is over stays over, and later parts wait.
    fn series(&self) -> Result<(), String> {
        if self.found.crossing_points.is_empty() || self.independent_of_stages() {
            return Ok(());
        }
        for place in self.going_on() {
            let now = self.stage(place);
            for (_, after) in place.steps.iter().filter(|(_, after)| !self.places[*after].terminal)
            {
                let then = self.stage(&self.places[*after]);
                if now.iter().zip(&then).any(|(now, then)| !now && *then) {
                    return Err("what is over begins again".to_string());
                }
            }
            for (point, active) in self.found.crossing_points.iter().zip(now) {
                let mut legal = place.legal.iter().flatten();
                let later = |action: &MoveId| {
                    point.after.iter().any(|&id| self.found.subgames[id].moves.contains(action))
                };
                if active && legal.any(later) {
                    return Err("a later part does not wait".to_string());
                }
            }
        }
        Ok(())
    }

    /// Whether the cut is right although stages are not looked at.
    fn independent_of_stages(&self) -> bool {
        let mut found = self.found.clone();
        found.crossing_points.clear();
        let judge = Judge { net: self.net, places: self.places, found: &found };
        judge.clocks().is_ok()
            && judge.parts_are_closed().is_ok()
            && judge.classes_are_available().is_ok()
    }

    pub(crate) fn class_of(&self, part: &Subgame, action: MoveId) -> Option<usize> {
        part.meta_actions.iter().position(|class| class.moves.contains(&action))
    }

    fn classes(&self, part: &Subgame, joint: &[MoveId]) -> Vec<Option<usize>> {
        joint.iter().map(|&action| self.class_of(part, action)).collect()
    }

    fn every_move_has_a_class(&self) -> Result<(), String> {
        for part in self.played() {
            for action in self.net.moves.ids() {
                let classes = part.meta_actions.iter();
                let has = |class: &&MetaAction| class.moves.contains(&action);
                let role = self.net.moves[action].role;
                if classes.filter(has).filter(|class| class.role == role).count() != 1 {
                    return Err("a move is not in exactly one class".to_string());
                }
                let idle = part.meta_actions.iter().any(|class| class.idle && has(&class));
                if idle == part.moves.contains(&action) {
                    return Err("the moves that act are not those that are not idle".to_string());
                }
            }
        }
        Ok(())
    }

    fn parts_are_closed(&self) -> Result<(), String> {
        for part in self.played() {
            let mut next = Function::new("a part");
            for place in self.going_on() {
                for (joint, after) in &place.steps {
                    let key = (self.view(place, part), self.classes(part, joint));
                    next.maps(key, self.places[*after].state & mask(&part.fluents))?;
                }
            }
        }
        Ok(())
    }

    fn available(&self, place: &Place, class: &MetaAction) -> bool {
        class.moves.iter().any(|action| place.legal[class.role.index()].contains(action))
    }

    fn classes_are_available(&self) -> Result<(), String> {
        if self.played().len() < 2 {
            return Ok(());
        }
        for part in self.played() {
            let quiet = self.is_quiet(part);
            for class in &part.meta_actions {
                let mut available = Function::new("whether a class is available");
                let all = class.moves.len() == self.net.moves_of(class.role).len();
                if class.idle && (quiet || all) {
                    continue;
                }
                for place in self.going_on() {
                    available.maps(self.view(place, part), self.available(place, class))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a part stays as it is while everybody is idle in it, but for clocks of its own. If moves are
    /// said to be idle, everybody must be so somewhere.
    fn is_quiet(&self, part: &Subgame) -> bool {
        let idle = |action: &MoveId| !part.moves.contains(action);
        let own = mask(&part.fluents);
        let mut changed = 0;
        let mut seen = !part.meta_actions.iter().any(|class| class.idle);
        for place in self.going_on() {
            for (joint, after) in &place.steps {
                if joint.iter().all(idle) {
                    seen = true;
                    changed |= (place.state ^ self.places[*after].state) & own;
                }
            }
        }
        seen && (changed == 0 || self.runs_by_itself(changed).is_ok())
    }

    fn choice_is_free(&self) -> Result<(), String> {
        self.net.roles.ids().try_for_each(|role| self.role_is_free(role))
    }

    fn role_is_free(&self, role: RoleId) -> Result<(), String> {
        let acts = |part: &&Subgame| {
            part.meta_actions.iter().any(|class| class.role == role && !class.idle)
        };
        let parts: Vec<&Subgame> = self.played().into_iter().filter(acts).collect();
        if parts.len() < 2 {
            return Ok(());
        }
        let quiet = parts.iter().all(|part| self.is_quiet(part));
        for place in self.going_on() {
            let legal = &place.legal[role.index()];
            let tuple = |&action: &MoveId| -> Vec<usize> {
                parts.iter().filter_map(|part| self.class_of(part, action)).collect()
            };
            let there: BTreeSet<Vec<usize>> = legal.iter().map(tuple).collect();
            let idle = |part: &Subgame, class: usize| part.meta_actions[class].idle;
            // Classes that a move has which acts in no other of the parts.
            let alone = |place: usize, class: usize| {
                there.iter().any(|tuple| {
                    tuple[place] == class
                        && tuple
                            .iter()
                            .enumerate()
                            .all(|(other, &class)| other == place || idle(parts[other], class))
                })
            };
            let options: Vec<Vec<usize>> = (0..parts.len())
                .map(|part| {
                    let classes: BTreeSet<usize> = there.iter().map(|tuple| tuple[part]).collect();
                    classes.into_iter().collect()
                })
                .collect();
            for wanted in all_tuples(&options) {
                let one_by_one = quiet
                    && wanted
                        .iter()
                        .enumerate()
                        .all(|(part, &class)| idle(parts[part], class) || alone(part, class));
                if !there.contains(&wanted) && !one_by_one {
                    return Err(format!("{wanted:?} cannot be chosen"));
                }
            }
        }
        Ok(())
    }

    /// Every tie is real play that shows what it should, and parts that are the finest are held together.
    pub(crate) fn ties_hold(&self) -> Result<(), String> {
        for part in self.played() {
            let mut groups: Vec<State> = part.fluents.iter().map(|&f| mask(&[f])).collect();
            for tie in &part.ties {
                let block = |groups: &[State], fluent| {
                    groups.iter().position(|group| group & mask(&[fluent]) != 0)
                };
                let [Some(one), Some(other)] = tie.fluents.map(|fluent| block(&groups, fluent))
                else {
                    return Err("a tie of another part".to_string());
                };
                if one == other || !self.shows(part, tie, groups[other]) {
                    return Err(format!("{tie:?} shows nothing"));
                }
                let joined = groups[one] | groups[other];
                groups.retain(|group| group & joined == 0);
                groups.push(joined);
            }
            // Ties are looked for only where the cut is proved to be sound.
            if part.finest != (groups.len() == 1 && self.found.sound.is_proved()) {
                return Err("the ties do not say whether the part is the finest".to_string());
            }
        }
        Ok(())
    }

    fn follow(&self, line: &Line) -> Option<&Place> {
        let mut place = &self.places[0];
        for joint in &line.moves {
            let (_, after) = place.steps.iter().find(|(moves, _)| moves == joint)?;
            place = &self.places[*after];
        }
        (place.state == mask(&line.state)).then_some(place)
    }

    /// Whether a tie is what it says; `others` are the fluents that are tied to its second one.
    fn shows(&self, part: &Subgame, tie: &Tie, others: State) -> bool {
        let ends: Option<Vec<&Place>> = tie.lines.iter().map(|line| self.follow(line)).collect();
        let after = |place: &Place, joint: &Vec<MoveId>| {
            let step = place.steps.iter().find(|(moves, _)| moves == joint);
            step.map(|(_, after)| self.places[*after].state)
        };
        match (tie.kind, ends.as_deref()) {
            (TieKind::Choice(role), Some([place])) => {
                let fixed = |joint: &[MoveId]| -> Vec<MoveId> {
                    let mut joint = joint.to_vec();
                    joint.remove(role.index());
                    joint
                };
                let others = fixed(&tie.moves[0]);
                if others.iter().any(|action| part.moves.contains(action)) {
                    return false;
                }
                let steps = place.steps.iter().filter(|(joint, _)| fixed(joint) == others);
                let values = |state: State| tie.fluents.map(|f| state & mask(&[f]) != 0);
                let there: Vec<[bool; 2]> =
                    steps.map(|(_, after)| values(self.places[*after].state)).collect();
                let now = values(place.state);
                let all = [[false, false], [false, true], [true, false], [true, true]];
                all.iter().any(|wanted| {
                    (wanted[0] == now[0]) != (wanted[1] == now[1])
                        && !there.contains(wanted)
                        && there.iter().any(|pair| pair[0] == wanted[0])
                        && there.iter().any(|pair| pair[1] == wanted[1])
                })
            }
            (TieKind::Reading, Some([one, other])) => {
                let differ = one.state ^ other.state;
                let ends = (after(one, &tie.moves[0]), after(other, &tie.moves[0]));
                let (Some(first), Some(second)) = ends else { return false };
                differ != 0
                    && differ & !others == 0
                    && (first ^ second) & mask(&tie.fluents[..1]) != 0
            }
            _ => false,
        }
    }

    /// The highest score of each role is a conjunction or a disjunction of one condition per part, or so many of
    /// them as it is said.
    fn scores_split(&self) -> Result<(), String> {
        let read = |part: &&&Subgame| part.role_in_goal.as_str() != "none";
        if self.played().iter().filter(read).count() == 0 {
            let ends = |place: &Place| Some(place.terminal);
            return self.splits(&ends).then_some(()).ok_or("the end does not split".to_string());
        }
        for role in self.net.roles.ids() {
            let goals = self.net.goals.iter().enumerate().filter(|(_, goal)| goal.role == role);
            let Some((highest, _)) = goals.max_by_key(|(_, goal)| goal.value) else { continue };
            let wins = |place: &Place| place.terminal.then(|| place.goals[highest]);
            let form = self.found.scores.iter().find(|form| form.role == role);
            let splits = match form.map(|form| form.combination) {
                Some(Combination::AtLeast(least)) => self.is_threshold(&wins, least),
                _ => self.splits(&wins),
            };
            if !splits {
                return Err(format!("the score of role {} does not split", role.index()));
            }
        }
        Ok(())
    }

    /// Whether what parts look like can be called good or bad so that a condition holds exactly where at
    /// least so many parts are good.
    fn is_threshold(&self, condition: &dyn Fn(&Place) -> Option<bool>, least: usize) -> bool {
        let mut numbers: HashMap<(usize, (State, State)), usize> = HashMap::new();
        let mut places: BTreeSet<(Vec<usize>, bool)> = BTreeSet::new();
        for (place, holds) in self.places.iter().filter_map(|p| Some((p, condition(p)?))) {
            let view = |(number, part): (usize, &&Subgame)| {
                let next = numbers.len();
                *numbers.entry((number, self.clocked(place, part))).or_insert(next)
            };
            places.insert((self.played().iter().enumerate().map(view).collect(), holds));
        }
        let places: Vec<(Vec<usize>, bool)> = places.into_iter().collect();
        can_be_called_good(&places, least, vec![None; numbers.len()], &mut 10_000)
    }

    /// Whether a condition is a conjunction, or a disjunction, of one condition per part. The weakest
    /// condition that will do for a conjunction is: it holds somewhere with this part as it is.
    fn splits(&self, condition: &dyn Fn(&Place) -> Option<bool>) -> bool {
        let together = |value: bool| {
            let looked_at = || self.places.iter().filter_map(|p| Some((p, condition(p)?)));
            let mut views: Vec<BTreeSet<(State, State)>> = Vec::new();
            for part in self.played() {
                let of = looked_at().filter(|(_, holds)| *holds == value);
                views.push(of.map(|(place, _)| self.clocked(place, part)).collect());
            }
            looked_at().all(|(place, holds)| {
                let parts = self.played();
                let all =
                    parts.iter().zip(&views).all(|(p, v)| v.contains(&self.clocked(place, p)));
                holds == value || !all
            })
        };
        self.played().is_empty() || together(true) || together(false)
    }

    fn clocked(&self, place: &Place, part: &Subgame) -> (State, State) {
        (place.state & mask(&part.fluents), place.state & self.clock())
    }
}

/// Whether views, each good or bad, can be chosen so that the places that hold are those with at least so many
/// good ones. What follows is set first; then one more is tried both ways.
fn can_be_called_good(
    places: &[(Vec<usize>, bool)],
    least: usize,
    mut good: Vec<Option<bool>>,
    tries: &mut usize,
) -> bool {
    let mut changed = true;
    while changed {
        changed = false;
        for (views, holds) in places {
            let sure = views.iter().filter(|&&view| good[view] == Some(true)).count();
            let open: Vec<usize> =
                views.iter().copied().filter(|&view| good[view].is_none()).collect();
            if *holds && sure + open.len() < least || !*holds && sure >= least {
                return false;
            }
            let forced = match holds {
                true => sure + open.len() == least,
                false => sure + 1 == least,
            };
            if forced && !open.is_empty() {
                open.into_iter().for_each(|view| good[view] = Some(*holds));
                changed = true;
            }
        }
    }
    let Some(view) = good.iter().position(Option::is_none) else { return true };
    *tries = tries.saturating_sub(1);
    *tries > 0
        && [true, false].into_iter().any(|value| {
            good[view] = Some(value);
            can_be_called_good(places, least, good.clone(), tries)
        })
}

/// A relation that must be a function.
struct Function<K, V> {
    name: &'static str,
    values: HashMap<K, V>,
}

impl<K: Eq + Hash + Debug, V: PartialEq + Debug> Function<K, V> {
    fn new(name: &'static str) -> Self {
        Self { name, values: HashMap::new() }
    }

    fn maps(&mut self, key: K, value: V) -> Result<(), String> {
        match self.values.get(&key) {
            Some(before) if *before != value => Err(format!(
                "{} depends on something else: {key:?} {before:?} {value:?}",
                self.name
            )),
            Some(_) => Ok(()),
            None => {
                self.values.insert(key, value);
                Ok(())
            }
        }
    }
}

pub(crate) fn mask(fluents: &[FluentId]) -> State {
    fluents.iter().fold(0, |mask, fluent| mask | 1 << fluent.index())
}

fn all_tuples(options: &[Vec<usize>]) -> Vec<Vec<usize>> {
    options.iter().fold(vec![Vec::new()], |tuples, of_part| {
        let longer = |tuple: Vec<usize>| {
            of_part.iter().map(move |&one| tuple.iter().copied().chain([one]).collect())
        };
        tuples.into_iter().flat_map(longer).collect()
    })
}
