//! Compares a game under several settings with the interpreter, state by state, by name.

use std::collections::HashMap;

use gambol_ground::{FluentId, GroundError, Limits, MoveId, Shortcuts, instantiate_with};
use gambol_index::IndexVec;
use gambol_net::rewrite::from_state;
use gambol_net::{BaseMarking, Net, NetEngine, When, build, simplify_with};
use gambol_reference::{GroundTerm, Interpreter, State};
use gambol_sim::{Circuit, CompileOptions, Evaluator};
use gambol_syntax::{ReadOptions, Rules, read, repair};

use crate::settings::Setting;
use crate::tape::Random;

/// How much of a game is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Amount {
    /// Random games.
    pub(crate) games: usize,
    /// Steps of each.
    pub(crate) steps: usize,
    /// States made up of any fluents.
    pub(crate) given: usize,
}

impl Default for Amount {
    fn default() -> Self {
        Self { games: 2, steps: 6, given: 3 }
    }
}

/// The rules as every engine gets them.
pub(crate) fn rules_of(text: &str) -> Rules {
    let reading = read(text.as_bytes(), &ReadOptions::default());
    let rules = reading.rules.unwrap_or_else(|| panic!("{:?}\n{text}", reading.diagnoses));
    let repaired = repair(rules);
    repaired.rules.unwrap_or_else(|| panic!("{:?}\n{text}", repaired.diagnoses))
}

/// Compares; returns how many states were looked at, or what differs.
pub(crate) fn compare(
    text: &str,
    settings: &[Setting],
    seed: u64,
    amount: Amount,
) -> Result<usize, String> {
    let rules = rules_of(text);
    let judge = Interpreter::new(&rules).map_err(|error| format!("interpreter: {error}"))?;
    let made = settings.iter().map(|setting| Made::of(&rules, setting));
    let made: Vec<Made> = match made.collect() {
        Err(_) if grows_without_bound(&rules) => return Ok(0),
        made => made?,
    };
    let engines = made.iter().map(Engines::of).collect();
    let mut comparison =
        Comparison { judge, engines, random: Random(seed), states: 0, in_play: true };
    for _ in 0..amount.games {
        comparison.play(amount.steps)?;
    }
    comparison.in_play = false;
    for _ in 0..amount.given {
        comparison.made_up()?;
    }
    Ok(comparison.states)
}

/// Terms may be nested so deep. Generated games that are finite stay far below.
const TERM_DEPTH: u32 = 6;

/// Whether the rules, taken as they are, derive ever larger terms. That is against the language; the
/// short cuts may still find an end by leaving out what nobody asks for. What is finite as it is must
/// be finite under every setting.
fn grows_without_bound(rules: &Rules) -> bool {
    let plainly = instantiate_with(rules, &limits(), &Shortcuts::never());
    matches!(plainly, Err(GroundError::Infinite { .. }))
}

fn limits() -> Limits {
    Limits { term_depth: TERM_DEPTH, ..Limits::default() }
}

/// What a setting makes of the rules.
struct Made {
    name: String,
    net: Net,
    /// The net for play from the start only, with what is fixed there.
    in_play: Net,
    circuit: Option<Circuit>,
    fluents: HashMap<String, FluentId>,
    moves: HashMap<(usize, String), MoveId>,
}

impl Made {
    fn of(rules: &Rules, setting: &Setting) -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", setting.name);
        let ground = instantiate_with(rules, &limits(), &setting.shortcuts)
            .map_err(|error| failed(&error))?;
        let net = build(&ground).map_err(|error| failed(&error))?;
        let net = simplify_with(&net, &setting.rewrites);
        let (in_play, _) = from_state(&net, &net.initial);
        let compile = |reductions: When| {
            let mut options = CompileOptions::default();
            options.reductions = reductions;
            Circuit::compile(&net, &options).map_err(|error| failed(&error))
        };
        let circuit = setting.reductions.map(compile).transpose()?;
        let fluents = net.fluents.iter_ids().map(|(id, name)| (name.to_string(), id)).collect();
        let moves = net.moves.iter_ids();
        let moves =
            moves.map(|(id, it)| ((it.role.number() as usize, it.name.to_string()), id)).collect();
        Ok(Self { name: setting.name.clone(), net, in_play, circuit, fluents, moves })
    }
}

struct Engines<'a> {
    made: &'a Made,
    net: NetEngine<&'a Net>,
    in_play: NetEngine<&'a Net>,
    circuit: Option<(&'a Circuit, Evaluator<'a>)>,
}

impl<'a> Engines<'a> {
    fn of(made: &'a Made) -> Self {
        let (net, in_play) = (NetEngine::new(&made.net), NetEngine::new(&made.in_play));
        let circuit = made.circuit.as_ref().map(|it| (it, Evaluator::new(it)));
        Self { made, net, in_play, circuit }
    }

    fn fluents(&self, state: &[String]) -> Result<Vec<FluentId>, String> {
        let known = |name: &String| {
            let found = self.made.fluents.get(name).copied();
            found.ok_or_else(|| format!("{}: no fluent {name}", self.made.name))
        };
        let mut fluents = state.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        fluents.sort_unstable();
        Ok(fluents)
    }

    fn action(&self, role: usize, name: &str) -> Result<MoveId, String> {
        let found = self.made.moves.get(&(role, name.to_string())).copied();
        found.ok_or_else(|| format!("{}: no move {name}", self.made.name))
    }

    fn state_names(&self, fluents: &[FluentId]) -> Vec<String> {
        let mut names: Vec<String> =
            fluents.iter().map(|&fluent| self.made.net.fluents[fluent].to_string()).collect();
        names.sort_unstable();
        names
    }

    fn move_names(&self, legal: &[MoveId]) -> Vec<Vec<String>> {
        let net = &self.made.net;
        let mut names = vec![Vec::new(); net.roles.len()];
        for &action in legal {
            names[net.moves[action].role.number() as usize]
                .push(net.moves[action].name.to_string());
        }
        names.iter_mut().for_each(|names| names.sort_unstable());
        names
    }

    fn percept_names(&self, percepts: &[usize]) -> Vec<Vec<String>> {
        let net = &self.made.net;
        let mut names = vec![Vec::new(); net.roles.len()];
        for percept in percepts.iter().map(|&row| &net.percepts[row]) {
            names[percept.role.number() as usize].push(percept.name.to_string());
        }
        names.iter_mut().for_each(|names| names.sort_unstable());
        names
    }

    /// What net and circuit say of a state. In play, the net that holds in play only is asked too.
    fn views(&mut self, state: &[String], in_play: bool) -> Result<Vec<View>, String> {
        let fluents = self.fluents(state)?;
        let marking = BaseMarking::of(&self.made.net, &fluents);
        let mut found = Vec::new();
        let nets = [("net", &mut self.net), ("net in play", &mut self.in_play)];
        for (engine, net) in nets.into_iter().take(1 + usize::from(in_play)) {
            found.push((engine, net.terminal(&marking), net.legal(&marking), net.goals(&marking)));
        }
        if let Some((circuit, it)) = &mut self.circuit {
            let state = circuit.state_of(&fluents);
            found.push(("circuit", it.terminal(&state), it.legal(&state), it.goals(&state)));
        }
        let view =
            |(engine, terminal, legal, goals): (&'static str, _, Vec<MoveId>, IndexVec<_, _>)| {
                View { engine, terminal, legal: self.move_names(&legal), goals: goals.into_vec() }
            };
        Ok(found.into_iter().map(view).collect())
    }

    /// What net and circuit make of a step.
    fn steps(
        &mut self,
        state: &[String],
        joint: &[String],
        in_play: bool,
    ) -> Result<Vec<Step>, String> {
        let fluents = self.fluents(state)?;
        let moves = joint.iter().enumerate().map(|(role, name)| self.action(role, name));
        let moves: Vec<MoveId> = moves.collect::<Result<_, _>>()?;
        let marking = BaseMarking::of(&self.made.net, &fluents);
        let mut found = Vec::new();
        let nets = [("net", &mut self.net), ("net in play", &mut self.in_play)];
        for (engine, net) in nets.into_iter().take(1 + usize::from(in_play)) {
            let next = net.next(&marking, &moves).fluents();
            found.push((engine, next, net.percepts(&marking, &moves)));
        }
        if let Some((circuit, it)) = &mut self.circuit {
            let state = circuit.state_of(&fluents);
            let next = circuit.fluents_of(&it.next(&state, &moves));
            found.push(("circuit", next, it.percepts(&state, &moves)));
        }
        let step = |(engine, next, seen): (&'static str, Vec<FluentId>, Vec<usize>)| Step {
            engine,
            next: self.state_names(&next),
            seen: self.percept_names(&seen),
        };
        Ok(found.into_iter().map(step).collect())
    }
}

/// What is said of a state, and who says it.
#[derive(Debug)]
struct View {
    engine: &'static str,
    terminal: bool,
    legal: Vec<Vec<String>>,
    goals: Vec<Option<u32>>,
}

impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        (self.terminal, &self.legal, &self.goals) == (other.terminal, &other.legal, &other.goals)
    }
}

/// What is said of a step, and who says it.
#[derive(Debug)]
struct Step {
    engine: &'static str,
    next: Vec<String>,
    seen: Vec<Vec<String>>,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        (&self.next, &self.seen) == (&other.next, &other.seen)
    }
}

struct Comparison<'a> {
    judge: Interpreter,
    engines: Vec<Engines<'a>>,
    random: Random,
    states: usize,
    in_play: bool,
}

fn said<T>(answer: Result<T, gambol_reference::ReferenceError>) -> Result<T, String> {
    answer.map_err(|error| format!("interpreter: {error}"))
}

impl Comparison<'_> {
    fn play(&mut self, steps: usize) -> Result<(), String> {
        let mut state = said(self.judge.initial())?;
        let names = self.judge.sorted_texts(state.fluents());
        for engines in &self.engines {
            let found = engines.state_names(&engines.made.net.initial);
            differ(&engines.made.name, "net", &names, &found, &["the start".to_string()])?;
        }
        for _ in 0..steps {
            let view = self.look_at(&state)?;
            if view.terminal || view.legal.iter().any(Vec::is_empty) {
                break;
            }
            let joint: Vec<String> = view
                .legal
                .iter()
                .map(|moves| moves[self.random.below(moves.len())].clone())
                .collect();
            state = self.step(&state, &joint)?;
        }
        Ok(())
    }

    /// Any state over the fluents that all settings know, and any moves, legal or not.
    fn made_up(&mut self) -> Result<(), String> {
        let density = 1 + self.random.below(4);
        let first = &self.engines[0];
        let mut fluents: Vec<String> =
            first.made.net.fluents.iter().map(ToString::to_string).collect();
        fluents.retain(|name| self.engines.iter().all(|it| it.made.fluents.contains_key(name)));
        fluents.retain(|_| self.random.below(5) < density);
        let state = said(self.judge.state_from_text(&fluents.join(" ")))?;
        self.look_at(&state)?;
        let joint: Option<Vec<String>> = (0..self.judge.roles().len())
            .map(|role| {
                let mut moves: Vec<String> = self.engines[0]
                    .made
                    .net
                    .moves
                    .iter()
                    .filter(|action| action.role.number() as usize == role)
                    .map(|action| action.name.to_string())
                    .collect();
                moves.retain(|name| self.engines.iter().all(|it| it.action(role, name).is_ok()));
                (!moves.is_empty()).then(|| moves.swap_remove(self.random.below(moves.len())))
            })
            .collect();
        if let Some(joint) = joint {
            self.step(&state, &joint)?;
        }
        Ok(())
    }

    fn look_at(&mut self, state: &State) -> Result<View, String> {
        self.states += 1;
        let names = self.judge.sorted_texts(state.fluents());
        let legal = said(self.judge.legal(state))?;
        let expected = View {
            engine: "interpreter",
            terminal: said(self.judge.terminal(state))?,
            legal: legal.iter().map(|moves| self.judge.sorted_texts(moves)).collect(),
            goals: said(self.judge.goal_values(state))?,
        };
        for engines in &mut self.engines {
            for view in engines.views(&names, self.in_play)? {
                differ(&engines.made.name, view.engine, &expected, &view, &names)?;
            }
        }
        Ok(expected)
    }

    fn step(&mut self, state: &State, joint: &[String]) -> Result<State, String> {
        let names = self.judge.sorted_texts(state.fluents());
        let moves: Vec<GroundTerm> = said(self.judge.terms_from_text(&joint.join(" ")))?;
        let next = said(self.judge.next(state, &moves))?;
        let seen = said(self.judge.percepts(state, &moves))?;
        let expected = Step {
            engine: "interpreter",
            next: self.judge.sorted_texts(next.fluents()),
            seen: seen.iter().map(|seen| self.judge.sorted_texts(seen)).collect(),
        };
        for engines in &mut self.engines {
            for step in engines.steps(&names, joint, self.in_play)? {
                let asked = [&names[..], joint].concat();
                differ(&engines.made.name, step.engine, &expected, &step, &asked)?;
            }
        }
        Ok(next)
    }
}

fn differ<T: PartialEq + std::fmt::Debug>(
    setting: &str,
    engine: &str,
    expected: &T,
    found: &T,
    asked: &[String],
) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let asked = asked.join(" ");
    Err(format!("{setting}, {engine}, at {asked}:\nexpected {expected:?}\nfound    {found:?}"))
}
