//! JSON-RPC on a stream: a header with the length, an empty line, an object.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// Longer messages end the conversation: no rulesheet is so long.
const LONGEST: usize = 64 << 20;

/// A question, or (without a number) a notice.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) parameters: Value,
}

/// Why a question is not answered.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) code: i32,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn unknown(method: &str) -> Self {
        Self { code: -32601, message: format!("{method} is not known here") }
    }

    pub(super) fn of(message: impl Into<String>) -> Self {
        Self { code: -32803, message: message.into() }
    }

    /// The parameters lack something.
    pub(super) fn invalid() -> Self {
        Self {
            code: -32602,
            message: "a parameter is missing, or is not what it should be".to_string(),
        }
    }
}

/// The next message; none at the end of the stream. What is no message is passed over.
pub(super) fn receive(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    loop {
        let Some(length) = header(input)? else { return Ok(None) };
        if length > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the message is too long"));
        }
        let mut body = Vec::new();
        input.by_ref().take(length as u64).read_to_end(&mut body)?;
        if body.len() < length {
            return Ok(None);
        }
        let Ok(mut object) = serde_json::from_slice::<Value>(&body) else { continue };
        let Some(method) = object["method"].as_str().map(str::to_owned) else { continue };
        let id = object.get("id").cloned();
        let parameters = object.get_mut("params").map(Value::take).unwrap_or_default();
        return Ok(Some(Message { id, method, parameters }));
    }
}

/// The length that the header names.
fn header(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    const LONGEST_LINE: u64 = 4096;
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.by_ref().take(LONGEST_LINE).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() && length.is_some() {
            return Ok(length);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

/// Writes an object, with the version that the protocol wants.
pub(super) fn send(output: &mut impl Write, object: &Value) -> anyhow::Result<()> {
    let mut object = object.clone();
    object["jsonrpc"] = "2.0".into();
    let body = serde_json::to_string(&object)?;
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()?;
    Ok(())
}
