//! A game: its rules, and whatever the later stages have made of them so far.

use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use gambol_analysis::{Shape, ShapeOptions, Stage, shape_with_progress};
use gambol_decompose::{DecomposeOptions, Decomposition, Method, decompose_in_steps};
use gambol_ground::{GroundError, GroundGame, Limits, instantiate};
use gambol_net::Net;
use gambol_play::Prepared;
use gambol_reference::{Budget, Interpreter};
use gambol_sim::{Circuit, CompileOptions, PlayoutOptions, Tally, playouts};
use gambol_solve::{Choice, Solution, SolveOptions, solve};
use gambol_syntax::{Diagnosis, ReadOptions, Rules, Severity, check, read, repair};

use crate::engine::{Engine, Named, State};
use crate::kept::Kept;
use crate::machine::{CircuitMachine, EngineKind, NetMachine, ReferenceMachine};
use crate::names::Names;
use crate::{LoadError, StageError, bundled_game};

/// A game. Each later stage runs when it is first asked for, and only once.
///
/// It is a handle: a clone is the same game and shares what has been found out about it.
#[derive(Clone, Debug)]
pub struct Game {
    stages: Arc<Stages>,
}

#[derive(Debug)]
struct Stages {
    rules: Rules,
    reading: ReadOptions,
    diagnoses: Vec<Diagnosis>,
    settings: Settings,
    ground: OnceLock<Result<GroundGame, GroundError>>,
    net: OnceLock<Result<Arc<Net>, StageError>>,
    names: OnceLock<Names>,
    circuit: OnceLock<Result<Arc<Circuit>, StageError>>,
    structure: Kept<AboutStructure, Shape>,
    subgames: Kept<AboutSubgames, Decomposition>,
    solution: OnceLock<Solution>,
    prepared: OnceLock<Result<Arc<Prepared>, StageError>>,
}

/// How the stages are run.
#[derive(Clone, Debug, Default)]
struct Settings {
    limits: Limits,
    compile: CompileOptions,
}

/// What [`ShapeOptions`] ask, whatever it may cost: seed, states, listing, depth, inhibitors.
type AboutStructure = (u64, usize, bool, usize, bool, bool);
/// What [`DecomposeOptions`] ask, whatever it may cost: method, playouts, seed, proofs, doubtful parts.
type AboutSubgames = (Method, u64, u64, bool, bool);

/// Time for [`Game::subgames`]. Most games take less than a second; proofs of large ones have no end.
const SUBGAMES_SECONDS: f64 = 20.0;

impl Game {
    /// Reads rules as play does: what can be repaired is, with a warning.
    pub fn read(text: &[u8], options: &ReadOptions) -> Result<Game, LoadError> {
        let reading = read(text, options);
        let mut diagnoses = reading.diagnoses;
        let Some(rules) = reading.rules else { return Err(LoadError::Invalid(diagnoses)) };
        let repaired = repair(rules);
        diagnoses.extend(repaired.diagnoses);
        match repaired.rules {
            Some(rules) => Ok(Self::new(rules, options.clone(), diagnoses, Settings::default())),
            None => Err(LoadError::Invalid(diagnoses)),
        }
    }

    /// Reads rules as their author wants them read: every fault is an error.
    pub fn read_strict(text: &[u8], options: &ReadOptions) -> Result<Game, LoadError> {
        let reading = read(text, options);
        let mut diagnoses = reading.diagnoses;
        let Some(rules) = reading.rules else { return Err(LoadError::Invalid(diagnoses)) };
        diagnoses.extend(check(&rules));
        if diagnoses.iter().any(|diagnosis| diagnosis.severity == Severity::Error) {
            return Err(LoadError::Invalid(diagnoses));
        }
        Ok(Self::new(rules, options.clone(), diagnoses, Settings::default()))
    }

    /// One of the games that come with the program.
    pub fn bundled(name: &str) -> Result<Game, LoadError> {
        let unknown = || LoadError::UnknownGame { name: name.to_string() };
        let bundled = bundled_game(name).ok_or_else(unknown)?;
        Self::read(&bundled.rules(), &ReadOptions::default())
    }

    /// The game in a file, read as play does.
    pub fn open(path: impl AsRef<Path>) -> Result<Game, LoadError> {
        let path = path.as_ref();
        let text = std::fs::read(path).map_err(|error| LoadError::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?;
        Self::read(&text, &ReadOptions::default())
    }

    fn new(
        rules: Rules,
        reading: ReadOptions,
        diagnoses: Vec<Diagnosis>,
        settings: Settings,
    ) -> Self {
        let stages = Stages {
            rules,
            reading,
            diagnoses,
            settings,
            ground: OnceLock::new(),
            net: OnceLock::new(),
            names: OnceLock::new(),
            circuit: OnceLock::new(),
            structure: Kept::default(),
            subgames: Kept::default(),
            solution: OnceLock::new(),
            prepared: OnceLock::new(),
        };
        Self { stages: Arc::new(stages) }
    }

    /// The same rules, to be grounded within these limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        let compile = self.stages.settings.compile.clone();
        self.under(Settings { limits, compile })
    }

    /// The same rules, to be compiled under these options.
    pub fn with_compile_options(self, compile: CompileOptions) -> Self {
        let limits = self.stages.settings.limits.clone();
        self.under(Settings { limits, compile })
    }

    fn under(self, settings: Settings) -> Self {
        let Stages { rules, reading, diagnoses, .. } = &*self.stages;
        Self::new(rules.clone(), reading.clone(), diagnoses.clone(), settings)
    }

    /// What grounding may cost.
    pub fn limits(&self) -> &Limits {
        &self.stages.settings.limits
    }

    /// Whether two handles are of one game.
    pub fn is_same(&self, other: &Game) -> bool {
        Arc::ptr_eq(&self.stages, &other.stages)
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.stages.rules
    }

    /// How the rules were read, and terms of this game are.
    pub fn read_options(&self) -> &ReadOptions {
        &self.stages.reading
    }

    /// What was found while reading; only warnings, since there is a game.
    pub fn diagnoses(&self) -> &[Diagnosis] {
        &self.stages.diagnoses
    }
}

/// The stages, each from the one before.
impl Game {
    /// The rules without variables.
    pub fn ground(&self) -> Result<&GroundGame, GroundError> {
        let Stages { rules, settings, .. } = &*self.stages;
        let limits = &settings.limits;
        self.stages.ground.get_or_init(|| instantiate(rules, limits)).as_ref().map_err(Clone::clone)
    }

    /// The propositional net.
    pub fn net(&self) -> Result<&Net, StageError> {
        self.shared_net().map(|net| &**net)
    }

    fn shared_net(&self) -> Result<&Arc<Net>, StageError> {
        let net = self.stages.net.get_or_init(|| {
            let net = gambol_net::build(self.ground()?)?;
            Ok(Arc::new(gambol_net::simplify(&net)))
        });
        net.as_ref().map_err(Clone::clone)
    }

    /// The compiled circuit.
    pub fn circuit(&self) -> Result<&Circuit, StageError> {
        self.shared_circuit().map(|circuit| &**circuit)
    }

    fn shared_circuit(&self) -> Result<&Arc<Circuit>, StageError> {
        let circuit = self.stages.circuit.get_or_init(|| {
            let circuit = Circuit::compile(self.net()?, &self.stages.settings.compile)?;
            Ok(Arc::new(circuit))
        });
        circuit.as_ref().map_err(Clone::clone)
    }

    /// What is proved about the game: latches, clocks, exclusive fluents, goals out of reach.
    /// Takes at most eight seconds; [`Shape::complete`] says whether that was enough.
    pub fn structure(&self) -> Result<Arc<Shape>, StageError> {
        self.structure_with(&ShapeOptions::default(), &mut |_| {})
    }

    /// The same under other options; each stage that is entered is told. A complete answer is found once.
    pub fn structure_with(
        &self,
        options: &ShapeOptions,
        tell: &mut dyn FnMut(Stage),
    ) -> Result<Arc<Shape>, StageError> {
        let net = self.net()?;
        let ShapeOptions { seed, states, listing, depth, inhibitors, thorough, .. } = *options;
        let question = (seed, states, listing, depth, inhibitors, thorough);
        let find = || shape_with_progress(net, options, tell);
        // More time may find more of what only the clock ended.
        let is_final = |shape: &Shape| shape.complete && (!thorough || shape.cut_short.is_empty());
        Ok(self.stages.structure.answer(question, is_final, find))
    }

    /// What was proved when structure was last asked for, complete or not.
    pub fn known_structure(&self) -> Option<Arc<Shape>> {
        self.stages.structure.last()
    }

    /// The independent parts of the game, with proofs where they were found in 20 seconds.
    pub fn subgames(&self) -> Result<Arc<Decomposition>, StageError> {
        let options = DecomposeOptions::default().proved().seconds(SUBGAMES_SECONDS);
        self.subgames_with(&options, &mut |_| {})
    }

    /// The same under other options; each answer that is better than the one before is told. A complete answer about
    /// the start is found once, and what is proved about the game already is not proved again.
    pub fn subgames_with(
        &self,
        options: &DecomposeOptions,
        tell: &mut dyn FnMut(Decomposition),
    ) -> Result<Arc<Decomposition>, StageError> {
        let net = self.net()?;
        let DecomposeOptions { method, playouts, seed, prove, keep_doubtful, .. } = *options;
        let shape = self.known_structure().filter(|shape| shape.complete);
        let mut find = || decompose_in_steps(net, shape.as_deref(), options, tell);
        if options.at.is_some() {
            return Ok(Arc::new(find()));
        }
        let question = (method, playouts, seed, prove, keep_doubtful);
        Ok(self.stages.subgames.answer(question, |found| found.complete, find))
    }

    /// What the game was last taken apart into, proved or not.
    pub fn known_subgames(&self) -> Option<Arc<Decomposition>> {
        self.stages.subgames.last()
    }

    /// The game-theoretic values of the start, or of the state that the options name.
    ///
    /// Exact values of the start are kept: whoever leaves the method open gets them again at once.
    pub fn solve(&self, options: &SolveOptions) -> Result<Solution, StageError> {
        let SolveOptions { choice, factoring, pruning, .. } = *options;
        let whole = options.at.is_none() && choice == Choice::Auto && factoring && pruning;
        if let Some(known) = self.stages.solution.get().filter(|_| whole) {
            return Ok(known.clone());
        }
        let mut options = options.clone();
        // What earlier questions found is not looked for again.
        options.shape = options.shape.or_else(|| self.known_structure());
        if options.at.is_none() {
            let found = self.known_subgames().filter(|found| found.counts().action_dependent > 1);
            options.parts = options.parts.or_else(|| found.map(|found| found.played_fluents()));
        }
        let solution = solve(self.net()?, self.circuit()?, &options)?;
        if whole && solution.is_exact() {
            // Another thread may have been first; its values are the same.
            let _ = self.stages.solution.set(solution.clone());
        }
        Ok(solution)
    }

    /// Random games: each role chooses uniformly among its legal moves.
    pub fn playouts(&self, options: &PlayoutOptions) -> Result<Tally, StageError> {
        Ok(playouts(self.circuit()?, options))
    }

    /// The game as a player needs it. What has been proved about it by then is handed over.
    pub fn prepared(&self) -> Result<&Arc<Prepared>, StageError> {
        let prepared = self.stages.prepared.get_or_init(|| {
            let (net, circuit) = (self.shared_net()?, self.shared_circuit()?);
            Ok(Arc::new(Prepared::of(Arc::clone(net), Arc::clone(circuit))))
        });
        let prepared = prepared.as_ref().map_err(Clone::clone)?;
        prepared.hand_over(self.known_structure(), self.known_subgames());
        Ok(prepared)
    }

    pub(crate) fn names(&self) -> Result<&Names, StageError> {
        let net = self.net()?;
        Ok(self.stages.names.get_or_init(|| Names::of(net)))
    }
}

/// Engines.
impl Game {
    /// The players, in the order of the rules.
    pub fn roles(&self) -> Result<Vec<&str>, StageError> {
        Ok(self.net()?.roles.iter().map(|role| &**role).collect())
    }

    /// The net of a game that has a position.
    pub(crate) fn known_net(&self) -> &Net {
        self.net().expect("there is a position, so there is a net")
    }

    /// The circuit of a game that has a position.
    pub(crate) fn known_circuit(&self) -> &Circuit {
        self.circuit().expect("there is a position, so there is a circuit")
    }

    /// The plain interpreter of the rules. It stops when grounding would be stopped.
    pub fn interpreter(&self) -> Result<Interpreter, StageError> {
        let budget = Budget { stop: self.stages.settings.limits.stop.clone(), ..Budget::default() };
        Ok(Interpreter::with_budget(self.rules(), budget)?)
    }

    /// Every derived atom that holds in a state, or in a step if moves are given; sorted by bytes.
    pub fn views(
        &self,
        state: &State,
        moves: Option<&[String]>,
    ) -> Result<Vec<String>, StageError> {
        let mut interpreter = self.interpreter()?;
        let state = interpreter.state_from_text(&state.join(" "))?;
        let moves = moves.map(|moves| interpreter.terms_from_text(&moves.join(" ")));
        let moves = moves.transpose()?;
        Ok(interpreter.views(&state, moves.as_deref())?)
    }

    /// The game behind the common interface.
    pub fn engine(&self, kind: EngineKind) -> Result<Box<dyn Engine + '_>, StageError> {
        Ok(match kind {
            EngineKind::Reference => {
                Box::new(Named::new(ReferenceMachine::new(self.interpreter()?)))
            }
            EngineKind::Net => Box::new(Named::new(NetMachine::new(self.net()?))),
            EngineKind::Circuit => {
                Box::new(Named::new(CircuitMachine::new(self.net()?, self.circuit()?)))
            }
        })
    }
}

/// Reads rules as play does.
impl FromStr for Game {
    type Err = LoadError;

    fn from_str(text: &str) -> Result<Self, LoadError> {
        Self::read(text.as_bytes(), &ReadOptions::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_corrected() {
        let error = Game::bundled("tictactoe").unwrap_err();
        assert!(error.to_string().contains("tic-tac-toe"), "{error}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Game::open("no/such/rules.kif").unwrap_err();
        assert!(error.to_string().starts_with("cannot read no/such/rules.kif: "), "{error}");
    }

    #[test]
    fn a_solved_game_is_not_solved_again() {
        let game = Game::bundled("double-tic-tac-toe").unwrap();
        let first = game.solve(&SolveOptions::default()).unwrap();
        let mut hurried = SolveOptions::default().seconds(0.0);
        assert_eq!(game.solve(&hurried).unwrap().values, first.values);
        // Another way is another question.
        hurried.choice = Choice::Search;
        assert!(!game.solve(&hurried).unwrap().is_exact());
        (hurried.choice, hurried.factoring) = (Choice::Auto, false);
        assert!(!game.solve(&hurried).unwrap().is_exact());
    }
}
