//! A player on the match protocol: messages in, answers out, several matches at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gambol_system::give_back;

use crate::agent::preparation::Preparation;
use crate::agent::settings::Settings;
use crate::protocol::incident::Log;
use crate::protocol::match_session::{MatchSession, Terms};
use crate::protocol::message::Message;

/// How to play.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlayerOptions {
    /// What the player calls itself.
    pub name: String,
    /// Matches at once; more are refused.
    pub most_matches: usize,
    /// Kept back from every clock, or a quarter of it if that is less.
    pub margin: Duration,
    /// Think no longer than this about a move, whatever the clock allows.
    pub longest: Option<Duration>,
    /// For random choices.
    pub seed: u64,
    /// How to think.
    pub settings: Settings,
    /// Who is told of what goes wrong.
    pub log: Log,
}

impl Default for PlayerOptions {
    fn default() -> Self {
        Self {
            name: "gambol".to_string(),
            most_matches: 2,
            margin: Duration::from_secs(1),
            longest: None,
            seed: 1,
            settings: Settings::default(),
            log: Log::default(),
        }
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// Whether the message was one.
    pub understood: bool,
    /// The text.
    pub text: String,
}

/// Plays matches.
pub struct Player {
    options: PlayerOptions,
    matches: Mutex<Matches>,
}

#[derive(Default)]
struct Matches {
    running: BTreeMap<String, Arc<MatchSession>>,
    /// The game of the last preview.
    preview: Option<Arc<Preparation>>,
}

impl Player {
    /// A player without matches.
    pub fn new(options: PlayerOptions) -> Self {
        Self { options, matches: Mutex::default() }
    }

    /// Answers a message that came in at a given time. Takes as long as its clock allows.
    pub fn answer(&self, text: &str, received: Instant) -> Reply {
        let Some(message) = Message::read(text) else {
            self.tell("message.unknown", "", text);
            return Reply { understood: false, text: "nil".to_string() };
        };
        let text = match message {
            Message::Info => self.info(),
            Message::Ping => "ready".to_string(),
            Message::Start { id, role, rules, start_clock, play_clock } => {
                let clocks = (start_clock, play_clock);
                self.start(id, role, &rules, clocks, received).to_string()
            }
            Message::Play { id, moves } => match self.running(&id) {
                Some(contest) => contest.play(moves, received),
                None => "busy".to_string(),
            },
            Message::Stop { id, moves } => {
                if let Some(contest) = self.running(&id) {
                    contest.finish(&moves);
                }
                self.end(&id, "done").to_string()
            }
            Message::Abort { id } => self.end(&id, "aborted").to_string(),
            Message::Preview { rules, clock } => self.preview(&rules, clock, received).to_string(),
        };
        Reply { understood: true, text }
    }

    pub(crate) fn tell(&self, kind: &'static str, id: &str, detail: &str) {
        self.options.log.tell(kind, id, detail);
    }

    fn matches(&self) -> MutexGuard<'_, Matches> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self, id: &str) -> Option<Arc<MatchSession>> {
        self.matches().running.get(id).cloned()
    }

    fn info(&self) -> String {
        let mut matches = self.matches();
        matches.forget();
        let status = match matches.running.len() < self.options.most_matches {
            true => "available",
            false => "busy",
        };
        format!("((name {}) (status {status}))", self.options.name)
    }

    fn start(
        &self,
        id: String,
        role: String,
        rules: &str,
        (start_clock, play_clock): (Duration, Duration),
        received: Instant,
    ) -> &'static str {
        let deadline = received + start_clock.saturating_sub(self.margin(start_clock));
        let ready = {
            let mut matches = self.matches();
            matches.forget();
            if let Some(contest) = matches.running.get(&id) {
                let same = contest.preparation.text == rules && contest.terms.role == role;
                return if same { "ready" } else { "busy" };
            }
            if matches.running.len() >= self.options.most_matches {
                return "busy";
            }
            let Some(preparation) = matches.preparation(rules, start_clock) else {
                self.tell("start.rules", &id, "these are not the rules of a game");
                return "busy";
            };
            let margin = self.margin(play_clock);
            let (seed, mut settings) = (self.options.seed, self.options.settings.clone());
            settings.search.seed = seed;
            let log = self.options.log.clone();
            let (id, longest) = (id.clone(), self.options.longest);
            let terms = Terms { role, play_clock, margin, longest, seed, settings, id, log };
            let (contest, ready) = MatchSession::begin(preparation, terms, deadline);
            matches.running.insert(contest.terms.id.clone(), contest);
            ready
        };
        // Whatever happens in the thread of the match, the host gets its answer in time.
        let latest = deadline + self.margin(start_clock) / 2;
        match ready.recv_timeout(latest.saturating_duration_since(Instant::now())) {
            Ok(true) => "ready",
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => "ready",
            Ok(false) | Err(_) => {
                self.tell("start.refused", &id, "no such role, or the game has no first state");
                self.end(&id, "busy");
                "busy"
            }
        }
    }

    /// What is kept back from a clock.
    fn margin(&self, clock: Duration) -> Duration {
        self.options.margin.min(clock / 4)
    }

    fn end(&self, id: &str, answer: &'static str) -> &'static str {
        let ended = self.matches().running.remove(id);
        match ended {
            Some(contest) => {
                contest.end();
                contest.preparation.cancel();
                drop(contest);
                give_back();
                answer
            }
            None => "busy",
        }
    }

    fn preview(&self, rules: &str, clock: Duration, received: Instant) -> &'static str {
        let preparation = self.matches().preparation(rules, clock);
        let Some(preparation) = preparation else { return "busy" };
        self.matches().preview = Some(Arc::clone(&preparation));
        preparation.wait(received + clock.saturating_sub(self.margin(clock)));
        "ready"
    }
}

impl Matches {
    /// Hosts vanish: their matches must not block others.
    fn forget(&mut self) {
        self.running.retain(|_, contest| !contest.is_forgotten());
    }

    /// Work on these rules, that of a preview if it was the same game.
    fn preparation(&mut self, rules: &str, clock: Duration) -> Option<Arc<Preparation>> {
        match self.preview.take_if(|preview| preview.text == rules) {
            Some(preparation) => Some(preparation),
            None => Preparation::begin(rules, clock),
        }
    }
}
