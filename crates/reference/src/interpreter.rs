//! Questions to a rulesheet: the initial state, and for a state its legal moves, its end, what it
//! is worth, and what follows from a joint move.

use gambol_syntax::{Rules, Symbol, keyword};

use crate::model::{Model, Question};
use crate::program::{Program, RelationId};
use crate::terms::GroundTerm;
use crate::text::read_terms;
use crate::{Budget, ReferenceError, State};

/// A relation of the game, and what must be evaluated to know it. Games need not define all.
#[derive(Clone, Debug)]
struct Asked {
    relation: Option<RelationId>,
    question: Question,
}

impl Asked {
    fn of(model: &Model, name: Symbol, arity: usize) -> Self {
        let relation = model.program.find_relation(name, arity);
        Self { relation, question: model.question(relation.as_slice()) }
    }
}

/// Interprets one rulesheet. Questions change the tables inside, hence `&mut`; the answers depend
/// on the arguments alone.
#[derive(Clone, Debug)]
pub struct Interpreter {
    model: Model,
    roles: Vec<GroundTerm>,
    init: Asked,
    legal: Asked,
    terminal: Asked,
    goal: Asked,
    next: Asked,
    sees: Asked,
    base: Asked,
    input: Asked,
}

impl Interpreter {
    /// Takes a rulesheet that was checked, or repaired for play, with the default [`Budget`].
    pub fn new(rules: &Rules) -> Result<Self, ReferenceError> {
        Self::with_budget(rules, Budget::default())
    }

    /// Takes a rulesheet that was checked, or repaired for play.
    pub fn with_budget(rules: &Rules, budget: Budget) -> Result<Self, ReferenceError> {
        let model = Model::of(rules, budget)?;
        let asked = |name, arity| Asked::of(&model, name, arity);
        let role = asked(keyword::ROLE, 1);
        let mut interpreter = Self {
            init: asked(keyword::INIT, 1),
            legal: asked(keyword::LEGAL, 2),
            terminal: asked(keyword::TERMINAL, 0),
            goal: asked(keyword::GOAL, 2),
            next: asked(keyword::NEXT, 1),
            sees: asked(keyword::SEES, 2),
            base: asked(keyword::BASE, 1),
            input: asked(keyword::INPUT, 2),
            roles: Vec::new(),
            model,
        };
        interpreter.roles = unary(&mut interpreter.model, &role, &State::default(), &[])?;
        if interpreter.roles.is_empty() {
            return Err(ReferenceError::NoRole);
        }
        Ok(interpreter)
    }

    /// Replaces the limits on each question.
    pub fn set_budget(&mut self, budget: Budget) {
        self.model.budget = budget;
    }

    /// The roles, in the order of the rulesheet.
    pub fn roles(&self) -> &[GroundTerm] {
        &self.roles
    }

    /// The state in which a match begins.
    pub fn initial(&mut self) -> Result<State, ReferenceError> {
        Ok(State::of(unary(&mut self.model, &self.init, &State::default(), &[])?))
    }

    /// Whether a match ends in this state.
    pub fn terminal(&mut self, state: &State) -> Result<bool, ReferenceError> {
        let Some(relation) = self.terminal.relation else { return Ok(false) };
        self.model.ask(&self.terminal.question, state, &[])?;
        Ok(self.model.rows(relation).next().is_some())
    }

    /// For each role its legal moves, each once, in an order that depends on the rules alone.
    pub fn legal(&mut self, state: &State) -> Result<Vec<Vec<GroundTerm>>, ReferenceError> {
        by_role(&mut self.model, &self.legal, &self.roles, state, &[])
    }

    /// For each role all goal values that hold; a well-formed game has one in terminal states.
    pub fn goals(&mut self, state: &State) -> Result<Vec<Vec<GroundTerm>>, ReferenceError> {
        by_role(&mut self.model, &self.goal, &self.roles, state, &[])
    }

    /// For each role its goal value, if exactly one holds and it is a number. Whether it lies between
    /// 0 and 100 is for [`well_formed`](crate::well_formed) to say: a match must still be scored.
    pub fn goal_values(&mut self, state: &State) -> Result<Vec<Option<u32>>, ReferenceError> {
        let goals = self.goals(state)?;
        Ok(goals.iter().map(|values| self.single_value(values)).collect())
    }

    fn single_value(&self, values: &[GroundTerm]) -> Option<u32> {
        match values {
            [value] => self.number(*value),
            _ => None,
        }
    }

    /// The number a constant of digits stands for.
    pub fn number(&self, term: GroundTerm) -> Option<u32> {
        let text = self.text(term);
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        text.parse().ok()
    }

    /// The state after a joint move: one move per role, in the order of the roles.
    pub fn next(&mut self, state: &State, joint: &[GroundTerm]) -> Result<State, ReferenceError> {
        let moves = self.moves(joint)?;
        Ok(State::of(unary(&mut self.model, &self.next, state, &moves)?))
    }

    /// For each role what it perceives when the joint move is made.
    pub fn percepts(
        &mut self,
        state: &State,
        joint: &[GroundTerm],
    ) -> Result<Vec<Vec<GroundTerm>>, ReferenceError> {
        let moves = self.moves(joint)?;
        by_role(&mut self.model, &self.sees, &self.roles, state, &moves)
    }

    /// The fluents the rulesheet declares; none if it declares none.
    pub fn base(&mut self) -> Result<Option<Vec<GroundTerm>>, ReferenceError> {
        let fluents = unary(&mut self.model, &self.base, &State::default(), &[])?;
        Ok((!fluents.is_empty()).then_some(fluents))
    }

    /// For each role the moves the rulesheet declares; none if it declares none.
    pub fn input(&mut self) -> Result<Option<Vec<Vec<GroundTerm>>>, ReferenceError> {
        let state = State::default();
        let moves = by_role(&mut self.model, &self.input, &self.roles, &state, &[])?;
        Ok(moves.iter().any(|moves| !moves.is_empty()).then_some(moves))
    }

    /// Everything that holds in a state, and with the joint move if one is given: all atoms but
    /// those of `true` and `does`, in prefix form, sorted. Relations that proved too large to be
    /// listed are left out.
    pub fn views(
        &mut self,
        state: &State,
        joint: Option<&[GroundTerm]>,
    ) -> Result<Vec<String>, ReferenceError> {
        let moves = joint.map(|joint| self.moves(joint)).transpose()?.unwrap_or_default();
        let program = &self.model.program;
        let derived = |&relation: &RelationId| {
            let name = program.relations[relation];
            name != (keyword::TRUE, 1) && name != (keyword::DOES, 2)
        };
        let relations: Vec<RelationId> = program.relations.ids().filter(derived).collect();
        let question = self.model.question(&relations);
        self.model.ask(&question, state, &moves)?;
        let mut atoms = Vec::new();
        for relation in relations.into_iter().filter(|&relation| self.model.is_listed(relation)) {
            let Program { symbols, terms, relations, .. } = &self.model.program;
            let name = relations[relation].0;
            let rows = self.model.rows(relation);
            atoms.extend(rows.map(|row| terms.atom_text(symbols, name, row)));
        }
        atoms.sort_unstable();
        Ok(atoms)
    }

    /// A term in prefix form, with single blanks.
    pub fn text(&self, term: GroundTerm) -> String {
        let mut text = String::new();
        self.model.program.terms.write(&self.model.program.symbols, term, &mut text);
        text
    }

    /// Terms in prefix form, sorted.
    pub fn sorted_texts(&self, terms: &[GroundTerm]) -> Vec<String> {
        let mut texts: Vec<String> = terms.iter().map(|&term| self.text(term)).collect();
        texts.sort_unstable();
        texts
    }

    /// Terms from their prefix form, such as `(mark 1 1) noop`. Names the rulesheet does not have
    /// are accepted; they match nothing in it.
    pub fn terms_from_text(&mut self, text: &str) -> Result<Vec<GroundTerm>, ReferenceError> {
        read_terms(&mut self.model.program, text)
    }

    /// A state from its fluents in prefix form, such as `(cell 1 1 x) (control o)`.
    pub fn state_from_text(&mut self, text: &str) -> Result<State, ReferenceError> {
        Ok(State::of(self.terms_from_text(text)?))
    }

    fn moves(&self, joint: &[GroundTerm]) -> Result<Vec<(GroundTerm, GroundTerm)>, ReferenceError> {
        let (roles, found) = (self.roles.len(), joint.len());
        if roles != found {
            return Err(ReferenceError::JointMove { roles, found });
        }
        Ok(self.roles.iter().copied().zip(joint.iter().copied()).collect())
    }
}

/// The only arguments of a relation's atoms.
fn unary(
    model: &mut Model,
    asked: &Asked,
    state: &State,
    moves: &[(GroundTerm, GroundTerm)],
) -> Result<Vec<GroundTerm>, ReferenceError> {
    let Some(relation) = asked.relation else { return Ok(Vec::new()) };
    model.ask(&asked.question, state, moves)?;
    Ok(model.rows(relation).map(|row| row[0]).collect())
}

/// For each role the second arguments of the atoms that begin with it.
fn by_role(
    model: &mut Model,
    asked: &Asked,
    roles: &[GroundTerm],
    state: &State,
    moves: &[(GroundTerm, GroundTerm)],
) -> Result<Vec<Vec<GroundTerm>>, ReferenceError> {
    let mut answers = vec![Vec::new(); roles.len()];
    let Some(relation) = asked.relation else { return Ok(answers) };
    model.ask(&asked.question, state, moves)?;
    for row in model.rows(relation) {
        if let Some(role) = roles.iter().position(|&role| role == row[0]) {
            answers[role].push(row[1]);
        }
    }
    let terms = &model.program.terms;
    for answer in &mut answers {
        answer.sort_unstable_by(|&left, &right| terms.compare(left, right));
    }
    Ok(answers)
}
