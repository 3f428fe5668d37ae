//! How long somebody waits. The figures are printed; they are held to the aims only where
//! `GAMBOL_TIMED` is set, since a busy machine proves nothing.

use serde_json::json;

use crate::browser::story;

/// Milliseconds.
const FIRST_PAINT: f64 = 1000.0;
const CLICK: f64 = 100.0;

fn hold(what: &str, took: f64, aim: f64) {
    println!("{what}: {took:.0} ms");
    if std::env::var_os("GAMBOL_TIMED").is_some() {
        assert!(took <= aim, "{what}: {took:.0} ms, more than {aim:.0}");
    }
}

#[test]
fn the_page_appears_at_once() {
    story("tic-tac-toe", "play", |browser| {
        let paint =
            "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null";
        let took = browser.run(paint, json!([])).as_f64().expect("something was painted");
        hold("first paint", took, FIRST_PAINT);
    });
}

#[test]
fn a_click_is_answered_at_once() {
    const CLICKED: &str = "return new Promise((done) => { \
        const step = document.getElementById('step'); const before = step.textContent; const start = performance.now(); \
        new MutationObserver((_, watch) => { if (step.textContent !== before) { \
            watch.disconnect(); requestAnimationFrame(() => done(performance.now() - start)); } }) \
            .observe(step, { childList: true, characterData: true, subtree: true }); \
        document.querySelector('#roles .role.turn .moves button').click(); })";
    for game in ["tic-tac-toe", "connect-four", "reversi", "breakthrough", "hex", "minichess"] {
        story(game, "play", |browser| {
            for _ in 0..4 {
                let took = browser.run(CLICKED, json!([])).as_f64().expect("the board answers");
                hold(&format!("a click in {game}"), took, CLICK);
            }
        });
    }
}
