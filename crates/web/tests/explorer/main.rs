//! The explorer from outside: over HTTP, and in a real browser where there is one.

#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

mod access;
mod boards;
mod browser;
mod driver;
mod http;
mod matches;
mod server;
mod speed;
mod stories;
mod tables;
