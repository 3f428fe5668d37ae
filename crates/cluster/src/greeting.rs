//! How processes find one another: each listens at its own address, calls those before it in the list, and is called by
//! those after it. Before anything is done they compare the version, the list, the number of threads, a secret
//! and the plan. The plan is that of the first process; it is sent to all others.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Changes whenever processes speak in another way.
const VERSION: u32 = 2;
const LETTERS: &[u8; 8] = b"gmbl-net";
/// How long a single answer may take.
const ANSWER: Duration = Duration::from_secs(20);
/// How long to wait before somebody who does not answer is called again.
const AGAIN: Duration = Duration::from_millis(100);
/// A plan is not larger than this.
const LARGEST_PLAN: u64 = 1 << 28;

/// Said where no process refuses a plan.
const NOBODY: u32 = u32::MAX;

/// Who takes part, and which of them this is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts {
    /// The address of each process, `host:port`.
    pub addresses: Vec<String>,
    /// Which one is this.
    pub process: usize,
    /// How many workers each process has.
    pub threads: usize,
    /// What all must know; empty if nothing is asked.
    pub secret: String,
    /// How long to wait for the others.
    pub wait: Duration,
}

/// Why processes do not come together.
#[derive(Debug, thiserror::Error)]
pub enum GreetingError {
    /// The address cannot be used.
    #[error("cannot listen at {0}: {1}")]
    Listen(String, io::Error),
    /// Somebody did not come.
    #[error("process {0} ({1}) did not come within {2} s")]
    Absent(usize, String, u64),
    /// A process that is not one of us, or not like us.
    #[error("process {0} {1}")]
    Unlike(usize, &'static str),
    /// A process went away again.
    #[error("process {0} went away: {1}")]
    Gone(usize, io::Error),
    /// There is no such process in the list.
    #[error("there is no process {0}: the list of hosts has {1}")]
    NoSuchProcess(usize, usize),
    /// The work was stopped.
    #[error("stopped while waiting for the other processes")]
    Stopped,
}

/// Processes that have greeted one another.
#[derive(Debug)]
pub struct Connected {
    pub(crate) hosts: Hosts,
    /// A connection to every other process.
    pub(crate) sockets: Vec<Option<TcpStream>>,
}

/// Waits for all processes of a list.
pub fn connect(hosts: &Hosts, stop: &AtomicBool) -> Result<Connected, GreetingError> {
    let Hosts { addresses, process, .. } = hosts;
    let own =
        addresses.get(*process).ok_or(GreetingError::NoSuchProcess(*process, addresses.len()))?;
    let listen = |error| GreetingError::Listen(own.clone(), error);
    let listener = TcpListener::bind(own.as_str()).map_err(listen)?;
    listener.set_nonblocking(true).map_err(listen)?;
    let patience = Patience { until: Instant::now() + hosts.wait, stop };
    let mut sockets: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    for (other, socket) in sockets.iter_mut().enumerate().take(*process) {
        *socket = Some(call(hosts, other, &patience)?);
    }
    while let Some(missing) = (process + 1..addresses.len()).find(|&other| sockets[other].is_none())
    {
        match listener.accept() {
            Ok((socket, _)) => {
                // Somebody who does not greet as we do is turned away, and we go on waiting.
                if let Ok((other, socket)) = answer(hosts, socket) {
                    sockets[other] = Some(socket);
                }
            }
            Err(_) => patience.wait(hosts, missing)?,
        }
    }
    Ok(Connected { hosts: hosts.clone(), sockets })
}

struct Patience<'a> {
    until: Instant,
    stop: &'a AtomicBool,
}

impl Patience<'_> {
    fn wait(&self, hosts: &Hosts, other: usize) -> Result<(), GreetingError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(GreetingError::Stopped);
        }
        if Instant::now() >= self.until {
            let address = hosts.addresses[other].clone();
            return Err(GreetingError::Absent(other, address, hosts.wait.as_secs()));
        }
        std::thread::sleep(AGAIN);
        Ok(())
    }
}

/// Calls a process until it answers.
fn call(hosts: &Hosts, other: usize, patience: &Patience<'_>) -> Result<TcpStream, GreetingError> {
    loop {
        let addresses = hosts.addresses[other].to_socket_addrs();
        let mut addresses = addresses.into_iter().flatten();
        let socket =
            addresses.find_map(|address| TcpStream::connect_timeout(&address, ANSWER).ok());
        if let Some(socket) = socket
            && let Ok((found, socket)) = greet(hosts, socket)
        {
            return if found == other { Ok(socket) } else { Err(unlike(other, WRONG_PLACE)) };
        }
        patience.wait(hosts, other)?;
    }
}

const WRONG_PLACE: &str = "answers at the address of another";

fn unlike(process: usize, reason: &'static str) -> GreetingError {
    GreetingError::Unlike(process, reason)
}

/// Says who we are, and hears who the other is.
fn greet(hosts: &Hosts, mut socket: TcpStream) -> io::Result<(usize, TcpStream)> {
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(ANSWER))?;
    socket.write_all(&greeting(hosts))?;
    let mut heard = vec![0; greeting(hosts).len()];
    socket.read_exact(&mut heard)?;
    let (mut ours, mut theirs) = (greeting(hosts), heard);
    let process = u32::from_le_bytes([theirs[12], theirs[13], theirs[14], theirs[15]]) as usize;
    // All but the number of the process must be the same.
    ours[12..16].fill(0);
    theirs[12..16].fill(0);
    if ours != theirs || process >= hosts.addresses.len() || process == hosts.process {
        return Err(io::Error::other("not one of us"));
    }
    socket.set_read_timeout(None)?;
    Ok((process, socket))
}

/// Answers who calls.
fn answer(hosts: &Hosts, socket: TcpStream) -> io::Result<(usize, TcpStream)> {
    let (process, socket) = greet(hosts, socket)?;
    if process > hosts.process {
        Ok((process, socket))
    } else {
        Err(io::Error::other("not after us"))
    }
}

/// Letters, version, process, threads, and a digest of the list and the secret.
fn greeting(hosts: &Hosts) -> Vec<u8> {
    let mut bytes = LETTERS.to_vec();
    for word in [VERSION, hosts.process as u32, hosts.threads as u32, hosts.addresses.len() as u32]
    {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    let texts = hosts.addresses.iter().chain([&hosts.secret]);
    let mut digest = 0xcbf2_9ce4_8422_2325u64;
    for byte in texts.flat_map(|text| text.bytes().chain([0xff])) {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    bytes.extend_from_slice(&digest.to_le_bytes());
    bytes
}

impl Connected {
    /// How many workers there are in all.
    pub fn workers(&self) -> usize {
        self.hosts.addresses.len() * self.hosts.threads
    }

    /// Which process this is.
    pub fn process(&self) -> usize {
        self.hosts.process
    }

    /// The first process hands its plan to all others, who hear it.
    pub fn share_plan(&mut self, own: Option<&[u8]>) -> Result<Vec<u8>, GreetingError> {
        let gone = |process| move |error| GreetingError::Gone(process, error);
        if self.hosts.process > 0 {
            let Some(first) = self.sockets.first_mut().and_then(Option::as_mut) else {
                return Err(unlike(0, "is not there"));
            };
            // The first process may have to make the plan first, which takes a while.
            first.set_read_timeout(Some(self.hosts.wait)).map_err(gone(0))?;
            let mut length = [0; 8];
            first.read_exact(&mut length).map_err(gone(0))?;
            let length = u64::from_le_bytes(length);
            if length > LARGEST_PLAN {
                return Err(unlike(0, "sent a plan that is too large"));
            }
            let mut plan = vec![0; length as usize];
            first.read_exact(&mut plan).map_err(gone(0))?;
            first.set_read_timeout(None).map_err(gone(0))?;
            return Ok(plan);
        }
        let plan = own.unwrap_or_default();
        for (process, socket) in self.sockets.iter_mut().enumerate() {
            if let Some(socket) = socket {
                socket.write_all(&(plan.len() as u64).to_le_bytes()).map_err(gone(process))?;
                socket.write_all(plan).map_err(gone(process))?;
            }
        }
        Ok(plan.to_vec())
    }

    /// All processes hear whether each of them takes the plan; one that does not is named.
    pub fn agree_on_plan(&mut self, takes: bool) -> Result<(), GreetingError> {
        let own = if takes { NOBODY } else { self.hosts.process as u32 };
        let refuses = if self.hosts.process == 0 {
            let mut refuses = own;
            for process in 1..self.sockets.len() {
                refuses = refuses.min(self.hear(process)?);
            }
            for process in 1..self.sockets.len() {
                self.tell(process, refuses)?;
            }
            refuses
        } else {
            self.tell(0, own)?;
            self.hear(0)?
        };
        match refuses {
            NOBODY => Ok(()),
            process => Err(unlike(process as usize, "was given another game, state or folder")),
        }
    }

    fn socket(&mut self, process: usize) -> Result<&mut TcpStream, GreetingError> {
        let socket = self.sockets.get_mut(process).and_then(Option::as_mut);
        socket.ok_or(unlike(process, "is not there"))
    }

    fn tell(&mut self, process: usize, word: u32) -> Result<(), GreetingError> {
        let written = self.socket(process)?.write_all(&word.to_le_bytes());
        written.map_err(|error| GreetingError::Gone(process, error))
    }

    fn hear(&mut self, process: usize) -> Result<u32, GreetingError> {
        let (wait, mut word) = (self.hosts.wait, [0; 4]);
        let socket = self.socket(process)?;
        let mut heard = || {
            socket.set_read_timeout(Some(wait))?;
            socket.read_exact(&mut word)?;
            socket.set_read_timeout(None)
        };
        heard().map_err(|error| GreetingError::Gone(process, error))?;
        Ok(u32::from_le_bytes(word))
    }
}
