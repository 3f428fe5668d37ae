//! The sum over a certificate, against damage on the way. Who forges can compute it too: what a
//! certificate says is believed because the rules bear it out, never because the sum fits.

use std::fmt;

use crate::certificate::{AverageClaim, Certificate, Claim};

impl Certificate {
    /// How many entries there are in all claims together.
    pub fn entries(&self) -> u64 {
        let claims = self.claims.iter().map(|claim| claim.entries.len());
        let averages = self.averages.iter().map(|claim| claim.entries.len());
        claims.chain(averages).chain([self.equilibrium.len()]).sum::<usize>() as u64
    }

    /// The sum over everything but itself.
    pub fn compute_digest(&self) -> String {
        let mut sum = Digest::default();
        sum.number(self.format.into());
        if let Some(sense) = self.sense {
            sum.text(sense.word());
        }
        sum.texts(&self.fluents);
        sum.numbers(self.at.as_deref().unwrap_or_default());
        sum.number(u64::from(self.at.is_some()));
        for (role, value) in &self.value {
            sum.text(role);
            sum.text(&value.to_string());
        }
        for claim in &self.claims {
            sum.claim(claim);
        }
        for claim in &self.averages {
            sum.average(claim);
        }
        for entry in &self.equilibrium {
            sum.numbers(&entry.state);
            sum.number(entry.rank.into());
            sum.texts(&entry.reply);
            sum.numbers(&entry.values);
        }
        sum.to_string()
    }
}

/// Fowler, Noll and Vo's hash, with lengths, so that texts do not run together. Shown as sixteen digits.
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Digest {
    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.byte(byte));
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        text.bytes().for_each(|byte| self.byte(byte));
    }

    /// Adds a list of texts.
    pub fn texts(&mut self, texts: &[String]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }

    fn byte(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    fn claim(&mut self, claim: &Claim) {
        self.texts(&claim.players);
        for condition in &claim.ends {
            self.text(&condition.role);
            for bound in [condition.at_least, condition.at_most] {
                self.number(bound.map_or(u64::MAX, u64::from));
            }
        }
        for entry in &claim.entries {
            self.numbers(&entry.state);
            self.number(entry.rank.into());
            self.texts(&entry.reply);
        }
    }

    fn average(&mut self, claim: &AverageClaim) {
        self.number(u64::from(claim.at_least));
        self.texts(&claim.players);
        self.text(&claim.role);
        for entry in &claim.entries {
            self.numbers(&entry.state);
            self.number(entry.rank.into());
            self.text(&entry.value.to_string());
            for (moves, share) in &entry.mixture {
                self.texts(moves);
                self.text(&share.to_string());
            }
        }
    }

    fn numbers(&mut self, numbers: &[u32]) {
        self.number(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.number(number.into()));
    }
}
