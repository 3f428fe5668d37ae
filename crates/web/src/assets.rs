//! The page, its style and its script, embedded.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

#[derive(rust_embed::RustEmbed)]
#[folder = "explorer/"]
#[include = "*.html"]
#[include = "*.css"]
#[include = "*.js"]
#[include = "*.svg"]
struct Files;

/// `/`
pub(crate) async fn index() -> Response {
    file("index.html")
}

/// Everything else the page is made of.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    file(&name)
}

fn file(name: &str) -> Response {
    let kind = match name.rsplit_once('.') {
        Some((_, "html")) => "text/html; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        _ => "image/svg+xml",
    };
    match Files::get(name) {
        Some(file) => ([(header::CONTENT_TYPE, kind)], file.data.into_owned()).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such page\n").into_response(),
    }
}

/// The style of pictures, which the page needs since it shows them without their own.
pub(crate) async fn pictures() -> Response {
    let net = gambol::net::picture_style();
    let matrix = gambol::decompose::MATRIX_STYLE;
    let style = format!(".net-picture {{\n{net}}}\n.matrix-picture {{\n{matrix}}}\n");
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], style).into_response()
}
