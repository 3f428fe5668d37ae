//! What each side of a table knows: chance throws its lot, and cards stay hidden.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gambol::net::{BaseMarking, FluentId, MoveId, Net, NetEngine, RoleId};
use gambol::play::{Guess, Prepared, SearchOptions, Worlds, has_hidden_information};
use gambol::sim::State;
use gambol_run::mixed;

/// The worlds of every role, in a game with hidden information, and the seed of everything that is random.
pub(super) struct TableTalk<'a> {
    prepared: &'a Prepared,
    worlds: Option<Vec<Worlds>>,
    seed: u64,
}

impl<'a> TableTalk<'a> {
    pub(super) fn new(prepared: &'a Prepared, seed: u64) -> Self {
        let mut talk = Self { prepared, worlds: None, seed };
        talk.begin_again(&[]);
        talk
    }

    fn net(&self) -> &'a Net {
        self.prepared.net()
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.worlds.is_some()
    }

    /// After moves were taken back.
    pub(super) fn begin_again(&mut self, history: &[Vec<MoveId>]) {
        let net = self.net();
        if has_hidden_information(net) {
            let known = |role| Worlds::after(net, role, history, self.seed);
            self.worlds = net.roles.ids().map(known).collect();
        }
    }

    /// A joint move was made in this state.
    pub(super) fn step(&mut self, state: &State, joint: &[MoveId]) {
        let mut engine = NetEngine::new(self.net());
        for worlds in self.worlds.iter_mut().flatten() {
            worlds.step(&mut engine, state, joint);
        }
    }

    /// One of chance's moves, each as likely as any other; the same for the same seed and step.
    pub(super) fn lot(&self, moves: &[MoveId], step: usize) -> Option<MoveId> {
        let draw = mixed(self.seed, step as u64 + 1);
        moves.get(usize::try_from(draw.checked_rem(moves.len() as u64)?).ok()?).copied()
    }

    /// A move for a role that uses only what it knows.
    pub(super) fn guess(
        &mut self,
        role: RoleId,
        until: Instant,
        stop: &AtomicBool,
    ) -> Option<Guess> {
        let (net, circuit) = (self.prepared.net(), self.prepared.circuit());
        let worlds = &mut self.worlds.as_mut()?[role.number() as usize];
        worlds.decide(net, circuit, &SearchOptions::default(), until, stop)
    }

    /// What a role saw in the last step, in words.
    pub(super) fn saw(&self, role: RoleId) -> Option<String> {
        let (net, worlds) = (self.net(), &self.worlds.as_ref()?[role.number() as usize]);
        let seen: Vec<&str> = worlds.seen().iter().map(|&row| &*net.percepts[row].name).collect();
        (!seen.is_empty()).then(|| format!("you saw {}", seen.join(", ")))
    }

    /// What a role knows to be true, and what it does not know, in words.
    pub(super) fn sight(&self, role: RoleId) -> Option<(BaseMarking, String)> {
        let (net, worlds) = (self.net(), &self.worlds.as_ref()?[role.number() as usize]);
        let with = |value: Option<bool>| -> Vec<FluentId> {
            net.fluents.ids().filter(|&fluent| worlds.knows(fluent) == value).collect()
        };
        let names = |fluents: &[FluentId]| -> String {
            fluents.iter().map(|&fluent| &*net.fluents[fluent]).collect::<Vec<_>>().join(" ")
        };
        let mut words = String::new();
        let open = with(None);
        if !open.is_empty() {
            words += &format!("you do not know which of these are true: {}\n", names(&open));
        }
        Some((BaseMarking::of(net, &with(Some(true))), words))
    }
}
