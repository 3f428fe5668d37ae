//! Sums of partizan games: the players have different moves, and who cannot move loses.
//!
//! Each block of a part is brought to its canonical form. Many blocks have the same form, so that a sum
//! is a handful of forms, and the theory of such sums says who wins.

use gambol_combinatorial::{FormId, Forms, LEFT, RIGHT, Sums, TooLarge, notation};

use super::sum::{Sum, SumPart};
use crate::limits::Meter;

/// The forms of a sum. Left is the first role.
pub(super) struct Partizan {
    sums: Sums,
    /// The step in which Left is to move.
    left: usize,
    /// For each part the form of each block.
    form_of: Vec<Vec<FormId>>,
}

impl Partizan {
    /// None if play is misère, or the forms are too large.
    pub(super) fn of(sum: &Sum, meter: &Meter) -> Option<Self> {
        if sum.misere {
            return None;
        }
        let meter = meter.clone();
        let mut forms = Forms::new(move |bytes| meter.check(bytes).is_ok());
        let left = sum.first_role;
        let form_of = sum.parts.iter().map(|part| canonical(&mut forms, part, left));
        let form_of = form_of.collect::<Result<_, TooLarge>>().ok()?;
        Some(Self { sums: Sums::new(forms), left, form_of })
    }

    /// How many sums were searched, and forms compared.
    pub(super) fn nodes(&self) -> u64 {
        self.sums.nodes()
    }

    /// Whether the player to move wins.
    pub(super) fn mover_wins(&mut self, row: &[u64], step: usize) -> Result<bool, TooLarge> {
        let forms = self.form_of.iter().zip(row).map(|(forms, &block)| forms[block as usize]);
        self.sums.wins(if step == self.left { LEFT } else { RIGHT }, forms.collect())
    }

    /// What the parts are, in words.
    pub(super) fn notes(&mut self, row: &[u64]) -> Result<Vec<String>, TooLarge> {
        let (mut texts, mut counts) = (Vec::new(), Vec::new());
        for (forms, &block) in self.form_of.iter().zip(row) {
            texts.push(notation(self.sums.forms(), forms[block as usize])?);
            let mut distinct = forms.clone();
            distinct.sort_unstable();
            distinct.dedup();
            counts.push(format!("{} of {}", distinct.len(), forms.len()));
        }
        Ok(vec![
            format!("a sum of partizan games: {}", texts.join(", ")),
            format!("states of the parts with different values: {}", counts.join(", ")),
        ])
    }
}

/// The form of each block of a part, where Left is to move in a step.
fn canonical(forms: &mut Forms, part: &SumPart, left: usize) -> Result<Vec<FormId>, TooLarge> {
    let mut found = vec![FormId::new(0); part.order.len()];
    for &block in &part.order {
        let options = [left, 1 - left].map(|step| {
            let next = part.options[step].of_block(block).iter();
            next.map(|&next| found[next as usize]).collect()
        });
        found[block as usize] = forms.form(options)?;
    }
    Ok(found)
}
