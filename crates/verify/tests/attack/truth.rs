//! What is true of a small game, found by looking at all its states. The judge of the checker: it shares the
//! interpreter with it and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use gambol_reference::{Interpreter, State};
use gambol_verify::{Accepted, Fraction, Sense};

/// All states that can follow a state.
#[derive(Clone)]
pub(crate) struct Listed {
    pub(crate) names: Vec<String>,
    pub(crate) states: Vec<State>,
    /// The fluents of each state.
    pub(crate) texts: Vec<Vec<String>>,
    /// For each end and role the worst and the best reading of its goals.
    pub(crate) ends: Vec<Option<Vec<(u32, u32)>>>,
    /// For each state and role the names of its moves.
    pub(crate) moves: Vec<Vec<Vec<String>>>,
    /// For each state all joint moves, as places among the moves, and where they lead.
    pub(crate) edges: Vec<Vec<(Vec<usize>, usize)>>,
}

const MOST: usize = 20_000;

impl Listed {
    pub(crate) fn from(game: &Interpreter, fluents: Option<&[String]>) -> Listed {
        let mut game = game.clone();
        let start = match fluents {
            Some(fluents) => game.state_from_text(&fluents.join(" ")).expect("it is a state"),
            None => game.initial().expect("it has a start"),
        };
        let names = game.roles().iter().map(|&role| game.text(role)).collect();
        let mut listed = Listed {
            names,
            states: vec![start.clone()],
            texts: Vec::new(),
            ends: Vec::new(),
            moves: Vec::new(),
            edges: Vec::new(),
        };
        let mut known = BTreeMap::from([(start, 0)]);
        while listed.edges.len() < listed.states.len() {
            assert!(listed.states.len() < MOST, "the game is too large for this judge");
            listed.look(&mut game, &mut known);
        }
        listed
    }

    fn look(&mut self, game: &mut Interpreter, known: &mut BTreeMap<State, usize>) {
        let state = self.states[self.edges.len()].clone();
        self.texts.push(game.sorted_texts(state.fluents()));
        if game.terminal(&state).expect("it can be asked") {
            let goals = game.goals(&state).expect("it can be asked");
            let reading = |goals: &Vec<_>| {
                let goals: Vec<u32> = goals.iter().filter_map(|&goal| game.number(goal)).collect();
                (goals.iter().min().map_or(0, |&g| g), goals.iter().max().map_or(100, |&g| g))
            };
            self.ends.push(Some(goals.iter().map(reading).collect()));
            self.moves.push(Vec::new());
            self.edges.push(Vec::new());
            return;
        }
        let legal = game.legal(&state).expect("it can be asked");
        let mut joint: Vec<Vec<usize>> = vec![Vec::new()];
        for moves in &legal {
            let longer = |so_far: &Vec<usize>| {
                (0..moves.len()).map(|m| [&so_far[..], &[m]].concat()).collect::<Vec<_>>()
            };
            joint = joint.iter().flat_map(longer).collect();
        }
        let mut edges = Vec::new();
        for places in joint {
            let terms: Vec<_> = places.iter().zip(&legal).map(|(&m, moves)| moves[m]).collect();
            let next = game.next(&state, &terms).expect("it can be asked");
            let number = *known.entry(next.clone()).or_insert_with(|| {
                self.states.push(next);
                self.states.len() - 1
            });
            edges.push((places, number));
        }
        let names = |moves: &Vec<_>| moves.iter().map(|&term| game.text(term)).collect();
        self.ends.push(None);
        self.moves.push(legal.iter().map(names).collect());
        self.edges.push(edges);
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// From which states some players can see to it that every end is good, whatever the others do, and if asked
    /// for that there is an end. For each the number of the round in which that was found, and their moves.
    pub(crate) fn ways(
        &self,
        players: &[usize],
        good: impl Fn(&[(u32, u32)]) -> bool,
        must_end: bool,
    ) -> Vec<Option<(u32, Vec<usize>)>> {
        let first = |state: usize| match &self.ends[state] {
            Some(goals) => good(goals).then(|| (0, Vec::new())),
            None if must_end => None,
            None => Some((0, Vec::new())),
        };
        let mut ways: Vec<Option<(u32, Vec<usize>)>> = (0..self.len()).map(first).collect();
        for round in 1.. {
            let before = ways.clone();
            for state in (0..self.len()).filter(|&state| self.ends[state].is_none()) {
                if must_end && before[state].is_some() {
                    continue;
                }
                ways[state] = self.way(state, players, &before, must_end).map(|way| (round, way));
            }
            let is_some = |ways: &[Option<_>]| ways.iter().map(Option::is_some).collect::<Vec<_>>();
            if is_some(&ways) == is_some(&before) {
                break;
            }
        }
        ways
    }

    /// Moves of the players that lead to good states only.
    fn way(
        &self,
        state: usize,
        players: &[usize],
        good: &[Option<(u32, Vec<usize>)>],
        must_end: bool,
    ) -> Option<Vec<usize>> {
        let edges = &self.edges[state];
        if edges.is_empty() {
            return (!must_end).then(Vec::new);
        }
        let own = |joint: &Vec<usize>| players.iter().map(|&p| joint[p]).collect::<Vec<_>>();
        let all_good = |moves: &Vec<usize>| {
            edges
                .iter()
                .filter(|(joint, _)| own(joint) == *moves)
                .all(|(_, to)| good[*to].is_some())
        };
        edges.iter().map(|(joint, _)| own(joint)).find(all_good)
    }

    fn at_start(
        &self,
        players: &[usize],
        good: impl Fn(&[(u32, u32)]) -> bool,
        must_end: bool,
    ) -> bool {
        self.ways(players, good, must_end)[0].is_some()
    }

    /// Whether what was accepted is true of the first state.
    pub(crate) fn bears_out(&self, accepted: &Accepted) -> bool {
        assert_eq!(self.texts[0], accepted.state);
        let sense = accepted.values[0].sense;
        let one_sense = accepted.values.iter().all(|value| value.sense == sense);
        let named: Vec<&String> = accepted.values.iter().map(|value| &value.role).collect();
        let values: Vec<Fraction> = accepted.values.iter().map(|value| value.value).collect();
        one_sense
            && named == self.names.iter().collect::<Vec<_>>()
            && match sense {
                Sense::Forced => self.are_secured(&values) && self.are_forced(&values),
                Sense::Secured => self.are_secured(&values),
                Sense::Equilibrium => {
                    let whole = values.iter().map(|v| v.whole().map(|whole| whole as u32));
                    let whole: Option<Vec<u32>> = whole.collect();
                    whole.is_some_and(|whole| {
                        self.equilibria(0, &mut BTreeMap::new()).contains(&whole)
                    })
                }
                Sense::Mixed => {
                    (0..values.len()).all(|role| self.mixed(0, role, 0).value == values[role])
                }
            }
    }

    fn are_secured(&self, values: &[Fraction]) -> bool {
        (0..values.len()).all(|role| {
            let value = values[role];
            let least = |goals: &[(u32, u32)]| Fraction::from(goals[role].0) >= value;
            let most = |goals: &[(u32, u32)]| Fraction::from(goals[role].1) <= value;
            let others: Vec<usize> = (0..values.len()).filter(|&other| other != role).collect();
            (value.sign() == 0 || self.at_start(&[role], least, true))
                && (value == 100.into() || self.at_start(&others, most, false))
        })
    }

    /// Whether some of the others can hold each role to its value and get their own meanwhile.
    fn are_forced(&self, values: &[Fraction]) -> bool {
        (0..values.len()).all(|role| {
            let sets = (0..1usize << values.len()).filter(|set| set & (1 << role) == 0);
            let mut holders = sets
                .map(|set| (0..values.len()).filter(|p| set & (1 << p) != 0).collect::<Vec<_>>());
            values[role] == 100.into()
                || holders.any(|players| {
                    let good = |goals: &[(u32, u32)]| {
                        Fraction::from(goals[role].1) <= values[role]
                            && players.iter().all(|&p| Fraction::from(goals[p].0) >= values[p])
                    };
                    let must_end = players.iter().any(|&p| values[p].sign() > 0);
                    self.at_start(&players, good, must_end)
                })
        })
    }

    /// The values of all subgame-perfect equilibria, in games that end and whose goals are clear.
    pub(crate) fn equilibria(
        &self,
        state: usize,
        known: &mut BTreeMap<usize, BTreeSet<Vec<u32>>>,
    ) -> BTreeSet<Vec<u32>> {
        if let Some(found) = known.get(&state) {
            return found.clone();
        }
        let found: BTreeSet<Vec<u32>> = match &self.ends[state] {
            Some(goals) if goals.iter().all(|(worst, best)| worst == best) => {
                BTreeSet::from([goals.iter().map(|goal| goal.0).collect()])
            }
            Some(_) => BTreeSet::new(),
            None => {
                let chooser = self.moves[state].iter().position(|moves| moves.len() > 1);
                let next = self.edges[state].iter().map(|(_, to)| self.equilibria(*to, known));
                let next: Vec<BTreeSet<Vec<u32>>> = next.collect();
                let gains = |one: &Vec<u32>, other: &Vec<u32>| {
                    chooser.is_some_and(|chooser| other[chooser] > one[chooser])
                };
                // Each of the other moves must have some continuation that is no better.
                let stands = |one: &Vec<u32>| {
                    next.iter().all(|set| set.iter().any(|other| !gains(one, other)))
                };
                next.iter().flatten().filter(|one| stands(one)).cloned().collect()
            }
        };
        known.insert(state, found.clone());
        found
    }

    /// What a role can secure on average, and how, where two roles have at most two moves each.
    pub(crate) fn mixed(&self, state: usize, role: usize, depth: usize) -> Mixed {
        assert!(depth <= self.len(), "this judge knows no averages of endless play");
        if let Some(goals) = &self.ends[state] {
            assert_eq!(
                goals[role].0, goals[role].1,
                "this judge knows no averages of unclear ends"
            );
            return Mixed { value: goals[role].0.into(), own: Vec::new(), others: Vec::new() };
        }
        let (rows, columns) = (self.moves[state][role].len(), self.moves[state][1 - role].len());
        let entry = |row: usize, column: usize| {
            let wanted = if role == 0 { vec![row, column] } else { vec![column, row] };
            let (_, to) =
                self.edges[state].iter().find(|(joint, _)| *joint == wanted).expect("it is listed");
            self.mixed(*to, role, depth + 1).value
        };
        let matrix: Vec<Vec<Fraction>> =
            (0..rows).map(|row| (0..columns).map(|column| entry(row, column)).collect()).collect();
        solve_matrix(&matrix)
    }
}

/// The value of a matrix game and how often rows and columns are taken.
pub(crate) struct Mixed {
    pub(crate) value: Fraction,
    pub(crate) own: Vec<Fraction>,
    pub(crate) others: Vec<Fraction>,
}

/// By a saddle point, or by the formula for two rows and two columns.
fn solve_matrix(matrix: &[Vec<Fraction>]) -> Mixed {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    assert!(rows <= 2 && columns <= 2, "this judge knows matrices of two by two");
    let unit = |length: usize, place: usize| {
        (0..length).map(|n| if n == place { Fraction::ONE } else { Fraction::ZERO }).collect()
    };
    for (row, entries) in matrix.iter().enumerate() {
        for (column, &value) in entries.iter().enumerate() {
            let least = entries.iter().all(|&other| other >= value);
            if least && matrix.iter().all(|entries| entries[column] <= value) {
                return Mixed { value, own: unit(rows, row), others: unit(columns, column) };
            }
        }
    }
    let [a, b, c, d] = [matrix[0][0], matrix[0][1], matrix[1][0], matrix[1][1]];
    let (minus, plus, times, over) =
        (Fraction::minus, Fraction::plus, Fraction::times, Fraction::over);
    let exact = |found: Option<Fraction>| found.expect("these are few digits");
    let sum = exact(minus(exact(plus(a, d)), exact(plus(b, c))));
    let own = exact(over(exact(minus(d, c)), sum));
    let others = exact(over(exact(minus(d, b)), sum));
    let value = exact(over(exact(minus(exact(times(a, d)), exact(times(b, c)))), sum));
    let rest = |share| exact(minus(Fraction::ONE, share));
    Mixed { value, own: vec![own, rest(own)], others: vec![others, rest(others)] }
}
