//! The messages of the match protocol, as a host sends them.

use std::time::Duration;

use crate::protocol::expression::{Element, elements};

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// Are you there?
    Info,
    /// The newer form of the same question.
    Ping,
    /// A match begins.
    Start {
        /// Its name.
        id: String,
        /// Whom we play.
        role: String,
        /// The rules, as text.
        rules: String,
        /// Time until the first step.
        start_clock: Duration,
        /// Time for each move.
        play_clock: Duration,
    },
    /// It is time to move; what was done in the step before, nothing in the first.
    Play {
        /// Which match.
        id: String,
        /// One move for each role, or none.
        moves: Vec<String>,
    },
    /// The match is over.
    Stop {
        /// Which match.
        id: String,
        /// What was done in the last step.
        moves: Vec<String>,
    },
    /// The match is called off.
    Abort {
        /// Which match.
        id: String,
    },
    /// A game that may be played soon.
    Preview {
        /// The rules, as text.
        rules: String,
        /// Time to look at them.
        clock: Duration,
    },
}

/// No clock is longer.
const LONGEST_CLOCK: u64 = 3600;

impl Message {
    /// Reads a message; `None` if it is none. An empty text is taken for the question whether we
    /// are there.
    pub fn read(text: &str) -> Option<Self> {
        let elements = elements(text)?;
        let Some((&Element::Atom(word), arguments)) = elements.split_first() else {
            return elements.is_empty().then_some(Self::Info);
        };
        match (word.to_ascii_lowercase().as_str(), arguments) {
            ("info", _) => Some(Self::Info),
            ("ping", _) => Some(Self::Ping),
            ("start", [id, role, rules, clocks @ ..]) => start(*id, *role, *rules, clocks),
            ("play", [id, moves, ..]) => {
                Some(Self::Play { id: id.spelt(), moves: joint_move(*moves)? })
            }
            ("stop", [id, moves, ..]) => {
                Some(Self::Stop { id: id.spelt(), moves: joint_move(*moves)? })
            }
            ("abort", [id, ..]) => Some(Self::Abort { id: id.spelt() }),
            ("preview", [rules, clock, ..]) => {
                Some(Self::Preview { rules: rules_text(*rules)?, clock: clock_of(*clock)? })
            }
            _ => None,
        }
    }
}

fn start(
    id: Element<'_>,
    role: Element<'_>,
    rules: Element<'_>,
    clocks: &[Element<'_>],
) -> Option<Message> {
    let [start, play, ..] = clocks else { return None };
    Some(Message::Start {
        id: id.spelt(),
        role: role.spelt(),
        rules: rules_text(rules)?,
        start_clock: clock_of(*start)?,
        play_clock: clock_of(*play)?,
    })
}

/// The rules come as one list; what is in it is a rulesheet.
fn rules_text(rules: Element<'_>) -> Option<String> {
    match rules {
        Element::List(text) => Some(text[1..text.len() - 1].to_string()),
        Element::Atom(_) => None,
    }
}

/// `nil` alone, or nothing in parentheses, stands for no moves yet.
fn joint_move(moves: Element<'_>) -> Option<Vec<String>> {
    match moves {
        Element::Atom(word) if word.eq_ignore_ascii_case("nil") => Some(Vec::new()),
        Element::Atom(_) => None,
        Element::List(text) => {
            // A word in front keeps a list of one list from being taken for the list itself.
            let listed = format!("moves {}", &text[1..text.len() - 1]);
            Some(elements(&listed)?.into_iter().skip(1).map(Element::spelt).collect())
        }
    }
}

/// Whole seconds, an hour at most. A clock that is not positive leaves no time at all.
fn clock_of(clock: Element<'_>) -> Option<Duration> {
    let seconds: i64 = match clock {
        Element::Atom(text) => text.parse().ok()?,
        Element::List(_) => return None,
    };
    Some(Duration::from_secs(seconds.clamp(0, LONGEST_CLOCK as i64) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_as_they_are_spelt() {
        let play = |moves: &[&str]| {
            let moves = moves.iter().map(ToString::to_string).collect();
            Some(Message::Play { id: "a/b\"c".into(), moves })
        };
        assert_eq!(Message::read("( PLAY a/b\"c NIL )"), play(&[]));
        assert_eq!(Message::read("(play a/b\"c ())"), play(&[]));
        assert_eq!(Message::read("(Play a/b\"c ((mark 1 1)))"), play(&["(mark 1 1)"]));
        assert_eq!(Message::read("(play a/b\"c (noop (f (g X))))"), play(&["noop", "(f (g X))"]));
    }

    #[test]
    fn clocks_are_whole_seconds_within_reason() {
        let clock = |text: &str| match Message::read(&format!("(start m x ((role x)) {text} 5)")) {
            Some(Message::Start { start_clock, .. }) => Some(start_clock.as_secs()),
            _ => None,
        };
        assert_eq!(clock("30"), Some(30));
        assert_eq!(clock("0"), Some(0));
        assert_eq!(clock("-4"), Some(0));
        assert_eq!(clock("1000000000"), Some(LONGEST_CLOCK));
        assert_eq!((clock("1e9"), clock("abc"), clock("")), (None, None, None));
    }

    #[test]
    fn what_is_no_message_is_none() {
        for text in ["(dance)", "((play))", "(play", ")", "play", "(start a b c)"] {
            assert_eq!(Message::read(text), None, "{text}");
        }
        assert_eq!(Message::read(" \r\n"), Some(Message::Info));
    }
}
