//! The page: the newest rows, and a form that posts one. It needs no script, and everything in it is escaped.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use kurabe_messages::{Language, message};
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
        eprintln!("kurabe: {}", message!(board_no_page, error));
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
    pub fn of(reader: &Reader, number: u32, raw: &[u8], language: Language) -> Row {
        let text = |value: FieldValue<'_>| match value {
            FieldValue::Int(number) => number.to_string(),
            FieldValue::Text(text) => text.to_string(),
            FieldValue::Bytes(bytes) => message!(board_page_bytes, bytes = bytes.len()).text(language),
        };
        Row { number, fields: reader.layout.fields(raw).map(text).collect() }
    }
}

/// What the page is made of.
#[derive(Serialize)]
struct Shown<'a> {
    title: Cow<'a, str>,
    /// Names of the fields.
    columns: Vec<&'a str>,
    rows: &'a [Row],
    /// Whether a row can be posted without a key.
    posts: bool,
    /// The language of the page, as in its attribute `lang`.
    language: String,
    post: String,
    empty: String,
}

/// The language of a page: Japanese where a browser names it first.
pub fn language(headers: &HeaderMap) -> Language {
    let asked = headers.get(ACCEPT_LANGUAGE).and_then(|asked| asked.to_str().ok()).unwrap_or_default();
    match asked.trim_start().split(['-', '_', ',', ';']).next() {
        Some("ja") => Language::Japanese,
        _ => Language::English,
    }
}

/// Whatever somebody posts, no script runs and nothing is fetched; and no page of another site shows this one within
/// itself.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The page with these rows, in `language`.
pub fn page(app: &App, rows: &[Row], language: Language) -> Response {
    let columns: Vec<&str> = app.reader.columns().collect();
    let shown = Shown {
        title: app.title.text(language),
        columns,
        rows,
        posts: app.reader.numbers_rows(),
        language: message!(board_page_language).text(language),
        post: message!(board_page_post).text(language),
        empty: message!(board_page_empty).text(language),
    };
    match TEMPLATES.get_template("page.html").and_then(|template| template.render(Value::from(Serde(shown)))) {
        Ok(html) => {
            let kind = (CONTENT_TYPE, "text/html; charset=utf-8");
            ([kind, (CONTENT_SECURITY_POLICY, POLICY), (VARY, "accept-language")], html).into_response()
        }
        Err(error) => Refusal::of(StatusCode::INTERNAL_SERVER_ERROR, &message!(board_no_page, error)).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::Schema;

    use super::*;
    use crate::app::Control;
    use crate::fake::Fake;
    use crate::guard::Hosts;

    #[test]
    fn a_page_is_japanese_where_a_browser_names_that_first() {
        for (asked, expected) in [
            (None, "en"),
            (Some(""), "en"),
            (Some("ja"), "ja"),
            (Some("ja-JP,ja;q=0.9,en;q=0.5"), "ja"),
            (Some("en-US,en;q=0.9,ja;q=0.8"), "en"),
            (Some("jam"), "en"),
        ] {
            let mut headers = HeaderMap::new();
            asked.map(|asked| headers.insert(ACCEPT_LANGUAGE, asked.parse().unwrap()));
            assert_eq!(language(&headers).code(), expected, "{asked:?}");
        }
    }

    #[test]
    fn the_whole_page_is_in_the_language_of_its_request() {
        let job = serde_json::from_value(serde_json::json!({
            "id": "j", "candidate": {"name": "fake", "store": "fake", "wire": "fake"},
            "schema": Schema::key_value(8), "rows": 0,
            "namespace": "ns", "process": 0, "processes": 1, "pool": "",
            "limits": {"call_ns": 1, "operation_ns": 1}, "phases": [],
        }));
        let (hosts, title) = (Hosts::of("127.0.0.1:1".parse().unwrap()), message!(serve_title, store = "SQLite"));
        let store = Box::new(Fake::default());
        let app = App::new(store, &job.unwrap(), title.clone().into(), hosts, Control::Refused);
        for asked in Language::ALL {
            let answer = page(&app, &[], asked);
            let body = axum::body::to_bytes(answer.into_body(), 1 << 20);
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let html = String::from_utf8(runtime.block_on(body).unwrap().to_vec()).unwrap();
            for words in [title.text(asked), message!(board_page_post).text(asked), format!("lang=\"{asked}\"")] {
                assert!(html.contains(&words), "'{words}' is not in {html}");
            }
        }
    }

    #[test]
    fn the_template_has_all_its_words() {
        let shown = Shown {
            title: "<cats>".into(),
            columns: vec!["category", "text"],
            rows: &[],
            posts: true,
            language: "ja".into(),
            post: "投稿する".into(),
            empty: "まだ".into(),
        };
        let html = TEMPLATES.get_template("page.html").and_then(|page| page.render(Value::from(Serde(shown)))).unwrap();
        for words in ["<html lang=\"ja\">", "&lt;cats&gt;", "<button>投稿する</button>", "<li>まだ</li>"] {
            assert!(html.contains(words), "'{words}' is not in {html}");
        }
    }
}
