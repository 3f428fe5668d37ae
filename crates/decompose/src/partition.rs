//! A partition of small numbers that can only become coarser.

/// Disjoint sets with path halving; the smallest member stands for its set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Partition {
    parent: Vec<u32>,
    sets: usize,
}

impl Partition {
    /// Every number by itself.
    pub(crate) fn singletons(count: usize) -> Self {
        let count_u32 = u32::try_from(count).expect("units are numbered by u32");
        Self { parent: (0..count_u32).collect(), sets: count }
    }

    /// One more number, by itself.
    pub(crate) fn add(&mut self) {
        self.parent.push(self.parent.len() as u32);
        self.sets += 1;
    }

    /// The member that stands for a set.
    pub(crate) fn find(&mut self, mut one: u32) -> u32 {
        while self.parent[one as usize] != one {
            let above = self.parent[self.parent[one as usize] as usize];
            self.parent[one as usize] = above;
            one = above;
        }
        one
    }

    /// Joins two sets; whether they were different.
    pub(crate) fn join(&mut self, one: u32, other: u32) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        if one == other {
            return false;
        }
        let (low, high) = (one.min(other), one.max(other));
        self.parent[high as usize] = low;
        self.sets -= 1;
        true
    }

    /// Joins all these; whether anything changed.
    pub(crate) fn join_all(&mut self, members: impl IntoIterator<Item = u32>) -> bool {
        let mut members = members.into_iter();
        let Some(first) = members.next() else { return false };
        let before = self.sets;
        members.for_each(|member| {
            self.join(first, member);
        });
        self.sets < before
    }

    /// How many sets there are.
    pub(crate) fn len(&self) -> usize {
        self.sets
    }

    /// The sets, each sorted, by their smallest member.
    pub(crate) fn sets(&mut self) -> Vec<Vec<u32>> {
        let mut sets = vec![Vec::new(); self.parent.len()];
        for member in 0..self.parent.len() as u32 {
            let root = self.find(member);
            sets[root as usize].push(member);
        }
        sets.retain(|set| !set.is_empty());
        sets
    }
}
