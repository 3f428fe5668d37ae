//! What is kept about one game of a collection.

use std::collections::BTreeMap;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A stage of the pipeline, in order.
#[derive(
    ValueEnum, Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Stage {
    /// The text becomes rules, and the rules are those of a game.
    Check,
    /// The rules lose their variables.
    Ground,
    /// The ground rules become a propositional net.
    Net,
    /// The engines agree with the recorded playouts.
    Replay,
    /// The three engines agree in random games, state by state.
    Agree,
    /// The net becomes a circuit and plays.
    Simulate,
    /// The game is taken apart.
    Decompose,
}

impl Stage {
    /// Its word, as on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Stage::Check => "check",
            Stage::Ground => "ground",
            Stage::Net => "net",
            Stage::Simulate => "simulate",
            Stage::Replay => "replay",
            Stage::Agree => "agree",
            Stage::Decompose => "decompose",
        }
    }
}

/// One line about one game.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub(crate) struct Record {
    /// The file's path below the directory, without its ending.
    pub(crate) id: String,
    /// The last stage that was finished.
    pub(crate) stage_reached: Option<Stage>,
    /// How long each finished stage took.
    pub(crate) seconds_by_stage: BTreeMap<Stage, f64>,
    /// What was counted on the way.
    pub(crate) counts: BTreeMap<String, f64>,
    /// Why the next stage was not finished.
    pub(crate) error: Option<String>,
}

/// What the process that works on one game says after each stage.
#[derive(Serialize, Deserialize, Debug)]
#[serde(untagged)]
pub(crate) enum Report {
    /// A stage is finished.
    Finished { stage: Stage, seconds: f64, counts: BTreeMap<String, f64> },
    /// Something was counted; the stage is not finished yet.
    Counted { counts: BTreeMap<String, f64> },
    /// There is no going on.
    Failed { error: String },
}

impl Record {
    /// Nothing known yet.
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_string(),
            stage_reached: None,
            seconds_by_stage: BTreeMap::new(),
            counts: BTreeMap::new(),
            error: None,
        }
    }

    /// Takes in what the working process said.
    pub(crate) fn add(&mut self, report: Report) {
        match report {
            Report::Finished { stage, seconds, counts } => {
                self.stage_reached = Some(stage);
                self.seconds_by_stage.insert(stage, seconds);
                self.counts.extend(counts);
            }
            Report::Counted { counts } => self.counts.extend(counts),
            Report::Failed { error } => self.error = Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_add_up_to_a_record() {
        let mut record = Record::new("a/b");
        for line in [
            r#"{"stage":"check","seconds":0.5,"counts":{"warnings":2}}"#,
            r#"{"counts":{"warnings":3}}"#,
            r#"{"stage":"ground","seconds":1.5,"counts":{"fluents":7}}"#,
            r#"{"error":"no more memory"}"#,
        ] {
            record.add(serde_json::from_str(line).unwrap());
        }
        assert_eq!(record.stage_reached, Some(Stage::Ground));
        assert_eq!(record.seconds_by_stage[&Stage::Ground], 1.5);
        assert_eq!(record.counts, [("fluents".into(), 7.0), ("warnings".into(), 3.0)].into());
        let line = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
    }
}
