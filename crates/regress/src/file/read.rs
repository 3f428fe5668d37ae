//! Text to automaton. All problems are reported, not only the first.

use gambol_index::IndexVec;

use super::lexer::{Placed, Token, tokens};
use super::names::Names;
use super::{FileError, Problem};
use crate::automaton::{
    AgentId, Automaton, Fact, FactPlace, Node, NodeId, NodeKind, Outcome, OutcomeId, Transition,
    Variable,
};
use crate::build::{Draft, Move, default_endless};
use crate::cube::{Cube, Layout, ValueIndex, VariableId};

/// Files larger than this are refused.
const MOST_BYTES: usize = 64 << 20;

/// Reads an automaton.
///
/// ```
/// use gambol_regress::read_automaton;
/// let error = read_automaton("autre 1\nplayers A\nnode x B\n").unwrap_err();
/// let said = error.to_string();
/// assert!(said.contains("line 3, column 8: no player is called `B`"), "{said}");
/// ```
pub fn read_automaton(text: &str) -> Result<Automaton, FileError> {
    if text.len() > MOST_BYTES {
        let message = format!("the file is larger than {} MiB", MOST_BYTES >> 20);
        return Err(FileError(vec![Problem { line: 1, column: 1, message }]));
    }
    let mut reader = Reader::default();
    reader.split(text);
    reader.read_declarations();
    let draft = reader.read_moves();
    if reader.problems.is_empty() {
        if let Some(draft) = draft {
            return Ok(draft.finish());
        }
        reader.complain(1, 1, "there is nothing in the file; it must begin with `autre 1`");
    }
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    Err(FileError(reader.problems))
}

type Step<T> = Result<T, Problem>;

struct Reader {
    lines: Vec<Vec<Placed>>,
    problems: Vec<Problem>,
    name: String,
    agents: IndexVec<AgentId, Box<str>>,
    variables: IndexVec<VariableId, Variable>,
    outcomes: IndexVec<OutcomeId, Outcome>,
    endless: Option<IndexVec<AgentId, i64>>,
    nodes: IndexVec<NodeId, Node>,
    agent_names: Names<AgentId>,
    variable_names: Names<VariableId>,
    outcome_names: Names<OutcomeId>,
    node_names: Names<NodeId>,
    last_line: u32,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            problems: Vec::new(),
            name: "automaton".to_string(),
            agents: IndexVec::new(),
            variables: IndexVec::new(),
            outcomes: IndexVec::new(),
            endless: None,
            nodes: IndexVec::new(),
            agent_names: Names::new("player"),
            variable_names: Names::new("variable"),
            outcome_names: Names::new("outcome"),
            node_names: Names::new("node"),
            last_line: 1,
        }
    }
}

impl Reader {
    fn complain(&mut self, line: u32, column: u32, message: &str) {
        self.problems.push(Problem { line, column, message: message.to_string() });
    }

    fn note<T>(&mut self, result: Step<T>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn split(&mut self, text: &str) {
        for (number, line) in text.lines().enumerate() {
            self.last_line = number as u32 + 1;
            let found = tokens(line, self.last_line);
            if let Some(line) = self.note(found).filter(|line| !line.is_empty()) {
                self.lines.push(line);
            }
        }
        let header = self.lines.first().map(|line| check_header(line));
        if let Some(header) = header {
            self.note(header);
        }
    }

    /// Declarations of one kind before those that use them, wherever they stand.
    fn read_declarations(&mut self) {
        let passes: [&[&str]; 4] =
            [&["name", "players", "var"], &["outcome", "endless"], &["node", "goal"], &[]];
        let lines = std::mem::take(&mut self.lines);
        for (pass, keywords) in passes.iter().enumerate() {
            for line in lines.iter().skip(1) {
                let keyword = line[0].word().unwrap_or_default();
                let unknown = pass == 3 && !KEYWORDS.contains(&keyword);
                let result = match keyword {
                    _ if unknown => Err(line[0].problem(format!(
                        "a line cannot begin with this; it begins with one of {}",
                        KEYWORDS.join(", ")
                    ))),
                    keyword if keywords.contains(&keyword) => self.declare(keyword, line),
                    _ => Ok(()),
                };
                self.note(result);
            }
        }
        self.lines = lines;
    }

    fn declare(&mut self, keyword: &str, line: &[Placed]) -> Step<()> {
        match keyword {
            "name" => {
                self.name = word(line, 1, "a name")?.to_string();
                end(line, 2)
            }
            "players" => self.declare_players(line),
            "var" => self.declare_variable(line),
            "outcome" => self.declare_outcome(line),
            "endless" => {
                self.endless = Some(self.rewards(line, 1)?);
                Ok(())
            }
            _ => self.declare_node(keyword, line),
        }
    }

    fn declare_players(&mut self, line: &[Placed]) -> Step<()> {
        word(line, 1, "a player's name")?;
        for place in 1..line.len() {
            let name = word(line, place, "a player's name")?;
            self.agent_names.declare(name, &line[place])?;
            self.agents.push(name.into());
        }
        Ok(())
    }

    fn declare_variable(&mut self, line: &[Placed]) -> Step<()> {
        let name = word(line, 1, "the variable's name")?;
        word(line, 2, "at least one value")?;
        let mut values: Vec<Box<str>> = Vec::new();
        for place in 2..line.len() {
            let value = word(line, place, "a value")?;
            if values.iter().any(|other| **other == *value) {
                return Err(line[place].problem(format!("`{name}` has the value `{value}` twice")));
            }
            values.push(value.into());
        }
        if values.len() > usize::from(ValueIndex::MAX) {
            return Err(line[1].problem("a variable has at most 65535 values"));
        }
        self.variable_names.declare(name, &line[1])?;
        self.variables.push(Variable { name: name.into(), values });
        Ok(())
    }

    fn declare_outcome(&mut self, line: &[Placed]) -> Step<()> {
        let name = word(line, 1, "the outcome's name")?;
        self.outcome_names.declare(name, &line[1])?;
        // Declared even if its rewards are wrong, so that its uses are no further problem.
        let rewards = self.rewards(line, 2);
        let none = || IndexVec::filled(0, self.agents.len());
        let outcome = Outcome {
            name: name.into(),
            rewards: rewards.as_ref().map_or_else(|_| none(), Clone::clone),
        };
        self.outcomes.push(outcome);
        rewards.map(|_| ())
    }

    fn rewards(&self, line: &[Placed], from: usize) -> Step<IndexVec<AgentId, i64>> {
        let mut rewards: IndexVec<AgentId, Option<i64>> = IndexVec::filled(None, self.agents.len());
        let mut at = from;
        while at < line.len() {
            let agent = self.agent_names.find(word(line, at, "a player")?, &line[at])?;
            sign(line, at + 1, &Token::Equals, "=")?;
            let number = word(line, at + 2, "a reward")?;
            let reward = number
                .parse::<i32>()
                .map_err(|_| line[at + 2].problem(format!("`{number}` is not a whole number")))?;
            rewards[agent] = Some(i64::from(reward));
            at += 3;
        }
        let missing = rewards.iter_ids().find(|(_, reward)| reward.is_none());
        if let Some((agent, _)) = missing {
            return Err(line[0].problem(format!("no reward for `{}`", self.agents[agent])));
        }
        Ok(rewards.into_vec().into_iter().flatten().collect())
    }

    fn declare_node(&mut self, keyword: &str, line: &[Placed]) -> Step<()> {
        let name = word(line, 1, "the node's name")?;
        self.node_names.declare(name, &line[1])?;
        let owner = word(line, 2, if keyword == "node" { "who acts there" } else { "an outcome" });
        let kind = owner.and_then(|owner| match keyword {
            "node" => Ok(NodeKind::Choice(self.agent_names.find(owner, &line[2])?)),
            _ => Ok(NodeKind::Goal(self.outcome_names.find(owner, &line[2])?)),
        });
        let kept = *kind.as_ref().unwrap_or(&NodeKind::Goal(OutcomeId::new(0)));
        self.nodes.push(Node { name: name.into(), kind: kept, groups: Vec::new() });
        kind?;
        end(line, 3)
    }

    /// Everything that speaks of values and transitions.
    fn read_moves(&mut self) -> Option<Draft> {
        if self.lines.is_empty() {
            return None;
        }
        let sizes = self.variables.iter().map(|variable| variable.values.len() as ValueIndex);
        let layout = Layout::new(sizes.collect());
        let mut draft = Draft::new(&self.name, layout);
        let lines = std::mem::take(&mut self.lines);
        let mut place = MovePlace { node: None, group: 0 };
        for line in &lines[1..] {
            let result = self.read_move_line(line, &mut place, &mut draft);
            self.note(result);
        }
        let mut terms: Vec<&str> = draft.facts.iter().map(|fact| &*fact.term).collect();
        terms.sort_unstable();
        if let Some(twice) = terms.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("the fact `{}` is declared twice", twice[0]);
            self.complain(self.last_line, 1, &message);
        }
        if draft.start.is_none() {
            self.complain(self.last_line, 1, "there is no `start` line with every variable set");
        }
        if self.agents.is_empty() {
            self.complain(self.last_line, 1, "there is no `players` line");
        }
        draft.agents = std::mem::take(&mut self.agents);
        draft.variables = std::mem::take(&mut self.variables);
        draft.outcomes = std::mem::take(&mut self.outcomes);
        draft.nodes = std::mem::take(&mut self.nodes);
        draft.endless =
            self.endless.take().unwrap_or_else(|| default_endless(&draft.agents, &draft.outcomes));
        Some(draft)
    }

    fn read_move_line(
        &self,
        line: &[Placed],
        place: &mut MovePlace,
        draft: &mut Draft,
    ) -> Step<()> {
        match line[0].word().unwrap_or_default() {
            "start" => self.read_start(line, draft),
            "never" => {
                let cube = self.condition(line, 1, line.len(), &draft.layout)?;
                draft.forbidden.push(cube);
                Ok(())
            }
            "fact" => self.read_fact(line, draft),
            "from" => self.read_from(line, place, draft),
            "else" => {
                place.node.ok_or_else(|| line[0].problem("`else` stands inside `from`"))?;
                place.group += 1;
                end(line, 1)
            }
            "move" => {
                let node = place
                    .node
                    .ok_or_else(|| line[0].problem("`move` stands inside `from NODE`"))?;
                let transition = self.read_move(line, &draft.layout)?;
                draft.moves.push(Move { node, group: place.group, transition });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `fact TERM always`, `fact TERM at NODE` or `fact TERM v=a`.
    fn read_fact(&self, line: &[Placed], draft: &mut Draft) -> Step<()> {
        let term = word(line, 1, "a term")?;
        let place = match (word(line, 2, "where it is true")?, line.get(3).map(|at| &at.token)) {
            (name, Some(Token::Equals)) => {
                let variable = self.variable_names.find(name, &line[2])?;
                end(line, 5)?;
                FactPlace::Value(variable, self.value(line, 4, variable)?)
            }
            ("at", _) => {
                end(line, 4)?;
                FactPlace::Node(self.node_names.find(word(line, 3, "a node")?, &line[3])?)
            }
            ("always", None) => FactPlace::Always,
            _ => return Err(line[2].problem("`always`, `at NODE` or v=a is expected here")),
        };
        draft.facts.push(Fact { term: term.into(), place });
        Ok(())
    }

    fn read_from(&self, line: &[Placed], place: &mut MovePlace, draft: &mut Draft) -> Step<()> {
        // Even if the name is wrong, what follows belongs to it and to no earlier node.
        *place = MovePlace { node: None, group: 0 };
        let node = self.node_names.find(word(line, 1, "a node")?, &line[1])?;
        place.node = Some(node);
        if matches!(self.nodes[node].kind, NodeKind::Goal(_)) {
            return Err(line[1].problem("nothing leads on from a goal"));
        }
        if draft.moves.iter().any(|other| other.node == node) {
            return Err(line[1].problem("this node has its moves already; put them together"));
        }
        end(line, 2)
    }

    fn read_start(&self, line: &[Placed], draft: &mut Draft) -> Step<()> {
        if draft.start.is_some() {
            return Err(line[0].problem("there is a `start` line already"));
        }
        let node = self.node_names.find(word(line, 1, "the first node")?, &line[1])?;
        let pairs = self.assignments(line, 2, line.len())?;
        let mut values: IndexVec<VariableId, Option<ValueIndex>> =
            IndexVec::filled(None, self.variables.len());
        pairs.iter().for_each(|&(variable, value)| values[variable] = Some(value));
        if let Some((variable, _)) = values.iter_ids().find(|(_, value)| value.is_none()) {
            let name = &self.variables[variable].name;
            return Err(line[0].problem(format!("`{name}` has no value at the start")));
        }
        let values = values.into_vec().into_iter().flatten().collect();
        draft.start = Some((node, draft.layout.state(&values)));
        Ok(())
    }

    /// `move NAME to NODE [set v=a …] [when CONDITION]`.
    fn read_move(&self, line: &[Placed], layout: &Layout) -> Step<Transition> {
        let name = word(line, 1, "the move's name")?;
        let to = word(line, 2, "`to NODE`")?;
        if to != "to" {
            return Err(line[2].problem("after the move's name comes `to NODE`"));
        }
        let target = self.node_names.find(word(line, 3, "a node")?, &line[3])?;
        // After a sign the words `set` and `when` are values like any other.
        let at_part = |place: &usize| {
            matches!(line[*place].word(), Some("set" | "when")) && line[*place - 1].word().is_some()
        };
        let starts: Vec<usize> = (4..line.len()).filter(at_part).collect();
        if starts.first().is_none_or(|&first| first != 4) {
            end(line, 4)?;
        }
        let (mut guard, mut assignments) = (layout.everything().clone(), Vec::new());
        for (part, &start) in starts.iter().enumerate() {
            let stop = starts.get(part + 1).copied().unwrap_or(line.len());
            match line[start].word() {
                Some("set") => assignments.extend(self.assignments(line, start + 1, stop)?),
                _ => guard = guard.and(&self.condition(line, start + 1, stop, layout)?),
            }
        }
        if layout.is_empty(&guard) {
            return Err(line[0].problem("no state satisfies the conditions of this move"));
        }
        Ok(Transition::new(layout, name, target, guard, assignments))
    }

    fn assignments(
        &self,
        line: &[Placed],
        from: usize,
        to: usize,
    ) -> Step<Vec<(VariableId, ValueIndex)>> {
        let mut pairs: Vec<(VariableId, ValueIndex)> = Vec::new();
        let mut at = from;
        while at < to {
            let variable = self.variable_names.find(word(line, at, "a variable")?, &line[at])?;
            sign(line, at + 1, &Token::Equals, "=")?;
            if pairs.iter().any(|pair| pair.0 == variable) {
                return Err(line[at].problem("this variable is set twice"));
            }
            pairs.push((variable, self.value(line, at + 2, variable)?));
            at += 3;
        }
        if pairs.is_empty() && line[0].word() == Some("move") {
            return Err(line[from - 1].problem("`set` needs v=a"));
        }
        Ok(pairs)
    }

    fn value(&self, line: &[Placed], at: usize, variable: VariableId) -> Step<ValueIndex> {
        let name = word(line, at, "a value")?;
        let variable = &self.variables[variable];
        let place = variable.values.iter().position(|value| **value == *name);
        let unknown = || {
            let values = variable.values.join(", ");
            line[at]
                .problem(format!("`{}` cannot be `{name}`; it is one of {values}", variable.name))
        };
        place.map(|place| place as ValueIndex).ok_or_else(unknown)
    }

    /// The cube of `v=a`, `v!=a` and `v in a,b` side by side.
    fn condition(&self, line: &[Placed], from: usize, to: usize, layout: &Layout) -> Step<Cube> {
        let mut cube = layout.everything().clone();
        if from >= to {
            return Err(line[from - 1].problem("a condition must follow: v=a, v!=a or v in a,b"));
        }
        let mut at = from;
        while at < to {
            let variable = self.variable_names.find(word(line, at, "a variable")?, &line[at])?;
            let mut literal = layout.everything().clone();
            let next = line.get(at + 1).map(|placed| &placed.token);
            if next == Some(&Token::Differs) {
                layout.forbid(&mut literal, variable, self.value(line, at + 2, variable)?);
                at += 3;
            } else {
                let several = next == Some(&Token::Word("in".to_string()));
                if !several {
                    sign(line, at + 1, &Token::Equals, "=, != or in")?;
                }
                layout.fix(&mut literal, variable, self.value(line, at + 2, variable)?);
                at += 3;
                while line.get(at).is_some_and(|placed| several && placed.token == Token::Comma) {
                    layout.allow(&mut literal, variable, self.value(line, at + 1, variable)?);
                    at += 2;
                }
            }
            cube = cube.and(&literal);
        }
        if layout.is_empty(&cube) {
            return Err(line[from].problem("no state satisfies this condition"));
        }
        Ok(cube)
    }
}

const KEYWORDS: [&str; 13] = [
    "name", "players", "var", "outcome", "endless", "node", "goal", "start", "never", "fact",
    "from", "move", "else",
];

struct MovePlace {
    node: Option<NodeId>,
    group: usize,
}

fn check_header(line: &[Placed]) -> Step<()> {
    match (line[0].word(), line.get(1).and_then(Placed::word)) {
        (Some("autre"), Some("1")) => end(line, 2),
        (Some("autre"), Some(version)) => {
            Err(line[1]
                .problem(format!("this program reads version 1 of the format, not `{version}`")))
        }
        _ => Err(line[0].problem("the first line must be `autre 1`")),
    }
}

fn word<'a>(line: &'a [Placed], at: usize, what: &str) -> Step<&'a str> {
    let last = &line[line.len() - 1];
    let found = line.get(at).ok_or_else(|| last.problem(format!("{what} must follow")))?;
    found.word().ok_or_else(|| found.problem(format!("{what} is expected here")))
}

fn sign(line: &[Placed], at: usize, token: &Token, text: &str) -> Step<()> {
    let last = &line[line.len() - 1];
    let found = line.get(at).ok_or_else(|| last.problem(format!("`{text}` must follow")))?;
    if found.token == *token {
        Ok(())
    } else {
        Err(found.problem(format!("`{text}` is expected here")))
    }
}

fn end(line: &[Placed], at: usize) -> Step<()> {
    line.get(at).map_or(Ok(()), |extra| Err(extra.problem("nothing more belongs on this line")))
}
