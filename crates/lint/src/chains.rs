//! Facts that break a row of numbers: `(succ 4 6)` among `(succ 2 3)`, `(succ 3 4)`, `(succ 5 6)`; or a table:
//! `(plus 1 3 5)` among sums.

use std::collections::BTreeMap;

use gambol_syntax::{Category, Clause, Diagnosis, Rules, Symbol, keyword};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::notes::Notes;

/// Pairs of numbers, each with the clause that states it.
type Pairs = Vec<(usize, i64, i64)>;

/// Three numbers, with the clause that states them.
type Row = (usize, [i64; 3]);

/// Shorter rows tell too little.
const FEWEST: usize = 4;

pub(crate) fn look(rules: &Rules, notes: &mut Notes) {
    let mut pairs: FxHashMap<Symbol, Option<Pairs>> = FxHashMap::default();
    let mut order = Vec::new();
    for (index, clause) in rules.clauses.iter().enumerate() {
        if clause.head.arguments.len() != 2 || clause.head.relation.is_game_relation() {
            continue;
        }
        let of_relation = pairs.entry(clause.head.relation).or_insert_with(|| {
            order.push(clause.head.relation);
            Some(Vec::new())
        });
        // A relation that rules define as well, or that is not about numbers, is no row.
        match numbers(rules, clause) {
            Some((from, to)) => of_relation.iter_mut().for_each(|all| all.push((index, from, to))),
            None => *of_relation = None,
        }
    }
    look_for_sums(rules, notes);
    for relation in order {
        let Some((index, step)) = pairs[&relation].as_deref().and_then(odd_one) else { continue };
        let name = rules.symbols.text(relation);
        let (from, to) = step;
        let meant = format!("({name} {from} {to})");
        let message = format!("this fact breaks the row: {meant} is missing");
        let span = rules.clauses[index].span;
        let finding = Diagnosis::warning(Category::OddFact, span, message);
        notes.add(index, finding.with_hint(format!("did you mean {meant}?")));
    }
}

/// Facts of three numbers of which all but one are sums, or products.
fn look_for_sums(rules: &Rules, notes: &mut Notes) {
    let mut tables: BTreeMap<Symbol, Option<Vec<Row>>> = BTreeMap::new();
    for (index, clause) in rules.clauses.iter().enumerate() {
        if clause.head.arguments.len() != 3 || clause.head.relation.is_game_relation() {
            continue;
        }
        let table = tables.entry(clause.head.relation).or_insert_with(|| Some(Vec::new()));
        let numbers = [0, 1, 2].map(|place| number(rules, clause, place));
        match numbers {
            [Some(a), Some(b), Some(c)] if clause.body.is_empty() => {
                table.iter_mut().for_each(|rows| rows.push((index, [a, b, c])));
            }
            _ => *table = None,
        }
    }
    for (relation, rows) in tables {
        let Some((index, [a, b, c])) = rows.as_deref().and_then(odd_result) else { continue };
        let name = rules.symbols.text(relation);
        let meant = format!("({name} {a} {b} {c})");
        let message = format!("this fact differs from all others of {name}");
        let finding = Diagnosis::warning(Category::OddFact, rules.clauses[index].span, message);
        notes.add(index, finding.with_hint(format!("did you mean {meant}?")));
    }
}

/// The only row whose last number is not made of the others like that of all other rows, as it should be.
fn odd_result(rows: &[Row]) -> Option<Row> {
    let operations: [fn(i64, i64) -> i64; 3] = [|a, b| a + b, |a, b| a - b, |a, b| a * b];
    operations.into_iter().find_map(|operation| {
        let mut odd = rows.iter().filter(|(_, [a, b, c])| operation(*a, *b) != *c);
        let &(index, [a, b, stated]) = odd.next()?;
        let meant = [a, b, operation(a, b)];
        // What begins again behind the largest number is a board without edges.
        let around = stated < meant[2] && rows.iter().all(|(_, row)| row[2] < meant[2]);
        let new = rows.iter().all(|&(_, row)| row != meant);
        (rows.len() > FEWEST && new && !around && odd.next().is_none()).then_some((index, meant))
    })
}

/// The two numbers of a fact.
fn numbers(rules: &Rules, clause: &Clause) -> Option<(i64, i64)> {
    (clause.body.is_empty() && clause.head.relation != keyword::ROLE)
        .then(|| Some((number(rules, clause, 0)?, number(rules, clause, 1)?)))?
}

/// The number that is an argument of a head.
fn number(rules: &Rules, clause: &Clause, place: usize) -> Option<i64> {
    const LARGEST: u64 = 1 << 30;
    let name = rules.constant(clause.head.arguments[place])?;
    rules.symbols.text(name).parse::<i64>().ok().filter(|it| it.unsigned_abs() < LARGEST)
}

/// The only pair that does not go one up, or one down, like all others, if a pair is missing in whose place it may
/// stand: and that pair.
fn odd_one(pairs: &[(usize, i64, i64)]) -> Option<(usize, (i64, i64))> {
    [1, -1].into_iter().find_map(|step| {
        let (regular, odd): (Vec<_>, Vec<_>) =
            pairs.iter().copied().partition(|&(_, from, to)| to - from == step);
        let &[(index, from, to)] = odd.as_slice() else { return None };
        let sources: FxHashSet<i64> = regular.iter().map(|&(_, from, _)| from).collect();
        let (least, most) = (*sources.iter().min()?, *sources.iter().max()?);
        // Several gaps are several rows.
        if sources.len() < FEWEST || most - least > i64::try_from(sources.len()).ok()? {
            return None;
        }
        let gap = |source: &i64| {
            let inside = least < *source && *source < most;
            // At an end of the row there is no gap: only a slip of one is a slip there, and a number that stays as it
            // is may well be meant.
            let at_end = (*source == most + 1 || *source == least - 1)
                && from == *source
                && from != to
                && (to - from - step).abs() == 1;
            // The next step of the row, written backwards.
            let turned = *source == if step > 0 { most + 1 } else { least - 1 }
                && (from, to) == (*source + step, *source);
            !sources.contains(source) && (inside || at_end || turned)
        };
        let source = [from, to - step, to].into_iter().find(gap)?;
        Some((index, (source, source + step)))
    })
}

#[cfg(test)]
mod tests {
    use super::{odd_one, odd_result};

    fn odd(pairs: &[(i64, i64)]) -> Option<(usize, (i64, i64))> {
        let numbered: Vec<_> =
            pairs.iter().enumerate().map(|(index, &(from, to))| (index, from, to)).collect();
        odd_one(&numbered)
    }

    #[test]
    fn the_pair_that_leaves_a_gap_is_odd() {
        assert_eq!(odd(&[(1, 2), (2, 3), (3, 4), (4, 6), (5, 6)]), Some((3, (4, 5))));
        assert_eq!(odd(&[(1, 2), (2, 3), (4, 3), (4, 5), (5, 6)]), Some((2, (3, 4))));
        assert_eq!(odd(&[(6, 5), (5, 4), (3, 3), (3, 2), (2, 1)]), Some((2, (4, 3))));
        assert_eq!(odd(&[(1, 2), (2, 3), (3, 4), (4, 5), (5, 7)]), Some((4, (5, 6))));
        assert_eq!(odd(&[(1, 2), (2, 3), (3, 4), (4, 5), (6, 5)]), Some((4, (5, 6))));
    }

    #[test]
    fn the_sum_that_is_wrong_is_odd() {
        let odd =
            |rows: &[[i64; 3]]| odd_result(&rows.iter().copied().enumerate().collect::<Vec<_>>());
        let sums = [[1, 1, 2], [1, 2, 3], [1, 3, 5], [1, 4, 5], [2, 1, 3]];
        assert_eq!(odd(&sums), Some((2, [1, 3, 4])));
        assert_eq!(odd(&sums[..4]), None);
        assert_eq!(odd(&[[1, 1, 2], [1, 2, 3], [1, 3, 4], [1, 4, 5], [1, 5, 1]]), None);
        assert_eq!(odd(&[[1, 1, 2], [1, 2, 3], [1, 3, 4], [1, 4, 4], [2, 4, 4]]), None);
        assert_eq!(
            odd(&[[2, 2, 4], [2, 3, 6], [3, 3, 9], [2, 4, 9], [3, 4, 12]]),
            Some((3, [2, 4, 8]))
        );
    }

    #[test]
    fn circles_and_several_rows_are_meant() {
        assert_eq!(odd(&[(1, 2), (2, 3), (3, 4), (4, 5), (5, 1)]), None);
        assert_eq!(odd(&[(1, 2), (2, 3), (3, 4), (4, 5), (5, 5)]), None);
        assert_eq!(odd(&[(1, 2), (2, 3), (3, 4), (6, 7), (7, 8), (8, 20)]), None);
        assert_eq!(odd(&[(1, 2), (2, 3), (3, 4), (4, 5)]), None);
    }
}
