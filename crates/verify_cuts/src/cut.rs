//! A certificate with its names looked up: fluents and moves as numbers.

use rustc_hash::FxHashMap;

use crate::certificate::{Claims, Crossing, Scores};
use crate::condition::Condition;
use crate::refusal::CutRefusal;

/// What things are called. All stretches of a game have these in common.
pub(crate) struct Names {
    pub(crate) fluents: Vec<String>,
    pub(crate) roles: Vec<String>,
    /// For each role, its moves.
    pub(crate) moves: Vec<Vec<String>>,
}

/// The parts of a certificate by number, of the whole game or of a phase.
pub(crate) struct Cut<'c> {
    pub(crate) names: &'c Names,
    /// The place of each fluent's part; none for the rest.
    pub(crate) part_of: Vec<Option<usize>>,
    pub(crate) is_clock: Vec<bool>,
    /// For each part that is played, role and move, the class; idle classes too.
    pub(crate) class_of: Vec<Vec<Vec<usize>>>,
    /// For each part and class, whether it is idle.
    pub(crate) idle: Vec<Vec<bool>>,
    /// For each part and class, its role.
    pub(crate) role_of: Vec<Vec<usize>>,
    pub(crate) series: Vec<Crossing>,
    /// How the scores of roles are made, where it is said.
    pub(crate) thresholds: Vec<Known>,
    /// What is claimed.
    pub(crate) sound: bool,
    pub(crate) classes_exact: bool,
    pub(crate) scores: Option<Scores>,
}

/// A threshold with its names looked up.
pub(crate) struct Known {
    pub(crate) role: usize,
    pub(crate) least: usize,
    pub(crate) conditions: Vec<Condition<usize>>,
}

fn malformed(what: impl Into<String>) -> CutRefusal {
    CutRefusal::Malformed(what.into())
}

impl Names {
    /// The names that a certificate knows. Each fluent must be in one place.
    pub(crate) fn of(claims: &Claims<'_>, roles: Vec<String>) -> Result<Self, CutRefusal> {
        let parts = claims.parts.iter().flat_map(|part| &part.fluents);
        let fluents: Vec<String> = parts.chain(claims.rest).cloned().collect();
        let mut seen: Vec<&String> = fluents.iter().collect();
        seen.sort_unstable();
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(malformed(format!("{} is in two places", pair[0])));
        }
        let moves = moves_of(claims, &roles)?.unwrap_or_else(|| vec![Vec::new(); roles.len()]);
        Ok(Self { fluents, roles, moves })
    }

    fn role(&self, name: &str) -> Result<usize, CutRefusal> {
        let role = self.roles.iter().position(|role| role == name);
        role.ok_or_else(|| malformed(format!("{name} is no role")))
    }

    /// A condition about fluents by number.
    pub(crate) fn condition(&self, of: &Condition) -> Result<Condition<usize>, CutRefusal> {
        if !of.is_well_formed() {
            return Err(malformed("a condition looks at what does not come before it"));
        }
        let numbers = numbers(&self.fluents);
        of.renamed(|name| {
            let number = numbers.get(name.as_str()).copied();
            number.ok_or_else(|| malformed(format!("{name} is no fluent")))
        })
    }
}

/// The numbers of names.
pub(crate) fn numbers(names: &[String]) -> FxHashMap<&str, usize> {
    names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect()
}

impl<'c> Cut<'c> {
    /// Looks everything up. Each fluent must be in one place, and each move in one class of each part that
    /// is played.
    pub(crate) fn of(claims: &Claims<'_>, names: &'c Names) -> Result<Self, CutRefusal> {
        let is_clock: Vec<bool> = claims.parts.iter().map(|part| part.clock).collect();
        let mut numbers_of_moves: Vec<FxHashMap<&str, usize>> = Vec::new();
        if moves_of(claims, &names.roles)?.is_some_and(|moves| moves != names.moves) {
            return Err(malformed("parts name different moves"));
        }
        for of_role in &names.moves {
            numbers_of_moves.push(numbers(of_role));
        }
        let (mut class_of, mut idle, mut role_of) = (Vec::new(), Vec::new(), Vec::new());
        for part in claims.parts {
            let mut classes: Vec<Vec<Option<usize>>> =
                names.moves.iter().map(|of_role| vec![None; of_role.len()]).collect();
            let mut roles_of = Vec::new();
            for (number, class) in part.classes.iter().enumerate() {
                let role = names.role(&class.role)?;
                roles_of.push(role);
                for name in &class.moves {
                    let entry = &mut classes[role][numbers_of_moves[role][name.as_str()]];
                    if entry.replace(number).is_some() {
                        return Err(malformed(format!("{name} is in two classes of a part")));
                    }
                }
            }
            let idle_of = |role: usize| {
                let classes = roles_of.iter().zip(&part.classes);
                classes.filter(|(of, class)| **of == role && class.idle).count()
            };
            if (0..names.roles.len()).any(|role| idle_of(role) > 1) {
                return Err(malformed("a role has two idle classes in a part"));
            }
            let classes: Option<Vec<Vec<usize>>> =
                classes.into_iter().map(|of_role| of_role.into_iter().collect()).collect();
            match classes {
                Some(classes) => class_of.push(classes),
                None if part.clock => class_of.push(Vec::new()),
                None => return Err(malformed("a move is in no class of a part")),
            }
            idle.push(part.classes.iter().map(|class| class.idle).collect());
            role_of.push(roles_of);
        }
        let known = |&place: &usize| is_clock.get(place) == Some(&false);
        if !claims.series.iter().all(|one| one.before.iter().chain(&one.after).all(known)) {
            return Err(malformed("a crossing between parts that are not played"));
        }
        let mut cut = Self {
            names,
            part_of: places(claims, names)?,
            is_clock,
            class_of,
            idle,
            role_of,
            series: claims.series.to_vec(),
            thresholds: Vec::new(),
            sound: claims.sound,
            classes_exact: claims.classes_exact,
            scores: claims.scores,
        };
        cut.thresholds = cut.known_thresholds(claims)?;
        Ok(cut)
    }

    fn known_thresholds(&self, claims: &Claims<'_>) -> Result<Vec<Known>, CutRefusal> {
        if claims.scores != Some(Scores::Goals) && !claims.thresholds.is_empty() {
            return Err(malformed("a threshold, though scores are not said to split"));
        }
        let mut known: Vec<Known> = Vec::new();
        for threshold in claims.thresholds {
            let role = self.names.role(&threshold.role)?;
            if known.iter().any(|other| other.role == role) {
                return Err(malformed("a role has two thresholds"));
            }
            let (mut parts, mut conditions) = (Vec::new(), Vec::new());
            for (part, condition) in &threshold.conditions {
                let condition = self.names.condition(condition)?;
                let own = condition.fluents().all(|&fluent| self.may_read(*part, fluent));
                if !own || self.is_clock.get(*part) != Some(&false) || parts.contains(part) {
                    return Err(malformed("a condition that is not one of a part that is played"));
                }
                parts.push(*part);
                conditions.push(condition);
            }
            if !(1..=conditions.len()).contains(&threshold.least) {
                return Err(malformed("a threshold that is never or always met"));
            }
            known.push(Known { role, least: threshold.least, conditions });
        }
        Ok(known)
    }

    /// The parts that are played.
    pub(crate) fn played(&self) -> Vec<usize> {
        (0..self.is_clock.len()).filter(|&part| !self.is_clock[part]).collect()
    }

    /// Whether a part may read a fluent.
    pub(crate) fn may_read(&self, part: usize, fluent: usize) -> bool {
        self.part_of[fluent].is_none_or(|other| other == part || self.is_clock[other])
    }

    /// Whether a move acts in a part.
    pub(crate) fn acts(&self, part: usize, role: usize, action: usize) -> bool {
        !self.idle[part][self.class_of[part][role][action]]
    }

    /// The parts in which a role can act.
    pub(crate) fn acted_in(&self, role: usize) -> Vec<usize> {
        let acts = |&part: &usize| {
            let mut classes = self.role_of[part].iter().zip(&self.idle[part]);
            classes.any(|(&of, &idle)| of == role && !idle)
        };
        self.played().into_iter().filter(acts).collect()
    }

    /// The classes of a part whose availability must depend on the part and the clocks alone.
    pub(crate) fn binding(&self, part: usize, quiet: bool) -> Vec<usize> {
        let binds = |&class: &usize| {
            let role = self.role_of[part][class];
            let all = self.class_of[part][role].iter().all(|&of| of == class);
            // Of all moves of a role one can be made as long as play goes on.
            !(all || quiet && self.idle[part][class])
        };
        (0..self.idle[part].len()).filter(binds).collect()
    }
}

/// The part of each fluent. Those that are named must be those that are known, each in one place.
fn places(claims: &Claims<'_>, names: &Names) -> Result<Vec<Option<usize>>, CutRefusal> {
    let numbers = numbers(&names.fluents);
    let mut found: Vec<Option<Option<usize>>> = vec![None; names.fluents.len()];
    let parts = claims.parts.iter().enumerate();
    let of_parts =
        parts.flat_map(|(place, part)| part.fluents.iter().map(move |f| (f, Some(place))));
    for (name, place) in of_parts.chain(claims.rest.iter().map(|name| (name, None))) {
        let number = numbers.get(name.as_str()).copied();
        let number = number.ok_or_else(|| malformed(format!("{name} is no fluent")))?;
        if found[number].replace(place).is_some() {
            return Err(malformed(format!("{name} is in two places")));
        }
    }
    let all: Option<Vec<Option<usize>>> = found.into_iter().collect();
    all.ok_or_else(|| malformed("a fluent is in no place"))
}

/// The moves of each role, as the first part that is played names them; all parts must name the same. None if no part
/// names any.
fn moves_of(claims: &Claims<'_>, roles: &[String]) -> Result<Option<Vec<Vec<String>>>, CutRefusal> {
    let mut known: Option<Vec<Vec<String>>> = None;
    for part in claims.parts.iter().filter(|part| !part.clock || !part.classes.is_empty()) {
        let of_role = |role: &String| -> Vec<String> {
            let classes = part.classes.iter().filter(|class| class.role == *role);
            let mut moves: Vec<String> = classes.flat_map(|class| class.moves.clone()).collect();
            moves.sort_unstable();
            moves
        };
        let moves: Vec<Vec<String>> = roles.iter().map(of_role).collect();
        match &known {
            Some(known) if *known != moves => {
                return Err(malformed("parts name different moves"));
            }
            _ => known = Some(moves),
        }
    }
    Ok(known)
}
