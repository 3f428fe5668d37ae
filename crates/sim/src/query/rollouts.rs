//! Rollouts: random games from given states, many states at a time.
//!
//! A search hands over the leaves it wants to know about. Each gets some lanes; lanes whose game is
//! over are given to the next leaf that is in the phase the games have come to, so that short games do
//! not wait for long ones, nor the leaves of one phase for those of another.

use std::collections::VecDeque;
use std::time::Instant;

use gambol_index::{Id, IndexVec};
use gambol_net::RoleId;

use crate::engine::Engine;
use crate::engine::machine::Machine;
use crate::engine::word::{Isolated, Task, Word, dispatch};
use crate::engine::{Code, Width};
use crate::playouts::bias::{Bias, Preferences};
use crate::playouts::steps::{Steps, lowest};
use crate::{Circuit, State};

/// A state to play from, and how often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start<'a> {
    /// The state; it should not be terminal.
    pub state: &'a State,
    /// How many games.
    pub playouts: u32,
}

/// What random games from a state were worth.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Returns {
    /// The games that came to an end. Games that got stuck or were cut off do not count, and neither
    /// does a state that no game reaches from the start.
    pub playouts: u32,
    /// The sum of each role's goals; where a role has no goal value or several, it gets nothing.
    pub goals: IndexVec<RoleId, u64>,
}

/// States whose games are over, by the numbers under which they were handed over, and what the games were worth. Can
/// be used again, so that playing allocates nothing.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Answers {
    roles: usize,
    /// Each state's number, and its games that came to an end.
    states: Vec<(usize, u32)>,
    /// Of each state the sums of the roles' goals.
    goals: Vec<u64>,
}

impl Answers {
    /// Each state's number, its games that came to an end, and the sum of each role's goals: see [`Returns`].
    pub fn iter(&self) -> impl Iterator<Item = (usize, u32, &[u64])> {
        let goals = |place: usize| &self.goals[place * self.roles..][..self.roles];
        let answer = move |(place, &(number, playouts))| (number, playouts, goals(place));
        self.states.iter().enumerate().map(answer)
    }

    fn clear(&mut self, roles: usize) {
        self.roles = roles;
        self.states.clear();
        self.goals.clear();
    }
}

/// Plays random games from given states. Owns its memory: one per thread.
pub struct Rollouts<'a> {
    games: Box<dyn Games + Send + 'a>,
}

impl<'a> Rollouts<'a> {
    /// For a game. The same seed and the same questions give the same answers; games are cut off
    /// after `max_steps`.
    pub fn new(circuit: &'a Circuit, seed: u64, max_steps: u32) -> Self {
        Self::with_code(circuit, circuit.options.code, seed, max_steps)
    }

    /// The same, run in a certain way.
    pub fn with_code(circuit: &'a Circuit, code: Code, seed: u64, max_steps: u32) -> Self {
        let Engine { width, registers, machine } = Engine::of(circuit.batch(), code, Width::Auto);
        let games = NewSheet { circuit, machine, seed, max_steps };
        Self { games: dispatch(width, registers, games) }
    }

    /// How many games are played side by side.
    pub fn lanes(&self) -> usize {
        self.games.lanes()
    }

    /// Prefers some moves from now on, or none.
    pub fn prefer(&mut self, bias: Option<&Bias<'_>>) {
        self.games.prefer(bias);
    }

    /// Hands over a state, as words, under a number, to play so often from it. Its games are played from the next call
    /// of [`play`](Self::play) or [`finish`](Self::finish) on.
    pub fn begin(&mut self, number: usize, state: &[u64], playouts: u32) {
        self.games.begin(number, state, playouts);
    }

    /// Plays until there is room for more games, and tells the states whose games are over: long games go on beside
    /// those that are begun later.
    pub fn play(&mut self, deadline: Option<Instant>, answers: &mut Answers) {
        self.games.play(Until::Room, deadline, answers);
    }

    /// Plays all games to their end, or until the deadline; games that are not over by then are cut off.
    pub fn finish(&mut self, deadline: Option<Instant>, answers: &mut Answers) {
        self.games.play(Until::End, deadline, answers);
    }

    /// Plays from each start; one answer for each, in the same order.
    pub fn run(&mut self, starts: &[Start<'_>]) -> Vec<Returns> {
        for (number, start) in starts.iter().enumerate() {
            self.begin(number, start.state.words(), start.playouts);
        }
        let mut answers = Answers::default();
        self.finish(None, &mut answers);
        let mut returns = vec![Returns::default(); starts.len()];
        for (number, playouts, goals) in answers.iter() {
            returns[number] = Returns { playouts, goals: goals.to_vec().into() };
        }
        returns
    }
}

/// How long to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Until {
    /// Until more games could be begun.
    Room,
    /// Until no game is left.
    End,
}

trait Games {
    fn lanes(&self) -> usize;
    fn prefer(&mut self, bias: Option<&Bias<'_>>);
    fn begin(&mut self, number: usize, state: &[u64], playouts: u32);
    fn play(&mut self, until: Until, deadline: Option<Instant>, answers: &mut Answers);
}

struct NewSheet<'a> {
    circuit: &'a Circuit,
    machine: Option<&'a Machine>,
    seed: u64,
    max_steps: u32,
}

impl<'a> Task for NewSheet<'a> {
    type Output = Box<dyn Games + Send + 'a>;

    #[inline(always)]
    fn run<W: Word>(self) -> Self::Output {
        let steps = Steps::<W>::new(self.circuit.batch(), self.machine, self.seed);
        Box::new(Sheet::new(self.circuit, steps, self.max_steps))
    }
}

/// A state that was handed over.
struct Open {
    number: usize,
    /// Games that are not begun.
    waiting: u32,
    /// Games that are not over.
    left: u32,
    /// Games that came to an end.
    ended: u32,
}

/// Some lanes of one open state.
struct Job<W> {
    open: usize,
    lanes: W,
    since: u64,
}

struct Sheet<'a, W> {
    circuit: &'a Circuit,
    steps: Steps<'a, W>,
    max_steps: u64,
    /// Lanes with a game in progress.
    running: W,
    /// Lanes whose game is over and whose goals are not yet counted.
    over: W,
    jobs: Vec<Job<W>>,
    time: u64,
    /// The states that were handed over, and places that are free again.
    open: Vec<Open>,
    /// The words of these states, and the sums of the roles' goals.
    states: Vec<u64>,
    goals: Vec<u64>,
    /// The places of open states in the order in which they came, and those that are free.
    order: Vec<usize>,
    free: Vec<usize>,
    /// For each phase the open states in it that have games to begin.
    waiting: Vec<VecDeque<usize>>,
}

impl<'a, W: Word> Sheet<'a, W> {
    fn new(circuit: &'a Circuit, steps: Steps<'a, W>, max_steps: u32) -> Self {
        let (running, over) = (W::zero(), W::zero());
        let max_steps = u64::from(max_steps.max(1));
        let waiting = vec![VecDeque::new(); steps.batch.phases.len()];
        Self {
            circuit,
            steps,
            max_steps,
            running,
            over,
            jobs: Vec::new(),
            time: 0,
            open: Vec::new(),
            states: Vec::new(),
            goals: Vec::new(),
            order: Vec::new(),
            free: Vec::new(),
            waiting,
        }
    }
}

impl<W: Word> Games for Sheet<'_, W> {
    fn lanes(&self) -> usize {
        W::LANES
    }

    fn prefer(&mut self, bias: Option<&Bias<'_>>) {
        self.steps.preferences = bias.map(|bias| Preferences::of(self.steps.batch, bias));
    }

    fn begin(&mut self, number: usize, state: &[u64], playouts: u32) {
        let (width, roles) = (self.width(), self.circuit.role_count());
        let mut open = Open { number, waiting: playouts, left: playouts, ended: 0 };
        let place = self.free.pop().unwrap_or(self.open.len());
        match self.steps.batch.phase_of(state) {
            Some(phase) if playouts > 0 => self.waiting[phase].push_back(place),
            _ => (open.waiting, open.left) = (0, 0),
        }
        if place == self.open.len() {
            self.states.resize((place + 1) * width, 0);
            self.goals.resize((place + 1) * roles, 0);
            self.open.push(open);
        } else {
            self.open[place] = open;
        }
        self.states[place * width..][..width].copy_from_slice(&state[..width]);
        self.goals[place * roles..][..roles].fill(0);
        self.order.push(place);
    }

    fn play(&mut self, until: Until, deadline: Option<Instant>, answers: &mut Answers) {
        W::isolated(Play { sheet: self, until, deadline });
        self.tell(answers);
    }
}

/// The games of all open states.
struct Play<'s, 'a, W> {
    sheet: &'s mut Sheet<'a, W>,
    until: Until,
    deadline: Option<Instant>,
}

impl<W: Word> Isolated<W> for Play<'_, '_, W> {
    #[inline(always)]
    fn run(mut self) {
        while self.goes_on() {
            self.step();
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.sheet.cut_off();
            }
        }
        self.sheet.count_goals();
    }
}

impl<W: Word> Play<'_, '_, W> {
    /// Begins new games where that is worth it; says whether to go on.
    #[inline(always)]
    fn goes_on(&mut self) -> bool {
        let sheet = &mut *self.sheet;
        loop {
            let fits = !sheet.waiting[sheet.steps.phase].is_empty();
            if fits && sheet.has_room() {
                sheet.refill();
            }
            let waits = sheet.waiting.iter().any(|waiting| !waiting.is_empty());
            if self.until == Until::Room && !waits && sheet.has_room() {
                return false;
            }
            if sheet.running.any() {
                return true;
            }
            sheet.count_goals();
            sheet.jobs.clear();
            // All lanes are free, so any phase can begin: the one with the most states.
            match (0..sheet.waiting.len()).max_by_key(|&phase| sheet.waiting[phase].len()) {
                Some(phase) if waits => sheet.steps.phase = phase,
                _ => return false,
            }
        }
    }

    #[inline(always)]
    fn step(&mut self) {
        let sheet = &mut *self.sheet;
        let stuck = sheet.steps.choose_moves(sheet.running);
        sheet.give_up(stuck);
        sheet.steps.make_step(sheet.over);
        sheet.time += 1;
        let ended = sheet.steps.look().and(sheet.running);
        sheet.running = sheet.running.and_not(ended);
        sheet.over = sheet.over.or(ended);
        if sheet.is_late() {
            // Lanes whose game is over would keep their job the first, and no later one would ever be late.
            sheet.count_goals();
            while sheet.is_late() {
                let late = sheet.jobs.remove(0);
                sheet.running = sheet.running.and_not(late.lanes);
                sheet.open[late.open].left -= late.lanes.count();
            }
        }
    }
}

impl<W: Word> Sheet<'_, W> {
    /// How many words a state has.
    fn width(&self) -> usize {
        self.circuit.fluent_count().div_ceil(64)
    }

    /// Whether new games are worth the trouble.
    #[inline(always)]
    fn has_room(&self) -> bool {
        W::LANES as u32 - self.running.count() >= W::LANES as u32 / 4
    }

    /// Whether the oldest games have taken as many steps as they may.
    #[inline(always)]
    fn is_late(&self) -> bool {
        self.jobs.first().is_some_and(|job| self.time - job.since >= self.max_steps)
    }

    /// No time is left: what is not over is given up, and nothing new is begun.
    #[inline(always)]
    fn cut_off(&mut self) {
        for open in self.waiting.iter_mut().flat_map(|waiting| waiting.drain(..)) {
            let open = &mut self.open[open];
            open.left -= std::mem::take(&mut open.waiting);
        }
        self.give_up(self.running);
    }

    /// Counts what is over and starts new games. States that are over already need no step.
    #[inline(always)]
    fn refill(&mut self) {
        self.count_goals();
        self.start_games();
        let ended = self.steps.look().and(self.running);
        self.running = self.running.and_not(ended);
        self.over = self.over.or(ended);
    }

    #[inline(always)]
    fn start_games(&mut self) {
        let mut vacant = W::ones().and_not(self.running);
        let phase = self.steps.phase;
        while vacant.any()
            && let Some(open) = self.waiting[phase].pop_front()
        {
            let lanes = lowest(vacant, u64::from(self.open[open].waiting));
            self.open[open].waiting -= lanes.count();
            if self.open[open].waiting > 0 {
                self.waiting[phase].push_front(open);
            }
            if lanes.any() {
                self.start(open, lanes);
            }
            vacant = vacant.and_not(lanes);
        }
    }

    #[inline(always)]
    fn start(&mut self, open: usize, lanes: W) {
        let fluents = self.steps.batch.layout.fluent_slots();
        let words = &self.states[open * self.width()..][..self.width()];
        for (slots, &word) in self.steps.slots[fluents].chunks_mut(64).zip(words) {
            let mut rest = word;
            for slot in slots {
                // Without a branch, which could not be predicted.
                *slot = slot.and_not(lanes).or([W::zero(), lanes][(rest & 1) as usize]);
                rest >>= 1;
            }
        }
        self.running = self.running.or(lanes);
        self.jobs.push(Job { open, lanes, since: self.time });
    }

    /// These games do not count.
    #[inline(always)]
    fn give_up(&mut self, lanes: W) {
        if lanes.any() {
            self.running = self.running.and_not(lanes);
            for job in &mut self.jobs {
                self.open[job.open].left -= job.lanes.and(lanes).count();
                job.lanes = job.lanes.and_not(lanes);
            }
        }
    }

    #[inline(always)]
    fn count_goals(&mut self) {
        if !self.over.any() {
            return;
        }
        self.steps.goals();
        let slots = self.steps.batch.layout.goal_slots();
        let roles = self.circuit.role_count();
        for role in (0..roles).map(RoleId::from_index) {
            let only = self.steps.with_one_goal(self.circuit, role).and(self.over);
            for (goal, slot) in self.circuit.goals.iter().zip(slots.clone()) {
                if goal.role == role && goal.value > 0 {
                    let lanes = self.steps.slots[slot].and(only);
                    for job in &self.jobs {
                        let count = u64::from(lanes.and(job.lanes).count());
                        let sum = &mut self.goals[job.open * roles + role.index()];
                        *sum += count * u64::from(goal.value);
                    }
                }
            }
        }
        for job in &mut self.jobs {
            let (open, ended) = (&mut self.open[job.open], self.over.and(job.lanes).count());
            open.ended += ended;
            open.left -= ended;
            job.lanes = job.lanes.and_not(self.over);
        }
        self.over = W::zero();
        self.drop_empty_jobs();
    }

    #[inline(always)]
    fn drop_empty_jobs(&mut self) {
        let mut kept = 0;
        for place in 0..self.jobs.len() {
            if self.jobs[place].lanes.any() {
                self.jobs.swap(kept, place);
                kept += 1;
            }
        }
        self.jobs.truncate(kept);
    }

    /// Takes out the states whose games are all over.
    fn tell(&mut self, answers: &mut Answers) {
        let roles = self.circuit.role_count();
        answers.clear(roles);
        self.jobs.retain(|job| job.lanes.any());
        let Self { order, open, goals, free, .. } = self;
        order.retain(|&place| {
            let Open { number, left, ended, .. } = open[place];
            if left == 0 {
                answers.states.push((number, ended));
                answers.goals.extend_from_slice(&goals[place * roles..][..roles]);
                free.push(place);
            }
            left > 0
        });
    }
}

#[cfg(test)]
mod tests {
    use gambol_net::NetBuilder;

    use super::*;
    use crate::{CompileOptions, Evaluator};

    /// A counter from 0 to `last`; each step it goes up by one, or jumps to the end for 30 points;
    /// getting there one by one is worth 100.
    fn ladder(last: usize) -> Circuit {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let rungs: Vec<_> = (0..=last).map(|rung| net.fluent(&format!("rung {rung}"))).collect();
        let jumped = net.fluent("jumped");
        let (climb, jump) = (net.action(player, "climb"), net.action(player, "jump"));
        let (climbs, jumps, always) = (net.does(climb), net.does(jump), net.constant(true));
        let on: Vec<_> = rungs.iter().map(|&rung| net.truth(rung)).collect();
        net.initial(rungs[0]);
        for rung in 1..=last {
            let reached = net.and([on[rung - 1], climbs]);
            net.next(rungs[rung], reached);
        }
        net.next(jumped, jumps);
        net.legal(climb, always);
        net.legal(jump, always);
        let (top, over) = (on[last], net.truth(jumped));
        let end = net.or([top, over]);
        net.terminal(end);
        net.goal(player, 100, top);
        net.goal(player, 30, over);
        Circuit::compile(&net.finish().expect("a net"), &CompileOptions::default())
            .expect("a circuit")
    }

    #[test]
    fn returns_belong_to_their_states() {
        let circuit = ladder(3);
        let mut evaluator = Evaluator::new(&circuit);
        let climb = evaluator.legal(&circuit.initial())[0];
        let mut states = vec![circuit.initial()];
        for _ in 0..2 {
            let next = evaluator.next(states.last().expect("one at least"), &[climb]);
            states.push(next);
        }
        let mut rollouts = Rollouts::new(&circuit, 7, 100);
        let starts: Vec<Start<'_>> =
            states.iter().map(|state| Start { state, playouts: 4_000 }).collect();
        for (returns, expected) in rollouts.run(&starts).iter().zip([38.75, 47.5, 65.0]) {
            assert_eq!(returns.playouts, 4_000);
            let mean = returns.goals[RoleId::new(0)] as f64 / 4_000.0;
            assert!((mean - expected).abs() < 3.0, "{mean} is far from {expected}");
        }
    }

    #[test]
    fn games_that_are_over_are_counted_and_long_ones_are_cut_off() {
        let circuit = ladder(3);
        let mut evaluator = Evaluator::new(&circuit);
        let jump = evaluator.legal(&circuit.initial())[1];
        let over = evaluator.next(&circuit.initial(), &[jump]);
        let start = Start { state: &over, playouts: 1_000 };
        let returns = Rollouts::new(&circuit, 1, 100).run(&[start]);
        assert_eq!((returns[0].playouts, returns[0].goals[RoleId::new(0)]), (1_000, 30_000));
        let start = Start { state: &circuit.initial(), playouts: 1_000 };
        let cut = Rollouts::new(&circuit, 1, 1).run(&[start]);
        assert!((400..600).contains(&cut[0].playouts), "{} of 1000 jump at once", cut[0].playouts);
        let (mut late, mut answers) = (Rollouts::new(&circuit, 1, 100), Answers::default());
        late.begin(0, circuit.initial().words(), 1_000);
        late.finish(Some(Instant::now()), &mut answers);
        let ended: u32 = answers.iter().map(|(_, ended, _)| ended).sum();
        assert!((100..600).contains(&ended), "only games of one step are over");
    }

    #[test]
    fn games_without_end_are_cut_off_beside_one_that_is_over() {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        let (endless, done) = (net.fluent("endless"), net.fluent("done"));
        let (stays, over, always) = (net.truth(endless), net.truth(done), net.constant(true));
        let stops = net.not(stays);
        let wait = net.action(player, "wait");
        net.legal(wait, always);
        net.next(endless, stays);
        net.next(done, stops);
        net.terminal(over);
        net.goal(player, 100, over);
        let circuit = Circuit::compile(&net.finish().expect("a net"), &CompileOptions::default())
            .expect("a circuit");
        let states = [circuit.state_of(&[]), circuit.state_of(&[endless])];
        let starts = states.each_ref().map(|state| Start { state, playouts: 5 });
        let returns = Rollouts::new(&circuit, 1, 10).run(&starts);
        assert_eq!([returns[0].playouts, returns[1].playouts], [5, 0]);
    }

    /// Two players in turn; each stops the game, and has won it, or goes on.
    fn chicken() -> Circuit {
        let mut net = NetBuilder::new();
        let players = ["first", "second"].map(|name| net.role(name));
        let turns = ["turn first", "turn second"].map(|name| net.fluent(name));
        let won = ["won first", "won second"].map(|name| net.fluent(name));
        net.initial(turns[0]);
        for (own, other) in [(0, 1), (1, 0)] {
            let [stop, go, wait] =
                ["stop", "go", "wait"].map(|name| net.action(players[own], name));
            let (mine, theirs) = (net.truth(turns[own]), net.truth(turns[other]));
            net.legal(stop, mine);
            net.legal(go, mine);
            net.legal(wait, theirs);
            let (stops, goes) = (net.does(stop), net.does(go));
            net.next(won[own], stops);
            net.next(turns[other], goes);
        }
        let over = won.map(|won| net.truth(won));
        let end = net.or(over);
        net.terminal(end);
        for (player, over) in players.into_iter().zip(over) {
            net.goal(player, 100, over);
        }
        Circuit::compile(&net.finish().expect("a net"), &CompileOptions::default())
            .expect("a circuit")
    }

    #[test]
    fn leaves_of_both_turns_are_played_side_by_side() {
        let circuit = chicken();
        let mut evaluator = Evaluator::new(&circuit);
        let first = circuit.initial();
        let legal = evaluator.legal(&first);
        let second = evaluator.next(&first, &[legal[1], legal[2]]);
        let leaves = |count: usize| [&first, &second].into_iter().cycle().take(count);
        let starts: Vec<Start<'_>> =
            leaves(501).map(|state| Start { state, playouts: 16 }).collect();
        let returns = Rollouts::new(&circuit, 3, 1_000).run(&starts);
        assert!(returns.iter().all(|returns| returns.playouts == 16));
        for (turn, expected) in [(0, 200.0 / 3.0), (1, 100.0 / 3.0)] {
            let of_turn = returns.iter().skip(turn).step_by(2);
            let goals: Vec<u64> = of_turn.map(|one| one.goals[RoleId::new(0)]).collect();
            let mean = goals.iter().sum::<u64>() as f64 / (16 * goals.len()) as f64;
            assert!((mean - expected).abs() < 3.0, "{mean} is far from {expected}");
        }
    }

    #[test]
    fn long_games_go_on_beside_later_ones() {
        let circuit = chicken();
        let mut rollouts = Rollouts::new(&circuit, 5, 1_000);
        let start = circuit.initial();
        let (mut answers, mut told, mut together) = (Answers::default(), Vec::new(), 0);
        let take_up = |answers: &Answers, told: &mut Vec<(usize, u32, u64)>| {
            told.extend(
                answers.iter().map(|(number, playouts, goals)| (number, playouts, goals[0])),
            );
            answers.iter().count()
        };
        for number in 0..100 {
            rollouts.begin(number, start.words(), 40);
            rollouts.play(None, &mut answers);
            together += usize::from(take_up(&answers, &mut told) > 1);
        }
        assert!(told.len() < 100 && together > 0, "some games take longer than others");
        rollouts.finish(None, &mut answers);
        take_up(&answers, &mut told);
        told.sort_unstable();
        assert!(told.iter().map(|(number, ..)| *number).eq(0..100));
        assert!(told.iter().all(|&(_, playouts, _)| playouts == 40));
        let first: u64 = told.iter().map(|(.., goals)| goals).sum();
        assert!((first as f64 / 4_000.0 - 200.0 / 3.0).abs() < 4.0, "{first}");
        rollouts.finish(None, &mut answers);
        assert_eq!(answers.iter().count(), 0);
    }
}
