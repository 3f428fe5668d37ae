//! Generated games, as tables: parts with a few states each, who moves when, what moves do, when play is
//! over, and what the roles then get. A table is turned into a net for the solvers; the judge reads the
//! table itself.

use gambol_net::{FluentId, MoveId, Net, NetBuilder, RoleId, Wire};

use crate::judge::Game;

/// A small generator of random numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % sides.max(1)
    }

    pub(crate) fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.roll(all.len())].clone()
    }
}

/// For each state of a part what it becomes; none where the move is not legal.
pub(crate) type Effect = Vec<Option<usize>>;

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) acts: Vec<(usize, Effect)>,
    /// Who makes it moves again.
    pub(crate) again: bool,
}

/// A condition on a state.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Always,
    Clock,
    Control(usize),
    /// Exactly so many parts are in one of their marked states.
    Marked(Vec<Vec<bool>>, usize),
    /// A part is in one of these states.
    Part(usize, Vec<bool>),
    /// Who is to move has no move.
    NoMove,
    Any(Vec<Condition>),
}

#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) roles: usize,
    /// How many states each part has; play begins in the first.
    pub(crate) parts: Vec<usize>,
    pub(crate) clock: Option<usize>,
    /// Whether roles move in turn.
    pub(crate) in_turn: bool,
    pub(crate) moves: Vec<Vec<Action>>,
    /// For each role whether it can wait when it is not its turn, and pass when it is.
    pub(crate) waits: Vec<bool>,
    pub(crate) passes: Vec<bool>,
    /// What becomes of a part nobody acts in.
    pub(crate) drift: Vec<Option<Effect>>,
    /// Two roles that act in one part at once add up what they do.
    pub(crate) clash: bool,
    pub(crate) over: Condition,
    pub(crate) goals: Vec<Vec<(u32, Condition)>>,
}

/// The states of the parts, the clock and who is to move.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Position {
    pub(crate) parts: Vec<usize>,
    pub(crate) clock: usize,
    pub(crate) control: usize,
}

/// A move of a role: one of its actions, or to do nothing.
pub(crate) type Choice = Option<usize>;

impl Sheet {
    fn choices(&self, position: &Position, role: usize) -> Vec<Choice> {
        let mut legal = Vec::new();
        let turn = !self.in_turn || position.control == role;
        if turn {
            for (number, action) in self.moves[role].iter().enumerate() {
                if action.acts.iter().all(|(part, effect)| effect[position.parts[*part]].is_some())
                {
                    legal.push(Some(number));
                }
            }
        }
        if if turn { self.passes[role] } else { self.waits[role] } {
            legal.push(None);
        }
        legal
    }

    fn after(&self, position: &Position, joint: &[Choice]) -> Position {
        let mut parts = Vec::new();
        for (part, &state) in position.parts.iter().enumerate() {
            let acting: Vec<usize> = (0..self.roles)
                .filter_map(|role| {
                    let action = &self.moves[role][joint[role]?];
                    let (_, effect) = action.acts.iter().find(|(acted, _)| *acted == part)?;
                    effect[state]
                })
                .collect();
            parts.push(match acting.as_slice() {
                [] => match &self.drift[part] {
                    Some(drift) => drift[state].unwrap_or(state),
                    None => state,
                },
                [.., _] if self.clash => acting.iter().sum::<usize>() % self.parts[part],
                [.., last] => *last,
            });
        }
        let clock = self.clock.map_or(0, |end| (position.clock + 1).min(end));
        let again = joint[position.control]
            .is_some_and(|number| self.moves[position.control][number].again);
        let control = match self.in_turn {
            true if !again => (position.control + 1) % self.roles,
            _ => position.control,
        };
        Position { parts, clock, control }
    }

    fn holds(&self, position: &Position, condition: &Condition) -> bool {
        match condition {
            Condition::Always => true,
            Condition::Clock => self.clock == Some(position.clock),
            Condition::Control(role) => position.control == *role,
            Condition::Marked(marks, count) => {
                let marked =
                    marks.iter().zip(&position.parts).filter(|(marks, part)| marks[**part]);
                marked.count() == *count
            }
            Condition::Part(part, marks) => marks[position.parts[*part]],
            Condition::NoMove => {
                let legal = self.choices(position, position.control);
                !legal.iter().any(Option::is_some)
            }
            Condition::Any(any) => any.iter().any(|one| self.holds(position, one)),
        }
    }

    /// The worst and the best an end can be read as.
    fn reading(&self, position: &Position, role: usize) -> (u32, u32) {
        let holding = self.goals[role].iter().filter(|(_, when)| self.holds(position, when));
        let values: Vec<u32> = holding.map(|(value, _)| *value).collect();
        match (values.iter().min(), values.iter().max()) {
            (Some(least), Some(most)) => (*least, *most),
            _ => (0, 100),
        }
    }
}

impl Game for Sheet {
    type Position = Position;
    type Choice = Choice;

    fn roles(&self) -> usize {
        self.roles
    }

    fn start(&mut self) -> Position {
        Position { parts: vec![0; self.parts.len()], clock: 0, control: 0 }
    }

    fn over(&mut self, position: &Position) -> bool {
        self.holds(position, &self.over)
    }

    fn legal(&mut self, position: &Position, role: usize) -> Vec<Choice> {
        self.choices(position, role)
    }

    fn next(&mut self, position: &Position, joint: &[Choice]) -> Position {
        self.after(position, joint)
    }

    fn payoff(&mut self, position: &Position, role: usize) -> (u32, u32) {
        self.reading(position, role)
    }

    fn choice(&mut self, net: &Net, action: MoveId) -> Choice {
        net.moves[action].name.strip_prefix('m')?.parse().ok()
    }
}

/// A net of the game, and which fluents belong to which part.
pub(crate) fn net_of(sheet: &Sheet) -> (Net, Vec<Vec<FluentId>>) {
    let mut net = NetBuilder::new();
    let roles: Vec<RoleId> = (0..sheet.roles).map(|role| net.role(&format!("r{role}"))).collect();
    let parts: Vec<Vec<FluentId>> = (0..sheet.parts.len())
        .map(|part| {
            (0..sheet.parts[part]).map(|state| net.fluent(&format!("p{part}s{state}"))).collect()
        })
        .collect();
    let clock: Vec<FluentId> = match sheet.clock {
        Some(end) => (0..=end).map(|step| net.fluent(&format!("c{step}"))).collect(),
        None => Vec::new(),
    };
    let control: Vec<FluentId> = match sheet.in_turn {
        true => (0..sheet.roles).map(|role| net.fluent(&format!("t{role}"))).collect(),
        false => Vec::new(),
    };
    parts.iter().for_each(|states| net.initial(states[0]));
    clock.first().into_iter().for_each(|&fluent| net.initial(fluent));
    control.first().into_iter().for_each(|&fluent| net.initial(fluent));
    let mut moves: Vec<Vec<MoveId>> = Vec::new();
    for (role, &id) in roles.iter().enumerate() {
        let mut own: Vec<MoveId> =
            (0..sheet.moves[role].len()).map(|n| net.action(id, &format!("m{n}"))).collect();
        own.push(net.action(id, "idle"));
        moves.push(own);
    }
    let mut builder = Builder { sheet, net, parts, clock, control, moves, acting: Vec::new() };
    builder.add_legality();
    builder.add_steps();
    let over = builder.wire(&sheet.over);
    builder.net.terminal(over);
    for (role, goals) in sheet.goals.iter().enumerate() {
        for (value, when) in goals {
            let when = builder.wire(when);
            builder.net.goal(roles[role], *value, when);
        }
    }
    let Builder { net, parts, .. } = builder;
    (net.finish().expect("the net is well formed"), parts)
}

struct Builder<'a> {
    sheet: &'a Sheet,
    net: NetBuilder,
    parts: Vec<Vec<FluentId>>,
    clock: Vec<FluentId>,
    control: Vec<FluentId>,
    moves: Vec<Vec<MoveId>>,
    /// For each role the conditions under which its actions are legal.
    acting: Vec<Vec<Wire>>,
}

impl Builder<'_> {
    fn in_states(&mut self, part: usize, wanted: impl Fn(usize) -> bool) -> Wire {
        let states = (0..self.sheet.parts[part]).filter(|&state| wanted(state));
        let wires: Vec<Wire> =
            states.map(|state| self.net.truth(self.parts[part][state])).collect();
        self.net.or(wires)
    }

    fn add_legality(&mut self) {
        for role in 0..self.sheet.roles {
            let turn = match self.control.get(role) {
                Some(&fluent) => self.net.truth(fluent),
                None => self.net.constant(true),
            };
            let mut acting = Vec::new();
            for (number, action) in self.sheet.moves[role].iter().enumerate() {
                let mut all = vec![turn];
                for (part, effect) in &action.acts {
                    all.push(self.in_states(*part, |state| effect[state].is_some()));
                }
                let legal = self.net.and(all);
                self.net.legal(self.moves[role][number], legal);
                acting.push(legal);
            }
            let away = self.net.not(turn);
            let mut idle = Vec::new();
            if self.sheet.passes[role] {
                idle.push(turn);
            }
            if self.sheet.waits[role] {
                idle.push(away);
            }
            let idle = self.net.or(idle);
            let place = self.sheet.moves[role].len();
            self.net.legal(self.moves[role][place], idle);
            self.acting.push(acting);
        }
    }

    fn add_steps(&mut self) {
        for part in 0..self.parts.len() {
            self.add_part(part);
        }
        for step in 0..self.clock.len() {
            let mut before = Vec::new();
            if step > 0 {
                before.push(self.net.truth(self.clock[step - 1]));
            }
            if step + 1 == self.clock.len() {
                before.push(self.net.truth(self.clock[step]));
            }
            let next = self.net.or(before);
            self.net.next(self.clock[step], next);
        }
        for role in 0..self.control.len() {
            let last = (role + self.control.len() - 1) % self.control.len();
            let mut ways = Vec::new();
            for (from, stays) in [(last, false), (role, true)] {
                let repeated: Vec<Wire> = (0..self.sheet.moves[from].len())
                    .filter(|&number| self.sheet.moves[from][number].again)
                    .map(|number| self.net.does(self.moves[from][number]))
                    .collect();
                let again = self.net.or(repeated);
                let when = if stays { again } else { self.net.not(again) };
                let turn = self.net.truth(self.control[from]);
                ways.push(self.net.and([turn, when]));
            }
            if self.control.len() == 1 {
                ways = vec![self.net.truth(self.control[0])];
            }
            let next = self.net.or(ways);
            self.net.next(self.control[role], next);
        }
    }

    /// Every joint choice of the roles that act in the part, one by one.
    fn add_part(&mut self, part: usize) {
        let sheet = self.sheet;
        let own = |role: usize| -> Vec<(Option<&Effect>, usize)> {
            let effect = |action: &'_ Action| action.acts.iter().position(|(p, _)| *p == part);
            let acts = sheet.moves[role].iter().enumerate();
            let mut found: Vec<(Option<&Effect>, usize)> = acts
                .filter_map(|(n, action)| Some((Some(&action.acts[effect(action)?].1), n)))
                .collect();
            found.push((None, usize::MAX));
            found
        };
        let mut joint: Vec<(Vec<&Effect>, Vec<Wire>)> = vec![(Vec::new(), Vec::new())];
        for role in 0..sheet.roles {
            let choices = own(role);
            let done: Vec<Wire> = choices
                .iter()
                .filter(|(effect, _)| effect.is_some())
                .map(|&(_, number)| self.net.does(self.moves[role][number]))
                .collect();
            let any = self.net.or(done);
            let none = self.net.not(any);
            let mut longer = Vec::new();
            for (effects, wires) in &joint {
                for &(effect, number) in &choices {
                    let wire = match effect {
                        Some(_) => self.net.does(self.moves[role][number]),
                        None => none,
                    };
                    let effects = effects.iter().copied().chain(effect).collect();
                    longer.push((effects, [&wires[..], &[wire]].concat()));
                }
            }
            joint = longer;
        }
        let size = sheet.parts[part];
        let mut ways: Vec<Vec<Wire>> = vec![Vec::new(); size];
        for (effects, wires) in joint {
            let when = self.net.and(wires);
            for state in 0..size {
                let next = match effects.as_slice() {
                    [] => Some(match &sheet.drift[part] {
                        Some(drift) => drift[state].unwrap_or(state),
                        None => state,
                    }),
                    all => {
                        let after: Option<Vec<usize>> = all.iter().map(|e| e[state]).collect();
                        after.map(|after| match sheet.clash {
                            true => after.iter().sum::<usize>() % size,
                            false => after[after.len() - 1],
                        })
                    }
                };
                if let Some(next) = next {
                    let here = self.net.truth(self.parts[part][state]);
                    ways[next].push(self.net.and([here, when]));
                }
            }
        }
        for (state, ways) in ways.into_iter().enumerate() {
            let next = self.net.or(ways);
            self.net.next(self.parts[part][state], next);
        }
    }

    fn wire(&mut self, condition: &Condition) -> Wire {
        match condition {
            Condition::Always => self.net.constant(true),
            Condition::Clock => match self.clock.last() {
                Some(&fluent) => self.net.truth(fluent),
                None => self.net.constant(false),
            },
            Condition::Control(role) => match self.control.get(*role) {
                Some(&fluent) => self.net.truth(fluent),
                None => self.net.constant(*role == 0),
            },
            Condition::Part(part, marks) => self.in_states(*part, |state| marks[state]),
            Condition::Marked(marks, count) => self.marked(marks, *count),
            Condition::NoMove => {
                let mut ways = Vec::new();
                for role in 0..self.sheet.roles {
                    let turn = self.wire(&Condition::Control(role));
                    let some = self.net.or(self.acting[role].clone());
                    let none = self.net.not(some);
                    ways.push(self.net.and([turn, none]));
                }
                self.net.or(ways)
            }
            Condition::Any(any) => {
                let wires: Vec<Wire> = any.iter().map(|one| self.wire(one)).collect();
                self.net.or(wires)
            }
        }
    }

    fn marked(&mut self, marks: &[Vec<bool>], count: usize) -> Wire {
        let mut ways = Vec::new();
        for subset in 0..1usize << marks.len() {
            if subset.count_ones() as usize != count {
                continue;
            }
            let mut all = Vec::new();
            for (part, marks) in marks.iter().enumerate() {
                let wanted = subset >> part & 1 == 1;
                all.push(self.in_states(part, |state| marks[state] == wanted));
            }
            ways.push(self.net.and(all));
        }
        self.net.or(ways)
    }
}
