//! `gambol lsp`: a conversation as an editor has it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const ADDRESS: &str = "file:///lamp.kif";
/// One fluent is misspelt, in the last line; the variable of the rule stands in two places.
const LAMP: &str = "(role r) (init (lamp off))
(legal r press)
(<= (next (lamp on)) (does ?who press) (role ?who))
(<= (next (lamp ?x)) (true (lamp ?x)) (not pressed))
(<= pressed (does r press))
(<= terminal (true (lamp on)))
(<= (goal r 100) (true (lmap on)))
(<= (goal r 0) (true (lamp off)))
";

/// A server and its editor.
struct Editor {
    server: Child,
    answers: BufReader<ChildStdout>,
    number: u64,
}

impl Editor {
    fn open(text: &str) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_gambol"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let answers = BufReader::new(server.stdout.take().expect("it is piped"));
        let mut editor = Self { server, answers, number: 0 };
        let begun = editor.ask("initialize", json!({ "capabilities": {} }));
        assert_eq!(begun["result"]["capabilities"]["hoverProvider"], true);
        editor.tell("initialized", json!({}));
        editor.tell(
            "textDocument/didOpen",
            json!({ "textDocument": {
            "uri": ADDRESS, "languageId": "gdl", "version": 1, "text": text } }),
        );
        editor
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        let input = self.server.stdin.as_mut().expect("it is piped");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it listens");
    }

    fn tell(&mut self, method: &str, parameters: Value) {
        self.send(json!({ "method": method, "params": parameters }));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).expect("it speaks") > 0, "it hung up");
            match line.trim_end().split_once(": ") {
                Some((_, value)) => length = value.parse().expect("a length"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.answers.read_exact(&mut body).expect("the whole message");
        serde_json::from_slice(&body).expect("an object")
    }

    /// The answer to a question; notices that come before it are passed over.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let number = self.number;
        self.send(json!({ "id": number, "method": method, "params": parameters }));
        loop {
            let answer = self.receive();
            if answer["id"] == number {
                return answer;
            }
        }
    }

    fn ask_at(&mut self, method: &str, line: u32, column: u32, more: Value) -> Value {
        let mut parameters = json!({ "textDocument": { "uri": ADDRESS },
            "position": { "line": line, "character": column } });
        parameters
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        self.ask(method, parameters)
    }

    fn diagnoses(&mut self) -> Value {
        loop {
            let notice = self.receive();
            if notice["method"] == "textDocument/publishDiagnostics" {
                return notice["params"]["diagnostics"].clone();
            }
        }
    }

    /// Its exit code after an orderly farewell.
    fn leave(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.server.wait().expect("it ends").code()
    }
}

#[test]
fn what_is_wrong_is_told_and_mended_while_one_types() {
    let mut editor = Editor::open(LAMP);
    let found = editor.diagnoses();
    assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(found[0]["code"], "warn.never-true");
    assert_eq!(found[0]["severity"], 2);
    assert_eq!(found[0]["range"]["start"], json!({ "line": 6, "character": 24 }));
    let actions = editor.ask(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": ADDRESS },
        "range": found[0]["range"], "context": { "diagnostics": found } }),
    );
    let edit = &actions["result"][0]["edit"]["changes"][ADDRESS][0];
    assert_eq!(edit["newText"], "lamp", "{actions}");
    assert_eq!(edit["range"]["end"], json!({ "line": 6, "character": 28 }));
    editor.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": ADDRESS, "version": 2 },
        "contentChanges": [{ "text": LAMP.replace("lmap", "lamp") }] }),
    );
    assert_eq!(editor.diagnoses(), json!([]));
    editor.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": ADDRESS, "version": 3 },
        "contentChanges": [{ "text": "(role r" }] }),
    );
    assert_eq!(editor.diagnoses()[0]["severity"], 1);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn names_are_explained_followed_and_changed() {
    let mut editor = Editor::open(LAMP);
    let hover = editor.ask_at("textDocument/hover", 3, 5, json!({}));
    assert!(
        hover["result"]["contents"]["value"].as_str().unwrap().contains("next state"),
        "{hover}"
    );
    let hover = editor.ask_at("textDocument/hover", 3, 44, json!({}));
    let told = hover["result"]["contents"]["value"].as_str().unwrap().to_string();
    assert!(told.contains("defined once, used once") && told.contains("(does r press)"), "{told}");
    let defined = editor.ask_at("textDocument/definition", 3, 44, json!({}));
    assert_eq!(defined["result"][0]["range"]["start"], json!({ "line": 4, "character": 4 }));
    let lamps = editor.ask_at("textDocument/references", 5, 20, json!({}));
    assert_eq!(lamps["result"].as_array().map(Vec::len), Some(6), "{lamps}");
    let renamed = editor.ask_at("textDocument/rename", 3, 17, json!({ "newName": "state" }));
    let edits = renamed["result"]["changes"][ADDRESS].as_array().expect("edits").clone();
    assert_eq!(edits.len(), 2);
    assert!(edits.iter().all(|edit| edit["newText"] == "?state"));
    for (line, column, wanted) in
        [(3, 44, "lamp two"), (3, 44, "role"), (3, 11, "press"), (3, 5, "then")]
    {
        let refused =
            editor.ask_at("textDocument/rename", line, column, json!({ "newName": wanted }));
        assert!(refused["error"]["message"].is_string(), "{wanted}: {refused}");
    }
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_text_is_printed_anew_and_strange_questions_are_refused() {
    let mut editor = Editor::open("(role   r)  (legal r\n go)");
    let edits =
        editor.ask("textDocument/formatting", json!({ "textDocument": { "uri": ADDRESS } }));
    assert_eq!(edits["result"][0]["newText"], "(role r)\n(legal r go)\n");
    assert_eq!(edits["result"][0]["range"]["end"], json!({ "line": 1, "character": 4 }));
    assert_eq!(editor.ask("textDocument/juggle", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.ask("textDocument/hover", json!({}))["error"]["code"], -32602);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().expect("it ends").code(), Some(1));
}

/// Numbers that look random: the same ones for the same seed (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }
}

/// A conversation about damaged rules, at places that need not be there.
fn conversation(numbers: &mut Numbers) -> Vec<u8> {
    let mut rules: Vec<char> = LAMP.chars().collect();
    for _ in 0..numbers.below(5) {
        let place = numbers.below(rules.len());
        rules[place] = ['(', ')', '?', '\0', 'é', '😀', ';', '\r'][numbers.below(8)];
    }
    let rules: String = rules.into_iter().collect();
    let document = json!({ "uri": ADDRESS, "languageId": "gdl", "version": 1, "text": rules });
    let mut messages = vec![
        json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }),
    ];
    let methods = [
        "hover",
        "definition",
        "references",
        "rename",
        "formatting",
        "completion",
        "documentSymbol",
    ];
    for id in 2..8 {
        let place = [0, 1, 5, 9, 40, usize::MAX];
        let [line, column] = [0; 2].map(|_| place[numbers.below(place.len())]);
        let method = format!("textDocument/{}", methods[numbers.below(methods.len())]);
        let name = ["x", "", "(", "é"][numbers.below(4)];
        let parameters = json!({ "textDocument": { "uri": ADDRESS },
            "position": { "line": line, "character": column }, "newName": name,
            "options": { "tabSize": 2, "insertSpaces": true } });
        messages.push(json!({ "id": id, "method": method, "params": parameters }));
    }
    messages.push(json!({ "id": 9, "method": "shutdown" }));
    messages.push(json!({ "method": "exit" }));
    let mut bytes = Vec::new();
    for mut message in messages {
        message["jsonrpc"] = "2.0".into();
        let body = message.to_string();
        bytes.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }
    bytes
}

#[test]
fn a_damaged_conversation_ends_without_a_panic() {
    let cases = std::env::var("GAMBOL_CASES").ok().and_then(|text| text.parse().ok());
    for case in 0..cases.unwrap_or(40) {
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15 ^ (case + 1));
        let mut bytes = conversation(&mut numbers);
        for _ in 0..numbers.below(4) {
            let place = numbers.below(bytes.len());
            bytes[place] = numbers.below(256) as u8;
        }
        if numbers.below(4) == 0 {
            bytes.truncate(numbers.below(bytes.len()));
        }
        let mut server = Command::new(env!("CARGO_BIN_EXE_gambol"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        // It may have hung up over a damaged message.
        let _ = server.stdin.take().expect("it is piped").write_all(&bytes);
        let output = server.wait_with_output().expect("it ends");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(!complaint.contains("panicked"), "case {case}: {complaint}");
        assert!(output.status.code().is_some(), "case {case}: {output:?}");
    }
}
