//! Pictures for the page: without their own style, which the page's policy forbids.

use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A picture as an answer.
pub(crate) fn answer(svg: String) -> Response {
    ([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response()
}

/// The picture without its style.
pub(crate) fn without_style(svg: &str) -> String {
    match (svg.find("<style>"), svg.find("</style>")) {
        (Some(from), Some(to)) if from < to => {
            format!("{}{}", &svg[..from], &svg[to + "</style>".len()..])
        }
        _ => svg.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_is_left_out() {
        assert_eq!(without_style("<svg><style>a</style><g/></svg>"), "<svg><g/></svg>");
        assert_eq!(without_style("<svg><g/></svg>"), "<svg><g/></svg>");
    }
}
