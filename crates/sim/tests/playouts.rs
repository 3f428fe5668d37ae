//! Playouts of tiny games whose outcome can be worked out by hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gambol_net::{FluentId, MoveId, Net, NetBuilder, RoleId, When, Wire};
use gambol_sim::{Amount, Circuit, Code, CompileOptions, PlayoutOptions, Tally, Width, playouts};

/// A game of one player under construction.
struct Solitaire {
    net: NetBuilder,
    player: RoleId,
}

impl Solitaire {
    fn new() -> Self {
        let mut net = NetBuilder::new();
        let player = net.role("player");
        Self { net, player }
    }

    /// A fluent with its wire.
    fn fluent(&mut self, name: &str) -> (FluentId, Wire) {
        let fluent = self.net.fluent(name);
        (fluent, self.net.truth(fluent))
    }

    /// A move that is always legal.
    fn free_move(&mut self, name: &str) -> MoveId {
        let action = self.net.action(self.player, name);
        let always = self.net.constant(true);
        self.net.legal(action, always);
        action
    }

    /// Fluents `first`, `first + 1`, … of which the last is reached after `steps` steps; returns the
    /// wire of the last.
    fn countdown(&mut self, name: &str, steps: usize, start: Wire) -> Wire {
        let mut before = start;
        for step in 0..steps {
            let (fluent, now) = self.fluent(&format!("{name} {step}"));
            self.net.next(fluent, before);
            before = now;
        }
        before
    }

    fn finish(self) -> Circuit {
        compile(&self.net.finish().unwrap())
    }
}

fn compile(net: &Net) -> Circuit {
    Circuit::compile(net, &CompileOptions::default()).unwrap()
}

/// One of two moves ends the game.
fn coin_toss() -> Circuit {
    let mut game = Solitaire::new();
    let (over, over_now) = game.fluent("over");
    let (end, _go_on) = (game.free_move("end"), game.free_move("go on"));
    let ended = game.net.does(end);
    game.net.next(over, ended);
    game.net.terminal(over_now);
    let player = game.player;
    game.net.goal(player, 100, over_now);
    game.finish()
}

/// The first move decides whether the game lasts one step or fifty.
fn short_or_long() -> Circuit {
    let mut game = Solitaire::new();
    let (started, started_now) = game.fluent("started");
    let always = game.net.constant(true);
    game.net.next(started, always);
    let (short, long) = (game.free_move("short"), game.free_move("long"));
    let first = game.net.not(started_now);
    let (short, long) = (game.net.does(short), game.net.does(long));
    let (short, long) = (game.net.and([first, short]), game.net.and([first, long]));
    let (short, long) = (game.countdown("short", 1, short), game.countdown("long", 50, long));
    let over = game.net.or([short, long]);
    game.net.terminal(over);
    let player = game.player;
    game.net.goal(player, 10, short);
    game.net.goal(player, 90, long);
    game.finish()
}

fn play(circuit: &Circuit, games: u64) -> Tally {
    play_with(circuit, PlayoutOptions { amount: Amount::Playouts(games), ..Default::default() })
}

fn play_with(circuit: &Circuit, options: PlayoutOptions) -> Tally {
    let tally = playouts(circuit, &options);
    let ended: u64 = tally.lengths.iter().sum();
    assert_eq!(tally.playouts, ended + tally.stuck + tally.capped);
    tally
}

#[test]
fn exactly_as_many_games_are_played_as_asked_for() {
    let circuit = short_or_long();
    for games in [0, 1, 63, 64, 65, 511, 512, 513, 3_000] {
        for (threads, width) in [(1, Width::W64), (1, Width::W512), (3, Width::Auto)] {
            let amount = Amount::Playouts(games);
            let options = PlayoutOptions { amount, threads, width, ..Default::default() };
            assert_eq!(play_with(&circuit, options).playouts, games);
        }
    }
}

#[test]
fn short_games_are_not_favoured() {
    // Counting by ends would see the short games of the lanes that were filled last, and not the
    // long ones.
    let circuit = short_or_long();
    for games in [600, 2_000, 20_000] {
        let tally = play(&circuit, games);
        let long = tally.lengths[50];
        assert_eq!(tally.lengths[1] + long, games);
        let deviations = (long as f64 - games as f64 / 2.0) / (games as f64 / 4.0).sqrt();
        assert!(deviations.abs() < 4.5, "{long} of {games} games are long");
        assert_eq!(tally.goals[1].count, long, "the goal is that of the game's own length");
        assert_eq!(tally.goals[0].count, games - long);
    }
}

#[test]
fn the_length_of_a_run_of_coin_tosses_is_geometric() {
    let tally = play(&coin_toss(), 100_000);
    let mut chi_square = 0.0;
    for length in 1..=10 {
        let expected = 100_000.0 / f64::from(1u32 << length);
        let seen = tally.lengths.get(length).copied().unwrap_or(0) as f64;
        chi_square += (seen - expected).powi(2) / expected;
    }
    assert!(chi_square < 35.0, "chi-square {chi_square} with 10 degrees of freedom");
    assert_eq!(
        tally.steps,
        tally.lengths.iter().zip(0..).map(|(&n, length): (_, u64)| n * length).sum()
    );
    assert_eq!(tally.goals[0].count, 100_000);
}

#[test]
fn a_game_without_end_is_cut_off() {
    let mut game = Solitaire::new();
    game.free_move("on");
    game.free_move("and on");
    let circuit = game.finish();
    let options = PlayoutOptions {
        amount: Amount::Playouts(1_000),
        max_steps: 17,
        ..PlayoutOptions::default()
    };
    let tally = play_with(&circuit, options);
    assert_eq!((tally.capped, tally.steps), (1_000, 17_000));
    assert!(tally.lengths.iter().all(|&count| count == 0));
}

#[test]
fn a_player_without_a_move_is_stuck() {
    let mut game = Solitaire::new();
    let (left, left_now) = game.fluent("left");
    let (go_left, go_right) = {
        let player = game.player;
        (game.net.action(player, "left"), game.net.action(player, "right"))
    };
    let can_move = game.net.not(left_now);
    game.net.legal(go_left, can_move);
    game.net.legal(go_right, can_move);
    let gone = game.net.does(go_left);
    game.net.next(left, gone);
    // Right ends the game, left leads to a state without a move.
    let (over, over_now) = game.fluent("over");
    let right = game.net.does(go_right);
    game.net.next(over, right);
    game.net.terminal(over_now);
    let tally = play(&game.finish(), 10_000);
    assert_eq!(tally.stuck + tally.lengths[1], 10_000);
    assert!(tally.stuck.abs_diff(5_000) < 250, "{} of 10,000 are stuck", tally.stuck);
}

#[test]
fn a_game_that_is_over_at_once_is_counted() {
    let mut game = Solitaire::new();
    let (player, always) = (game.player, game.net.constant(true));
    game.net.terminal(always);
    game.net.goal(player, 70, always);
    let tally = play(&game.finish(), 1_234);
    assert_eq!((tally.lengths.as_slice(), tally.goals[0].count), (&[1_234][..], 1_234));
}

#[test]
fn goals_that_are_missing_or_ambiguous_are_counted_as_undefined() {
    let mut game = Solitaire::new();
    let (over, over_now) = game.fluent("over");
    let (lucky, lucky_now) = game.fluent("lucky");
    let (heads, _tails) = (game.free_move("heads"), game.free_move("tails"));
    let (heads, always, player) = (game.net.does(heads), game.net.constant(true), game.player);
    game.net.next(over, always);
    game.net.next(lucky, heads);
    game.net.terminal(over_now);
    game.net.goal(player, 50, over_now);
    game.net.goal(player, 100, lucky_now);
    let tally = play(&game.finish(), 10_000);
    assert_eq!(tally.undefined_goals + tally.goals[0].count, 10_000);
    assert_eq!(tally.goals[1].count, 0);
    assert!(tally.undefined_goals.abs_diff(5_000) < 250);
}

/// Two players in turn; the one whose turn it is ends the game with one of three moves.
fn turns() -> Net {
    let mut net = NetBuilder::new();
    let roles = [net.role("first"), net.role("second")];
    let marker = [net.fluent("first to move"), net.fluent("second to move")];
    let over = net.fluent("over");
    net.initial(marker[0]);
    let turn = marker.map(|fluent| net.truth(fluent));
    net.next(marker[0], turn[1]);
    net.next(marker[1], turn[0]);
    let mut endings = Vec::new();
    for (player, &role) in roles.iter().enumerate() {
        for name in ["a", "b", "c"] {
            let action = net.action(role, name);
            net.legal(action, turn[player]);
            if name == "a" {
                endings.push(net.does(action));
            }
        }
        let wait = net.action(role, "wait");
        net.legal(wait, turn[1 - player]);
        // The one to move in the last state has lost.
        net.goal(role, 100, turn[1 - player]);
        net.goal(role, 0, turn[player]);
    }
    let ended = net.or(endings);
    net.next(over, ended);
    let over_now = net.truth(over);
    net.terminal(over_now);
    net.finish().unwrap()
}

/// Chi-square of two histograms, as a number of standard deviations.
fn difference(a: &[u64], b: &[u64]) -> f64 {
    let (mut chi_square, mut freedom) = (0.0, -1.0f64);
    for place in 0..a.len().max(b.len()) {
        let count = |counts: &[u64]| counts.get(place).copied().unwrap_or(0) as f64;
        if count(a) + count(b) >= 10.0 {
            chi_square += (count(a) - count(b)).powi(2) / (count(a) + count(b));
            freedom += 1.0;
        }
    }
    (chi_square - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn phases_widths_and_code_do_not_change_the_distribution() {
    let net = turns();
    let whole = Circuit::compile(&net, &{
        let mut options = CompileOptions::default();
        options.phases = false;
        options
    });
    let (phased, whole) = (compile(&net), whole.unwrap());
    assert_eq!((phased.period(), whole.period()), (2, 1));
    let amount = Amount::Playouts(50_000);
    let reference = play(&whole, 50_000);
    // Each step ends the game with probability one third; the first player wins if the length is odd.
    assert!((reference.mean_length() - 3.0).abs() < 0.06);
    let wins = reference.goals.iter().find(|goal| goal.value == 100).unwrap().count;
    assert!(wins.abs_diff(30_000) < 500, "{wins} wins of the first player");
    for width in [Width::W64, Width::W256, Width::W512] {
        for code in [Code::Table, Code::Auto] {
            let options = PlayoutOptions { amount, width, code, seed: 99, ..Default::default() };
            let tally = play_with(&phased, options);
            let difference = difference(&tally.lengths, &reference.lengths);
            assert!(difference < 4.5, "{width:?} {code:?}: {difference} standard deviations");
            let won = tally.goals.iter().find(|goal| goal.value == 100).unwrap().count;
            assert!(won.abs_diff(30_000) < 500, "{won} wins of the first player");
        }
    }
}

#[test]
fn the_same_seed_plays_the_same_games() {
    let circuit = short_or_long();
    let with_seed = |seed, threads, width| {
        let amount = Amount::Playouts(5_000);
        let options = PlayoutOptions { amount, seed, threads, width, ..Default::default() };
        let tally = play_with(&circuit, options);
        (tally.lengths, tally.goals)
    };
    let expected = with_seed(7, 1, Width::Auto);
    for threads in [1, 2, 5] {
        for width in [Width::W64, Width::W256, Width::W512] {
            assert_eq!(with_seed(7, threads, width), expected);
        }
    }
    assert_ne!(with_seed(8, 1, Width::Auto), expected);
}

/// A walker on a ring of eight squares, with four moves from each. Where walkers may split, one that takes the
/// longest way from the first square leaves another behind, and moves from two squares are legal.
fn walkers(may_split: bool, grouping: When) -> Circuit {
    let mut game = Solitaire::new();
    let squares: Vec<(FluentId, Wire)> = (0..8).map(|n| game.fluent(&format!("at {n}"))).collect();
    let (mut arrivals, mut departures) = (vec![vec![]; 8], vec![vec![]; 8]);
    for (from, &(_, here)) in squares.iter().enumerate() {
        for way in 1..=4 {
            let action = game.net.action(game.player, &format!("from {from} by {way}"));
            game.net.legal(action, here);
            let done = game.net.does(action);
            arrivals[(from + way) % 8].push(done);
            if !(may_split && from == 0 && way == 4) {
                departures[from].push(done);
            }
        }
    }
    for ((&(square, here), arrivals), departures) in squares.iter().zip(arrivals).zip(departures) {
        let (arrived, left) = (game.net.or(arrivals), game.net.or(departures));
        let stayed = game.net.not(left);
        let stayed = game.net.and([here, stayed]);
        let next = game.net.or([arrived, stayed]);
        game.net.next(square, next);
    }
    let ((_, second), (_, last)) = (squares[1], squares[7]);
    let (player, alone) = (game.player, game.net.not(second));
    let (both, alone) = (game.net.and([last, second]), game.net.and([last, alone]));
    game.net.initial(squares[0].0);
    game.net.terminal(last);
    game.net.goal(player, 100, both);
    game.net.goal(player, 50, alone);
    let mut options = CompileOptions::default();
    options.grouping = grouping;
    Circuit::compile(&game.net.finish().unwrap(), &options).unwrap()
}

#[test]
fn moves_in_groups_are_chosen_as_moves_one_by_one() {
    for may_split in [false, true] {
        let play = |grouping, code, width| {
            let amount = Amount::Playouts(3_000);
            let options = PlayoutOptions { amount, code, width, ..Default::default() };
            let tally = play_with(&walkers(may_split, grouping), options);
            (tally.lengths, tally.goals)
        };
        let expected = play(When::Never, Code::Table, Width::W512);
        assert_eq!(expected.1.iter().any(|goal| goal.value == 100 && goal.count > 0), may_split);
        for grouping in [When::Never, When::WhenItPays, When::Always] {
            for code in [Code::Avx2, Code::Avx512, Code::Auto] {
                for width in [Width::W256, Width::W512] {
                    assert_eq!(play(grouping, code, width), expected, "{grouping:?} {code:?}");
                }
            }
        }
    }
}

#[test]
fn time_and_the_stop_flag_are_obeyed() {
    let circuit = coin_toss();
    let amount = Amount::Seconds(0.05);
    let tally = play_with(&circuit, PlayoutOptions { amount, ..Default::default() });
    assert!(tally.playouts > 1_000 && tally.seconds < 5.0);
    assert!((tally.mean_length() - 2.0).abs() < 0.2);
    let stop = Arc::new(AtomicBool::new(false));
    stop.store(true, Ordering::Relaxed);
    let options = PlayoutOptions {
        amount: Amount::Seconds(1e9),
        stop: Some(stop),
        ..PlayoutOptions::default()
    };
    assert!(playouts(&circuit, &options).seconds < 5.0);
}
