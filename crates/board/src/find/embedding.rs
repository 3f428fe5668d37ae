//! Where the places of a graph lie on the page.
//!
//! First so that distances on the page are like distances in the graph (classical scaling, then stress majorisation).
//! Where every link belongs to a relation that leads from each place to at most one other, the relations are
//! directions: places then lie so that each direction is one and the same step everywhere, and the steps are as long
//! as one another.

/// A point on the page; up is positive.
pub(crate) type Point = (f64, f64);

/// A direction: links that lead from each place to at most one other, and to each from at most one.
pub(crate) type Relation = Vec<(usize, usize)>;

const ROUNDS: usize = 120;
const REGULAR_ROUNDS: usize = 600;
/// How far, in steps, a link may be from its direction.
const TOLERANCE: f64 = 0.1;
/// Places are no nearer than this, in steps.
const NEAREST: f64 = 0.7;

/// Links are no longer than this, in steps, on the mean: a graph that would need more has no plan.
const LONGEST: f64 = 4.0;

/// The places, and whether they lie in a lattice; none if the graph falls apart or its places would hide one another.
pub(crate) fn embed(count: usize, relations: &[Relation]) -> Option<(Vec<Point>, bool)> {
    let links: Vec<(usize, usize)> = relations.iter().flatten().copied().collect();
    let distances = distances(count, &links)?;
    let mut points = scaled(&distances);
    majorise(&mut points, &distances);
    let regular = regular(&points, relations).filter(|points| nearest(points) >= NEAREST);
    if let Some(points) = regular {
        return Some((points, true));
    }
    let lengths = links.iter().map(|&(from, to)| length(minus(points[to], points[from])));
    let mean = lengths.sum::<f64>() / links.len().max(1) as f64;
    let scale = (1.0 / mean).max(NEAREST / nearest(&points));
    if scale > LONGEST / mean {
        return None;
    }
    points.iter_mut().for_each(|point| *point = times(*point, scale));
    Some((points, false))
}

fn minus(one: Point, other: Point) -> Point {
    (one.0 - other.0, one.1 - other.1)
}

fn plus(one: Point, other: Point) -> Point {
    (one.0 + other.0, one.1 + other.1)
}

fn times(point: Point, factor: f64) -> Point {
    (point.0 * factor, point.1 * factor)
}

fn length(point: Point) -> f64 {
    point.0.hypot(point.1)
}

fn cross(one: Point, other: Point) -> f64 {
    one.0 * other.1 - one.1 * other.0
}

/// The least distance of two places.
fn nearest(points: &[Point]) -> f64 {
    let mut least = f64::INFINITY;
    for (at, &one) in points.iter().enumerate() {
        let rest = points[at + 1..].iter();
        least = rest.map(|&other| length(minus(one, other))).fold(least, f64::min);
    }
    least.max(1e-6)
}

/// The number of links between any two places; none if there is no way.
fn distances(count: usize, links: &[(usize, usize)]) -> Option<Vec<Vec<f64>>> {
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in links {
        near[from].push(to);
        near[to].push(from);
    }
    let from = |start: usize| {
        let mut found: Vec<Option<f64>> = vec![None; count];
        found[start] = Some(0.0);
        let mut queue = std::collections::VecDeque::from([(start, 0.0)]);
        while let Some((place, steps)) = queue.pop_front() {
            for &other in &near[place] {
                if found[other].is_none() {
                    found[other] = Some(steps + 1.0);
                    queue.push_back((other, steps + 1.0));
                }
            }
        }
        found.into_iter().collect()
    };
    (0..count).map(from).collect()
}

/// Classical scaling: the two main axes of the centred squared distances.
fn scaled(distances: &[Vec<f64>]) -> Vec<Point> {
    let count = distances.len();
    let squares = |one: usize, other: usize| distances[one][other] * distances[one][other];
    let means: Vec<f64> = (0..count)
        .map(|one| (0..count).map(|other| squares(one, other)).sum::<f64>() / count as f64)
        .collect();
    let all = means.iter().sum::<f64>() / count as f64;
    let centred: Vec<Vec<f64>> = (0..count)
        .map(|one| {
            let entry =
                |other: usize| -0.5 * (squares(one, other) - means[one] - means[other] + all);
            (0..count).map(entry).collect()
        })
        .collect();
    let first = axis(&centred, None);
    let second = axis(&centred, Some(&first));
    first.into_iter().zip(second).collect()
}

/// The main axis of a symmetric matrix, apart from one that is known, by power iteration.
fn axis(matrix: &[Vec<f64>], known: Option<&[f64]>) -> Vec<f64> {
    let dot = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
    let clear = |vector: &mut Vec<f64>| {
        if let Some(known) = known {
            let share = dot(vector, known) / dot(known, known).max(1e-9);
            vector.iter_mut().zip(known).for_each(|(value, axis)| *value -= share * axis);
        }
        let size = dot(vector, vector).sqrt().max(1e-9);
        vector.iter_mut().for_each(|value| *value /= size);
    };
    // Any start does that is at right angles to nothing.
    let mut vector: Vec<f64> =
        (0..matrix.len()).map(|at| 1.0 + ((at * 37 + 11) % 101) as f64 / 50.0).collect();
    clear(&mut vector);
    let mut size = 0.0;
    for _ in 0..ROUNDS {
        let mut next: Vec<f64> = matrix.iter().map(|row| dot(row, &vector)).collect();
        size = dot(&next, &next).sqrt();
        clear(&mut next);
        vector = next;
    }
    vector.iter().map(|value| value * size.sqrt()).collect()
}

/// Stress majorisation: each place goes where the others would have it, near ones above all.
fn majorise(points: &mut Vec<Point>, distances: &[Vec<f64>]) {
    for _ in 0..ROUNDS {
        let wanted = |place: usize| {
            let (mut sum, mut weights) = ((0.0, 0.0), 0.0);
            for (other, &point) in points.iter().enumerate().filter(|(other, _)| *other != place) {
                let distance = distances[place][other];
                let weight = 1.0 / (distance * distance);
                let away = minus(points[place], point);
                let stretch = distance / length(away).max(1e-6);
                sum = plus(sum, times(plus(point, times(away, stretch)), weight));
                weights += weight;
            }
            times(sum, 1.0 / weights.max(1e-9))
        };
        *points = (0..points.len()).map(wanted).collect();
    }
}

/// The places in a lattice whose steps are the relations, if there is one.
fn regular(points: &[Point], relations: &[Relation]) -> Option<Vec<Point>> {
    if relations.len() < 2 || !relations.iter().all(is_direction) {
        return None;
    }
    let mut points = points.to_vec();
    let mut links: Vec<Vec<(usize, usize, f64)>> = vec![Vec::new(); points.len()];
    for (number, relation) in relations.iter().enumerate() {
        for &(from, to) in relation {
            links[from].push((to, number, -1.0));
            links[to].push((from, number, 1.0));
        }
    }
    for _ in 0..REGULAR_ROUNDS {
        let steps = steps(&points, relations);
        for place in 0..points.len() {
            let wanted = links[place]
                .iter()
                .map(|&(other, relation, sign)| plus(points[other], times(steps[relation], sign)));
            let sum = wanted.fold((0.0, 0.0), plus);
            points[place] = times(sum, 1.0 / links[place].len().max(1) as f64);
        }
    }
    let steps = steps(&points, relations);
    let off = |number: usize, &(from, to): &(usize, usize)| {
        length(minus(minus(points[to], points[from]), steps[number]))
            / length(steps[number]).max(1e-9)
    };
    let mut links = relations
        .iter()
        .enumerate()
        .flat_map(|(number, relation)| relation.iter().map(move |link| (number, link)));
    links.all(|(number, link)| off(number, link) < TOLERANCE).then(|| upright(&points, &steps))?
}

/// Whether a relation leads from each place to at most one, and to each from at most one.
fn is_direction(relation: &Relation) -> bool {
    let mut ends: [Vec<usize>; 2] = [
        relation.iter().map(|link| link.0).collect(),
        relation.iter().map(|link| link.1).collect(),
    ];
    ends.iter_mut().all(|places| {
        places.sort_unstable();
        places.windows(2).all(|pair| pair[0] != pair[1])
    })
}

/// The mean step of each relation.
fn steps(points: &[Point], relations: &[Relation]) -> Vec<Point> {
    let mean = |relation: &Relation| {
        let sum = relation
            .iter()
            .fold((0.0, 0.0), |sum, &(from, to)| plus(sum, minus(points[to], points[from])));
        times(sum, 1.0 / relation.len().max(1) as f64)
    };
    relations.iter().map(mean).collect()
}

/// The lattice bent so that its steps have length one, at right angles or, if there are three axes, at 60 degrees.
fn upright(points: &[Point], steps: &[Point]) -> Option<Vec<Point>> {
    let first = *steps.first()?;
    let slant = |step: Point| cross(first, step).abs() / (length(first) * length(step)).max(1e-9);
    let second = *steps.iter().max_by(|one, other| slant(**one).total_cmp(&slant(**other)))?;
    let area = cross(first, second);
    if slant(second) < 0.2 {
        return None;
    }
    // Every step in terms of the two.
    let parts = |step: Point| (cross(step, second) / area, cross(first, step) / area);
    let third = steps.iter().map(|&step| parts(step)).find(|(a, b)| a.abs() > 0.5 && b.abs() > 0.5);
    let angle: f64 = match third {
        Some((a, b)) if a * b < 0.0 => 60.0,
        Some(_) => 120.0,
        None => 90.0,
    };
    let angle = angle.to_radians() * area.signum();
    let place = |&point: &Point| {
        let (a, b) = parts(point);
        (a + b * angle.cos(), b * angle.sin())
    };
    Some(points.iter().map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Squares of a grid, with steps to the right and upwards.
    fn grid(size: usize) -> Vec<Relation> {
        let at = |x: usize, y: usize| y * size + x;
        let all = || (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        let right = all().filter(|(x, _)| x + 1 < size).map(|(x, y)| (at(x, y), at(x + 1, y)));
        let up = all().filter(|(_, y)| y + 1 < size).map(|(x, y)| (at(x, y), at(x, y + 1)));
        vec![right.collect(), up.collect()]
    }

    #[test]
    fn two_directions_that_commute_are_a_grid() {
        let relations = grid(4);
        let (points, lattice) = embed(16, &relations).expect("it is connected");
        assert!(lattice);
        for (from, to) in relations.into_iter().flatten() {
            assert!((length(minus(points[to], points[from])) - 1.0).abs() < 0.05);
        }
        assert!(nearest(&points) > 0.95);
    }

    #[test]
    fn three_directions_are_hexagons() {
        let mut relations = grid(4);
        let at = |x: usize, y: usize| y * 4 + x;
        let all = (0..3).flat_map(|y| (0..3).map(move |x| (x, y)));
        relations.push(all.map(|(x, y)| (at(x + 1, y), at(x, y + 1))).collect());
        let (points, lattice) = embed(16, &relations).expect("it is connected");
        assert!(lattice);
        for (from, to) in relations.into_iter().flatten() {
            assert!((length(minus(points[to], points[from])) - 1.0).abs() < 0.05);
        }
    }

    #[test]
    fn places_without_directions_keep_apart() {
        let wheel: Relation = (1..7).flat_map(|rim| [(0, rim), (rim, rim % 6 + 1)]).collect();
        let (points, lattice) = embed(7, &[wheel]).expect("it is connected");
        assert!(!lattice && nearest(&points) >= NEAREST - 1e-6);
    }

    #[test]
    fn what_falls_apart_has_no_place() {
        assert!(embed(4, &[vec![(0, 1), (2, 3)]]).is_none());
    }
}
