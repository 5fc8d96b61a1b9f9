//! The page: the newest rows, and a form that posts one. It needs no script, and everything in it is escaped.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use kurabe_protocol::value::FieldValue;
use minijinja::value::Serde;
use minijinja::{Environment, Value};
use serde::Serialize;

use crate::app::App;
use crate::refusal::Refusal;
use crate::rows::Reader;

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    // The name's ending switches escaping on.
    if let Err(error) = templates.add_template("page.html", include_str!("templates/page.html")) {
        eprintln!("kurabe: the page cannot be made: {error}");
    }
    templates
});

/// A row as it is shown.
#[derive(Serialize)]
pub struct Row {
    number: u32,
    fields: Vec<String>,
}

impl Row {
    /// A row that the store gave.
    pub fn of(reader: &Reader, number: u32, raw: &[u8]) -> Row {
        let text = |value: FieldValue<'_>| match value {
            FieldValue::Int(number) => number.to_string(),
            FieldValue::Text(text) => text.to_string(),
            FieldValue::Bytes(bytes) => format!("{} bytes", bytes.len()),
        };
        Row { number, fields: reader.layout.fields(raw).map(text).collect() }
    }
}

/// What the page is made of.
#[derive(Serialize)]
struct Shown<'a> {
    title: &'a str,
    /// Names of the fields.
    columns: Vec<&'a str>,
    rows: &'a [Row],
    /// Whether a row can be posted without a key.
    posts: bool,
}

/// Whatever somebody posts, no script runs and nothing is fetched; and no page of another site shows this one within
/// itself.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The page with these rows.
pub fn page(app: &App, rows: &[Row]) -> Response {
    let columns: Vec<&str> = app.reader.columns().collect();
    let shown = Shown { title: &app.title, columns, rows, posts: app.reader.numbers_rows() };
    match TEMPLATES.get_template("page.html").and_then(|template| template.render(Value::from(Serde(shown)))) {
        Ok(html) => {
            ([(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, POLICY)], html).into_response()
        }
        Err(error) => Refusal::of(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()).into_response(),
    }
}
