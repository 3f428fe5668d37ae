//! Whether a cut is the finest: lines of play that tie the fluents of a part together.
//!
//! A proof says that parts are apart. That a part cannot be cut further is another claim, and it takes
//! other evidence: for each part a tree of *ties*, each of which shows that two fluents cannot be in
//! different parts of any right cut with the same clocks, in which moves that are idle in the part are
//! idle in its pieces.
//!
//! - *Choice*: in one state, the moves of a role make of two fluents what they would not if they could
//!   be chosen freely: a value of the first and one of the second are possible, each with some move,
//!   but not together, and one of the two is the value that the fluent has already.
//! - *Reading*: two states differ in fluents of the part only, and these are tied already, or there is
//!   only one; after the same moves another fluent differs.
//!
//! Ties are looked for in random play, so there may be more than are found; and each is played once more
//! on the net before it counts.

use gambol_index::Id;
use gambol_net::{FluentId, MoveId, Net, NetEngine, RoleId, State};

use crate::decomposition::{Decomposition, Line, Subgame, Tie, TieKind};
use crate::evaluate::lanes::{LANES, Lanes, Trial};
use crate::partition::Partition;
use crate::sample::outcome::{Situation, situations};
use gambol_run::Random;

/// What may be read of gates in all lanes together, and how many values may be compared.
const EFFORT: u64 = 8_000_000;
const COMPARISONS: usize = 8_000_000;
/// So much of the effort without a new tie ends the search: what only the score holds together has none.
const PATIENCE: u64 = 2_000_000;
/// Games that are played, and steps of each.
const GAMES: usize = 96;
const MOST_STEPS: usize = 64;
/// Pairs of moves, and moves after them, that are compared per state and role.
const PAIRS: usize = 12;
/// Fluents of a part that are compared in pairs.
const MOST_VARYING: usize = 48;

/// Looks for ties in the parts that are played; says in them what was found.
pub(crate) fn find_ties(lanes: &mut Lanes<'_>, found: &mut Decomposition, seed: u64) {
    let net = lanes.net();
    let mut search = Search {
        net,
        tied: Partition::singletons(net.next.len()),
        random: Random::new(seed.wrapping_add(5)),
        limit: lanes.effort() + EFFORT,
        patience: lanes.effort() + PATIENCE,
        left: COMPARISONS,
        ties: Vec::new(),
    };
    let parts: Vec<Subgame> =
        found.subgames.iter().filter(|part| part.action_dependent).cloned().collect();
    for _ in 0..GAMES {
        if search.is_over(lanes) || parts.iter().all(|part| search.is_whole(part)) {
            break;
        }
        search.play(lanes, &parts);
    }
    for part in found.subgames.iter_mut().filter(|part| part.action_dependent) {
        part.finest = search.is_whole(part);
        let own = |tie: &&Tie| part.fluents.binary_search(&tie.fluents[0]).is_ok();
        part.ties = search.ties.iter().filter(own).cloned().collect();
    }
}

struct Search<'a> {
    net: &'a Net,
    /// The fluents that are tied so far.
    tied: Partition,
    random: Random,
    limit: u64,
    /// The effort at which the search is given up unless a tie is found before.
    patience: u64,
    /// Comparisons that may still be made.
    left: usize,
    ties: Vec<Tie>,
}

impl Search<'_> {
    fn is_whole(&mut self, part: &Subgame) -> bool {
        let first = part.fluents.first().map(|fluent| self.tied.find(fluent.number()));
        part.fluents.iter().all(|fluent| Some(self.tied.find(fluent.number())) == first)
    }

    fn is_over(&self, lanes: &Lanes<'_>) -> bool {
        lanes.effort() > self.limit.min(self.patience) || self.left == 0
    }

    /// Plays a game at random and looks at each of its states.
    fn play(&mut self, lanes: &mut Lanes<'_>, parts: &[Subgame]) {
        let mut state = State::initial(self.net);
        let mut line: Vec<Vec<MoveId>> = Vec::new();
        while line.len() < MOST_STEPS && !self.is_over(lanes) {
            let here = situations(lanes, vec![state]).swap_remove(0);
            if !here.goes_on() {
                return;
            }
            let moves = here.random_moves(&mut self.random);
            let known = self.ties.len();
            for role in here.choosing().collect::<Vec<_>>() {
                let after = successors(lanes, &here, &moves, role);
                for part in parts {
                    if !self.is_whole(part) {
                        self.choices(part, &here, &line, &moves, role, &after);
                        self.readings(lanes, part, &line, &moves, role, &after);
                    }
                }
            }
            if self.ties.len() > known {
                self.patience = lanes.effort() + PATIENCE;
            }
            state = lanes
                .successors(&[Trial { state: &here.state, moves: moves.clone() }])
                .swap_remove(0);
            line.push(moves);
        }
    }

    /// Pairs of fluents whose values cannot be chosen freely.
    fn choices(
        &mut self,
        part: &Subgame,
        here: &Situation,
        line: &[Vec<MoveId>],
        moves: &[MoveId],
        role: RoleId,
        after: &[(MoveId, State)],
    ) {
        self.left = self.left.saturating_sub(part.fluents.len() * after.len());
        let varies = |f: &FluentId| after.iter().any(|(_, s)| s.holds(*f) != after[0].1.holds(*f));
        let varying: Vec<FluentId> =
            part.fluents.iter().copied().filter(varies).take(MOST_VARYING).collect();
        for (place, &one) in varying.iter().enumerate() {
            for &other in &varying[..place] {
                if self.tied.find(one.number()) == self.tied.find(other.number()) {
                    continue;
                }
                self.left = self.left.saturating_sub(after.len());
                let fluents = [one, other];
                let there = after.iter().map(|(_, state)| fluents.map(|f| state.holds(f)));
                let there: Vec<[bool; 2]> = there.collect();
                let Some(missing) = bound(fluents.map(|f| here.state.holds(f)), &there) else {
                    continue;
                };
                let with = |wanted: usize| {
                    let place = there.iter().position(|pair| pair[wanted] == missing[wanted]);
                    place.map(|place| with_move(moves, role, after[place].0))
                };
                let shown = [with(0), with(1)].into_iter().flatten().collect();
                let lines = vec![Line { moves: line.to_vec(), state: here.state.fluents() }];
                self.note(part, Tie { kind: TieKind::Choice(role), fluents, lines, moves: shown });
            }
        }
    }

    /// Fluents that depend on others after a step.
    fn readings(
        &mut self,
        lanes: &mut Lanes<'_>,
        part: &Subgame,
        line: &[Vec<MoveId>],
        moves: &[MoveId],
        role: RoleId,
        after: &[(MoveId, State)],
    ) {
        for _ in 0..PAIRS {
            let [one, other] = [(); 2].map(|()| &after[self.random.below(after.len())]);
            let differ = one.1.difference(&other.1);
            let differ: Vec<FluentId> = differ.ones().map(FluentId::from_index).collect();
            let own = |f: &FluentId| part.fluents.binary_search(f).is_ok();
            let Some(first) = differ.first().copied() else { continue };
            let root = self.tied.find(first.number());
            if !differ.iter().all(|f| own(f) && self.tied.find(f.number()) == root) {
                continue;
            }
            let pair = situations(lanes, vec![one.1.clone(), other.1.clone()]);
            if !pair.iter().all(Situation::goes_on) {
                continue;
            }
            let Some(joint) = self.common_move(&pair) else { continue };
            let trials = pair.iter().map(|at| Trial { state: &at.state, moves: joint.clone() });
            let ends = lanes.successors(&trials.collect::<Vec<_>>());
            let changed = ends[0].difference(&ends[1]);
            for fluent in changed.ones().map(FluentId::from_index).filter(own) {
                if self.tied.find(fluent.number()) == self.tied.find(first.number()) {
                    continue;
                }
                let line_to = |(action, state): &(MoveId, State)| {
                    let last = with_move(moves, role, *action);
                    let moves = line.iter().cloned().chain([last]).collect();
                    Line { moves, state: state.fluents() }
                };
                let lines = vec![line_to(one), line_to(other)];
                let (kind, fluents) = (TieKind::Reading, [fluent, first]);
                self.note(part, Tie { kind, fluents, lines, moves: vec![joint.clone()] });
            }
        }
    }

    /// A joint move that is legal in both states, at random.
    fn common_move(&mut self, pair: &[Situation]) -> Option<Vec<MoveId>> {
        let (one, other) = (&pair[0].legal, &pair[1].legal);
        let of_role = |(legal, others): (&Vec<MoveId>, &Vec<MoveId>)| {
            let common: Vec<MoveId> =
                legal.iter().copied().filter(|m| others.binary_search(m).is_ok()).collect();
            (!common.is_empty()).then(|| common[self.random.below(common.len())])
        };
        one.iter().zip(other.iter()).map(of_role).collect()
    }

    /// Counts a tie, if it is what it should be when it is played once more.
    fn note(&mut self, part: &Subgame, tie: Tie) {
        let steps: usize = tie.lines.iter().map(|line| line.moves.len() + 2).sum();
        self.left = self.left.saturating_sub(steps * self.net.gate_count());
        let tied = &mut self.tied;
        let mut together =
            |one: FluentId, other: FluentId| tied.find(one.number()) == tied.find(other.number());
        if Replay::of(self.net, part).holds(&tie, &mut together).is_some() {
            self.tied.join(tie.fluents[0].number(), tie.fluents[1].number());
            self.ties.push(tie);
        }
    }
}

/// What all legal moves of a role lead to, the others' moves being fixed.
fn successors(
    lanes: &mut Lanes<'_>,
    here: &Situation,
    moves: &[MoveId],
    role: RoleId,
) -> Vec<(MoveId, State)> {
    let mut after = Vec::new();
    for chunk in here.legal[role].chunks(LANES) {
        let trial =
            |&action: &MoveId| Trial { state: &here.state, moves: with_move(moves, role, action) };
        let trials: Vec<Trial<'_>> = chunk.iter().map(trial).collect();
        after.extend(chunk.iter().copied().zip(lanes.successors(&trials)));
    }
    after
}

fn with_move(moves: &[MoveId], role: RoleId, action: MoveId) -> Vec<MoveId> {
    let mut moves = moves.to_vec();
    moves[role.index()] = action;
    moves
}

/// Values of two fluents of which each is possible, but not both; exactly one of them is new. If neither
/// were they could be had by being idle; if both were, perhaps by two moves.
fn bound(now: [bool; 2], there: &[[bool; 2]]) -> Option<[bool; 2]> {
    [[now[0], !now[1]], [!now[0], now[1]]].into_iter().find(|wanted| {
        let possible = |place: usize| there.iter().any(|pair| pair[place] == wanted[place]);
        !there.contains(wanted) && possible(0) && possible(1)
    })
}

/// Plays ties once more.
struct Replay<'a> {
    net: &'a Net,
    part: &'a Subgame,
    engine: NetEngine<&'a Net>,
}

impl<'a> Replay<'a> {
    fn of(net: &'a Net, part: &'a Subgame) -> Self {
        Self { net, part, engine: NetEngine::new(net) }
    }

    fn holds(
        &mut self,
        tie: &Tie,
        together: &mut dyn FnMut(FluentId, FluentId) -> bool,
    ) -> Option<()> {
        let ends: Option<Vec<State>> = tie.lines.iter().map(|line| self.follow(line)).collect();
        let right = match (tie.kind, ends?.as_slice()) {
            (TieKind::Choice(role), [end]) => self.is_bound(tie, role, end)?,
            (TieKind::Reading, [one, other]) => self.is_read(tie, one, other, together)?,
            _ => false,
        };
        right.then_some(())
    }

    fn is_legal(&mut self, state: &State, joint: &[MoveId]) -> bool {
        let legal = self.engine.legal(state);
        let roles = joint.iter().map(|&action| self.net.moves[action].role);
        roles.eq(self.net.roles.ids())
            && joint.iter().all(|action| legal.contains(action))
            && !self.engine.terminal(state)
    }

    fn follow(&mut self, line: &Line) -> Option<State> {
        let mut state = self.engine.initial();
        for joint in &line.moves {
            if !self.is_legal(&state, joint) {
                return None;
            }
            state = self.engine.next(&state, joint);
        }
        (state.fluents() == line.state).then_some(state)
    }

    fn is_bound(&mut self, tie: &Tie, role: RoleId, state: &State) -> Option<bool> {
        let joint = tie.moves.first()?.clone();
        let acts = |action: &MoveId| {
            self.net.moves[*action].role != role && self.part.moves.binary_search(action).is_ok()
        };
        if joint.iter().any(acts) || !self.is_legal(state, &joint) {
            return None;
        }
        let values = |state: &State| tie.fluents.map(|fluent| state.holds(fluent));
        let legal = self.engine.legal(state);
        let own = legal.into_iter().filter(|&action| self.net.moves[action].role == role);
        let there: Vec<[bool; 2]> = own
            .map(|action| values(&self.engine.next(state, &with_move(&joint, role, action))))
            .collect();
        Some(bound(values(state), &there).is_some())
    }

    fn is_read(
        &mut self,
        tie: &Tie,
        one: &State,
        other: &State,
        together: &mut dyn FnMut(FluentId, FluentId) -> bool,
    ) -> Option<bool> {
        let joint = tie.moves.first()?;
        let differ = one.difference(other).fluents();
        let own = |f: &FluentId| self.part.fluents.binary_search(f).is_ok();
        let tied = differ.iter().all(|&f| own(&f) && together(f, tie.fluents[1]));
        if !tied || differ.is_empty() || !self.is_legal(one, joint) || !self.is_legal(other, joint)
        {
            return None;
        }
        let ends = [self.engine.next(one, joint), self.engine.next(other, joint)];
        Some(ends[0].difference(&ends[1]).holds(tie.fluents[0]))
    }
}
