//! A certificate with its names looked up: fluents and moves as numbers.

use rustc_hash::FxHashMap;

use crate::certificate::{Crossing, CutCertificate};
use crate::refusal::CutRefusal;

/// The parts of a certificate by number.
pub(crate) struct Cut {
    pub(crate) fluents: Vec<String>,
    pub(crate) roles: Vec<String>,
    /// For each role, the names of its moves.
    pub(crate) moves: Vec<Vec<String>>,
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
}

impl Cut {
    /// Looks everything up. Each fluent must be in one place, and each move in one class of each part that
    /// is played.
    pub(crate) fn of(certificate: &CutCertificate, roles: &[String]) -> Result<Self, CutRefusal> {
        let malformed = |what: String| CutRefusal::Malformed(what);
        let mut fluents = Vec::new();
        let mut part_of = Vec::new();
        for (place, part) in certificate.parts.iter().enumerate() {
            fluents.extend(part.fluents.iter().cloned());
            part_of.resize(fluents.len(), Some(place));
        }
        fluents.extend(certificate.rest.iter().cloned());
        part_of.resize(fluents.len(), None);
        let mut seen: Vec<&String> = fluents.iter().collect();
        seen.sort_unstable();
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(malformed(format!("{} is in two places", pair[0])));
        }
        let is_clock: Vec<bool> = certificate.parts.iter().map(|part| part.clock).collect();
        let moves = moves_of(certificate, roles)?;
        let mut numbers: Vec<FxHashMap<&str, usize>> = Vec::new();
        for of_role in &moves {
            numbers.push(of_role.iter().enumerate().map(|(n, name)| (name.as_str(), n)).collect());
        }
        let (mut class_of, mut idle, mut role_of) = (Vec::new(), Vec::new(), Vec::new());
        for part in &certificate.parts {
            let mut classes: Vec<Vec<Option<usize>>> =
                moves.iter().map(|of_role| vec![None; of_role.len()]).collect();
            let mut roles_of = Vec::new();
            for (number, class) in part.classes.iter().enumerate() {
                let role = roles.iter().position(|role| *role == class.role);
                let role = role.ok_or_else(|| malformed(format!("{} is no role", class.role)))?;
                roles_of.push(role);
                for name in &class.moves {
                    let entry = &mut classes[role][numbers[role][name.as_str()]];
                    if entry.replace(number).is_some() {
                        return Err(malformed(format!("{name} is in two classes of a part")));
                    }
                }
            }
            let idle_of = |role: usize| {
                let classes = roles_of.iter().zip(&part.classes);
                classes.filter(|(of, class)| **of == role && class.idle).count()
            };
            if (0..roles.len()).any(|role| idle_of(role) > 1) {
                return Err(malformed("a role has two idle classes in a part".to_string()));
            }
            let classes: Option<Vec<Vec<usize>>> =
                classes.into_iter().map(|of_role| of_role.into_iter().collect()).collect();
            match classes {
                Some(classes) => class_of.push(classes),
                None if part.clock => class_of.push(Vec::new()),
                None => return Err(malformed("a move is in no class of a part".to_string())),
            }
            idle.push(part.classes.iter().map(|class| class.idle).collect());
            role_of.push(roles_of);
        }
        let series = certificate.series.clone();
        let known = |&place: &usize| is_clock.get(place) == Some(&false);
        if !series.iter().all(|one| one.before.iter().chain(&one.after).all(known)) {
            return Err(malformed("a crossing between parts that are not played".to_string()));
        }
        let roles = roles.to_vec();
        Ok(Self { fluents, roles, moves, part_of, is_clock, class_of, idle, role_of, series })
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

/// The moves of each role, as the first part that is played names them; all parts must name the same.
fn moves_of(
    certificate: &CutCertificate,
    roles: &[String],
) -> Result<Vec<Vec<String>>, CutRefusal> {
    let mut known: Option<Vec<Vec<String>>> = None;
    for part in certificate.parts.iter().filter(|part| !part.clock || !part.classes.is_empty()) {
        let of_role = |role: &String| -> Vec<String> {
            let classes = part.classes.iter().filter(|class| class.role == *role);
            let mut moves: Vec<String> = classes.flat_map(|class| class.moves.clone()).collect();
            moves.sort_unstable();
            moves
        };
        let moves: Vec<Vec<String>> = roles.iter().map(of_role).collect();
        match &known {
            Some(known) if *known != moves => {
                return Err(CutRefusal::Malformed("parts name different moves".to_string()));
            }
            _ => known = Some(moves),
        }
    }
    Ok(known.unwrap_or_else(|| vec![Vec::new(); roles.len()]))
}
