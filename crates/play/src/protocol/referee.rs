//! A referee: runs a match between players that speak the protocol.
//!
//! The plain interpreter keeps the state, so that the referee rests on nothing but the rules. A player
//! that is late, absent or makes an illegal move is recorded as such, and a random legal move is made
//! in its place; nobody is told, as is the custom.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gambol_reference::{Interpreter, ReferenceError, State};
use gambol_syntax::Rules;

use crate::protocol::expression::{Element, elements};
use crate::protocol::incident::fit;
use gambol_run::mixed;

/// What a match is played by.
#[derive(Clone, Debug)]
pub struct MatchTerms<'a> {
    /// The name of the match.
    pub id: &'a str,
    /// The rules, to be sent to the players.
    pub rules_text: &'a str,
    /// One address per role; the referee itself chooses at random for a role without.
    pub players: &'a [Option<SocketAddr>],
    /// Time until the first step.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// For the moves the referee chooses.
    pub seed: u64,
    /// The match is aborted after this many steps.
    pub most_steps: usize,
    /// Joint moves that were made before. The players are then given rules that begin after them.
    pub history: &'a [Vec<String>],
    /// Breaks the match off as soon as it is set.
    pub stop: &'a AtomicBool,
}

/// What happens in a match, as it happens.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// It is about to begin.
    Begins {
        /// The roles, in the order of the rules.
        roles: &'a [String],
    },
    /// A step was made.
    Step {
        /// The roles, in the order of the rules.
        roles: &'a [String],
        /// What was done.
        step: &'a Step,
        /// What went wrong since the step before.
        faults: &'a [Fault],
    },
}

/// What a player did wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// In which step; the start is step 0, the first move step 1.
    pub step: usize,
    /// Whose.
    pub role: String,
    /// What.
    pub kind: FaultKind,
}

/// What can go wrong with an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// No answer in time.
    Late,
    /// Nobody there.
    Absent,
    /// Not a legal move; the answer made fit to be shown, and no longer than that takes.
    Illegal(String),
}

/// A step of a match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What was true, sorted.
    pub state: Vec<String>,
    /// Every role's legal moves, sorted.
    pub legal: Vec<Vec<String>>,
    /// What was done, one move per role.
    pub joint: Vec<String>,
}

/// A match, step by step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchRecord {
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// The steps.
    pub steps: Vec<Step>,
    /// The state in which it was left, sorted.
    pub last_state: Vec<String>,
    /// Every role's goal, if the match ended and gave it exactly one.
    pub goals: Vec<Option<u32>>,
    /// Whether it came to its end.
    pub completed: bool,
    /// What went wrong.
    pub faults: Vec<Fault>,
    /// Whether each role's player ever answered; true for roles without a player.
    pub heard: Vec<bool>,
}

impl MatchRecord {
    /// The roles whose player never answered.
    pub fn silent(&self) -> impl Iterator<Item = &str> {
        self.roles.iter().zip(&self.heard).filter(|(_, heard)| !**heard).map(|(role, _)| &**role)
    }
}

/// Why there was no match.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RefereeError {
    /// The rules could not be followed.
    #[error("{0}")]
    Rules(#[from] ReferenceError),
    /// Not one player for each role.
    #[error(
        "the game has {roles} roles and there are {players} players; name one address for each"
    )]
    Players {
        /// How many roles.
        roles: usize,
        /// How many players.
        players: usize,
    },
}

/// Hosts allow this much beyond the clock for the network.
const ALLOWANCE: Duration = Duration::from_secs(1);
const CONNECT_TIME: Duration = Duration::from_secs(5);
const LONGEST_ANSWER: usize = 1 << 20;
/// How long it takes at most until a match that is to be broken off notices.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Players are told so within this time.
const FAREWELL: Duration = Duration::from_millis(300);

/// Runs a match; each step is shown as it is made.
pub fn referee(
    rules: &Rules,
    terms: &MatchTerms<'_>,
    show: &mut dyn FnMut(Event<'_>),
) -> Result<MatchRecord, RefereeError> {
    let mut interpreter = Interpreter::new(rules)?;
    let roles: Vec<String> =
        interpreter.roles().iter().map(|&role| interpreter.text(role)).collect();
    if roles.len() != terms.players.len() {
        return Err(RefereeError::Players { roles: roles.len(), players: terms.players.len() });
    }
    let state = interpreter.initial()?;
    let last_state = interpreter.sorted_texts(state.fluents());
    let goals = vec![None; roles.len()];
    let heard = terms.players.iter().map(Option::is_none).collect();
    let record = MatchRecord { goals, roles, last_state, heard, ..MatchRecord::default() };
    let mut running = Running { interpreter, terms, state, record, shown_faults: 0 };
    for joint in terms.history {
        let legal = running.legal()?;
        running.make(joint.clone(), legal)?;
    }
    show(Event::Begins { roles: &running.record.roles });
    if !running.is_over()? {
        running.begin();
    }
    while !running.is_over()? {
        if running.record.steps.len() >= terms.most_steps || !running.step(show)? {
            running.say_farewell("ABORT", "");
            return Ok(running.record);
        }
    }
    running.finish()?;
    Ok(running.record)
}

struct Running<'a> {
    interpreter: Interpreter,
    terms: &'a MatchTerms<'a>,
    state: State,
    record: MatchRecord,
    shown_faults: usize,
}

impl Running<'_> {
    fn begin(&mut self) {
        let MatchTerms { id, rules_text, start_clock, play_clock, .. } = self.terms;
        let resumed = (!self.terms.history.is_empty())
            .then(|| begun_at(rules_text, &self.record.last_state))
            .flatten();
        let rules_text = resumed.as_deref().unwrap_or(rules_text);
        let (start, play) = (start_clock.as_secs(), play_clock.as_secs());
        let messages: Vec<String> = (self.record.roles.iter())
            .map(|role| format!("(START {id} {role} ({rules_text}) {start} {play})"))
            .collect();
        let answers = self.ask(&messages, *start_clock + ALLOWANCE);
        self.hear(&answers);
        for (role, answer) in answers.into_iter().enumerate() {
            if let Some(Err(kind)) = answer {
                self.fault(0, role, kind);
            }
        }
    }

    fn is_over(&mut self) -> Result<bool, ReferenceError> {
        self.interpreter.terminal(&self.state)
    }

    fn legal(&mut self) -> Result<Vec<Vec<String>>, ReferenceError> {
        let legal = self.interpreter.legal(&self.state)?;
        Ok(legal.iter().map(|moves| self.interpreter.sorted_texts(moves)).collect())
    }

    /// Takes down who answered at all.
    fn hear(&mut self, answers: &[Option<Result<String, FaultKind>>]) {
        for (heard, answer) in self.record.heard.iter_mut().zip(answers) {
            *heard |= matches!(answer, Some(Ok(_)));
        }
    }

    fn is_stopped(&self) -> bool {
        self.terms.stop.load(Ordering::Relaxed)
    }

    /// Asks for moves and makes them; false if a role has none to make, or the match is broken off.
    fn step(&mut self, show: &mut dyn FnMut(Event<'_>)) -> Result<bool, ReferenceError> {
        let message = format!("(PLAY {} {})", self.terms.id, self.last_moves());
        let answers =
            self.ask(&vec![message; self.record.roles.len()], self.terms.play_clock + ALLOWANCE);
        if self.is_stopped() {
            return Ok(false);
        }
        self.hear(&answers);
        let legal = self.legal()?;
        if legal.iter().any(Vec::is_empty) {
            return Ok(false);
        }
        let judged = answers.into_iter().enumerate();
        let joint: Vec<String> =
            judged.map(|(role, answer)| self.judged(role, answer, &legal[role])).collect();
        self.make(joint, legal)?;
        let faults = &self.record.faults[self.shown_faults..];
        if let Some(step) = self.record.steps.last() {
            show(Event::Step { roles: &self.record.roles, step, faults });
        }
        self.shown_faults = self.record.faults.len();
        Ok(true)
    }

    /// Makes a joint move.
    fn make(&mut self, joint: Vec<String>, legal: Vec<Vec<String>>) -> Result<(), ReferenceError> {
        let terms = self.interpreter.terms_from_text(&joint.join(" "))?;
        let state = self.interpreter.sorted_texts(self.state.fluents());
        self.state = self.interpreter.next(&self.state, &terms)?;
        self.record.last_state = self.interpreter.sorted_texts(self.state.fluents());
        self.record.steps.push(Step { state, legal, joint });
        Ok(())
    }

    /// The move that is made for a role: its own if that is legal.
    fn judged(
        &mut self,
        role: usize,
        answer: Option<Result<String, FaultKind>>,
        legal: &[String],
    ) -> String {
        let kind = match answer {
            None => None,
            Some(Err(kind)) => Some(kind),
            Some(Ok(answer)) => match spelt(&answer) {
                Some(action) if legal.contains(&action) => return action,
                _ => Some(FaultKind::Illegal(fit(&answer))),
            },
        };
        if let Some(kind) = kind {
            self.fault(self.record.steps.len() + 1, role, kind);
        }
        let place = self.record.steps.len() * self.record.roles.len() + role;
        let draw = mixed(self.terms.seed, place as u64);
        legal[(draw % legal.len() as u64) as usize].clone()
    }

    fn fault(&mut self, step: usize, role: usize, kind: FaultKind) {
        self.record.faults.push(Fault { step, role: self.record.roles[role].clone(), kind });
    }

    fn last_moves(&self) -> String {
        match self.record.steps.get(self.terms.history.len()..).and_then(<[Step]>::last) {
            Some(step) => format!("({})", step.joint.join(" ")),
            None => "NIL".to_string(),
        }
    }

    fn finish(&mut self) -> Result<(), ReferenceError> {
        self.record.goals = self.interpreter.goal_values(&self.state)?;
        self.record.completed = true;
        let moves = self.last_moves();
        self.say_farewell("STOP", &moves);
        Ok(())
    }

    /// Tells the players that it is over. A match that is broken off does not wait for them.
    fn say_farewell(&self, word: &str, moves: &str) {
        let message = format!("({word} {} {moves})", self.terms.id);
        let messages = vec![message; self.record.roles.len()];
        if self.is_stopped() {
            let nothing_stops_it = AtomicBool::new(false);
            self.ask_until(&messages, FAREWELL, &nothing_stops_it);
        } else {
            self.ask(&messages, self.terms.play_clock + ALLOWANCE);
        }
    }

    /// Sends every player its message, all at once; a role without a player gets nothing.
    fn ask(&self, messages: &[String], time: Duration) -> Vec<Option<Result<String, FaultKind>>> {
        self.ask_until(messages, time, self.terms.stop)
    }

    fn ask_until(
        &self,
        messages: &[String],
        time: Duration,
        stop: &AtomicBool,
    ) -> Vec<Option<Result<String, FaultKind>>> {
        let players = self.terms.players.iter().zip(messages);
        thread::scope(|scope| {
            let asking: Vec<_> = players
                .map(|(player, message)| {
                    player.map(|address| scope.spawn(move || ask(address, message, time, stop)))
                })
                .collect();
            let answered = asking
                .into_iter()
                .map(|one| one.map(|one| one.join().unwrap_or(Err(FaultKind::Absent))));
            answered.collect()
        })
    }
}

/// Rules of the same game that begin in a given state.
fn begun_at(rules: &str, state: &[String]) -> Option<String> {
    // A word in front keeps rules that are one list from being opened.
    let listed = format!("rules {rules}");
    let is_init = |rule: &Element<'_>| match elements(rule.text()).as_deref() {
        Some([Element::Atom("init"), ..]) => true,
        Some([Element::Atom("<="), head, ..]) => {
            matches!(elements(head.text()).as_deref(), Some([Element::Atom("init"), ..]))
        }
        _ => false,
    };
    let kept = elements(&listed)?.into_iter().skip(1).filter(|rule| !is_init(rule));
    let mut text: String = kept.map(|rule| rule.spelt() + "\n").collect();
    state.iter().for_each(|fluent| text.push_str(&format!("(init {fluent})\n")));
    Some(text)
}

/// One term, with single blanks.
fn spelt(answer: &str) -> Option<String> {
    // A word in front keeps a list from being opened.
    let listed = format!("move {answer}");
    match elements(&listed)?.as_slice() {
        [_, action] => Some(action.spelt()),
        _ => None,
    }
}

fn ask(
    address: SocketAddr,
    message: &str,
    time: Duration,
    stop: &AtomicBool,
) -> Result<String, FaultKind> {
    let deadline = Instant::now() + time;
    let mut stream = connect(address, CONNECT_TIME.min(time), stop).ok_or(FaultKind::Absent)?;
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {address}\r\nSender: GAMESERVER\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    );
    stream.set_write_timeout(Some(CONNECT_TIME.min(time))).map_err(|_| FaultKind::Absent)?;
    stream.write_all(request.as_bytes()).map_err(|_| FaultKind::Absent)?;
    let answer = read_until(&mut stream, deadline, stop).ok_or(FaultKind::Late)?;
    let (head, body) = parts_of(&answer).ok_or(FaultKind::Absent)?;
    let body = &body[..length_of(head).map_or(body.len(), |length| length.min(body.len()))];
    Ok(String::from_utf8_lossy(body).trim().to_string())
}

/// Tries again and again for a while, so that it can be broken off.
fn connect(address: SocketAddr, time: Duration, stop: &AtomicBool) -> Option<TcpStream> {
    let deadline = Instant::now() + time;
    loop {
        let left = deadline.saturating_duration_since(Instant::now()).min(Duration::from_secs(1));
        if left.is_zero() || stop.load(Ordering::Relaxed) {
            return None;
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Some(stream),
            Err(error) if error.kind() == ErrorKind::TimedOut => {}
            Err(_) => return None,
        }
    }
}

/// The head and the body of an answer; none if the head is not complete.
fn parts_of(answer: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = |blank: &[u8]| {
        let place = answer.windows(blank.len()).position(|bytes| bytes == blank)?;
        Some((place, place + blank.len()))
    };
    let found = [end(b"\r\n\r\n"), end(b"\n\n")];
    let (head, body) = found.into_iter().flatten().min()?;
    Some((&answer[..head], &answer[body..]))
}

/// How long the body is, if the head says so.
fn length_of(head: &[u8]) -> Option<usize> {
    let head = String::from_utf8_lossy(head);
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let (_, length) =
        fields.find(|(name, _)| name.trim().eq_ignore_ascii_case("content-length"))?;
    length.trim().parse().ok()
}

/// Whether an answer has come as far as it says it goes.
fn is_complete(answer: &[u8]) -> bool {
    let length = |(head, body): (&[u8], &[u8])| Some((length_of(head)?, body.len()));
    parts_of(answer).and_then(length).is_some_and(|(length, there)| there >= length)
}

/// An answer that is complete before the deadline: by its length, or because the sender closes.
fn read_until(stream: &mut TcpStream, deadline: Instant, stop: &AtomicBool) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while bytes.len() < LONGEST_ANSWER {
        let left =
            deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        stream.set_read_timeout(Some(left.min(LOOK_EVERY))).ok()?;
        match stream.read(&mut piece) {
            Ok(0) => return Some(bytes),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if is_passing(error.kind()) => {}
            Err(_) => return None,
        }
        if is_complete(&bytes) {
            return Some(bytes);
        }
    }
    None
}

/// Whether reading may work later.
fn is_passing(error: ErrorKind) -> bool {
    matches!(error, ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_complete_when_it_is_as_long_as_it_says() {
        assert!(!is_complete(b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nnoo"));
        assert!(is_complete(b"HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\nnoop"));
        assert!(is_complete(b"HTTP/1.0 200 OK\nContent-Length: 0\n\n"));
        assert!(!is_complete(b"HTTP/1.0 200 OK\r\n\r\nnoop"));
        assert!(!is_complete(b"HTTP/1.0 200 OK\r\nContent-Length: many\r\n\r\nnoop"));
        assert!(!is_complete(b""));
    }
}
