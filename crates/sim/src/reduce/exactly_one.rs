//! Exactly one move of each role is done in a step.
//!
//! In a conjunction this means: two moves of one role are impossible; beside a move of a role the
//! absence of its others says nothing; and the absence of more than half of a role's moves is the
//! presence of one of the rest, which takes fewer gates. Sound wherever a joint move is given; in
//! legality, termination and goals no moves occur.

use super::graph::InputCounts;
use super::literal::Literal;

/// The conjunction can never hold.
pub(crate) struct Impossible;

/// Which moves belong together.
pub(crate) struct ExactlyOne {
    role_of: Vec<u32>,
    /// The moves of each role that can be legal at all, ascending.
    live: Vec<Vec<u32>>,
}

impl ExactlyOne {
    pub(crate) fn new(role_of: Vec<u32>, live: Vec<Vec<u32>>) -> Self {
        Self { role_of, live }
    }

    /// Simplifies a sorted conjunction. Returns moves of which one must be done if they are to
    /// stand for absences that were removed.
    pub(crate) fn apply(
        &self,
        inputs: InputCounts,
        literals: &mut Vec<Literal>,
    ) -> Result<Option<Vec<Literal>>, Impossible> {
        let (first, last) = self.moves_among(inputs, literals);
        let moves = &literals[first..last];
        if moves.len() < 2 {
            return Ok(None);
        }
        let action = |literal: Literal| inputs.move_of(literal.node()).unwrap_or_default();
        let role = |literal: Literal| self.role_of[action(literal) as usize];
        let done: Vec<u32> = moves.iter().filter(|l| !l.is_negated()).map(|&l| role(l)).collect();
        // Moves are sorted by role, so two of one role are neighbours.
        if done.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(Impossible);
        }
        if !done.is_empty() {
            literals.retain(|&literal| {
                let is_absence = literal.is_negated()
                    && inputs.move_of(literal.node()).is_some()
                    && done.binary_search(&role(literal)).is_ok();
                !is_absence
            });
        }
        Ok(self.replace_absences(inputs, literals))
    }

    /// The places of the moves in a sorted conjunction.
    fn moves_among(&self, inputs: InputCounts, literals: &[Literal]) -> (usize, usize) {
        let first = literals.partition_point(|literal| literal.node() <= inputs.fluents);
        let end = inputs.fluents + inputs.moves;
        let last = literals.partition_point(|literal| literal.node() <= end);
        (first, last)
    }

    fn replace_absences(
        &self,
        inputs: InputCounts,
        literals: &mut Vec<Literal>,
    ) -> Option<Vec<Literal>> {
        let (first, last) = self.moves_among(inputs, literals);
        let (role, absent) = self.crowded_role(inputs, &literals[first..last])?;
        let others = self.live[role as usize].iter().copied();
        let others = others
            .filter(|action| absent.binary_search(action).is_err())
            .map(|action| inputs.does(action))
            .collect();
        literals.retain(|literal| match inputs.move_of(literal.node()) {
            Some(action) => self.role_of[action as usize] != role,
            None => true,
        });
        Some(others)
    }

    /// A role of which more than half of the moves are absent, and these moves.
    fn crowded_role(&self, inputs: InputCounts, moves: &[Literal]) -> Option<(u32, Vec<u32>)> {
        let absent = moves.iter().filter(|literal| literal.is_negated());
        let absent: Vec<u32> = absent.filter_map(|l| inputs.move_of(l.node())).collect();
        let of_one_role =
            absent.chunk_by(|&a, &b| self.role_of[a as usize] == self.role_of[b as usize]);
        for group in of_one_role {
            let role = self.role_of[group[0] as usize];
            if group.len() >= 2 && group.len() * 2 > self.live[role as usize].len() {
                return Some((role, group.to_vec()));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::AndGraph;
    use super::*;

    /// One fluent, and a role with four moves.
    fn graph() -> (AndGraph, Literal, [Literal; 4]) {
        let inputs = InputCounts { fluents: 1, moves: 4, variables: 0 };
        let rule = ExactlyOne::new(vec![0; 4], vec![vec![0, 1, 2, 3]]);
        let moves = [0, 1, 2, 3].map(|action| inputs.does(action));
        (AndGraph::new(inputs, Some(rule)), inputs.fluent(0), moves)
    }

    #[test]
    fn two_moves_of_a_role_are_impossible() {
        let (mut graph, on, [a, b, ..]) = graph();
        assert_eq!(graph.and(vec![on, a, b]), Literal::FALSE);
    }

    #[test]
    fn beside_a_move_the_absence_of_another_says_nothing() {
        let (mut graph, on, [a, b, ..]) = graph();
        let pair = graph.and(vec![on, a]);
        assert_eq!(graph.and(vec![on, a, !b]), pair);
    }

    #[test]
    fn most_moves_absent_is_one_of_the_rest_present() {
        let (mut graph, on, [a, b, c, d]) = graph();
        let pair = graph.and(vec![on, d]);
        assert_eq!(graph.and(vec![on, !a, !b, !c]), pair);
        assert_eq!(graph.or(vec![a, b, c, d]), Literal::TRUE);
    }

    #[test]
    fn few_moves_absent_stay() {
        let (mut graph, on, [a, b, ..]) = graph();
        let node = graph.and(vec![on, !a, !b]);
        assert_eq!(graph.children(node.node()), [on, !a, !b]);
    }
}
