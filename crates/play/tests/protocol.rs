//! A player on a real port: what hosts send, and clumsy ones, and what they are told.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gambol_play::{Incident, Log, Player, PlayerOptions, ServeOptions, serve};

const TIC_TAC_TOE: &str = include_str!("../../../games/tic-tac-toe/rules.kif");
const ODDS: &str = include_str!("../../../games/nim-2-3-4/rules.kif");

/// A player that listens on loopback until dropped.
struct Listening {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listening {
    fn start() -> Self {
        Self::with_log(Log::default())
    }

    fn with_log(log: Log) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let mut player = PlayerOptions::default();
        player.log = log;
        let player = Arc::new(Player::new(player));
        let mut options = ServeOptions::default();
        options.request_time = Duration::from_millis(700);
        let thread = thread::spawn(move || {
            serve(&listener, &player, &options, &flag).expect("the port works");
        });
        Self { address, stop, thread: Some(thread) }
    }

    /// Sends bytes as they are, then closes the sending side.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        // A server that has heard enough may close first.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    fn post(&self, message: &str) -> String {
        let head = format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n", message.len());
        body(&self.raw(&[head.as_bytes(), message.as_bytes()].concat()))
    }

    fn start_match(&self, id: &str, role: &str, rules: &str, clock: u32) -> String {
        self.post(&format!("(START {id} {role} ({rules}) {clock} {clock})"))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A player whose incidents are collected.
fn watched() -> (Listening, Arc<Mutex<Vec<Incident>>>) {
    let incidents = Arc::new(Mutex::new(Vec::new()));
    let collected = Arc::clone(&incidents);
    let log = Log::new(move |incident| {
        collected.lock().expect("no panic").push(incident.clone());
    });
    (Listening::with_log(log), incidents)
}

fn body(answer: &str) -> String {
    answer.split_once("\r\n\r\n").map_or(String::new(), |(_, body)| body.to_string())
}

fn status(answer: &str) -> &str {
    answer.split_whitespace().nth(1).unwrap_or("")
}

#[test]
fn info_tells_name_and_status_also_while_a_match_is_played() {
    let player = Listening::start();
    assert_eq!(player.post("(INFO)"), "((name gambol) (status available))");
    assert_eq!(player.post(""), "((name gambol) (status available))");
    assert_eq!(player.post(" ( info ) ; yes\r\n"), "((name gambol) (status available))");
    assert_eq!(player.post("(PING)"), "ready");
    assert_eq!(player.start_match("a", "xplayer", TIC_TAC_TOE, 1), "ready");
    assert_eq!(player.start_match("b", "oplayer", TIC_TAC_TOE, 1), "ready");
    assert_eq!(player.post("(INFO)"), "((name gambol) (status busy))");
    assert_eq!(player.start_match("c", "xplayer", TIC_TAC_TOE, 1), "busy");
    assert_eq!(player.post("(ABORT b)"), "aborted");
    assert_eq!(player.post("(INFO)"), "((name gambol) (status available))");
}

#[test]
fn unknown_matches_are_none_of_our_business() {
    let player = Listening::start();
    for message in ["(play x nil)", "(stop x nil)", "(abort x)"] {
        assert_eq!(player.post(message), "busy", "{message}");
    }
}

#[test]
fn a_start_is_accepted_once_and_only_with_a_game_and_a_role() {
    let player = Listening::start();
    assert_eq!(player.start_match("m", "xplayer", TIC_TAC_TOE, 1), "ready");
    assert_eq!(player.start_match("m", "xplayer", TIC_TAC_TOE, 1), "ready");
    assert_eq!(player.start_match("m", "xplayer", ODDS, 1), "busy");
    assert_eq!(player.start_match("n", "nobody", TIC_TAC_TOE, 1), "busy");
    assert_eq!(player.start_match("n", "XPLAYER", TIC_TAC_TOE, 1), "busy");
    assert_eq!(player.start_match("n", "xplayer", "(role xplayer) (<= (next", 1), "nil");
    assert_eq!(player.start_match("n", "xplayer", "(<= (p ?x) (q ?y))", 1), "busy");
    assert_eq!(player.post("(INFO)"), "((name gambol) (status available))");
    for clocks in ["abc 1", "1e9 1", "1", ""] {
        let message = format!("(START n xplayer ({TIC_TAC_TOE}) {clocks})");
        assert_eq!(player.post(&message), "nil", "{clocks}");
    }
    assert_eq!(player.post(&format!("(START n xplayer ({TIC_TAC_TOE}) 0 -3 more)")), "ready");
}

#[test]
fn the_first_turn_may_be_spelt_in_many_ways() {
    for first in ["nil", "NIL", "()", "(wait wait)"] {
        let player = Listening::start();
        assert_eq!(player.start_match("m", "xplayer", TIC_TAC_TOE, 1), "ready");
        let answer = player.post(&format!("(play m {first})"));
        assert!(answer.starts_with("(put "), "{first}: {answer}");
    }
}

#[test]
fn a_repeated_question_gets_the_same_answer_and_counts_once() {
    let player = Listening::start();
    player.start_match("m", "oplayer", TIC_TAC_TOE, 1);
    assert_eq!(player.post("(play m nil)"), "wait");
    let answer = player.post("(play m ((put 1 1) wait))");
    assert!(answer.starts_with("(put "));
    assert_eq!(player.post("(PLAY  m ( (put 1  1) wait ) )"), answer);
    let next = player.post(&format!("(play m (wait {answer}))"));
    assert_eq!(next, "wait");
    assert_eq!(player.post("(stop m ((put 3 3) wait))"), "done");
    assert_eq!(player.post("(stop m nil)"), "busy");
    assert_eq!(player.post("(play m nil)"), "busy");
}

#[test]
fn the_referee_is_right_about_what_was_played() {
    let player = Listening::start();
    player.start_match("m", "xplayer", TIC_TAC_TOE, 1);
    let ours = player.post("(play m nil)");
    // We were late: the host chose another move for us, and o waits.
    let other = if ours == "(put 3 3)" { "(put 1 1)" } else { "(put 3 3)" };
    assert_eq!(player.post(&format!("(play m ({other} wait))")), "wait");
    // An illegal move of the other side, too few moves and too many: we stay in the game.
    let answer = player.post("(play m (wait (put 9 9)))");
    assert!(answer.starts_with("(put ") || answer == "wait", "{answer}");
    for moves in ["(wait)", "(wait wait wait)"] {
        let answer = player.post(&format!("(play m {moves})"));
        assert!(answer.starts_with("(put ") || answer == "wait", "{answer}");
    }
}

#[test]
fn a_move_that_wins_at_once_is_played() {
    let player = Listening::start();
    player.start_match("m", "xplayer", TIC_TAC_TOE, 1);
    player.post("(play m nil)");
    for moves in ["((put 1 1) wait)", "(wait (put 2 1))", "((put 1 2) wait)"] {
        player.post(&format!("(play m {moves})"));
    }
    assert_eq!(player.post("(play m (wait (put 2 2)))"), "(put 1 3)");
}

#[test]
fn odd_names_of_matches_are_names() {
    let player = Listening::start();
    for id in [
        "../../etc/passwd",
        "a\"b'c",
        "<script>alert(1)</script>".split('(').next().unwrap_or(""),
        &"x".repeat(10_000),
    ] {
        assert_eq!(player.start_match(id, "xplayer", TIC_TAC_TOE, 1), "ready");
        assert!(player.post(&format!("(play {id} nil)")).starts_with("(put "));
        assert_eq!(player.post(&format!("(abort {id})")), "aborted");
    }
}

#[test]
fn bodies_come_in_all_shapes() {
    let player = Listening::start();
    let ready = |bytes: &[u8]| body(&player.raw(bytes));
    assert_eq!(ready(b"POST / HTTP/1.0\r\n\r\n(ping)"), "ready");
    assert_eq!(
        ready(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(pi\r\n3\r\nng)\r\n0\r\n\r\n"),
        "ready"
    );
    assert_eq!(ready(b"POST / HTTP/1.1\r\ncontent-LENGTH: 6\r\n\r\n(ping)  "), "ready");
    assert_eq!(ready(b"GET /%28ping%29 HTTP/1.1\r\n\r\n"), "ready");
    assert_eq!(status(&player.raw(b"OPTIONS / HTTP/1.1\r\n\r\n")), "204");
    assert!(!player.raw(b"OPTIONS / HTTP/1.1\r\n\r\n").contains("Allow-Origin: *"));
    assert_eq!(status(&player.raw(b"PUT / HTTP/1.1\r\n\r\n")), "405");
    assert_eq!(status(&player.raw(b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n(ping)")), "400");
    for length in ["-1", "many", "6\r\nContent-Length: 7"] {
        let request = format!("POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n(ping)");
        assert_eq!(status(&player.raw(request.as_bytes())), "400", "{length}");
    }
    assert_eq!(status(&player.raw(b"(dance)")), "400");
    let large = b"POST / HTTP/1.0\r\nContent-Length: 16777217\r\n\r\n(";
    assert_eq!(status(&player.raw(large)), "413");
    assert_eq!(player.post("(ping)"), "ready");
}

#[test]
fn large_bodies_are_heard_out_and_answered() {
    let player = Listening::start();
    let sent = |length: usize, filling: &str| {
        let head = format!("POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n");
        let body = filling.repeat(length.div_ceil(filling.len()));
        let mut stream = TcpStream::connect(player.address).expect("it listens");
        // A client that cannot send all it has does not look at the answer.
        stream.write_all(head.as_bytes()).expect("it reads");
        stream.write_all(&body.as_bytes()[..length]).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    };
    const LARGEST: usize = 16 << 20;
    assert_eq!(status(&sent(LARGEST + 1, "(")), "413");
    assert_eq!(status(&sent(2 * LARGEST, "word ")), "413");
    assert_eq!(body(&sent(LARGEST, "(")), "nil");
    assert_eq!(body(&sent(LARGEST, "(info) ")), "nil");
    assert_eq!(body(&sent(LARGEST, " ")), "((name gambol) (status available))");
    assert_eq!(player.post("(ping)"), "ready");
}

#[test]
fn slow_clients_are_waited_for_until_their_time_is_up() {
    let player = Listening::start();
    let dripped = |pause: Duration| {
        let mut stream = TcpStream::connect(player.address).expect("it listens");
        for byte in b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(ping)" {
            thread::sleep(pause);
            if stream.write_all(&[*byte]).is_err() {
                break;
            }
        }
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    assert_eq!(body(&dripped(Duration::from_millis(1))), "ready");
    assert_eq!(status(&dripped(Duration::from_millis(40))), "408");
}

/// A game whose start needs to know which of the many places can be reached from which.
fn slow_rules(places: usize) -> String {
    let links: String = (0..places).map(|n| format!("(link {n} {})", (n + 1) % places)).collect();
    format!(
        "(role r) {links} (<= (init (at 0)) (path 0 0)) (<= (legal r (go ?q)) (true (at ?p)) (link ?p ?q)) \
         (<= (path ?p ?q) (link ?p ?q)) (<= (path ?p ?r) (path ?p ?q) (path ?q ?r)) \
         (<= (next (at ?p)) (does r (go ?p)) (path ?p ?p)) \
         (<= terminal (true (at nowhere))) (goal r 100)"
    )
}

#[test]
fn rules_that_take_long_do_not_make_us_late() {
    let player = Listening::start();
    // Hosts allow a second for the way.
    let timely = |message: &str, clock: f64| {
        let begun = Instant::now();
        let answer = player.post(message);
        assert!(begun.elapsed().as_secs_f64() < clock, "{message}: {:?}", begun.elapsed());
        answer
    };
    let start = format!("(START m r ({}) 2 2)", slow_rules(400));
    assert_eq!(timely(&start, 3.0), "ready");
    // At first nobody knows a move; the clock does not wait for that.
    timely("(play m nil)", 3.0);
    let mut turns = 1..30;
    assert!(turns.any(|place| {
        thread::sleep(Duration::from_millis(100));
        timely(&format!("(play m ((go {place})))"), 3.0) == format!("(go {})", place + 1)
    }));
}

#[test]
fn half_a_request_and_then_silence_is_ended() {
    let player = Listening::start();
    let mut stream = TcpStream::connect(player.address).expect("it listens");
    stream.write_all(b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n(play").expect("it reads");
    let begun = Instant::now();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert_eq!(status(&answer), "408");
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn idle_connections_do_not_delay_others() {
    let player = Listening::start();
    let idle: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(player.address).expect("it listens")).collect();
    let quickest = (0..5).map(|_| {
        let begun = Instant::now();
        assert_eq!(player.post("(info)"), "((name gambol) (status available))");
        begun.elapsed()
    });
    // A machine that is busy with other things may delay any single answer.
    let quickest = quickest.min().expect("five answers");
    assert!(quickest < Duration::from_millis(200), "{quickest:?}");
    drop(idle);
}

#[test]
fn a_client_that_leaves_before_the_answer_is_noticed_and_the_match_goes_on() {
    let (player, incidents) = watched();
    player.start_match("m", "xplayer", TIC_TAC_TOE, 1);
    let leave = || {
        let message = "POST / HTTP/1.0\r\nContent-Length: 12\r\n\r\n(play m nil)";
        let mut stream = TcpStream::connect(player.address).expect("it listens");
        stream.write_all(message.as_bytes()).expect("it reads");
    };
    let is_noticed = || {
        let told = incidents.lock().expect("no panic");
        told.iter().any(|incident| incident.kind == "client.gone")
    };
    // The system may take both pieces of an answer before it knows that nobody is there.
    let mut ours = String::new();
    for _ in 0..100 {
        leave();
        ours = player.post("(play m nil)");
        assert!(ours.starts_with("(put "), "{ours}");
        if is_noticed() {
            break;
        }
    }
    assert!(is_noticed());
    assert_eq!(player.post(&format!("(play m ({ours} wait))")), "wait");
}

#[test]
fn chance_draws_every_legal_move_now_and_then() {
    let rules = "(role random) (role guest) (init (rolls 0)) (step 0 1) (step 1 2) (step 2 3) \
        (step 3 4) (step 4 5) (step 5 6) (step 6 7) (step 7 8) (face a) (face b) \
        (<= (legal random (roll ?f)) (face ?f)) (legal guest watch) \
        (<= (next (rolls ?n)) (true (rolls ?m)) (step ?m ?n)) (<= terminal (true (rolls 8))) \
        (goal guest 100) (goal random 0)";
    let player = Listening::start();
    assert_eq!(player.start_match("m", "random", rules, 1), "ready");
    let mut rolled = vec![player.post("(play m nil)")];
    for _ in 1..8 {
        let last = rolled.last().expect("one at least");
        rolled.push(player.post(&format!("(play m ({last} watch))")));
    }
    assert!(rolled.iter().all(|face| face == "(roll a)" || face == "(roll b)"), "{rolled:?}");
    assert!(rolled.iter().any(|face| *face != rolled[0]), "{rolled:?}");
}

#[test]
fn what_goes_wrong_is_told() {
    let (player, incidents) = watched();
    let told = |kind: &str| {
        let incidents = incidents.lock().expect("no panic");
        incidents.iter().filter(|incident| incident.kind == kind).count()
    };
    player.post("(dance)");
    assert_eq!(told("message.unknown"), 1);
    player.start_match("m", "xplayer", "(<= (p ?x) (q ?y))", 1);
    assert_eq!(told("start.rules"), 1);
    player.start_match("m", "nobody", TIC_TAC_TOE, 1);
    assert_eq!(told("start.refused"), 1);
    player.start_match("m", "xplayer", TIC_TAC_TOE, 1);
    let ours = player.post("(play m nil)");
    let other = if ours == "(put 3 3)" { "(put 1 1)" } else { "(put 3 3)" };
    player.post(&format!("(play m ({other} (put 2 2)))"));
    assert_eq!((told("play.replaced"), told("play.illegal")), (1, 1));
    player.post("(play m (wait))");
    assert_eq!(told("play.moves"), 1);
    player.post("(stop m (wait wait wait))");
    assert_eq!(told("stop.moves"), 1);
}

#[test]
fn an_abort_ends_the_start_clock() {
    let player = Listening::start();
    thread::scope(|scope| {
        let starting = scope.spawn(|| player.start_match("m", "xplayer", TIC_TAC_TOE, 30));
        thread::sleep(Duration::from_millis(300));
        assert_eq!(player.post("(abort m)"), "aborted");
        let begun = Instant::now();
        starting.join().expect("the first start is answered");
        assert!(begun.elapsed() < Duration::from_secs(20));
    });
    assert_eq!(player.start_match("m", "xplayer", TIC_TAC_TOE, 1), "ready");
}

#[test]
fn a_preview_is_answered_and_its_work_used() {
    let player = Listening::start();
    assert_eq!(player.post(&format!("(PREVIEW ({TIC_TAC_TOE}) 2)")), "ready");
    assert_eq!(player.post("(PREVIEW ((<= (p ?x) (q ?y))) 2)"), "busy");
    assert_eq!(player.start_match("m", "xplayer", TIC_TAC_TOE, 1), "ready");
}

#[test]
fn two_listeners_with_one_question_hear_one_answer() {
    let player = Listening::start();
    player.start_match("m", "xplayer", TIC_TAC_TOE, 1);
    let answers: Vec<String> = thread::scope(|scope| {
        let asking: Vec<_> = (0..2).map(|_| scope.spawn(|| player.post("(play m nil)"))).collect();
        asking.into_iter().map(|one| one.join().expect("an answer")).collect()
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn a_role_without_a_move_says_so_and_stays_alive() {
    let player = Listening::start();
    let rules = "(role x) (init (p)) (<= (next (p)) (true (p))) (<= (legal x go) (true (q))) \
                 (<= (next (q)) (does x go)) (<= terminal (true (q))) (<= (goal x 100) (true (q)))";
    assert_eq!(player.start_match("m", "x", rules, 1), "ready");
    assert_eq!(player.post("(play m nil)"), "nil");
    assert_eq!(player.post("(ping)"), "ready");
}
