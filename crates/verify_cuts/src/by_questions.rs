//! The conditions of a cut as questions to a solver, all to be answered with "no".

use gambol_index::Id;
use gambol_net::{FluentId, GateId, MoveId, Net};
use rustsat::types::Lit;

use crate::by_phase::Scope;
use crate::certificate::{CutCertificate, Scores};
use crate::condition::Condition;
use crate::cut::{Cut, Known, numbers};
use crate::formula::{Formula, Frame};
use crate::options::CheckOptions;
use crate::refusal::CutRefusal;
use crate::refutation::Refutation;

pub(crate) struct Questions<'a> {
    net: &'a Net,
    /// What is asked about: the whole game, or a phase.
    cut: &'a Cut<'a>,
    scope: Option<&'a Scope>,
    options: &'a CheckOptions,
    /// The number in the certificate of each fluent of the net, and the fluent of each number.
    place: Vec<usize>,
    fluent_at: Vec<Option<usize>>,
    /// For each role of the certificate, the moves of the net in the order of the certificate.
    moves: Vec<Vec<MoveId>>,
    /// Clauses over fluents of the net that hold in every state.
    invariants: Vec<Vec<(usize, bool)>>,
    /// The state that play begins with.
    start: Vec<bool>,
    asked: usize,
    /// Who is told why the answers are "no".
    witness: Option<&'a mut dyn FnMut(Refutation)>,
}

type Verdict = Result<(), CutRefusal>;

fn refused(what: impl Into<String>) -> CutRefusal {
    CutRefusal::Condition(what.into())
}

impl<'a> Questions<'a> {
    /// Finds the fluents and moves of the net in the cut.
    pub(crate) fn of(
        net: &'a Net,
        cut: &'a Cut<'a>,
        certificate: &CutCertificate,
        options: &'a CheckOptions,
        witness: Option<&'a mut dyn FnMut(Refutation)>,
    ) -> Result<Self, CutRefusal> {
        let missing = |name: &str| refused(format!("{name} is not in the certificate"));
        let names = cut.names;
        let places = numbers(&names.fluents);
        let place = |name: &str| places.get(name).copied().ok_or_else(|| missing(name));
        let place: Result<Vec<usize>, _> = net.fluents.iter().map(|name| place(name)).collect();
        let place = place?;
        let mut fluent_at = vec![None; names.fluents.len()];
        place.iter().enumerate().for_each(|(fluent, &number)| fluent_at[number] = Some(fluent));
        let fluent = |name: &String| {
            let number = places.get(name.as_str()).and_then(|&number| fluent_at[number]);
            number.ok_or_else(|| CutRefusal::Malformed(format!("{name} is no fluent")))
        };
        let mut moves = vec![Vec::new(); names.roles.len()];
        for (number, role) in names.roles.iter().enumerate() {
            let id = net.roles.ids().find(|&id| *net.roles[id] == **role);
            let id = id.ok_or_else(|| refused(format!("{role} is no role of the net")))?;
            let known = numbers(&names.moves[number]);
            let mut found = vec![None; known.len()];
            for action in net.moves_of(id).map(MoveId::new) {
                let name = &*net.moves[action].name;
                found[*known.get(name).ok_or_else(|| missing(name))?] = Some(action);
            }
            let found: Option<Vec<MoveId>> = found.into_iter().collect();
            moves[number] = found.ok_or_else(|| refused("a move that is none of the net"))?;
        }
        let mut invariants = Vec::new();
        for clause in &certificate.invariants {
            let literal = |(name, holds): &(String, bool)| Ok((fluent(name)?, *holds));
            invariants.push(clause.iter().map(literal).collect::<Result<Vec<_>, CutRefusal>>()?);
        }
        let mut start = vec![false; net.next.len()];
        match &certificate.at {
            None => net.initial.iter().for_each(|fluent| start[fluent.index()] = true),
            Some(names) => {
                for name in names {
                    start[fluent(name)?] = true;
                }
            }
        }
        let (scope, asked) = (None, 0);
        Ok(Self {
            net,
            cut,
            scope,
            options,
            place,
            fluent_at,
            moves,
            invariants,
            start,
            asked,
            witness,
        })
    }

    /// Asks everything, about the whole game and then about its phases; how many questions it took.
    pub(crate) fn check(mut self, phases: &'a [(Scope, Cut<'a>)]) -> Result<usize, CutRefusal> {
        let cuts = phases.iter().map(|(_, cut)| cut).chain([self.cut]);
        let thresholds = cuts.flat_map(|cut| &cut.thresholds);
        let conditions = thresholds.flat_map(|threshold| &threshold.conditions);
        let begins = phases.iter().filter_map(|(scope, _)| scope.begins.as_ref());
        let facts = phases.iter().flat_map(|(scope, _)| &scope.facts).map(|(number, _)| number);
        let mut named = conditions.chain(begins).flat_map(Condition::fluents).chain(facts);
        if named.any(|&number| self.fluent_at[number].is_none()) {
            return Err(refused("a condition looks at what is no fluent of the net"));
        }
        self.something_can_be_played()?;
        self.invariants_hold()?;
        self.cut_is_right()?;
        self.phases_follow(phases)?;
        for (scope, cut) in phases {
            (self.scope, self.cut) = (Some(scope), cut);
            self.cut_is_right()?;
        }
        Ok(self.asked)
    }

    fn cut_is_right(&mut self) -> Verdict {
        if self.cut.sound || self.cut.classes_exact {
            self.rest_is_constant()?;
            let clocks = (0..self.cut.is_clock.len()).filter(|&part| self.cut.is_clock[part]);
            for part in clocks {
                let own = self.own(part);
                self.runs_by_itself(&own)?;
            }
            for part in self.cut.played() {
                self.is_closed(part)?;
            }
        }
        if self.cut.sound && self.cut.played().len() > 1 {
            self.is_series()?;
            let mut quiet = vec![false; self.cut.is_clock.len()];
            for part in self.cut.played() {
                quiet[part] = self.is_quiet(part)?;
                self.is_available(part, quiet[part])?;
            }
            for role in 0..self.cut.names.roles.len() {
                self.chooses_freely(role, &quiet)?;
            }
        }
        match self.cut.scores {
            None => Ok(()),
            Some(Scores::Goals) => self.goals_split(),
            Some(Scores::End) => self.end_splits(),
        }
    }

    /// The fluents of a part, as numbers of the net.
    fn own(&self, part: usize) -> Vec<usize> {
        let fluents = 0..self.place.len();
        fluents.filter(|&fluent| self.cut.part_of[self.place[fluent]] == Some(part)).collect()
    }

    fn fluent(&self, frame: &Frame, fluent: usize) -> Lit {
        frame[self.net.fluent_gate(FluentId::from_index(fluent)).index()]
    }

    fn next(&self, frame: &Frame, fluent: usize) -> Lit {
        frame[self.net.next[FluentId::from_index(fluent)].index()]
    }

    fn formula(&self) -> Formula<'a> {
        Formula::new(self.net, self.options, self.witness.is_some())
    }

    /// A state that satisfies the invariants.
    fn state(&self, formula: &mut Formula<'a>, given: &dyn Fn(usize) -> Option<Lit>) -> Frame {
        let frame = formula.frame(given);
        self.satisfies_invariants(formula, &|fluent| self.fluent(&frame, fluent));
        if let Some(scope) = self.scope {
            self.belongs(formula, scope, &|fluent| self.fluent(&frame, fluent));
        }
        frame
    }

    fn satisfies_invariants(&self, formula: &mut Formula<'a>, fluent: &dyn Fn(usize) -> Lit) {
        for clause in &self.invariants {
            let literal = |&(number, holds): &(usize, bool)| {
                let literal = fluent(number);
                if holds { literal } else { !literal }
            };
            formula.add(&clause.iter().map(literal).collect::<Vec<_>>());
        }
    }

    /// A state, given by the literals of its fluents, belongs to a phase.
    fn belongs(&self, formula: &mut Formula<'a>, scope: &Scope, fluent: &dyn Fn(usize) -> Lit) {
        if let Some(begins) = &scope.begins {
            let begun = self.condition(formula, begins, fluent);
            formula.add(&[begun]);
        }
        if let Some(ends) = &scope.ends {
            let over = self.condition(formula, ends, fluent);
            formula.add(&[!over]);
        }
        for &(number, holds) in &scope.facts {
            if let Some(known) = self.fluent_at[number] {
                let literal = fluent(known);
                formula.add(&[if holds { literal } else { !literal }]);
            }
        }
    }

    /// Whether a condition holds.
    fn condition(
        &self,
        formula: &mut Formula<'a>,
        condition: &Condition<usize>,
        fluent: &dyn Fn(usize) -> Lit,
    ) -> Lit {
        let anything = formula.fresh();
        let literal = |&number: &usize| self.fluent_at[number].map_or(anything, fluent);
        condition.value(&literal, &mut |all, inputs| match all {
            true => formula.and(inputs),
            false => formula.or(inputs),
        })
    }

    /// The same, in which the game goes on.
    fn going_on(&self, formula: &mut Formula<'a>, given: &dyn Fn(usize) -> Option<Lit>) -> Frame {
        let frame = self.state(formula, given);
        formula.add(&[!frame[self.net.terminal.index()]]);
        frame
    }

    /// The same, and every role makes a legal move, which does not lead out of the phase.
    fn left(&self, formula: &mut Formula<'a>, given: &dyn Fn(usize) -> Option<Lit>) -> Frame {
        let frame = self.going_on(formula, given);
        formula.moves(&frame);
        if let Some(scope) = self.scope {
            self.belongs(formula, scope, &|fluent| self.next(&frame, fluent));
        }
        frame
    }

    fn ask(&mut self, formula: &mut Formula<'a>, refuted: &[Lit], what: &str) -> Verdict {
        let holds = self.refutes(formula, refuted, what)?;
        holds.then_some(()).ok_or_else(|| refused(format!("not borne out: {what}")))
    }

    /// Whether there is no model in which these are true; if so, the witness is told why.
    fn refutes(
        &mut self,
        formula: &mut Formula<'a>,
        literals: &[Lit],
        what: &str,
    ) -> Result<bool, CutRefusal> {
        self.asked += 1;
        let refuted = formula.refutes(literals)?;
        if refuted
            && let Some(witness) = &mut self.witness
            && let Some(refutation) = formula.refutation(what, literals)
        {
            witness(refutation);
        }
        Ok(refuted)
    }

    /// Of a game that cannot be played everything would be true.
    fn something_can_be_played(&self) -> Verdict {
        let mut formula = self.formula();
        let given = self.given_start(&mut formula);
        let frame = self.left(&mut formula, &|fluent| Some(given[fluent]));
        drop(frame);
        match formula.refutes(&[])? {
            true => Err(refused("nothing can be played, or the first state breaks an invariant")),
            false => Ok(()),
        }
    }

    fn given_start(&self, formula: &mut Formula<'a>) -> Vec<Lit> {
        let value = |&holds: &bool| {
            let literal = formula.fresh();
            formula.add(&[if holds { literal } else { !literal }]);
            literal
        };
        self.start.iter().map(value).collect()
    }

    /// The first state satisfies the invariants, as was seen; every step hands them on.
    fn invariants_hold(&mut self) -> Verdict {
        let mut formula = self.formula();
        let frame = self.left(&mut formula, &|_| None);
        for clause in self.invariants.clone() {
            let broken = clause.iter().map(|&(fluent, holds)| {
                let after = self.next(&frame, fluent);
                if holds { !after } else { after }
            });
            let broken: Vec<Lit> = broken.collect();
            self.ask(&mut formula, &broken, "an invariant")?;
        }
        Ok(())
    }

    /// What is in no part has the value that it had at the start, or when the phase began.
    fn rest_is_constant(&mut self) -> Verdict {
        let mut formula = self.formula();
        let frame = match self.scope {
            None => self.state(&mut formula, &|_| None),
            Some(_) => self.left(&mut formula, &|_| None),
        };
        let rest = (0..self.place.len()).filter(|&f| self.cut.part_of[self.place[f]].is_none());
        for fluent in rest.collect::<Vec<_>>() {
            let now = self.fluent(&frame, fluent);
            let moved = match self.scope {
                None if self.start[fluent] => !now,
                None => now,
                Some(_) => formula.differ(now, self.next(&frame, fluent)),
            };
            self.ask(&mut formula, &[moved], "what is in no part never changes")?;
        }
        Ok(())
    }

    /// Two states that agree on some fluents and on the stage.
    fn twins(
        &self,
        formula: &mut Formula<'a>,
        shared: &dyn Fn(usize) -> bool,
        left: bool,
    ) -> [Frame; 2] {
        let make = |formula: &mut Formula<'a>, given: &dyn Fn(usize) -> Option<Lit>| match left {
            true => self.left(formula, given),
            false => self.going_on(formula, given),
        };
        let one = make(formula, &|_| None);
        let given = |fluent: usize| shared(fluent).then(|| self.fluent(&one, fluent));
        let other = make(formula, &given);
        for point in &self.cut.series {
            let here = self.something_to_do(formula, &one, &point.before);
            let there = self.something_to_do(formula, &other, &point.before);
            formula.equal(here, there);
        }
        [one, other]
    }

    fn something_to_do(&self, formula: &mut Formula<'a>, frame: &Frame, parts: &[usize]) -> Lit {
        let mut legal = Vec::new();
        for (role, moves) in self.moves.iter().enumerate() {
            for (number, &action) in moves.iter().enumerate() {
                if parts.iter().any(|&part| self.cut.acts(part, role, number)) {
                    legal.push(frame[self.net.legal[action].index()]);
                }
            }
        }
        formula.or(&legal)
    }

    fn runs_by_itself(&mut self, own: &[usize]) -> Verdict {
        let mut formula = self.formula();
        let shared = |fluent: usize| own.binary_search(&fluent).is_ok();
        let [one, other] = self.twins(&mut formula, &shared, true);
        for &fluent in own {
            let differ = formula.differ(self.next(&one, fluent), self.next(&other, fluent));
            self.ask(&mut formula, &[differ], "a clock runs by itself")?;
        }
        Ok(())
    }

    fn readable(&self, part: usize) -> Vec<bool> {
        self.place.iter().map(|&place| self.cut.may_read(part, place)).collect()
    }

    /// The moves of a class.
    fn class(&self, part: usize, class: usize) -> Vec<MoveId> {
        let role = self.cut.role_of[part][class];
        let moves = self.moves[role].iter().zip(&self.cut.class_of[part][role]);
        moves.filter(|(_, of)| **of == class).map(|(&action, _)| action).collect()
    }

    fn done(&self, formula: &mut Formula<'a>, frame: &Frame, moves: &[MoveId]) -> Lit {
        let done: Vec<Lit> =
            moves.iter().map(|&action| frame[self.net.move_gate(action).index()]).collect();
        formula.or(&done)
    }

    fn legal(&self, formula: &mut Formula<'a>, frame: &Frame, moves: &[MoveId]) -> Lit {
        let legal: Vec<Lit> =
            moves.iter().map(|&action| frame[self.net.legal[action].index()]).collect();
        formula.or(&legal)
    }

    /// Whether play goes from phase to phase: crossing points come in order, what is passed stays passed, and what is
    /// said to hold in a phase does, from the state on with which it begins.
    fn phases_follow(&mut self, phases: &'a [(Scope, Cut<'a>)]) -> Verdict {
        let Some((first, _)) = phases.first() else { return Ok(()) };
        let start = |number: usize| self.fluent_at[number].is_some_and(|f| self.start[f]);
        let passed = |scope: &Scope| {
            scope.begins.as_ref().is_some_and(|begins| begins.holds(&|&number| start(number)))
        };
        if phases.iter().any(|(scope, _)| passed(scope)) {
            return Err(refused("a crossing point is passed at the start"));
        }
        if first.facts.iter().any(|&(number, holds)| start(number) != holds) {
            return Err(refused("what holds in a phase does not at the start"));
        }
        for (place, (scope, _)) in phases.iter().enumerate() {
            let before = place.checked_sub(1).map(|before| &phases[before].0);
            self.stays_passed(scope, before)?;
            self.facts_last(scope)?;
            if let Some(before) = before {
                self.facts_begin(before, scope)?;
            }
        }
        Ok(())
    }

    /// Whether no step leads back before a phase, and none leads into it but from the phase before.
    fn stays_passed(&mut self, scope: &Scope, before: Option<&Scope>) -> Verdict {
        let Some(begins) = &scope.begins else { return Ok(()) };
        self.scope = None;
        let mut formula = self.formula();
        let frame = self.left(&mut formula, &|_| None);
        let here = |fluent: usize| self.fluent(&frame, fluent);
        let there = |fluent: usize| self.next(&frame, fluent);
        self.satisfies_invariants(&mut formula, &there);
        let now = self.condition(&mut formula, begins, &here);
        let then = self.condition(&mut formula, begins, &there);
        let earlier = before.and_then(|before| before.begins.as_ref());
        let earlier = earlier.map(|earlier| self.condition(&mut formula, earlier, &here));
        // By induction: crossing points have come in order so far.
        earlier.into_iter().for_each(|earlier| formula.add(&[!now, earlier]));
        self.ask(&mut formula, &[now, !then], "what is passed stays passed")?;
        match earlier {
            None => Ok(()),
            Some(earlier) => {
                self.ask(&mut formula, &[then, !earlier], "crossing points come in order")
            }
        }
    }

    /// Whether no step within a phase breaks what is said to hold in it.
    fn facts_last(&mut self, scope: &'a Scope) -> Verdict {
        let mut formula = self.formula();
        self.scope = Some(scope);
        let frame = self.going_on(&mut formula, &|_| None);
        self.scope = None;
        formula.moves(&frame);
        let stays = Scope { facts: Vec::new(), ..scope.clone() };
        self.belongs(&mut formula, &stays, &|fluent| self.next(&frame, fluent));
        self.facts_hold(&mut formula, &frame, scope)
    }

    /// Whether what is said to hold in a phase does where it begins.
    fn facts_begin(&mut self, before: &'a Scope, scope: &Scope) -> Verdict {
        let mut formula = self.formula();
        self.scope = Some(before);
        let frame = self.going_on(&mut formula, &|_| None);
        self.scope = None;
        formula.moves(&frame);
        let fluent = |fluent: usize| self.next(&frame, fluent);
        self.satisfies_invariants(&mut formula, &fluent);
        let begun =
            scope.begins.as_ref().map(|begins| self.condition(&mut formula, begins, &fluent));
        begun.into_iter().for_each(|begun| formula.add(&[begun]));
        self.facts_hold(&mut formula, &frame, scope)
    }

    /// What is said to hold in a phase holds after a step.
    fn facts_hold(&mut self, formula: &mut Formula<'a>, frame: &Frame, scope: &Scope) -> Verdict {
        for &(number, holds) in &scope.facts {
            let Some(fluent) = self.fluent_at[number] else { continue };
            let then = self.next(frame, fluent);
            self.ask(formula, &[if holds { !then } else { then }], "what holds in a phase")?;
        }
        Ok(())
    }

    fn is_closed(&mut self, part: usize) -> Verdict {
        let mut formula = self.formula();
        let readable = self.readable(part);
        let [one, other] = self.twins(&mut formula, &|fluent| readable[fluent], true);
        for class in 0..self.cut.idle[part].len() {
            let moves = self.class(part, class);
            let here = self.done(&mut formula, &one, &moves);
            let there = self.done(&mut formula, &other, &moves);
            formula.equal(here, there);
        }
        for fluent in self.own(part) {
            let differ = formula.differ(self.next(&one, fluent), self.next(&other, fluent));
            self.ask(&mut formula, &[differ], "a part depends on itself and its classes")?;
        }
        Ok(())
    }

    fn is_available(&mut self, part: usize, quiet: bool) -> Verdict {
        let mut formula = self.formula();
        let readable = self.readable(part);
        let [one, other] = self.twins(&mut formula, &|fluent| readable[fluent], false);
        for class in self.cut.binding(part, quiet) {
            let moves = self.class(part, class);
            let here = self.legal(&mut formula, &one, &moves);
            let there = self.legal(&mut formula, &other, &moves);
            self.ask(
                &mut formula,
                &[here, !there],
                "a class is available wherever the part is the same",
            )?;
        }
        Ok(())
    }

    /// Whether a part stays as it is while everybody is idle in it, but for clocks of its own. That nobody
    /// ever is will not do, unless no move is said to be idle.
    fn is_quiet(&mut self, part: usize) -> Result<bool, CutRefusal> {
        if !self.cut.idle[part].contains(&true) {
            return Ok(true);
        }
        let mut formula = self.formula();
        let frame = self.left(&mut formula, &|_| None);
        for role in 0..self.cut.names.roles.len() {
            let moves = self.moves[role].iter().enumerate();
            let idle = moves.filter(|(number, _)| !self.cut.acts(part, role, *number));
            let idle: Vec<MoveId> = idle.map(|(_, &action)| action).collect();
            let done = self.done(&mut formula, &frame, &idle);
            formula.add(&[done]);
        }
        if formula.refutes(&[])? {
            return Ok(false);
        }
        let mut moved = Vec::new();
        for fluent in self.own(part) {
            let changes = formula.differ(self.fluent(&frame, fluent), self.next(&frame, fluent));
            if !self.refutes(&mut formula, &[changes], "idle moves change nothing")? {
                moved.push(fluent);
            }
        }
        match self.runs_by_itself(&moved) {
            Ok(()) => Ok(true),
            Err(CutRefusal::Condition(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    fn is_series(&mut self) -> Verdict {
        for point in self.cut.series.clone() {
            let mut formula = self.formula();
            let frame = self.left(&mut formula, &|_| None);
            let after: Vec<Lit> = (0..self.place.len()).map(|f| self.next(&frame, f)).collect();
            let then = self.state(&mut formula, &|fluent| Some(after[fluent]));
            let goes_on = !then[self.net.terminal.index()];
            let before = self.something_to_do(&mut formula, &frame, &point.before);
            let again = self.something_to_do(&mut formula, &then, &point.before);
            self.ask(&mut formula, &[!before, again, goes_on], "what is over stays over")?;
            let mut formula = self.formula();
            let frame = self.going_on(&mut formula, &|_| None);
            let before = self.something_to_do(&mut formula, &frame, &point.before);
            let later = self.something_to_do(&mut formula, &frame, &point.after);
            self.ask(&mut formula, &[before, later], "a later part waits")?;
        }
        Ok(())
    }

    fn chooses_freely(&mut self, role: usize, quiet: &[bool]) -> Verdict {
        let parts = self.cut.acted_in(role);
        let compound =
            |number: usize| parts.iter().filter(|&&p| self.cut.acts(p, role, number)).count() > 1;
        let all_quiet = parts.iter().all(|&part| quiet[part]);
        let apart = all_quiet && !(0..self.moves[role].len()).any(compound);
        if parts.len() < 2 || apart {
            return Ok(());
        }
        let mut formula = self.formula();
        let frame = self.going_on(&mut formula, &|_| None);
        let mut picks = vec![Vec::new(); self.cut.is_clock.len()];
        let mut not_alone = Vec::new();
        for &part in &parts {
            for class in 0..self.cut.idle[part].len() {
                let pick = formula.fresh();
                picks[part].push(pick);
                if self.cut.role_of[part][class] != role {
                    formula.add(&[!pick]);
                    continue;
                }
                let moves = self.class(part, class);
                let legal = self.legal(&mut formula, &frame, &moves);
                formula.add(&[!pick, legal]);
                if !self.cut.idle[part][class] {
                    let here = self.moves[role].iter().enumerate();
                    let here = here.filter(|(_, action)| moves.contains(action));
                    let elsewhere = |number: usize| {
                        parts.iter().any(|&p| p != part && self.cut.acts(p, role, number))
                    };
                    let single = here.filter(|(number, _)| !elsewhere(*number));
                    let single: Vec<MoveId> = single.map(|(_, &action)| action).collect();
                    let alone = self.legal(&mut formula, &frame, &single);
                    not_alone.push(formula.and(&[pick, !alone]));
                }
            }
            let of_part = picks[part].clone();
            formula.add(&of_part);
        }
        if all_quiet {
            formula.add(&not_alone);
        }
        for (number, &action) in self.moves[role].iter().enumerate() {
            let mut clause = vec![!frame[self.net.legal[action].index()]];
            clause.extend(parts.iter().map(|&p| !picks[p][self.cut.class_of[p][role][number]]));
            formula.add(&clause);
        }
        self.ask(&mut formula, &[], "classes can be chosen freely")
    }

    fn goals_split(&mut self) -> Verdict {
        for (number, name) in self.cut.names.roles.iter().enumerate() {
            let goals = self.net.goals.iter().filter(|goal| *self.net.roles[goal.role] == **name);
            let Some(highest) = goals.max_by_key(|goal| goal.value) else { continue };
            match self.cut.thresholds.iter().find(|known| known.role == number) {
                Some(threshold) => self.is_threshold(highest.gate, threshold)?,
                None => self.splits(highest.gate, true)?,
            }
        }
        Ok(())
    }

    /// Whether a gate holds, where the game is over, just where enough of some conditions do.
    fn is_threshold(&mut self, gate: GateId, threshold: &Known) -> Verdict {
        let mut formula = self.formula();
        let frame = self.state(&mut formula, &|_| None);
        let conditions = threshold.conditions.iter();
        let fluent = |fluent: usize| self.fluent(&frame, fluent);
        let conditions = conditions.map(|one| self.condition(&mut formula, one, &fluent));
        let conditions: Vec<Lit> = conditions.collect();
        let enough = formula.at_least(threshold.least, &conditions);
        let differ = formula.differ(frame[gate.index()], enough);
        let over = frame[self.net.terminal.index()];
        self.ask(&mut formula, &[over, differ], "a score is a threshold")
    }

    fn end_splits(&mut self) -> Verdict {
        let mut formula = self.formula();
        let clock = |fluent: usize| {
            self.cut.part_of[self.place[fluent]].is_none_or(|part| self.cut.is_clock[part])
        };
        let one = self.state(&mut formula, &|_| None);
        let given = |fluent: usize| clock(fluent).then(|| self.fluent(&one, fluent));
        let other = self.state(&mut formula, &given);
        let over = [&one, &other].map(|frame| frame[self.net.terminal.index()]);
        for goal in &self.net.goals {
            let differ = formula.differ(one[goal.gate.index()], other[goal.gate.index()]);
            self.ask(&mut formula, &[over[0], over[1], differ], "the score looks at clocks only")?;
        }
        self.splits(self.net.terminal, false)
    }

    /// Whether a gate is a conjunction or a disjunction of one condition per part. It is no conjunction if
    /// it is false in a state although for each part there is a state with this part as it is and the
    /// clocks too in which it is true.
    fn splits(&mut self, gate: GateId, at_the_end: bool) -> Verdict {
        if self.cut.played().is_empty() {
            return Ok(());
        }
        for value in [true, false] {
            let mut formula = self.formula();
            let over = self.net.terminal.index();
            let whole = self.state(&mut formula, &|_| None);
            let mut asked = vec![if value { !whole[gate.index()] } else { whole[gate.index()] }];
            let mut frames = Vec::new();
            for part in self.cut.played() {
                let readable = self.readable(part);
                let given = |f: usize| readable[f].then(|| self.fluent(&whole, f));
                let frame = self.state(&mut formula, &given);
                asked.push(if value { frame[gate.index()] } else { !frame[gate.index()] });
                frames.push(frame);
            }
            if at_the_end {
                asked.extend(frames.iter().chain([&whole]).map(|frame| frame[over]));
            }
            if self.refutes(&mut formula, &asked, "a score splits")? {
                return Ok(());
            }
        }
        Err(refused("not borne out: a score splits"))
    }
}
