//! What this process does when another one of its team is lost: it says so in one sentence, and ends. What is finished
//! is in the store.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gambol_cluster::Watcher;

use crate::lock;
use crate::outcome::LOST_CODE;
use crate::session::Session;

/// A process from which nothing has come for so long is taken for lost. Writing a large layer may take minutes.
const PATIENCE: Duration = Duration::from_secs(900);

/// Who hears of losses.
pub(crate) struct LostPeers {
    json: bool,
    quiet: bool,
    /// Several connections may break at once; one sentence is enough.
    said: AtomicBool,
}

impl LostPeers {
    pub(crate) fn new(session: &Session) -> Self {
        let (json, quiet) = (session.flags.json, session.flags.quiet);
        Self { json, quiet, said: AtomicBool::new(false) }
    }
}

impl Watcher for LostPeers {
    fn silence(&self, waited: Duration) {
        if waited >= PATIENCE {
            self.lost("nothing came from them for too long");
        }
        if !self.quiet {
            let seconds = waited.as_secs();
            let _ = writeln!(
                std::io::stderr(),
                "gambol: nothing has come from the other processes for {seconds} s; one of them may hang"
            );
        }
    }

    fn lost(&self, what: &str) -> ! {
        while self.said.swap(true, Ordering::Relaxed) {
            // The first one to hear of it ends the process.
            std::thread::sleep(Duration::from_secs(1));
        }
        let message = format!(
            "another process was lost ({what}); the store keeps all finished layers, \
             and the same command goes on from them"
        );
        if self.json {
            let error = serde_json::json!({ "error": { "message": message, "lost": true } });
            let _ = writeln!(std::io::stdout(), "{error}");
        }
        let _ = writeln!(std::io::stderr(), "gambol: {message}");
        lock::remove_all();
        std::process::exit(LOST_CODE.into())
    }
}
