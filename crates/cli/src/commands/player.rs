//! `gambol player`: a player that waits for matches.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use gambol::play::{Log, Player, PlayerOptions, ServeOptions, Settings, serve};

use crate::flags::positive_seconds;
use crate::outcome::{Outcome, Stop};
use crate::session::Session;

/// Where to wait, and how to play.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The port; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 9147)]
    port: u16,
    /// The address to listen on; loopback unless told otherwise
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// The name of the player
    #[arg(long, default_value = "gambol")]
    name: String,
    /// Matches at once; more are refused
    #[arg(long, value_name = "N", default_value_t = 2)]
    matches: usize,
    /// Seconds of every clock that are kept in reserve, or a quarter of it if that is less
    #[arg(long, value_name = "S", default_value = "1", value_parser = positive_seconds)]
    margin: f64,
    /// Seconds to think about a move at most, whatever the clock allows
    #[arg(long, value_name = "S", value_parser = positive_seconds)]
    think: Option<f64>,
    /// How to think, as in mcts:decompose=off,threads=1 [default: mcts on all cores]
    #[arg(long, value_name = "PLAYER")]
    engine: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let address = (arguments.listen, arguments.port);
    let listener = TcpListener::bind(address)
        .with_context(|| format!("cannot listen on {}:{}", arguments.listen, arguments.port))?;
    let mut options = PlayerOptions::default();
    options.name.clone_from(&arguments.name);
    options.most_matches = arguments.matches;
    options.margin = Duration::from_secs_f64(arguments.margin);
    options.longest = arguments.think.map(Duration::from_secs_f64);
    options.seed = session.flags.seed;
    options.settings = match &arguments.engine {
        Some(words) => words.parse().map_err(|error| Stop::Usage(format!("{error}")))?,
        None => Settings::default().with_threads(session.threads()),
    };
    if !session.flags.quiet {
        options.log = Log::new(|incident| {
            // Nobody to tell is no reason to stop.
            let _ = writeln!(io::stderr(), "{incident}");
        });
    }
    let address = listener.local_addr()?;
    if session.flags.json {
        session.json(&serde_json::json!({ "listening": address.to_string() }))?;
    } else {
        writeln!(session.out, "waiting for matches on {address}; Ctrl-C ends it")?;
    }
    session.out.flush()?;
    if !arguments.listen.is_loopback() {
        session.warn("everybody who can reach this address can play against this player");
    }
    let player = Arc::new(Player::new(options));
    serve(&listener, &player, &ServeOptions::default(), &session.watch.flag())?;
    Ok(session.outcome(true))
}
