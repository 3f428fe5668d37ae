//! Generated games in phases that overlap: wheels that are turned, of which each phase uses some. Where a phase ends
//! some wheels are handed on as they are and others are set back. A table is turned into a net for the solvers; the
//! judge reads the table itself.

use std::collections::HashMap;

use gambol_net::{FluentId, MoveId, Net, NetBuilder, Wire};

/// A small generator of random numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % sides
    }
}

#[derive(Debug)]
struct Stretch {
    /// Moves: the wheel that is turned, and what each of its values becomes.
    actions: Vec<(usize, Vec<usize>)>,
    /// The phase is over when all these wheels show a marked value, or after so many steps.
    ends: Vec<(usize, Vec<bool>)>,
    steps: usize,
    /// For each wheel the value that it is set back to, if it is.
    set_back: Vec<Option<usize>>,
}

/// A game of one player, or of two in turn whose interests are opposed.
#[derive(Debug)]
pub(crate) struct Compound {
    roles: usize,
    /// How many values each wheel has; it begins with the first.
    wheels: Vec<usize>,
    phases: Vec<Stretch>,
    /// What the first player gets at the end for the values of two wheels.
    paying: [usize; 2],
    pays: Vec<Vec<u32>>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Position {
    phase: usize,
    values: Vec<usize>,
    step: usize,
    turn: usize,
}

impl Compound {
    /// The game of a seed.
    pub(crate) fn of(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            dice.roll(2);
        }
        let wheels: Vec<usize> = (0..3 + dice.roll(2)).map(|_| 2 + dice.roll(2)).collect();
        let count = 2 + usize::from(dice.roll(3) == 0);
        let phases = (0..count).map(|_| Stretch::of(&mut dice, &wheels)).collect();
        let paying = [dice.roll(wheels.len()), dice.roll(wheels.len())];
        let row = |dice: &mut Dice| (0..3).map(|_| 10 * dice.roll(11) as u32).collect();
        let pays = (0..3).map(|_| row(&mut dice)).collect();
        Self { roles: 1 + dice.roll(2), wheels, phases, paying, pays }
    }

    /// How many players there are.
    pub(crate) fn roles(&self) -> usize {
        self.roles
    }

    fn paid(&self, values: &[usize]) -> u32 {
        self.pays[values[self.paying[0]]][values[self.paying[1]]]
    }

    /// What the first player gets if both play best, position by position.
    pub(crate) fn value(&self) -> u32 {
        let start = Position { phase: 0, values: vec![0; self.wheels.len()], step: 0, turn: 0 };
        self.judge(&start, &mut HashMap::new())
    }

    fn judge(&self, position: &Position, known: &mut HashMap<Position, u32>) -> u32 {
        if position.phase == self.phases.len() {
            return self.paid(&position.values);
        }
        if let Some(&value) = known.get(position) {
            return value;
        }
        let count = self.phases[position.phase].actions.len();
        let after = (0..count).map(|action| self.judge(&self.next(position, action), known));
        let after: Vec<u32> = after.collect();
        let value = match position.turn {
            0 => after.into_iter().max(),
            _ => after.into_iter().min(),
        };
        let value = value.expect("there is always a move");
        known.insert(position.clone(), value);
        value
    }

    fn next(&self, position: &Position, action: usize) -> Position {
        let stretch = &self.phases[position.phase];
        let mut next = position.clone();
        next.turn = (position.turn + 1) % self.roles;
        next.step += 1;
        let (wheel, effect) = &stretch.actions[action];
        next.values[*wheel] = effect[position.values[*wheel]];
        let reached = stretch.ends.iter().all(|(wheel, marked)| marked[next.values[*wheel]]);
        if reached || next.step == stretch.steps {
            next.phase += 1;
            next.step = 0;
            for (value, back) in next.values.iter_mut().zip(&stretch.set_back) {
                *value = back.unwrap_or(*value);
            }
        }
        next
    }

    /// The same as a net.
    pub(crate) fn net(&self) -> Net {
        Builder::new(self).net()
    }
}

impl Stretch {
    fn of(dice: &mut Dice, wheels: &[usize]) -> Self {
        let action = |dice: &mut Dice| {
            let wheel = dice.roll(wheels.len());
            (wheel, (0..wheels[wheel]).map(|_| dice.roll(wheels[wheel])).collect())
        };
        let actions: Vec<(usize, Vec<usize>)> =
            (0..2 + dice.roll(3)).map(|_| action(dice)).collect();
        let end = |dice: &mut Dice| {
            let wheel = dice.roll(wheels.len());
            (wheel, (0..wheels[wheel]).map(|_| dice.roll(2) == 0).collect())
        };
        let ends = (0..1 + dice.roll(2)).map(|_| end(dice)).collect();
        let back = |dice: &mut Dice, values: usize| (dice.roll(3) > 0).then(|| dice.roll(values));
        let set_back = wheels.iter().map(|&values| back(dice, values)).collect();
        Self { actions, ends, steps: 3 + dice.roll(2), set_back }
    }
}

struct Builder<'a> {
    game: &'a Compound,
    net: NetBuilder,
    wheels: Vec<Vec<FluentId>>,
    begun: Vec<FluentId>,
    steps: Vec<FluentId>,
    turns: Vec<FluentId>,
    over: FluentId,
    /// For each role and phase the moves.
    actions: Vec<Vec<Vec<MoveId>>>,
    waits: Vec<MoveId>,
}

impl<'a> Builder<'a> {
    fn new(game: &'a Compound) -> Self {
        let mut net = NetBuilder::new();
        let roles: Vec<_> = (0..game.roles).map(|role| net.role(&format!("p{role}"))).collect();
        let wheel = |net: &mut NetBuilder, number: usize, values: usize| -> Vec<FluentId> {
            (0..values).map(|value| net.fluent(&format!("(wheel {number} {value})"))).collect()
        };
        let wheels: Vec<Vec<FluentId>> =
            (0..).zip(&game.wheels).map(|(number, &all)| wheel(&mut net, number, all)).collect();
        let later = 1..game.phases.len();
        let begun = later.map(|phase| net.fluent(&format!("(begun {phase})"))).collect();
        let steps = (0..5).map(|step| net.fluent(&format!("(step {step})"))).collect::<Vec<_>>();
        let turns = (0..game.roles).map(|role| net.fluent(&format!("(turn {role})")));
        let turns: Vec<FluentId> = turns.collect();
        let over = net.fluent("over");
        wheels.iter().for_each(|wheel| net.initial(wheel[0]));
        net.initial(steps[0]);
        net.initial(turns[0]);
        let (mut actions, mut waits) = (Vec::new(), Vec::new());
        for &role in &roles {
            let of_role = game.phases.iter().enumerate().map(|(phase, stretch)| {
                let moves = 0..stretch.actions.len();
                moves.map(|one| net.action(role, &format!("(turn {phase} {one})"))).collect()
            });
            actions.push(of_role.collect());
            waits.push(net.action(role, "wait"));
        }
        Self { game, net, wheels, begun, steps, turns, over, actions, waits }
    }

    fn net(mut self) -> Net {
        self.moves();
        let ends: Vec<Wire> = (0..self.game.phases.len()).map(|phase| self.ends(phase)).collect();
        self.transitions(&ends);
        self.scores();
        self.net.finish().expect("it is a net")
    }

    fn is_in(&mut self, phase: usize) -> Wire {
        let mut all = Vec::new();
        if phase > 0 {
            all.push(self.net.truth(self.begun[phase - 1]));
        }
        if let Some(&later) = self.begun.get(phase) {
            let later = self.net.truth(later);
            all.push(self.net.not(later));
        }
        self.net.and(all)
    }

    fn moves(&mut self) {
        for role in 0..self.game.roles {
            let turn = self.net.truth(self.turns[role]);
            for phase in 0..self.game.phases.len() {
                let here = self.is_in(phase);
                let legal = self.net.and([here, turn]);
                let actions = self.actions[role][phase].clone();
                actions.into_iter().for_each(|action| self.net.legal(action, legal));
            }
            let other = self.net.not(turn);
            self.net.legal(self.waits[role], other);
        }
    }

    fn done(&mut self, phase: usize, action: usize) -> Wire {
        let roles = 0..self.game.roles;
        let does: Vec<Wire> =
            roles.map(|role| self.net.does(self.actions[role][phase][action])).collect();
        self.net.or(does)
    }

    /// Whether a wheel shows a value after the move.
    fn moved(&mut self, wheel: usize, value: usize) -> Wire {
        let game = self.game;
        let (mut becomes, mut turned) = (Vec::new(), Vec::new());
        for (phase, stretch) in game.phases.iter().enumerate() {
            for (number, (of, effect)) in stretch.actions.iter().enumerate() {
                if *of != wheel {
                    continue;
                }
                let done = self.done(phase, number);
                turned.push(done);
                let from = (0..effect.len()).filter(|&old| effect[old] == value);
                let from: Vec<Wire> =
                    from.map(|old| self.net.truth(self.wheels[wheel][old])).collect();
                let from = self.net.or(from);
                becomes.push(self.net.and([done, from]));
            }
        }
        let turned = self.net.or(turned);
        let (kept, now) = (self.net.not(turned), self.net.truth(self.wheels[wheel][value]));
        becomes.push(self.net.and([kept, now]));
        self.net.or(becomes)
    }

    fn ends(&mut self, phase: usize) -> Wire {
        let stretch = &self.game.phases[phase];
        let mut all = Vec::new();
        for (wheel, marked) in &stretch.ends {
            let values = (0..marked.len()).filter(|&value| marked[value]);
            let shown: Vec<Wire> = values.map(|value| self.moved(*wheel, value)).collect();
            all.push(self.net.or(shown));
        }
        let reached = self.net.and(all);
        let late = self.net.truth(self.steps[stretch.steps - 1]);
        let either = self.net.or([reached, late]);
        let here = self.is_in(phase);
        self.net.and([here, either])
    }

    fn transitions(&mut self, ends: &[Wire]) {
        let ended = self.net.or(ends.iter().copied());
        let goes_on = self.net.not(ended);
        for wheel in 0..self.wheels.len() {
            for value in 0..self.wheels[wheel].len() {
                let moved = self.moved(wheel, value);
                let mut becomes = vec![self.net.and([goes_on, moved])];
                for (stretch, &end) in self.game.phases.iter().zip(ends) {
                    match stretch.set_back[wheel] {
                        None => becomes.push(self.net.and([end, moved])),
                        Some(back) if back == value => becomes.push(end),
                        Some(_) => {}
                    }
                }
                let becomes = self.net.or(becomes);
                self.net.next(self.wheels[wheel][value], becomes);
            }
        }
        for (place, begun) in self.begun.clone().into_iter().enumerate() {
            let now = self.net.truth(begun);
            let begins = self.net.or([now, ends[place]]);
            self.net.next(begun, begins);
        }
        self.net.next(self.steps[0], ended);
        for pair in self.steps.clone().windows(2) {
            let now = self.net.truth(pair[0]);
            let later = self.net.and([now, goes_on]);
            self.net.next(pair[1], later);
        }
        for role in 0..self.turns.len() {
            let before = self.net.truth(self.turns[(role + 1) % self.turns.len()]);
            self.net.next(self.turns[role], before);
        }
        self.net.next(self.over, ends[ends.len() - 1]);
    }

    fn scores(&mut self) {
        let over = self.net.truth(self.over);
        self.net.terminal(over);
        let [one, other] = self.game.paying;
        let mut when: HashMap<u32, Vec<Wire>> = HashMap::new();
        for first in 0..self.game.wheels[one] {
            for second in 0..self.game.wheels[other] {
                let shown = [self.wheels[one][first], self.wheels[other][second]];
                let shown = shown.map(|fluent| self.net.truth(fluent));
                let both = self.net.and(shown);
                when.entry(self.game.pays[first][second]).or_default().push(both);
            }
        }
        let mut when: Vec<(u32, Vec<Wire>)> = when.into_iter().collect();
        when.sort_unstable_by_key(|(value, _)| *value);
        for role in 0..self.game.roles {
            for (value, shown) in &when {
                let any = self.net.or(shown.iter().copied());
                let value = if role == 0 { *value } else { 100 - *value };
                self.net.goal(gambol_index::Id::from_index(role), value, any);
            }
        }
    }
}
