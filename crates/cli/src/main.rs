//! The program `gambol`. It translates between people, files and the library, and decides nothing.

mod arguments;
mod bench;
mod commands;
mod corpus;
mod digest;
mod files;
mod finding;
mod flags;
mod folder_shelf;
mod game_source;
mod game_text;
mod interval;
mod language_server;
mod layer_progress;
mod lock;
mod lost_peers;
mod manual;
mod numbers;
mod outcome;
mod processor;
mod progress;
mod records;
mod replay;
mod session;
mod simulation;
mod tournament;
mod watch;

use std::process::ExitCode;

use clap::FromArgMatches;

use crate::arguments::{Arguments, Command};
use crate::outcome::{Outcome, code_of, is_broken_pipe};
use crate::session::Session;

/// Memory has a limit that no single table can leap over.
#[global_allocator]
static ALLOCATOR: gambol_system::Limited = gambol_system::Limited;

fn main() -> ExitCode {
    let matches = manual::command().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut session = match arguments.command {
        Command::Corpus(_) => Session::start_unlimited(arguments.global),
        _ => Session::start(arguments.global),
    };
    match run(arguments.command, &mut session) {
        Ok(outcome) => ExitCode::from(session.code(outcome)),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => fail(&error, &mut session),
    }
}

fn run(command: Command, session: &mut Session) -> anyhow::Result<Outcome> {
    match command {
        Command::Tour(arguments) => commands::tour::run(&arguments, session),
        Command::Games(arguments) => commands::games::run(&arguments, session),
        Command::Scramble(arguments) => commands::scramble::run(&arguments, session),
        Command::Quiz(arguments) => commands::quiz::run(&arguments, session),
        Command::Show(arguments) => commands::show::run(&arguments, session),
        Command::New(arguments) => commands::new::run(&arguments, session),
        Command::Completions(arguments) => {
            commands::completions::run(&arguments, &manual::command(), session)
        }
        Command::Man(_) => commands::man::run(manual::command(), session),
        Command::Check(arguments) => commands::check::run(&arguments, session),
        Command::Fmt(arguments) => commands::fmt::run(&arguments, session),
        Command::Lsp(arguments) => commands::lsp::run(&arguments, session),
        Command::Ground(arguments) => commands::ground::run(&arguments, session),
        Command::Net(arguments) => commands::net::run(&arguments, session),
        Command::Step(arguments) => commands::step::run(&arguments, session),
        Command::Structure(arguments) => commands::structure::run(&arguments, session),
        Command::Solve(arguments) => commands::solve::run(&arguments, session),
        Command::Store(arguments) => commands::store::run(&arguments, session),
        Command::Verify(arguments) => commands::verify::run(&arguments, session),
        Command::Decompose(arguments) => commands::decompose::run(&arguments, session),
        Command::Subgame(arguments) => commands::subgame::run(&arguments, session),
        Command::Regress(arguments) => commands::regress::run(&arguments, session),
        Command::Play(arguments) => commands::play::run(&arguments, session),
        Command::Player(arguments) => commands::player::run(&arguments, session),
        Command::Match(arguments) => commands::match_play::run(&arguments, session),
        Command::Tournament(arguments) => commands::tournament::run(&arguments, session),
        Command::Replay(arguments) => commands::replay::run(&arguments, session),
        Command::Simulate(arguments) => commands::simulate::run(&arguments, session),
        Command::Corpus(arguments) => commands::corpus::run(&arguments, session),
        Command::Serve(arguments) => commands::serve::run(&arguments, session),
        Command::Bench(arguments) => commands::bench::run(&arguments, session),
        Command::CorpusGame(arguments) => commands::corpus_game::run(&arguments, session),
    }
}

/// Whatever went wrong after a limit was met went wrong because of it.
fn fail(error: &anyhow::Error, session: &mut Session) -> ExitCode {
    let (code, message) = match session.watch.met() {
        Some(limit) => (Outcome::Partial.code(), limit.message().to_string()),
        None => (code_of(error), format!("{error:#}")),
    };
    let known = session.watch.known();
    if session.flags.json {
        let mut object = serde_json::json!({ "error": { "message": message } });
        if code == Outcome::Partial.code() {
            object["known"] = known.clone().into();
        }
        // With no reader left there is nobody to tell.
        let _ = session.json(&object);
    }
    if !session.flags.json && code == Outcome::Partial.code() {
        let _ = watch::say_known(&known, &mut session.out);
    }
    session.complain(&format!("gambol: {message}"));
    ExitCode::from(code)
}
