//! Bodies of requests: received here, whole, within a time, and within a bound for all of them together.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::MOST_BYTES_TOGETHER;

/// A body must be there by then.
const RECEIVE_TIME: Duration = Duration::from_secs(10);
/// Who finds no room waits so long.
const WAIT_FOR_ROOM: Duration = Duration::from_secs(5);
/// Room is given out in pieces of this size.
const PIECE: usize = 4 << 10;

/// The room for all bodies together.
pub(crate) struct Bodies {
    longest: usize,
    room: Semaphore,
}

impl Bodies {
    pub(crate) fn new(longest: usize) -> Self {
        Self { longest, room: Semaphore::new(MOST_BYTES_TOGETHER / PIECE) }
    }

    /// How many pieces a request needs: as it says, or as many as any may have.
    fn pieces(&self, request: &Request) -> u32 {
        let length = request.headers().get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
        let chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
        let bytes = length.unwrap_or(if chunked { self.longest } else { 0 }).min(self.longest);
        (bytes.div_ceil(PIECE)) as u32
    }
}

/// Receives the body of a request before anybody works on it.
pub(crate) async fn receive(
    State(bodies): State<Arc<Bodies>>,
    request: Request,
    next: Next,
) -> Response {
    let room = bodies.room.acquire_many(bodies.pieces(&request));
    let Ok(Ok(_room)) = timeout(WAIT_FOR_ROOM, room).await else {
        return (StatusCode::SERVICE_UNAVAILABLE, "too much is being sent at once\n")
            .into_response();
    };
    let (head, body) = request.into_parts();
    match timeout(RECEIVE_TIME, to_bytes(body, bodies.longest)).await {
        Ok(Ok(bytes)) => next.run(Request::from_parts(head, Body::from(bytes))).await,
        Ok(Err(_)) => {
            (StatusCode::PAYLOAD_TOO_LARGE, "the text is too long, or broken off\n").into_response()
        }
        Err(_) => (StatusCode::REQUEST_TIMEOUT, "the text came too slowly\n").into_response(),
    }
}
