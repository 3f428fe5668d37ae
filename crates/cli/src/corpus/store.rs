//! The results of a collection in one SQLite file, written game by game.
//!
//! Table `games`: a row per finished game. Table `settings`: what the run was asked to do, so that
//! a later run goes on only with the same question. Maps are kept as JSON text, which SQLite can
//! query: `select id, counts ->> 'fluents' from games`.
//!
//! A row names the digest of the rulesheet it is about, and ends with a digest of itself: a sheet that was changed is
//! run again, and a damaged row is refused.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use rusqlite::{Connection, params};

use crate::corpus::record::Record;
use crate::digest::{EMPTY, digest_after};

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
        counts text not null,
        rules text not null,
        sum text not null
    );";

/// The form of the file; the number changes with the form.
const VERSION: i64 = 1;

impl Store {
    /// Opens or makes the file. `question` must be the same each time.
    pub(crate) fn open(path: &Path, question: &str) -> anyhow::Result<Self> {
        let shown = path.display();
        let connection = Connection::open(path).with_context(|| format!("cannot open {shown}"))?;
        let made = check_form(&connection, path).with_context(|| format!("cannot use {shown}"))?;
        if !made {
            // In one transaction: a run that is killed here leaves all of it, or nothing.
            let tables = format!("begin; {TABLES} pragma user_version = {VERSION}; commit;");
            connection.execute_batch(&tables).with_context(|| format!("cannot use {shown}"))?;
        }
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

    /// Keeps a record of a rulesheet with this digest. It is on disk when this returns.
    pub(crate) fn add(&self, record: &Record, rules: &str) -> anyhow::Result<()> {
        let seconds: f64 = record.seconds_by_stage.values().sum();
        let row = Row {
            id: record.id.clone(),
            stage: record.stage_reached.map(|stage| stage.word().to_string()),
            error: record.error.clone(),
            seconds_by_stage: serde_json::to_string(&record.seconds_by_stage)?,
            counts: serde_json::to_string(&record.counts)?,
            rules: rules.to_string(),
        };
        self.connection.execute(
            "insert or replace into games values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                row.id,
                row.stage,
                row.error,
                seconds,
                row.seconds_by_stage,
                row.counts,
                row.rules,
                row.sum()
            ],
        )?;
        Ok(())
    }

    fn rows(&self) -> anyhow::Result<Vec<Row>> {
        let mut statement = self.connection.prepare(
            "select id, stage_reached, error, seconds_by_stage, counts, rules, sum, seconds from games order by id",
        )?;
        let rows = statement.query_map([], |row| {
            let (stage, error) = (row.get(1)?, row.get(2)?);
            let (seconds_by_stage, counts) = (row.get(3)?, row.get(4)?);
            let (id, rules) = (row.get(0)?, row.get(5)?);
            let row_read = Row { id, stage, error, seconds_by_stage, counts, rules };
            Ok((row_read, row.get::<_, String>(6)?, row.get::<_, f64>(7)?))
        })?;
        let whole = |(row, sum, seconds): (Row, String, f64)| {
            let right = row.sum() == sum && row.takes(seconds);
            right.then_some(row).context("a row is damaged: remove the file to begin anew")
        };
        rows.map(|row| whole(row?)).collect()
    }

    /// All records, sorted by id.
    pub(crate) fn records(&self) -> anyhow::Result<Vec<Record>> {
        self.rows()?.into_iter().map(Row::record).collect()
    }

    /// The ids of the finished games, each with the digest of its rulesheet.
    pub(crate) fn finished(&self) -> anyhow::Result<BTreeMap<String, String>> {
        Ok(self.rows()?.into_iter().map(|row| (row.id, row.rules)).collect())
    }
}

/// A file of another form, or a damaged one, is refused. Whether there is anything in it.
fn check_form(connection: &Connection, path: &Path) -> anyhow::Result<bool> {
    let tables: i64 =
        connection.query_row("select count(*) from sqlite_master", [], |row| row.get(0))?;
    let version: i64 = connection.query_row("pragma user_version", [], |row| row.get(0))?;
    if tables > 0 && version != VERSION {
        bail!("it is a database of form {version}, and this program writes form {VERSION}");
    }
    let whole: String = connection.query_row("pragma integrity_check(1)", [], |row| row.get(0))?;
    if whole != "ok" {
        bail!("the database is damaged: {whole}");
    }
    // Cut off within its first page a file looks as if nothing had been made yet; but then it would have no length.
    if tables == 0 && std::fs::metadata(path).is_ok_and(|found| found.len() > 0) {
        bail!("the database is damaged: it has no tables");
    }
    if tables > 0 && schema(connection)? != schema(&Store::in_memory()?.connection)? {
        bail!("the database is damaged: its tables are not those of form {VERSION}");
    }
    Ok(tables > 0)
}

/// The tables, as they were made.
fn schema(connection: &Connection) -> anyhow::Result<Vec<Option<String>>> {
    let mut statement = connection.prepare("select sql from sqlite_master order by name")?;
    let texts = statement.query_map([], |row| row.get(0))?;
    Ok(texts.collect::<Result<_, _>>()?)
}

/// A row as it is stored.
struct Row {
    id: String,
    stage: Option<String>,
    error: Option<String>,
    seconds_by_stage: String,
    counts: String,
    rules: String,
}

impl Row {
    fn sum(&self) -> String {
        let none = String::new();
        let optional = [&self.stage, &self.error].map(|field| field.as_ref().unwrap_or(&none));
        let fields =
            [&self.id, optional[0], optional[1], &self.seconds_by_stage, &self.counts, &self.rules];
        // A byte that no text holds keeps the fields apart.
        let sum = fields
            .iter()
            .fold(EMPTY, |sum, field| digest_after(digest_after(sum, field.as_bytes()), &[0xff]));
        format!("{sum:016x}")
    }

    /// Whether all stages together take so long, but for the order in which they are added.
    fn takes(&self, seconds: f64) -> bool {
        let stages = serde_json::from_str::<BTreeMap<String, f64>>(&self.seconds_by_stage);
        stages.is_ok_and(|stages| (stages.values().sum::<f64>() - seconds).abs() < 1e-6)
    }

    fn record(self) -> anyhow::Result<Record> {
        Ok(Record {
            id: self.id,
            stage_reached: self
                .stage
                .map(|word| serde_json::from_value(word.into()))
                .transpose()?,
            seconds_by_stage: serde_json::from_str(&self.seconds_by_stage)?,
            counts: serde_json::from_str(&self.counts)?,
            error: self.error,
        })
    }
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
        store.add(&record, "12").unwrap();
        store.add(&Record::new("another"), "34").unwrap();
        assert_eq!(store.records().unwrap(), [Record::new("another"), record]);
        assert_eq!(store.finished().unwrap()["one"], "12");
    }

    #[test]
    fn a_row_that_was_changed_is_refused() {
        for change in
            ["counts = '{}'", "error = 'no'", "rules = '13'", "id = 'two'", "stage_reached = 'net'"]
        {
            let store = Store::in_memory().unwrap();
            let mut record = Record::new("one");
            let counts = [("fluents".to_string(), 3.0)].into();
            record.add(Report::Finished { stage: Stage::Ground, seconds: 0.25, counts });
            store.add(&record, "12").unwrap();
            store.connection.execute(&format!("update games set {change}"), []).unwrap();
            assert!(store.records().is_err(), "{change}");
        }
    }

    #[test]
    fn files_of_another_form_and_damaged_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old");
        let old = Connection::open(&path).unwrap();
        old.execute_batch("create table games (id text)").unwrap();
        drop(old);
        let refused = format!("{:#}", Store::open(&path, "q").err().unwrap());
        assert!(refused.contains("form 0"), "{refused}");
        std::fs::write(&path, "dear diary").unwrap();
        assert!(Store::open(&path, "q").is_err());
    }

    /// `GAMBOL_CASES` says how many flips and truncations are tried.
    #[test]
    fn a_damaged_file_is_refused_or_holds_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let records = |path: &Path| Store::open(path, "q").and_then(|store| store.records());
        let store = Store::open(&path, "q").unwrap();
        for name in ["one", "two", "three"] {
            let mut record = Record::new(name);
            let counts = [("fluents".to_string(), 3.0)].into();
            record.add(Report::Finished { stage: Stage::Ground, seconds: 0.25, counts });
            store.add(&record, "12").unwrap();
        }
        drop(store);
        let (file, whole) = (std::fs::read(&path).unwrap(), records(&path).unwrap());
        let cases = std::env::var("GAMBOL_CASES").ok().and_then(|cases| cases.parse().ok());
        for case in 0..cases.unwrap_or(200) {
            let (mut damaged, place) = (file.clone(), case * 7919 % file.len());
            match case % 4 {
                // Of an empty file nothing is wrong.
                3 => damaged.truncate(place.max(1)),
                _ => damaged[place] ^= 1 << (case % 8),
            }
            std::fs::write(&path, damaged).unwrap();
            if let Ok(found) = records(&path) {
                assert_eq!(found, whole, "case {case}, byte {place}");
            }
        }
    }

    #[test]
    fn a_run_that_is_killed_while_it_makes_the_file_leaves_none_that_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        // As far as the tables, and no further.
        let begun = Connection::open(&path).unwrap();
        begun.execute_batch(&format!("begin; {TABLES}")).unwrap();
        drop(begun);
        assert!(Store::open(&path, "q").is_ok());
    }
}
