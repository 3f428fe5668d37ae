//! Values of one state from those of another in which the same is left but for what goals are worth.

use super::matrix_bounds::{Span, UNIT};
use crate::reduction::relevance::Scale;

/// From `from_least` and so many times `from_unit` to `to_least` and as many times `to_unit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rescale {
    from_least: u32,
    from_unit: u32,
    to_least: u32,
    to_unit: u32,
}

impl Rescale {
    /// Everything stays as it is.
    pub(crate) const NONE: Self = Self { from_least: 0, from_unit: 1, to_least: 0, to_unit: 1 };

    /// From the state that stands for another to that one.
    pub(crate) fn between(own: Option<Scale>, standing: Option<Scale>) -> Self {
        match (own, standing) {
            (Some(own), Some(standing)) if own != standing => Self {
                from_least: standing.least,
                from_unit: standing.unit,
                to_least: own.least,
                to_unit: own.unit,
            },
            _ => Self::NONE,
        }
    }

    /// Bounds, rounded outwards.
    pub(crate) fn apply(self, span: Span) -> Span {
        if self == Self::NONE {
            return span;
        }
        let above = |value: i64| {
            let steps = i128::from(value) - i128::from(self.from_least) * i128::from(UNIT);
            steps * i128::from(self.to_unit)
        };
        let (unit, base) = (i128::from(self.from_unit), i64::from(self.to_least) * UNIT);
        Span {
            least: base + above(span.least).div_euclid(unit) as i64,
            most: base - (-above(span.most)).div_euclid(unit) as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_halves_and_thirds_are_rounded_outwards() {
        let scale = |least, unit, most| Some(Scale { least, unit, most });
        let half = Rescale::between(scale(50, 50, 100), scale(0, 100, 100));
        assert_eq!(half.apply(Span::between(0, 100)), Span::between(50, 100));
        assert_eq!(half.apply(Span::exact(50)), Span::exact(75));
        let third = Rescale::between(scale(0, 1, 1), scale(0, 3, 3));
        let Span { least, most } = third.apply(Span::exact(1));
        assert_eq!((most - least, least * 3 <= UNIT, most * 3 >= UNIT), (1, true, true));
        let same = Rescale::between(scale(0, 50, 100), scale(0, 50, 100));
        assert_eq!(same, Rescale::NONE);
    }
}
