//! Who may ask, and what browsers are told about the answers.
//!
//! A page of another site that runs in the same browser must not reach the explorer: requests must
//! name this server as their host (so that no foreign name can be pointed at it), and requests that a
//! page makes must come from this server's own page.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Where the server listens.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    address: SocketAddr,
}

/// No script, style, picture or connection but our own; nobody frames us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
];

impl Guard {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address }
    }

    /// Whether the headers are those of somebody who means this server.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or(""));
        let Some(host) = text(header::HOST) else { return false };
        let own_page = |origin: &str| origin.strip_prefix("http://") == Some(host);
        self.is_ours(host) && text(header::ORIGIN).is_none_or(own_page)
    }

    /// Names of this machine; on an address open to others, that address too.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().unwrap_or(0)),
            _ => (host, 80),
        };
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let known = match address {
            Ok(address) => {
                address.is_loopback()
                    || address == self.address.ip()
                    || self.address.ip().is_unspecified()
            }
            Err(_) => name == "localhost",
        };
        known && port == self.address.port()
    }
}

/// Refuses strangers, and says on every answer what it may be used for.
pub(crate) async fn watch(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = if guard.admits(request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::FORBIDDEN, "this explorer answers only to its own page\n").into_response()
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(host: &str, origin: Option<&str>, admitted: bool) {
        let guard = Guard::new("127.0.0.1:8765".parse().expect("an address"));
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("a header"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().expect("a header"));
        }
        assert_eq!(guard.admits(&headers), admitted, "{host} {origin:?}");
    }

    #[test]
    fn our_own_page_is_admitted() {
        check("127.0.0.1:8765", None, true);
        check("localhost:8765", Some("http://localhost:8765"), true);
        check("[::1]:8765", None, true);
    }

    #[test]
    fn strangers_are_not() {
        check("evil.example:8765", None, false);
        check("evil.example", None, false);
        check("127.0.0.1:9999", None, false);
        check("127.0.0.1:8765", Some("http://evil.example"), false);
        check("127.0.0.1:8765", Some("null"), false);
        check("127.0.0.1:8765", Some("https://127.0.0.1:8765"), false);
        check("10.0.0.7:8765", None, false);
        check("", None, false);
    }
}
