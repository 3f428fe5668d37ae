//! What an expert says about the parts of games: a table to compare decompositions with.
//!
//! Tab-separated, with a line of column names; read are `id`, `action_dependent`,
//! `useless_action_dependent`, `confidence` and `alt` (other answers that may be given, as
//! `dependent/useless/independent`, separated by `;`). The columns `confidence` and `alt` may be missing.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};

/// The counts of a decomposition: dependent, useless dependent, independent.
pub(crate) type Counts = [u32; 3];

/// The answers that are right for one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    dependent: u32,
    useless: u32,
    others: Vec<Counts>,
    /// Whether there is no doubt about it.
    pub(crate) is_certain: bool,
}

/// How a decomposition compares with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// Too few parts.
    Under,
    /// As expected.
    Right,
    /// Too many parts, or the wrong ones are called useless.
    Over,
}

impl Label {
    pub(crate) fn judge(&self, found: Counts) -> Verdict {
        if found[..2] == [self.dependent, self.useless] || self.others.contains(&found) {
            Verdict::Right
        } else if found[0] < self.dependent {
            Verdict::Under
        } else {
            Verdict::Over
        }
    }
}

/// Reads a table.
pub(crate) fn read(path: &Path) -> anyhow::Result<BTreeMap<String, Label>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the labels {}", path.display()))?;
    parse(&text).with_context(|| format!("in the labels {}", path.display()))
}

fn parse(text: &str) -> anyhow::Result<BTreeMap<String, Label>> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| names.iter().position(|one| *one == name);
    let (Some(id), Some(dependent), Some(useless)) =
        (column("id"), column("action_dependent"), column("useless_action_dependent"))
    else {
        bail!("the columns id, action_dependent and useless_action_dependent must be there");
    };
    let (confidence, others) = (column("confidence"), column("alt"));
    let mut labels = BTreeMap::new();
    for (number, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
        let count = |column: usize| {
            cell(column).parse().with_context(|| format!("line {}: not a number", number + 2))
        };
        let label = Label {
            dependent: count(dependent)?,
            useless: count(useless)?,
            others: others.map(|column| answers(cell(column))).unwrap_or_default(),
            is_certain: confidence.is_none_or(|column| cell(column) == "high"),
        };
        labels.insert(cell(id).to_string(), label);
    }
    Ok(labels)
}

fn answers(text: &str) -> Vec<Counts> {
    let answer = |one: &str| -> Option<Counts> {
        let counts: Vec<u32> = one.split('/').filter_map(|count| count.parse().ok()).collect();
        counts.try_into().ok()
    };
    text.split(';').filter_map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_answers_are_right_too() {
        let text = "id\taction_dependent\tuseless_action_dependent\tconfidence\talt\n\
                    a/b\t3\t1\thigh\t2/0/1;1/0/0\nc\t1\t0\tlow\t\n";
        let labels = parse(text).unwrap();
        let label = &labels["a/b"];
        assert!(label.is_certain && !labels["c"].is_certain);
        let verdicts = [[3, 1, 9], [2, 0, 1], [2, 0, 0], [4, 1, 0]].map(|one| label.judge(one));
        assert_eq!(verdicts, [Verdict::Right, Verdict::Right, Verdict::Under, Verdict::Over]);
    }

    #[test]
    fn a_table_without_the_columns_is_refused() {
        assert!(parse("game\tparts\nx\t1\n").is_err());
    }
}
