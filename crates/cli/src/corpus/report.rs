//! How a collection came apart, as one page: the figures that were published, beside these games.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::corpus::chart::{Series, columns, escaped, lines, times};
use crate::corpus::labels::{Counts, Label, Verdict};
use crate::corpus::published::{BY_PLAYOUTS, GAMES, NAMED, Named, WITHIN};
use crate::corpus::record::{Record, Stage};

const PUBLISHED: &str = "#b8b8c8";
const OURS: &str = "#2f6fb0";
const RIGHT: &str = "#2e8b57";
const UNDER: &str = "#d98e04";
const OVER: &str = "#c0392b";

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}\
h1,h2{line-height:1.2}svg{width:100%;height:auto;font:12px system-ui,sans-serif}table{border-collapse:collapse;margin:1rem 0}\
td,th{padding:.15rem .7rem;border-bottom:1px solid #ddd;text-align:right}td:first-child,th:first-child{text-align:left}\
.slow{color:#c0392b}summary{cursor:pointer}";

/// The page.
pub(crate) fn page(records: &[Record], labels: &BTreeMap<String, Label>) -> String {
    let mut html =
        String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    let _ = writeln!(html, "<title>Taking games apart</title><style>{STYLE}</style></head><body>");
    let done: Vec<&Record> = records.iter().filter(|one| seconds_of(one).is_some()).collect();
    let _ = writeln!(
        html,
        "<h1>Taking games apart</h1>\n<p>{} rulesheets, of which {} are games and {} were decomposed. Times are \
         {}, for everything from the text of the rules to the parts.</p>",
        records.len(),
        games(records),
        done.len(),
        clock(&done)
    );
    within(&mut html, records, &done);
    by_playouts(&mut html, &done, labels);
    named(&mut html, &done);
    all(&mut html, records, labels);
    html.push_str("</body></html>\n");
    html
}

/// How many rulesheets are games: the others are refused with their reasons.
fn games(records: &[Record]) -> usize {
    records.iter().filter(|one| one.stage_reached.is_some()).count()
}

fn clock(done: &[&Record]) -> &'static str {
    match done.iter().all(|record| record.counts.contains_key(PROCESSOR)) {
        true => "seconds of processor time, on one thread",
        false => "seconds",
    }
}

/// The count under which the processor time of the decomposition is kept.
pub(crate) const PROCESSOR: &str = "decompose_processor_seconds";

/// How long it took from the text to the parts.
fn seconds_of(record: &Record) -> Option<f64> {
    record.seconds_by_stage.get(&Stage::Decompose)?;
    let together = || {
        let stages = [Stage::Check, Stage::Ground, Stage::Net, Stage::Decompose];
        stages.iter().filter_map(|stage| record.seconds_by_stage.get(stage)).sum()
    };
    Some(record.counts.get(PROCESSOR).copied().unwrap_or_else(together))
}

fn share(count: usize, all: usize) -> f64 {
    100.0 * count as f64 / all.max(1) as f64
}

fn words(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3_600.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.0} h", s / 3_600.0),
    }
}

fn within(html: &mut String, records: &[Record], done: &[&Record]) {
    let all = games(records);
    let count = |limit: f64| done.iter().filter(|one| seconds_of(one) <= Some(limit)).count();
    let places: Vec<String> = WITHIN.iter().map(|&(limit, _)| words(limit)).collect();
    let published = WITHIN.iter().map(|&(_, games)| Some(share(games as usize, GAMES as usize)));
    let ours = WITHIN.iter().map(|&(limit, _)| Some(share(count(limit), all)));
    let series = [
        Series { name: "published, of 597 games", colour: PUBLISHED, values: published.collect() },
        Series { name: "here", colour: OURS, values: ours.collect() },
    ];
    let _ = writeln!(
        html,
        "<h2>Games decomposed within a given time</h2>\n<p>After figure 4: rules, circuit, 5,000 playouts, parts.</p>\n{}",
        columns(&places, &series)
    );
    let _ = writeln!(html, "<table><tr><th>within</th><th>published</th><th>here</th></tr>");
    for &(limit, games) in &WITHIN {
        let here = count(limit);
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{games} of {GAMES} ({:.1} %)</td><td>{here} of {} ({:.1} %)</td></tr>",
            words(limit),
            share(games as usize, GAMES as usize),
            all,
            share(here, all)
        );
    }
    html.push_str("</table>\n");
}

/// The keys under which the counts after so many playouts are kept.
pub(crate) fn keys_at(playouts: u64) -> [String; 3] {
    ["dependent", "useless_dependent", "independent"].map(|what| format!("{what}_at_{playouts}"))
}

fn counts_at(record: &Record, playouts: u64) -> Option<Counts> {
    let mut counts = [0; 3];
    for (count, key) in counts.iter_mut().zip(keys_at(playouts)) {
        *count = *record.counts.get(&key)? as u32;
    }
    Some(counts)
}

fn by_playouts(html: &mut String, done: &[&Record], labels: &BTreeMap<String, Label>) {
    let judge = |playouts: u64| -> [usize; 3] {
        let mut verdicts = [0; 3];
        for record in done {
            let label = labels.get(&record.id).filter(|label| label.is_certain);
            if let (Some(label), Some(counts)) = (label, counts_at(record, playouts)) {
                verdicts[label.judge(counts) as usize] += 1;
            }
        }
        verdicts
    };
    let found: Vec<(u32, [u32; 3], [usize; 3])> = BY_PLAYOUTS
        .iter()
        .map(|&(thousands, published)| (thousands, published, judge(u64::from(thousands) * 1_000)))
        .filter(|(_, _, here)| here.iter().sum::<usize>() > 0)
        .collect();
    if found.is_empty() {
        return;
    }
    let places: Vec<String> = found.iter().map(|(thousands, ..)| format!("{thousands}k")).collect();
    let ours = |verdict: usize| {
        found
            .iter()
            .map(|(_, _, here)| {
                let all: usize = here.iter().sum();
                (all > 0).then(|| share(here[verdict], all))
            })
            .collect()
    };
    let published = |&(_, published, _): &(u32, [u32; 3], [usize; 3])| {
        Some(share(published[1] as usize, published.iter().sum::<u32>() as usize))
    };
    let series = [
        Series {
            name: "right, published",
            colour: PUBLISHED,
            values: found.iter().map(published).collect(),
        },
        Series { name: "right", colour: RIGHT, values: ours(1) },
        Series { name: "under-decomposed", colour: UNDER, values: ours(0) },
        Series { name: "over-decomposed", colour: OVER, values: ours(2) },
    ];
    let _ = writeln!(
        html,
        "<h2>Right, under- and over-decomposed by number of playouts</h2>\n<p>After figure 5. Here: the games whose label is \
         certain; what is under- or over-decomposed is told by the subgames that depend on what is played.</p>\n{}",
        lines(&places, &series)
    );
    html.push_str(
        "<table><tr><th>playouts</th><th>published under / right / over</th><th>here under / right / over</th></tr>\n",
    );
    for (thousands, published, here) in &found {
        let _ = writeln!(
            html,
            "<tr><td>{thousands}k</td><td>{} / {} / {}</td><td>{} / {} / {}</td></tr>",
            published[0], published[1], published[2], here[0], here[1], here[2]
        );
    }
    html.push_str("</table>\n");
}

/// The game of that name: of several collections, the fastest is not chosen, but the first.
fn find<'a>(named: &Named, done: &[&'a Record]) -> Option<&'a Record> {
    let file = |record: &Record| record.id.rsplit('/').next().unwrap_or_default().to_lowercase();
    done.iter().copied().find(|record| file(record) == named.file)
}

fn named(html: &mut String, done: &[&Record]) {
    let found: Vec<(&Named, Option<f64>)> =
        NAMED.iter().map(|one| (one, find(one, done).and_then(seconds_of))).collect();
    if found.iter().all(|(_, seconds)| seconds.is_none()) {
        return;
    }
    let rows: Vec<(String, f64, Option<f64>)> =
        found.iter().map(|(one, here)| (one.name.to_string(), one.seconds, *here)).collect();
    let _ = writeln!(
        html,
        "<h2>The 32 named games</h2>\n<p>After figure 7, column \"stats\": grey as published, blue here.</p>\n{}",
        times(&rows, [PUBLISHED, OURS])
    );
    html.push_str(
        "<table><tr><th>game</th><th>published</th><th>here</th><th>times faster</th></tr>\n",
    );
    for (one, here) in found {
        let (seconds, ratio) = match here {
            Some(here) => (format!("{here:.2} s"), one.seconds / here.max(0.005)),
            None => ("–".to_string(), f64::NAN),
        };
        let class = if ratio < 10.0 { " class=\"slow\"" } else { "" };
        let ratio = if ratio.is_nan() { "–".to_string() } else { format!("{ratio:.0}") };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{seconds}</td><td{class}>{ratio}</td></tr>",
            one.name,
            escaped(one.printed)
        );
    }
    html.push_str("</table>\n");
}

fn all(html: &mut String, records: &[Record], labels: &BTreeMap<String, Label>) {
    html.push_str(
        "<details><summary>All games</summary><table><tr><th>game</th><th>played</th><th>useless</th>\
         <th>by themselves</th><th>useless</th><th>seconds</th><th>label</th></tr>\n",
    );
    for record in records {
        let count = |key: &str| record.counts.get(key).map_or("–".to_string(), |n| n.to_string());
        let verdict = labels.get(&record.id).and_then(|label| {
            let counts = ["action_dependent", "useless_action_dependent", "action_independent"];
            let counts: Option<Vec<u32>> =
                counts.iter().map(|key| record.counts.get(*key).map(|&n| n as u32)).collect();
            Some(label.judge(counts?.try_into().ok()?))
        });
        let word = match verdict {
            None => "",
            Some(Verdict::Right) => "right",
            Some(Verdict::Under) => "under",
            Some(Verdict::Over) => "over",
        };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{word}</td></tr>",
            escaped(&record.id),
            count("action_dependent"),
            count("useless_action_dependent"),
            count("action_independent"),
            count("useless_action_independent"),
            seconds_of(record).map_or("–".to_string(), |seconds| format!("{seconds:.2}")),
        );
    }
    html.push_str("</table></details>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, seconds: f64, dependent: f64) -> Record {
        let mut record = Record::new(id);
        record.stage_reached = Some(Stage::Decompose);
        record.seconds_by_stage.insert(Stage::Decompose, seconds);
        for (key, value) in keys_at(1_000).into_iter().zip([dependent, 0.0, 1.0]) {
            record.counts.insert(key, value);
        }
        record
    }

    #[test]
    fn the_page_tells_times_verdicts_and_named_games() {
        let records =
            [record("base/nim3", 0.05, 4.0), record("base/a<b", 12.0, 2.0), Record::new("x")];
        let labels = BTreeMap::new();
        let html = page(&records, &labels);
        assert!(html.contains("3 rulesheets, of which 2 are games"));
        assert!(html.contains("1 of 2 (50.0 %)") && html.contains("2 of 2 (100.0 %)"));
        assert!(html.contains("<td>Nim3</td><td>&lt;2sec</td><td>0.05 s</td><td>40</td>"));
        assert!(html.contains("base/a&lt;b") && !html.contains("a<b"));
        assert!(!html.contains("After figure 5"), "there are no labels");
    }
}
