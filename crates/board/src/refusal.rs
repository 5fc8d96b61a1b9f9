//! Requests that did not do what they were to do: a status, and words as JSON. They are English: programs read them.

use std::sync::LazyLock;

use axum::extract::{FromRequestParts, Path};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use kurabe_client::StoreError;
use kurabe_messages::{Language, Message, message};
use serde_json::json;

/// Made once: a measurement may ask for many rows that are not there.
static NO_ROW: LazyLock<String> = LazyLock::new(|| message!(board_no_row).text(Language::English));

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer that is JSON.
pub fn in_json(body: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, JSON)], body).into_response()
}

/// A request that did not do what it was to do.
#[derive(Debug)]
pub struct Refusal {
    status: StatusCode,
    words: String,
}

impl Refusal {
    pub fn of(status: StatusCode, why: &Message) -> Refusal {
        Refusal { status, words: why.text(Language::English) }
    }

    /// A body that can be read and is no row.
    pub fn bad(why: &Message) -> Refusal {
        Refusal::of(StatusCode::UNPROCESSABLE_ENTITY, why)
    }

    pub fn no_row() -> Refusal {
        Refusal { status: StatusCode::NOT_FOUND, words: NO_ROW.clone() }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        let status = match &error {
            StoreError::Unsupported => StatusCode::NOT_IMPLEMENTED,
            StoreError::Timeout => StatusCode::GATEWAY_TIMEOUT,
            StoreError::Disconnected(_) => StatusCode::BAD_GATEWAY,
            StoreError::Denied(_) | StoreError::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let words = match error {
            StoreError::Unsupported => message!(board_unsupported).text(Language::English),
            other => other.to_string(),
        };
        Refusal { status, words }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.words }).to_string();
        let mut response = in_json(body.into_bytes());
        *response.status_mut() = self.status;
        response
    }
}

/// What a path names behind its last slash; words of ours where that is no text.
pub struct Named(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Named {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Named, Refusal> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Named(name)),
            Err(_) => Err(Refusal::of(StatusCode::BAD_REQUEST, &message!(board_path_not_utf8))),
        }
    }
}
