//! `gambol serve`: the explorer, on loopback unless told otherwise.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpListener};

use anyhow::Context;
use clap::Args;
use gambol_web::{ServeOptions, serve};

use crate::outcome::Outcome;
use crate::session::Session;
use gambol_system::resident_mib;

/// Where to serve.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The port; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 8765)]
    port: u16,
    /// The address to listen on; loopback unless told otherwise
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    let listener = TcpListener::bind((arguments.listen, arguments.port))
        .with_context(|| format!("cannot listen on {}:{}", arguments.listen, arguments.port))?;
    let address = listener.local_addr()?;
    if session.flags.json {
        session.json(&serde_json::json!({ "listening": address.to_string() }))?;
    } else {
        writeln!(session.out, "the explorer is at http://{address}/ ; Ctrl-C ends it")?;
    }
    session.out.flush()?;
    if !arguments.listen.is_loopback() {
        session.warn("everybody who can reach this address can use the explorer");
    }
    let mut options = ServeOptions::default();
    options.memory_used = resident_mib;
    // The program's own limit must not be met: what runs in the explorer stops before.
    options.memory_mib = session.flags.memory.map_or(options.memory_mib, |limit| limit * 3 / 4);
    serve(listener, options, &session.watch.flag())?;
    Ok(session.outcome(true))
}
