//! However many workers there are, in threads or processes, they find what one finds.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gambol_cluster::{GreetingError, Hosts, Job, Team, Watcher, connect, work_together};
use gambol_net::Net;
use gambol_sim::{Circuit, CompileOptions};
use gambol_solve::layers::{
    Answers, LayeredGame, MemoryShelf, Plan, Setting, Stopped, solve_alone, solve_with,
};
use gambol_solve::{SolveOptions, StrongClass, Unfinished, strong_by_listing};

struct Quiet;

impl Watcher for Quiet {
    fn silence(&self, _: Duration) {}

    fn lost(&self, what: &str) -> ! {
        panic!("lost: {what}")
    }
}

fn bundled(name: &str) -> Arc<(Net, Circuit)> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name).join("rules.kif");
    from_text(&std::fs::read(path).expect("the rules are there"))
}

fn from_text(text: &[u8]) -> Arc<(Net, Circuit)> {
    let rules = gambol_syntax::read(text, &Default::default()).rules.expect("they parse");
    let ground = gambol_ground::instantiate(&rules, &Default::default()).expect("they ground");
    let net = gambol_net::simplify(&gambol_net::build(&ground).expect("they make a net"));
    let circuit = Circuit::compile(&net, &CompileOptions::default()).expect("and a circuit");
    Arc::new((net, circuit))
}

/// What each worker does. It raises `stop` when layer 5 has values.
fn job(
    game: &Arc<(Net, Circuit)>,
    plan: &Plan,
    shelf: &Arc<MemoryShelf>,
    (process, threads): (usize, usize),
    stop: Option<Arc<AtomicBool>>,
) -> Arc<Job> {
    let (game, plan, shelf) = (game.clone(), plan.clone(), shelf.clone());
    Arc::new(move |exchange| {
        let mut options = SolveOptions::default();
        options.limits.stop = stop.clone();
        let layered = LayeredGame::new(&game.0, &game.1, &options).expect("nothing is hidden");
        let marks = exchange.index() % threads == 0;
        let limits = &options.limits;
        let setting = Setting { plan: &plan, shelf: &*shelf, limits, process, marks };
        layered.work(setting, exchange, &mut |done| {
            if let Some(stop) = stop.as_ref().filter(|_| done.solved && done.layer == 5) {
                stop.store(true, Ordering::Relaxed);
            }
        })
    })
}

fn classes(plan: &Plan, shelf: &MemoryShelf) -> Vec<StrongClass> {
    let answers = Answers::new(plan, shelf).expect("files");
    assert!(answers.is_complete());
    answers.classes().expect("files")
}

fn alone(game: &Arc<(Net, Circuit)>) -> (Plan, Vec<StrongClass>) {
    let (options, shelf) = (SolveOptions::default(), MemoryShelf::new());
    let mut layered = LayeredGame::new(&game.0, &game.1, &options).expect("nothing is hidden");
    let plan =
        solve_alone(&mut layered, &shelf, &mut |_| {}).expect("no accident").expect("layers");
    let classes = classes(&plan, &shelf);
    (plan, classes)
}

#[test]
fn threads_find_what_one_worker_finds() {
    let watcher: Arc<dyn Watcher> = Arc::new(Quiet);
    for name in ["tic-tac-toe", "goofspiel", "peg-solitaire"] {
        let game = bundled(name);
        let (_, expected) = alone(&game);
        for threads in 1..=3 {
            let (options, shelf) = (SolveOptions::default(), Arc::new(MemoryShelf::new()));
            let mut layered =
                LayeredGame::new(&game.0, &game.1, &options).expect("nothing is hidden");
            let plan = solve_with(&mut layered, &*shelf, &mut |_, plan| {
                work_together(
                    Team::Threads(threads),
                    job(&game, plan, &shelf, (0, threads), None),
                    &watcher,
                )
            });
            let plan = plan.expect("no accident").expect("layers");
            assert_eq!(classes(&plan, &shelf), expected, "{name}, {threads}");
        }
    }
}

/// Two tokens on ladders, which either player moves up or down, for ever if they like. Who moves the first to the
/// bottom or the second to the top wins, unless the other token is in the middle: then it is a draw.
const LADDERS: &str = "(role a) (role b) (init (at one 4)) (init (at two 3)) (init (turn a))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
    (<= (legal ?r (up ?t)) (true (turn ?r)) (true (at ?t ?n)) (succ ?n ?k))
    (<= (legal ?r (down ?t)) (true (turn ?r)) (true (at ?t ?n)) (succ ?k ?n))
    (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
    (<= (moved ?t) (does ?r (up ?t))) (<= (moved ?t) (does ?r (down ?t)))
    (<= (next (at ?t ?k)) (does ?r (up ?t)) (true (at ?t ?n)) (succ ?n ?k))
    (<= (next (at ?t ?k)) (does ?r (down ?t)) (true (at ?t ?n)) (succ ?k ?n))
    (<= (next (at ?t ?n)) (true (at ?t ?n)) (not (moved ?t)))
    (<= (next (turn b)) (true (turn a))) (<= (next (turn a)) (true (turn b)))
    (<= terminal (true (at one 0))) (<= terminal (true (at two 8)))
    (<= draw (true (at one 0)) (true (at two 4))) (<= draw (true (at one 4)) (true (at two 8)))
    (<= (goal ?r 50) (role ?r) draw)
    (<= (goal ?r 0) (true (turn ?r)) (not draw))
    (<= (goal ?r 100) (role ?r) (not (true (turn ?r))) (not draw))";

#[test]
fn where_states_return_workers_find_what_a_listing_finds() {
    let watcher: Arc<dyn Watcher> = Arc::new(Quiet);
    for name in ["ladders", "chomp", "nim-2-3-4"] {
        let game = if name == "ladders" { from_text(LADDERS.as_bytes()) } else { bundled(name) };
        let options = SolveOptions::default();
        let expected = strong_by_listing(&game.0, &game.1, &options).expect("a game for a listing");
        let expected = expected.expect("few states");
        for threads in 1..=3 {
            let shelf = Arc::new(MemoryShelf::new());
            let layered = LayeredGame::new(&game.0, &game.1, &options).expect("nothing is hidden");
            let mut layered = layered.returning();
            let plan = solve_with(&mut layered, &*shelf, &mut |_, plan| {
                let job = job(&game, plan, &shelf, (0, threads), None);
                work_together(Team::Threads(threads), job, &watcher)
            });
            let plan = plan.expect("no accident").expect("a code");
            assert!(plan.states_return(), "{name}");
            assert_eq!(classes(&plan, &shelf), expected, "{name}, {threads}");
        }
    }
}

/// Addresses at which nobody listens.
fn free_addresses(count: usize) -> Vec<String> {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    listeners.iter().map(|one| one.local_addr().expect("an address").to_string()).collect()
}

fn hosts(addresses: &[String], process: usize, secret: &str) -> Hosts {
    let (addresses, secret) = (addresses.to_vec(), secret.to_string());
    Hosts { addresses, process, threads: 1, secret, wait: Duration::from_secs(60) }
}

#[test]
fn processes_find_what_one_worker_finds_and_go_on_in_another_number() {
    let game = bundled("tic-tac-toe");
    let (plan, expected) = alone(&game);
    let shelf = Arc::new(MemoryShelf::new());
    let addresses = free_addresses(2);
    // All stop when layer 5 has values.
    let stop = Arc::new(AtomicBool::new(false));
    let process = |process: usize| {
        let hosts = hosts(&addresses, process, "together");
        let (game, plan, shelf, stop) = (game.clone(), plan.clone(), shelf.clone(), stop.clone());
        std::thread::spawn(move || {
            let mut connected = connect(&hosts, &AtomicBool::new(false)).expect("company");
            let own = (process == 0).then(|| plan.to_bytes());
            let bytes = connected.share_plan(own.as_deref()).expect("a plan");
            let plan = Plan::from_bytes(&bytes, "a plan").expect("a plan");
            let watcher: Arc<dyn Watcher> = Arc::new(Quiet);
            let job = job(&game, &plan, &shelf, (process, 1), Some(stop));
            work_together(Team::Processes(connected), job, &watcher)
        })
    };
    let both = [process(0), process(1)];
    for one in both {
        assert_eq!(one.join().expect("no panic"), Err(Stopped::Limit(Unfinished::Time)));
    }
    assert!(!Answers::new(&plan, &*shelf).expect("marks").is_complete());
    // The rest is found by three threads.
    let watcher: Arc<dyn Watcher> = Arc::new(Quiet);
    let three = work_together(Team::Threads(3), job(&game, &plan, &shelf, (0, 3), None), &watcher);
    assert_eq!(three, Ok::<(), Stopped>(()));
    assert_eq!(classes(&plan, &shelf), expected);
}

#[test]
fn who_does_not_know_the_secret_is_not_let_in_and_who_does_not_come_is_named() {
    let addresses = free_addresses(2);
    let wait = Duration::from_secs(1);
    let first = Hosts { wait, ..hosts(&addresses, 0, "ours") };
    let other = Hosts { wait, ..hosts(&addresses, 1, "another") };
    let caller = std::thread::spawn(move || connect(&other, &AtomicBool::new(false)).err());
    let refused = connect(&first, &AtomicBool::new(false)).err();
    assert!(matches!(refused, Some(GreetingError::Absent(1, _, 1))), "{refused:?}");
    let refused = caller.join().expect("no panic");
    assert!(matches!(refused, Some(GreetingError::Absent(0, _, 1))), "{refused:?}");
    let nowhere = connect(&hosts(&addresses, 5, ""), &AtomicBool::new(false)).err();
    assert!(matches!(nowhere, Some(GreetingError::NoSuchProcess(5, 2))), "{nowhere:?}");
}
