//! One match from the side of a player: a thread that keeps the state and thinks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gambol_index::Id;
use gambol_net::RoleId;

use crate::mind::{Plain, Searching, mixed};
use crate::preparation::{Preparation, Prepared};

/// What a match is about.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) role: String,
    pub(crate) play_clock: Duration,
    /// Kept back from every clock.
    pub(crate) margin: Duration,
    pub(crate) seed: u64,
}

/// A match in progress, as the listeners see it.
pub(crate) struct Contest {
    pub(crate) preparation: Arc<Preparation>,
    pub(crate) terms: Terms,
    turn: Mutex<Turn>,
    stop: Arc<AtomicBool>,
    last_heard: Mutex<Instant>,
}

struct Turn {
    questions: Sender<Question>,
    /// What was last asked, and what we said.
    last: Option<(Vec<String>, String)>,
}

/// The host wants a move.
struct Question {
    /// What was done in the last step.
    moves: Vec<String>,
    deadline: Instant,
    answer: Sender<String>,
}

/// The answer if there is no move to make.
pub(crate) const NO_MOVE: &str = "nil";

impl Contest {
    /// Begins a match; the receiver hears whether it can be played as soon as that is known.
    pub(crate) fn begin(
        preparation: Arc<Preparation>,
        terms: Terms,
        start_deadline: Instant,
    ) -> (Arc<Self>, Receiver<bool>) {
        let (questions, asked) = channel();
        let (ready, is_ready) = channel();
        let stop = Arc::new(AtomicBool::new(false));
        let thinker = Thinker {
            preparation: Arc::clone(&preparation),
            terms: terms.clone(),
            stop: Arc::clone(&stop),
            history: Vec::new(),
            first: true,
        };
        thread::spawn(move || thinker.run(&asked, &ready, start_deadline));
        let turn = Mutex::new(Turn { questions, last: None });
        let last_heard = Mutex::new(Instant::now());
        (Arc::new(Self { preparation, terms, turn, stop, last_heard }), is_ready)
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
        let deadline = received + self.terms.play_clock.saturating_sub(self.terms.margin);
        let (answer, answered) = channel();
        let question = Question { moves: moves.clone(), deadline, answer };
        let asked = turn.questions.send(question);
        let said = asked.ok().and_then(|()| answered.recv().ok());
        let said = said.unwrap_or_else(|| NO_MOVE.to_string());
        turn.last = Some((moves, said.clone()));
        said
    }

    /// Equal moves twice running are a new step if our own entry is what we said last.
    fn is_next_step(&self, moves: &[String], said: &str) -> bool {
        let role = self.preparation.role_place(&self.terms.role);
        role.and_then(|place| moves.get(place)).is_some_and(|own| own == said)
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

impl Drop for Contest {
    fn drop(&mut self) {
        self.end();
    }
}

/// The thread of a match.
struct Thinker {
    preparation: Arc<Preparation>,
    terms: Terms,
    stop: Arc<AtomicBool>,
    /// The joint moves so far.
    history: Vec<Vec<String>>,
    /// Whether this is still the first step.
    first: bool,
}

impl Thinker {
    fn run(mut self, asked: &Receiver<Question>, ready: &Sender<bool>, start_deadline: Instant) {
        let place = self.preparation.role_place(&self.terms.role);
        let plain = Plain::new(&self.preparation.rules).ok();
        let (Some(mut plain), Some(role)) = (plain, place) else {
            let _ = ready.send(false);
            return;
        };
        let prepared = self.preparation.wait(start_deadline);
        if let Some(prepared) = prepared {
            return self.search_on(&prepared, role, asked, Some((ready, start_deadline)));
        }
        let _ = ready.send(true);
        // Nothing to search yet, or ever.
        for question in asked {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if let Some(prepared) = self.preparation.wait(Instant::now()) {
                self.note(&question);
                let mut mind = self.caught_up(&prepared);
                self.answer(&mut mind, role, &question);
                return self.answer_all(&mut mind, role, asked);
            }
            if self.note(&question)
                && let Some(moves) = self.history.last()
                && plain.advance(moves).is_err()
            {
                continue;
            }
            let legal = plain.legal(role).unwrap_or_default();
            let _ = question.answer.send(self.any_of(&legal));
        }
    }

    fn search_on(
        &mut self,
        prepared: &Prepared,
        role: usize,
        asked: &Receiver<Question>,
        start: Option<(&Sender<bool>, Instant)>,
    ) {
        let mut mind = self.caught_up(prepared);
        if let Some((ready, deadline)) = start {
            mind.think(deadline, &self.stop);
            let _ = ready.send(true);
        }
        self.answer_all(&mut mind, role, asked);
    }

    fn caught_up<'p>(&self, prepared: &'p Prepared) -> Searching<'p> {
        let mut mind = Searching::new(prepared, self.terms.seed);
        self.history.iter().for_each(|moves| mind.advance(moves));
        mind
    }

    fn answer_all(&mut self, mind: &mut Searching<'_>, role: usize, asked: &Receiver<Question>) {
        for question in asked {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if self.note(&question)
                && let Some(moves) = self.history.last()
            {
                mind.advance(moves);
            }
            self.answer(mind, role, &question);
        }
    }

    fn answer(&self, mind: &mut Searching<'_>, role: usize, question: &Question) {
        let role = RoleId::from_index(role);
        let answer = if self.terms.role.eq_ignore_ascii_case("random") {
            self.any_of(&mind.legal(role))
        } else {
            let best = mind.best(role, question.deadline, &self.stop);
            best.unwrap_or_else(|| NO_MOVE.to_string())
        };
        // Whoever asked may be gone by now.
        let _ = question.answer.send(answer);
    }

    /// Takes the moves of the last step down; says whether there was one. Nothing can have been
    /// played before the first question, and moves that are not one for each role tell nothing.
    fn note(&mut self, question: &Question) -> bool {
        let first = std::mem::replace(&mut self.first, false);
        let usable = !first && question.moves.len() == self.preparation.role_count();
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
