//! How a certificate is checked.

/// How a certificate is checked.
#[derive(Clone, Copy)]
pub struct VerifyOptions<'a> {
    /// How many threads may check.
    pub threads: usize,
    /// Told now and then how many entries are checked.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Default for VerifyOptions<'_> {
    fn default() -> Self {
        Self { threads: 1, progress: &|_| {} }
    }
}
