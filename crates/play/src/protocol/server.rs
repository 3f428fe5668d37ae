//! The port of a player: one small HTTP exchange per connection.
//!
//! Hosts are old and clumsy: bodies without a length that end when the connection does, lengths that
//! lie, half requests and then silence. Servers made for browsers refuse the first and cannot be told
//! about the rest, so this module reads the few lines that matter itself. A connection has a thread, a
//! deadline for its request, and limits on what it may send.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gambol_system::{give_back, give_back_large_blocks};

use crate::protocol::player::{Player, Reply};

/// The limits of a port.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServeOptions {
    /// A request must be complete by then.
    pub request_time: Duration,
    /// The longest body.
    pub most_bytes: usize,
    /// All bodies together that are being received; who would send more is refused.
    pub most_bytes_together: usize,
    /// Connections at once; more are closed unread.
    pub most_connections: usize,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            request_time: Duration::from_secs(10),
            most_bytes: 16 << 20,
            most_bytes_together: 32 << 20,
            most_connections: 1000,
        }
    }
}

const MOST_HEADER_BYTES: usize = 64 << 10;
/// What a body longer than this took goes back to the system when it is answered.
const LARGE_BODY: usize = 1 << 20;
/// How soon a stop is seen.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// After a call that could not be taken.
const REST: Duration = Duration::from_millis(20);
/// Writing an answer to a client that does not read it ends then.
const WRITE_TIME: Duration = Duration::from_secs(5);
/// What a client still sends after its request was refused is read for so long, and no further.
const LINGER_TIME: Duration = Duration::from_secs(2);
const MOST_LINGERING_BYTES: usize = 64 << 20;

/// Whoever answers the messages of the match protocol.
pub trait Answering: Send + Sync + 'static {
    /// Answers a message that came in at a given time.
    fn answer(&self, text: &str, received: Instant) -> Reply;

    /// Is told of what goes wrong: its kind, the match, and the details.
    fn tell(&self, _kind: &'static str, _id: &str, _detail: &str) {}
}

impl Answering for Player {
    fn answer(&self, text: &str, received: Instant) -> Reply {
        Player::answer(self, text, received)
    }

    fn tell(&self, kind: &'static str, id: &str, detail: &str) {
        Player::tell(self, kind, id, detail);
    }
}

/// Answers on a port until told to stop.
///
/// Callers are waited for by a thread of its own, since a look every so often would make each of them wait that long.
pub fn serve<P: Answering>(
    listener: &TcpListener,
    player: &Arc<P>,
    options: &ServeOptions,
    stop: &AtomicBool,
) -> io::Result<()> {
    listener.set_nonblocking(false)?;
    let (address, waiting) = (listener.local_addr()?, listener.try_clone()?);
    give_back_large_blocks();
    let (player, options) = (Arc::clone(player), options.clone());
    let (open, ended) = (Arc::new(Open::default()), Arc::new(AtomicBool::new(false)));
    let over = Arc::clone(&ended);
    let door = thread::Builder::new().spawn(move || {
        while !over.load(Ordering::Relaxed) {
            match waiting.accept() {
                Ok((stream, _)) if !over.load(Ordering::Relaxed) => {
                    attend(stream, &player, &options, &open);
                }
                Ok(_) => (),
                // A caller who left again, or no descriptor left: neither is our fault, and the second needs time.
                Err(_) => thread::sleep(REST),
            }
        }
    })?;
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(LOOK_EVERY);
    }
    ended.store(true, Ordering::Relaxed);
    // The thread is woken by a call of our own. Where that cannot be made, it ends with the next caller.
    if TcpStream::connect_timeout(&address, REST).is_ok() {
        drop(door.join());
    }
    Ok(())
}

fn attend<P: Answering>(
    stream: TcpStream,
    player: &Arc<P>,
    options: &ServeOptions,
    open: &Arc<Open>,
) {
    if open.connections.load(Ordering::Relaxed) >= options.most_connections {
        return;
    }
    open.connections.fetch_add(1, Ordering::Relaxed);
    let (player, options, all) = (Arc::clone(player), options.clone(), Arc::clone(open));
    let attending = thread::Builder::new().spawn(move || {
        // The client may be gone at any time; that concerns no match.
        if let Err(error) = exchange(stream, &*player, &options, &all) {
            player.tell("client.gone", "", &error.to_string());
        }
        all.connections.fetch_sub(1, Ordering::Relaxed);
    });
    if attending.is_err() {
        open.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What all connections hold together.
#[derive(Default)]
struct Open {
    connections: AtomicUsize,
    bytes: AtomicUsize,
}

/// The bytes that one connection holds, out of what all may hold.
struct Share<'o> {
    open: &'o Open,
    most: usize,
    held: usize,
}

impl Share<'_> {
    /// Room for so many bytes more, if there is.
    fn take(&mut self, bytes: usize) -> Result<(), Fault> {
        let before = self.open.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.held += bytes;
        if before + bytes > self.most { Err(Fault::Crowded) } else { Ok(()) }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.open.bytes.fetch_sub(self.held, Ordering::Relaxed);
        if self.held > LARGE_BODY {
            give_back();
        }
    }
}

fn exchange(
    mut stream: TcpStream,
    player: &dyn Answering,
    options: &ServeOptions,
    open: &Open,
) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(WRITE_TIME))?;
    stream.set_nodelay(true)?;
    let received = Instant::now();
    let deadline = received + options.request_time;
    let share = Share { open, most: options.most_bytes_together, held: 0 };
    let received = {
        let mut incoming =
            Incoming { stream: &mut stream, deadline, bytes: Vec::new(), ended: false, share };
        let request = Request::receive(&mut incoming, options.most_bytes);
        // The body counts until it is answered; one that is refused is dropped first.
        request.map(|request| (request, incoming.share))
    };
    match received {
        Ok((request, _share)) => request.answer(player).send(&mut stream),
        Err(fault) => {
            player.tell("request.refused", "", fault.status());
            let answer = Answer { status: fault.status(), body: "nil".to_string() };
            answer.send(&mut stream)?;
            hear_out(&mut stream)
        }
    }
}

/// Reads on for a while: a connection that is closed on unread bytes takes the answer with it.
fn hear_out(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let (end, mut heard, mut piece) = (Instant::now() + LINGER_TIME, 0, [0; 16 << 10]);
    while heard < MOST_LINGERING_BYTES {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => heard += count,
            // It has said all, or nothing more in time: either way it has had its answer.
            _ => break,
        }
    }
    Ok(())
}

/// What is wrong with a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Malformed,
    TooSlow,
    TooLarge,
    Crowded,
}

impl Fault {
    fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::TooSlow => "408 Request Timeout",
            Self::TooLarge => "413 Content Too Large",
            Self::Crowded => "503 Service Unavailable",
        }
    }
}

struct Answer {
    status: &'static str,
    body: String,
}

impl Answer {
    fn head(&self) -> String {
        format!(
            "HTTP/1.0 {}\r\nContent-Type: text/acl\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.status,
            self.body.len(),
        )
    }

    /// In two pieces: a client that is gone is noticed with the second.
    fn send(&self, stream: &mut TcpStream) -> io::Result<()> {
        stream.write_all(self.head().as_bytes())?;
        stream.write_all(self.body.as_bytes())
    }
}

/// A request that is complete.
#[derive(Debug)]
struct Request {
    method: String,
    path: String,
    body: Vec<u8>,
    complete: Instant,
}

/// How the end of a body is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Length(usize),
    Chunks,
    Close,
}

impl Request {
    fn receive(incoming: &mut Incoming<'_, '_>, most_bytes: usize) -> Result<Self, Fault> {
        let head = incoming.head()?;
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut lines = head.lines();
        let mut words = lines.next().unwrap_or_default().split_whitespace();
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(Fault::Malformed);
        };
        let body = match ending(lines, method)? {
            Ending::Length(length) if length > most_bytes => return Err(Fault::TooLarge),
            Ending::Length(length) => incoming.exactly(length)?,
            Ending::Chunks => incoming.chunks(most_bytes)?,
            Ending::Close => incoming.until_close(most_bytes)?,
        };
        let (method, path) = (method.to_ascii_uppercase(), path.to_string());
        Ok(Self { method, path, body, complete: Instant::now() })
    }

    fn answer(self, player: &dyn Answering) -> Answer {
        let message = match self.method.as_str() {
            "POST" => String::from_utf8(self.body)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            "GET" => unescaped(self.path.trim_start_matches('/')),
            "OPTIONS" => return Answer { status: "204 No Content", body: String::new() },
            _ => return Answer { status: "405 Method Not Allowed", body: "nil".to_string() },
        };
        let reply = player.answer(&message, self.complete);
        let status = if reply.understood { "200 OK" } else { "400 Bad Request" };
        Answer { status, body: reply.text }
    }
}

fn ending<'h>(lines: impl Iterator<Item = &'h str>, method: &str) -> Result<Ending, Fault> {
    let mut length = None;
    let mut chunked = false;
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("content-length") {
            let value: usize = value.trim().parse().map_err(|_| Fault::Malformed)?;
            if length.is_some_and(|length| length != value) {
                return Err(Fault::Malformed);
            }
            length = Some(value);
        }
        let encoding = name.eq_ignore_ascii_case("transfer-encoding");
        chunked |= encoding && value.trim().eq_ignore_ascii_case("chunked");
    }
    Ok(match (chunked, length) {
        (true, _) => Ending::Chunks,
        (false, Some(length)) => Ending::Length(length),
        (false, None) if method.eq_ignore_ascii_case("POST") => Ending::Close,
        (false, None) => Ending::Length(0),
    })
}

/// What a client has sent so far.
struct Incoming<'s, 'o> {
    stream: &'s mut TcpStream,
    deadline: Instant,
    bytes: Vec<u8>,
    ended: bool,
    share: Share<'o>,
}

impl Incoming<'_, '_> {
    /// Waits for more. A client that stays silent too long, or leaves, is at fault.
    fn more(&mut self) -> Result<(), Fault> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Fault::TooSlow);
        }
        self.stream.set_read_timeout(Some(left)).map_err(|_| Fault::Malformed)?;
        let mut piece = [0; 16 << 10];
        match self.stream.read(&mut piece) {
            Ok(0) => self.ended = true,
            Ok(count) => {
                self.share.take(count)?;
                self.bytes.extend_from_slice(&piece[..count]);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let kinds = [io::ErrorKind::WouldBlock, io::ErrorKind::TimedOut];
                let slow = kinds.contains(&error.kind());
                return Err(if slow { Fault::TooSlow } else { Fault::Malformed });
            }
        }
        Ok(())
    }

    /// Everything before the blank line.
    fn head(&mut self) -> Result<Vec<u8>, Fault> {
        loop {
            let blank = |end: &[u8]| self.bytes.windows(end.len()).position(|bytes| bytes == end);
            let found = [&b"\r\n\r\n"[..], b"\n\n"]
                .into_iter()
                .filter_map(|end| Some((blank(end)?, end.len())))
                .min();
            if let Some((place, length)) = found {
                let rest = self.bytes.split_off(place + length);
                let head = std::mem::replace(&mut self.bytes, rest);
                return Ok(head);
            }
            if self.bytes.len() > MOST_HEADER_BYTES {
                return Err(Fault::TooLarge);
            }
            if self.ended {
                return Err(Fault::Malformed);
            }
            self.more()?;
        }
    }

    fn exactly(&mut self, length: usize) -> Result<Vec<u8>, Fault> {
        // A list that grows by doubling would take up to three times as much.
        self.bytes.reserve_exact(length.saturating_sub(self.bytes.len()));
        while self.bytes.len() < length {
            if self.ended {
                return Err(Fault::Malformed);
            }
            self.more()?;
        }
        let rest = self.bytes.split_off(length);
        Ok(std::mem::replace(&mut self.bytes, rest))
    }

    fn until_close(&mut self, most: usize) -> Result<Vec<u8>, Fault> {
        while !self.ended {
            if self.bytes.len() > most {
                return Err(Fault::TooLarge);
            }
            self.more()?;
        }
        Ok(std::mem::take(&mut self.bytes))
    }

    fn line(&mut self) -> Result<String, Fault> {
        loop {
            if let Some(place) = self.bytes.iter().position(|&byte| byte == b'\n') {
                let line = self.exactly(place + 1)?;
                return Ok(String::from_utf8_lossy(&line).trim().to_string());
            }
            if self.ended || self.bytes.len() > MOST_HEADER_BYTES {
                return Err(Fault::Malformed);
            }
            self.more()?;
        }
    }

    fn chunks(&mut self, most: usize) -> Result<Vec<u8>, Fault> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default();
            let size = usize::from_str_radix(size, 16).map_err(|_| Fault::Malformed)?;
            if size == 0 {
                return Ok(body);
            }
            if size > most || body.len() + size > most {
                return Err(Fault::TooLarge);
            }
            body.extend(self.exactly(size)?);
            self.line()?;
        }
    }
}

/// A path without its percent signs.
fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(if first == b'+' { b' ' } else { first });
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
