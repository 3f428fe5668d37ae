//! Answers that are kept for the next question.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The last answer that was found, with its question.
#[derive(Debug)]
pub(crate) struct Kept<Q, A> {
    last: Mutex<Option<(Q, Arc<A>)>>,
}

impl<Q, A> Default for Kept<Q, A> {
    fn default() -> Self {
        Self { last: Mutex::new(None) }
    }
}

impl<Q: PartialEq, A> Kept<Q, A> {
    /// The answer from before if the question was the same and the answer is complete; else the one that is
    /// found now, which is kept. Others may ask meanwhile: nothing is locked while it is looked for.
    pub(crate) fn answer(
        &self,
        question: Q,
        is_complete: impl Fn(&A) -> bool,
        find: impl FnOnce() -> A,
    ) -> Arc<A> {
        let known = self
            .lock()
            .as_ref()
            .filter(|(asked, _)| *asked == question)
            .map(|it| Arc::clone(&it.1));
        if let Some(answer) = known.filter(|answer| is_complete(answer)) {
            return answer;
        }
        let answer = Arc::new(find());
        *self.lock() = Some((question, Arc::clone(&answer)));
        answer
    }

    /// The last answer, whatever was asked and however complete it is.
    pub(crate) fn last(&self) -> Option<Arc<A>> {
        self.lock().as_ref().map(|(_, answer)| Arc::clone(answer))
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Q, Arc<A>)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complete_answer_is_found_once_and_another_question_is_answered_anew() {
        let kept = Kept::default();
        let ask = |question: u8, find: u8| *kept.answer(question, |&answer| answer > 0, || find);
        assert_eq!((ask(1, 0), ask(1, 5), ask(1, 6)), (0, 5, 5));
        assert_eq!((ask(2, 7), kept.last().as_deref()), (7, Some(&7)));
    }
}
