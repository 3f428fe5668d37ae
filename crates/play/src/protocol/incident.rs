//! What goes wrong in matches and is survived, and other news of them: for whoever looks
//! after the player.

use std::fmt;
use std::sync::Arc;

/// Something that should not have happened, or that is worth knowing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incident {
    /// What kind of thing, as one word.
    pub kind: &'static str,
    /// In which match, made fit to be shown; empty if in none.
    pub id: String,
    /// What exactly, made fit to be shown.
    pub detail: String,
}

/// Longer texts from outside are cut off when they are shown.
const LONGEST: usize = 120;

impl Incident {
    pub(crate) fn new(kind: &'static str, id: &str, detail: &str) -> Self {
        Self { kind, id: fit(id), detail: fit(detail) }
    }
}

impl fmt::Display for Incident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.id.as_str() {
            "" => write!(f, "{}: {}", self.kind, self.detail),
            id => write!(f, "{} in match {id}: {}", self.kind, self.detail),
        }
    }
}

/// Texts come from the network: nothing in them may move a cursor or fill a screen.
pub(crate) fn fit(text: &str) -> String {
    let mut fit: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        fit.push('…');
    }
    fit
}

/// Who is told.
#[derive(Clone)]
pub struct Log(Arc<dyn Fn(&Incident) + Send + Sync>);

impl Log {
    /// Tells whoever is given.
    pub fn new(tell: impl Fn(&Incident) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn tell(&self, kind: &'static str, id: &str, detail: &str) {
        (self.0)(&Incident::new(kind, id, detail));
    }
}

impl Default for Log {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_outside_is_shown_harmless_and_short() {
        let incident = Incident::new("play.late", &"x".repeat(10_000), "\u{1b}[2J\0\n<b>");
        assert!(incident.id.chars().count() <= LONGEST + 1);
        assert_eq!(incident.detail, "\\u{1b}[2J\\0\\n<b>");
    }
}
