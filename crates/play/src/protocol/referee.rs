//! A referee: runs a match between players that speak the protocol.
//!
//! The plain interpreter keeps the state, so that the referee rests on nothing but the rules. A player
//! that is late, absent or makes an illegal move is recorded as such, and a random legal move is made
//! in its place; nobody is told, as is the custom.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use gambol_reference::{Interpreter, ReferenceError, State};
use gambol_syntax::Rules;

use crate::agent::mixed;
use crate::protocol::expression::{Element, elements};

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
    /// The match is called off after so many steps.
    pub most_steps: usize,
    /// Joint moves that were made before. The players are then given rules that begin after them.
    pub history: &'a [Vec<String>],
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
    /// Not a legal move.
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

/// Hosts allow this much beyond the clock for the way there and back.
const ALLOWANCE: Duration = Duration::from_secs(1);
const CONNECT_TIME: Duration = Duration::from_secs(5);
const LONGEST_ANSWER: u64 = 1 << 20;

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
    let record = MatchRecord { goals, roles, last_state, ..MatchRecord::default() };
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
            running.tell_all("ABORT", "");
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

    /// Asks for moves and makes them; false if a role has none to make.
    fn step(&mut self, show: &mut dyn FnMut(Event<'_>)) -> Result<bool, ReferenceError> {
        let message = format!("(PLAY {} {})", self.terms.id, self.last_moves());
        let answers =
            self.ask(&vec![message; self.record.roles.len()], self.terms.play_clock + ALLOWANCE);
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
                _ => Some(FaultKind::Illegal(answer)),
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
        self.tell_all("STOP", &moves);
        Ok(())
    }

    fn tell_all(&self, word: &str, moves: &str) {
        let message = format!("({word} {} {moves})", self.terms.id);
        self.ask(&vec![message; self.record.roles.len()], self.terms.play_clock + ALLOWANCE);
    }

    /// Sends every player its message, all at once; a role without a player gets nothing.
    fn ask(&self, messages: &[String], time: Duration) -> Vec<Option<Result<String, FaultKind>>> {
        let players = self.terms.players.iter().zip(messages);
        thread::scope(|scope| {
            let asking: Vec<_> = players
                .map(|(player, message)| {
                    player.map(|address| scope.spawn(move || ask(address, message, time)))
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

fn ask(address: SocketAddr, message: &str, time: Duration) -> Result<String, FaultKind> {
    let deadline = Instant::now() + time;
    let stream = TcpStream::connect_timeout(&address, CONNECT_TIME.min(time));
    let mut stream = stream.map_err(|_| FaultKind::Absent)?;
    let request = format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: {address}\r\nSender: GAMESERVER\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    );
    stream.set_write_timeout(Some(CONNECT_TIME)).map_err(|_| FaultKind::Absent)?;
    stream.write_all(request.as_bytes()).map_err(|_| FaultKind::Absent)?;
    let answer = read_until(&mut stream, deadline).ok_or(FaultKind::Late)?;
    let (_, body) = answer.split_once("\r\n\r\n").ok_or(FaultKind::Absent)?;
    Ok(body.trim().to_string())
}

/// Everything that comes before the deadline, if the sender closes by then.
fn read_until(stream: &mut TcpStream, deadline: Instant) -> Option<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while (bytes.len() as u64) < LONGEST_ANSWER {
        let left =
            deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
        stream.set_read_timeout(Some(left)).ok()?;
        match stream.read(&mut piece) {
            Ok(0) => return Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(count) => bytes.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    None
}
