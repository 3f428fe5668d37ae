//! Proofs against the truth: every game whose states can be listed.

use std::time::Duration;

use gambol_analysis::{OpenGoals, Shape, ShapeOptions, Together, shape};
use gambol_index::Id;
use gambol_net::{FluentId, Net};

use crate::truth::{Truth, games, net_of_game, truth};

/// How many facts are true, and how many of them are proved.
#[derive(Clone, Copy, Default, Debug)]
struct Recall {
    proved: usize,
    holds: usize,
}

impl Recall {
    fn count(&mut self, proved: bool, holds: bool) {
        self.proved += usize::from(proved && holds);
        self.holds += usize::from(holds);
    }

    fn share(self) -> f64 {
        self.proved as f64 / self.holds.max(1) as f64
    }
}

#[derive(Default, Debug)]
struct Recalls {
    latches: Recall,
    mutexes: Recall,
    inhibitors: Recall,
    /// States in which nothing that is played changes what anybody gets.
    settled: usize,
}

/// Games small enough for the test's time, by what their rules say about their size.
const MOST_STATES: usize = 6_000;
const MOST_GATES: usize = 6_000;

#[test]
fn what_induction_proves_is_true_and_little_is_missed() {
    let mut options = ShapeOptions::default();
    options.listing = false;
    // More than any of these games needs on an idle machine.
    options.budget.time = Some(Duration::from_secs(30));
    let (recalls, report) = recalls_of_small_games(&options);
    assert!(recalls.latches.share() >= 0.99, "{report}");
    assert!(recalls.mutexes.share() >= 0.95, "{report}");
    assert!(recalls.inhibitors.share() >= 0.95, "{report}");
    assert!(recalls.settled > 100, "{report}");
}

#[test]
fn where_all_states_are_met_nothing_is_missed() {
    let (recalls, report) = recalls_of_small_games(&ShapeOptions::default());
    assert_eq!(recalls.latches.proved, recalls.latches.holds, "{report}");
    assert_eq!(recalls.mutexes.proved, recalls.mutexes.holds, "{report}");
    assert_eq!(recalls.inhibitors.proved, recalls.inhibitors.holds, "{report}");
}

/// Recalls over all games that can be listed, with a line about each that was not complete.
fn recalls_of_small_games(options: &ShapeOptions) -> (Recalls, String) {
    let mut recalls = Recalls::default();
    let (mut listed, mut report) = (0, String::new());
    for name in names() {
        let net = net_of_game(&name);
        if net.gate_count() > MOST_GATES {
            continue;
        }
        let Some(truth) = truth(&net, MOST_STATES) else { continue };
        listed += 1;
        let shape = shape(&net, options);
        let own = compare(&name, &net, &truth, &shape);
        report +=
            &format!("{name}: {} states, {own}, {:.2} s\n", truth.states, shape.time.as_secs_f64());
        add(&mut recalls.latches, own.latches);
        add(&mut recalls.mutexes, own.mutexes);
        add(&mut recalls.inhibitors, own.inhibitors);
        recalls.settled += own.settled;
    }
    assert!(listed >= 20, "{report}");
    report += &format!("all: {recalls}\n");
    (recalls, report)
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(games())
        .expect("the folder of games")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| games().join(name).join("rules.kif").is_file())
        .collect();
    names.sort();
    names
}

impl std::fmt::Display for Recalls {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { latches: l, mutexes: m, inhibitors: i, settled } = self;
        write!(out, "latches {}/{}, mutexes {}/{}, ", l.proved, l.holds, m.proved, m.holds)?;
        write!(out, "inhibitors {}/{}, settled {settled}", i.proved, i.holds)
    }
}

fn add(sum: &mut Recall, own: Recall) {
    sum.proved += own.proved;
    sum.holds += own.holds;
}

/// Counts what is proved; a false claim fails the test.
fn compare(name: &str, net: &Net, truth: &Truth, shape: &Shape) -> Recalls {
    let mut recalls = Recalls::default();
    for latch in shape.latches.iter().filter(|latch| latch.moves) {
        let holds = truth.latches(latch.literal.fluent.index(), latch.literal.holds);
        let claim = || format!("{name}: {} latches", latch.literal.text(net));
        assert!(holds || !latch.verdict.is_proved(), "{}", claim());
        assert!(!holds || !latch.verdict.is_refuted(), "{} (refuted)", claim());
    }
    let proved: Vec<_> = shape.proved_latches().collect();
    for fluent in net.fluents.ids() {
        for holds in [true, false] {
            let literal = gambol_analysis::Literal { fluent, holds };
            recalls.latches.count(proved.contains(&literal), truth.latches(fluent.index(), holds));
        }
    }
    compare_pairs(name, net, truth, shape, &mut recalls);
    compare_goals(name, net, truth, shape);
    recalls.settled = compare_open_goals(name, net, truth, shape);
    recalls
}

fn compare_pairs(name: &str, net: &Net, truth: &Truth, shape: &Shape, recalls: &mut Recalls) {
    for one in net.fluents.ids() {
        for other in net.fluents.ids() {
            let pair = || format!("{name}: {} and {}", net.fluents[one], net.fluents[other]);
            if one < other {
                let proved = shape.exclusive.excludes(one, other);
                let never = !truth.together[one.index()][other.index()];
                assert!(never || !proved, "{} exclude one another", pair());
                recalls.mutexes.count(proved, truth.excludes(one.index(), other.index()));
            }
            let holds = truth.inhibits(one.index(), other.index());
            recalls.inhibitors.holds += usize::from(holds);
        }
    }
    for pair in shape.inhibitors.iter().filter(|pair| pair.verdict.is_proved()) {
        let (one, other) = (pair.inhibitor.index(), pair.inhibited.index());
        assert!(truth.inhibits(one, other), "{name}: {pair:?}");
        recalls.inhibitors.proved += 1;
    }
}

fn compare_goals(name: &str, net: &Net, truth: &Truth, shape: &Shape) {
    for facts in &shape.goals {
        let goal =
            net.goals.iter().position(|goal| *goal == facts.goal).expect("a goal of the net");
        assert!(!(facts.unreachable && truth.reached[goal]), "{name}: {facts:?}");
        let any = facts.groups.iter().filter(|group| group.together == Together::Any);
        let groups = any.flat_map(|group| &group.members);
        for literal in facts.inhibitors.iter().chain(groups) {
            let place = 2 * literal.fluent.index() + usize::from(literal.holds);
            assert!(!truth.reached_after[goal][place], "{name}: {literal:?} {facts:?}");
        }
    }
}

/// From no state does a play end with a value that is said to be out of reach. So a settled state
/// ends with the same goals whatever is played, and the value of no game changes if it is taken for
/// a leaf, however many play.
fn compare_open_goals(name: &str, net: &Net, truth: &Truth, shape: &Shape) -> usize {
    let open_goals = OpenGoals::of(net, shape);
    let mut settled = 0;
    for (state, set) in truth.listed.iter().enumerate() {
        let holds = |fluent: FluentId| set.binary_search(&fluent.index()).is_ok();
        for (goal, leads) in net.goals.iter().zip(&truth.leads) {
            let open = open_goals.open(goal.role, holds).any(|value| value == goal.value);
            assert!(open || !leads[state], "{name}: {goal:?} from {set:?}");
        }
        if open_goals.is_settled(holds) {
            settled += 1;
            for role in net.roles.ids() {
                let ends = net.goals.iter().zip(&truth.leads);
                let values = ends.filter(|(goal, leads)| goal.role == role && leads[state]);
                assert!(values.count() <= 1, "{name}: {set:?} is not settled");
            }
        }
    }
    settled
}
