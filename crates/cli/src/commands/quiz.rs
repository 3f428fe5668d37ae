//! `gambol quiz`: questions about a game with answers that are checked.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use gambol::quiz::{Kind, QuizError, QuizOptions, quiz};

use crate::game_source::load;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// What to ask. `--seed` chooses the states.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, - or a bundled game
    game: String,
    /// How many questions
    #[arg(long, value_name = "N", default_value_t = 20)]
    questions: usize,
    /// The most moves of a question about what follows
    #[arg(long, value_name = "N", default_value_t = 3)]
    steps: usize,
    /// Which questions: legal, next, terminal, goals, value, best, latches [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<Kind>,
}

/// One question per line, the easiest first.
pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let game = load(&arguments.game, session)?;
    super::net_of(&game, session)?;
    let mut options = QuizOptions::default();
    (options.questions, options.steps) = (arguments.questions, arguments.steps);
    options.seed = session.flags.seed;
    options.stop = Some(session.watch.flag());
    // Half of the time is left for the questions.
    let half = session.watch.time_left().map(|left| left.mul_f64(0.5));
    options.time = half.unwrap_or(Duration::MAX).min(options.time);
    if !arguments.kinds.is_empty() {
        options.kinds = arguments.kinds.clone();
    }
    let questions = match quiz(&game, &arguments.game, &options) {
        Err(QuizError::Stage(error)) => super::stage(Err(error))?,
        Err(QuizError::Stopped) => {
            return Err(Stop::Limit("there was no time for the questions".to_string()).into());
        }
        questions => questions?,
    };
    for question in &questions {
        writeln!(session.out, "{}", serde_json::to_string(question)?)?;
    }
    Ok(session.outcome(true))
}
