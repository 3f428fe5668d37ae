//! Requests that cannot be answered, and how that is said.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// There is no such thing.
    #[error("{0}")]
    Missing(String),
    /// The request makes no sense.
    #[error("{0}")]
    Senseless(String),
    /// The rules are wrong.
    #[error("the rules have errors")]
    Rules(Vec<Place>),
    /// The game is beyond what can be done with it.
    #[error("{0}")]
    Beyond(String),
    /// Too much is going on.
    #[error("so much is going on already that this has to wait; stop something first")]
    Busy,
}

/// Something to say about a place in a rulesheet.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Place {
    pub(crate) category: &'static str,
    pub(crate) severity: &'static str,
    /// From 1; none if it is about the whole text.
    pub(crate) line: Option<u32>,
    /// In characters, from 1.
    pub(crate) column: Option<u32>,
    /// How many characters it is about.
    pub(crate) length: usize,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

#[derive(Serialize)]
struct Said {
    error: String,
    places: Vec<Place>,
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match self {
            Self::Missing(_) => StatusCode::NOT_FOUND,
            Self::Senseless(_) => StatusCode::BAD_REQUEST,
            Self::Rules(_) | Self::Beyond(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Busy => StatusCode::TOO_MANY_REQUESTS,
        };
        let error = self.to_string();
        let places = if let Self::Rules(places) = self { places } else { Vec::new() };
        (status, Json(Said { error, places })).into_response()
    }
}
