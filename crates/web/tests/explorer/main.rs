//! The explorer from outside: over HTTP, and in a real browser where there is one.

mod browser;
mod driver;
mod http;
mod server;
