//! A player of one's own on the match protocol: the port does the talking, a [`Gamer`] the thinking.

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gambol_play::{Answering, Message, Reply, ServeOptions, serve};

use crate::{Game, Move, Position};

/// Chooses the moves of one match.
///
/// ```
/// use std::time::Duration;
/// use gambol::{Gamer, Move, Position};
///
/// struct First;
///
/// impl Gamer for First {
///     fn choose(&mut self, position: &Position, role: &str, _clock: Duration) -> Option<Move> {
///         position.legal(role).ok()?.into_iter().next()
///     }
/// }
/// ```
pub trait Gamer: Send {
    /// A match begins: time to think about the game until the first step.
    fn start(&mut self, _start: &Position, _role: &str, _clock: Duration) {}

    /// A move, within the clock. Without one, or with one that is not legal, the first legal move is made.
    fn choose(&mut self, position: &Position, role: &str, clock: Duration) -> Option<Move>;

    /// The match is over in this position.
    fn stop(&mut self, _end: &Position) {}
}

/// Kept back from every clock for the way to the host, or a quarter of it if that is less.
const MARGIN: Duration = Duration::from_millis(500);
/// Matches at once; more are refused.
const MOST_MATCHES: usize = 16;

/// Plays matches on a port until told to stop, each with a gamer of its own.
pub fn serve_gamer<G: Gamer + 'static>(
    listener: &TcpListener,
    name: &str,
    new_gamer: impl Fn() -> G + Send + Sync + 'static,
    stop: &AtomicBool,
) -> io::Result<()> {
    let new_gamer = Box::new(move || Box::new(new_gamer()) as Box<dyn Gamer>);
    let table = Table { name: name.to_string(), new_gamer, matches: Mutex::default() };
    serve(listener, &Arc::new(table), &ServeOptions::default(), stop)
}

/// The matches of a port.
struct Table {
    name: String,
    new_gamer: Box<dyn Fn() -> Box<dyn Gamer> + Send + Sync>,
    matches: Mutex<BTreeMap<String, Arc<Mutex<Seat>>>>,
}

/// A gamer in a match.
struct Seat {
    gamer: Box<dyn Gamer>,
    role: String,
    play_clock: Duration,
    position: Position,
}

impl Answering for Table {
    fn answer(&self, text: &str, received: Instant) -> Reply {
        let message = Message::read(text);
        let understood = message.is_some();
        let text = match message {
            None => "nil".to_string(),
            Some(Message::Info) => format!("((name {}) (status available))", self.name),
            Some(Message::Ping | Message::Preview { .. }) => "ready".to_string(),
            Some(Message::Start { id, role, rules, start_clock, play_clock }) => {
                let seated = self.seat(id, role, &rules, (start_clock, play_clock), received);
                if seated.is_some() { "ready" } else { "busy" }.to_string()
            }
            Some(Message::Play { id, moves }) => match self.at(&id) {
                Some(seat) => locked(&seat).play(&moves, received),
                None => "busy".to_string(),
            },
            Some(Message::Stop { id, moves }) => {
                if let Some(seat) = locked(&self.matches).remove(&id) {
                    let mut seat = locked(&seat);
                    seat.advance(&moves);
                    let Seat { gamer, position, .. } = &mut *seat;
                    gamer.stop(position);
                }
                "done".to_string()
            }
            Some(Message::Abort { id }) => {
                locked(&self.matches).remove(&id);
                "aborted".to_string()
            }
        };
        Reply { understood, text }
    }
}

impl Table {
    fn at(&self, id: &str) -> Option<Arc<Mutex<Seat>>> {
        locked(&self.matches).get(id).cloned()
    }

    /// A seat for a match that begins; `None` if there is no room, no game, or no such role.
    fn seat(
        &self,
        id: String,
        role: String,
        rules: &str,
        (start_clock, play_clock): (Duration, Duration),
        received: Instant,
    ) -> Option<()> {
        if locked(&self.matches).len() >= MOST_MATCHES || self.at(&id).is_some() {
            return None;
        }
        let game: Game = rules.parse().ok()?;
        let position = game.start().ok()?;
        position.legal(&role).ok()?;
        let mut gamer = (self.new_gamer)();
        gamer.start(&position, &role, left_of(start_clock, received));
        let seat = Arc::new(Mutex::new(Seat { gamer, role, play_clock, position }));
        locked(&self.matches).insert(id, seat);
        Some(())
    }
}

impl Seat {
    /// The move after the joint move of the step before.
    fn play(&mut self, moves: &[String], received: Instant) -> String {
        self.advance(moves);
        let clock = left_of(self.play_clock, received);
        let chosen = self.gamer.choose(&self.position, &self.role, clock);
        let legal = self.position.legal(&self.role).unwrap_or_default();
        let chosen = chosen.filter(|action| legal.contains(action)).or(legal.first().cloned());
        chosen.map_or("nil".to_string(), |action| action.to_string())
    }

    /// Goes on after a joint move. Nothing is done in the first step, nor by moves that are not legal.
    fn advance(&mut self, moves: &[String]) {
        if let Ok(next) = self.position.play(moves) {
            self.position = next;
        }
    }
}

/// What is left of a clock, less what is kept back.
fn left_of(clock: Duration, received: Instant) -> Duration {
    clock.saturating_sub(MARGIN.min(clock / 4)).saturating_sub(received.elapsed())
}

/// A gamer that panicked has lost its match, not the others.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
