//! What the service answers.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` | the newest rows as a page, and a form that posts one |
//! | `POST /` | a row from that form; 303 to the page |
//! | `POST /rows` | a row as JSON: 201 with its key; 409 where it exists. Without a key the service gives it the next number |
//! | `GET /rows?latest=N` | the N newest rows, newest first |
//! | `GET /rows` | the newest rows, as many as one answer holds; where there may be more, the header `Link` tells the next request |
//! | `GET /rows?before=KEY` | the same of those with lower numbers |
//! | `GET`, `PUT`, `DELETE /rows/KEY` | one row: 200, 204, or 404 where there is none |
//! | `POST /counters/N` | adds 1 to a counter: 204 |
//! | `GET /ping` | 204 |
//! | `GET /operations` | what the store can do behind this service, as an array of words |
//! | `POST /calls/NAME` | what is asked between phases of a measurement; only where that was allowed |
//!
//! A thread does one request at a time at the store, so what one may ask for has a bound: in rows, in bytes and in
//! time. A measurement asks for what its study says, and its `GET /rows` gives all rows.
//!
//! Mistakes of who asks are 4xx, those of the store 5xx, each with `{"error": "words"}`.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::header::{LINK, LOCATION};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http_body_util::LengthLimitError;
use kurabe_client::served::Served;
use kurabe_client::{RowBuffer, StoreError, WriteOutcome};
use kurabe_messages::{Message, RecordedText, message};
use kurabe_protocol::{CallName, Job, Layout, ReplyOutcome};
use serde::Deserialize;
use serde_json::json;

use crate::guard::Hosts;
use crate::page;
use crate::posts::Posts;
use crate::refusal::{Named, Refusal, in_json};
use crate::rows::{BadRow, PostedRow, Reader};

/// Most bytes of a body: the longest row that every store takes, in JSON, where a character can take six bytes.
const MOST_BODY_BYTES: usize = 128 << 20;
/// What JSON needs around a row.
const AROUND_BYTES: usize = 64 << 10;
/// A body that takes longer to come is not waited for.
const BODY_LIMIT: Duration = Duration::from_secs(30);
/// So many rows the page shows.
const SHOWN_ROWS: u32 = 50;
/// The highest number that may be given to a row by who sends it. As many are left for those that get theirs here, so
/// that the newest row stays the one with the highest number.
const HIGHEST_GIVEN: u32 = i32::MAX as u32;
/// Most of the newest rows that a measurement asks for at once.
const MOST_LATEST: u32 = 1_000_000;
/// Most rows of one answer.
const MOST_ROWS: u32 = 10_000;
/// With so many bytes an answer takes no further row.
const ENOUGH_BYTES: usize = 32 << 20;

/// Why there can be no service.
#[derive(Debug, thiserror::Error)]
pub enum BoardError {
    /// The store's own words.
    #[error("{}", message!(run_store_wrong, error = .0))]
    Store(#[from] StoreError),
    /// Something of the system.
    #[error("{0}")]
    System(Message),
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
    posts: Posts,
    pub(crate) title: RecordedText,
    pub(crate) reader: Reader,
    hosts: Hosts,
    control: Control,
    most_body_bytes: usize,
}

impl App {
    /// A service of the rows of `job` over `store`, known as `hosts`; `title` stands above its page.
    pub fn new(store: Box<dyn Served>, job: &Job, title: RecordedText, hosts: Hosts, control: Control) -> App {
        let layout = Arc::new(Layout::new(&job.schema));
        let most_body_bytes = (layout.len_bytes() * 6 + AROUND_BYTES).min(MOST_BODY_BYTES);
        App {
            posts: Posts::new(store, layout.clone()),
            title,
            reader: Reader::new(job.schema.clone(), layout),
            hosts,
            control,
            most_body_bytes,
        }
    }

    /// Looks which rows are there, so that a new one gets the next number.
    ///
    /// # Errors
    /// Where the store fails.
    pub fn look(&self) -> Result<(), BoardError> {
        Ok(self.posts.look()?)
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
            .method_not_allowed_fallback(other_method)
            .with_state(self)
    }

    /// Why a request is not for this service, where that is so.
    pub(crate) fn refuse<B>(&self, request: &axum::http::Request<B>) -> Option<Refusal> {
        self.hosts.misdirected(request).map(|(status, why)| Refusal::of(status, &why))
    }

    /// Whether a request may write.
    fn admit(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        match self.hosts.refuse(headers) {
            None => Ok(()),
            Some(why) => Err(Refusal::of(StatusCode::FORBIDDEN, &why)),
        }
    }

    /// The whole body of a request.
    async fn body(&self, body: Body) -> Result<axum::body::Bytes, Refusal> {
        let most = self.most_body_bytes;
        let too_large = || Refusal::of(StatusCode::PAYLOAD_TOO_LARGE, &message!(board_body_too_large, most));
        if http_body::Body::size_hint(&body).lower() > most as u64 {
            return Err(too_large());
        }
        match tokio::time::timeout(BODY_LIMIT, axum::body::to_bytes(body, most)).await {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(error)) => match error.into_inner().is::<LengthLimitError>() {
                true => Err(too_large()),
                false => Err(Refusal::of(StatusCode::BAD_REQUEST, &message!(board_body_incomplete))),
            },
            Err(_) => Err(Refusal::of(StatusCode::REQUEST_TIMEOUT, &message!(board_body_late))),
        }
    }

    /// Writes a new row, and gives the number that it got.
    fn add(&self, sent: &PostedRow) -> Result<u32, Refusal> {
        if self.control == Control::Refused && sent.row.is_some_and(|row| row > HIGHEST_GIVEN) {
            return Err(self.no_row(self.reader.bad_key()));
        }
        let added = self.posts.add(sent.row, sent.value.raw())?;
        added.ok_or_else(|| Refusal::of(StatusCode::CONFLICT, &message!(board_row_exists)))
    }

    /// What is answered to something that is no row.
    fn no_row(&self, bad: BadRow) -> Refusal {
        match bad {
            BadRow::Key(_) if self.control == Control::Refused && self.reader.numbers_rows() => {
                let range = message!(board_key_range, key = self.reader.key(), highest = HIGHEST_GIVEN);
                Refusal::of(StatusCode::BAD_REQUEST, &range)
            }
            BadRow::Key(why) => Refusal::of(StatusCode::BAD_REQUEST, &why),
            BadRow::Value(why) => Refusal::bad(&why),
        }
    }

    /// The row that a path names.
    fn row_of(&self, key: &str) -> Result<u32, Refusal> {
        self.reader.row_of(key).ok_or_else(Refusal::no_row)
    }
}

type Answered = Result<Response, Refusal>;

async fn ping() -> StatusCode {
    StatusCode::NO_CONTENT
}

async fn unknown() -> Refusal {
    Refusal::of(StatusCode::NOT_FOUND, &message!(board_nothing_here))
}

async fn other_method() -> Refusal {
    Refusal::of(StatusCode::METHOD_NOT_ALLOWED, &message!(board_other_method))
}

async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Answered {
    let language = page::language(&headers);
    let mut rows = Vec::new();
    app.posts.latest(SHOWN_ROWS, &mut |row, raw| rows.push(page::Row::of(&app.reader, row, raw, language)))?;
    Ok(page::page(&app, &rows, language))
}

async fn post_form(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Answered {
    app.admit(&headers)?;
    let body = app.body(body).await?;
    let sent = app.reader.of_form(&body).map_err(|bad| app.no_row(bad))?;
    app.add(&sent)?;
    Ok((StatusCode::SEE_OTHER, [(LOCATION, "/")]).into_response())
}

async fn insert(State(app): State<Arc<App>>, headers: HeaderMap, body: Body) -> Answered {
    app.admit(&headers)?;
    let body = app.body(body).await?;
    let sent = app.reader.of_json(&body).map_err(|bad| app.no_row(bad))?;
    if sent.row.is_none() && !app.reader.numbers_rows() {
        return Err(Refusal::bad(&message!(board_key_needed)));
    }
    let row = app.add(&sent)?;
    let mut response = in_json(format!("{{\"id\":{row}}}").into_bytes());
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// What of many rows is asked for.
#[derive(Deserialize)]
struct RowsQuery {
    latest: Option<u32>,
    before: Option<u32>,
}

/// Rows as an array in JSON.
struct Rows<'a> {
    reader: &'a Reader,
    out: Vec<u8>,
    rows: u32,
    failed: Option<StoreError>,
}

impl<'a> Rows<'a> {
    fn new(reader: &'a Reader) -> Rows<'a> {
        Rows { reader, out: vec![b'['], rows: 0, failed: None }
    }

    fn add(&mut self, row: u32, raw: &[u8]) {
        if self.rows > 0 {
            self.out.push(b',');
        }
        self.rows += 1;
        if let Err(error) = self.reader.json.write(row, raw, &mut self.out) {
            self.failed.get_or_insert(error);
        }
    }

    /// Adds a row where it has room.
    fn fits(&mut self, most: u32, row: u32, raw: &[u8]) -> bool {
        let has_room = self.rows < most && self.out.len() < ENOUGH_BYTES;
        if has_room {
            self.add(row, raw);
        }
        has_room
    }

    fn answer(mut self) -> Answered {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        self.out.push(b']');
        Ok(in_json(self.out))
    }
}

async fn many(State(app): State<Arc<App>>, which: Result<Query<RowsQuery>, QueryRejection>) -> Answered {
    let bad = |why: Message| Err(Refusal::of(StatusCode::BAD_REQUEST, &why));
    let most = if app.control == Control::Allowed { MOST_LATEST } else { MOST_ROWS };
    let Ok(Query(which)) = which else { return bad(message!(board_whole_numbers)) };
    if which.latest.is_some_and(|rows| rows > most) {
        return bad(message!(board_latest_range, most));
    }
    if which.before.is_some() && !app.reader.numbers_rows() {
        return bad(message!(board_nothing_before));
    }
    let mut rows = Rows::new(&app.reader);
    match (app.control, which) {
        (Control::Allowed, RowsQuery { latest: None, before: None }) => {
            app.posts.scan(&mut |row, raw| rows.add(row, raw))?
        }
        (_, RowsQuery { latest, before }) => {
            let next = some(&app.posts, &mut rows, latest.unwrap_or(most), before)?;
            let mut response = rows.answer()?;
            if let Some(next) = next.map(|row| format!("</rows?before={row}>; rel=\"next\"")) {
                response.headers_mut().extend(HeaderValue::try_from(next).ok().map(|link| (LINK, link)));
            }
            return Ok(response);
        }
    }
    rows.answer()
}

/// Adds at most so many rows, the newest or those before one; the number below which further ones may be.
fn some(posts: &Posts, rows: &mut Rows<'_>, most: u32, before: Option<u32>) -> Result<Option<u32>, StoreError> {
    if let Some(before) = before {
        return posts.rows_before(before, &mut |row, raw| rows.fits(most, row, raw));
    }
    let (mut last, mut is_all) = (None, true);
    // One more than wanted tells whether there are more.
    posts.latest(most.saturating_add(1), &mut |row, raw| {
        // Of one that does not fit no lower one may be given.
        is_all = is_all && rows.fits(most, row, raw);
        last = if is_all { Some(row) } else { last };
    })?;
    Ok(last.filter(|_| !is_all))
}

async fn read(State(app): State<Arc<App>>, Named(key): Named) -> Answered {
    let row = app.row_of(&key)?;
    let mut value = RowBuffer::new(&app.reader.layout);
    if !app.posts.read(row, &mut value)? {
        return Err(Refusal::no_row());
    }
    let mut out = Vec::with_capacity(value.raw().len() + 64);
    app.reader.json.write(row, value.raw(), &mut out)?;
    Ok(in_json(out))
}

/// What a write of a row that must exist answers.
fn write_answer(written: WriteOutcome) -> Answered {
    match written {
        WriteOutcome::Done => Ok(StatusCode::NO_CONTENT.into_response()),
        WriteOutcome::Missing | WriteOutcome::Exists => Err(Refusal::no_row()),
    }
}

async fn update(State(app): State<Arc<App>>, Named(key): Named, headers: HeaderMap, body: Body) -> Answered {
    app.admit(&headers)?;
    let row = app.row_of(&key)?;
    let body = app.body(body).await?;
    let sent = app.reader.of_json(&body).map_err(|bad| app.no_row(bad))?;
    if sent.row.is_some_and(|given| given != row) {
        return Err(Refusal::bad(&message!(board_key_differs)));
    }
    write_answer(app.posts.update(row, sent.value.raw())?)
}

async fn delete(State(app): State<Arc<App>>, Named(key): Named, headers: HeaderMap) -> Answered {
    app.admit(&headers)?;
    let row = app.row_of(&key)?;
    write_answer(app.posts.delete(row)?)
}

async fn increment(State(app): State<Arc<App>>, Named(key): Named, headers: HeaderMap) -> Answered {
    app.admit(&headers)?;
    let no_counter = |_| Refusal::of(StatusCode::BAD_REQUEST, &message!(board_counter_number));
    let counter = key.parse().map_err(no_counter)?;
    app.posts.increment(counter)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn call(State(app): State<Arc<App>>, Named(name): Named, headers: HeaderMap) -> Answered {
    if app.control == Control::Refused {
        return Err(unknown().await);
    }
    app.admit(&headers)?;
    let no_call = |_| Refusal::of(StatusCode::NOT_FOUND, &message!(board_no_call));
    let name: CallName = serde_json::from_value(json!(name)).map_err(no_call)?;
    let answer = match app.posts.call(name) {
        ReplyOutcome::Ok(value) => json!({ "ok": value }),
        ReplyOutcome::Unsupported => json!({ "unsupported": true }),
        ReplyOutcome::Error(error) => json!({ "error": error }),
    };
    Ok(in_json(answer.to_string().into_bytes()))
}

async fn operations(State(app): State<Arc<App>>) -> Response {
    in_json(json!(app.posts.operations()).to_string().into_bytes())
}

#[cfg(test)]
#[path = "app_tests.rs"]
mod tests;
