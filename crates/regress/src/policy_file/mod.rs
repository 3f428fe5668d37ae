//! Policies as text, with a version, whole or refused.
//!
//! ```text
//! gambol-policy 2
//! method cover
//! distances no
//! complete yes
//! automaton 22        (so many lines of the automaton follow)
//! exclusions 3        (so many cubes follow, one per line, as words in hexadecimal)
//! classes 17          (so many classes follow: list, outcome, distance, transition, cube, exclusions)
//! end
//! sum 0123456789abcdef      (the digest of everything above)
//! ```

mod lines;

pub(crate) use self::lines::Lines;
use gambol_index::Id;
use std::fmt::Write;

use crate::automaton::{Automaton, OutcomeId, TransitionId};
use crate::class::{ClassStore, ListId};
use crate::cube::Cube;
use crate::file::{FileError, read_automaton, to_text};
use crate::policy::{Method, Policy};
use crate::seal::{seal, unsealed};
use crate::value::Value;

/// The first words of a policy file.
pub const POLICY_HEADER: &str = "gambol-policy";

/// The version of policy files, diagrams and checkpoints; the number changes with the form.
pub(crate) const VERSION: &str = "2";

/// Why a policy file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PolicyFileError {
    /// Another format.
    #[error("this is not a policy file: it does not begin with `gambol-policy`")]
    NotAPolicy,
    /// Another format.
    #[error("this is not a diagram policy: it does not begin with `gambol-diagram`")]
    NotADiagram,
    /// Another version.
    #[error("this program reads version {VERSION} of policy files, not `{0}`")]
    Version(String),
    /// Its digest does not fit.
    #[error("the policy file is damaged: its content and its sum do not belong together")]
    Sum,
    /// The automaton in it is wrong.
    #[error("the automaton in the policy file: {0}")]
    Automaton(#[from] FileError),
    /// A line that cannot be.
    #[error("line {line} of the policy file is damaged: {expected} was expected")]
    Damaged {
        /// The line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
    },
}

/// A policy as text.
pub fn policy_to_text(policy: &Policy) -> String {
    let yes = |is: bool| if is { "yes" } else { "no" };
    let automaton = to_text(&policy.automaton);
    let store = &policy.store;
    let mut text = format!(
        "{POLICY_HEADER} {VERSION}\nmethod {}\ndistances {}\ncomplete {}\nautomaton {}\n{automaton}",
        policy.method.word(),
        yes(policy.distances),
        yes(policy.complete),
        automaton.lines().count()
    );
    let _ = writeln!(text, "exclusions {}", store.exclusion_count());
    for cube in store.all_exclusions() {
        push_cube(&mut text, cube);
        text.push('\n');
    }
    let _ = writeln!(text, "classes {}", store.len());
    for list in store.list_ids() {
        for class in store.classes(list) {
            let transition = class.transition.map_or(-1, |id| i64::from(id.number()));
            let (outcome, distance) = (class.value.outcome.number(), class.value.distance);
            let _ = write!(text, "{} {outcome} {distance} {transition} ", list.number());
            push_cube(&mut text, &class.condition);
            class.exclusions.iter().for_each(|id| {
                let _ = write!(text, " {}", id.number());
            });
            text.push('\n');
        }
    }
    text += "end\n";
    text += &seal(text.as_bytes());
    text
}

fn push_cube(text: &mut String, cube: &Cube) {
    for (place, word) in cube.words().iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{word:x}", if place == 0 { "" } else { ":" });
    }
}

/// Reads a policy.
pub fn policy_from_text(text: &str) -> Result<Policy, PolicyFileError> {
    let header = Lines::of(text.as_bytes()).next("a header");
    let header = header.map_err(|_| PolicyFileError::NotAPolicy)?;
    match header.split_once(' ') {
        Some((POLICY_HEADER, VERSION)) => {}
        Some((POLICY_HEADER, version)) => {
            return Err(PolicyFileError::Version(version.to_string()));
        }
        _ => return Err(PolicyFileError::NotAPolicy),
    }
    let mut lines = Lines::of(unsealed(text.as_bytes()).ok_or(PolicyFileError::Sum)?);
    lines.next("a header")?;
    let method = lines.field("method")?;
    let method = Method::ALL.into_iter().find(|known| known.word() == method);
    let method = method.ok_or(lines.damaged("a known method"))?;
    let distances = lines.field("distances")? == "yes";
    let complete = lines.field("complete")? == "yes";
    let source = lines.text("automaton")?;
    let automaton = read_automaton(&source)?;
    let store = read_store(&automaton, &mut lines)?;
    Ok(Policy { automaton, method, distances, complete, store })
}

fn read_store(automaton: &Automaton, lines: &mut Lines<'_>) -> Result<ClassStore, PolicyFileError> {
    let mut store = ClassStore::new(automaton);
    let mut exclusions = Vec::new();
    for _ in 0..lines.count("exclusions")? {
        let line = lines.next("an excluded cube")?;
        let cube = read_cube(lines, automaton, line)?;
        store.intern(cube.clone());
        exclusions.push(cube);
    }
    for _ in 0..lines.count("classes")? {
        let line = lines.next("a class")?;
        let mut words = line.split(' ');
        let mut number = || words.next().and_then(|word| word.parse::<i64>().ok());
        let numbers = [number(), number(), number(), number()];
        let [Some(list), Some(outcome), Some(distance), Some(transition)] = numbers else {
            return Err(lines.damaged("four numbers"));
        };
        let within = |number: i64, count: usize| usize::try_from(number).is_ok_and(|n| n < count);
        let fits = within(list, store.list_ids().count())
            && within(outcome, automaton.outcomes.len())
            && u32::try_from(distance).is_ok()
            && (transition == -1 || within(transition, automaton.transitions.len()));
        if !fits {
            return Err(lines.damaged("a list, an outcome, a distance and a transition"));
        }
        let condition = read_cube(lines, automaton, words.next().unwrap_or_default())?;
        let excluded = words.map(|word| {
            word.parse::<usize>().ok().and_then(|place| exclusions.get(place)).cloned()
        });
        let excluded: Option<Vec<Cube>> = excluded.collect();
        let excluded = excluded.ok_or(lines.damaged("exclusions that are listed"))?;
        let value =
            Value { outcome: OutcomeId::from_index(outcome as usize), distance: distance as u32 };
        let transition = usize::try_from(transition).ok().map(TransitionId::from_index);
        store.push(ListId::from_index(list as usize), value, condition, excluded, transition);
    }
    if lines.next("`end`")? == "end" { Ok(store) } else { Err(lines.damaged("`end`")) }
}

fn read_cube(
    lines: &Lines<'_>,
    automaton: &Automaton,
    text: &str,
) -> Result<Cube, PolicyFileError> {
    let words: Option<Vec<u64>> =
        text.split(':').map(|word| u64::from_str_radix(word, 16).ok()).collect();
    let cube = words.and_then(|words| automaton.layout.cube_from_words(&words));
    cube.ok_or(lines.damaged("a cube"))
}
