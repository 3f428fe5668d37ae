//! Platforms without machine code: the table runs every game.

use crate::engine::Instructions;
use crate::engine::batch::{Batch, BatchCode};
use crate::engine::random::Random;
use crate::engine::word::Word;

/// Never made.
#[derive(Debug)]
pub(crate) enum Machine {}

impl Machine {
    pub(crate) fn of(
        _batch: &Batch,
        _code: &BatchCode,
        _instructions: Instructions,
        _lanes: usize,
    ) -> Option<Self> {
        None
    }

    pub(crate) fn instructions(&self) -> Instructions {
        match *self {}
    }

    pub(crate) fn slot_count(&self) -> usize {
        match *self {}
    }

    pub(crate) fn legality<W: Word>(&self, _phase: usize, _slots: &mut [W]) {
        match *self {}
    }

    pub(crate) fn transition<W: Word>(&self, _phase: usize, _over: W, _slots: &mut [W]) {
        match *self {}
    }

    pub(crate) fn start<W: Word>(&self, _lanes: W, _slots: &mut [W]) {
        match *self {}
    }

    pub(crate) fn goals<W: Word>(&self, _slots: &mut [W]) {
        match *self {}
    }

    pub(crate) fn choose<W: Word>(
        &self,
        _phase: usize,
        _number: usize,
        _slots: &mut [W],
        _running: W,
        _random: &mut Random<W>,
    ) -> Option<W> {
        match *self {}
    }
}
