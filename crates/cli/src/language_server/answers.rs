//! What names mean, where they stand, how they are changed, and how the text is printed anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gambol::lint::{explain, keyword_meaning};
use gambol::syntax::{
    NameKind, Notation, Occurrence, Span, Symbols, has_errors, occurrences, print, read,
};
use serde_json::{Value, json};

use super::document::Document;
use super::wire::Refusal;

/// So many rules are shown when one points at a name.
const MOST_RULES: usize = 4;

impl Document {
    /// What is wrong here, and what the name means.
    pub(super) fn hover(&self, parameters: &Value) -> Result<Value, Refusal> {
        let byte = self.offset(parameters)?;
        let mut text = self.explanations(byte);
        let name = self.name_at(byte);
        match name {
            Some(name) => text += &self.meaning(name),
            None => text += keyword_meaning(self.word_at(byte)).unwrap_or_default(),
        }
        if text.is_empty() {
            return Ok(Value::Null);
        }
        let contents = json!({ "kind": "markdown", "value": text });
        Ok(match name {
            Some(name) => json!({ "contents": contents, "range": self.range(name.span) }),
            None => json!({ "contents": contents }),
        })
    }

    /// The codes of what is wrong at a place, explained.
    fn explanations(&self, byte: usize) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            let here = |span: Span| span.start as usize <= byte && byte <= span.end as usize;
            let (true, Some(why)) = (finding.span.is_some_and(here), explain(finding.category))
            else {
                continue;
            };
            let why = why.split("```").next().unwrap_or_default().trim();
            let _ = writeln!(text, "**{}**: {why}\n", finding.category);
        }
        text
    }

    fn meaning(&self, name: &Occurrence) -> String {
        let word = self.name_of(name);
        if let Some(meaning) = keyword_meaning(word).filter(|_| name.kind == NameKind::Relation) {
            return meaning.to_string();
        }
        let (defined, used) = self.counts(name);
        let what = match name.kind {
            NameKind::Variable => {
                return format!("variable `{word}`: {} in this rule", times(defined + used));
            }
            NameKind::Relation => "relation",
            NameKind::Function => "name",
        };
        let mut text =
            format!("{what} `{word}`: defined {}, used {}\n", times(defined), times(used));
        let rules = self.same(name).filter(|it| it.defines).take(MOST_RULES);
        for rule in rules.filter_map(|it| self.clause(it.clause)) {
            let _ = write!(text, "\n```\n{rule}\n```\n");
        }
        text
    }

    fn counts(&self, name: &Occurrence) -> (usize, usize) {
        let defined = self.same(name).filter(|it| it.defines).count();
        (defined, self.same(name).count() - defined)
    }

    fn clause(&self, number: usize) -> Option<&str> {
        Some(self.written(self.rules.as_ref()?.clauses.get(number)?.span))
    }

    fn name_of(&self, name: &Occurrence) -> &str {
        self.rules.as_ref().map_or("", |rules| rules.symbols.text(name.name))
    }

    /// The letters around a place.
    fn word_at(&self, byte: usize) -> &str {
        let is_end = |letter: char| letter.is_whitespace() || "(),&|~:;%".contains(letter);
        let start = self.text[..byte].rfind(is_end).map_or(0, |place| place + 1);
        let end = self.text[byte..].find(is_end).map_or(self.text.len(), |place| byte + place);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Where it is said what a name means.
    pub(super) fn definition(&self, parameters: &Value) -> Result<Value, Refusal> {
        let Some(name) = self.name_at(self.offset(parameters)?) else { return Ok(Value::Null) };
        let defined = self.same(name).filter(|it| it.defines);
        Ok(defined.map(|it| self.location(it.span)).collect())
    }

    /// Every place of a name.
    pub(super) fn references(&self, parameters: &Value) -> Result<Value, Refusal> {
        let Some(name) = self.name_at(self.offset(parameters)?) else { return Ok(Value::Null) };
        let all = parameters["context"]["includeDeclaration"].as_bool().unwrap_or(true);
        let places = self.same(name).filter(|it| all || !it.defines);
        Ok(places.map(|it| self.location(it.span)).collect())
    }

    fn location(&self, span: Span) -> Value {
        json!({ "uri": self.address, "range": self.range(span) })
    }

    /// Whether what stands here can be given another name.
    pub(super) fn prepare_rename(&self, parameters: &Value) -> Result<Value, Refusal> {
        let name = self.changeable(parameters)?;
        Ok(json!({ "range": self.range(name.span), "placeholder": self.written(name.span) }))
    }

    fn changeable(&self, parameters: &Value) -> Result<&Occurrence, Refusal> {
        let name = self.name_at(self.offset(parameters)?);
        let name = name.ok_or_else(|| Refusal::of("there is no name here"))?;
        let reserved = Symbols::reserved(self.name_of(name)).is_some();
        if reserved && name.kind != NameKind::Variable {
            return Err(Refusal::of("a word of the language keeps its name"));
        }
        Ok(name)
    }

    /// Another name, wherever it stands. The new text must say the same: every name stands for what
    /// it stood for.
    pub(super) fn rename(&self, parameters: &Value) -> Result<Value, Refusal> {
        let name = self.changeable(parameters)?;
        let wanted = parameters["newName"].as_str().ok_or_else(Refusal::invalid)?;
        let wanted = match name.kind {
            NameKind::Variable if self.written(name.span).starts_with('?') => {
                format!("?{}", wanted.trim_start_matches('?'))
            }
            _ => wanted.to_string(),
        };
        let places: Vec<Span> = self.same(name).map(|it| it.span).collect();
        if !self.keeps_its_meaning(&places, &wanted) {
            return Err(Refusal::of(format!(
                "{wanted} is no name, or it is used for something else"
            )));
        }
        let edit = |&span: &Span| json!({ "range": self.range(span), "newText": wanted });
        let edits: Vec<Value> = places.iter().map(edit).collect();
        Ok(json!({ "changes": { &self.address: edits } }))
    }

    /// Whether the same names are the same after the change, and different ones different.
    fn keeps_its_meaning(&self, places: &[Span], wanted: &str) -> bool {
        let mut text = self.text.clone();
        for span in places.iter().rev() {
            text.replace_range(span.start as usize..span.end as usize, wanted);
        }
        let Some(rules) = read(text.as_bytes(), &self.options).rules else { return false };
        let names = occurrences(&rules, text.as_bytes());
        first_places(&names) == first_places(&self.names)
    }

    /// The text as `gambol fmt` prints it; nothing if it does not parse.
    pub(super) fn formatting(&self) -> Result<Value, Refusal> {
        let reading = read(self.text.as_bytes(), &self.options);
        let Some(rules) = reading.rules.filter(|_| !has_errors(&reading.diagnoses)) else {
            return Err(Refusal::of("the text does not parse"));
        };
        let text = match Notation::of(self.text.as_bytes()) {
            Notation::Prefix => print::to_prefix(&rules),
            Notation::Infix => print::to_infix(&rules),
        };
        if text == self.text {
            return Ok(json!([]));
        }
        Ok(json!([{ "range": self.whole(), "newText": text }]))
    }

    /// The relations that are defined, each at its first rule.
    pub(super) fn symbols(&self) -> Result<Value, Refusal> {
        const FUNCTION: u32 = 12;
        let Some(rules) = &self.rules else { return Ok(json!([])) };
        let mut seen = BTreeSet::new();
        let heads = self.names.iter().filter(|it| it.defines && it.kind == NameKind::Relation);
        let first = heads.filter(|it| seen.insert(it.name));
        let symbol = |it: &Occurrence| {
            let whole = rules.clauses[it.clause].span;
            json!({
                "name": self.name_of(it),
                "kind": FUNCTION,
                "range": self.range(whole),
                "selectionRange": self.range(it.span),
            })
        };
        Ok(first.map(symbol).collect())
    }
}

/// For each name the number of the first that stands for the same thing.
fn first_places(names: &[Occurrence]) -> Vec<usize> {
    let mut first = BTreeMap::new();
    names
        .iter()
        .enumerate()
        .map(|(number, one)| *first.entry(one.key()).or_insert(number))
        .collect()
}

fn times(count: usize) -> String {
    match count {
        0 => "nowhere".to_string(),
        1 => "once".to_string(),
        2 => "twice".to_string(),
        count => format!("{count} times"),
    }
}
