//! Many games side by side on the circuit: `VectorEnv`.

mod arrays;
mod bits;
mod block;
mod env;
mod plan;
mod planes;
mod random;
mod view;

pub(crate) use env::VectorEnv;
