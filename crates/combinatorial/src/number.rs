//! The numbers among games: fractions whose denominator is a power of two, in fixed point.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg, Sub};

/// The binary places that are kept; games that need more are refused, never rounded.
const PLACES: u32 = 36;
const ONE: i64 = 1 << PLACES;

/// A number, in units of the last place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Number(i64);

impl Number {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// A whole number.
    pub fn whole(number: i32) -> Self {
        Self(i64::from(number) * ONE)
    }

    /// Whether it is a whole number.
    pub fn is_whole(self) -> bool {
        self.0 % ONE == 0
    }

    /// The number half way between two others; None if that is too fine.
    pub fn between(one: Self, other: Self) -> Option<Self> {
        let sum = one.0.checked_add(other.0)?;
        (sum % 2 == 0).then_some(Self(sum / 2))
    }

    /// What a player can move to in the canonical form of the number: the first player down, the
    /// second up.
    pub fn option(self, player: usize) -> Option<Self> {
        let down = player == 0;
        if self.is_whole() {
            let has_move = if down { self.0 > 0 } else { self.0 < 0 };
            return has_move.then_some(Self(if down { self.0 - ONE } else { self.0 + ONE }));
        }
        let last_place = self.0 & self.0.wrapping_neg();
        Some(Self(if down { self.0 - last_place } else { self.0 + last_place }))
    }
}

impl Add for Number {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Number {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Neg for Number {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sum for Number {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The denominator is what is left of the unit when common factors of two are gone.
        let twos = self.0.trailing_zeros().min(PLACES);
        let (numerator, denominator) = (self.0 >> twos, ONE >> twos);
        match denominator {
            1 => write!(out, "{numerator}"),
            _ => write!(out, "{numerator}/{denominator}"),
        }
    }
}
