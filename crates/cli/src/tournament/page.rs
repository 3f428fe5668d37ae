//! The standings as one page that needs nothing else: no server, no script, no network.

use std::fmt::Write;

use gambol::net::escaped;

use crate::numbers::counted;
use crate::tournament::standings::{Points, Standing, Standings};

const STYLE: &str = "\
:root { color-scheme: light dark; --bar: #3d86d8; --soft: #6b7785; --line: #c9d1da; }
@media (prefers-color-scheme: dark) { :root { --bar: #6ea6e8; --soft: #9aa7b6; --line: #37414d; } }
body { font: 15px/1.5 system-ui, \"DejaVu Sans\", sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
td, th { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
td:first-child, th:first-child { text-align: left; }
.soft { color: var(--soft); }
.bar { stroke: var(--bar); stroke-width: 3; } .dot { fill: var(--bar); } .zero { stroke: var(--line); }
";

/// The page.
pub(crate) fn page(standings: &Standings<'_>) -> String {
    let mut html =
        String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    let _ = writeln!(html, "<title>Tournament</title>\n<style>\n{STYLE}</style>\n</head>\n<body>");
    let _ = writeln!(html, "<h1>Tournament</h1>\n<p>{}</p>", escaped(&summary(standings)));
    rating(&mut html, standings);
    cross_table(&mut html, standings);
    by_game(&mut html, standings);
    html += "<p class=\"soft\">Elo by the model of Bradley and Terry, the mean of all players at 0, one drawn game \
             added for every two players who met; intervals hold with 95 % confidence.</p>\n</body>\n</html>\n";
    html
}

/// The tournament in one sentence.
pub(crate) fn summary(standings: &Standings<'_>) -> String {
    let state = if standings.complete { "" } else { "; not finished" };
    let all = standings.planned.unwrap_or(standings.matches);
    let of = if standings.planned.is_some() { format!(" of {all}") } else { String::new() };
    let word = if all == 1 { "match" } else { "matches" };
    format!(
        "{}: {}, {}, {}; {}{of} {word} played{state}",
        standings.system,
        counted(standings.players.len(), "player"),
        counted(standings.games.len(), "game"),
        counted(standings.rounds as usize, "round"),
        standings.matches,
    )
}

fn rating(html: &mut String, standings: &Standings<'_>) {
    let scale = Scale::of(standings);
    *html += "<h2>Standings</h2>\n<div class=\"wide\"><table>\n<tr><th>player</th><th>Elo</th><th>95 % interval</th><th></th>\
              <th>points</th><th>won</th><th>drawn</th><th>lost</th><th>faults</th></tr>\n";
    for one in &standings.players {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{:+.0}</td><td>{}</td><td>{}</td><td>{} of {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(one.player),
            one.elo,
            interval(one),
            scale.bar(one),
            one.points(),
            one.games(),
            one.won,
            one.drawn,
            one.lost,
            one.faults
        );
    }
    *html += "</table></div>\n";
}

/// An interval in words.
pub(crate) fn interval(one: &Standing<'_>) -> String {
    one.interval.map_or("no games".into(), |it| format!("{:+.0} to {:+.0}", it.least, it.most))
}

/// All intervals on one scale.
struct Scale {
    least: f64,
    most: f64,
}

const WIDTH: f64 = 160.0;

impl Scale {
    fn of(standings: &Standings<'_>) -> Self {
        let all = standings.players.iter().filter_map(|one| one.interval);
        let (least, most) = all.fold((-1.0_f64, 1.0_f64), |(least, most), one| {
            (least.min(one.least), most.max(one.most))
        });
        Self { least, most }
    }

    fn x(&self, elo: f64) -> f64 {
        4.0 + (elo - self.least) / (self.most - self.least) * (WIDTH - 8.0)
    }

    fn bar(&self, one: &Standing<'_>) -> String {
        let Some(interval) = one.interval else { return String::new() };
        let (zero, from, to) = (self.x(0.0), self.x(interval.least), self.x(interval.most));
        format!(
            "<svg width=\"{WIDTH}\" height=\"14\" role=\"img\" aria-label=\"the interval\">\
             <line class=\"zero\" x1=\"{zero:.1}\" x2=\"{zero:.1}\" y1=\"0\" y2=\"14\"/>\
             <line class=\"bar\" x1=\"{from:.1}\" x2=\"{to:.1}\" y1=\"7\" y2=\"7\"/>\
             <circle class=\"dot\" cx=\"{:.1}\" cy=\"7\" r=\"4\"/></svg>",
            self.x(one.elo)
        )
    }
}

fn cross_table(html: &mut String, standings: &Standings<'_>) {
    *html += "<h2>Points against each other</h2>\n<div class=\"wide\"><table>\n<tr><th></th>";
    for one in &standings.players {
        let _ = write!(html, "<th>{}</th>", escaped(one.player));
    }
    *html += "</tr>\n";
    for one in &standings.players {
        let _ = write!(html, "<tr><td>{}</td>", escaped(one.player));
        for cell in &one.against {
            let text = cell.filter(|cell| cell.games > 0.0).map_or(String::new(), score);
            let _ = write!(html, "<td>{text}</td>");
        }
        *html += "</tr>\n";
    }
    *html += "</table></div>\n";
}

fn score(points: Points) -> String {
    format!("{} of {}", points.points, points.games)
}

fn by_game(html: &mut String, standings: &Standings<'_>) {
    *html += "<h2>Game by game</h2>\n<p class=\"soft\">Points, and the mean goal.</p>\n<div class=\"wide\"><table>\n<tr><th></th>";
    for game in &standings.games {
        let _ = write!(html, "<th>{}</th>", escaped(game));
    }
    *html += "</tr>\n";
    for one in &standings.players {
        let _ = write!(html, "<tr><td>{}</td>", escaped(one.player));
        for game in &one.by_game {
            let goal = game.mean_goal.map_or(String::new(), |goal| format!(" ({goal:.1})"));
            let _ =
                write!(html, "<td>{}<span class=\"soft\">{goal}</span></td>", score(game.score));
        }
        *html += "</tr>\n";
    }
    *html += "</table></div>\n";
}
