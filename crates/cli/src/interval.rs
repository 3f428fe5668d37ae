//! How sure a share is.

use serde::Serialize;

/// A share lies between these, with 95 % confidence.
#[derive(Serialize, Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Interval {
    pub(crate) least: f64,
    pub(crate) most: f64,
}

/// Wilson's interval for a share. Half points are counted as if each were half a won game and half a
/// lost one, which makes it wider than need be and never narrower.
pub(crate) fn wilson(points: f64, games: f64) -> Interval {
    if games <= 0.0 {
        return Interval { least: 0.0, most: 1.0 };
    }
    const Z: f64 = 1.959_964;
    let (share, square) = (points / games, Z * Z);
    let scale = 1.0 + square / games;
    let centre = (share + square / (2.0 * games)) / scale;
    let inner = share * (1.0 - share) / games + square / (4.0 * games * games);
    let half = Z * inner.sqrt() / scale;
    Interval { least: (centre - half).max(0.0), most: (centre + half).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_its_share_and_narrows_with_more_games() {
        let (few, many) = (wilson(8.0, 10.0), wilson(800.0, 1000.0));
        assert!(few.least < 0.8 && 0.8 < few.most);
        assert!(many.least > few.least && many.most < few.most);
        // Published values of the interval for 8 of 10.
        assert!((few.least - 0.490).abs() < 0.001 && (few.most - 0.943).abs() < 0.001);
    }

    #[test]
    fn nothing_is_known_without_games_and_little_after_a_clean_sweep() {
        assert_eq!(wilson(0.0, 0.0), Interval { least: 0.0, most: 1.0 });
        assert!(wilson(20.0, 20.0).least > 0.8);
    }
}
