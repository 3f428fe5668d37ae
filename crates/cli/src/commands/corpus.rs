//! `gambol corpus`: every rulesheet under a directory, one process each, resumable.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use crate::corpus::child::{self, Allowance};
use crate::corpus::listing::{Sheet, rulesheets};
use crate::corpus::record::{Record, Stage};
use crate::corpus::store::Store;
use crate::files::Growing;
use crate::outcome::Outcome;
use crate::session::Session;

/// What to run. `--time` and `--memory` hold for each game.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Where the rulesheets are
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Keep the results in this SQLite file; games already in it are not run again
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also write the results as JSON lines
    #[arg(long, value_name = "FILE")]
    jsonl: Option<PathBuf>,
    /// How many games at a time [default: as many as threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// Recorded playouts, under the same ids as the games, for the stage `replay`
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    /// How far to take each game
    #[arg(long, value_delimiter = ',', default_value = "check,ground,net,simulate")]
    stages: Vec<Stage>,
    /// Decompose the games of this table (tab-separated, ids first) with 1,000 to 10,000 playouts as well
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
}

const DEFAULT_SECONDS: f64 = 60.0;
const DEFAULT_MEMORY_MIB: u64 = 4096;

pub(crate) fn run(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Outcome> {
    session.will_write(arguments.jsonl.as_deref())?;
    if let Some(path) = &arguments.out {
        session.hold(path)?;
    }
    let sheets = rulesheets(&arguments.directory)?;
    let mut allowance = allowance(arguments, session);
    allowance.growing = arguments.labels.as_deref().map_or(Ok(BTreeSet::new()), labelled)?;
    let store = open(arguments, &allowance)?;
    let finished = store.finished()?;
    let mut lines = Lines::open(arguments, session)?;
    let digests: BTreeMap<&str, String> =
        sheets.iter().map(|sheet| (&*sheet.id, sheet.digest())).collect();
    // A sheet that was changed since is run again.
    let is_done = |id: &str| {
        finished.get(id).is_some_and(|rules| digests.get(id).is_none_or(|now| now == rules))
    };
    for record in store.records()?.iter().filter(|record| is_done(&record.id)) {
        lines.write(record, session)?;
    }
    let waiting: VecDeque<Sheet> =
        sheets.iter().filter(|sheet| !is_done(&sheet.id)).cloned().collect();
    if !finished.is_empty() {
        let done = sheets.len() - waiting.len();
        session.warn(&format!("{done} of {} games were done before", sheets.len()));
    }
    let bar = progress_bar(waiting.len(), session);
    let jobs = arguments.jobs.map_or_else(|| session.threads(), |jobs| jobs as usize);
    let stop = session.watch.flag();
    // What cannot be kept is still reported.
    let mut unkept: Vec<Record> = Vec::new();
    for_each_record(waiting, jobs, &allowance, &stop, |record| {
        let rules = digests.get(&*record.id).map_or("", String::as_str);
        if let Err(error) = store.add(&record, rules) {
            session.not_written(&format!("what was found for {}", record.id), &error);
            unkept.push(record.clone());
        }
        lines.write(&record, session)?;
        bar.set_message(record.id.clone());
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let records = all_records(&store, unkept)?;
    if !session.flags.json {
        summarise(&records, session)?;
    }
    Ok(session.outcome(true))
}

/// The games of a table, which has their ids in its first column.
fn labelled(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the labels {}", path.display()))?;
    let ids = text.lines().filter_map(|line| line.split('\t').next());
    Ok(ids.skip(1).map(str::to_string).collect())
}

/// What is kept, and what was found since and could not be; sorted by id.
fn all_records(store: &Store, unkept: Vec<Record>) -> anyhow::Result<Vec<Record>> {
    let kept = store.records()?.into_iter().chain(unkept);
    let by_id: BTreeMap<String, Record> = kept.map(|record| (record.id.clone(), record)).collect();
    Ok(by_id.into_values().collect())
}

fn allowance(arguments: &Arguments, session: &Session) -> Allowance {
    let mut stages = arguments.stages.clone();
    stages.sort_unstable();
    stages.dedup();
    Allowance {
        seconds: session.flags.time.unwrap_or(DEFAULT_SECONDS),
        memory_mib: session.flags.memory.unwrap_or(DEFAULT_MEMORY_MIB),
        stages,
        traces: arguments.traces.clone(),
        seed: session.flags.seed,
        growing: BTreeSet::new(),
    }
}

fn open(arguments: &Arguments, allowance: &Allowance) -> anyhow::Result<Store> {
    let stages: Vec<&str> = allowance.stages.iter().map(|stage| stage.word()).collect();
    let question = format!(
        "stages {}, {} s, {} MiB, seed {}",
        stages.join(" "),
        allowance.seconds,
        allowance.memory_mib,
        allowance.seed
    );
    match &arguments.out {
        Some(path) => Store::open(path, &question),
        None => Store::in_memory(),
    }
}

/// The JSON lines, to the file and, with `--json`, to standard output.
struct Lines {
    file: Option<Growing>,
    to_output: bool,
}

impl Lines {
    fn open(arguments: &Arguments, session: &mut Session) -> anyhow::Result<Self> {
        if let Some(path) = &arguments.jsonl {
            session.hold(path)?;
        }
        let create = |path: &PathBuf| {
            Growing::create(path).with_context(|| format!("cannot write {}", path.display()))
        };
        let file = arguments.jsonl.as_ref().map(create).transpose()?;
        Ok(Self { file, to_output: session.flags.json })
    }

    fn write(&mut self, record: &Record, session: &mut Session) -> anyhow::Result<()> {
        if self.to_output {
            session.json(record)?;
        }
        if let Some(file) = &mut self.file {
            let line = serde_json::to_string(record)?;
            if let Err(error) =
                file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.flush())
            {
                session.not_written("the JSON lines", &error);
                // Once is enough to say so.
                self.file = None;
            }
        }
        Ok(())
    }
}

fn progress_bar(games: usize, session: &Session) -> ProgressBar {
    if !session.shows_progress() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} games, {eta} left  {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(games as u64).with_style(style)
}

/// Runs the games on `jobs` threads; `take` sees each record on this thread as it comes in.
fn for_each_record(
    waiting: VecDeque<Sheet>,
    jobs: usize,
    allowance: &Allowance,
    stop: &AtomicBool,
    mut take: impl FnMut(Record) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let waiting = Mutex::new(waiting);
    // Raised when this thread gives up, so that the others do not work for nobody.
    let given_up = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs {
            let (sender, waiting, given_up) = (sender.clone(), &waiting, &given_up);
            scope.spawn(move || {
                while !given_up.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
                    let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                    let Some(sheet) = next else { break };
                    let result = child::run(&sheet.id, &sheet.path, allowance, stop);
                    if sender.send(result).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for result in receiver {
            let taken = result.and_then(|record| record.map_or(Ok(()), &mut take));
            if let Err(error) = taken {
                given_up.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    })
}

fn summarise(records: &[Record], session: &mut Session) -> anyhow::Result<()> {
    let mut reached: BTreeMap<Option<Stage>, usize> = BTreeMap::new();
    for record in records {
        *reached.entry(record.stage_reached).or_default() += 1;
    }
    writeln!(session.out, "{} games", records.len())?;
    for (stage, count) in reached {
        let word = stage.map_or("nothing", Stage::word);
        writeln!(session.out, "{count:>6}  reached {word}")?;
    }
    let total =
        |name: &str| records.iter().filter_map(|record| record.counts.get(name)).sum::<f64>();
    for engine in ["net", "circuit"] {
        let key = format!("compared_on_{engine}");
        let games = records.iter().filter(|record| record.counts.contains_key(&key)).count();
        if games > 0 {
            let states = total(&key);
            writeln!(session.out, "{games:>6}  {engine} as the interpreter, in {states} states")?;
        }
    }
    for record in records {
        if let Some(error) = &record.error {
            writeln!(session.out, "  {}: {error}", record.id)?;
        }
    }
    Ok(())
}
