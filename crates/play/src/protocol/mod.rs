//! The match protocol of the field: messages, player, port, referee.

pub(crate) mod expression;
pub(crate) mod incident;
pub(crate) mod match_session;
pub(crate) mod message;
pub(crate) mod player;
pub(crate) mod referee;
pub(crate) mod server;
