//! What a person sees and does, in a real browser.

use serde_json::{Value, json};

use crate::driver::Browser;
use crate::http::LAMPS;
use crate::server::Explorer;

/// Runs a story in a browser, if there is one; the page must have nothing to complain of.
pub(crate) fn story(game: &str, view: &str, tell: impl FnOnce(&Browser)) {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start();
    browser.visit(&format!("http://{}/#game={game}&view={view}", explorer.host));
    browser.until("document.querySelector('#roles .role')");
    tell(&browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Clicks the first square that can be clicked.
const CLICK_A_SQUARE: &str = "document.querySelector('#board .square.can').dispatchEvent(\
    new MouseEvent('click', { bubbles: true }))";

#[test]
fn a_game_is_played_on_its_board_and_taken_back() {
    story("tic-tac-toe", "play", |browser| {
        assert_eq!(
            browser.run("return document.querySelectorAll('#board .square').length", json!([])),
            9
        );
        for step in 1..=3 {
            browser.run(CLICK_A_SQUARE, json!([]));
            browser.until(&format!(
                "document.getElementById('step').textContent === 'step {step} of {step}'"
            ));
        }
        browser.click("back");
        browser.until("document.getElementById('step').textContent === 'step 2 of 3'");
        assert_eq!(
            browser.run("return document.querySelectorAll('#board .things > g').length", json!([])),
            2
        );
    });
}

#[test]
fn the_engine_answers_and_gives_hints() {
    story("tic-tac-toe", "play", |browser| {
        browser.run("document.getElementById('clock').value = '0.2'", json!([]));
        browser.click("hint");
        browser.until("document.getElementById('said').textContent.includes('xplayer')");
        browser.run("document.querySelectorAll('#roles input')[1].click()", json!([]));
        browser.run(CLICK_A_SQUARE, json!([]));
        browser.until("document.getElementById('step').textContent === 'step 2 of 2'");
    });
}

#[test]
fn the_net_is_drawn_searched_and_entered() {
    story("tic-tac-toe", "net", |browser| {
        browser.until("document.querySelectorAll('#net-picture .node').length > 5");
        browser.run(
            "const find = document.getElementById('find'); find.value = 'cell 2 2 x'; \
             find.dispatchEvent(new Event('input'))",
            json!([]),
        );
        browser.until("document.querySelector('#found button')");
        browser.run("document.querySelector('#found button').click()", json!([]));
        browser.until("document.querySelector('#net-picture .node.middle')");
    });
}

#[test]
fn facts_are_proved_and_shown_with_their_reasons() {
    story("untwisty-corridor", "structure", |browser| {
        browser.until(
            "document.getElementById('facts').textContent.includes('can no longer reach 100')",
        );
        browser.until("document.querySelector('#facts .basis.proved')");
    });
}

#[test]
fn the_parts_have_the_same_colours_everywhere() {
    story("double-tic-tac-toe", "parts", |browser| {
        browser.until("document.querySelector('#matrix svg')");
        assert!(browser.text("sentence").contains("2 parts"));
        browser.click("tab-play");
        browser.until("document.querySelectorAll('#board .place.parted').length === 18");
        browser.until("document.querySelector('#roles button.part-0') && document.querySelector('#roles button.part-1')");
        browser.click("tab-net");
        browser.until("document.querySelector('#net-picture .part-1')");
    });
}

#[test]
fn what_a_proof_has_joined_is_shown_with_its_lines_of_play() {
    story("tic-tac-toe", "play", |browser| {
        open_file(browser, "lamps.kif", LAMPS);
        browser.click("tab-parts");
        browser.until("document.getElementById('sentence').textContent.includes('2 parts')");
        browser.run("document.getElementById('with-proof').click()", json!([]));
        browser.until("document.querySelectorAll('#repairs ol li').length === 4");
        assert!(browser.text("repairs").contains("what r needs in one part depends on the other"));
        assert!(browser.text("sentence").contains("one piece"));
    });
}

#[test]
fn a_game_is_solved_whole_and_by_parts() {
    story("nim-2-3-4", "solve", |browser| {
        for (button, kind) in [("solve-whole", "whole"), ("solve-parts", "byparts")] {
            browser.click(button);
            browser.until(&format!("document.querySelector('[data-kind={kind}] .value')"));
        }
        let values = browser.run(
            "return [...document.querySelectorAll('.value')].map(value => value.textContent)",
            json!([]),
        );
        assert_eq!(values[0], values[1], "both ways have the same answer");
        browser.until("document.querySelector('#plot svg path')");
    });
}

#[test]
fn a_rule_covers_the_state_shown() {
    story("tic-tac-toe", "solve", |browser| {
        browser.click("regress");
        browser.until("document.querySelector('#policy .rule')");
        assert!(browser.text("policy").contains("50-50"));
    });
}

#[test]
fn a_broken_sheet_is_marked_where_it_is_broken() {
    story("tic-tac-toe", "rules", |browser| {
        browser.run("document.getElementById('text').value = '(role r)\\n(init (p 1)'", json!([]));
        browser.click("read");
        browser.until("document.querySelector('#behind mark.error')");
        assert!(browser.text("places").contains("line 2, column 1"));
    });
}

/// Every payload sets `window.hit` if any of it is taken for markup or script.
const PAYLOADS: [&str; 20] = [
    "<script>window.hit=1</script>",
    "<img/src=x/onerror=window.hit=1>",
    "\"><svg/onload=window.hit=1>",
    "'onmouseover='window.hit=1",
    "javascript:window.hit=1",
    "</title><script>window.hit=1</script>",
    "</style><script>window.hit=1</script>",
    "]]><script>window.hit=1</script>",
    "<!--<script>window.hit=1</script>",
    "<iframe/src=javascript:window.hit=1>",
    "<a/href=javascript:window.hit=1>x</a>",
    "<details/open/ontoggle=window.hit=1>",
    "<body/onload=window.hit=1>",
    "<input/autofocus/onfocus=window.hit=1>",
    "<math><mi/xlink:href=javascript:window.hit=1>",
    "${window.hit=1}",
    "{{window.hit=1}}",
    "`window.hit=1`",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
    "</textarea><script>window.hit=1</script>",
];

/// A game in which role, moves, fluents, what lies on the board and the file are called so.
fn game_called(payload: &str) -> String {
    format!(
        "(role {payload}) (index 1) (index 2) (index 3)
         (<= (init (cell ?x ?y {payload})) (index ?x) (index ?y)) (init ({payload} 1)) (init {payload})
         (<= (legal {payload} (put{payload} ?x ?y)) (true (cell ?x ?y {payload})))
         (<= (next (cell ?x ?y b)) (does {payload} (put{payload} ?x ?y)))
         (<= (next (cell ?x ?y b)) (true (cell ?x ?y b)))
         (<= (next (cell ?x ?y {payload})) (true (cell ?x ?y {payload})) (not (does {payload} (put{payload} ?x ?y))))
         (next {payload}) (<= (next ({payload} 2)) (true ({payload} 1))) (<= (next ({payload} 1)) (true ({payload} 2)))
         (<= {payload}end (true (cell 2 2 b))) (<= terminal {payload}end)
         (<= (goal {payload} 100) {payload}end) (<= (goal {payload} 0) (not {payload}end))"
    )
}

/// Opens a text as if its file had been chosen, and waits for what comes of it.
pub(crate) fn open_file(browser: &Browser, name: &str, text: &str) -> String {
    let open = "const files = new DataTransfer(); \
        files.items.add(new File([arguments[1]], arguments[0])); \
        const file = document.getElementById('file'); file.files = files.files; \
        document.getElementById('about').textContent = 'reading…'; \
        file.dispatchEvent(new Event('change'))";
    browser.run(open, json!([name, text]));
    browser.until("!document.getElementById('about').textContent.includes('reading…')");
    browser.text("about")
}

#[test]
fn names_are_never_taken_for_script() {
    story("tic-tac-toe", "play", |browser| {
        let mut opened = 0;
        for payload in PAYLOADS {
            browser.click("tab-play");
            let about = open_file(browser, &format!("{payload}.kif"), &game_called(payload));
            // Not every payload can be a name. What cannot is shown as an error, as text.
            if about.contains("fluents") {
                browser.until("document.querySelectorAll('#roles .role').length === 1");
                opened += 1;
                look_around(browser);
            }
            let hit = browser.run("return window.hit ?? null", json!([]));
            assert_eq!(hit, Value::Null, "{payload}");
        }
        assert!(opened >= 16, "only {opened} of the names could be tried");
    });
}

/// Every view of a game that can be played on its board.
fn look_around(browser: &Browser) {
    for view in ["net", "structure", "parts", "solve", "match", "rules"] {
        browser.click(&format!("tab-{view}"));
    }
    browser
        .until("document.querySelector('#facts details') && document.querySelector('#matrix svg')");
    browser.click("tab-play");
    browser.run(CLICK_A_SQUARE, json!([]));
    browser.until("document.getElementById('step').textContent === 'step 1 of 1'");
}

#[test]
fn the_page_says_when_the_engine_is_gone() {
    let Some(browser) = Browser::start() else { return };
    let explorer = Explorer::start();
    browser.visit(&format!("http://{}/", explorer.host));
    browser.until("document.querySelector('#roles .role')");
    drop(explorer);
    browser.until("!document.getElementById('gone').hidden");
}
