//! Recorded playouts: what agrees, what differs, what may be missing.

use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::program::{fails, gambol, json};

const LIGHT: &str = "(role R) (init dark) (legal R press) (legal R wait)
    (<= (next Lit) (does R press)) (<= (next dark) (does R wait)) (<= terminal (true Lit))
    (<= (goal R 100) (true Lit))";

/// A playout of the game above, in lower case.
const PLAYOUT: &str = r#"{"game":"light","seed":1,"roles":["r"],"steps":[
    {"state":["dark"],"legal":{"r":["press","wait"]},"joint":["wait"]},
    {"joint":["press"]}],
    "detail_every":2,"end":{"state":["lit"],"terminal":true,"goals":{"r":100}}}"#;

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Self {
        let files = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(files.path("light.kif"), LIGHT).unwrap();
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn trace(&self, playout: &str) -> PathBuf {
        let path = self.path("light.jsonl");
        std::fs::write(&path, playout.replace('\n', " ") + "\n").unwrap();
        path
    }

    fn replay(&self, trace: &PathBuf) -> (serde_json::Value, i32) {
        json(gambol().args(["replay", "--json"]).arg(self.path("light.kif")).arg(trace))
    }
}

#[test]
fn a_true_recording_has_no_differences() {
    let files = Files::new();
    let (report, code) = files.replay(&files.trace(PLAYOUT));
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["playouts"], 1);
    assert_eq!(report["steps"], 2);
    assert_eq!(report["engines"], serde_json::json!(["reference", "net", "circuit"]));
    assert_eq!(report["differences"], serde_json::json!([]));
}

#[test]
fn a_packed_recording_is_read_as_well() {
    let files = Files::new();
    let path = files.path("light.jsonl.gz");
    let mut packed = GzEncoder::new(std::fs::File::create(&path).unwrap(), Compression::fast());
    writeln!(packed, "{}", PLAYOUT.replace('\n', " ")).unwrap();
    packed.finish().unwrap();
    assert_eq!(files.replay(&path).1, 0);
}

#[test]
fn every_engine_finds_a_false_recording() {
    let false_recordings = [
        (PLAYOUT.replace(r#"["press","wait"]"#, r#"["press"]"#), "legal moves of r", 0),
        (PLAYOUT.replace(r#"["lit"]"#, r#"["dark"]"#), "state", 2),
        (PLAYOUT.replace(r#""r":100"#, r#""r":null"#), "goal of r", 2),
        (PLAYOUT.replace(r#""terminal":true"#, r#""terminal":false"#), "terminal", 2),
        (PLAYOUT.replace(r#""roles":["r"]"#, r#""roles":["x"]"#), "roles", 0),
    ];
    let files = Files::new();
    for (recording, what, step) in false_recordings {
        let (report, code) = files.replay(&files.trace(&recording));
        assert_eq!(code, 1, "{what}");
        let differences = report["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 3, "{what}: one for each engine: {report}");
        for difference in differences {
            assert_eq!(difference["what"], what);
            assert_eq!((&difference["step"], &difference["playout"]), (&step.into(), &0.into()));
            assert!(difference.get("expected").is_some() && difference.get("found").is_some());
        }
    }
}

#[test]
fn a_cut_recording_is_compared_as_far_as_it_goes() {
    let files = Files::new();
    let cut = r#"{"roles":["r"],"truncated":"time","steps":[{"state":["dark"],
        "legal":{"r":["press","wait"]},"joint":["wait"]}],
        "end":{"state":["dark"],"terminal":null,"goals":{}}}"#;
    assert_eq!(files.replay(&files.trace(cut)).1, 0);
}

#[test]
fn a_stuck_recording_ends_without_a_joint_move() {
    let files = Files::new();
    let stuck = "(role r) (init p) (<= (legal r go) (true q)) (<= terminal (true q)) (goal r 0)";
    std::fs::write(files.path("light.kif"), stuck).unwrap();
    let recording = r#"{"roles":["r"],"steps":[{"state":["p"],"legal":{"r":[]}}],
        "end":{"state":["p"],"terminal":false,"goals":{"r":0},"error":"no legal move for r"}}"#;
    let (report, code) = files.replay(&files.trace(recording));
    assert_eq!(code, 0, "{report}");
}

#[test]
fn what_is_no_recording_is_refused() {
    let files = Files::new();
    let trace = files.trace("{\"roles\": 7}");
    let output = fails(4, gambol().arg("replay").arg(files.path("light.kif")).arg(trace));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 1"));
}
