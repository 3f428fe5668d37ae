//! The short cuts of the grounder, and when each is taken.
//!
//! Every short cut is optional: with or without it the ground game gives the same answers, only the
//! size of the tables and of the circuit differs. Each file that holds one says why it is sound. Tests
//! force and forbid them one by one, with all thresholds at nothing, on games small enough for the
//! interpreter to judge.

/// When a short cut is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum When {
    /// Wherever it can be.
    Always,
    /// Nowhere.
    Never,
    /// Where an estimate, or a first try without it, says that it is worth it.
    #[default]
    WhenItPays,
}

impl When {
    /// All three.
    pub const ALL: [When; 3] = [When::Always, When::Never, When::WhenItPays];
}

/// Which short cuts the grounder takes, and from which size on.
#[derive(Clone, PartialEq, Debug)]
pub struct Shortcuts {
    /// Tree decomposition of rule bodies (module `split`). When it pays: Reach splits every rule, and
    /// Emit keeps those parts that save gates.
    pub split: When,
    /// Up to how many variables in a rule the order of elimination is chosen by fill-in.
    pub fill_limit: usize,
    /// From how many shown variables on a part of a rule is narrowed by the demand for its head.
    pub filtered_interface: usize,
    /// Auxiliary relations for disjunctions (module `normal`) instead of multiplying them out.
    pub name_disjunctions: When,
    /// When it pays: a body that would be multiplied out into more rules than this.
    pub expansion: usize,
    /// The demand transformation, also known as magic sets (module `demand`). When it pays: for the
    /// relations that a first try of Reach found hard.
    pub demand: When,
    /// Unfolding of relations into the rules that use them (module `unfold`). When it pays: for the
    /// relations in which a first try of Reach was stuck.
    pub unfold: When,
    /// A relation with more rules than this is not unfolded.
    pub unfolded_rules: usize,
    /// The steps of joins that the first tries of Reach may take. The last try has no limit.
    pub efforts: Vec<u64>,
    /// A table with this many rows was expensive to fill.
    pub large_table: u32,
    /// Shared disjunctions for families of nearly equal ones (module `family`). When it pays: from
    /// [`family_instances`](Self::family_instances) on.
    pub families: When,
    /// The expected matches from which a conjunction is tried as a family.
    pub family_instances: f64,
}

impl Default for Shortcuts {
    fn default() -> Self {
        Self {
            split: When::WhenItPays,
            fill_limit: 64,
            filtered_interface: 3,
            name_disjunctions: When::WhenItPays,
            expansion: 16,
            demand: When::WhenItPays,
            unfold: When::WhenItPays,
            unfolded_rules: 8,
            // Some seconds' work each.
            efforts: vec![90_000_000, 250_000_000],
            large_table: 10_000,
            families: When::WhenItPays,
            family_instances: 100_000.0,
        }
    }
}

impl Shortcuts {
    /// Every short cut wherever it can be taken.
    pub fn always() -> Self {
        Self::all(When::Always)
    }

    /// No short cut: each rule is joined as it stands.
    pub fn never() -> Self {
        Self::all(When::Never)
    }

    /// Short cuts where they pay, with all thresholds so low that small games reach them.
    pub fn eager() -> Self {
        Self {
            fill_limit: 0,
            filtered_interface: 0,
            expansion: 2,
            efforts: vec![20, 200],
            large_table: 2,
            family_instances: 0.0,
            ..Self::default()
        }
    }

    fn all(when: When) -> Self {
        Self {
            split: when,
            name_disjunctions: when,
            demand: when,
            unfold: when,
            families: when,
            ..Self::eager()
        }
    }

    /// Into how many rules a body may be multiplied out.
    pub(crate) fn most_alternatives(&self) -> usize {
        match self.name_disjunctions {
            When::Always => 1,
            When::Never => usize::MAX,
            When::WhenItPays => self.expansion,
        }
    }
}
