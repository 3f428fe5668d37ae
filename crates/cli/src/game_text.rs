//! Where the text of a game comes from: a file, standard input, or the program itself.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail};
use gambol::syntax::SyntaxLimits;
use gambol::{LoadError, bundled_game, bundled_games};

/// A game's text and what to call it in messages.
#[derive(Debug)]
pub(crate) struct GameText {
    /// The file's path, or the bundled game's name.
    pub(crate) name: String,
    /// The rules.
    pub(crate) text: Vec<u8>,
}

/// Reads the text of `GAME`. A file wins over a bundled game of the same name.
pub(crate) fn text_of(name: &str) -> anyhow::Result<GameText> {
    if name == "-" {
        let text = read_bounded(io::stdin().lock()).context("cannot read standard input")?;
        return Ok(GameText { name: "<stdin>".to_string(), text });
    }
    let path = Path::new(name);
    if path.is_file() {
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let text = read_bounded(file).with_context(|| format!("cannot read {name}"))?;
        return Ok(GameText { name: name.to_string(), text });
    }
    match bundled_game(name) {
        Some(game) => Ok(GameText { name: name.to_string(), text: game.rules().into_owned() }),
        None => bail!("{}", not_found(name)),
    }
}

/// One byte more than the reader accepts is enough to be told so.
fn read_bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    reader.take(SyntaxLimits::default().size as u64 + 1).read_to_end(&mut text)?;
    Ok(text)
}

fn not_found(name: &str) -> String {
    let looks_like_a_path = name.contains(['/', '.']);
    if looks_like_a_path {
        return format!("there is no file {name}");
    }
    let unknown = LoadError::UnknownGame { name: name.to_string() };
    let count = bundled_games().len();
    format!("there is no file {name}, and {unknown} (there are {count})")
}
