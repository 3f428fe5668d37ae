//! One match from the side of a player: a thread that keeps the state and thinks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::RoleId;
use gambol_reference::Budget;
use gambol_run::mixed;
use gambol_system::give_back;

use crate::agent::fallback::{Plain, Second, Trials};
use crate::agent::preparation::{Preparation, Ready};
use crate::agent::prepared::Prepared;
use crate::agent::settings::Settings;
use crate::agent::{Agent, Effort};
use crate::protocol::incident::Log;

/// What a match is about.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) role: String,
    pub(crate) play_clock: Duration,
    /// Kept back from every clock.
    pub(crate) margin: Duration,
    /// Thinking about a move need not take longer.
    pub(crate) longest: Option<Duration>,
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    /// The name of the match.
    pub(crate) id: String,
    pub(crate) log: Log,
}

/// A match in progress, as the listeners see it.
pub(crate) struct MatchSession {
    pub(crate) preparation: Arc<Preparation>,
    pub(crate) terms: Terms,
    turn: Mutex<Turn>,
    stop: Arc<AtomicBool>,
    standby: Standby,
    /// For questions that the thread of the match is too busy to look at.
    second: Arc<Mutex<Second>>,
    last_heard: Mutex<Instant>,
}

/// A legal move, the best one known so far, and the number of the question it is for, in case the thinking takes too
/// long.
type Standby = Arc<Mutex<Option<(usize, String)>>>;

struct Turn {
    questions: Sender<Question>,
    /// How many questions there were.
    asked: usize,
    /// What was last asked, and what we said.
    last: Option<(Vec<String>, String)>,
    /// The joint moves so far.
    moves: Vec<Vec<String>>,
}

/// The host wants a move.
struct Question {
    /// What was done in the last step.
    moves: Vec<String>,
    /// What we said last.
    said: Option<String>,
    received: Instant,
    deadline: Instant,
    answer: Sender<String>,
}

/// This part of the time goes to a first thought.
const FIRST_THOUGHT: u32 = 8;

impl Question {
    /// When there should be a move that is better than any.
    fn first_deadline(&self) -> Instant {
        self.received + self.deadline.saturating_duration_since(self.received) / FIRST_THOUGHT
    }
}

/// The answer if there is no move to make.
pub(crate) const NO_MOVE: &str = "nil";

impl MatchSession {
    /// Begins a match; the receiver hears whether it can be played as soon as that is known.
    pub(crate) fn begin(
        preparation: Arc<Preparation>,
        terms: Terms,
        start_deadline: Instant,
    ) -> (Arc<Self>, Receiver<bool>) {
        let (questions, asked) = channel();
        let (ready, is_ready) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let standby = Standby::default();
        let thinker = Thinker {
            standby: Arc::clone(&standby),
            preparation: Arc::clone(&preparation),
            terms: terms.clone(),
            stop: Arc::clone(&stop),
            history: Vec::new(),
            questions: 0,
        };
        thread::spawn(move || {
            thinker.run(&asked, &ready, start_deadline);
            // Nobody plays this match any more, and the player may wait long for the next.
            give_back();
        });
        let turn = Mutex::new(Turn { questions, asked: 0, last: None, moves: Vec::new() });
        let (second, last_heard) = (Arc::default(), Mutex::new(Instant::now()));
        (Arc::new(Self { preparation, terms, turn, stop, standby, second, last_heard }), is_ready)
    }

    /// Our move. The same question again gets the same answer.
    pub(crate) fn play(&self, moves: Vec<String>, received: Instant) -> String {
        *self.last_heard.lock().unwrap_or_else(PoisonError::into_inner) = received;
        // A second listener waits here, and then hears what the first was told.
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((asked, said)) = &turn.last
            && *asked == moves
            && !self.is_next_step(&moves, said)
        {
            return said.clone();
        }
        let usable = self.terms.play_clock.saturating_sub(self.terms.margin);
        let deadline = received + self.terms.longest.map_or(usable, |longest| longest.min(usable));
        let (answer, answered) = channel();
        let said = turn.last.as_ref().map(|(_, said)| said.clone());
        let question = Question { moves: moves.clone(), said, received, deadline, answer };
        let asked = turn.questions.send(question).is_ok();
        turn.asked += 1;
        if turn.asked > 1 && moves.len() == self.preparation.role_count() {
            turn.moves.push(moves.clone());
        }
        // Whatever happens in the thread of the match, the host gets its answer in time.
        let latest = received + usable + self.terms.margin / 2;
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let mut said = answered.recv_timeout(left(received + usable / 2)).ok();
        if said.is_none() && !self.has_move_for(turn.asked) {
            self.ask_second(&turn);
        }
        if said.is_none() && asked {
            said = answered.recv_timeout(left(latest)).ok();
        }
        let said = said.unwrap_or_else(|| self.in_a_hurry(turn.asked));
        turn.last = Some((moves, said.clone()));
        said
    }

    fn has_move_for(&self, question: usize) -> bool {
        let standby = self.standby.lock().unwrap_or_else(PoisonError::into_inner);
        standby.as_ref().is_some_and(|(known, _)| *known == question)
    }

    /// Has a legal move found while the thread of the match is still busy with something else. Nobody waits for that:
    /// where the rules take long it comes too late for this question, but not for the next.
    fn ask_second(&self, turn: &Turn) {
        let Some(role) = self.preparation.role_place(&self.terms.role) else { return };
        let (second, standby) = (Arc::clone(&self.second), Arc::clone(&self.standby));
        let (preparation, stop) = (Arc::clone(&self.preparation), Arc::clone(&self.stop));
        let (moves, question) = (turn.moves.clone(), turn.asked);
        let draw = mixed(self.terms.seed, question as u64) as usize;
        let finding = move || {
            let mut second = second.lock().unwrap_or_else(PoisonError::into_inner);
            let budget = Budget { stop: Some(stop), ..Budget::default() };
            let legal = second.legal(&preparation.rules, role, &moves, budget).unwrap_or_default();
            let mut standby = standby.lock().unwrap_or_else(PoisonError::into_inner);
            // The thread of the match may have found one meanwhile.
            let wanted = standby.as_ref().is_none_or(|(known, _)| *known < question);
            if wanted && !legal.is_empty() {
                *standby = Some((question, legal[draw % legal.len()].clone()));
            }
        };
        // Without a thread for it there is still the move that was legal before.
        let _ = thread::Builder::new().spawn(finding);
    }

    /// Any legal move, if one is known; otherwise one that was legal before, which may still be.
    fn in_a_hurry(&self, question: usize) -> String {
        let standby = self.standby.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Terms { log, id, .. } = &self.terms;
        match &standby {
            Some((known, action)) if *known == question => log.tell("play.hurried", id, action),
            _ => log.tell("play.late", id, "no legal move is known yet"),
        }
        standby.map_or_else(|| NO_MOVE.to_string(), |(_, action)| action)
    }

    /// Equal moves twice running are a new step if our own entry is what we said last.
    fn is_next_step(&self, moves: &[String], said: &str) -> bool {
        let role = self.preparation.role_place(&self.terms.role);
        role.and_then(|place| moves.get(place)).is_some_and(|own| own == said)
    }

    /// The host says that the match is over.
    pub(crate) fn finish(&self, moves: &[String]) {
        let (count, roles) = (moves.len(), self.preparation.role_count());
        if count != 0 && count != roles {
            let detail = format!("{count} moves for {roles} roles");
            self.terms.log.tell("stop.moves", &self.terms.id, &detail);
        }
        self.end();
    }

    /// Ends the thinking.
    pub(crate) fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the host has been silent for so long that it must be gone.
    pub(crate) fn is_forgotten(&self) -> bool {
        let heard = *self.last_heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.elapsed() > self.terms.play_clock * 10 + Duration::from_secs(120)
    }
}

impl Drop for MatchSession {
    fn drop(&mut self) {
        self.end();
    }
}

/// The thread of a match.
struct Thinker {
    preparation: Arc<Preparation>,
    terms: Terms,
    stop: Arc<AtomicBool>,
    standby: Standby,
    /// The joint moves so far.
    history: Vec<Vec<String>>,
    /// How many questions were looked at.
    questions: usize,
}

/// The thread of the match waits no longer than this between looks at what has been asked.
const PONDERING: Duration = Duration::from_millis(20);

impl Thinker {
    fn run(mut self, asked: &Receiver<Question>, ready: &Sender<bool>, start_deadline: Instant) {
        let Some(role) = self.preparation.role_place(&self.terms.role) else {
            let _ = ready.send(false);
            return;
        };
        let (prepared, plain) = self.open(role, start_deadline);
        if let Some(prepared) = prepared {
            return self.search_on(&prepared, role, asked, (ready, start_deadline));
        }
        let Some(mut plain) = plain else {
            let _ = ready.send(false);
            return;
        };
        let _ = ready.send(true);
        // Nothing to search yet, or ever.
        for question in asked {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if self.note(&question)
                && let Some(moves) = self.history.last()
                && let Err(error) = plain.advance(moves)
            {
                self.tell("play.moves", &error.to_string());
            }
            let legal = plain.legal(role).unwrap_or_default();
            let any = self.any_of(&legal);
            self.stand_by(&any);
            let mut trials = Trials::new(&legal, self.terms.seed);
            while let Ready::NotYet = self.preparation.look() {
                if !trials.go_on(&mut plain, role, question.deadline, &self.stop) {
                    break;
                }
            }
            if let Some(prepared) = self.preparation.wait(question.deadline) {
                let mut agent = self.caught_up(&prepared);
                self.answer(&mut agent, role, &question);
                return self.answer_all(&mut agent, role, asked);
            }
            while trials.go_on(&mut plain, role, question.deadline, &self.stop) {}
            self.say(trials.best().unwrap_or(any), &question);
        }
    }

    /// The game, if it is ready by the deadline. One that is not ready soon may have to be played by the interpreter:
    /// that is made ready as well, and has a legal move, before anybody asks and as long as it may be needed.
    fn open(&self, role: usize, deadline: Instant) -> (Option<Arc<Prepared>>, Option<Plain>) {
        let now = Instant::now();
        let soon = now + deadline.saturating_duration_since(now) / FIRST_THOUGHT;
        let prepared = self.preparation.wait(soon);
        if prepared.is_some() {
            return (prepared, None);
        }
        let done = Some(Arc::clone(&self.preparation.done));
        let budget = Budget { stop: done, ..Budget::default() };
        let mut plain = Plain::new(&self.preparation.rules, budget.clone()).ok();
        if let Some(plain) = &mut plain {
            let legal = plain.legal(role).unwrap_or_default();
            if !legal.is_empty() {
                self.stand_by_for(1, &self.any_of(&legal));
            }
            // Also beyond the start: the first step would take as long.
            let _ = plain.warm_up(budget);
        }
        (self.preparation.wait(deadline), plain)
    }

    fn search_on(
        &mut self,
        prepared: &Arc<Prepared>,
        role: usize,
        asked: &Receiver<Question>,
        (ready, start_deadline): (&Sender<bool>, Instant),
    ) {
        let mut agent = self.caught_up(prepared);
        let own = RoleId::from_index(role);
        self.stand_by_for(1, &self.any_of(&agent.legal_names(own)));
        let longest = self.terms.longest.map(|longest| Instant::now() + longest);
        let deadline = longest.map_or(start_deadline, |longest| longest.min(start_deadline));
        self.wait_for_lesson(deadline);
        agent.think_and_learn(own, deadline, &self.stop);
        let _ = ready.send(true);
        self.answer_all(&mut agent, role, asked);
    }

    /// What is learnt begins the tree anew. So on a single core it is better to learn first and to think then; but a
    /// quarter of the time is for thinking in any case.
    fn wait_for_lesson(&self, deadline: Instant) {
        let until = deadline - deadline.saturating_duration_since(Instant::now()) / 4;
        while self.preparation.is_being_taught()
            && Instant::now() < until
            && !self.stop.load(Ordering::Relaxed)
        {
            thread::sleep(PONDERING);
        }
    }

    fn caught_up<'p>(&self, prepared: &'p Arc<Prepared>) -> Agent<'p> {
        let mut agent = Agent::new(prepared, self.terms.settings.clone());
        self.history.iter().for_each(|moves| agent.advance_by_names(moves));
        agent
    }

    fn answer_all(&mut self, agent: &mut Agent<'_>, role: usize, asked: &Receiver<Question>) {
        while let Some(question) = self.next_question(agent, asked) {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if self.note(&question) {
                self.compare(agent, role, question.said.as_deref());
                if let Some(moves) = self.history.last() {
                    agent.advance_by_names(moves);
                }
            }
            self.answer(agent, role, &question);
        }
    }

    /// Waits for a question; if asked to, thinking on meanwhile, for no longer than a play clock.
    fn next_question(&self, agent: &mut Agent<'_>, asked: &Receiver<Question>) -> Option<Question> {
        let until = Instant::now() + self.terms.play_clock;
        while self.terms.settings.ponder && Instant::now() < until {
            match asked.try_recv() {
                Ok(question) => return Some(question),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) if !agent.ponder(PONDERING, &self.stop) => break,
                Err(TryRecvError::Empty) => {}
            }
        }
        asked.recv().ok()
    }

    /// Looks whether the moves of the last step are what they should be. The referee is right all
    /// the same.
    fn compare(&self, agent: &Agent<'_>, role: usize, said: Option<&str>) {
        let Some(moves) = self.history.last() else { return };
        if let (Some(said), Some(own)) = (said, moves.get(role))
            && said != own
        {
            self.tell("play.replaced", &format!("{own} instead of our {said}"));
        }
        for (place, action) in moves.iter().enumerate() {
            if !agent.is_legal(RoleId::from_index(place), action) {
                self.tell("play.illegal", action);
            }
        }
    }

    fn tell(&self, kind: &'static str, detail: &str) {
        self.terms.log.tell(kind, &self.terms.id, detail);
    }

    fn stand_by(&self, action: &str) {
        self.stand_by_for(self.questions, action);
    }

    fn stand_by_for(&self, question: usize, action: &str) {
        let mut standby = self.standby.lock().unwrap_or_else(PoisonError::into_inner);
        // While we were busy the second interpreter may have found a move for a later question.
        if standby.as_ref().is_none_or(|(known, _)| *known <= question) {
            *standby = Some((question, action.to_string()));
        }
    }

    fn say(&self, action: String, question: &Question) {
        if action == NO_MOVE {
            self.tell("play.no-legal-move", "we are stuck");
        }
        // Whoever asked may be gone by now.
        let _ = question.answer.send(action);
    }

    fn answer(&mut self, agent: &mut Agent<'_>, role: usize, question: &Question) {
        let role = RoleId::from_index(role);
        let any = self.any_of(&agent.legal_names(role));
        if any == NO_MOVE || self.terms.role.eq_ignore_ascii_case("random") {
            return self.say(any, question);
        }
        self.stand_by(&any);
        // The first thought is kept in hand while there are second ones.
        let first = agent.decide(role, Effort::Until(question.first_deadline()), &self.stop);
        if let Some(first) = first {
            self.stand_by(agent.name(first.action));
        }
        let decision = agent.decide(role, Effort::Until(question.deadline), &self.stop);
        if let Some(parts) = agent.new_parts() {
            let (count, basis) = (parts.count(), parts.basis().as_str());
            self.tell("play.parts", &format!("{count} parts from here on, {basis}"));
        }
        let decided = decision.map(|decision| agent.name(decision.action).to_string());
        self.say(decided.unwrap_or(any), question);
    }

    /// Takes the moves of the last step down; says whether there was one. Nothing can have been
    /// played before the first question, and moves that are not one for each role tell nothing.
    fn note(&mut self, question: &Question) -> bool {
        self.questions += 1;
        let first = self.questions == 1;
        let (count, roles) = (question.moves.len(), self.preparation.role_count());
        let usable = !first && count == roles;
        let expected = if first { 0 } else { roles };
        if count != expected {
            self.tell("play.moves", &format!("{count} moves for {roles} roles"));
        }
        if usable {
            self.history.push(question.moves.clone());
        }
        usable
    }

    fn any_of(&self, legal: &[String]) -> String {
        let draw = mixed(self.terms.seed, self.history.len() as u64);
        match legal.len() {
            0 => NO_MOVE.to_string(),
            count => legal[(draw % count as u64) as usize].clone(),
        }
    }
}
