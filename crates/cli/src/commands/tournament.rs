//! `gambol tournament`: several players, several games, ratings with intervals.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use gambol::Game;
use gambol::play::{
    Clock, Event, MatchTerms, Player, PlayerOptions, Prepared, ServeOptions, Settings, local_match,
    referee, serve, study_for,
};
use gambol::reference::Interpreter;
use serde_json::json;

use crate::commands::match_local::{STUDY, seated};
use crate::commands::match_play::{address_of, rules_text};
use crate::commands::stage;
use crate::flags::positive_seconds;
use crate::game_source::load;
use crate::outcome::{Outcome, Stop};
use crate::progress::Working;
use crate::records::match_record::{Head, Writing, fingerprint, roles_of};
use crate::records::tournament_plan::{FORMAT, Plan, PlannedGame};
use crate::records::trace;
use crate::session::Session;
use crate::tournament::page::{interval, page, summary};
use crate::tournament::results::{Results, results};
use crate::tournament::schedule::{next, seating};
use crate::tournament::standings::{Standings, standings};
use crate::tournament::{Fixture, is_chance};

/// Who plays what.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Files or bundled games
    #[arg(required_unless_present = "resume", value_name = "GAME")]
    games: Vec<String>,
    /// Engines (mcts, random, legal, with settings as in mcts:decompose=off) and players on the match
    /// protocol (HOST:PORT)
    #[arg(long, num_args = 2.., required_unless_present = "resume", value_name = "PLAYER")]
    players: Vec<String>,
    /// How often two players meet in each game; they change seats each time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Each player starts below those before it, and climbs as long as it wins
    #[arg(long)]
    ladder: bool,
    /// Seconds that an engine thinks about a move
    #[arg(long, value_name = "S", default_value = "1", value_parser = positive_seconds)]
    clock: f64,
    /// Random games that an engine plays for each move, instead of a clock; exactly repeatable
    #[arg(long, value_name = "N", conflicts_with = "clock", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// Seconds until the first step, where a player is on the protocol
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    start: u64,
    /// Seconds for each move, where a player is on the protocol
    #[arg(long, value_name = "S", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=3600))]
    play: u64,
    /// End a match undecided after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    max_steps: usize,
    /// Record every match; the tournament can be resumed, replayed, and shown in the explorer
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Go on with the tournament in this file, as it was planned
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "games", "players", "rounds", "ladder", "clock",
        "playouts", "start", "play", "max_steps"])]
    resume: Option<PathBuf>,
    /// Write the standings as an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    session.will_write(arguments.html.as_deref())?;
    let mut tournament = match &arguments.resume {
        Some(path) => Tournament::resume(path, session)?,
        None => Tournament::begin(arguments, session)?,
    };
    let working = Working::on("playing", session);
    let mut complete = false;
    while session.watch.met().is_none() {
        let Some(fixture) = next(&tournament.plan, &tournament.results) else {
            complete = true;
            break;
        };
        working.now(&tournament.announcement(&fixture));
        if !tournament.play(&fixture, session)? {
            break;
        }
        session.watch.know("matches", tournament.results.len());
    }
    drop(working);
    let standings = standings(&tournament.plan, &tournament.results, complete);
    show(&standings, session)?;
    if let Some(path) = &arguments.html {
        session.write_beside(path, page(&standings).as_bytes());
    }
    if let Some(error) = &tournament.unwritten {
        session.not_written("the record of the tournament", error);
    }
    let silent: Vec<&str> = tournament.silent().collect();
    if !silent.is_empty() {
        session.complain(&format!("nothing was heard of {}", silent.join(", ")));
    }
    Ok(session.outcome(complete && silent.is_empty()))
}

/// A tournament that is being played.
struct Tournament {
    plan: Plan,
    /// The games of the plan.
    games: Vec<TournamentGame>,
    results: Results,
    /// All matches are written here; to memory if no file was named.
    out: Option<Writing>,
    unwritten: Option<String>,
    /// Whether players on the protocol were heard of in any match of this run.
    heard: BTreeMap<String, bool>,
}

struct TournamentGame {
    game: Game,
    roles: Vec<String>,
}

impl Tournament {
    fn begin(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Self> {
        let distinct: BTreeSet<&String> = arguments.players.iter().collect();
        if distinct.len() < arguments.players.len() {
            bail!(Stop::Usage("name each player once; a setting tells two engines apart".into()));
        }
        for player in &arguments.players {
            check_player(player)?;
        }
        session.will_write(arguments.out.as_deref())?;
        if let Some(path) = &arguments.out {
            // Who holds the file is told even if it has been begun.
            session.hold(path)?;
            refuse_what_is_there(path)?;
        }
        let games = load_all(&arguments.games, session)?;
        let planned = |(name, one): (&String, &TournamentGame)| PlannedGame {
            name: name.clone(),
            rules: fingerprint(one.game.rules()),
            seats: one.roles.iter().filter(|role| !is_chance(role)).count(),
        };
        let plan = Plan {
            format: FORMAT.to_string(),
            games: arguments.games.iter().zip(&games).map(planned).collect(),
            players: arguments.players.clone(),
            rounds: arguments.rounds,
            ladder: arguments.ladder,
            clock: arguments.clock,
            playouts: arguments.playouts,
            start_clock: arguments.start,
            play_clock: arguments.play,
            seed: session.flags.seed,
            most_steps: arguments.max_steps,
        };
        let mut out = arguments.out.as_deref().map(Writing::create).transpose()?;
        if let Some(out) = &mut out {
            out.line(&json!({ "tournament": plan })).context("cannot write the record")?;
        }
        let (results, heard) = (Results::new(), BTreeMap::new());
        Ok(Self { plan, games, results, out, unwritten: None, heard })
    }

    /// Goes on where a file ends; a match that was broken off is played again.
    fn resume(path: &Path, session: &mut Session) -> anyhow::Result<Self> {
        session.hold(path)?;
        let recording = trace::recording(path)?;
        let plan = recording
            .plan
            .ok_or_else(|| Stop::Usage(format!("{} holds no tournament", path.display())))?;
        if plan.format != FORMAT {
            bail!("{} is of another form than {FORMAT}", path.display());
        }
        let names: Vec<String> = plan.games.iter().map(|game| game.name.clone()).collect();
        let games = load_all(&names, session)?;
        for (planned, one) in plan.games.iter().zip(&games) {
            if planned.rules != fingerprint(one.game.rules()) {
                bail!(
                    "{} was played by other rules than those of {}",
                    path.display(),
                    planned.name
                );
            }
        }
        let results = results(&plan, &recording.matches);
        let out = Writing::resume(path, recording.whole.length, recording.whole.sum)?;
        let heard = BTreeMap::new();
        Ok(Self { plan, games, results, out: Some(out), unwritten: None, heard })
    }

    /// Those who played and were never heard of.
    fn silent(&self) -> impl Iterator<Item = &str> {
        self.heard.iter().filter(|(_, heard)| !**heard).map(|(player, _)| &**player)
    }

    fn announcement(&self, fixture: &Fixture) -> String {
        let names: Vec<&str> =
            fixture.players.iter().map(|&who| &*self.plan.players[who]).collect();
        let game = &self.plan.games[fixture.game].name;
        format!("match {}: {}, {game}", self.results.len() + 1, names.join(" against "))
    }

    /// Plays a match, writes it down and counts it; false if it was broken off from outside.
    fn play(&mut self, fixture: &Fixture, session: &mut Session) -> anyhow::Result<bool> {
        let mut written = Writing::to(Vec::new());
        let players = self.seated(fixture);
        let settings: Result<Vec<Settings>, _> = players.iter().map(|one| one.parse()).collect();
        let number = self.results.len() as u64;
        match settings {
            Ok(settings) => self.engines(fixture, &players, &settings, &mut written, session)?,
            Err(_) => self.refereed(fixture, &players, number, &mut written, session)?,
        }
        if session.watch.met().is_some() {
            return Ok(false);
        }
        let lines = written.into_inner();
        let matches = trace::matches_of(&lines)?;
        self.results.extend(results(&self.plan, &matches));
        if let Some(out) = &mut self.out
            && let Err(error) = out.append(&lines)
        {
            // The standings are still worth having.
            self.unwritten = Some(format!("{error:#}"));
            self.out = None;
        }
        Ok(true)
    }

    /// The players in the order of the roles; chance is `random`.
    fn seated(&self, fixture: &Fixture) -> Vec<String> {
        let planned = &self.plan.games[fixture.game];
        let mut seats = seating(fixture, planned.seats).into_iter();
        let roles = &self.games[fixture.game].roles;
        let player = |role: &String| match is_chance(role) {
            true => Some("random".to_string()),
            false => seats.next().map(|who| self.plan.players[who].clone()),
        };
        roles.iter().filter_map(player).collect()
    }

    fn head(&self, fixture: &Fixture, players: &[String]) -> Head {
        let planned = &self.plan.games[fixture.game];
        let id = format!("tournament.{}", self.results.len() + 1);
        let roles = &self.games[fixture.game].roles;
        Head {
            players: players.to_vec(),
            rules: Some(planned.rules.clone()),
            round: Some(fixture.round),
            seed: self.plan.seed,
            ..Head::new(&planned.name, &id, roles)
        }
    }

    /// A match of engines in this process.
    fn engines(
        &mut self,
        fixture: &Fixture,
        players: &[String],
        settings: &[Settings],
        out: &mut Writing<Vec<u8>>,
        session: &Session,
    ) -> anyhow::Result<()> {
        let head = self.head(fixture, players);
        let stop = session.watch.flag();
        let clock = match self.plan.playouts {
            Some(playouts) => Clock::Playouts(playouts),
            None => Clock::Time(Duration::from_secs_f64(self.plan.clock)),
        };
        let prepared = self.games[fixture.game].prepared(settings, clock, &stop)?;
        let sides: Vec<&Settings> = settings.iter().collect();
        let sides = seated(&prepared, &sides, self.plan.seed, self.results.len() as u64);
        let most = self.plan.most_steps;
        let played = local_match(&prepared, &sides, clock, most, &stop, &mut |_, _| {});
        debug_assert_eq!(roles_of(&prepared), head.roles);
        out.local(&head, &prepared, &played)
    }

    /// A match on the protocol; engines are given a port on loopback.
    fn refereed(
        &mut self,
        fixture: &Fixture,
        players: &[String],
        number: u64,
        out: &mut Writing<Vec<u8>>,
        session: &Session,
    ) -> anyhow::Result<()> {
        let planned = &self.plan.games[fixture.game];
        let game = &self.games[fixture.game].game;
        let mut head = self.head(fixture, players);
        head.start_clock = Some(self.plan.start_clock);
        head.play_clock = Some(self.plan.play_clock);
        let hosted: Vec<Hosted> =
            players.iter().map(|player| Hosted::of(player)).collect::<anyhow::Result<_>>()?;
        let addresses: Vec<Option<SocketAddr>> = hosted.iter().map(|one| one.address).collect();
        let rules_text = rules_text(&planned.name, game, session)?;
        // A player may still hold a match of an earlier run under the same name.
        let id = format!("{}.{}", head.id, std::process::id());
        let stop = session.watch.flag();
        let terms = MatchTerms {
            id: &id,
            rules_text: &rules_text,
            players: &addresses,
            start_clock: Duration::from_secs(self.plan.start_clock),
            play_clock: Duration::from_secs(self.plan.play_clock),
            seed: self.plan.seed.wrapping_add(number),
            most_steps: self.plan.most_steps,
            history: &[],
            stop: &stop,
        };
        out.head(&head)?;
        let mut failed = None;
        let mut show = |event: Event<'_>| {
            if let Event::Step { roles, step, faults } = event {
                failed = failed.take().or(out.step(roles, step, faults, &[]).err());
            }
        };
        let record = referee(game.rules(), &terms, &mut show)
            .map_err(|error| Stop::Usage(error.to_string()))?;
        failed.map_or(Ok(()), Err)?;
        for ((role, player), address) in record.roles.iter().zip(players).zip(&addresses) {
            if address.is_some() {
                let heard = record.silent().all(|silent| silent != role);
                *self.heard.entry(player.clone()).or_default() |= heard;
            }
        }
        out.end(&record.roles, &record.last_state, &record.goals, record.completed)
    }
}

impl TournamentGame {
    fn prepared(
        &self,
        sides: &[Settings],
        clock: Clock,
        stop: &Arc<AtomicBool>,
    ) -> anyhow::Result<Arc<Prepared>> {
        let prepared = Arc::clone(stage(self.game.prepared())?);
        study_for(&prepared, sides, clock, STUDY, stop);
        Ok(prepared)
    }
}

/// Where a player is; an engine listens on loopback as long as this is there.
struct Hosted {
    address: Option<SocketAddr>,
    stop: Arc<AtomicBool>,
}

impl Hosted {
    fn of(player: &str) -> anyhow::Result<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let Ok(settings) = player.parse::<Settings>() else {
            return Ok(Self { address: address_of(player)?, stop });
        };
        if player == "random" {
            return Ok(Self { address: None, stop });
        }
        let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on loopback")?;
        let address = Some(listener.local_addr()?);
        let mut options = PlayerOptions::default();
        options.settings = settings;
        let (flag, player) = (Arc::clone(&stop), Arc::new(Player::new(options)));
        std::thread::spawn(move || serve(&listener, &player, &ServeOptions::default(), &flag));
        Ok(Self { address, stop })
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Hours of play are not to be lost because a command was given twice.
fn refuse_what_is_there(path: &Path) -> anyhow::Result<()> {
    let there = std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    let hint =
        "is there already; --resume goes on with a tournament, and a new one needs a new file";
    if there { bail!(Stop::Usage(format!("{} {hint}", path.display()))) } else { Ok(()) }
}

/// An engine, or an address that can be resolved.
fn check_player(player: &str) -> anyhow::Result<()> {
    let looks_like_an_address =
        player.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    match player.parse::<Settings>() {
        Ok(_) => Ok(()),
        Err(_) if looks_like_an_address => address_of(player).map(drop),
        Err(error) => bail!(Stop::Usage(format!("{error}, or HOST:PORT"))),
    }
}

fn load_all(names: &[String], session: &mut Session) -> anyhow::Result<Vec<TournamentGame>> {
    let one = |name: &String| {
        let game = load(name, session)?;
        // The interpreter knows the roles of games that are too large for a net.
        let interpreter = Interpreter::new(game.rules())?;
        let roles = interpreter.roles().iter().map(|&role| interpreter.text(role)).collect();
        Ok(TournamentGame { game, roles })
    };
    names.iter().map(one).collect()
}

fn show(standings: &Standings<'_>, session: &mut Session) -> anyhow::Result<()> {
    if session.flags.json {
        return session.json(standings);
    }
    let out = &mut session.out;
    writeln!(out, "{}", summary(standings))?;
    let width = standings.players.iter().map(|one| one.player.len()).max().unwrap_or(0).max(6);
    writeln!(
        out,
        "{:width$}    Elo    95 % interval   points  games    won  drawn   lost  faults",
        "player"
    )?;
    for one in &standings.players {
        writeln!(
            out,
            "{:width$}  {:>+5.0}  {:>15}  {:>7}  {:>5}  {:>5}  {:>5}  {:>5}  {:>6}",
            one.player,
            one.elo,
            interval(one),
            one.points(),
            one.games(),
            one.won,
            one.drawn,
            one.lost,
            one.faults
        )?;
    }
    Ok(())
}
