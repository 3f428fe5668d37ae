//! `gambol play`: a person plays in the terminal, against engines for all other roles. The role `random` is chance.

mod table_talk;

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use gambol::board::{Boards, draw_in_colour};
use gambol::net::{MoveId, RoleId};
use gambol::play::{Agent, Decision, Effort, Prepared, Reason, Settings, Way, is_chance};
use gambol::sim::{Evaluator, State};

use crate::commands::stage;
use crate::files;
use crate::flags::positive_seconds;
use crate::game_source::load;
use crate::outcome::{Outcome, Stop};
use crate::records::match_record::{Head, Writing, roles_of};
use crate::records::trace;
use crate::session::Session;
use table_talk::TableTalk;

/// What to play, as whom, and against whom.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// A file, or a bundled game
    game: String,
    /// Your role [default: the first]
    #[arg(long = "as", value_name = "ROLE")]
    role: Option<String>,
    /// Seconds that the others think about a move
    #[arg(long, value_name = "S", default_value = "1", value_parser = positive_seconds)]
    clock: f64,
    /// Who plays the other roles: mcts, random or legal, with settings as in mcts:threads=2
    #[arg(long, value_name = "PLAYER", default_value = "mcts")]
    against: String,
    /// Record the match after every step, for `gambol replay` and --resume
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Go on with a match that was saved before its end
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
}

const HELP: &str = "\
type a number, or the beginning of a move, to make it (parentheses may be left out)
undo   back to your last choice        hint   what the engine would play, and why
moves  show the list again             board  show the board again
save FILE  record the match            quit   leave the game";

/// Longer lists of moves are shown when asked for.
const LONGEST_LIST: usize = 40;

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    if arguments.game == "-" {
        let message = "standard input is for your moves; give the rules as a file".to_string();
        return Err(Stop::Usage(message).into());
    }
    let game = load(&arguments.game, session)?;
    let net = stage(game.net())?;
    let boards = Boards::find(net, game.rules());
    let prepared = stage(game.prepared())?;
    let role = role_of(prepared, arguments.role.as_deref())?;
    let settings: Settings =
        arguments.against.parse().map_err(|error| Stop::Usage(format!("{error}")))?;
    study_meanwhile(prepared, session);
    let mut table = Table::new(arguments, prepared, &boards, role, &settings, session);
    if let Some(path) = &arguments.resume {
        table.resume(path)?;
    }
    let finished = table.play(session)?;
    Ok(session.outcome(finished))
}

fn role_of(prepared: &Prepared, name: Option<&str>) -> anyhow::Result<RoleId> {
    let roles = roles_of(prepared);
    let Some(name) = name else { return Ok(RoleId::new(0)) };
    prepared.role(name).ok_or_else(|| {
        Stop::Usage(format!("there is no role {name}; there are {}", roles.join(", "))).into()
    })
}

/// Structure is found while the person thinks, and what states are worth is learnt.
fn study_meanwhile(prepared: &Arc<Prepared>, session: &Session) {
    let (prepared, stop) = (Arc::clone(prepared), session.watch.flag());
    // Without it the engines know less, and that is all.
    let _ = thread::Builder::new().spawn(move || {
        prepared.study(Duration::from_secs(10), &stop);
        prepared.learn(Duration::from_secs(10), &stop);
    });
}

/// A match with a person in it.
struct Table<'a> {
    game: &'a str,
    prepared: &'a Arc<Prepared>,
    boards: &'a Boards,
    role: RoleId,
    /// One for each role; that of the person gives hints.
    agents: Vec<Agent<'a>>,
    players: Vec<String>,
    evaluator: Evaluator<'a>,
    talk: TableTalk<'a>,
    /// The states so far, the present one last, and the moves between them.
    states: Vec<State>,
    moves: Vec<Vec<MoveId>>,
    clock: Duration,
    save: Option<PathBuf>,
    silent: bool,
    /// Whether the others are players that think.
    settings_think: bool,
}

/// What a person wants.
enum Wish {
    Move(MoveId),
    Undo,
    Quit,
}

impl<'a> Table<'a> {
    fn new(
        arguments: &'a Arguments,
        prepared: &'a Arc<Prepared>,
        boards: &'a Boards,
        role: RoleId,
        settings: &Settings,
        session: &Session,
    ) -> Self {
        let roles = || prepared.net().roles.ids();
        let agent = |other: RoleId| {
            let mut settings = if other == role { Settings::default() } else { settings.clone() };
            settings.search.seed = session.flags.seed + u64::from(other.number());
            Agent::new(prepared, settings)
        };
        let player = |other: RoleId| match other {
            _ if other == role => "person".to_string(),
            _ if is_chance(prepared.net(), other) => "chance".to_string(),
            _ => arguments.against.clone(),
        };
        Self {
            game: &arguments.game,
            prepared,
            boards,
            role,
            agents: roles().map(agent).collect(),
            players: roles().map(player).collect(),
            evaluator: Evaluator::new(prepared.circuit()),
            talk: TableTalk::new(prepared, session.flags.seed),
            states: vec![prepared.circuit().initial()],
            moves: Vec::new(),
            clock: Duration::from_secs_f64(arguments.clock),
            save: arguments.save.clone().or_else(|| arguments.resume.clone()),
            silent: session.flags.json || session.flags.quiet,
            settings_think: settings.way == Way::Search,
        }
    }

    /// Makes the moves of a file.
    fn resume(&mut self, path: &Path) -> anyhow::Result<()> {
        let broken_off = trace::broken_off(path)?;
        let (_, playout, _) = broken_off.ok_or_else(|| {
            Stop::Usage(format!("{} holds no match that was broken off", path.display()))
        })?;
        for joint in playout.steps.iter().filter_map(|step| step.joint.as_ref()) {
            let roles = self.prepared.net().roles.ids().zip(joint);
            let named: Option<Vec<MoveId>> =
                roles.map(|(role, name)| self.prepared.named(role, name)).collect();
            let named = named
                .with_context(|| format!("{}: not a match of {}", path.display(), self.game))?;
            self.make(named);
        }
        Ok(())
    }

    fn state(&self) -> &State {
        self.states.last().expect("there is always a present state")
    }

    fn make(&mut self, joint: Vec<MoveId>) {
        let state = self.state().clone();
        let next = self.evaluator.next(&state, &joint);
        self.talk.step(&state, &joint);
        self.states.push(next);
        self.agents.iter_mut().for_each(|agent| agent.advance(&joint));
        self.moves.push(joint);
    }

    /// To the end, or until the person has enough; says whether it came to the end.
    fn play(&mut self, session: &mut Session) -> anyhow::Result<bool> {
        self.greet(session)?;
        while !self.agents[0].is_over() {
            let own = self.agents[self.role.number() as usize].legal(self.role);
            let own = match own.as_slice() {
                [] => {
                    self.say(session, "you have no legal move; the match cannot go on")?;
                    return self.leave(session);
                }
                &[only] => only,
                choices => match self.ask(choices, session)? {
                    Wish::Move(action) => action,
                    Wish::Undo => {
                        self.undo(session)?;
                        continue;
                    }
                    Wish::Quit => return self.leave(session),
                },
            };
            if !self.step(own, session)? {
                return self.leave(session);
            }
        }
        self.finish(session)?;
        Ok(true)
    }

    /// Who plays whom, and where help is.
    fn greet(&self, session: &mut Session) -> anyhow::Result<()> {
        let roles = &self.prepared.net().roles;
        let others = roles.ids().filter(|&role| role != self.role);
        let others: Vec<String> = others
            .map(|role| format!("{} is {}", roles[role], self.players[role.number() as usize]))
            .collect();
        let others =
            if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
        let hidden = match self.talk.is_hidden() {
            true => " You see what your role sees, and nothing else.",
            false => "",
        };
        let you = &roles[self.role];
        self.say(session, &format!("You are {you}{others}. Type help for help.{hidden}\n"))
    }

    /// The others move as well; says whether all of them could.
    fn step(&mut self, own: MoveId, session: &mut Session) -> anyhow::Result<bool> {
        let mut joint = Vec::with_capacity(self.agents.len());
        let mut told = Vec::with_capacity(self.agents.len());
        for role in self.prepared.net().roles.ids() {
            let name = &self.prepared.net().roles[role];
            let legal = self.agents[role.number() as usize].legal(role);
            let made = match role == self.role {
                true => Some((own, self.prepared.name(own).to_string())),
                false => self.choose(role, &legal, session),
            };
            let Some((action, words)) = made else {
                self.say(session, &format!("{name} has no legal move; the match cannot go on"))?;
                return Ok(false);
            };
            // A move without a choice is not worth telling, one that the person cannot see must not be told.
            if legal.len() > 1 && (role == self.role || !self.talk.is_hidden()) {
                told.push(format!("{name}: {words}"));
            }
            joint.push(action);
        }
        self.make(joint);
        // Each step may show something, also those in which the person has nothing to choose.
        told.extend(self.talk.saw(self.role));
        if !told.is_empty() {
            self.say(session, &format!("{}\n", told.join("\n")))?;
        }
        self.keep()?;
        Ok(true)
    }

    /// A move of a role that is not the person's, with what there is to say about it.
    fn choose(
        &mut self,
        role: RoleId,
        legal: &[MoveId],
        session: &Session,
    ) -> Option<(MoveId, String)> {
        if is_chance(self.prepared.net(), role) {
            let action = self.talk.lot(legal, self.moves.len())?;
            return Some((action, format!("{} (by lot)", self.prepared.name(action))));
        }
        let until = Instant::now() + self.clock;
        let stop = session.watch.flag();
        if self.talk.is_hidden() && legal.len() > 1 && self.settings_think {
            let guess = self.talk.guess(role, until, &stop)?;
            return Some((guess.action, self.prepared.name(guess.action).to_string()));
        }
        let agent = &mut self.agents[role.number() as usize];
        let decision = agent.decide(role, Effort::Until(until), &stop)?;
        let parts = fallen_apart(agent);
        Some((decision.action, format!("{}{parts}", self.because(&decision))))
    }

    /// A move and the reason for it.
    fn because(&self, decision: &Decision) -> String {
        let name = self.prepared.name(decision.action);
        match decision.reason {
            Reason::Forced | Reason::Unthinking => name.to_string(),
            Reason::Solved(goal) => {
                format!("{name} (proved: the game is solved from here, {goal})")
            }
            Reason::Proved(goal) => format!("{name} (proved: leads to {goal})"),
            Reason::Parts { share } => format!(
                "{name} (part by part; {:.0} % of the playouts, or more, went there)",
                100.0 * share
            ),
            Reason::Tried { share, mean } => format!(
                "{name} ({:.0} % of the playouts went there, mean goal {mean:.1})",
                100.0 * share
            ),
        }
    }

    /// Asks the person until something is to be done. The end of the input is taken for leaving.
    fn ask(&mut self, choices: &[MoveId], session: &mut Session) -> anyhow::Result<Wish> {
        self.show_board(session)?;
        self.list(choices, choices.len() <= LONGEST_LIST, session)?;
        let input = io::stdin();
        loop {
            if !self.silent {
                write!(session.out, "{}> ", self.prepared.net().roles[self.role])?;
                session.out.flush()?;
            }
            let mut line = String::new();
            if input.lock().read_line(&mut line)? == 0 {
                self.say(session, "")?;
                return Ok(Wish::Quit);
            }
            if let Some(wish) = self.understand(line.trim(), choices, session)? {
                return Ok(wish);
            }
        }
    }

    /// What a line asks for; `None` if that is done, or cannot be.
    fn understand(
        &mut self,
        line: &str,
        choices: &[MoveId],
        session: &mut Session,
    ) -> anyhow::Result<Option<Wish>> {
        let found = completions(self.prepared, choices, line);
        if let ([only], true) = (&found[..], is_whole(self.prepared, &found, line)) {
            return Ok(Some(Wish::Move(*only)));
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, rest.trim()) {
            ("", _) => {}
            ("undo", "") => return Ok(Some(Wish::Undo)),
            ("quit" | "exit", "") => return Ok(Some(Wish::Quit)),
            ("board", "") => self.show_board(session)?,
            ("moves", "") => self.list(choices, true, session)?,
            ("help" | "?", "") => self.say(session, HELP)?,
            ("hint", "") => self.hint(session)?,
            ("save", path) => self.save_to(path, session)?,
            _ => return self.complete(line, choices, &found, session),
        }
        Ok(None)
    }

    /// A number, or the beginning of a move.
    fn complete(
        &self,
        line: &str,
        choices: &[MoveId],
        found: &[MoveId],
        session: &mut Session,
    ) -> anyhow::Result<Option<Wish>> {
        let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some(&action) = number.and_then(|number| choices.get(number)) {
            return Ok(Some(Wish::Move(action)));
        }
        match found {
            [only] => return Ok(Some(Wish::Move(*only))),
            [] => self.say(session, &format!("no legal move begins with {line}; try help"))?,
            several => {
                let names: Vec<&str> =
                    several.iter().map(|&action| self.prepared.name(action)).collect();
                self.say(session, &format!("which one? {}", names.join(" ")))?;
            }
        }
        Ok(None)
    }

    fn hint(&mut self, session: &mut Session) -> anyhow::Result<()> {
        let until = Instant::now() + self.clock;
        let stop = session.watch.flag();
        if self.talk.is_hidden() {
            let guess = self.talk.guess(self.role, until, &stop);
            let hint = guess.map_or("nothing".to_string(), |guess| {
                let name = self.prepared.name(guess.action);
                let (mean, worlds) = (guess.mean, guess.worlds);
                let states = if worlds == 1 { "state that agrees" } else { "states that agree" };
                format!("{name} (mean goal {mean:.1} over {worlds} {states} with what you saw)")
            });
            writeln!(session.out, "hint: {hint}")?;
            return Ok(());
        }
        let agent = &mut self.agents[self.role.number() as usize];
        let decision = agent.decide(self.role, Effort::Until(until), &stop);
        let parts = fallen_apart(agent);
        let chosen = decision.as_ref().map(|decision| decision.action);
        let hint = decision.map_or("nothing".to_string(), |decision| self.because(&decision));
        let line = self.expected_line(chosen);
        writeln!(session.out, "hint: {hint}{parts}")?;
        if let Some(line) = line {
            writeln!(session.out, "expected: {line}")?;
        }
        Ok(())
    }

    /// How the search expects the game to go on after a move; `None` if it is not what the search went for, or says
    /// no more.
    fn expected_line(&self, chosen: Option<MoveId>) -> Option<String> {
        let report = self.agents[self.role.number() as usize].report(self.role);
        let begins = report.choices.first().is_some_and(|first| chosen == Some(*first));
        let names = report.choices.iter().map(|&action| self.prepared.name(action));
        (begins && report.choices.len() > 1).then(|| names.collect::<Vec<_>>().join(", "))
    }

    /// Back to the last state in which the person had a choice.
    fn undo(&mut self, session: &mut Session) -> anyhow::Result<()> {
        let role = self.role;
        let earlier = (0..self.moves.len()).rev().find(|&step| {
            let legal = self.evaluator.legal(&self.states[step]);
            legal.iter().filter(|&&action| self.prepared.net().moves[action].role == role).count()
                > 1
        });
        let Some(step) = earlier else {
            return self.say(session, "there is nothing to take back");
        };
        self.moves.truncate(step);
        self.states.truncate(step + 1);
        self.talk.begin_again(&self.moves);
        let state = self.state().clone();
        self.agents.iter_mut().for_each(|agent| agent.go_to(state.clone()));
        self.keep()
    }

    fn list(&self, choices: &[MoveId], whole: bool, session: &mut Session) -> anyhow::Result<()> {
        let names = choices.iter().map(|&action| self.prepared.name(action)).enumerate();
        let shown = if whole { choices.len() } else { LONGEST_LIST };
        let mut text: Vec<String> =
            names.take(shown).map(|(place, name)| format!("{} {name}", place + 1)).collect();
        if shown < choices.len() {
            text.push(format!("… {} more: moves lists them", choices.len() - shown));
        }
        self.say(session, &text.join("   "))
    }

    fn show_board(&self, session: &mut Session) -> anyhow::Result<()> {
        let whole = self.state().clone();
        // When all is over the cards are laid open.
        let sight = self.talk.sight(self.role).filter(|_| !self.agents[0].is_over());
        let (marking, words) = sight.unwrap_or((whole, String::new()));
        let board = draw_in_colour(self.prepared.net(), self.boards, &marking);
        self.say(session, &format!("{board}{words}"))
    }

    fn say(&self, session: &mut Session, text: &str) -> anyhow::Result<()> {
        if !self.silent {
            writeln!(session.out, "{text}")?;
        }
        Ok(())
    }

    fn save_to(&self, path: &str, session: &mut Session) -> anyhow::Result<()> {
        let path = match (path, &self.save) {
            ("", None) => return self.say(session, "save where? (save FILE)"),
            ("", Some(path)) => path.clone(),
            (path, _) => PathBuf::from(path),
        };
        match self.write(&path) {
            Ok(()) => self.say(session, &format!("saved to {}", path.display())),
            Err(error) => self.say(session, &format!("{error:#}")),
        }
    }

    /// Writes the match down if that was asked for.
    fn keep(&self) -> anyhow::Result<()> {
        self.save.as_deref().map_or(Ok(()), |path| self.write(path))
    }

    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let roles = roles_of(self.prepared);
        let mut head = Head::new(self.game, "play", &roles);
        head.players.clone_from(&self.players);
        let mut writing = Writing::to(Vec::new());
        writing.head(&head)?;
        let last = writing.moves(self.prepared, &roles, &self.moves, &[])?;
        if self.agents[0].is_over() {
            writing.end(&roles, &last, &self.goals(), true)?;
        }
        files::replace(path, &writing.into_inner())
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn goals(&self) -> Vec<Option<u32>> {
        let mut evaluator = Evaluator::new(self.prepared.circuit());
        evaluator.goals(self.state()).iter().copied().collect()
    }

    fn leave(&self, session: &mut Session) -> anyhow::Result<bool> {
        self.keep()?;
        if let Some(path) = &self.save {
            self.say(session, &format!("saved to {}; --resume goes on with it", path.display()))?;
        }
        self.report(false, session)?;
        Ok(false)
    }

    fn finish(&self, session: &mut Session) -> anyhow::Result<()> {
        self.keep()?;
        if session.flags.json {
            return self.report(true, session);
        }
        self.show_board(session)?;
        writeln!(session.out, "the game is over")?;
        for (role, goal) in self.prepared.net().roles.iter().zip(self.goals()) {
            let goal = goal.map_or("none".to_string(), |goal| goal.to_string());
            writeln!(session.out, "{role}: {goal}")?;
        }
        Ok(())
    }

    fn report(&self, completed: bool, session: &mut Session) -> anyhow::Result<()> {
        if !session.flags.json {
            return Ok(());
        }
        let names = |joint: &Vec<MoveId>| -> Vec<&str> {
            joint.iter().map(|&action| self.prepared.name(action)).collect()
        };
        let moves: Vec<Vec<&str>> = self.moves.iter().map(names).collect();
        let goals = if completed { self.goals() } else { Vec::new() };
        session.json(&serde_json::json!({
            "roles": roles_of(self.prepared), "moves": moves, "completed": completed, "goals": goals,
        }))
    }
}

/// What the game has fallen into, if that is news.
fn fallen_apart(agent: &mut Agent<'_>) -> String {
    agent.new_parts().map_or_else(String::new, |parts| {
        let (count, basis) = (parts.count(), parts.basis().as_str());
        format!("\n  (from here on the game falls into {count} parts, {basis})")
    })
}

/// Letters and blanks of a move, without parentheses and in small letters.
fn plain(text: &str) -> String {
    let spaced = text.replace(['(', ')', ','], " ").to_lowercase();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The moves that begin like the line.
fn completions(prepared: &Prepared, choices: &[MoveId], line: &str) -> Vec<MoveId> {
    let line = plain(line);
    if line.is_empty() {
        return Vec::new();
    }
    let names = || choices.iter().map(|&action| (action, plain(prepared.name(action))));
    let exact: Vec<MoveId> =
        names().filter(|(_, name)| *name == line).map(|found| found.0).collect();
    match exact.len() {
        1 => exact,
        _ => names().filter(|(_, name)| name.starts_with(&line)).map(|found| found.0).collect(),
    }
}

/// Whether a line spells a move out.
fn is_whole(prepared: &Prepared, found: &[MoveId], line: &str) -> bool {
    found.iter().any(|&action| plain(prepared.name(action)) == plain(line))
}
