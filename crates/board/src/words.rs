//! What the words say that people use for pieces: `white pawn`, `wk`, `x`, `lit`, `hole`.
//!
//! Words only choose a shape or a colour. Where they say nothing, structure chooses something plainer.

/// A colour of a piece.
#[allow(missing_docs)] // Each is what it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    White,
    Black,
    Red,
    Yellow,
    Blue,
    Green,
    Orange,
    Purple,
    Pink,
    Brown,
    Grey,
    Cyan,
}

/// A man of chess.
#[allow(missing_docs)] // Each is what it is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chessman {
    King,
    Queen,
    Rook,
    Bishop,
    Knight,
    Pawn,
}

/// What something looks like, if a word says so.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Word {
    Chess(Chessman),
    Man,
    Crowned,
    Cross,
    Nought,
    Lamp,
    DarkLamp,
    Peg,
    Block,
    Mark,
    /// Degrees clockwise from upwards.
    Arrow(u16),
    Nothing,
}

/// The words of a label in small letters: cut at blanks, marks, digits and capital letters, and after a colour.
pub(crate) fn words(label: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut small = false;
    for letter in label.chars() {
        let cut = !letter.is_alphabetic() || (letter.is_uppercase() && small);
        if cut && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        small = letter.is_lowercase();
        if letter.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words.into_iter().flat_map(|word| cut_after_colour(&word)).collect()
}

/// `whitepawn` is a white pawn, `xplayer` an x.
fn cut_after_colour(word: &str) -> Vec<String> {
    for (name, _) in INKS {
        if let Some(rest) = word.strip_prefix(name)
            && rest.len() > 2
        {
            return vec![name.to_string(), rest.to_string()];
        }
    }
    match word.strip_suffix("player") {
        Some(rest) if !rest.is_empty() => vec![rest.to_string()],
        _ => vec![word.to_string()],
    }
}

const INKS: [(&str, Ink); 15] = [
    ("white", Ink::White),
    ("black", Ink::Black),
    ("red", Ink::Red),
    ("yellow", Ink::Yellow),
    ("blue", Ink::Blue),
    ("green", Ink::Green),
    ("orange", Ink::Orange),
    ("purple", Ink::Purple),
    ("violet", Ink::Purple),
    ("pink", Ink::Pink),
    ("magenta", Ink::Pink),
    ("brown", Ink::Brown),
    ("grey", Ink::Grey),
    ("teal", Ink::Cyan),
    ("cyan", Ink::Cyan),
];

/// The colour that a word names.
pub(crate) fn ink(word: &str) -> Option<Ink> {
    let word = if word == "gray" { "grey" } else { word };
    INKS.iter().find(|(name, _)| *name == word).map(|(_, ink)| *ink)
}

/// The shape that a word names.
pub(crate) fn shape(word: &str) -> Option<Word> {
    let singular = word.strip_suffix('s').filter(|rest| rest.len() > 2).unwrap_or(word);
    Some(match singular {
        "king" => Word::Chess(Chessman::King),
        "queen" => Word::Chess(Chessman::Queen),
        "rook" | "castle" => Word::Chess(Chessman::Rook),
        "bishop" => Word::Chess(Chessman::Bishop),
        "knight" => Word::Chess(Chessman::Knight),
        "pawn" => Word::Chess(Chessman::Pawn),
        "man" | "men" | "checker" | "draught" | "soldier" => Word::Man,
        "crowned" | "dame" => Word::Crowned,
        "x" | "cros" | "cross" | "crosse" => Word::Cross,
        "o" | "nought" | "naught" | "circle" => Word::Nought,
        "lit" | "on" | "glow" | "glowing" | "lamp" | "light" | "shining" | "bright" => Word::Lamp,
        "off" | "dark" | "unlit" => Word::DarkLamp,
        "peg" => Word::Peg,
        "wall" | "plank" | "block" | "brick" | "covered" | "piece" | "stone" | "rock" | "box"
        | "arrow" | "fire" | "burnt" | "burned" | "blocked" => Word::Block,
        "visited" | "trail" | "seen" | "opened" => Word::Mark,
        "up" | "north" => Word::Arrow(0),
        "right" | "east" => Word::Arrow(90),
        "down" | "south" => Word::Arrow(180),
        "left" | "west" => Word::Arrow(270),
        "empty" | "blank" | "none" | "hole" | "nothing" | "free" | "vacant" | "clear" => {
            Word::Nothing
        }
        _ => return None,
    })
}

/// `wp`, `bK`: a side and the first letter of a man, as chess and draughts are often written; the relation may stand
/// before it, as in `cell wp`.
pub(crate) fn initials(label: &str) -> Option<(Ink, char)> {
    let mut letters = label.split_whitespace().next_back()?.chars();
    let (side, man) = (letters.next()?, letters.next()?.to_ascii_lowercase());
    let ink = match side.to_ascii_lowercase() {
        'w' => Ink::White,
        'b' => Ink::Black,
        'r' => Ink::Red,
        _ => return None,
    };
    (letters.next().is_none() && "kqrbnpm".contains(man)).then_some((ink, man))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_fall_into_words() {
        assert_eq!(words("whitePawn"), ["white", "pawn"]);
        assert_eq!(words("blackking"), ["black", "king"]);
        assert_eq!(words("rider orange"), ["rider", "orange"]);
        assert_eq!(words("xplayer"), ["x"]);
        assert_eq!(words("redo"), ["redo"]);
        assert!(words("8").is_empty());
    }

    #[test]
    fn sides_and_men_by_their_letters() {
        assert_eq!(initials("wk"), Some((Ink::White, 'k')));
        assert_eq!(initials("bP"), Some((Ink::Black, 'p')));
        assert_eq!(initials("cell wp"), Some((Ink::White, 'p')));
        assert_eq!(initials("ox"), None);
        assert_eq!(initials(""), None);
        assert_eq!(initials("wkx"), None);
    }
}
