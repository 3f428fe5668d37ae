//! Exact fractions. Operations that would need too many digits give nothing.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A fraction in lowest terms with a positive denominator. Written as text, `3` or `-1/2`.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[serde(into = "String", try_from = "String")]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };
    /// One.
    pub const ONE: Fraction = Fraction { numerator: 1, denominator: 1 };

    /// A fraction; `None` if the denominator is 0 or the terms are too large.
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let common = greatest_common_divisor(numerator.checked_abs()?, denominator.checked_abs()?);
        if denominator == 0 {
            return None;
        }
        let sign = denominator.signum();
        Some(Self {
            numerator: sign * numerator / common,
            denominator: sign * denominator / common,
        })
    }

    /// The whole number this is, if it is one.
    pub fn whole(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    /// The nearest floating-point number, about.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { numerator: -other.numerator, ..other })
    }

    /// The product.
    pub fn times(self, other: Self) -> Option<Self> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Self::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    /// The quotient; `None` if the other is 0.
    pub fn over(self, other: Self) -> Option<Self> {
        self.times(Self::new(other.denominator, other.numerator)?)
    }

    /// How many parts of 2^-`bits` this is, rounded down; whether nothing was lost. None if that is too large.
    pub fn parts(self, bits: u32) -> Option<(i128, bool)> {
        let mut parts = self.numerator.div_euclid(self.denominator);
        let mut rest = self.numerator.rem_euclid(self.denominator);
        for _ in 0..bits {
            rest = rest.checked_mul(2)?;
            parts = parts.checked_mul(2)?.checked_add(i128::from(rest >= self.denominator))?;
            rest -= if rest >= self.denominator { self.denominator } else { 0 };
        }
        Some((parts, rest == 0))
    }

    /// Whether this is less than 0, 0, or more.
    pub fn sign(self) -> i128 {
        self.numerator.signum()
    }
}

impl From<u32> for Fraction {
    fn from(number: u32) -> Self {
        Self { numerator: i128::from(number), denominator: 1 }
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    /// By continued fractions, so that nothing overflows.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (self.numerator, self.denominator);
        let (mut c, mut d) = (other.numerator, other.denominator);
        let mut turned = false;
        loop {
            let (whole, also) = (a.div_euclid(b), c.div_euclid(d));
            let (rest, remainder) = (a.rem_euclid(b), c.rem_euclid(d));
            let order = match whole.cmp(&also) {
                Ordering::Equal if rest == 0 || remainder == 0 => rest.cmp(&remainder),
                Ordering::Equal => {
                    (a, b, c, d) = (b, rest, d, remainder);
                    turned = !turned;
                    continue;
                }
                order => order,
            };
            return if turned { order.reverse() } else { order };
        }
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.whole() {
            Some(whole) => write!(out, "{whole}"),
            None => write!(out, "{}/{}", self.numerator, self.denominator),
        }
    }
}

impl From<Fraction> for String {
    fn from(fraction: Fraction) -> Self {
        fraction.to_string()
    }
}

impl TryFrom<String> for Fraction {
    type Error = NoFraction;

    fn try_from(text: String) -> Result<Self, NoFraction> {
        text.parse()
    }
}

/// The text is not a fraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a fraction; written are whole numbers and two of them with a stroke between")]
pub struct NoFraction;

impl FromStr for Fraction {
    type Err = NoFraction;

    fn from_str(text: &str) -> Result<Self, NoFraction> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let number = |text: &str| text.parse::<i128>().map_err(|_| NoFraction);
        Fraction::new(number(numerator)?, number(denominator)?).ok_or(NoFraction)
    }
}

fn greatest_common_divisor(mut one: i128, mut other: i128) -> i128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i128, denominator: i128) -> Fraction {
        Fraction::new(numerator, denominator).unwrap()
    }

    #[test]
    fn thirds_and_sixths_make_a_half() {
        assert_eq!(fraction(1, 3).plus(fraction(1, 6)), Some(fraction(1, 2)));
        assert_eq!(fraction(1, 3).minus(fraction(1, 3)), Some(Fraction::ZERO));
        assert_eq!(fraction(2, 3).over(fraction(4, 3)), Some(fraction(1, 2)));
        assert_eq!(fraction(1, 2).over(Fraction::ZERO), None);
        assert_eq!(fraction(-3, -6).to_string(), "1/2");
        assert_eq!("-2/4".parse(), Ok(fraction(-1, 2)));
        assert_eq!("1/0".parse::<Fraction>(), Err(NoFraction));
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let numbers =
            [fraction(-7, 2), fraction(-1, 3), fraction(0, 1), fraction(1, 3), fraction(2, 5)];
        assert!(numbers.is_sorted());
        let huge = fraction(i128::MAX, i128::MAX - 1);
        assert!(huge > Fraction::ONE && huge < fraction(2, 1));
        assert_eq!(huge.plus(fraction(1, 7)), None);
    }
}
