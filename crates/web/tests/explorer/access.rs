//! Who does not see well, or has no mouse, can use the page: names, order, contrast, width.

use serde_json::{Value, json};

use crate::browser::story;
use crate::driver::Browser;

const VIEWS: [&str; 7] = ["play", "net", "structure", "parts", "solve", "match", "rules"];

/// Shows a view, and waits until it has something to show.
fn show(browser: &Browser, view: &str) {
    browser.click(&format!("tab-{view}"));
    browser.until(match view {
        "play" => "document.querySelector('#roles .role')",
        "net" => "document.querySelector('#net-picture .node')",
        "structure" => "document.querySelector('#facts li')",
        "parts" => "document.querySelector('#part-cards .card, #sentence:not(:empty)')",
        "match" => "document.querySelector('#match-board svg, #match-groups *')",
        "rules" => "document.querySelector('#behind .ink-keyword')",
        _ => "true",
    });
}

/// What a screen reader can reach must say what it is.
#[test]
fn everything_that_can_be_used_has_a_name() {
    const NAMED: [&str; 13] = [
        "button",
        "link",
        "textbox",
        "searchbox",
        "combobox",
        "slider",
        "checkbox",
        "spinbutton",
        "tab",
        "tabpanel",
        "image",
        "progressbar",
        "option",
    ];
    story("tic-tac-toe", "play", |browser| {
        for view in VIEWS {
            show(browser, view);
            let tree = browser.devtools("Accessibility.getFullAXTree", json!({}));
            let nodes = tree["nodes"].as_array().expect("a tree");
            let used = nodes.iter().filter(|node| {
                let role = node["role"]["value"].as_str().unwrap_or_default();
                node["ignored"] != json!(true) && NAMED.contains(&role)
            });
            let nameless: Vec<&Value> = used
                .filter(|node| node["name"]["value"].as_str().unwrap_or_default().trim().is_empty())
                .collect();
            assert!(nameless.is_empty(), "{view}: {nameless:?}");
            assert!(nodes.len() > 20, "{view} is more than that");
        }
    });
}

/// The key Tab goes through the page from top to bottom, past nothing that is hidden, and comes to
/// the board and the moves.
#[test]
fn the_focus_follows_the_page() {
    const TAB: char = '\u{E004}';
    const FOCUSED: &str = "const it = document.activeElement; if (!it || it === document.body) return null; \
        const box = it.getBoundingClientRect(); \
        const all = [...document.querySelectorAll('*')]; \
        return { place: all.indexOf(it), seen: box.width > 0 && box.height > 0, \
            what: it.id || it.className.baseVal || it.className || it.textContent, \
            board: !!it.closest('#board'), moves: !!it.closest('.moves') }";
    story("tic-tac-toe", "play", |browser| {
        let positive = "return document.querySelectorAll('[tabindex]:not([tabindex=\"0\"]):not([tabindex=\"-1\"])').length";
        assert_eq!(browser.run(positive, json!([])), 0);
        let mut visited: Vec<Value> = Vec::new();
        for _ in 0..60 {
            browser.press(TAB);
            let here = browser.run(FOCUSED, json!([]));
            if here.is_null() || visited.first().is_some_and(|first| *first == here) {
                break;
            }
            assert_eq!(here["seen"], true, "{here}");
            visited.push(here);
        }
        let places: Vec<u64> = visited.iter().filter_map(|it| it["place"].as_u64()).collect();
        assert!(places.is_sorted(), "{visited:?}");
        let count = |what: &str| visited.iter().filter(|it| it[what] == true).count();
        assert_eq!((count("board"), count("moves") >= 9), (9, true), "{visited:?}");
    });
}

/// Text against what lies behind it: 4.5 to 1, or 3 to 1 if it is large. Disabled controls may be pale.
const TOO_PALE: &str = r#"
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return { r, g, b, a }; };
  const over = (top, under) => ({ r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a), b: top.b * top.a + under.b * (1 - top.a), a: 1 });
  const behind = (element) => {
    const layers = [];
    for (let it = element; it; it = it.parentElement) {
      const colour = parse(getComputedStyle(it).backgroundColor);
      if (colour.a > 0) layers.push(colour);
      if (colour.a === 1) break;
    }
    return layers.reverse().reduce((under, top) => over(top, under), { r: 255, g: 255, b: 255, a: 1 });
  };
  const light = ({ r, g, b }) => {
    const part = (value) => { const s = value / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || element.closest("svg, textarea, option, :disabled") || element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    if (style.visibility === "hidden" || style.color === "rgba(0, 0, 0, 0)") continue;
    const ground = behind(element);
    const [a, b] = [light(over(parse(style.color), ground)), light(ground)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${element.tagName} ${element.className} "${element.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
  }
  return [...new Set(found)];
"#;

#[test]
fn text_can_be_read_in_light_and_dark() {
    story("double-tic-tac-toe", "play", |browser| {
        let pale = "const pale = document.createElement('p'); pale.textContent = 'pale'; pale.id = 'pale'; \
            pale.style.color = '#8a8a8a'; pale.style.background = '#777'; document.body.append(pale)";
        browser.run(pale, json!([]));
        assert_eq!(browser.run(TOO_PALE, json!([])).as_array().map(Vec::len), Some(1));
        browser.run("document.getElementById('pale').remove()", json!([]));
        for scheme in ["light", "dark"] {
            browser.prefers(scheme);
            for view in VIEWS {
                show(browser, view);
                assert_eq!(browser.run(TOO_PALE, json!([])), json!([]), "{scheme} {view}");
            }
        }
    });
}

/// Nothing has to be scrolled sideways on a telephone, and what one presses is in reach.
#[test]
fn the_page_fits_a_narrow_window() {
    story("connect-four", "play", |browser| {
        browser.resize(400, 800);
        for view in VIEWS {
            show(browser, view);
            let wide = browser.run("return document.documentElement.scrollWidth", json!([]));
            assert!(wide.as_u64().is_some_and(|wide| wide <= 400), "{view}: {wide}");
        }
    });
}

#[test]
fn in_a_narrow_window_all_tabs_stand_in_one_row_and_the_net_fills_its_frame() {
    story("breakthrough", "net", |browser| {
        browser.resize(400, 800);
        browser.until("document.querySelector('#net-picture svg')");
        let rows = browser.run(
            "return new Set([...document.querySelectorAll('#tabs button')].map(tab => tab.offsetTop)).size",
            json!([]),
        );
        assert_eq!(rows, 1);
        let spare = "(() => { const box = document.getElementById('net-picture'); \
                     const [, , width, height] = box.firstElementChild.getAttribute('viewBox').split(' ').map(Number); \
                     return box.clientHeight - height * box.clientWidth / width; })()";
        browser.until(&format!("{spare} < 80"));
    });
}
