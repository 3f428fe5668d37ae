//! Boards in a real browser: colours, clicks, the end of a game, chance and hidden cards.

use serde_json::{Value, json};

use crate::browser::story;
use crate::driver::Browser;

/// Clicks a place of the first board.
fn click(browser: &Browser, place: &str) {
    browser.run(
        "document.querySelector(`[data-place=\"${arguments[0]}\"]`)\
         .dispatchEvent(new MouseEvent('click', { bubbles: true }))",
        json!([place]),
    );
}

fn until_step(browser: &Browser, step: usize) {
    browser
        .until(&format!("document.getElementById('step').textContent === 'step {step} of {step}'"));
}

fn count(browser: &Browser, selector: &str) -> Value {
    browser.run("return document.querySelectorAll(arguments[0]).length", json!([selector]))
}

#[test]
fn discs_keep_their_colour_and_a_click_anywhere_in_a_column_drops_one() {
    story("connect-four", "play", |browser| {
        // Any place of a column: the top of the third and of the fourth.
        click(browser, "0-37");
        until_step(browser, 1);
        click(browser, "0-38");
        until_step(browser, 2);
        let fills = browser.run(
            "return ['0-2', '0-3'].map(place => document.querySelector(`[data-place='${place}'] .things > g`).getAttribute('fill'))",
            json!([]),
        );
        assert_eq!(fills, json!(["#d6423b", "#f5c531"]));
        assert_eq!(browser.text("turn"), "red to move");
        assert_eq!(count(browser, "#board .things text"), 0);
    });
}

#[test]
fn men_go_from_source_to_target() {
    story("minichess", "play", |browser| {
        assert_eq!(count(browser, "#board .things > g"), 20);
        click(browser, "0-5");
        browser.until("document.querySelector('[data-place=\"0-5\"].chosen')");
        browser.until("document.querySelector('[data-place=\"0-10\"].target')");
        click(browser, "0-10");
        until_step(browser, 1);
        assert_eq!(browser.text("turn"), "black to move");
    });
}

#[test]
fn a_click_on_a_lamp_presses_it_and_dark_lamps_are_there() {
    story("lights-out-3x3", "play", |browser| {
        click(browser, "0-4");
        until_step(browser, 1);
    });
    story("multiple-buttons-and-lights", "play", |browser| {
        assert_eq!(count(browser, "#board .things > g"), 9);
    });
}

#[test]
fn the_winner_and_the_line_are_named_and_a_new_game_begins() {
    story("tic-tac-toe", "play", |browser| {
        for (step, place) in ["0-0", "0-3", "0-1", "0-4", "0-2"].iter().enumerate() {
            click(browser, place);
            until_step(browser, step + 1);
        }
        assert!(browser.text("ending").starts_with("xplayer wins."), "{}", browser.text("ending"));
        assert_eq!(count(browser, "#board .decided"), 3);
        browser.click("new-game");
        until_step(browser, 0);
        browser.run("document.getElementById('clock').value = '0.1'", json!([]));
        // The engine takes the side to move, so the person has the other.
        browser.click("swap");
        until_step(browser, 1);
        assert_eq!(browser.text("turn"), "oplayer to move");
    });
}

#[test]
fn cards_of_the_others_are_hidden_and_chance_deals() {
    story("kuhn-poker", "play", |browser| {
        browser.run("document.getElementById('clock').value = '0.1'", json!([]));
        browser.until("document.getElementById('known').textContent.includes('You saw (card')");
        let told = browser.run(
            "return [...document.querySelectorAll('#board .square')].map(one => one.getAttribute('aria-label'))",
            json!([]),
        );
        let told: Vec<&str> =
            told.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        assert!(told.contains(&"hand bob: nothing"), "{told:?}");
        assert!(told.iter().any(|one| one.starts_with("hand ann: ") && !one.ends_with("nothing")));
        assert!(browser.text("known").contains("2 states agree"));
        // Everything, if one asks for it.
        browser.run(
            "const viewer = document.getElementById('viewer'); viewer.value = 'all'; viewer.dispatchEvent(new Event('change'))",
            json!([]),
        );
        browser.until("document.querySelectorAll('#board [aria-label^=\"hand\"]').length === 2 && !document.querySelector('#board [aria-label=\"hand bob: nothing\"]')");
    });
}

#[test]
fn the_edges_of_hex_have_the_colours_of_those_who_connect_them() {
    story("hex", "play", |browser| {
        let colours = browser.run(
            "return [...new Set([...document.querySelectorAll('#board .edge')].map(one => one.getAttribute('stroke')))].sort()",
            json!([]),
        );
        assert_eq!(colours, json!(["#3477cc", "#d6423b"]));
    });
}

#[test]
fn no_text_runs_over_its_place_in_any_bundled_game() {
    let games = [
        "wolf-goat-cabbage",
        "hanoi",
        "kuhn-poker",
        "blocks-world",
        "king-and-rook",
        "eight-puzzle",
        "pursuit",
        "light-cycles",
        "monty-hall",
        "number-scrabble",
    ];
    for game in games {
        story(game, "play", |browser| {
            browser.until("document.querySelector('#board svg')");
            let over = browser.run(
                "return [...document.querySelectorAll('#board .square')].flatMap((square) => {
                   const place = square.querySelector('.place')?.getBoundingClientRect();
                   return [...square.querySelectorAll('.things text.word')].filter((text) => {
                     const box = text.getBoundingClientRect();
                     return place && (box.left < place.left - 1 || box.right > place.right + 1);
                   }).map((text) => text.textContent);
                 })",
                json!([]),
            );
            assert_eq!(over, json!([]), "{game}");
        });
    }
}

#[test]
fn the_same_seed_throws_the_same_dice() {
    let thrown = || {
        let mut seen = Value::Null;
        story("pig", "play", |browser| {
            browser.run("document.getElementById('viewer').value = 'all'; document.getElementById('viewer').dispatchEvent(new Event('change'))", json!([]));
            browser.until("document.querySelector('#roles input')");
            browser.run("document.querySelector('#roles input').checked = false", json!([]));
            browser.until("[...document.querySelectorAll('#roles button')].some(one => one.textContent === 'roll')");
            browser.run("[...document.querySelectorAll('#roles button')].find(one => one.textContent === 'roll').click()", json!([]));
            until_step(browser, 1);
            seen = browser.run("return document.getElementById('board').textContent + document.getElementById('turn').textContent", json!([]));
        });
        seen
    };
    assert_eq!(thrown(), thrown());
}
