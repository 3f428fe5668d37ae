//! The weights of move ordering, and which parts of it are worth their cost. Found by trial, game by game.

/// Which means a search uses, and how it orders moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Weights {
    /// For each fluent that would win at once.
    pub(crate) threats: i64,
    /// For the ways from the best goal to the fluents that a move makes true.
    pub(crate) paths: i64,
    /// For the cubes of the best goal that a move advances, or takes from the other.
    pub(crate) lines: i64,
    /// How much more a cube weighs with each fluent it already has, as a power of two.
    pub(crate) growth: u32,
    /// Whether to look at all replies to all moves at once.
    pub(crate) replies: bool,
    /// Whether to ask which goals are still possible.
    pub(crate) bounds: bool,
    /// Whether to look for the moves' results in the table before searching any.
    pub(crate) peek: bool,
}

impl Weights {
    /// How many words the weights take.
    pub(crate) const WORDS: usize = 7;

    /// The weights as numbers.
    pub(crate) fn to_words(self) -> [u64; Self::WORDS] {
        let flag = u64::from;
        [
            self.threats as u64,
            self.paths as u64,
            self.lines as u64,
            self.growth.into(),
            flag(self.replies),
            flag(self.bounds),
            flag(self.peek),
        ]
    }

    /// The weights from numbers.
    pub(crate) fn from_words(words: &[u64]) -> Option<Self> {
        let &[threats, paths, lines, growth, replies, bounds, peek] = words else { return None };
        Some(Self {
            threats: threats as i64,
            paths: paths as i64,
            lines: lines as i64,
            growth: u32::try_from(growth).ok().filter(|&growth| growth < 16)?,
            replies: replies != 0,
            bounds: bounds != 0,
            peek: peek != 0,
        })
    }

    /// The weights for people.
    pub(crate) fn in_words(self) -> String {
        let also = [(self.replies, "replies"), (self.bounds, "bounds"), (self.peek, "table")];
        let used: Vec<&str> = also.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
        format!(
            "order of moves, found by trial: threats {}, paths {}, lines {} growing by {}; also used: {}",
            self.threats,
            self.paths,
            self.lines,
            1 << self.growth,
            if used.is_empty() { "nothing".to_string() } else { used.join(", ") }
        )
    }

    /// Nothing but the table.
    pub(crate) const PLAIN: Weights = Weights {
        threats: 0,
        paths: 0,
        lines: 0,
        growth: 2,
        replies: false,
        bounds: false,
        peek: true,
    };

    /// Everything. Ways count for more than lines: on connect four of 6 by 5 that halves the nodes, and the small
    /// positions of a trial do not show it.
    pub(crate) const ALL: Weights = Weights {
        threats: 1 << 10,
        paths: 64,
        lines: 1,
        growth: 2,
        replies: true,
        bounds: true,
        peek: true,
    };

    /// What differs from these weights in one respect.
    pub(crate) fn variations(self) -> Vec<Weights> {
        let mut all = Vec::new();
        for paths in [0, 1, 4, 16, 64, 256] {
            all.push(Weights { paths, ..self });
        }
        for growth in [0, 1, 2, 3] {
            all.push(Weights { growth, lines: 1, ..self });
        }
        all.push(Weights { lines: 0, ..self });
        for threats in [0, 1 << 4, 1 << 7, 1 << 10, 1 << 14] {
            all.push(Weights { threats, ..self });
        }
        all.push(Weights { replies: !self.replies, ..self });
        all.push(Weights { bounds: !self.bounds, ..self });
        all.push(Weights { peek: !self.peek, ..self });
        all.retain(|weights| *weights != self);
        all
    }
}
