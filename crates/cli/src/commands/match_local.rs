//! `gambol match --local`: engine against engine in this process, many games, sides swapped.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use gambol::Game;
use gambol::net::RoleId;
use gambol::play::{Clock, LocalMatch, Prepared, Settings, Way, is_chance, local_match, study_for};
use serde::Serialize;

use crate::commands::match_play::Arguments;
use crate::commands::stage;
use crate::interval::{Interval, wilson};
use crate::numbers::grouped;
use crate::outcome::{Outcome, Stop};
use crate::progress::Working;
use crate::records::match_record::{Head, Writing, fingerprint, roles_of};
use crate::session::Session;

/// A side, game after game.
#[derive(Serialize, Debug, Default)]
struct Side {
    player: String,
    games: u32,
    won: u32,
    drawn: u32,
    lost: u32,
    /// Won games and half the drawn ones, as a share of all.
    points: f64,
    interval: Interval,
    mean_goal: f64,
    playouts: u64,
    playouts_per_second: f64,
    #[serde(skip)]
    seconds: f64,
    #[serde(skip)]
    goals: f64,
}

#[derive(Serialize, Debug)]
struct Report<'a> {
    game: &'a str,
    games: u32,
    called_off: u32,
    mean_length: f64,
    parts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<&'static str>,
    sides: Vec<Side>,
}

/// The longest that is spent on the structure of the game before the first match.
pub(crate) const STUDY: Duration = Duration::from_secs(20);

pub(crate) fn run(
    arguments: &Arguments,
    game: &Game,
    session: &mut Session,
) -> anyhow::Result<Outcome> {
    let sides = arguments.players.iter().map(|player| player.parse::<Settings>());
    let sides: Result<Vec<Settings>, _> = sides.collect();
    let sides = sides.map_err(|error| Stop::Usage(error.to_string()))?;
    let prepared = stage(game.prepared())?;
    study_for(prepared, &sides, clock_of(arguments), STUDY, &session.watch.flag());
    let mut series = Series::new(arguments, prepared, sides, session.flags.seed);
    let mut failed = None;
    let working = Working::on("playing", session);
    if let Some(path) = &arguments.out {
        session.hold(path)?;
    }
    let mut out = arguments.out.as_deref().map(Writing::create).transpose()?;
    for number in 0..arguments.games {
        if session.watch.met().is_some() {
            break;
        }
        working.now(&format!("game {} of {}: {}", number + 1, arguments.games, series.score()));
        let (played, seating) = series.game(number, &session.watch.flag());
        if let Some(out) = &mut out {
            let id = format!("{}.{}", arguments.id, number + 1);
            let players = seating.iter().map(|&side| arguments.players[side].clone()).collect();
            let head = Head {
                players,
                rules: Some(fingerprint(game.rules())),
                ..Head::new(&arguments.game, &id, &roles_of(prepared))
            };
            let written = out.local(&head, prepared, &played);
            failed = failed.or(written.err());
        }
    }
    drop(working);
    let report = series.report(&arguments.game);
    show(&report, session)?;
    if let Some(error) = failed {
        session.not_written("the record of the matches", &format!("{error:#}"));
    }
    Ok(session.outcome(report.called_off == 0))
}

/// The sides of game `number`, each with a seed of its own. Nobody plays chance.
pub(crate) fn seated(
    prepared: &Prepared,
    sides: &[&Settings],
    seed: u64,
    number: u64,
) -> Vec<Settings> {
    let seat = |(place, (settings, role)): (u64, (&&Settings, RoleId))| {
        let mut settings = (*settings).clone();
        if is_chance(prepared.net(), role) {
            settings.way = Way::Random;
        }
        settings.search.seed =
            seed.wrapping_mul(0x9e37_79b9).wrapping_add(place.wrapping_add(7 * number));
        settings
    };
    (0..).zip(sides.iter().zip(prepared.net().roles.ids())).map(seat).collect()
}

fn clock_of(arguments: &Arguments) -> Clock {
    match (arguments.playouts, arguments.clock) {
        (Some(playouts), _) => Clock::Playouts(playouts),
        (None, seconds) => Clock::Time(Duration::from_secs_f64(seconds)),
    }
}

struct Series<'a> {
    prepared: &'a Arc<Prepared>,
    settings: Vec<Settings>,
    sides: Vec<Side>,
    clock: Clock,
    most_steps: usize,
    seed: u64,
    called_off: u32,
    steps: usize,
}

impl<'a> Series<'a> {
    fn new(
        arguments: &Arguments,
        prepared: &'a Arc<Prepared>,
        settings: Vec<Settings>,
        seed: u64,
    ) -> Self {
        let named = |player: &String| Side { player: player.clone(), ..Side::default() };
        Self {
            prepared,
            settings,
            sides: arguments.players.iter().map(named).collect(),
            clock: clock_of(arguments),
            most_steps: arguments.max_steps,
            seed,
            called_off: 0,
            steps: 0,
        }
    }

    /// Who plays which role: sides take turns, and every game they move on by one.
    fn seating(&self, number: u32) -> Vec<usize> {
        let roles = self.prepared.net().roles.len();
        (0..roles).map(|role| (role + number as usize) % self.sides.len()).collect()
    }

    fn game(
        &mut self,
        number: u32,
        stop: &std::sync::atomic::AtomicBool,
    ) -> (LocalMatch, Vec<usize>) {
        let seating = self.seating(number);
        let settings: Vec<&Settings> = seating.iter().map(|&side| &self.settings[side]).collect();
        let seated = seated(self.prepared, &settings, self.seed, u64::from(number));
        let played =
            local_match(self.prepared, &seated, self.clock, self.most_steps, stop, &mut |_, _| {});
        self.count(&seating, &played);
        (played, seating)
    }

    fn count(&mut self, seating: &[usize], played: &LocalMatch) {
        for (&side, (&playouts, &thought)) in
            seating.iter().zip(played.playouts.iter().zip(played.thought.iter()))
        {
            self.sides[side].playouts += playouts;
            self.sides[side].seconds += thought.as_secs_f64();
        }
        let Some(goals) = &played.goals else {
            self.called_off += 1;
            return;
        };
        self.steps += played.moves.len();
        let net = self.prepared.net();
        let mut goal_of: Vec<Vec<f64>> = vec![Vec::new(); self.sides.len()];
        for (role, (&side, goal)) in net.roles.ids().zip(seating.iter().zip(goals.iter())) {
            if !is_chance(net, role) {
                goal_of[side].push(f64::from(goal.unwrap_or(0)));
            }
        }
        let means: Vec<Option<f64>> = goal_of
            .iter()
            .map(|goals| {
                let count = goals.len() as f64;
                (!goals.is_empty()).then(|| goals.iter().sum::<f64>() / count)
            })
            .collect();
        for (place, mean) in means.iter().enumerate() {
            let Some(mean) = *mean else { continue };
            let others = means.iter().enumerate().filter(|&(other, _)| other != place);
            let best =
                others.filter_map(|(_, mean)| *mean).fold(None, |best: Option<f64>, mean| {
                    Some(best.map_or(mean, |best| best.max(mean)))
                });
            let side = &mut self.sides[place];
            side.games += 1;
            side.goals += mean;
            match best.map(|best| mean.total_cmp(&best)) {
                Some(std::cmp::Ordering::Greater) => side.won += 1,
                Some(std::cmp::Ordering::Less) => side.lost += 1,
                // Alone at the table one wins by the highest goal.
                None if mean >= 100.0 => side.won += 1,
                None if mean <= 0.0 => side.lost += 1,
                _ => side.drawn += 1,
            }
        }
    }

    fn score(&self) -> String {
        let points = |side: &Side| f64::from(side.won) + f64::from(side.drawn) / 2.0;
        let sides = self.sides.iter().map(|side| format!("{} {}", side.player, points(side)));
        sides.collect::<Vec<_>>().join(", ")
    }

    fn report(self, game: &str) -> Report<'_> {
        let mut sides = self.sides;
        for side in &mut sides {
            let games = f64::from(side.games.max(1));
            let points = f64::from(side.won) + f64::from(side.drawn) / 2.0;
            side.points = points / games;
            side.interval = wilson(points, f64::from(side.games));
            side.mean_goal = side.goals / games;
            side.playouts_per_second = side.playouts as f64 / side.seconds.max(1e-9);
        }
        let games = sides.iter().map(|side| side.games).max().unwrap_or(0);
        let factors = self.prepared.factors();
        Report {
            game,
            games,
            called_off: self.called_off,
            mean_length: self.steps as f64 / f64::from(games.max(1)),
            parts: factors.as_ref().map_or(1, |factors| factors.count()),
            basis: factors.map(|factors| factors.basis().as_str()),
            sides,
        }
    }
}

fn show(report: &Report<'_>, session: &mut Session) -> anyhow::Result<()> {
    if session.flags.json {
        return session.json(report);
    }
    let out = &mut session.out;
    write!(out, "{} games, {:.1} steps each", report.games, report.mean_length)?;
    if let Some(basis) = report.basis {
        write!(out, "; {} parts, {basis}", report.parts)?;
    }
    writeln!(out)?;
    let width = report.sides.iter().map(|side| side.player.len()).max().unwrap_or(0).max(6);
    writeln!(
        out,
        "{:width$}  points   95 % interval     won  drawn   lost  mean goal  playouts/s",
        "player"
    )?;
    for side in &report.sides {
        writeln!(
            out,
            "{:width$}  {:>5.1} %  {:>5.1} to {:>5.1} %  {:>5}  {:>5}  {:>5}  {:>9.1}  {:>10}",
            side.player,
            100.0 * side.points,
            100.0 * side.interval.least,
            100.0 * side.interval.most,
            side.won,
            side.drawn,
            side.lost,
            side.mean_goal,
            grouped(side.playouts_per_second as u64),
        )?;
    }
    if report.called_off > 0 {
        writeln!(out, "{} games were called off", report.called_off)?;
    }
    Ok(())
}
