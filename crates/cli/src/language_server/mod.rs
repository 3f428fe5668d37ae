//! The language server protocol: what an editor asks about rules, and what it is told.
//!
//! Messages are read by a thread of their own, so that a text is checked only when no newer one
//! waits: nobody wants to know what was wrong three letters ago.

mod answers;
mod diagnoses;
mod document;
mod wire;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use gambol::syntax::ReadOptions;
use serde_json::{Value, json};

use document::Document;
use wire::{Message, Refusal};

/// Serves until the editor says `exit` or hangs up; whether it said `shutdown` before.
pub(crate) fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write,
    read: ReadOptions,
) -> anyhow::Result<bool> {
    let (sender, messages) = channel();
    std::thread::spawn(move || {
        while let Ok(Some(message)) = wire::receive(&mut input) {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    let mut server = Server { output, read, open: BTreeMap::new(), stale: Vec::new(), over: false };
    while let Some(message) = server.next(&messages)? {
        if message.method == "exit" {
            return Ok(server.over);
        }
        server.take(message)?;
    }
    Ok(server.over)
}

struct Server<W> {
    output: W,
    read: ReadOptions,
    open: BTreeMap<String, Document>,
    /// Addresses of texts that have changed since they were checked.
    stale: Vec<String>,
    over: bool,
}

impl<W: Write> Server<W> {
    /// The next message; texts are checked while none waits.
    fn next(&mut self, messages: &Receiver<Message>) -> anyhow::Result<Option<Message>> {
        loop {
            match messages.try_recv() {
                Ok(message) => return Ok(Some(message)),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => match self.stale.pop() {
                    Some(address) => self.diagnose(&address)?,
                    None => return Ok(messages.recv().ok()),
                },
            }
        }
    }

    fn take(&mut self, message: Message) -> anyhow::Result<()> {
        let Message { id, method, parameters } = message;
        let answer = self.answer(&method, &parameters);
        match (id, answer) {
            (Some(id), Ok(result)) => {
                wire::send(&mut self.output, &json!({ "id": id, "result": result }))?;
            }
            (Some(id), Err(Refusal { code, message })) => {
                let error = json!({ "code": code, "message": message });
                wire::send(&mut self.output, &json!({ "id": id, "error": error }))?;
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn answer(&mut self, method: &str, parameters: &Value) -> Result<Value, Refusal> {
        match method {
            "initialize" => Ok(abilities()),
            "initialized" | "$/cancelRequest" | "$/setTrace" => Ok(Value::Null),
            "shutdown" => {
                self.over = true;
                Ok(Value::Null)
            }
            "textDocument/didOpen" => {
                let text = &parameters["textDocument"]["text"];
                self.change(parameters, text)
            }
            "textDocument/didChange" => {
                let changes = parameters["contentChanges"].as_array();
                let last =
                    changes.and_then(|changes| changes.last()).ok_or_else(Refusal::invalid)?;
                self.change(parameters, &last["text"])
            }
            "textDocument/didSave" => Ok(Value::Null),
            "textDocument/didClose" => self.close(parameters),
            "textDocument/hover" => self.document(parameters)?.hover(parameters),
            "textDocument/definition" => self.document(parameters)?.definition(parameters),
            "textDocument/references" => self.document(parameters)?.references(parameters),
            "textDocument/prepareRename" => self.document(parameters)?.prepare_rename(parameters),
            "textDocument/rename" => self.document(parameters)?.rename(parameters),
            "textDocument/formatting" => self.document(parameters)?.formatting(),
            "textDocument/codeAction" => self.document(parameters)?.code_actions(parameters),
            "textDocument/documentSymbol" => self.document(parameters)?.symbols(),
            _ => Err(Refusal::unknown(method)),
        }
    }

    fn change(&mut self, parameters: &Value, text: &Value) -> Result<Value, Refusal> {
        let address = address(parameters)?;
        let text = text.as_str().ok_or_else(Refusal::invalid)?;
        let document = Document::new(address.to_string(), text.to_string(), &self.read);
        self.open.insert(address.to_string(), document);
        self.stale.retain(|other| other != address);
        self.stale.push(address.to_string());
        Ok(Value::Null)
    }

    fn close(&mut self, parameters: &Value) -> Result<Value, Refusal> {
        let address = address(parameters)?;
        self.open.remove(address);
        self.stale.retain(|other| other != address);
        Ok(Value::Null)
    }

    fn document(&self, parameters: &Value) -> Result<&Document, Refusal> {
        self.open.get(address(parameters)?).ok_or_else(|| Refusal::of("this text is not open"))
    }

    fn diagnose(&mut self, address: &str) -> anyhow::Result<()> {
        let Some(document) = self.open.get_mut(address) else { return Ok(()) };
        let diagnostics = document.diagnose();
        let parameters = json!({ "uri": address, "diagnostics": diagnostics });
        let method = "textDocument/publishDiagnostics";
        wire::send(&mut self.output, &json!({ "method": method, "params": parameters }))
    }
}

/// The address of the text that a message is about.
fn address(parameters: &Value) -> Result<&str, Refusal> {
    parameters["textDocument"]["uri"].as_str().ok_or_else(Refusal::invalid)
}

/// What the editor may ask for. Texts are sent whole.
fn abilities() -> Value {
    json!({
        "capabilities": {
            "textDocumentSync": { "openClose": true, "change": 1 },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentFormattingProvider": true,
            "documentSymbolProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        },
        "serverInfo": { "name": "gambol", "version": env!("CARGO_PKG_VERSION") },
    })
}
