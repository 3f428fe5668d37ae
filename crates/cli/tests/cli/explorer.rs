//! The explorer as a command, and the tour as a page.

use std::io::{Read, Write};
use std::net::TcpStream;

use crate::program::{Listening, succeeds};

#[test]
fn the_explorer_answers_on_loopback() {
    let explorer = Listening::start("serve");
    let mut stream = TcpStream::connect(&explorer.address).expect("it listens");
    let request =
        format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", explorer.address);
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("Gambol explorer"), "{answer}");
}

#[test]
fn the_tour_is_a_page_that_stands_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tour.html");
    succeeds(&["tour", "nim-2-3-4", "--html", file.to_str().expect("a plain path")]);
    let page = std::fs::read_to_string(file).expect("it is written");
    for word in ["The parts", "What is proved", "first: 100, second: 0 (proved"] {
        assert!(page.contains(word), "{word} is missing");
    }
}
