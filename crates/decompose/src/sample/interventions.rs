//! Playouts with interventions.
//!
//! In each state met, the joint move that is played is compared with another one that differs in the
//! move of one role only. What then differs in the next state was caused by the choice; nothing has
//! to be guessed from what happens at the same time.

use gambol_index::{Id, IndexVec};
use gambol_net::{FluentId, MoveId, Net, RoleId, State};
use rustc_hash::FxHashMap;

use crate::evaluate::lanes::{
    LANES, Lanes, NONE, Word, and, and_not, first_lanes, gathered, holds, is_none, lanes_of, set,
    xor,
};
use crate::evaluate::scope::Scope;
use crate::evaluate::tally::Tally;
use crate::sample::trail::{LONGEST, Trail};
use gambol_run::{Deadline, Random};

/// A state met in play, with what followed.
#[derive(Clone, Debug)]
pub(crate) struct Met {
    pub(crate) state: State,
    pub(crate) next: State,
}

/// During which steps of a playout a fluent was up to the players.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) first: u16,
    pub(crate) last: u16,
}

impl Span {
    /// Never.
    pub(crate) const NEVER: Span = Span { first: u16::MAX, last: 0 };

    pub(crate) fn is_never(self) -> bool {
        self.first > self.last
    }

    pub(crate) fn join(self, other: Span) -> Span {
        Span { first: self.first.min(other.first), last: self.last.max(other.last) }
    }

    fn extend(&mut self, step: u16) {
        *self = self.join(Span { first: step, last: step });
    }
}

/// What playouts have shown.
pub(crate) struct Observation {
    /// Fluents that changed.
    pub(crate) changes: IndexVec<FluentId, bool>,
    /// Fluents that two joint moves made different.
    pub(crate) dependent: IndexVec<FluentId, bool>,
    /// How often a move was tried.
    pub(crate) tried: IndexVec<MoveId, u32>,
    /// How often a move changed a fluent that another move would have left, or changed otherwise.
    pub(crate) effects: FxHashMap<(MoveId, FluentId), u32>,
    /// A random choice of the states met.
    pub(crate) met: Vec<Met>,
    /// Some steps in which each fluent changed.
    pub(crate) steps: Vec<Met>,
    /// States in which some fluent was up to the players.
    pub(crate) open: Vec<State>,
    /// For each fluent some of them, by their place.
    pub(crate) witnesses: IndexVec<FluentId, Vec<u32>>,
    /// For some whole playouts, when each fluent was up to the players.
    pub(crate) spans: Vec<IndexVec<FluentId, Span>>,
    /// How many games were played to their end.
    pub(crate) playouts: u64,
    /// Whether that is as many as were wanted.
    pub(crate) complete: bool,
}

impl Observation {
    /// Some states in which a fluent was up to the players.
    pub(crate) fn witnesses_of(&self, fluent: FluentId) -> impl Iterator<Item = &State> {
        self.witnesses[fluent].iter().map(|&place| &self.open[place as usize])
    }
}

/// Bits of states that may be kept.
const MOST_BITS: usize = 1 << 26;
/// States that are kept.
const MOST_STATES: usize = 6_000;
/// Steps that are kept for a fluent.
const CHANGES: u8 = 2;
/// States that are kept for a fluent.
const WITNESSES: usize = 4;
/// Playouts whose spans are kept, if there are not too many fluents.
const SPANS: usize = 256;

/// Games after which it is given up to wait for a phase.
const GAMES_TO_A_PHASE: u64 = 2_048;
/// What may be read of gates: a few seconds of work.
const EFFORT: u64 = 800_000_000;

/// Random play that can be gone on with.
pub(crate) struct Play<'a> {
    net: &'a Net,
    lanes: Lanes<'a>,
    beginning: State,
    random: Random,
    steps: [u16; LANES],
    /// The playout of each of the first lanes whose spans are noted, if it is still the first.
    noting: Vec<bool>,
    seen: Observation,
    noted_changes: IndexVec<FluentId, u8>,
    /// How many games had been played when a fluent was last seen to change, or to be up to the players, for the
    /// first time.
    latest_news: u64,
    /// States met so far, kept or not.
    count: usize,
    most: usize,
    /// Steps that are kept because of what changes or is open in them.
    most_steps: usize,
    trail: Trail,
    /// Games that are played for a first step that is looked at.
    patience: u64,
}

/// The joint moves of all lanes, one after the other; none where play does not go on.
struct Choice {
    played: Vec<MoveId>,
    other: Vec<MoveId>,
    roles: usize,
    going: Word,
}

impl Choice {
    fn played(&self, lane: usize) -> &[MoveId] {
        &self.played[lane * self.roles..][..self.count(lane)]
    }

    fn other(&self, lane: usize) -> &[MoveId] {
        &self.other[lane * self.roles..][..self.count(lane)]
    }

    /// The lanes in which a role has another move.
    fn free(&self) -> Word {
        let mut free = NONE;
        for lane in lanes_of(&self.going).filter(|&lane| self.played(lane) != self.other(lane)) {
            set(&mut free, lane);
        }
        free
    }

    fn count(&self, lane: usize) -> usize {
        if self.going[lane / 64] >> (lane % 64) & 1 == 1 { self.roles } else { 0 }
    }
}

impl<'a> Play<'a> {
    pub(crate) fn new(net: &'a Net, seed: u64) -> Self {
        Self::within(net, None, seed)
    }

    /// Play of which only the steps within a phase are looked at.
    pub(crate) fn within(net: &'a Net, scope: Option<Scope>, seed: u64) -> Self {
        let beginning = State::initial(net);
        let (patience, trail) = match scope {
            Some(_) => (GAMES_TO_A_PHASE, Trail::none()),
            None => (1, Trail::new()),
        };
        let mut lanes = Lanes::within(net, scope);
        lanes.load(std::iter::repeat_n(&beginning, LANES));
        let fluents = net.next.len();
        let spans = if fluents <= 8_000 { SPANS } else { 32 };
        let seen = Observation {
            changes: IndexVec::filled(false, fluents),
            dependent: IndexVec::filled(false, fluents),
            tried: IndexVec::filled(0, net.legal.len()),
            effects: FxHashMap::default(),
            met: Vec::new(),
            steps: Vec::new(),
            open: Vec::new(),
            witnesses: IndexVec::filled(Vec::new(), fluents),
            spans: vec![IndexVec::filled(Span::NEVER, fluents); spans],
            playouts: 0,
            complete: false,
        };
        let most = (MOST_BITS / fluents.max(1)).clamp(256, MOST_STATES);
        Self {
            net,
            lanes,
            beginning,
            random: Random::new(seed),
            steps: [0; LANES],
            noting: vec![true; spans],
            seen,
            noted_changes: IndexVec::filled(0, fluents),
            latest_news: 0,
            count: 0,
            most,
            most_steps: (4 * MOST_BITS / fluents.max(1)).max(256),
            trail,
            patience,
        }
    }

    /// Goes on until so many games have been played in all.
    pub(crate) fn until(&mut self, playouts: u64, deadline: &Deadline) {
        while self.seen.playouts < playouts && self.goes_on() && !deadline.is_over() {
            self.round();
        }
        self.seen.complete = self.seen.playouts >= playouts;
    }

    /// What was seen so far.
    pub(crate) fn seen(&self) -> &Observation {
        &self.seen
    }

    /// The first game of each lane.
    pub(crate) fn trail(&self) -> &Trail {
        &self.trail
    }

    /// The same for whoever needs nothing else: nothing is compared and nothing is kept.
    pub(crate) fn only_trail(net: &'a Net, seed: u64, deadline: &Deadline) -> Trail {
        let mut play = Self::new(net, seed);
        while !play.trail.is_over() && play.lanes.effort() < EFFORT && !deadline.is_over() {
            let choice = play.choose();
            play.note_trail(&choice);
            play.lanes.step((0..LANES).map(|lane| choice.played(lane)));
            let played = play.lanes.next_words();
            play.advance(&choice.going, &played);
        }
        play.trail
    }

    /// Whether the second half of the games has shown nothing new.
    pub(crate) fn has_settled(&self) -> bool {
        2 * self.latest_news <= self.seen.playouts
    }

    fn goes_on(&self) -> bool {
        self.is_worthwhile() && self.lanes.effort() < EFFORT
    }

    /// Whether some game can be played at all.
    fn is_worthwhile(&self) -> bool {
        self.count > 0 || self.seen.playouts < self.patience
    }

    /// One step of all games; those that are over begin again.
    fn round(&mut self) {
        let mut choice = self.choose();
        let (all, mut inside) = (choice.going, self.lanes.inside());
        self.note_trail(&choice);
        self.lanes.step((0..LANES).map(|lane| choice.other(lane)));
        let other = self.lanes.next_words();
        inside = and(&inside, &self.lanes.inside_next());
        self.lanes.step((0..LANES).map(|lane| choice.played(lane)));
        let played = self.lanes.next_words();
        inside = and(&inside, &self.lanes.inside_next());
        choice.going = and(&all, &inside);
        self.compare(&choice, &played, &other);
        self.keep(&choice.going, &played);
        self.advance(&all, &played);
    }

    fn note_trail(&mut self, choice: &Choice) {
        if !self.trail.is_over() {
            let states = self.net.fluents.ids().map(|fluent| *self.lanes.fluent(fluent));
            self.trail.note(states.collect::<Vec<_>>().into(), choice.free(), &choice.going);
        }
    }

    fn choose(&mut self) -> Choice {
        let roles = self.net.roles.len();
        let mut going = and_not(&first_lanes(LANES), self.lanes.terminal());
        let counts: Vec<[u32; LANES]> =
            self.net.roles.ids().map(|role| self.count_legal(role).numbers()).collect();
        for lane in lanes_of(&going.clone()) {
            if counts.iter().any(|of_role| of_role[lane] == 0) {
                going[lane / 64] &= !(1 << (lane % 64));
            }
        }
        // The places of the moves among the legal ones of each role.
        let (mut played, mut other) = (vec![[0; LANES]; roles], vec![[0; LANES]; roles]);
        for lane in lanes_of(&going) {
            let legal = |role: usize| counts[role][lane] as usize;
            for role in 0..roles {
                played[role][lane] = self.random.below(legal(role)) as u32;
                other[role][lane] = played[role][lane];
            }
            let choosing = (0..roles).filter(|&role| legal(role) > 1).count();
            if choosing > 0 {
                let nth = self.random.below(choosing);
                let role = (0..roles).filter(|&role| legal(role) > 1).nth(nth).unwrap_or(0);
                let place = self.random.below(legal(role) - 1) as u32;
                other[role][lane] = place + u32::from(place >= played[role][lane]);
            }
        }
        let (played, other) = (self.moves_at(&played, &going), self.moves_at(&other, &going));
        Choice { played, other, roles, going }
    }

    /// How many legal moves a role has.
    fn count_legal(&self, role: RoleId) -> Tally {
        let mut count = Tally::default();
        for action in self.net.moves_of(role).map(MoveId::new) {
            count.add(self.lanes.legal(action));
        }
        count
    }

    /// The joint moves at these places among the legal ones, by lane.
    fn moves_at(&self, places: &[[u32; LANES]], going: &Word) -> Vec<MoveId> {
        let roles = places.len();
        let mut moves = vec![MoveId::new(0); LANES * roles];
        for (role, places) in places.iter().enumerate() {
            let mut before = Tally::of(places);
            let mut open = *going;
            for action in self.net.moves_of(RoleId::from_index(role)).map(MoveId::new) {
                let legal = and(self.lanes.legal(action), &open);
                if is_none(&legal) {
                    continue;
                }
                let here = before.zero_in(&legal);
                lanes_of(&here).for_each(|lane| moves[lane * roles + role] = action);
                open = and_not(&open, &here);
                before.subtract(&and_not(&legal, &here));
            }
        }
        moves
    }

    fn compare(
        &mut self,
        choice: &Choice,
        played: &IndexVec<FluentId, Word>,
        other: &IndexVec<FluentId, Word>,
    ) {
        for lane in lanes_of(&choice.going) {
            choice.played(lane).iter().for_each(|&action| self.seen.tried[action] += 1);
        }
        let (mut changing, mut witnesses) = (Vec::new(), Vec::new());
        for fluent in self.net.fluents.ids() {
            let now = *self.lanes.fluent(fluent);
            let changed = and(&xor(&now, &played[fluent]), &choice.going);
            if !is_none(&changed) && self.noted_changes[fluent] < CHANGES {
                self.note_news(!self.seen.changes[fluent]);
                self.seen.changes[fluent] = true;
                self.noted_changes[fluent] += 1;
                changing.extend(lanes_of(&changed).next());
            }
            let differs = and(&xor(&played[fluent], &other[fluent]), &choice.going);
            if !is_none(&differs) {
                self.note_news(!self.seen.dependent[fluent]);
                self.seen.dependent[fluent] = true;
                self.note_effects(fluent, choice, &differs, &changed);
                if self.seen.witnesses[fluent].len() < WITNESSES {
                    witnesses.extend(lanes_of(&differs).next().map(|lane| (lane, fluent)));
                }
                self.note_spans(fluent, &differs);
            }
        }
        self.note_changes(changing, played);
        self.note_witnesses(witnesses);
    }

    fn note_news(&mut self, new: bool) {
        if new {
            self.latest_news = self.seen.playouts;
        }
    }

    fn note_effects(&mut self, fluent: FluentId, choice: &Choice, differs: &Word, changed: &Word) {
        for lane in lanes_of(differs) {
            let (played, other) = (choice.played(lane), choice.other(lane));
            let role = (0..played.len()).find(|&role| played[role] != other[role]);
            let Some(role) = role else { continue };
            let cause = if holds(changed, lane) { played[role] } else { other[role] };
            *self.seen.effects.entry((cause, fluent)).or_default() += 1;
        }
    }

    /// Keeps the steps of some lanes, in which fluents changed.
    fn note_changes(&mut self, mut lanes: Vec<usize>, played: &IndexVec<FluentId, Word>) {
        lanes.sort_unstable();
        lanes.dedup();
        lanes.truncate(self.most_steps.saturating_sub(self.seen.steps.len()));
        let steps = self.met_in(&lanes, played);
        self.seen.steps.extend(steps);
    }

    /// Keeps the states of some lanes, in which fluents were up to the players.
    fn note_witnesses(&mut self, mut of: Vec<(usize, FluentId)>) {
        of.sort_unstable();
        let mut lanes: Vec<usize> = of.iter().map(|&(lane, _)| lane).collect();
        lanes.dedup();
        lanes.truncate(self.most_steps.saturating_sub(self.seen.open.len()));
        let first = self.seen.open.len();
        self.seen.open.extend(self.lanes.states_in(&lanes));
        for (lane, fluent) in of {
            let place = lanes.binary_search(&lane).ok().map(|place| (first + place) as u32);
            self.seen.witnesses[fluent].extend(place);
        }
    }

    fn note_spans(&mut self, fluent: FluentId, differs: &Word) {
        for lane in lanes_of(differs).take_while(|&lane| lane < self.noting.len()) {
            if self.noting[lane] {
                self.seen.spans[lane][fluent].extend(self.steps[lane]);
            }
        }
    }

    /// Keeps each state met with the same chance.
    fn keep(&mut self, going: &Word, played: &IndexVec<FluentId, Word>) {
        let (mut places, mut chosen) = (Vec::new(), Vec::new());
        for lane in lanes_of(going) {
            let place = match self.count < self.most {
                true => self.count,
                false => self.random.below(self.count + 1),
            };
            self.count += 1;
            if place < self.most {
                places.push(place);
                chosen.push(lane);
            }
        }
        for (met, place) in self.met_in(&chosen, played).into_iter().zip(places) {
            match self.seen.met.get_mut(place) {
                Some(old) => *old = met,
                None => self.seen.met.push(met),
            }
        }
    }

    /// The states in some lanes, with what follows.
    fn met_in(&self, lanes: &[usize], played: &IndexVec<FluentId, Word>) -> Vec<Met> {
        let (states, next) = (self.lanes.states_in(lanes), gathered(played.iter(), lanes));
        states.into_iter().zip(next).map(|(state, next)| Met { state, next }).collect()
    }

    fn advance(&mut self, going: &Word, played: &IndexVec<FluentId, Word>) {
        let mut going = *going;
        for lane in 0..LANES {
            self.steps[lane] += 1;
            let over = !holds(&going, lane) || self.steps[lane] >= LONGEST;
            if over {
                going[lane / 64] &= !(1 << (lane % 64));
                self.seen.playouts += 1;
                self.steps[lane] = 0;
                if let Some(noting) = self.noting.get_mut(lane) {
                    *noting = false;
                }
            }
        }
        self.lanes.advance(played, &going, &self.beginning);
    }
}
