//! Certificates written from a listing of all states: valid ones, to be falsified.

use std::collections::BTreeMap;

use gambol_reference::Interpreter;
use gambol_verify::{
    AverageClaim, AverageEntry, Certificate, Claim, ClaimEntry, Condition, EquilibriumEntry,
    FORMAT, Fraction, Sense,
};

use crate::truth::Listed;

pub(crate) fn seal(mut certificate: Certificate) -> Certificate {
    certificate.digest = certificate.compute_digest();
    certificate
}

pub(crate) fn number(value: u32) -> Fraction {
    Fraction::from(value)
}

/// A certificate of a sense, if this game has a value in it that can be written down so.
pub(crate) fn certificate(
    game: &Interpreter,
    at: Option<&[String]>,
    sense: Sense,
) -> Option<Certificate> {
    certificate_of(&Listed::from(game, at), at.is_some(), sense)
}

/// The same of a listing, which need not be that of any game.
pub(crate) fn certificate_of(listed: &Listed, named: bool, sense: Sense) -> Option<Certificate> {
    let mut writer = Writer::new(listed);
    let mut proof = (Vec::new(), Vec::new(), Vec::new());
    let values: Vec<Fraction> = match sense {
        Sense::Forced => {
            let (values, claims) = writer.forced()?;
            proof.0 = claims;
            values.into_iter().map(number).collect()
        }
        Sense::Secured => {
            let (values, claims) = writer.secured()?;
            proof.0 = claims;
            values.into_iter().map(number).collect()
        }
        Sense::Mixed => {
            proof.1 = writer.averages();
            (0..2).map(|role| listed.mixed(0, role, 0).value).collect()
        }
        Sense::Equilibrium => {
            proof.2 = writer.equilibrium()?;
            match proof.2.first() {
                Some(first) => first.values.iter().map(|&value| number(value)).collect(),
                None => listed.ends[0].as_ref()?.iter().map(|goal| number(goal.0)).collect(),
            }
        }
    };
    let at = named.then(|| writer.places(0));
    Some(seal(Certificate {
        format: FORMAT,
        sense: Some(sense),
        fluents: writer.fluents,
        at,
        value: listed.names.iter().cloned().zip(values).collect(),
        claims: proof.0,
        averages: proof.1,
        equilibrium: proof.2,
        digest: String::new(),
    }))
}

const GOALS: [u32; 5] = [100, 75, 50, 25, 0];

struct Writer<'a> {
    listed: &'a Listed,
    fluents: Vec<String>,
}

type Ends<'a> = &'a [(usize, bool, u32)];

impl<'a> Writer<'a> {
    fn new(listed: &'a Listed) -> Self {
        let mut fluents: Vec<String> = listed.texts.iter().flatten().cloned().collect();
        fluents.sort();
        fluents.dedup();
        Self { listed, fluents }
    }

    fn places(&self, state: usize) -> Vec<u32> {
        let place = |text: &String| self.fluents.binary_search(text).expect("it is listed") as u32;
        let mut places: Vec<u32> = self.listed.texts[state].iter().map(place).collect();
        places.sort_unstable();
        places
    }

    /// Conditions are a role, whether at least, and how much.
    fn claim(&self, players: &[usize], ends: Ends<'_>) -> Option<Claim> {
        let good = |goals: &[(u32, u32)]| {
            let holds = |&(role, at_least, bound): &(usize, bool, u32)| {
                let (worst, best): (u32, u32) = goals[role];
                if at_least { worst >= bound } else { best <= bound }
            };
            ends.iter().all(holds)
        };
        let must_end = ends.iter().any(|&(_, at_least, bound)| at_least && bound > 0);
        let ways = self.listed.ways(players, good, must_end);
        ways[0].as_ref()?;
        let (mut entries, mut open) = (BTreeMap::new(), vec![0]);
        while let Some(state) = open.pop() {
            let stuck = self.listed.edges[state].is_empty();
            if self.listed.ends[state].is_some() || entries.contains_key(&state) {
                continue;
            }
            let (rank, way) = ways[state].clone()?;
            let reply = |(place, &player): (usize, &usize)| match stuck {
                true => String::new(),
                false => self.listed.moves[state][player][way[place]].clone(),
            };
            let reply = players.iter().enumerate().map(reply).collect();
            entries.insert(state, ClaimEntry { state: self.places(state), rank, reply });
            for (joint, to) in &self.listed.edges[state] {
                if players.iter().zip(&way).all(|(&player, &m)| joint[player] == m) {
                    open.push(*to);
                }
            }
        }
        let condition = |&(role, at_least, bound): &(usize, bool, u32)| Condition {
            role: self.listed.names[role].clone(),
            at_least: at_least.then_some(bound),
            at_most: (!at_least).then_some(bound),
        };
        Some(Claim {
            players: players.iter().map(|&player| self.listed.names[player].clone()).collect(),
            ends: ends.iter().map(condition).collect(),
            entries: entries.into_values().collect(),
        })
    }

    fn others(&self, role: usize) -> Vec<usize> {
        (0..self.listed.names.len()).filter(|&other| other != role).collect()
    }

    fn secured(&mut self) -> Option<(Vec<u32>, Vec<Claim>)> {
        let (mut values, mut claims) = (Vec::new(), Vec::new());
        for role in 0..self.listed.names.len() {
            let best = GOALS
                .iter()
                .find_map(|&goal| Some((goal, self.claim(&[role], &[(role, true, goal)])?)));
            let (value, claim) =
                best.filter(|(goal, _)| *goal > 0).map_or((0, None), |(g, c)| (g, Some(c)));
            claims.extend(claim);
            if value < 100 {
                claims.push(self.claim(&self.others(role), &[(role, false, value)])?);
            }
            values.push(value);
        }
        Some((values, claims))
    }

    fn forced(&mut self) -> Option<(Vec<u32>, Vec<Claim>)> {
        let (values, _) = self.secured()?;
        match values[..] {
            [value] => {
                let way = self.claim(&[0], &[(0, true, value)]).filter(|_| value > 0);
                let all = self.claim(&[], &[(0, false, value)]).filter(|_| value < 100);
                Some((values, way.into_iter().chain(all).collect()))
            }
            [one, other] => {
                let first = self.claim(&[0], &[(0, true, one), (1, false, other)])?;
                let second = self.claim(&[1], &[(1, true, other), (0, false, one)])?;
                Some((values, vec![first, second]))
            }
            _ => None,
        }
    }

    /// All states that are no ends, with the longest way to the end.
    fn open_states(&self) -> Vec<(usize, u32)> {
        let mut ranks = vec![0; self.listed.len()];
        for _ in 0..self.listed.len() {
            for state in 0..self.listed.len() {
                let next = self.listed.edges[state].iter().map(|(_, to)| ranks[*to] + 1);
                ranks[state] = next.max().unwrap_or(0);
            }
        }
        let open = (0..self.listed.len()).filter(|&state| self.listed.ends[state].is_none());
        open.map(|state| (state, ranks[state])).collect()
    }

    fn averages(&mut self) -> Vec<AverageClaim> {
        let mut claims = Vec::new();
        for (role, at_least) in [(0, true), (0, false), (1, true), (1, false)] {
            let player = if at_least { role } else { 1 - role };
            let entries = self.open_states().into_iter().map(|(state, rank)| {
                let solved = self.listed.mixed(state, role, 0);
                let shares = if at_least { solved.own } else { solved.others };
                let moves = self.listed.moves[state][player].iter().map(|name| vec![name.clone()]);
                let mixture = moves.zip(shares).filter(|(_, share)| share.sign() > 0).collect();
                AverageEntry { state: self.places(state), rank, value: solved.value, mixture }
            });
            let name = |role: usize| self.listed.names[role].clone();
            let entries = entries.collect();
            claims.push(AverageClaim {
                players: vec![name(player)],
                role: name(role),
                at_least,
                entries,
            });
        }
        claims
    }

    /// By backward induction; the first of equal moves is made.
    fn equilibrium(&mut self) -> Option<Vec<EquilibriumEntry>> {
        let mut entries = BTreeMap::new();
        let mut open = self.open_states();
        open.sort_by_key(|&(_, rank)| rank);
        for (state, rank) in open {
            let edges = self.listed.edges[state].iter().map(|(joint, to)| {
                let values: Vec<u32> = match &self.listed.ends[*to] {
                    Some(goals) => goals.iter().map(|goal| goal.0).collect(),
                    None => entries.get(to).map(|entry: &EquilibriumEntry| entry.values.clone())?,
                };
                Some((joint.clone(), values))
            });
            let edges: Vec<(Vec<usize>, Vec<u32>)> = edges.collect::<Option<_>>()?;
            let chooser =
                self.listed.moves[state].iter().position(|moves| moves.len() > 1).unwrap_or(0);
            let best = edges.iter().map(|(_, values)| values[chooser]).max()?;
            let (joint, values) = edges.iter().find(|(_, values)| values[chooser] == best)?.clone();
            let reply =
                joint.iter().zip(&self.listed.moves[state]).map(|(&m, moves)| moves[m].clone());
            let entry = EquilibriumEntry {
                state: self.places(state),
                rank,
                reply: reply.collect(),
                values,
            };
            entries.insert(state, entry);
        }
        Some(entries.into_values().collect())
    }
}
