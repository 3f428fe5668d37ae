//! What the page tells somebody who sees it for the first time.

use serde_json::json;

use crate::browser::story;

#[test]
fn each_view_says_what_it_shows_and_where_to_read_on() {
    story("minichess", "play", |browser| {
        browser.until(
            "document.getElementById('description').textContent.includes('Chess on 5 by 5')",
        );
        for view in ["play", "net", "structure", "parts", "solve", "match", "rules"] {
            browser.click(&format!("tab-{view}"));
            assert!(
                !browser.text("story-what").is_empty()
                    && browser.text("story-try").starts_with("Try:")
            );
            let more = browser.run(
                "return document.getElementById('story-more').getAttribute('href')",
                json!([]),
            );
            assert_eq!(more, format!("/help.html#{view}"));
        }
        let help =
            browser.run("return fetch('/help.html').then(answer => answer.text())", json!([]));
        let help = help.as_str().unwrap_or_default();
        assert!(
            ["play", "net", "match", "rules"]
                .iter()
                .all(|view| help.contains(&format!("id=\"{view}\"")))
        );
    });
}

#[test]
fn the_guided_tour_opens_the_games_it_talks_about() {
    story("tic-tac-toe", "play", |browser| {
        browser.click("tour");
        browser.until("document.getElementById('games').value === 'one-light-net'");
        browser.until("!document.getElementById('net').hidden");
        for game in [
            "buttons-and-lights",
            "multiple-buttons-and-lights",
            "untwisty-corridor",
            "domineering-four-boards",
        ] {
            browser.click("guide-next");
            browser.until(&format!("document.getElementById('games').value === '{game}'"));
            browser.until("document.querySelector('#roles .role')");
        }
        browser.click("guide-end");
        browser.until("document.getElementById('guide').hidden");
    });
}

#[test]
fn the_net_is_a_laboratory() {
    story("one-light-net", "net", |browser| {
        browser.until("document.querySelector('#net-picture.no-move .node')");
        browser.until("document.querySelector('#net-inputs select')");
        // Without a move nothing is lit that looks at one.
        assert_eq!(browser.run("return [...document.querySelectorAll('#net-picture .node.lit')].map(it => it.textContent).filter(it => /raise|next|free/.test(it)).length", json!([])), 0);
        assert_eq!(
            browser.run("return document.getElementById('net-step').disabled", json!([])),
            true
        );
        browser.run(
            "const input = document.querySelector('#net-inputs select'); input.selectedIndex = 1; \
             input.dispatchEvent(new Event('change'))",
            json!([]),
        );
        browser.until("document.querySelector('#net-picture:not(.no-move) .input.lit')");
        browser.click("net-step");
        browser.until("document.getElementById('step').textContent === 'step 1 of 1'");
    });
}

#[test]
fn facts_that_differ_in_their_arguments_are_told_once() {
    story("tic-tac-toe", "structure", |browser| {
        browser.until("document.getElementById('facts').textContent.includes('once (cell X Y empty) is false it stays false')");
        assert!(browser.text("facts").contains("for X from 1 to 3, Y from 1 to 3"));
    });
}

#[test]
fn lines_of_four_are_told_by_their_direction() {
    story("connect-four", "play", |browser| {
        // Enough time on a machine that is busy with other tests.
        browser.run("document.getElementById('proof-time').value = '120'", json!([]));
        browser.click("tab-structure");
        let line =
            "(cell X Y red), (cell X+1 Y+1 red), (cell X+2 Y+2 red), (cell X+3 Y+3 red) hold";
        browser.until(&format!("document.getElementById('facts').textContent.includes('{line}')"));
        let facts = browser.text("facts");
        // Seven columns of three, four times six in rows, four times three in each diagonal, for both colours.
        assert!(facts.contains("Latches of groups (138)"), "{facts}");
        assert!(!facts.contains("more like these"), "{facts}");
    });
}

#[test]
fn proving_goes_on_until_the_time_is_over() {
    story("connect-four", "play", |browser| {
        browser.click("tab-structure");
        browser.until(
            "document.getElementById('proof-status').textContent.startsWith('a first look')",
        );
        assert!(browser.text("proof-cut").ends_with("Press Prove to go on for up to 6 s."));
        browser.run("document.getElementById('proof-time').value = '2'", json!([]));
        browser.click("prove");
        browser.until(
            "document.getElementById('proof-status').textContent.startsWith('stopped by the clock')",
        );
        assert!(browser.text("proof-cut").ends_with("Choose more time and press Prove."));
    });
}

#[test]
fn what_does_not_fall_apart_is_said_in_words_and_has_no_curve() {
    story("hanoi", "solve", |browser| {
        browser.click("solve-parts");
        browser.until("document.getElementById('solve-status').textContent.includes('solve the whole game instead')");
        assert_eq!(
            browser.run("return document.querySelectorAll('#plot svg').length", json!([])),
            0
        );
        assert!(!browser.text("solve-status").contains("--"));
    });
}

#[test]
fn a_game_that_fails_leaves_no_board_behind() {
    story("tic-tac-toe", "play", |browser| {
        browser.run("location.hash = ''; document.getElementById('games').append(new Option('no-such-game', 'no-such-game'));\
            const games = document.getElementById('games'); games.value = 'no-such-game'; games.dispatchEvent(new Event('change'))", json!([]));
        browser.until("!document.getElementById('again').hidden");
        browser.until("document.querySelectorAll('#board .square').length === 0");
        assert_eq!(browser.text("description"), "");
        // Nor controls of a game that is not there.
        let shown = "return ['story', 'timeline', 'new-game'].filter(id => document.getElementById(id).getClientRects().length > 0)";
        assert_eq!(browser.run(shown, json!([])), json!([]));
        browser.run(
            "const games = document.getElementById('games'); games.value = 'nim'; games.dispatchEvent(new Event('change'))",
            json!([]),
        );
        browser.until("document.getElementById('timeline').getClientRects().length > 0");
    });
}

/// A game whose net takes too long is offered to the interpreter, and played in words.
#[test]
fn a_game_without_a_net_is_played_by_the_interpreter() {
    story("nim", "play", |browser| {
        browser.run(
            "const fetched = window.fetch; window.fetch = (path, options) => path === '/api/games' \
               ? fetched(path, { ...options, body: JSON.stringify({ ...JSON.parse(options.body), seconds: 1e-9 }) }) \
               : fetched(path, options); \
             const games = document.getElementById('games'); games.value = 'connect-four'; \
             games.dispatchEvent(new Event('change'))",
            json!([]),
        );
        browser.until("!document.getElementById('again').hidden");
        browser.click("interpret");
        browser.until("document.getElementById('plain-turn').textContent === 'red to move'");
        browser.until("document.getElementById('again').hidden");
        browser.run("document.querySelector('#plain-roles [data-move]').click()", json!([]));
        browser.until("document.getElementById('plain-turn').textContent === 'yellow to move'");
        assert!(browser.text("plain-facts").contains("1 1 red"));
        browser.click("plain-random");
        browser.until("document.getElementById('plain-step').textContent === '2 steps'");
        browser.click("plain-back");
        browser.until("document.getElementById('plain-step').textContent === '1 step'");
    });
}

#[test]
fn clicks_before_a_game_is_there_do_no_harm() {
    story("nim", "play", |browser| {
        browser.run(
            "const games = document.getElementById('games'); games.value = 'reversi'; \
             document.getElementById('new-game').click(); games.dispatchEvent(new Event('change')); \
             for (const id of ['random', 'hint', 'swap', 'advance']) document.getElementById(id).click()",
            json!([]),
        );
        browser.until("document.getElementById('about').textContent.startsWith('reversi:')");
        browser.until("document.querySelectorAll('#board .square').length === 64");
    });
}

#[test]
fn rules_are_coloured_and_checked_while_one_types() {
    story("tic-tac-toe", "rules", |browser| {
        browser.until("document.querySelector('#behind .ink-keyword') && document.querySelector('#behind .ink-variable')");
        browser.run(
            "const text = document.getElementById('text'); \
             text.value = text.value.replace('(true (turn ?player))', '(true (trun ?player))'); \
             text.dispatchEvent(new Event('input'))",
            json!([]),
        );
        browser.until("document.getElementById('places').textContent.includes('trun')");
        browser.until("document.getElementById('places').textContent.includes('turn')");
        browser.until("document.querySelector('#behind mark')");
    });
}

#[test]
fn a_click_on_a_relation_leaves_what_it_has_to_do_with() {
    story("breakthrough", "net", |browser| {
        browser.until("document.querySelectorAll('#net-picture [data-relation]').length > 3");
        let all = "return document.querySelectorAll('#net-picture [data-relation]').length";
        let before = browser.run(all, json!([])).as_u64();
        browser.run(
            "document.querySelector('#net-picture [data-relation^=\"goal\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))",
            json!([]),
        );
        browser.until("document.getElementById('net-relation').value.startsWith('goal')");
        browser.until(&format!(
            "document.querySelectorAll('#net-picture [data-relation]').length < {}",
            before.unwrap_or(0)
        ));
    });
}

#[test]
fn the_page_says_when_time_ended_a_search_for_facts() {
    story("reversi", "play", |browser| {
        browser.run(
            "const time = document.getElementById('proof-time'); time.options[0].value = '0.5'; time.value = '0.5'",
            json!([]),
        );
        browser.click("tab-structure");
        browser.until("!document.getElementById('proof-cut').hidden");
        assert!(browser.text("proof-status").starts_with("a first look"));
        assert!(browser.text("proof-cut").contains("there may be more"));
    });
}

#[test]
fn a_solve_that_was_stopped_does_not_blame_the_time() {
    story("breakthrough", "solve", |browser| {
        browser.click("solve-whole");
        browser.until("document.getElementById('solve-status').textContent.includes('nodes')");
        browser.click("stop-solve");
        browser
            .until("document.getElementById('solutions').textContent.includes('it was stopped')");
    });
}
