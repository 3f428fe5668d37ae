//! The tour of a game as one file that needs nothing else: no server, no script, no network.

use std::fmt::Write;
use std::time::{Duration, Instant};

use gambol::analysis::{Budget, ShapeOptions};
use gambol::board::{BoardStyle, Boards};
use gambol::decompose::{DecomposeOptions, matrix_svg, part_colours};
use gambol::net::{BaseMarking, Net, PictureOptions, Statistics, escaped, svg_with};
use gambol::report::{Section, families, sections};
use gambol::solve::{Limits, SolveOptions, solve};
use gambol::syntax::print;
use gambol::{Game, StageError, bundled_game};

use crate::{parts, solving};

/// Sentences of a kind that are printed; the command lists all.
const MOST_FAMILIES: usize = 8;
const TIME_FOR_FACTS: Duration = Duration::from_secs(4);
const TIME_FOR_PARTS: Duration = Duration::from_secs(15);
const TIME_FOR_VALUE: Duration = Duration::from_secs(20);

/// The story of one game as an HTML page.
pub fn tour_html(game: &Game, title: &str) -> Result<String, StageError> {
    let net = game.net()?;
    let mut page = Page::new(title);
    page.about(title);
    page.board(game, net);
    page.numbers(net);
    page.parts(game, net)?;
    page.facts(game, net)?;
    page.value(game, net)?;
    page.net(net);
    page.rules(game);
    Ok(page.finish())
}

struct Page {
    title: String,
    text: String,
}

impl Page {
    fn new(title: &str) -> Self {
        Self { title: title.to_string(), text: String::new() }
    }

    fn add(&mut self, html: &str) {
        self.text += html;
        self.text.push('\n');
    }

    fn heading(&mut self, words: &str, note: &str) {
        self.add(&format!("<h2>{}</h2>\n<p class=\"note\">{}</p>", escaped(words), escaped(note)));
    }

    /// A picture keeps its style to itself only as a document of its own, inside an `img`.
    fn picture(&mut self, svg: &str, told: &str) {
        let data = percent_encoded(svg);
        let told = escaped(told);
        self.add(&format!("<img src=\"data:image/svg+xml,{data}\" alt=\"{told}\">"));
    }

    /// What the game is about, in a sentence, if it is a bundled one.
    fn about(&mut self, title: &str) {
        let facts = bundled_game(title).and_then(|bundled| bundled.facts().ok());
        if let Some(facts) = facts {
            self.add(&format!("<p class=\"lead\">{}</p>", escaped(&facts.about)));
        }
    }

    fn numbers(&mut self, net: &Net) {
        self.heading(
            "The size",
            "The rules become a circuit: what is true, what is done, and gates.",
        );
        let size = Statistics::of(net);
        let roles: Vec<&str> = net.roles.iter().map(|role| &**role).collect();
        let rows = [
            ("roles", roles.join(", ")),
            ("fluents", net.fluents.len().to_string()),
            ("moves", net.moves.len().to_string()),
            ("gates", (size.and_gates + size.or_gates + size.inverters).to_string()),
            ("levels", size.depth.to_string()),
        ];
        self.add("<table>");
        for (name, value) in rows {
            self.add(&format!("<tr><th>{name}</th><td>{}</td></tr>", escaped(&value)));
        }
        self.add("</table>");
    }

    fn board(&mut self, game: &Game, net: &Net) {
        let boards = Boards::find(net, game.rules());
        if boards.boards.is_empty() {
            return;
        }
        self.heading("The board", "Found from structure: which fluents lie on a grid.");
        let style = BoardStyle { standalone: true, ..BoardStyle::default() };
        let svg = gambol::board::svg(&boards, &BaseMarking::initial(net), &style);
        self.picture(&svg, "the board at the start");
    }

    fn parts(&mut self, game: &Game, net: &Net) -> Result<(), StageError> {
        let mut options = DecomposeOptions::default();
        options.prove = true;
        options.time = Some(TIME_FOR_PARTS);
        let started = Instant::now();
        let found = game.subgames_with(&options, &mut |_| {})?;
        let view = parts::view(net, &found, &self.title, started.elapsed().as_secs_f64());
        self.heading("The parts", "What can be looked at alone, and how it is put together.");
        let said = format!("{} ({})", view.sentence(), view.basis());
        self.add(&format!("<p><b>{}</b></p>", escaped(&said)));
        self.picture(
            &matrix_svg(net, &found, &self.title),
            "fluents by moves, before and after the cut",
        );
        let colours = part_colours(net, &found);
        let options = PictureOptions { parts: Some(&colours), ..PictureOptions::default() };
        self.picture(&svg_with(net, &options), "the net in the colours of its parts");
        Ok(())
    }

    fn facts(&mut self, game: &Game, net: &Net) -> Result<(), StageError> {
        let mut options = ShapeOptions::default();
        options.budget = Budget { time: Some(TIME_FOR_FACTS), stop: None };
        let shape = game.structure_with(&options, &mut |_| {})?;
        self.heading(
            "What is proved",
            "What the rules make inevitable: it holds in every state of every game. \
             Facts that differ in their arguments only are told once.",
        );
        for section in sections(net, &shape) {
            self.section(&section);
        }
        for stage in &shape.cut_short {
            self.add(&format!("<p>Time ended {}: there may be more.</p>", stage.text()));
        }
        Ok(())
    }

    /// The facts of a kind, by symmetry.
    fn section(&mut self, section: &Section) {
        let all = families(&section.facts);
        self.add(&format!("<h3>{} ({})</h3>", section.title, section.facts.len()));
        self.add(&format!("<p class=\"note\">{}</p>\n<ul>", section.about));
        for family in all.iter().take(MOST_FAMILIES) {
            match &family.sentence {
                Some(sentence) => {
                    let (text, range) = (escaped(&sentence.text), escaped(&sentence.range));
                    self.add(&format!("<li>{text} <span class=\"note\">{range}</span></li>"));
                }
                None => {
                    let facts = family.members.iter().map(|&member| &section.facts[member]);
                    for fact in facts.take(MOST_FAMILIES) {
                        self.add(&format!("<li>{}</li>", escaped(&fact.text)));
                    }
                }
            }
        }
        if all.len() > MOST_FAMILIES {
            self.add("<li>and more: <code>gambol structure</code> lists all</li>");
        }
        self.add("</ul>");
    }

    fn value(&mut self, game: &Game, net: &Net) -> Result<(), StageError> {
        self.heading("The value", "What the players get when all play best.");
        let mut options = SolveOptions::default();
        options.limits = Limits { time: Some(TIME_FOR_VALUE), ..Limits::default() };
        let started = Instant::now();
        let said = match solve(net, game.circuit()?, &options) {
            Ok(solution) => solving::in_one_line(net, &solution, started.elapsed().as_secs_f64()),
            Err(error) => format!("not solved: {error}"),
        };
        self.add(&format!("<p><b>{}</b></p>", escaped(&said)));
        Ok(())
    }

    fn net(&mut self, net: &Net) {
        self.heading("The net", "Chapter 9's picture: everything if it fits, else relations.");
        let options = PictureOptions { title: Some(&self.title), ..PictureOptions::default() };
        let svg = svg_with(net, &options);
        self.picture(&svg, "the propositional net");
    }

    fn rules(&mut self, game: &Game) {
        self.heading("The rules", "Everything on this page follows from them.");
        let text = print::to_prefix(game.rules());
        self.add(&format!(
            "<details><summary>{} rules</summary>\n<pre>{}</pre></details>",
            game.rules().clauses.len(),
            escaped(&text)
        ));
    }

    fn finish(self) -> String {
        let title = escaped(&self.title);
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
             {}</body>\n</html>\n",
            self.text
        )
    }
}

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, \"DejaVu Sans\", sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
img { max-width: 100%; height: auto; display: block; margin: .8rem 0; }
th { text-align: left; padding-right: 1.5rem; font-weight: 600; }
.note { opacity: .7; margin-top: 0; }
.lead { font-size: 1.2rem; }
pre { overflow: auto; font-size: .85rem; }
h2 { margin: 2rem 0 .1rem; }
li { overflow-wrap: anywhere; }
";

/// Text as it may stand in a data address.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len() * 5 / 4);
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b' '
            | b'/'
            | b':'
            | b'='
            | b','
            | b';'
            | b'('
            | b')' => encoded.push(byte as char),
            _ => write!(encoded, "%{byte:02X}").expect("a string takes all text"),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_tells_what_the_game_is_about_and_shows_its_rules() {
        let game = Game::bundled("tic-tac-toe").expect("it is bundled");
        let html = tour_html(&game, "tic-tac-toe").expect("it has a net");
        assert!(html.contains("<p class=\"lead\">Three marks in line"));
        assert!(html.contains("<pre>") && html.contains("(role xplayer)"));
        // Nine squares, one sentence.
        assert!(html.contains("once (cell X Y empty) is false it stays false"));
        assert!(!html.contains("once (cell 1 1 empty) is false"));
    }

    #[test]
    fn a_report_needs_nothing_else() {
        let game = Game::bundled("four-lamps").expect("it is bundled");
        let html = tour_html(&game, "<four> lamps").expect("it has a net");
        assert!(html.contains("<h1>&lt;four&gt; lamps</h1>"));
        assert!(!html.contains("<script") && !html.contains("<link"));
        let sources = html.split("src=\"").skip(1);
        assert!(sources.into_iter().all(|rest| rest.starts_with("data:")));
    }
}
