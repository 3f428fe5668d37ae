//! A player of one's own, asked over its port as a host would.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use gambol::{Gamer, Move, Position, bundled_game, serve_gamer};

/// Wants the first move of the other player, which is never its own.
struct Wrong;

impl Gamer for Wrong {
    fn choose(&mut self, position: &Position, _: &str, _: Duration) -> Option<Move> {
        position.game().start().ok()?.legal("xplayer").ok()?.into_iter().next()
    }
}

/// Sends messages to a gamer that is served as long as this runs.
fn with_gamer(check: impl FnOnce(&dyn Fn(&str) -> String)) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let serving = thread::spawn(move || serve_gamer(&listener, "wrong", || Wrong, &stopped));
    check(&|message| ask(address, message));
    stop.store(true, Ordering::Relaxed);
    serving.join().unwrap().unwrap();
}

fn ask(address: SocketAddr, message: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = message.len();
    write!(stream, "POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{message}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_string()
}

fn start(role: &str) -> String {
    let rules = bundled_game("tic-tac-toe").unwrap().rules().into_owned();
    let rules = String::from_utf8(rules).unwrap();
    let lines: Vec<&str> = rules.lines().filter(|line| !line.starts_with(';')).collect();
    format!("(START m {role} ({}) 1 1)", lines.join("\n"))
}

#[test]
fn a_match_is_played_from_start_to_stop() {
    with_gamer(|say| {
        assert_eq!(say(&start("oplayer")), "ready");
        assert_eq!(say("(PLAY m nil)"), "wait");
        // What the gamer wants is not its move: the first legal one is made.
        assert_eq!(say("(PLAY m ((put 2 2) wait))"), "(put 1 1)");
        assert_eq!(say("(PLAY m (wait (put 1 1)))"), "wait");
        assert_eq!(say("(PLAY m ((put 1 2) wait))"), "(put 1 3)");
        assert_eq!(say("(STOP m (wait (put 1 3)))"), "done");
        assert_eq!(say("(PLAY m nil)"), "busy");
    });
}

#[test]
fn nobody_sits_down_to_no_game_or_under_no_role() {
    with_gamer(|say| {
        assert_eq!(say(&start("white")), "busy");
        assert_eq!(say("(START m r ((init p)) 1 1)"), "busy");
        assert_eq!(say("(INFO)"), "((name wrong) (status available))");
    });
}
