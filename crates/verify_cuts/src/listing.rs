//! All states of a game, listed with the interpreter.

use gambol_reference::{GroundTerm, Interpreter};
use rustc_hash::FxHashMap;

use crate::certificate::CutCertificate;
use crate::cut::{Names, numbers};
use crate::options::CheckOptions;
use crate::refusal::CutRefusal;

/// A state and all that can be done in it.
#[derive(Clone)]
pub(crate) struct Place {
    /// Whether each fluent of the cut is true.
    pub(crate) state: Vec<bool>,
    pub(crate) terminal: bool,
    /// The legal moves of each role.
    pub(crate) legal: Vec<Vec<usize>>,
    /// For each joint move, the state that follows.
    pub(crate) steps: Vec<(Vec<usize>, usize)>,
    /// What each role gets.
    pub(crate) goals: Vec<Vec<u32>>,
}

pub(crate) enum Listing {
    Whole(Vec<Place>),
    TooLarge,
}

/// Lists all states that can be reached, unless there are too many. Every fluent and every move that occurs
/// must be in the cut.
pub(crate) fn list(
    interpreter: &mut Interpreter,
    names: &Names,
    certificate: &CutCertificate,
    options: &CheckOptions,
) -> Result<Listing, CutRefusal> {
    let start = match &certificate.at {
        None => interpreter.initial()?,
        Some(names) => interpreter.state_from_text(&names.join(" "))?,
    };
    let fluents = numbers(&names.fluents);
    let moves: Vec<FxHashMap<&str, usize>> = names.moves.iter().map(|of| numbers(of)).collect();
    let mut known: FxHashMap<Vec<GroundTerm>, usize> = FxHashMap::default();
    let mut open = vec![start];
    known.insert(open[0].fluents().to_vec(), 0);
    let mut places: Vec<Place> = Vec::new();
    while places.len() < open.len() {
        if options.is_over() {
            return Err(CutRefusal::Stopped);
        }
        let state = open[places.len()].clone();
        let mut values = vec![false; names.fluents.len()];
        for &term in state.fluents() {
            let name = interpreter.text(term);
            let number = fluents.get(name.as_str());
            values[*number.ok_or_else(|| missing(&name))?] = true;
        }
        let terminal = interpreter.terminal(&state)?;
        let terms = interpreter.legal(&state)?;
        let mut legal = Vec::new();
        for (of_role, named) in terms.iter().zip(&moves) {
            let number = |&term: &GroundTerm| {
                let name = interpreter.text(term);
                named.get(name.as_str()).copied().ok_or_else(|| missing(&name))
            };
            // Where the game is over nothing is played.
            let of_role = if terminal { &[][..] } else { of_role };
            legal.push(of_role.iter().map(number).collect::<Result<Vec<usize>, _>>()?);
        }
        let goals = interpreter.goals(&state)?;
        let number = |&term: &GroundTerm| interpreter.number(term);
        let goals = goals.iter().map(|of| of.iter().filter_map(number).collect()).collect();
        let mut steps = Vec::new();
        for joint in if terminal { Vec::new() } else { joint_moves(&legal) } {
            let done =
                joint.iter().zip(legal.iter().zip(&terms)).map(|(action, (legal, terms))| {
                    let place = legal.iter().position(|one| one == action).unwrap_or_default();
                    terms[place]
                });
            let next = interpreter.next(&state, &done.collect::<Vec<_>>())?;
            let number = *known.entry(next.fluents().to_vec()).or_insert(open.len());
            if number == open.len() {
                open.push(next);
            }
            steps.push((joint, number));
        }
        places.push(Place { state: values, terminal, legal, steps, goals });
        if open.len() > options.most_states {
            return Ok(Listing::TooLarge);
        }
    }
    Ok(Listing::Whole(places))
}

fn missing(name: &str) -> CutRefusal {
    CutRefusal::Condition(format!("{name} occurs in play and is not in the certificate"))
}

fn joint_moves(legal: &[Vec<usize>]) -> Vec<Vec<usize>> {
    legal.iter().fold(vec![Vec::new()], |joints, of_role| {
        let longer = |joint: Vec<usize>| {
            of_role.iter().map(move |&one| joint.iter().copied().chain([one]).collect())
        };
        joints.into_iter().flat_map(longer).collect()
    })
}
