//! The gambol program.
fn main() {}
