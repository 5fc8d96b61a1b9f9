//! `url`: one request to a service of somebody's own, over and over.
//!
//! A read is the request. Where its answer is as it should be, the row that is read is taken as read, so that everything
//! which is told of reads is told of requests. There is a row a connection, and nothing is written.

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, Job, Layout, Operation, Phase, Pool};

use super::message::{self, WholeAnswer, whole};
use super::over_http;
use super::service_url::ServiceUrl;
use crate::common::lanes::socket::Socket;
use crate::common::lanes::{Dialect, ReplyFrame, SocketLanes};
use kurabe_client::adapter::{Answer, InFlight, Request, Store, StoreError, Texts, WriteOutcome};
use kurabe_client::baselines::echo::pool_of;
use kurabe_client::common::versions::libraries;
use kurabe_client::in_flight::InFlightLoop;

/// Settings of the request, and of what a good answer is.
const SETTINGS: [&str; 5] = ["method", "body", "content_type", "status", "answer_holds"];

/// A request, and what it is to be answered.
pub struct Url {
    pub(super) place: ServiceUrl,
    request: Arc<Vec<u8>>,
    good: Arc<ExpectedAnswer>,
    call_limit: Duration,
    operation_limit: Duration,
}

/// What a good answer is.
#[derive(Debug, PartialEq, Eq)]
pub struct ExpectedAnswer {
    /// Its status; any from 200 to 299 where none is said.
    status: Option<u16>,
    /// What its body holds.
    holds: Option<Vec<u8>>,
    /// The raw values of all rows.
    rows: Vec<Vec<u8>>,
}

/// Rows that are taken: there is nothing to be had from more.
const MOST_ROWS: u64 = 10_000;

impl Store for Url {
    type Shape = InFlightLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Url, StoreError> {
        Url::open_beside(job, layout, &pool_of(job, layout)?)
    }

    fn open_beside(job: &Job, layout: &Arc<Layout>, pool: &Arc<Pool>) -> Result<Url, StoreError> {
        let told = |problem: String| Err(StoreError::store(problem));
        if let Some(unknown) = job.settings.keys().find(|name| !SETTINGS.contains(&name.as_str())) {
            return told(format!("a URL has no setting '{unknown}'; it has {}", SETTINGS.join(", ")));
        }
        if job.rows > MOST_ROWS {
            return told(format!("a URL has no rows to speak of; write rows = 1 in place of {}", job.rows));
        }
        let place = ServiceUrl::of(job)?;
        let setting = |name: &str| job.settings.get(name).map(String::as_str);
        let status = setting("status").map(|text| text.parse::<u16>()).transpose();
        let status = status.map_err(|_| StoreError::store("the setting 'status' is no number like 200"))?;
        let raw = |row: u64| {
            let mut raw = vec![0; layout.room_bytes()];
            layout.write(pool, row as u32, 0, &mut raw);
            raw
        };
        let holds = setting("answer_holds").map(|text| text.as_bytes().to_vec());
        Ok(Url {
            request: Arc::new(request(&place, setting("method"), setting("body"), setting("content_type"))?),
            good: Arc::new(ExpectedAnswer { status, holds, rows: (0..job.rows).map(raw).collect() }),
            place,
            call_limit: Duration::from_nanos(job.limits.call_ns),
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        over_http(vec![Operation::Load, Operation::Read])
    }

    fn libraries(&self) -> Texts {
        libraries(&["httparse", "mio"])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.place.connect(self.call_limit).map(drop)
    }

    fn create(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn reset(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The bytes of the request.
fn request(
    place: &ServiceUrl,
    method: Option<&str>,
    body: Option<&str>,
    content_type: Option<&str>,
) -> Result<Vec<u8>, StoreError> {
    let usual = if body.is_some() { "POST" } else { "GET" };
    let method = method.unwrap_or(usual);
    // A blank or a line's end in any of these would make another request of it.
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_word(method) || !is_word(&place.path) {
        return Err(StoreError::store("a method and a path have no blanks; write them as %20"));
    }
    let content_type = content_type.unwrap_or("application/json");
    if content_type.chars().any(char::is_control) {
        return Err(StoreError::store("the setting 'content_type' has a character that no header may have"));
    }
    let (path, authority) = (&place.path, place.authority());
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: kurabe\r\nAccept: */*\r\n");
    if let Some(body) = body {
        text += &format!("Content-Type: {content_type}\r\nContent-Length: {}\r\n", body.len());
    }
    Ok([text.as_bytes(), b"\r\n", body.unwrap_or_default().as_bytes()].concat())
}

impl InFlight for Url {
    type Lanes = SocketLanes<UrlDialect>;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<SocketLanes<UrlDialect>, StoreError> {
        let (address, limit) = (self.place.address(), self.operation_limit);
        let dialect = UrlDialect { request: self.request.clone(), good: self.good.clone() };
        SocketLanes::open(dialect, lanes, phase, move || Socket::open(&address, limit, |_| Ok(())))
    }
}

/// The request, made beforehand.
pub struct UrlDialect {
    request: Arc<Vec<u8>>,
    good: Arc<ExpectedAnswer>,
}

/// What an answer is awaited for.
pub struct Pending {
    good: Arc<ExpectedAnswer>,
    /// The row that is read; none of a load.
    row: Option<u32>,
}

impl Dialect for UrlDialect {
    type Pending = Pending;

    const MAY_BE_CLOSED: bool = true;

    fn ask(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Pending, StoreError> {
        let row = match request {
            Request::Load(_) => None,
            Request::Read(key) => Some(key.row),
            _ => return Err(StoreError::Unsupported),
        };
        out.extend_from_slice(&self.request);
        Ok(Pending { good: self.good.clone(), row })
    }

    fn take(
        asked: Option<&Pending>,
        bytes: &[u8],
        give: impl FnOnce(Answer<'_>),
    ) -> Result<Option<ReplyFrame>, String> {
        let Some(whole) = whole(bytes)? else { return Ok(None) };
        let Some(Pending { good, row }) = asked else {
            return Err(format!("the service sent what nobody asked for: status {}", whole.status));
        };
        give(match (good.problem(&whole), row) {
            (Some(problem), _) => Answer::Failed(problem),
            (None, None) => Answer::Written(WriteOutcome::Done),
            (None, Some(row)) => Answer::Value(good.rows.get(*row as usize).map(Vec::as_slice)),
        });
        Ok(Some(whole.frame()))
    }
}

impl ExpectedAnswer {
    /// What is wrong with an answer.
    #[inline]
    fn problem(&self, whole: &WholeAnswer<'_>) -> Option<StoreError> {
        let is_status = self.status.map_or((200..300).contains(&whole.status), |status| status == whole.status);
        if !is_status {
            return Some(message::refused(whole.status, &whole.body));
        }
        let holds = self.holds.as_ref().is_none_or(|words| memchr::memmem::find(&whole.body, words).is_some());
        (!holds).then(|| StoreError::store("the answer does not hold what it should ('answer_holds')"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str) -> ServiceUrl {
        ServiceUrl { host: "127.0.0.1".into(), port: 8080, path: path.into() }
    }

    #[test]
    fn a_request_is_what_was_asked_for_and_nothing_else_can_be_put_into_it() {
        let text = |method, body, content_type| {
            request(&place("/a?b=c"), method, body, content_type)
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        let head = "HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: kurabe\r\nAccept: */*\r\n";
        assert_eq!(text(None, None, None), Ok(format!("GET /a?b=c {head}\r\n")));
        let typed = "Content-Type: text/plain\r\nContent-Length: 3\r\n";
        assert_eq!(text(Some("PUT"), Some("猫"), Some("text/plain")), Ok(format!("PUT /a?b=c {head}{typed}\r\n猫")));
        assert!(text(Some("GET / HTTP/1.1\r\nX:"), None, None).is_err());
        assert!(text(None, Some("x"), Some("a\r\nb: c")).is_err());
        assert!(request(&place("/a b"), None, None, None).is_err());
    }

    #[test]
    fn an_answer_is_good_by_its_status_and_by_what_it_holds() {
        let good = |status, holds: Option<&str>| {
            Arc::new(ExpectedAnswer { status, holds: holds.map(Into::into), rows: vec![b"row".to_vec()] })
        };
        let is_good = |good: Arc<ExpectedAnswer>, answer: &str| {
            let mut is_good = None;
            let asked = Pending { good, row: Some(0) };
            let taken = UrlDialect::take(Some(&asked), answer.as_bytes(), |answer| {
                is_good = Some(answer == Answer::Value(Some(b"row")));
            });
            assert!(matches!(taken, Ok(Some(_))), "{answer}");
            is_good
        };
        let ok = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(is_good(good(None, None), ok), Some(true));
        assert_eq!(is_good(good(Some(201), Some("ell")), ok), Some(true));
        assert_eq!(is_good(good(Some(200), None), ok), Some(false));
        assert_eq!(is_good(good(None, Some("help")), ok), Some(false));
        assert_eq!(is_good(good(None, None), "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"), Some(false));
        assert!(UrlDialect::take(None, ok.as_bytes(), |_| ()).is_err());
    }
}
