//! A listing: all states that can be reached, and how they follow one another.
//!
//! A game small enough to be listed is solved by looking at everything. That is slow and plainly
//! right, so the listing judges the other solvers.

pub(crate) mod checkpoint;
pub(crate) mod observation;
pub(crate) mod retrograde;
pub(crate) mod store;
pub(crate) mod strategy_size;
pub(crate) mod strong;
pub(crate) mod values;

use gambol_index::Id;

use self::checkpoint::{ListingKeeper, SavedListing};
use self::store::{StateId, Store};
use crate::limits::Meter;
use crate::{Dynamics, Limits, Looks, Payoff, Unfinished, Unobserved};

/// All states of a game. State 0 is the start.
#[derive(Clone, Debug)]
pub struct Listing {
    /// How many players there are.
    pub roles: usize,
    /// The states.
    pub store: Store,
    looks: Looks,
    /// The successors of state `s` are `successors[first[s]..first[s + 1]]`, one per joint move.
    first: Vec<u64>,
    successors: Vec<StateId>,
}

/// States are expanded in batches of this size.
const BATCH: usize = 512;

/// Lists the states that can be reached from a state.
pub fn list(
    game: &mut impl Dynamics,
    start: &[u64],
    limits: &Limits,
) -> Result<Listing, Unfinished> {
    list_from(game, start, limits, None, &mut ListingKeeper::new(&mut Unobserved, 0, None))
}

/// The same; goes on from a listing that was kept, and keeps what is done.
pub(crate) fn list_from(
    game: &mut impl Dynamics,
    start: &[u64],
    limits: &Limits,
    saved: Option<SavedListing>,
    keeper: &mut ListingKeeper<'_>,
) -> Result<Listing, Unfinished> {
    let meter = Meter::start(limits);
    let mut listing = Listing::begun(game, start);
    if let Some(saved) = saved {
        saved.restore(game, &mut listing, &meter)?;
    }
    listing.complete(game, &meter, keeper)?;
    Ok(listing)
}

impl Listing {
    /// The start alone.
    pub(crate) fn begun(game: &impl Dynamics, start: &[u64]) -> Self {
        let mut listing = Listing {
            roles: game.roles(),
            store: Store::new(game.width()),
            looks: Looks::new(game.roles()),
            first: vec![0],
            successors: Vec::new(),
        };
        listing.store.insert(start);
        listing
    }

    /// Lists what is left to list. If a limit is met, what is done stays, to be completed later.
    pub(crate) fn complete(
        &mut self,
        game: &mut impl Dynamics,
        meter: &Meter,
        keeper: &mut ListingKeeper<'_>,
    ) -> Result<(), Unfinished> {
        let mut done = self.looks.len();
        while done < self.len() {
            let batch = done..self.len().min(done + BATCH);
            self.expand(game, batch.clone());
            done = batch.end;
            keeper.look(self, meter);
            if let Err(unfinished) = meter.check(self.bytes()) {
                keeper.keep(self, meter);
                return Err(unfinished);
            }
        }
        Ok(())
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.store.len()
    }

    /// Whether there are no states; there is at least the start.
    pub fn is_empty(&self) -> bool {
        self.store.is_empty()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.len()).map(StateId::from_index)
    }

    /// What follows a state, one per joint move.
    pub fn successors(&self, state: StateId) -> &[StateId] {
        &self.successors[self.first[state.index()] as usize..self.first[state.index() + 1] as usize]
    }

    /// Whether the game is over.
    pub fn over(&self, state: StateId) -> bool {
        self.looks.over(state.index())
    }

    /// What an end is worth to a role.
    pub fn goal(&self, state: StateId, role: usize) -> Payoff {
        self.looks.goals(state.index())[role]
    }

    /// The moves of a role.
    pub fn moves(&self, state: StateId, role: usize) -> &[u32] {
        self.looks.moves(state.index(), role)
    }

    /// A joint move by its number.
    pub fn joint_move(&self, state: StateId, number: usize) -> Vec<u32> {
        let mut joint = Vec::with_capacity(self.roles);
        self.looks.joint_move(state.index(), number, &mut joint);
        joint
    }

    /// The roles that have more than one move.
    pub fn choosers(&self, state: StateId) -> impl Iterator<Item = usize> {
        (0..self.roles).filter(move |&role| self.moves(state, role).len() > 1)
    }

    /// Whether at most one role can choose in every state.
    pub fn is_alternating(&self) -> bool {
        self.states().all(|state| self.choosers(state).nth(1).is_none())
    }

    /// Whether every end has exactly one value for each role.
    pub fn has_clear_ends(&self) -> bool {
        let clear = |end| (0..self.roles).all(|role| self.goal(end, role).value().is_some());
        self.states().filter(|&state| self.over(state)).all(clear)
    }

    /// The states, successors first; none if a state can come back.
    pub fn backwards(&self) -> Option<Vec<StateId>> {
        let mut order = Vec::with_capacity(self.len());
        let mut seen = vec![Seen::No; self.len()];
        let mut path = vec![StateId::new(0)];
        while let Some(&state) = path.last() {
            match seen[state.index()] {
                Seen::No => {
                    seen[state.index()] = Seen::Open;
                    for &next in self.successors(state) {
                        match seen[next.index()] {
                            Seen::No => path.push(next),
                            Seen::Open => return None,
                            Seen::Done => {}
                        }
                    }
                }
                Seen::Open => {
                    seen[state.index()] = Seen::Done;
                    order.push(state);
                    path.pop();
                }
                Seen::Done => {
                    path.pop();
                }
            }
        }
        Some(order)
    }

    fn expand(&mut self, game: &mut impl Dynamics, batch: std::ops::Range<usize>) {
        let looks = game.look(self.store.rows(batch.clone()));
        let (mut rows, mut joint) = (Vec::new(), Vec::new());
        for (place, state) in batch.clone().enumerate() {
            for number in 0..looks.joint_count(place) {
                rows.extend_from_slice(self.store.row(StateId::from_index(state)));
                looks.joint_move(place, number, &mut joint);
            }
        }
        let next = game.step(&rows, &joint);
        let next: Vec<StateId> =
            next.chunks_exact(game.width()).map(|row| self.store.insert(row).0).collect();
        self.add(&looks, &mut next.into_iter());
    }

    /// Adds what is seen in the next states, and the states that follow them.
    pub(crate) fn add(&mut self, looks: &Looks, next: &mut impl Iterator<Item = StateId>) {
        for place in 0..looks.len() {
            self.successors.extend(next.by_ref().take(looks.joint_count(place)));
            self.first.push(self.successors.len() as u64);
        }
        self.looks.append(looks);
    }

    /// Of how many states it is known what follows, and what.
    pub(crate) fn so_far(&self) -> (usize, &[StateId]) {
        (self.looks.len(), &self.successors)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes() + self.successors.capacity() * 4 + self.len() * (24 + 16 * self.roles)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    No,
    Open,
    Done,
}
