//! An explorer on a free port of loopback, and requests to it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use gambol_web::{ServeOptions, serve};
use serde_json::Value;

/// It is there as long as this is.
pub(crate) struct Explorer {
    pub(crate) host: String,
    stop: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) text: String,
}

/// No test waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

impl Explorer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let host = listener.local_addr().expect("it is bound").to_string();
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let serving = std::thread::spawn(move || {
            serve(listener, ServeOptions::default(), &flag).expect("it serves");
        });
        Self { host, stop, serving: Some(serving) }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.raw("GET", path, &self.host, None, "")
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> Answer {
        self.raw("POST", path, &self.host, None, &body.to_string())
    }

    pub(crate) fn open(&self, wanted: Value) -> Value {
        let answer = self.post("/api/games", wanted);
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// A request that may pretend to be somebody else's.
    pub(crate) fn raw(
        &self,
        method: &str,
        path: &str,
        host: &str,
        origin: Option<&str>,
        body: &str,
    ) -> Answer {
        let origin = origin.map_or(String::new(), |origin| format!("Origin: {origin}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        ask(&self.host, &request)
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(serving) = self.serving.take() {
            serving.join().expect("the explorer ends in peace");
        }
    }
}

/// Sends a request and reads the answer, also from servers that do not close.
pub(crate) fn ask(address: &str, request: &str) -> Answer {
    let mut stream = TcpStream::connect(address).expect("somebody listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    // A server that refuses a long body may close before it has read it all.
    let _ = stream.write_all(request.as_bytes());
    let mut bytes = Vec::new();
    let mut buffer = [0; 1 << 14];
    while !is_whole(&bytes) {
        match stream.read(&mut buffer) {
            Ok(count) if count > 0 => bytes.extend(&buffer[..count]),
            _ => break,
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    let text = if chunked { joined(body) } else { body.to_string() };
    Answer { status, head: head.to_string(), text }
}

/// Whether the answer says how long it is, and all of it is there.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.and_then(|length| length.trim().parse::<usize>().ok());
    length.is_some_and(|length| bytes.len() >= end + 4 + length)
}

/// A body without the lengths of its chunks.
fn joined(mut body: &str) -> String {
    let mut text = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 || length > rest.len() {
            break;
        }
        text += &rest[..length];
        body = rest[length..].trim_start_matches("\r\n");
    }
    text
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("the answer is JSON")
    }

    pub(crate) fn header(&self, name: &str) -> String {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map_or_else(String::new, |(_, value)| value.to_string())
    }
}
