//! The judge: all positions of a game, one by one, and what each role can secure. Slow, plain, and
//! without a line of the solvers.

use std::collections::BTreeMap;

use gambol_net::{MoveId, Net};

/// Rounds after which averages that still grow are cut off.
const ROUNDS: usize = 3_000;

/// A game that can be asked about one position at a time.
pub(crate) trait Game {
    type Position: Clone + Ord;
    type Choice: Copy + PartialEq;

    fn roles(&self) -> usize;
    fn start(&mut self) -> Self::Position;
    fn over(&mut self, position: &Self::Position) -> bool;
    fn legal(&mut self, position: &Self::Position, role: usize) -> Vec<Self::Choice>;
    fn next(&mut self, position: &Self::Position, joint: &[Self::Choice]) -> Self::Position;
    /// The worst and the best an end can be read as.
    fn payoff(&mut self, position: &Self::Position, role: usize) -> (u32, u32);
    /// The move that a solver means.
    fn choice(&mut self, net: &Net, action: MoveId) -> Self::Choice;
}

pub(crate) struct Judged<G: Game> {
    pub(crate) roles: usize,
    pub(crate) positions: Vec<G::Position>,
    pub(crate) over: Vec<bool>,
    /// For each position and role how many moves there are, none at an end.
    moves: Vec<Vec<usize>>,
    /// For each position what follows each joint move, the last role's move changing fastest.
    next: Vec<Vec<usize>>,
    /// For each position and role the worst and the best an end can be read as.
    payoffs: Vec<Vec<(u32, u32)>>,
}

impl<G: Game> Judged<G> {
    /// None if there are more positions than this.
    pub(crate) fn of(game: &mut G, most: usize) -> Option<Self> {
        let (roles, start) = (game.roles(), game.start());
        let mut known: BTreeMap<G::Position, usize> = BTreeMap::from([(start.clone(), 0)]);
        let mut judged = Self {
            roles,
            positions: vec![start],
            over: Vec::new(),
            moves: Vec::new(),
            next: Vec::new(),
            payoffs: Vec::new(),
        };
        let mut done = 0;
        while done < judged.positions.len() {
            let position = judged.positions[done].clone();
            done += 1;
            let over = game.over(&position);
            judged.over.push(over);
            judged.payoffs.push((0..roles).map(|role| game.payoff(&position, role)).collect());
            if over {
                judged.moves.push(vec![0; roles]);
                judged.next.push(Vec::new());
                continue;
            }
            let moves: Vec<Vec<G::Choice>> =
                (0..roles).map(|role| game.legal(&position, role)).collect();
            let mut next = Vec::new();
            for joint in joint_choices(&moves) {
                let after = game.next(&position, &joint);
                let fresh = known.len();
                let number = *known.entry(after.clone()).or_insert(fresh);
                if number == fresh {
                    judged.positions.push(after);
                }
                next.push(number);
            }
            judged.moves.push(moves.iter().map(Vec::len).collect());
            judged.next.push(next);
            if judged.positions.len() > most {
                return None;
            }
        }
        Some(judged)
    }

    fn choosers(&self, place: usize) -> Vec<usize> {
        (0..self.roles).filter(|&role| self.moves[place][role] > 1).collect()
    }

    pub(crate) fn is_in_turn(&self) -> bool {
        (0..self.positions.len()).all(|place| self.choosers(place).len() <= 1)
    }

    /// Whether every end can be read in one way only.
    fn is_clear(&self) -> bool {
        let mut ends = (0..self.positions.len()).filter(|&place| self.over[place]);
        ends.all(|place| self.payoffs[place].iter().all(|(least, most)| least == most))
    }

    fn is_stuck(&self, place: usize) -> bool {
        !self.over[place] && self.next[place].is_empty()
    }

    fn end(&self, place: usize, role: usize, best: bool) -> u32 {
        let (least, most) = self.payoffs[place][role];
        if best { most } else { least }
    }

    /// What a role can secure in every position, and whether that is exact. Play without end and
    /// positions in which somebody is stuck are worth 0.
    pub(crate) fn secured(&self, role: usize, best: bool) -> (Vec<f64>, bool) {
        if self.is_in_turn() {
            return (self.forced(role, best), true);
        }
        self.upwards(role, best, |place, before| self.matrix(place, role, before))
    }

    /// What a role gets on average in every position if another one is chance, and whether that is exact.
    pub(crate) fn on_average(&self, role: usize, chance: usize, best: bool) -> (Vec<f64>, bool) {
        self.upwards(role, best, |place, before| self.average(place, role, chance, before))
    }

    /// From nothing upwards: what can be secured within so many steps, by a rule for positions that go on.
    fn upwards(
        &self,
        role: usize,
        best: bool,
        rule: impl Fn(usize, &[f64]) -> f64,
    ) -> (Vec<f64>, bool) {
        let mut values = vec![0.0; self.positions.len()];
        for _ in 0..ROUNDS {
            let mut grown = 0.0f64;
            let before = values.clone();
            for (place, known) in values.iter_mut().enumerate() {
                let value = if self.over[place] {
                    f64::from(self.end(place, role, best))
                } else if self.is_stuck(place) {
                    0.0
                } else {
                    rule(place, &before)
                };
                grown = grown.max((value - *known).abs());
                *known = value;
            }
            if grown < 1e-12 {
                return (values, true);
            }
        }
        (values, false)
    }

    /// In turn: for each goal, from the highest, the positions from which an end with it can be forced.
    fn forced(&self, role: usize, best: bool) -> Vec<f64> {
        let ends = (0..self.positions.len()).filter(|&place| self.over[place]);
        let mut goals: Vec<u32> = ends.map(|place| self.end(place, role, best)).collect();
        goals.sort_unstable();
        goals.dedup();
        let mut values = vec![0.0; self.positions.len()];
        for goal in goals {
            let mut good: Vec<bool> = (0..self.positions.len())
                .map(|place| self.over[place] && self.end(place, role, best) >= goal)
                .collect();
            loop {
                let mut grown = false;
                for place in 0..self.positions.len() {
                    if good[place] || self.over[place] || self.is_stuck(place) {
                        continue;
                    }
                    let mut next = self.next[place].iter().map(|&next| good[next]);
                    let now = match self.choosers(place).first() == Some(&role) {
                        true => next.any(|good| good),
                        false => next.all(|good| good),
                    };
                    good[place] = now;
                    grown |= now;
                }
                if !grown {
                    break;
                }
            }
            for (value, good) in values.iter_mut().zip(good) {
                if good {
                    *value = f64::from(goal);
                }
            }
        }
        values
    }

    /// The value of the matrix game of a role against all others together.
    fn matrix(&self, place: usize, role: usize, values: &[f64]) -> f64 {
        let sizes = &self.moves[place];
        let rows = sizes[role];
        let mut matrix: Vec<Vec<f64>> = vec![Vec::new(); rows];
        let later: usize = sizes[role + 1..].iter().product();
        for (number, &next) in self.next[place].iter().enumerate() {
            matrix[number / later % rows].push(values[next]);
        }
        matrix_value(&matrix)
    }

    /// The same where each move of one of the others is as likely as the next.
    fn average(&self, place: usize, role: usize, chance: usize, values: &[f64]) -> f64 {
        let sizes = &self.moves[place];
        let mut cells: BTreeMap<(usize, Vec<usize>), f64> = BTreeMap::new();
        for (number, &next) in self.next[place].iter().enumerate() {
            let mut rest = number;
            let mut joint = vec![0; self.roles];
            for one in (0..self.roles).rev() {
                joint[one] = rest % sizes[one];
                rest /= sizes[one];
            }
            let row = joint[role];
            (joint[role], joint[chance]) = (0, 0);
            *cells.entry((row, joint)).or_default() += values[next] / sizes[chance] as f64;
        }
        let mut matrix: Vec<Vec<f64>> = vec![Vec::new(); sizes[role]];
        cells.into_iter().for_each(|((row, _), value)| matrix[row].push(value));
        matrix_value(&matrix)
    }

    /// All that roles can get in subgame-perfect equilibria without mixtures. None if play can return,
    /// a role is stuck, an end is not clear, roles choose at once, or there is too much.
    pub(crate) fn equilibria(&self, at: usize) -> Option<Vec<Vec<u32>>> {
        if !self.is_in_turn() || !self.is_clear() {
            return None;
        }
        let mut found: Vec<Option<Vec<Vec<u32>>>> = vec![None; self.positions.len()];
        // As many rounds as the longest play has steps.
        for _ in 0..=self.positions.len() {
            for place in 0..self.positions.len() {
                if found[place].is_some() {
                    continue;
                }
                if self.over[place] {
                    found[place] =
                        Some(vec![self.payoffs[place].iter().map(|goal| goal.0).collect()]);
                    continue;
                }
                if self.is_stuck(place) {
                    return None;
                }
                let below: Option<Vec<&Vec<Vec<u32>>>> =
                    self.next[place].iter().map(|&next| found[next].as_ref()).collect();
                let Some(below) = below else { continue };
                let mut all: Vec<Vec<u32>> = Vec::new();
                let chooser = self.choosers(place).first().copied();
                for (number, sets) in below.iter().enumerate() {
                    for values in sets.iter() {
                        let stays = below.iter().enumerate().all(|(other, sets)| {
                            let Some(chooser) = chooser else { return true };
                            let worst = sets.iter().map(|values| values[chooser]).min();
                            other == number || worst.is_none_or(|worst| worst <= values[chooser])
                        });
                        if stays && !all.contains(values) {
                            all.push(values.clone());
                        }
                    }
                }
                if all.len() > 200 {
                    return None;
                }
                found[place] = Some(all);
            }
            if found.iter().all(Option::is_some) {
                break;
            }
        }
        found.swap_remove(at)
    }
}

/// One of each, the last role's move changing fastest.
fn joint_choices<C: Copy>(moves: &[Vec<C>]) -> Vec<Vec<C>> {
    let mut joint: Vec<Vec<C>> = vec![Vec::new()];
    for own in moves {
        let longer = |so_far: &Vec<C>| {
            own.iter().map(|one| [&so_far[..], &[*one]].concat()).collect::<Vec<_>>()
        };
        joint = joint.iter().flat_map(longer).collect();
    }
    joint
}

/// What the row player can secure on average: the simplex method in floating-point numbers.
pub(crate) fn matrix_value(matrix: &[Vec<f64>]) -> f64 {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    // All entries positive: then the columns' shares y with A y <= 1 and the largest sum give 1 / value.
    let mut tableau = vec![vec![0.0; columns + rows + 1]; rows + 1];
    for row in 0..rows {
        for column in 0..columns {
            tableau[row][column] = matrix[row][column] + 1.0;
        }
        tableau[row][columns + row] = 1.0;
        tableau[row][columns + rows] = 1.0;
    }
    (0..columns).for_each(|column| tableau[rows][column] = -1.0);
    // The first column that helps and the first of equal rows (Bland), so that it ends.
    while let Some(column) = (0..columns + rows).find(|&c| tableau[rows][c] < -1e-11) {
        let ratio = |row: usize| tableau[row][columns + rows] / tableau[row][column];
        let able = (0..rows).filter(|&row| tableau[row][column] > 1e-11);
        let pivot = able.min_by(|&one, &other| ratio(one).total_cmp(&ratio(other)));
        let pivot = pivot.expect("the shares are bounded");
        let factor = tableau[pivot][column];
        tableau[pivot].iter_mut().for_each(|entry| *entry /= factor);
        let kept = tableau[pivot].clone();
        for (row, entries) in tableau.iter_mut().enumerate() {
            let factor = entries[column];
            if row != pivot && factor != 0.0 {
                entries.iter_mut().zip(&kept).for_each(|(entry, one)| *entry -= factor * one);
            }
        }
    }
    1.0 / tableau[rows][columns + rows] - 1.0
}
