//! Exactly one move of each role is done in a step.
//!
//! What a conjunction says of a role's moves, "this one", "none of these", "one of those", comes to
//! a set of moves of which one is done. The set is said again in the shortest way, by naming its
//! members or those that are not, if that is shorter than before. If it is empty the conjunction
//! never holds. Sound wherever a joint move is given; in legality, termination and goals no moves
//! occur.

use super::graph::AndGraph;
use super::literal::Literal;

/// The conjunction can never hold.
pub(crate) struct Impossible;

/// Sets of moves may be shared with other conjunctions, so they are only taken apart if the result
/// names fewer moves by this factor.
const SAVING: usize = 2;

/// Which moves belong together.
pub(crate) struct ExactlyOne {
    role_of: Vec<u32>,
    /// The moves of each role that can be legal at all, ascending.
    live: Vec<Vec<u32>>,
}

/// What is known of the move of one role. The moves are positive literals, ascending.
struct Knowledge {
    role: u32,
    /// One of these is done, if something says so.
    among: Option<Vec<Literal>>,
    /// None of these is done.
    absent: Vec<Literal>,
}

/// A shorter way to say it.
pub(crate) struct Replacement {
    /// One of each of these sets is done.
    pub(crate) one_of: Vec<Vec<Literal>>,
}

impl ExactlyOne {
    pub(crate) fn new(role_of: Vec<u32>, live: Vec<Vec<u32>>) -> Self {
        Self { role_of, live }
    }

    /// Simplifies a sorted conjunction. If it returns a replacement, the caller must add it.
    pub(crate) fn apply(
        &self,
        graph: &AndGraph,
        literals: &mut Vec<Literal>,
    ) -> Result<Option<Replacement>, Impossible> {
        let sayings: Vec<Literal> = literals
            .iter()
            .copied()
            .filter(|&literal| self.speaks_of_moves(graph, literal))
            .collect();
        if sayings.len() < 2 {
            return Ok(None);
        }
        let mut known: Vec<Knowledge> = Vec::new();
        for &saying in &sayings {
            self.learn(graph, saying, &mut known);
        }
        known.iter_mut().for_each(Knowledge::combine);
        let mut length = 0;
        for knowledge in &known {
            let (present, absent) = self.lengths(knowledge);
            if present == 0 {
                return Err(Impossible);
            }
            length += present.min(absent);
        }
        let named: usize = sayings.iter().map(|&saying| named_moves(graph, saying)).sum();
        if length >= sayings.len() && length * SAVING > named {
            return Ok(None);
        }
        literals.retain(|literal| sayings.binary_search(literal).is_err());
        Ok(Some(self.say(graph, known, literals)))
    }

    /// Whether a literal says nothing but which moves are not done, or that one of some moves of
    /// one role is.
    fn speaks_of_moves(&self, graph: &AndGraph, literal: Literal) -> bool {
        graph.is_absence(literal)
            || (graph.is_absence(!literal) && {
                let moves = moves_of_absence(graph, !literal);
                moves.iter().all(|&action| self.role(graph, action) == self.role(graph, moves[0]))
            })
    }

    fn role(&self, graph: &AndGraph, action: Literal) -> u32 {
        let action = graph.inputs.move_of(action.node()).unwrap_or_default();
        self.role_of[action as usize]
    }

    fn learn(&self, graph: &AndGraph, saying: Literal, known: &mut Vec<Knowledge>) {
        let is_absence = graph.is_absence(saying);
        let moves = moves_of_absence(graph, if is_absence { saying } else { !saying });
        let of_one_role = |a: &Literal, b: &Literal| self.role(graph, *a) == self.role(graph, *b);
        for group in moves.chunk_by(of_one_role) {
            let role = self.role(graph, group[0]);
            let place = known.iter().position(|knowledge| knowledge.role == role);
            let place = place.unwrap_or_else(|| {
                known.push(Knowledge { role, among: None, absent: Vec::new() });
                known.len() - 1
            });
            match (&mut known[place], is_absence) {
                (knowledge, true) => knowledge.absent.extend_from_slice(group),
                (Knowledge { among: Some(among), .. }, false) => {
                    among.retain(|action| group.binary_search(action).is_ok());
                }
                (knowledge, false) => knowledge.among = Some(group.to_vec()),
            }
        }
    }

    /// How many moves are possible, and how many are not.
    fn lengths(&self, knowledge: &Knowledge) -> (usize, usize) {
        let live = self.live[knowledge.role as usize].len();
        match &knowledge.among {
            Some(among) => (among.len(), live.saturating_sub(among.len())),
            None => (live.saturating_sub(knowledge.absent.len()), knowledge.absent.len()),
        }
    }

    fn say(
        &self,
        graph: &AndGraph,
        known: Vec<Knowledge>,
        literals: &mut Vec<Literal>,
    ) -> Replacement {
        let mut one_of = Vec::new();
        for knowledge in known {
            let (present, absent) = self.lengths(&knowledge);
            let live = self.live[knowledge.role as usize].iter();
            let others = |moves: &[Literal]| {
                let live = live.map(|&action| graph.inputs.does(action));
                live.filter(|action| moves.binary_search(action).is_err()).collect::<Vec<_>>()
            };
            match (present <= absent, knowledge.among) {
                (true, Some(among)) => one_of.push(among),
                (true, None) => one_of.push(others(&knowledge.absent)),
                (false, Some(among)) => literals.extend(others(&among).iter().map(|&m| !m)),
                (false, None) => literals.extend(knowledge.absent.iter().map(|&action| !action)),
            }
        }
        Replacement { one_of }
    }
}

impl Knowledge {
    fn combine(&mut self) {
        self.absent.sort_unstable();
        self.absent.dedup();
        if let Some(among) = &mut self.among {
            among.retain(|action| self.absent.binary_search(action).is_err());
        }
    }
}

/// How many moves a saying names.
fn named_moves(graph: &AndGraph, saying: Literal) -> usize {
    graph.absent_moves(saying).max(graph.absent_moves(!saying)) as usize
}

/// The moves, as literals, of which an absence says that they are not done; ascending.
fn moves_of_absence(graph: &AndGraph, absence: Literal) -> Vec<Literal> {
    let mut moves = Vec::new();
    let mut open = vec![absence];
    while let Some(literal) = open.pop() {
        if graph.is_does(literal) {
            moves.push(!literal);
        } else {
            open.extend_from_slice(graph.children(literal.node()));
        }
    }
    moves.sort_unstable();
    moves.dedup();
    moves
}

#[cfg(test)]
mod tests {
    use super::super::graph::InputCounts;
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
    fn sets_of_moves_are_looked_into() {
        let (mut graph, on, [a, b, c, d]) = graph();
        let (first, second) = (graph.or(vec![a, b]), graph.or(vec![b, c]));
        let pair = graph.and(vec![on, d]);
        assert_eq!(graph.and(vec![on, !first, !second]), pair);
        let with_a = graph.and(vec![on, a]);
        assert_eq!(graph.and(vec![on, a, first, !second]), with_a);
        assert_eq!(graph.and(vec![on, a, second]), Literal::FALSE);
        assert_eq!(graph.and(vec![on, a, !first]), Literal::FALSE);
    }

    #[test]
    fn few_moves_absent_stay() {
        let (mut graph, on, [a, b, ..]) = graph();
        let node = graph.and(vec![on, !a, !b]);
        assert_eq!(graph.children(node.node()), [on, !a, !b]);
    }
}
