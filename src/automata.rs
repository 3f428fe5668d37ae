//! The automata that come with the program, embedded in it.

#[derive(rust_embed::RustEmbed)]
#[folder = "automata/"]
#[include = "*.autre"]
struct Files;

/// The file names of all bundled automata, sorted.
///
/// ```
/// assert!(gambol::bundled_automata().contains(&"counterexample.autre".to_string()));
/// ```
pub fn bundled_automata() -> Vec<String> {
    let mut names: Vec<String> = Files::iter().map(|path| path.to_string()).collect();
    names.sort_unstable();
    names
}

/// The text of the bundled automaton with this file name.
pub fn bundled_automaton(name: &str) -> Option<String> {
    Files::get(name).map(|file| String::from_utf8_lossy(&file.data).into_owned())
}
