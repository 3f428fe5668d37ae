//! Whether two atoms of different rules can become equal.

use rustc_hash::FxHashMap;

use crate::{Rules, Symbol, Term, TermId};

/// A term of the left or the right rule: their variables are different though named alike.
type Sided = (bool, TermId);

/// Whether the arguments unify, variables of the two sides renamed apart. The answer `true` may be
/// wrong for circular bindings, and when the steps run out; `false` never is.
pub fn may_unify(rules: &Rules, left: &[TermId], right: &[TermId], steps: &mut usize) -> bool {
    if left.len() != right.len() {
        return false;
    }
    let mut bindings: FxHashMap<(bool, Symbol), Sided> = FxHashMap::default();
    let mut open: Vec<(Sided, Sided)> =
        left.iter().zip(right).map(|(&left, &right)| ((false, left), (true, right))).collect();
    while *steps > 0 {
        *steps -= 1;
        let Some((left, right)) = open.pop() else { return true };
        let (left, right) = (resolve(rules, &bindings, left), resolve(rules, &bindings, right));
        match (rules.term(left.1), rules.term(right.1)) {
            (Term::Variable(left_name), Term::Variable(right_name))
                if (left.0, left_name) == (right.0, right_name) => {}
            (Term::Variable(name), _) => _ = bindings.insert((left.0, name), right),
            (_, Term::Variable(name)) => _ = bindings.insert((right.0, name), left),
            (Term::Function(left_name, lefts), Term::Function(right_name, rights)) => {
                if left_name != right_name || lefts.len() != rights.len() {
                    return false;
                }
                let pairs = lefts.iter().zip(rights);
                open.extend(pairs.map(|(&part, &other)| ((left.0, part), (right.0, other))));
            }
        }
    }
    true
}

/// Follows a variable to what it is bound to.
fn resolve(rules: &Rules, bindings: &FxHashMap<(bool, Symbol), Sided>, mut term: Sided) -> Sided {
    while let Term::Variable(name) = rules.term(term.1) {
        let Some(&bound) = bindings.get(&(term.0, name)) else { break };
        term = bound;
    }
    term
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read};

    fn unify(facts: &str) -> bool {
        let rules = read(facts.as_bytes(), &ReadOptions::default()).rules.unwrap();
        let [left, right] = [0, 1].map(|clause| rules.clauses[clause].head.arguments.as_slice());
        may_unify(&rules, left, right, &mut 1000)
    }

    #[test]
    fn equal_names_on_both_sides_are_different_variables() {
        assert!(unify("(p ?x (f ?x)) (p a ?x)"));
        assert!(unify("(p ?x ?y) (p ?y ?x)"));
    }

    #[test]
    fn constants_and_repeated_variables_can_clash() {
        assert!(!unify("(p ?x 100) (p a 0)"));
        assert!(!unify("(p ?x ?x) (p a b)"));
        assert!(!unify("(p (f ?x)) (p (f a b))"));
    }
}
