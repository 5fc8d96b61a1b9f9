//! Requests that did not do what they were to do: a status, and words as JSON.

use axum::extract::{FromRequestParts, Path};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use kurabe_client::StoreError;
use serde_json::json;

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
    pub fn of(status: StatusCode, words: &str) -> Refusal {
        Refusal { status, words: words.to_string() }
    }

    /// A body that can be read and is no row.
    pub fn bad(words: &str) -> Refusal {
        Refusal::of(StatusCode::UNPROCESSABLE_ENTITY, words)
    }

    pub fn no_row() -> Refusal {
        Refusal::of(StatusCode::NOT_FOUND, "there is no such row")
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
            StoreError::Unsupported => "this store cannot do that".to_string(),
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
            Err(_) => Err(Refusal::of(StatusCode::BAD_REQUEST, "the path is no text in UTF-8")),
        }
    }
}
