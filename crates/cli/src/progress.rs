//! Signs of life during long work: a line on the terminal that says what is going on and for how
//! long, gone as soon as the work is done.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::session::Session;

const REDRAW: Duration = Duration::from_millis(120);

/// The line; it goes away when this is dropped.
pub(crate) struct Working(ProgressBar);

impl Working {
    /// Shows `what`, if anybody is looking.
    pub(crate) fn on(what: &str, session: &Session) -> Self {
        if !session.shows_progress() {
            return Self(ProgressBar::hidden());
        }
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        let line = ProgressBar::new_spinner().with_style(style).with_message(what.to_string());
        line.enable_steady_tick(REDRAW);
        Self(line)
    }

    /// The work has come to something else.
    pub(crate) fn now(&self, what: &str) {
        self.0.set_message(what.to_string());
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
