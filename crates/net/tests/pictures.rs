//! Pictures say what is in the net, whatever the names are.

use gambol_net::{
    Detail, Net, NetBuilder, NetEngine, PictureOptions, dot, dot_with, svg, svg_with,
};

/// A lamp that can be switched on by a move of the given name.
fn lamp(fluent: &str, action: &str) -> Net {
    let mut net = NetBuilder::new();
    let player = net.role("player");
    let lit = net.fluent(fluent);
    let press = net.action(player, action);
    let (lit_now, pressed) = (net.truth(lit), net.does(press));
    let stays = net.or([lit_now, pressed]);
    let dark = net.not(lit_now);
    net.next(lit, stays);
    net.legal(press, dark);
    net.terminal(lit_now);
    net.view("glowing", &[], stays);
    net.finish().unwrap()
}

/// As many lamps as asked for, each on its own.
fn lamps(count: usize) -> Net {
    let mut net = NetBuilder::new();
    let player = net.role("player");
    for lamp in 0..count {
        let lit = net.fluent(&format!("(lit {lamp})"));
        let press = net.action(player, &format!("(press {lamp})"));
        let (lit_now, pressed) = (net.truth(lit), net.does(press));
        let stays = net.or([lit_now, pressed]);
        net.next(lit, stays);
        let dark = net.not(lit_now);
        net.legal(press, dark);
    }
    net.finish().unwrap()
}

/// The texts between tags must be free of what would end them.
fn check_well_formed(document: &str) {
    let mut depth = 0i32;
    for tag in document.split('<').skip(1) {
        let (tag, rest) = tag.split_once('>').expect("every tag ends");
        assert!(!rest.contains('>') || rest.contains('{'), "stray bracket after {tag}");
        if tag.starts_with('/') {
            depth -= 1;
        } else if !tag.ends_with('/') {
            depth += 1;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes in {tag}");
    }
    assert_eq!(depth, 0);
}

#[test]
fn a_small_net_is_drawn_with_every_proposition() {
    let picture = svg(&lamp("lit", "press"));
    check_well_formed(&picture);
    for label in [">lit<", ">press<", ">glowing<", ">next lit<", ">legal press<", ">terminal<"] {
        assert!(picture.contains(label), "{label}");
    }
    for class in ["node base", "node input", "node view", "node or", "node not", "node transition"]
    {
        assert!(picture.contains(class), "{class}");
    }
}

#[test]
fn names_cannot_break_out_of_a_picture() {
    let net = lamp("</text><script>\"&\u{1}", "a\"]; b -> c [\\");
    let picture = svg_with(&net, &PictureOptions { title: Some("<&>"), ..Default::default() });
    check_well_formed(&picture);
    assert!(!picture.contains("<script") && !picture.contains('\u{1}'));
    let text = dot(&net);
    assert!(text.contains("a\\\"]; b -> c [\\\\"));
}

#[test]
fn names_of_any_length_make_a_picture_of_moderate_length() {
    let long = "x".repeat(1_000_000);
    let net = lamp(&long, &long);
    assert!(svg(&net).len() < 20_000 && dot(&net).len() < 20_000);
}

#[test]
fn a_large_net_is_drawn_by_relations() {
    let picture = svg(&lamps(300));
    check_well_formed(&picture);
    assert!(picture.contains(">lit<") && picture.contains("× 300"));
    assert!(!picture.contains("(lit 7)"));
    assert!(picture.len() < 20_000);
}

#[test]
fn detail_can_be_chosen() {
    let options = |detail| PictureOptions { detail, ..Default::default() };
    let small = lamp("lit", "press");
    assert!(svg_with(&small, &options(Detail::Relations)).contains("× 1"));
    let large = lamps(100);
    assert!(svg_with(&large, &options(Detail::Whole)).contains(">(lit 7)<"));
    assert!(dot_with(&large, &options(Detail::Whole)).contains("\"(lit 7)\""));
    assert!(!dot_with(&large, &options(Detail::Relations)).contains("(lit 7)"));
}

#[test]
fn true_propositions_are_lit() {
    let net = lamp("lit", "press");
    let mut engine = NetEngine::new(&net);
    let state = engine.initial();
    let press = engine.legal(&state);
    let marking = engine.marking(&state, &press);
    let picture = svg_with(&net, &PictureOptions { marking: Some(&marking), ..Default::default() });
    assert!(picture.contains("node input lit") && picture.contains("node transition lit"));
    assert!(!picture.contains("node base lit"));
}

#[test]
fn thousands_of_relations_still_make_a_picture() {
    let mut net = NetBuilder::new();
    let player = net.role("player");
    let mut last = net.constant(true);
    for step in 0..3000 {
        let fluent = net.fluent(&format!("fluent{step}"));
        let action = net.action(player, &format!("move{step}"));
        let truth = net.truth(fluent);
        last = if step % 2 == 0 { net.and([last, truth]) } else { net.or([last, truth]) };
        net.view(&format!("view{step}"), &[], last);
        net.next(fluent, last);
        net.legal(action, last);
    }
    let net = net.finish().unwrap();
    let options = PictureOptions { detail: Detail::Whole, ..Default::default() };
    for picture in [svg(&net), svg_with(&net, &options)] {
        check_well_formed(&picture);
        assert!(picture.len() < 400_000);
    }
}

#[test]
fn an_empty_net_is_an_empty_picture() {
    let net = NetBuilder::new().finish().unwrap();
    check_well_formed(&svg(&net));
    assert!(dot(&net).starts_with("digraph"));
}

#[test]
fn recursion_is_drawn_back() {
    let mut net = NetBuilder::new();
    let start = net.fluent("start");
    let truth = net.truth(start);
    let (here, there) = (net.open_or(), net.open_or());
    net.close_or(here, [truth, there]);
    net.close_or(there, [here]);
    net.view("here", &[], here);
    net.terminal(there);
    let net = net.finish().unwrap();
    let picture = svg(&net);
    check_well_formed(&picture);
    assert!(picture.contains("line back"));
    assert!(dot(&net).contains("style=dashed"));
}

#[test]
fn around_a_proposition_only_its_neighbours_are_drawn() {
    let net = lamps(300);
    let middle = net.fluent_gate(net.fluents.ids().nth(7).expect("there are 300"));
    let options = PictureOptions { detail: Detail::Around(middle), ..Default::default() };
    let picture = svg_with(&net, &options);
    check_well_formed(&picture);
    assert!(picture.contains(&format!("data-gate=\"{}\"", middle.number())));
    assert!(picture.matches("<g class=\"node base").count() < 60);
}

#[test]
fn parts_split_relations_and_have_a_legend_of_their_own() {
    let net = lamps(300);
    let parts = |count: usize| (0..count).map(|one| Some(one as u32 % 2)).collect::<Vec<_>>();
    let colours = gambol_net::PartColours {
        fluents: parts(net.fluents.len()).into(),
        moves: parts(net.moves.len()).into(),
    };
    let picture = svg_with(&net, &PictureOptions { parts: Some(&colours), ..Default::default() });
    check_well_formed(&picture);
    for text in ["× 150, part 0", "× 150, part 1", ">part 0<", ">part 1<", "class=\"by-part\""] {
        assert!(picture.contains(text), "{text}");
    }
    assert!(!svg(&net).contains(">part 0<"));
}

#[test]
fn a_word_leaves_only_the_relations_around_it() {
    let net = lamps(300);
    let with = |word| PictureOptions { relation: Some(word), ..Default::default() };
    assert!(svg_with(&net, &with("LIT")).contains("data-relation=\"lit\""));
    assert!(!svg_with(&net, &with("no such word")).contains("data-relation"));
    assert!(svg_with(&net, &with("")).contains("data-relation=\"lit\""));
}
