//! Names as they are written in files: in quotes where they must be.

/// A name as it is written, in quotes if it must be.
pub(crate) fn quote(name: &str) -> String {
    if !needs_quotes(name) {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Whether a name has to stand in quotes.
fn needs_quotes(name: &str) -> bool {
    let special = |c: char| c.is_whitespace() || matches!(c, '=' | '!' | ',' | '#' | '"' | '\\');
    name.is_empty() || name.contains(special)
}
