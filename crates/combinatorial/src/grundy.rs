//! Grundy values: the heap of nim that an impartial game is worth (Sprague, Grundy).

/// The Grundy value of each state of an impartial game: the least number that no state after it has.
/// `order` names each state once, after all that follow it; `options` gives what can follow a state.
///
/// ```
/// // A heap of three counters, of which one or two may be taken.
/// let options: [&[u32]; 4] = [&[], &[0], &[0, 1], &[1, 2]];
/// let values = gambol_combinatorial::grundy_values(&[0, 1, 2, 3], |state| options[state as usize]);
/// assert_eq!(values, [0, 1, 2, 0]);
/// ```
pub fn grundy_values<'a>(order: &[u32], options: impl Fn(u32) -> &'a [u32]) -> Vec<u32> {
    let mut grundy = vec![0; order.len()];
    for &state in order {
        let values = options(state).iter().map(|&next| grundy[next as usize]);
        grundy[state as usize] = least_missing(values.collect());
    }
    grundy
}

fn least_missing(mut values: Vec<u32>) -> u32 {
    values.sort_unstable();
    values.dedup();
    values.iter().zip(0..).take_while(|(value, place)| **value == *place).count() as u32
}
