//! One game of a collection in a process of its own, under limits.
//!
//! The process watches its own limits and stops politely; here they are enforced a second time
//! from outside, so that a process that no longer listens cannot stop the collection. The process ends when the
//! one that started it does, by whatever cause: its standard input then comes to an end.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::corpus::record::{Record, Report, Stage};
use crate::outcome::LIMIT_CODE;

/// What one game may use.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    /// Wall-clock seconds.
    pub(crate) seconds: f64,
    /// Resident memory.
    pub(crate) memory_mib: u64,
    /// The stages to go through.
    pub(crate) stages: Vec<Stage>,
    /// Where recorded playouts are.
    pub(crate) traces: Option<PathBuf>,
    /// Passed on to the process.
    pub(crate) seed: u64,
    /// Games that are also decomposed with fewer and with more playouts.
    pub(crate) growing: BTreeSet<String>,
}

/// Beyond its own limits a process gets this much more before it is killed.
const GRACE: Duration = Duration::from_secs(4);
const MEMORY_OVERRUN: f64 = 1.5;
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Runs one game. `None` if `stop` was raised meanwhile.
pub(crate) fn run(
    id: &str,
    path: &Path,
    allowance: &Allowance,
    stop: &AtomicBool,
) -> anyhow::Result<Option<Record>> {
    let mut child = start(id, path, allowance)?;
    let pipe = child.stdout.take().context("the process has no output")?;
    let listener = thread::spawn(move || listen(BufReader::new(pipe)));
    let verdict = wait(&mut child, allowance, stop)?;
    let mut record = Record::new(id);
    for report in listener.join().unwrap_or_default() {
        record.add(report);
    }
    match verdict {
        Verdict::Stopped => return Ok(None),
        Verdict::Ended => {}
        Verdict::Failed(reason) => record.error = record.error.or(Some(reason)),
    }
    Ok(Some(record))
}

enum Verdict {
    Ended,
    Failed(String),
    Stopped,
}

fn start(id: &str, path: &Path, allowance: &Allowance) -> anyhow::Result<Child> {
    let program = this_program()?;
    let stages: Vec<&str> = allowance.stages.iter().map(|stage| stage.word()).collect();
    let trace = allowance.traces.as_ref().and_then(|traces| trace_of(traces, id));
    Command::new(program)
        .arg("corpus-game")
        .arg(path)
        .args(trace.iter().flat_map(|trace| [OsStr::new("--trace"), trace.as_os_str()]))
        .args(["--stages", &stages.join(",")])
        .args(allowance.growing.contains(id).then_some("--growing"))
        .args(["--time", &allowance.seconds.to_string()])
        .args(["--memory", &allowance.memory_mib.to_string()])
        .args(["--seed", &allowance.seed.to_string()])
        .args(["--threads", "1", "--quiet", "--json"])
        // Nothing is ever written to it: it closes when this process ends, however that comes about.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start a process")
}

/// The kernel's own link leads to this program even if its file was replaced meanwhile.
fn this_program() -> anyhow::Result<PathBuf> {
    let link = PathBuf::from("/proc/self/exe");
    if link.exists() {
        return Ok(link);
    }
    std::env::current_exe().context("cannot find this program again")
}

/// The recording of a game stands under the same id.
fn trace_of(traces: &Path, id: &str) -> Option<PathBuf> {
    let endings = ["jsonl.gz", "jsonl"];
    endings.iter().map(|ending| traces.join(format!("{id}.{ending}"))).find(|path| path.is_file())
}

fn listen(lines: impl BufRead) -> Vec<Report> {
    lines
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| serde_json::from_str(&line).ok())
        .collect()
}

fn wait(child: &mut Child, allowance: &Allowance, stop: &AtomicBool) -> anyhow::Result<Verdict> {
    let started = Instant::now();
    let most_time = Duration::from_secs_f64(allowance.seconds) + GRACE;
    let most_memory = allowance.memory_mib as f64 * MEMORY_OVERRUN;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.code() {
                Some(code) if code == i32::from(LIMIT_CODE) => {
                    Verdict::Failed("it had to be stopped at a limit".to_string())
                }
                Some(0..=4) => Verdict::Ended,
                _ => Verdict::Failed(format!("the process broke: {status}")),
            });
        }
        let verdict = if stop.load(Ordering::Relaxed) {
            Some(Verdict::Stopped)
        } else if started.elapsed() > most_time {
            Some(Verdict::Failed("time: killed, it did not stop by itself".to_string()))
        } else if gambol_system::resident_mib_of(child.id()) > most_memory {
            Some(Verdict::Failed("memory: killed, it did not stop by itself".to_string()))
        } else {
            None
        };
        if let Some(verdict) = verdict {
            child.kill()?;
            child.wait()?;
            return Ok(verdict);
        }
        thread::sleep(LOOK_EVERY);
    }
}
