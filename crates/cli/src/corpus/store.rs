//! The results of a collection in one SQLite file, written game by game.
//!
//! Table `games`: a row per finished game. Table `settings`: what the run was asked to do, so that
//! a later run goes on only with the same question. Maps are kept as JSON text, which SQLite can
//! query: `select id, counts ->> 'fluents' from games`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};
use rusqlite::{Connection, params};

use crate::corpus::record::Record;

/// An open results file.
pub(crate) struct Store {
    connection: Connection,
}

const TABLES: &str = "
    create table if not exists settings (question text not null);
    create table if not exists games (
        id text primary key,
        stage_reached text,
        error text,
        seconds real not null,
        seconds_by_stage text not null,
        counts text not null
    );";

impl Store {
    /// Opens or makes the file. `question` must be the same each time.
    pub(crate) fn open(path: &Path, question: &str) -> anyhow::Result<Self> {
        let shown = path.display();
        let connection = Connection::open(path).with_context(|| format!("cannot open {shown}"))?;
        connection.execute_batch(TABLES).with_context(|| format!("cannot use {shown}"))?;
        let store = Self { connection };
        let asked = store.question()?;
        match asked {
            None => store.ask(question)?,
            Some(asked) if asked == question => {}
            Some(asked) => bail!(
                "{shown} answers another question ({asked}; now: {question}): choose another file"
            ),
        }
        Ok(store)
    }

    /// A store that is forgotten at the end.
    pub(crate) fn in_memory() -> anyhow::Result<Self> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(TABLES)?;
        Ok(Self { connection })
    }

    fn question(&self) -> anyhow::Result<Option<String>> {
        let mut statement = self.connection.prepare("select question from settings")?;
        let mut rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        Ok(rows.next().transpose()?)
    }

    fn ask(&self, question: &str) -> anyhow::Result<()> {
        self.connection.execute("insert into settings values (?1)", [question])?;
        Ok(())
    }

    /// Keeps a record. It is on disk when this returns.
    pub(crate) fn add(&self, record: &Record) -> anyhow::Result<()> {
        let seconds: f64 = record.seconds_by_stage.values().sum();
        self.connection.execute(
            "insert or replace into games values (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                record.id,
                record.stage_reached.map(|stage| stage.word()),
                record.error,
                seconds,
                serde_json::to_string(&record.seconds_by_stage)?,
                serde_json::to_string(&record.counts)?,
            ],
        )?;
        Ok(())
    }

    /// All records, sorted by id.
    pub(crate) fn records(&self) -> anyhow::Result<Vec<Record>> {
        let mut statement = self.connection.prepare(
            "select id, stage_reached, error, seconds_by_stage, counts from games order by id",
        )?;
        let rows = statement.query_map([], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })?;
        rows.map(|row| record_of(row?)).collect()
    }

    /// The ids of the finished games.
    pub(crate) fn finished(&self) -> anyhow::Result<BTreeSet<String>> {
        Ok(self.records()?.into_iter().map(|record| record.id).collect())
    }
}

type Row = (String, Option<String>, Option<String>, String, String);

fn record_of((id, stage, error, seconds, counts): Row) -> anyhow::Result<Record> {
    Ok(Record {
        id,
        stage_reached: stage.map(|word| serde_json::from_value(word.into())).transpose()?,
        seconds_by_stage: serde_json::from_str(&seconds)?,
        counts: serde_json::from_str(&counts)?,
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::record::{Report, Stage};

    #[test]
    fn what_is_kept_comes_back() {
        let store = Store::in_memory().unwrap();
        let mut record = Record::new("one");
        let counts = [("fluents".to_string(), 3.0)].into();
        record.add(Report::Finished { stage: Stage::Ground, seconds: 0.25, counts });
        store.add(&record).unwrap();
        store.add(&Record::new("another")).unwrap();
        assert_eq!(store.records().unwrap(), [Record::new("another"), record]);
        assert!(store.finished().unwrap().contains("one"));
    }
}
