//! Draws the pictures of `docs/propositional-nets.md` anew.

mod figures;

use std::error::Error;
use std::fs;
use std::path::Path;

use gambol_net::{Detail, Net, PictureOptions, build, simplify, svg_with};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let images = root.join("docs/images");
    fs::create_dir_all(&images)?;
    for (file, picture) in figures::figures()? {
        fs::write(images.join(file), picture)?;
    }
    let games = [
        ("one-light-net", Detail::Whole),
        ("buttons-and-lights", Detail::Whole),
        ("four-lamps", Detail::Whole),
        ("tic-tac-toe", Detail::Relations),
        ("hex", Detail::Relations),
    ];
    for (game, detail) in games {
        let net = net_of(&root.join("games").join(game).join("rules.kif"))?;
        let options = PictureOptions { detail, title: Some(game), ..Default::default() };
        fs::write(images.join(format!("{game}.svg")), svg_with(&net, &options))?;
    }
    Ok(())
}

fn net_of(path: &Path) -> Result<Net, Box<dyn Error>> {
    let reading = gambol_syntax::read(&fs::read(path)?, &gambol_syntax::ReadOptions::default());
    let rules = reading.rules.ok_or("the rulesheet does not parse")?;
    let ground = gambol_ground::instantiate(&rules, &gambol_ground::Limits::default())?;
    Ok(simplify(&build(&ground)?))
}
