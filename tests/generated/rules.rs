//! Games as rules: components put together in every way, with turns, clocks, ends and goals of every
//! kind.
//!
//! One to four roles, in turn, at once, or now this and now that; a role that is stuck somewhere; moves in
//! one component, in two at a time, or in one after the other; play that never ends, or is over at
//! the start; goals of constant sum but for one rare end, several goals at an end, or none; conditions with
//! nested connectives, recursion through views and through goals. Some games are compounds but for one
//! condition: a move or an effect that looks at another component.

use std::fmt::Write;

use crate::components::{Place, component};
use crate::tape::Tape;

/// The game that the numbers stand for. Zeros make the simplest one.
pub(crate) fn text(tape: &mut Tape) -> String {
    let roles = tape.pick(&[1, 2, 2, 1, 2, 2, 3, 4]);
    let mut writer = Writer { tape, roles, conditions: Vec::new(), out: String::new() };
    writer.roles();
    let components = writer.components();
    writer.turns();
    writer.moves(components);
    writer.clock();
    writer.knots();
    writer.end();
    writer.goals();
    writer.out
}

struct Writer<'t, 'a> {
    tape: &'t mut Tape<'a>,
    roles: usize,
    /// What can be asked of a state.
    conditions: Vec<String>,
    out: String,
}

impl Writer<'_, '_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{text}");
    }

    fn roles(&mut self) {
        for role in 0..self.roles {
            self.line(format_args!("(role r{role})"));
        }
    }

    /// Each by itself, or with a glance at those before it.
    fn components(&mut self) -> usize {
        let count = 1 + self.tape.below(2) + usize::from(self.tape.one_in(5));
        let fault = if count > 1 { self.tape.below(5) } else { 0 };
        for number in 0..count {
            let glance = match number + 1 == count && fault > 2 {
                true => self.formula(1),
                false => String::new(),
            };
            let (lock, leak) = if fault == 3 { (&*glance, "") } else { ("", &*glance) };
            let place = Place { number, roles: self.roles, lock, leak };
            let made = component(self.tape, &place);
            self.out.push_str(&made.text);
            self.conditions.extend(made.conditions);
        }
        count
    }

    /// Who may choose: the role in control, all at once, or all at once in some states only.
    fn turns(&mut self) {
        let style = if self.roles == 1 { 3 } else { self.tape.below(6) };
        if style != 3 {
            self.line(format_args!("(init (control r0))"));
            for role in 0..self.roles {
                let other = (role + 1) % self.roles;
                match style {
                    // Who has passed, or pressed on, may be on again.
                    2 => {
                        let again = self.formula(1);
                        self.line(format_args!(
                            "(<= (next (control r{other})) (true (control r{role})) (not (again r{role})))
(<= (next (control r{role})) (true (control r{role})) (again r{role}))
(<= (again r{role}) {again} (true (control r{role})))"
                        ));
                    }
                    _ => self.line(format_args!(
                        "(<= (next (control r{other})) (true (control r{role})))"
                    )),
                }
            }
            self.line(format_args!("(<= (turn ?r) (true (control ?r)))"));
            self.conditions.push("(true (control r0))".to_string());
        } else {
            self.line(format_args!("(<= (turn ?r) (role ?r))"));
        }
        if style == 5 {
            let together = self.formula(1);
            self.line(format_args!("(<= (turn ?r) (role ?r) {together})"));
        }
    }

    fn moves(&mut self, components: usize) {
        let way = if components == 1 { 0 } else { self.tape.below(5) };
        match way {
            // Two at a time.
            1 => {
                self.line(format_args!(
                    "(<= (legal ?r (both ?m ?n)) (turn ?r) (can 0 ?r ?m) (can 1 ?r ?n))
(<= (able ?r) (can 0 ?r ?m) (can 1 ?r ?n))
(<= (acts ?r ?m) (does ?r (both ?m ?n)))
(<= (acts ?r ?n) (does ?r (both ?m ?n)))"
                ));
                for number in 2..components {
                    self.line(format_args!("(<= (legal ?r ?m) (turn ?r) (can {number} ?r ?m))"));
                }
            }
            // One after the other.
            2 => {
                let done = self.tape.pick(&["(not (some 0))", "(true (over 0))"]);
                let over = self.conditions[0].clone();
                self.line(format_args!(
                    "(<= (some ?c) (can ?c ?r ?m))
(<= (next (over 0)) {over})
(<= (next (over 0)) (true (over 0)))
(<= (legal ?r ?m) (turn ?r) (can 0 ?r ?m))
(<= (able ?r) (can 0 ?r ?m))"
                ));
                for number in 1..components {
                    self.line(format_args!(
                        "(<= (legal ?r ?m) (turn ?r) (can {number} ?r ?m) {done})
(<= (able ?r) (can {number} ?r ?m) {done})"
                    ));
                }
                self.conditions.push("(true (over 0))".to_string());
            }
            // Each role in its own component.
            3 => {
                for role in 0..self.roles {
                    let own = role % components;
                    self.line(format_args!(
                        "(<= (legal r{role} ?m) (turn r{role}) (can {own} r{role} ?m))
(<= (able r{role}) (can {own} r{role} ?m))"
                    ));
                }
            }
            _ => {
                self.line(format_args!("(<= (legal ?r ?m) (turn ?r) (can ?c ?r ?m))"));
                self.line(format_args!("(<= (able ?r) (can ?c ?r ?m))"));
            }
        }
        self.line(format_args!("(<= (acts ?r ?m) (does ?r ?m) (distinct ?m wait))"));
        self.waiting();
    }

    /// Whether a role may wait where it is not its turn, where it is, and where it can do nothing else.
    fn waiting(&mut self) {
        let odd = self.tape.one_in(6);
        for role in 0..self.roles {
            if !odd || self.tape.below(3) > 0 {
                self.line(format_args!(
                    "(<= (legal r{role} wait) (role r{role}) (not (turn r{role})))"
                ));
            }
            match self.tape.below(4) {
                0 => self.line(format_args!("(<= (legal r{role} wait) (turn r{role}))")),
                1 if odd => {}
                2 => {
                    let allowed = self.formula(2);
                    self.line(format_args!("(<= (legal r{role} wait) (turn r{role}) {allowed})"));
                    if !odd {
                        self.line(format_args!(
                            "(<= (legal r{role} wait) (turn r{role}) (not (able r{role})))"
                        ));
                    }
                }
                _ => self.line(format_args!(
                    "(<= (legal r{role} wait) (turn r{role}) (not (able r{role})))"
                )),
            }
        }
        if self.tape.one_in(40) {
            // A role of which the rules say no more.
            let fresh = self.roles;
            self.line(format_args!("(role r{fresh})"));
            self.roles += 1;
        }
    }

    /// A clock that runs by itself, or only under a condition.
    fn clock(&mut self) {
        if self.tape.one_in(3) {
            return;
        }
        let last = 1 + self.tape.below(5);
        for step in 0..last {
            self.line(format_args!("(then {step} {})", step + 1));
        }
        let when = if self.tape.one_in(6) { self.formula(1) } else { String::new() };
        self.line(format_args!(
            "(init (time (t 0)))
(<= (next (time (t ?n))) (true (time (t ?m))) (then ?m ?n) {when})
(<= late (true (time (t {last}))))"
        ));
        if !when.is_empty() {
            self.line(format_args!(
                "(<= (next (time ?n)) (true (time ?n)) (not (or {when} late)))"
            ));
        }
        if !self.tape.one_in(8) {
            self.line(format_args!("(<= terminal late)"));
        }
        self.conditions.push("late".to_string());
    }

    /// Views that call one another.
    fn knots(&mut self) {
        if !self.tape.one_in(3) {
            return;
        }
        let lines: Vec<String> = (0..4).map(|_| self.formula(1)).collect();
        self.line(format_args!(
            "(<= (knot 0) {})\n(<= (knot 1) (knot 0) {})\n(<= (knot 2) (knot 1))\n(<= (knot 0) (knot 2) {})\n(<= (knot 2) (knot 0) (knot 1) {})",
            lines[0], lines[1], lines[2], lines[3]
        ));
        self.conditions.extend((0..3).map(|view| format!("(knot {view})")));
    }

    fn end(&mut self) {
        for _ in 0..1 + self.tape.below(2) {
            let over = self.formula(2);
            self.line(format_args!("(<= terminal {over})"));
        }
        if self.tape.one_in(6) {
            self.line(format_args!(
                "(<= anybody (able ?r) (turn ?r))\n(<= terminal (not anybody))"
            ));
        }
    }

    fn goals(&mut self) {
        let values: [u32; 4] = self.tape.pick(&[
            [100, 0, 50, 25],
            [100, 50, 0, 75],
            [90, 20, 40, 60],
            [0, 100, 100, 0],
        ]);
        let levels = 1 + self.tape.below(3);
        let shared: Vec<String> = (0..levels).map(|_| self.formula(2)).collect();
        let style = self.tape.below(5);
        for role in 0..self.roles {
            let own: Vec<String> = match style {
                0..=2 => shared.clone(),
                _ => (0..levels).map(|_| self.formula(2)).collect(),
            };
            let mut before = String::new();
            for (level, condition) in own.iter().enumerate() {
                let value = self.value(values, style, role, level);
                self.line(format_args!("(<= (goal r{role} {value}) {before} {condition})"));
                let _ = write!(before, " (not {condition})");
            }
            let value = self.value(values, style, role, levels);
            // Otherwise there are ends without a goal.
            if !self.tape.one_in(8) {
                self.line(format_args!("(<= (goal r{role} {value}) {before})"));
            }
        }
        self.odd_goals();
    }

    /// Of two roles one gets what the other does not, in most styles.
    fn value(&mut self, values: [u32; 4], style: usize, role: usize, level: usize) -> u32 {
        match (style, role) {
            (0..=2 | 4, 0) => values[level],
            (0..=1, 1) => 100 - values[level],
            _ => self.tape.pick(&values),
        }
    }

    fn odd_goals(&mut self) {
        let role = self.tape.below(self.roles);
        match self.tape.below(10) {
            7 => {
                let rare = [self.formula(1), self.formula(1), self.formula(1)].join(" ");
                self.line(format_args!("(<= (goal r{role} 30) {rare})"));
            }
            8 => {
                let other = self.tape.below(self.roles);
                let when = self.formula(1);
                self.line(format_args!("(<= (goal r{role} 100) (goal r{other} 100) {when})"));
                self.line(format_args!("(<= (goal r{other} 100) (goal r{role} 100))"));
            }
            9 => {
                let when = self.formula(1);
                self.line(format_args!("(<= (prize r{role}) (goal r{role} 50) {when})"));
                self.line(format_args!("(<= (goal r{role} 50) (prize r{role}))"));
                self.line(format_args!("(<= (goal r{role} 75) (prize r{role}))"));
            }
            _ => {}
        }
    }

    /// A condition on the state.
    fn formula(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 4 } else { 9 };
        match self.tape.below(kinds) {
            0..=2 => self.condition(),
            3 => negated(&self.condition()),
            4 | 5 => format!("(or {} {})", self.formula(depth - 1), self.formula(depth - 1)),
            6 => format!("(and {} {})", self.formula(depth - 1), self.formula(depth - 1)),
            7 => format!("(not (or {} {}))", self.formula(depth - 1), self.formula(depth - 1)),
            _ => format!("(not (and {} {}))", self.formula(depth - 1), self.formula(depth - 1)),
        }
    }

    fn condition(&mut self) -> String {
        let place = self.tape.below(self.conditions.len());
        self.conditions.get(place).cloned().unwrap_or_else(|| "(role r0)".to_string())
    }
}

fn negated(condition: &str) -> String {
    match condition.strip_prefix("(not ").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner.to_string(),
        None => format!("(not {condition})"),
    }
}
