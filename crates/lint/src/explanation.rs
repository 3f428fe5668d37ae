//! What each code means, with an example: the page of the documentation, section by section.

const PAGE: &str = include_str!("../error-codes.md");

/// All codes with their explanations, in the order of the page.
pub fn explanations() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    let sections = PAGE.split("\n## ").skip(1);
    sections.filter_map(|section| {
        let (code, text) = section.split_once('\n')?;
        Some((code.trim(), text.trim()))
    })
}

/// The explanation of a code, in Markdown.
pub fn explain(code: &str) -> Option<&'static str> {
    explanations().find(|&(known, _)| known == code).map(|(_, text)| text)
}

/// The game that some of the examples are put behind.
pub fn example_game() -> &'static str {
    let begin = PAGE.split("```kif game\n").nth(1).unwrap_or("");
    begin.split("```").next().unwrap_or("")
}
