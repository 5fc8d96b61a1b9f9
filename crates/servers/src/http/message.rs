//! Requests and answers of HTTP/1.1 (RFC 9112), as the board's service and every other app has them.
//!
//! Answers are taken apart by the crate `httparse`; of a body only its length or its chunks are looked at here.

use std::borrow::Cow;
use std::io::Write;

use httparse::{Header, Response, Status};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::common::lanes::{Dialect, ReplyFrame};
use kurabe_client::adapter::{Answer, Key, Request, Row, StoreError, WriteOutcome};
use kurabe_client::json_rows::JsonRows;

/// Headers of an answer that are taken.
const MOST_HEADERS: usize = 64;
/// Most bytes of an answer's head.
const MOST_HEAD_BYTES: usize = 64 << 10;
/// Most bytes of an answer's body: nobody asks for so many rows at a time.
const MOST_BODY_BYTES: usize = 1 << 30;
/// Characters of a body that are told of an answer that was not as it should be.
const TOLD_CHARS: usize = 200;

/// What an answer is awaited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// POST of a row; one that exists is overwritten by nobody.
    Load,
    /// POST of a row.
    Insert,
    /// PUT of a row.
    Update,
    /// GET of a row.
    Read,
    /// DELETE of a row.
    Delete,
    /// POST to a counter.
    Increment,
    /// GET of many rows.
    Rows,
}

/// Requests to one service.
pub struct Http {
    /// The end of the request's line, and the line `Host: …`.
    host: String,
    /// The path above `/rows`.
    base: String,
    rows: JsonRows,
    body: Vec<u8>,
}

impl Http {
    pub(super) fn new(host: &str, base: &str, rows: JsonRows) -> Http {
        Http { host: format!(" HTTP/1.1\r\nHost: {host}"), base: base.to_string(), rows, body: Vec::new() }
    }
}

/// A key as it stands in a path.
struct InPath<'a>(&'a Key);

impl std::fmt::Display for InPath<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.is_text() {
            true => utf8_percent_encode(self.0.text(), NON_ALPHANUMERIC).fmt(f),
            false => self.0.int().fmt(f),
        }
    }
}

impl Dialect for Http {
    type Pending = Pending;

    const MAY_BE_CLOSED: bool = true;

    fn ask(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Pending, StoreError> {
        let Http { host, base, rows, body } = self;
        let mut with_row = |out: &mut Vec<u8>, row: &Row<'_>| {
            body.clear();
            rows.write(row.key.row, row.raw, body)?;
            let len = body.len();
            let head = write!(out, "{host}\r\nContent-Type: application/json\r\nContent-Length: {len}\r\n\r\n");
            out.extend_from_slice(body);
            head.map_err(StoreError::store)
        };
        let (written, asked) = match request {
            Request::Load(row) | Request::Insert(row) => {
                write!(out, "POST {base}/rows").map_err(StoreError::store)?;
                with_row(out, row)?;
                (Ok(()), if matches!(request, Request::Load(_)) { Pending::Load } else { Pending::Insert })
            }
            Request::Update(row) => {
                write!(out, "PUT {base}/rows/{}", InPath(&row.key)).map_err(StoreError::store)?;
                with_row(out, row)?;
                (Ok(()), Pending::Update)
            }
            Request::Read(key) => (write!(out, "GET {base}/rows/{}{host}\r\n\r\n", InPath(key)), Pending::Read),
            Request::Delete(key) => (write!(out, "DELETE {base}/rows/{}{host}\r\n\r\n", InPath(key)), Pending::Delete),
            Request::Increment(counter) => {
                let number = counter.row;
                let written = write!(out, "POST {base}/counters/{number}{host}\r\nContent-Length: 0\r\n\r\n");
                (written, Pending::Increment)
            }
            Request::Scan => (write!(out, "GET {base}/rows{host}\r\n\r\n"), Pending::Rows),
            Request::Latest(rows) => (write!(out, "GET {base}/rows?latest={rows}{host}\r\n\r\n"), Pending::Rows),
            Request::MultiRead(_) | Request::Search(_) | Request::LoadMany(_) | Request::Commit => {
                return Err(StoreError::Unsupported);
            }
        };
        written.map(|()| asked).map_err(StoreError::store)
    }

    fn take(
        asked: Option<&Pending>,
        bytes: &[u8],
        give: impl FnOnce(Answer<'_>),
    ) -> Result<Option<ReplyFrame>, String> {
        let Some(whole) = whole(bytes)? else { return Ok(None) };
        let Some(asked) = asked else {
            return Err(format!("the service sent what nobody asked for: status {}", whole.status));
        };
        give(decode_answer(*asked, whole.status, &whole.body));
        Ok(Some(whole.frame()))
    }
}

/// What an answer means for what was asked.
fn decode_answer(asked: Pending, status: u16, body: &[u8]) -> Answer<'_> {
    match (asked, status) {
        (Pending::Load | Pending::Insert, 200 | 201 | 204) | (Pending::Update | Pending::Delete, 200 | 204) => {
            Answer::Written(WriteOutcome::Done)
        }
        (Pending::Insert, 409) => Answer::Written(WriteOutcome::Exists),
        (Pending::Update | Pending::Delete, 404) => Answer::Written(WriteOutcome::Missing),
        (Pending::Read, 200) => Answer::Value(Some(body)),
        (Pending::Read, 404) => Answer::Value(None),
        (Pending::Increment, 200 | 204) => Answer::Incremented,
        (Pending::Rows, 200) => Answer::Rows(body),
        _ => Answer::Failed(refused(status, body)),
    }
}

/// An answer that is no good, with the words of the service.
#[cold]
pub(super) fn refused(status: u16, body: &[u8]) -> StoreError {
    let text: String = String::from_utf8_lossy(body).chars().take(TOLD_CHARS).collect();
    StoreError::store(format!("the service answered {status}: {}", text.trim()))
}

impl WholeAnswer<'_> {
    pub(super) fn frame(&self) -> ReplyFrame {
        ReplyFrame { len: self.len, closes: self.closes }
    }
}

/// A whole answer.
pub(super) struct WholeAnswer<'a> {
    pub(super) status: u16,
    pub(super) body: Cow<'a, [u8]>,
    /// Bytes that it takes, head and all.
    len: usize,
    /// Whether the service closes the connection behind it.
    closes: bool,
}

/// The answer at the start of `bytes`; nothing where it is not whole yet.
pub(super) fn whole(bytes: &[u8]) -> Result<Option<WholeAnswer<'_>>, String> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = Response::new(&mut headers);
    let head = match response.parse(bytes) {
        Ok(Status::Complete(len)) => len,
        Ok(Status::Partial) if bytes.len() > MOST_HEAD_BYTES => return Err("the head of an answer does not end".into()),
        Ok(Status::Partial) => return Ok(None),
        Err(error) => return Err(format!("the answer cannot be read: {error}")),
    };
    let status = response.code.unwrap_or(0);
    let rest = &bytes[head..];
    let body = match framing(status, response.headers)? {
        Framing::Len(len) if len > MOST_BODY_BYTES => {
            return Err(format!("an answer has {len} bytes, which is too many"));
        }
        Framing::Len(len) => rest.get(..len).map(|body| (Cow::Borrowed(body), len)),
        Framing::Chunks => chunks(rest)?.map(|(body, len)| (Cow::Owned(body), len)),
    };
    let closes = closes(response.version, response.headers);
    Ok(body.map(|(body, len)| WholeAnswer { status, body, len: head + len, closes }))
}

/// Whether the connection ends behind an answer (RFC 9112, 9.3); before version 1.1 it does unless it is said otherwise.
fn closes(version: Option<u8>, headers: &[Header<'_>]) -> bool {
    let said = headers.iter().find(|header| header.name.eq_ignore_ascii_case("connection"));
    let says = |word: &[u8]| said.is_some_and(|said| said.value.trim_ascii().eq_ignore_ascii_case(word));
    says(b"close") || (version == Some(0) && !says(b"keep-alive"))
}

/// How long a body is.
enum Framing {
    Len(usize),
    Chunks,
}

fn framing(status: u16, headers: &[Header<'_>]) -> Result<Framing, String> {
    if matches!(status, 100..=199) {
        return Err(format!("the service answered {status}, which is no answer"));
    }
    if matches!(status, 204 | 304) {
        return Ok(Framing::Len(0));
    }
    let values = |name: &'static str| {
        headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
    };
    if let Some(coding) = values("transfer-encoding").next() {
        let is_chunked = coding.trim_ascii().eq_ignore_ascii_case(b"chunked");
        return is_chunked
            .then_some(Framing::Chunks)
            .ok_or_else(|| "the body has a coding that is not known here".into());
    }
    let mut lens = values("content-length").map(|value| std::str::from_utf8(value).ok()?.trim().parse::<usize>().ok());
    match (lens.next(), lens.next()) {
        (Some(Some(len)), None) => Ok(Framing::Len(len)),
        (None, _) => Err("the answer does not tell how long it is".into()),
        _ => Err("the answer tells its length in a way that cannot be read".into()),
    }
}

/// A body in chunks, put together, and the bytes that it took; nothing where it is not whole yet.
fn chunks(bytes: &[u8]) -> Result<Option<(Vec<u8>, usize)>, String> {
    let broken = || "the chunks of an answer cannot be read".to_string();
    let (mut body, mut at) = (Vec::new(), 0);
    loop {
        let (head, len) = match httparse::parse_chunk_size(&bytes[at..]) {
            Ok(Status::Complete((head, len))) => (head, usize::try_from(len).map_err(|_| broken())?),
            Ok(Status::Partial) => return Ok(None),
            Err(_) => return Err(broken()),
        };
        at += head;
        if len == 0 {
            return Ok(trailers(&bytes[at..])?.map(|len| (body, at + len)));
        }
        if body.len().saturating_add(len) > MOST_BODY_BYTES {
            return Err("an answer has too many bytes".into());
        }
        let Some(chunk) = bytes.get(at..at + len + 2) else { return Ok(None) };
        let (chunk, end) = chunk.split_at(len);
        if end != b"\r\n" {
            return Err(broken());
        }
        body.extend_from_slice(chunk);
        at += len + 2;
    }
}

/// Bytes of the lines behind the last chunk, with the empty one that ends them.
fn trailers(bytes: &[u8]) -> Result<Option<usize>, String> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    match httparse::parse_headers(bytes, &mut headers) {
        Ok(Status::Complete((len, _))) => Ok(Some(len)),
        Ok(Status::Partial) if bytes.len() > MOST_HEAD_BYTES => Err("the end of an answer does not come".into()),
        Ok(Status::Partial) => Ok(None),
        Err(error) => Err(format!("the end of an answer cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn taken(bytes: &[u8]) -> Result<Option<(u16, Vec<u8>, usize)>, String> {
        whole(bytes).map(|whole| whole.map(|whole| (whole.status, whole.body.into_owned(), whole.len)))
    }

    #[test]
    fn answers_are_whole_or_not_yet() {
        for (answer, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP", (200, "abc", 41)),
            ("HTTP/1.1 204 No Content\r\n\r\n", (204, "", 27)),
            ("HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n", (404, "", 44)),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\nH",
                (200, "abc", 69),
            ),
        ] {
            let (status, body, len) = expected;
            assert_eq!(taken(answer.as_bytes()), Ok(Some((status, body.as_bytes().to_vec(), len))), "{answer}");
            for cut in 0..len {
                assert_eq!(taken(&answer.as_bytes()[..cut]), Ok(None), "{answer} cut at {cut}");
            }
        }
    }

    #[test]
    fn answers_that_cannot_be_are_told() {
        for (answer, words) in [
            ("SMTP ready\r\n\r\n", "cannot be read"),
            ("HTTP/1.1 200 OK\r\n\r\n", "how long it is"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", "cannot be read"),
            ("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n", "cannot be read"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "coding"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "chunks"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", "chunks"),
            ("HTTP/1.1 100 Continue\r\n\r\n", "no answer"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "too many"),
        ] {
            let error = taken(answer.as_bytes()).err().unwrap_or_default();
            assert!(error.contains(words), "{answer}: {error}");
        }
        let endless = format!("HTTP/1.1 200 OK\r\nX: {}", "y".repeat(MOST_HEAD_BYTES));
        assert!(taken(endless.as_bytes()).is_err());
    }

    #[test]
    fn an_answer_tells_whether_the_connection_ends_behind_it() {
        let closes = |head: &str| whole(head.as_bytes()).map(|whole| whole.is_some_and(|whole| whole.closes));
        for (head, ends) in [
            ("HTTP/1.1 204 No Content\r\n\r\n", false),
            ("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n", true),
            ("HTTP/1.1 204 No Content\r\nconnection: Keep-Alive\r\n\r\n", false),
            ("HTTP/1.0 204 No Content\r\n\r\n", true),
            ("HTTP/1.0 204 No Content\r\nConnection: keep-alive\r\n\r\n", false),
        ] {
            assert_eq!(closes(head), Ok(ends), "{head}");
        }
    }

    #[test]
    fn statuses_have_their_meaning() {
        assert_eq!(decode_answer(Pending::Insert, 409, b""), Answer::Written(WriteOutcome::Exists));
        assert_eq!(decode_answer(Pending::Update, 404, b""), Answer::Written(WriteOutcome::Missing));
        assert_eq!(decode_answer(Pending::Read, 404, b""), Answer::Value(None));
        for (asked, status) in [
            (Pending::Load, 409),
            (Pending::Load, 500),
            (Pending::Read, 302),
            (Pending::Rows, 204),
            (Pending::Insert, 503),
        ] {
            assert!(
                matches!(decode_answer(asked, status, b"why"), Answer::Failed(StoreError::Store(words)) if words.contains("why"))
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = taken(&bytes);
            let _ = chunks(&bytes);
            let mut answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
            answer.extend_from_slice(&bytes);
            let _ = taken(&answer);
        }
    }
}
