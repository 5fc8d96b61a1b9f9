//! What the service answers.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` | the newest rows as a page, and a form that posts one |
//! | `POST /` | a row from that form; 303 to the page |
//! | `POST /rows` | a row as JSON: 201 with its key; 409 where it exists. Without a key the service gives it the next number |
//! | `GET /rows?latest=N` | the N newest rows, newest first |
//! | `GET /rows` | all rows |
//! | `GET`, `PUT`, `DELETE /rows/KEY` | one row: 200, 204, or 404 where there is none |
//! | `POST /counters/N` | adds 1 to a counter: 204 |
//! | `GET /ping` | 204 |
//! | `GET /operations` | what the store can do behind this service, as an array of words |
//! | `POST /calls/NAME` | what is asked between phases of a measurement; only where that was allowed |
//!
//! Mistakes of who asks are 4xx, those of the store 5xx, each with `{"error": "words"}`.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::LengthLimitError;
use kurabe_client::served::{Served, Window, Write};
use kurabe_client::{RowBuffer, StoreError, Written};
use kurabe_protocol::{CallName, Job, Layout, Operation, ReplyOutcome};
use serde::Deserialize;
use serde_json::json;

use crate::guard::Hosts;
use crate::page;
use crate::rows::{Reader, Sent};

/// Most bytes of a body: the longest row that every store takes, in JSON, where a character can take six bytes.
const MOST_BODY_BYTES: usize = 128 << 20;
/// What JSON needs around a row.
const AROUND_BYTES: usize = 64 << 10;
/// A body that takes longer to come is not waited for.
const BODY_LIMIT: Duration = Duration::from_secs(30);
/// So many rows the page shows.
const SHOWN_ROWS: u32 = 50;
/// A number that was taken meanwhile is followed by the next, so often.
const TRIES: u32 = 100;
/// Rows that are looked at one by one behind the last that was found, where a store cannot tell its newest.
const GAP: u32 = 64;

/// Why there can be no service.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The store's own words.
    #[error("the store does not answer as it should: {0}")]
    Store(#[from] StoreError),
    /// Something of the system.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: String,
        /// What came.
        error: std::io::Error,
    },
}

/// Whether calls can be made over the service, as a measurement needs them: they make and remove the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// They can.
    Allowed,
    /// They are unknown here.
    Refused,
}

/// A store, and what is needed to answer.
pub struct App {
    store: Box<dyn Served>,
    pub(crate) title: String,
    pub(crate) reader: Reader,
    hosts: Hosts,
    control: Control,
    most_body_bytes: usize,
    /// The number of the next row that gets one here.
    next: AtomicU32,
}

impl App {
    /// A service of the rows of `job` over `store`, known as `hosts`; `title` stands above its page.
    pub fn new(store: Box<dyn Served>, job: &Job, title: &str, hosts: Hosts, control: Control) -> App {
        let layout = Arc::new(Layout::new(&job.schema));
        let most_body_bytes = (layout.len_bytes() * 6 + AROUND_BYTES).min(MOST_BODY_BYTES);
        App {
            store,
            title: title.to_string(),
            reader: Reader::new(job.schema.clone(), layout),
            hosts,
            control,
            most_body_bytes,
            next: AtomicU32::new(0),
        }
    }

    /// Looks which rows are there, so that a new one gets the next number.
    ///
    /// # Errors
    /// Where the store fails.
    pub fn look(&self) -> Result<(), BoardError> {
        let mut window = self.store.window()?;
        let newest = self.newest(&mut *window)?;
        self.next.store(newest.map_or(0, |row| row + 1), Ordering::Relaxed);
        Ok(())
    }

    /// The highest row; where the store cannot tell, it is looked for: rows that are numbered here have few gaps.
    fn newest(&self, window: &mut dyn Window) -> Result<Option<u32>, StoreError> {
        let mut newest = None;
        let told = window.latest(1, &mut |row, _| newest = Some(row));
        if !matches!(told, Err(StoreError::Unsupported)) {
            return told.map(|()| newest);
        }
        let mut value = RowBuffer::new(&self.reader.layout);
        let mut is_near = |row: u32| -> Result<Option<u32>, StoreError> {
            for near in (row..row.saturating_add(GAP)).rev() {
                if window.read(near, &mut value)? {
                    return Ok(Some(near));
                }
            }
            Ok(None)
        };
        // Steps that double, as long as there is something; then halves.
        let (mut low, mut step) = (0u32, GAP);
        while let Some(found) = is_near(low.saturating_add(step))? {
            low = found;
            step = step.saturating_mul(2).min(u32::MAX / 4);
        }
        while step > GAP {
            step /= 2;
            if let Some(found) = is_near(low.saturating_add(step))? {
                low = found;
            }
        }
        is_near(low)
    }

    /// The service's routes.
    pub fn router(self: Arc<App>) -> Router {
        Router::new()
            .route("/", get(show).post(post_form))
            .route("/rows", get(many).post(insert))
            .route("/rows/{key}", get(read).put(update).delete(delete))
            .route("/counters/{key}", post(increment))
            .route("/ping", get(ping))
            .route("/operations", get(operations))
            .route("/calls/{name}", post(call))
            .fallback(unknown)
            .with_state(self)
    }

    /// Does something over the connection of this thread, which is made when it is first needed and when it was lost.
    fn with<T>(&self, work: impl FnOnce(&mut dyn Window) -> Result<T, StoreError>) -> Result<T, StoreError> {
        WINDOW.with_borrow_mut(|slot| {
            let mut window = match slot.take() {
                Some(window) => window,
                None => self.store.window()?,
            };
            let done = work(&mut *window);
            if !matches!(done, Err(StoreError::Disconnected(_))) {
                *slot = Some(window);
            }
            done
        })
    }

    /// Gives the newest rows to `take`, newest first; one by one where the store cannot do it at once.
    pub(crate) fn latest(&self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.with(|window| match window.latest(rows, take) {
            Err(StoreError::Unsupported) => self.one_by_one(window, rows, take),
            other => other,
        })
    }

    fn scan(&self, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.with(|window| match window.scan(take) {
            Err(StoreError::Unsupported) => self.one_by_one(window, u32::MAX, take),
            other => other,
        })
    }

    fn one_by_one(
        &self,
        window: &mut dyn Window,
        most: u32,
        take: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<(), StoreError> {
        let mut value = RowBuffer::new(&self.reader.layout);
        let mut found = 0;
        for row in (0..self.next.load(Ordering::Relaxed)).rev() {
            if found == most {
                break;
            }
            if window.read(row, &mut value)? {
                found += 1;
                take(row, value.raw());
            }
        }
        Ok(())
    }

    /// Writes a new row, under the number that it has or the next one; `None` where it exists.
    fn add(&self, sent: &Sent) -> Result<Option<u32>, StoreError> {
        if let Some(row) = sent.row {
            let written = self.with(|window| window.write(Write::Insert, row, sent.value.raw()))?;
            self.next.fetch_max(row.saturating_add(1), Ordering::Relaxed);
            return Ok((written == Written::Done).then_some(row));
        }
        for _ in 0..TRIES {
            let row = self.next.fetch_add(1, Ordering::Relaxed);
            if row == u32::MAX {
                break;
            }
            if self.with(|window| window.write(Write::Insert, row, sent.value.raw()))? == Written::Done {
                return Ok(Some(row));
            }
        }
        Err(StoreError::store("there is no free number for a row"))
    }

    /// Whether a request may write.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        match self.hosts.refuse(headers) {
            None => Ok(()),
            Some(why) => Err(Refusal::of(StatusCode::FORBIDDEN, why)),
        }
    }

    /// The whole body of a request.
    async fn body(&self, body: Body) -> Result<axum::body::Bytes, Refusal> {
        let most = self.most_body_bytes;
        let too_large = || Refusal::of(StatusCode::PAYLOAD_TOO_LARGE, &format!("a body has at most {most} bytes here"));
        if http_body::Body::size_hint(&body).lower() > most as u64 {
            return Err(too_large());
        }
        match tokio::time::timeout(BODY_LIMIT, axum::body::to_bytes(body, most)).await {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(error)) => match error.into_inner().is::<LengthLimitError>() {
                true => Err(too_large()),
                false => Err(Refusal::of(StatusCode::BAD_REQUEST, "the body is not whole")),
            },
            Err(_) => Err(Refusal::of(StatusCode::REQUEST_TIMEOUT, "the body did not come in time")),
        }
    }

    /// The row that a path names.
    fn row_of(&self, key: &str) -> Result<u32, Refusal> {
        self.reader.row_of(key).ok_or_else(Refusal::no_row)
    }
}

thread_local! {
    /// The connection of this thread.
    static WINDOW: RefCell<Option<Box<dyn Window>>> = const { RefCell::new(None) };
}

/// Gives the connection of this thread back.
pub(crate) fn close_window() {
    WINDOW.set(None);
}

/// A request that did not do what it was to do.
struct Refusal {
    status: StatusCode,
    words: String,
}

impl Refusal {
    fn of(status: StatusCode, words: &str) -> Refusal {
        Refusal { status, words: words.to_string() }
    }

    fn bad(words: &str) -> Refusal {
        Refusal::of(StatusCode::UNPROCESSABLE_ENTITY, words)
    }

    fn no_row() -> Refusal {
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

const JSON: HeaderValue = HeaderValue::from_static("application/json");

fn in_json(body: Vec<u8>) -> Response {
    ([(CONTENT_TYPE, JSON)], body).into_response()
}

type Answered = Result<Response, Refusal>;

async fn ping() -> StatusCode {
    StatusCode::NO_CONTENT
}

async fn unknown() -> Refusal {
    Refusal::of(StatusCode::NOT_FOUND, "there is nothing here; the page is at '/', rows are at '/rows'")
}

async fn show(State(app): State<Arc<App>>) -> Answered {
    let mut rows = Vec::new();
    app.latest(SHOWN_ROWS, &mut |row, raw| rows.push(page::Row::of(&app.reader, row, raw)))?;
    Ok(page::page(&app, &rows))
}

async fn post_form(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Answered {
    app.admit(&headers)?;
    let body = app.body(body).await?;
    let sent = app.reader.of_form(&body).map_err(|words| Refusal::bad(&words))?;
    app.add(&sent)?;
    Ok((StatusCode::SEE_OTHER, [(LOCATION, "/")]).into_response())
}

async fn insert(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Answered {
    app.admit(&headers)?;
    let body = app.body(body).await?;
    let sent = app.reader.of_json(&body).map_err(|words| Refusal::bad(&words))?;
    if sent.row.is_none() && !app.reader.numbers_rows() {
        return Err(Refusal::bad("these rows have keys of their own; give one"));
    }
    match app.add(&sent)? {
        Some(row) => {
            let mut response = in_json(format!("{{\"id\":{row}}}").into_bytes());
            *response.status_mut() = StatusCode::CREATED;
            Ok(response)
        }
        None => Err(Refusal::of(StatusCode::CONFLICT, "there is such a row already")),
    }
}

/// What of many rows is asked for.
#[derive(Deserialize)]
struct Which {
    latest: Option<u32>,
}

async fn many(State(app): State<Arc<App>>, Query(which): Query<Which>) -> Answered {
    let mut out = vec![b'['];
    let mut failed = None;
    let mut take = |row: u32, raw: &[u8]| {
        if out.len() > 1 {
            out.push(b',');
        }
        if let Err(error) = app.reader.json.write(row, raw, &mut out) {
            failed.get_or_insert(error);
        }
    };
    match which.latest {
        Some(rows) => app.latest(rows, &mut take)?,
        None => app.scan(&mut take)?,
    }
    if let Some(error) = failed {
        return Err(error.into());
    }
    out.push(b']');
    Ok(in_json(out))
}

async fn read(State(app): State<Arc<App>>, Path(key): Path<String>) -> Answered {
    let row = app.row_of(&key)?;
    let mut value = RowBuffer::new(&app.reader.layout);
    if !app.with(|window| window.read(row, &mut value))? {
        return Err(Refusal::no_row());
    }
    let mut out = Vec::with_capacity(value.raw().len() + 64);
    app.reader.json.write(row, value.raw(), &mut out)?;
    Ok(in_json(out))
}

/// What a write of a row that must exist answers.
fn met(written: Written) -> Answered {
    match written {
        Written::Done => Ok(StatusCode::NO_CONTENT.into_response()),
        Written::Missing | Written::Exists => Err(Refusal::no_row()),
    }
}

async fn update(State(app): State<Arc<App>>, Path(key): Path<String>, headers: HeaderMap, body: Body) -> Answered {
    app.admit(&headers)?;
    let row = app.row_of(&key)?;
    let body = app.body(body).await?;
    let sent = app.reader.of_json(&body).map_err(|words| Refusal::bad(&words))?;
    if sent.row.is_some_and(|given| given != row) {
        return Err(Refusal::bad("the key in the body is another than that of the path"));
    }
    met(app.with(|window| window.write(Write::Update, row, sent.value.raw()))?)
}

async fn delete(State(app): State<Arc<App>>, Path(key): Path<String>, headers: HeaderMap) -> Answered {
    app.admit(&headers)?;
    let row = app.row_of(&key)?;
    met(app.with(|window| window.delete(row))?)
}

async fn increment(State(app): State<Arc<App>>, Path(key): Path<u32>, headers: HeaderMap) -> Answered {
    app.admit(&headers)?;
    app.with(|window| window.increment(key))?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn call(State(app): State<Arc<App>>, Path(name): Path<String>, headers: HeaderMap) -> Answered {
    if app.control == Control::Refused {
        return Err(unknown().await);
    }
    app.admit(&headers)?;
    let name: CallName =
        serde_json::from_value(json!(name)).map_err(|_| Refusal::of(StatusCode::NOT_FOUND, "there is no such call"))?;
    let answer = match app.store.call(name) {
        ReplyOutcome::Ok(value) => json!({ "ok": value }),
        ReplyOutcome::Unsupported => json!({ "unsupported": true }),
        ReplyOutcome::Error(error) => json!({ "error": error }),
    };
    Ok(in_json(answer.to_string().into_bytes()))
}

async fn operations(State(app): State<Arc<App>>) -> Response {
    use Operation::{Delete, Increment, Insert, Latest, Load, Read, Scan, Update};
    let own = app.store.capabilities().operations;
    // Rows that are read one by one make up for the other two.
    let can =
        |operation: &Operation| own.contains(operation) || (matches!(operation, Scan | Latest) && own.contains(&Read));
    let told: Vec<Operation> =
        [Load, Insert, Read, Update, Delete, Scan, Latest, Increment].into_iter().filter(can).collect();
    in_json(json!(told).to_string().into_bytes())
}
