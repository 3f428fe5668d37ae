//! Who moves: which role has the choice in a state, proved of all states.
//!
//! *Turn markers* are fluents of which exactly one is true in every state before the end, and while one of them is,
//! at most one role has more than one move. Random games suggest markers; what the rules say of all states is asked
//! of a solver. Nothing here looks at a clock, so that a game has the same kind on every machine.

use gambol_analysis::{Answer, Budget, Encoding, Frame, Lit};
use gambol_index::Id;
use gambol_net::{FluentId, GateId, MoveId, Net, RoleId};
use gambol_sim::{Circuit, Evaluator, State};

/// How the players move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Moving {
    /// There is one role.
    Single,
    /// In turn: while the fluent is true only this role has a choice, or no role has. Proved.
    Sequential(Vec<Marker>),
    /// At the same time, or nothing else is proved.
    Simultaneous,
}

/// A turn marker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Marker {
    /// It is true while it is the turn of a role.
    pub fluent: FluentId,
    /// Whose.
    pub role: RoleId,
}

/// Random games that are looked at, and the states of them.
const GAMES: usize = 24;
const STATES: usize = 2_048;
/// The most members of a turn marker.
const MOST_MEMBERS: usize = 16;
/// Groups of fluents that are asked about.
const MOST_GROUPS: usize = 24;
/// Decisions per question.
const EFFORT: u64 = 10_000;

impl Moving {
    /// Whose turn it is in a state, if it is the turn of one role.
    pub fn mover(&self, holds: impl Fn(FluentId) -> bool) -> Option<RoleId> {
        match self {
            Self::Single => Some(RoleId::new(0)),
            Self::Simultaneous => None,
            Self::Sequential(markers) => {
                let marker = markers.iter().find(|marker| holds(marker.fluent));
                // A state that play does not reach may have no marker.
                Some(marker.or(markers.first()).map_or(RoleId::new(0), |marker| marker.role))
            }
        }
    }

    /// In a word: `single`, `sequential` or `simultaneous`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Sequential(_) => "sequential",
            Self::Simultaneous => "simultaneous",
        }
    }
}

/// How the players of a game move. A budget that runs out leaves things unproved.
pub fn moving(net: &Net, circuit: &Circuit, budget: &Budget) -> Moving {
    if net.roles.len() < 2 {
        return Moving::Single;
    }
    let Some(sample) = Sample::of(net, circuit) else { return Moving::Simultaneous };
    let proved = sample.groups(net).into_iter().take(MOST_GROUPS).find_map(|group| {
        let markers: Vec<Marker> = group.iter().map(|&fluent| sample.marker(fluent)).collect();
        are_markers(net, &markers, budget).then_some(markers)
    });
    proved.map_or(Moving::Simultaneous, Moving::Sequential)
}

/// What was seen in random games.
struct Sample {
    /// For each fluent the states in which it is true, as bits.
    seen: Vec<Vec<u64>>,
    states: usize,
    /// For each fluent the roles that had a choice while it was true, as bits.
    choosers: Vec<u64>,
}

impl Sample {
    /// None if two roles had a choice at once.
    fn of(net: &Net, circuit: &Circuit) -> Option<Self> {
        let mut sample = Self {
            seen: vec![vec![0; STATES.div_ceil(64)]; net.fluents.len()],
            states: 0,
            choosers: vec![0; net.fluents.len()],
        };
        let mut evaluator = Evaluator::new(circuit);
        let mut random = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..GAMES {
            let mut state = circuit.initial();
            while sample.states < STATES && !evaluator.terminal(&state) {
                let legal = evaluator.legal(&state);
                sample.look(net, circuit, &state, &legal)?;
                let Some(joint) = draw(net, &legal, &mut random) else { break };
                state = evaluator.next(&state, &joint);
            }
        }
        Some(sample)
    }

    fn look(
        &mut self,
        net: &Net,
        circuit: &Circuit,
        state: &State,
        legal: &[MoveId],
    ) -> Option<()> {
        let own = |role| legal.iter().filter(|&&action| net.moves[action].role == role).count();
        let choosers: Vec<RoleId> = net.roles.ids().filter(|&role| own(role) > 1).collect();
        if choosers.len() > 1 {
            return None;
        }
        let bits = choosers.iter().fold(0, |bits, role| bits | 1u64 << (role.index() % 64));
        for fluent in circuit.fluents_of(state) {
            self.seen[fluent.index()][self.states / 64] |= 1 << (self.states % 64);
            self.choosers[fluent.index()] |= bits;
        }
        self.states += 1;
        Some(())
    }

    /// The marker that a fluent may be. While nobody has a choice it is anybody's turn: the first role's.
    fn marker(&self, fluent: FluentId) -> Marker {
        let bits = self.choosers[fluent.index()];
        let role = if bits == 0 { 0 } else { bits.trailing_zeros() as usize };
        Marker { fluent, role: RoleId::from_index(role) }
    }

    /// Groups of fluents of which one was true in each state, with at most one chooser each, and not all the same.
    fn groups(&self, net: &Net) -> Vec<Vec<FluentId>> {
        let fits = |fluent: &FluentId| {
            self.choosers[fluent.index()].count_ones() <= 1
                && self.seen[fluent.index()].iter().any(|&word| word != 0)
        };
        let fluents: Vec<FluentId> = net.fluents.ids().filter(fits).collect();
        let mut groups: Vec<Vec<FluentId>> = Vec::new();
        for (place, &one) in fluents.iter().enumerate() {
            for &other in &fluents[place + 1..] {
                if self.partition(&[one, other]) {
                    groups.push(vec![one, other]);
                }
            }
        }
        for &one in &fluents {
            let name = family(net, one);
            let alike = fluents.iter().copied().filter(|&other| family(net, other) == name);
            let group: Vec<FluentId> = alike.collect();
            if (3..=MOST_MEMBERS).contains(&group.len())
                && group[0] == one
                && self.partition(&group)
            {
                groups.push(group);
            }
        }
        groups.retain(|group| {
            let bits = group.iter().fold(0, |bits, fluent| bits | self.choosers[fluent.index()]);
            bits.count_ones() > 1
        });
        groups
    }

    /// Whether exactly one of the fluents was true in each state.
    fn partition(&self, group: &[FluentId]) -> bool {
        (0..self.states.div_ceil(64)).all(|word| {
            let (mut one, mut two) = (0, 0);
            for fluent in group {
                let bits = self.seen[fluent.index()][word];
                two |= one & bits;
                one |= bits;
            }
            let all = u64::MAX >> (64 - (self.states - 64 * word).min(64));
            two == 0 && one == all
        })
    }
}

/// The relation that a fluent belongs to.
fn family(net: &Net, fluent: FluentId) -> &str {
    let name = net.fluents[fluent].trim_start_matches('(');
    name.split_whitespace().next().unwrap_or(name)
}

/// A joint move by chance; none if a role has no move.
fn draw(net: &Net, legal: &[MoveId], random: &mut u64) -> Option<Vec<MoveId>> {
    let of_role = |role| {
        let own: Vec<MoveId> =
            legal.iter().copied().filter(|&action| net.moves[action].role == role).collect();
        *random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let place = (*random >> 33) as usize % own.len().max(1);
        own.get(place).copied()
    };
    net.roles.ids().map(of_role).collect()
}

/// Whether exactly one of the fluents is true in every state of play, and each leaves the choice to its role.
fn are_markers(net: &Net, markers: &[Marker], budget: &Budget) -> bool {
    let begins_well =
        markers.iter().filter(|marker| net.initial.contains(&marker.fluent)).count() == 1;
    begins_well && leave_the_choice(net, markers, budget) && stay_exclusive(net, markers, budget)
}

fn leave_the_choice(net: &Net, markers: &[Marker], budget: &Budget) -> bool {
    let mut encoding = Encoding::new(net, budget);
    let state = encoding.state();
    exactly_one(&mut encoding, state, markers);
    let over = encoding.gate(state, net.terminal);
    encoding.add(&[!over]);
    net.roles.ids().all(|role| {
        let choice = has_choice(net, &mut encoding, state, role);
        let others = markers.iter().filter(|marker| marker.role != role);
        let mut others = others
            .map(|marker| encoding.fluent(state, marker.fluent))
            .collect::<Vec<_>>()
            .into_iter();
        others.all(|other| encoding.solve(&[other, choice], EFFORT) == Answer::NoModel)
    })
}

/// By induction over the steps.
fn stay_exclusive(net: &Net, markers: &[Marker], budget: &Budget) -> bool {
    let mut encoding = Encoding::new(net, budget);
    let now = encoding.state();
    exactly_one(&mut encoding, now, markers);
    let then = encoding.step(now);
    // Once the game is over nobody asks whose turn it is.
    let over = encoding.gate(then, net.terminal);
    encoding.add(&[!over]);
    let after: Vec<Lit> =
        markers.iter().map(|marker| encoding.fluent(then, marker.fluent)).collect();
    let none: Vec<Lit> = after.iter().map(|&marker| !marker).collect();
    let mut wrong = vec![none];
    for (place, &one) in after.iter().enumerate() {
        wrong.extend(after[place + 1..].iter().map(|&other| vec![one, other]));
    }
    wrong.iter().all(|wrong| encoding.solve(wrong, EFFORT) == Answer::NoModel)
}

fn exactly_one(encoding: &mut Encoding<'_>, state: Frame, markers: &[Marker]) {
    let now: Vec<Lit> =
        markers.iter().map(|marker| encoding.fluent(state, marker.fluent)).collect();
    encoding.add(&now);
    for (place, &one) in now.iter().enumerate() {
        for &other in &now[place + 1..] {
            encoding.add(&[!one, !other]);
        }
    }
}

/// A literal that says that a role has two legal moves.
fn has_choice(net: &Net, encoding: &mut Encoding<'_>, state: Frame, role: RoleId) -> Lit {
    let never = encoding.gate(state, GateId::new(0));
    let (mut one, mut two) = (never, never);
    for action in net.moves_of(role).map(MoveId::new) {
        let legal = encoding.gate(state, net.legal[action]);
        let second = encoding.and(vec![one, legal]);
        two = encoding.or(vec![two, second]);
        one = encoding.or(vec![one, legal]);
    }
    two
}
