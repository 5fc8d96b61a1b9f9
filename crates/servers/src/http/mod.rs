//! `http`: a service over HTTP/1.1, many connections on one thread.
//!
//! It stands before a store and has its rows as JSON: what is asked, and what each answer means, is the table in
//! `board/src/app.rs`. What the service can do, and what its answers look like, stands in the job's settings.

mod message;
mod service_url;
mod tools;
mod url;

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Ask, Capabilities, Encoding, Job, Layout, LoadPath, Operation, Phase, Pool, reply};
use serde_json::Value;

use crate::common::lanes::SocketLanes;
use crate::common::lanes::socket::Socket;
use kurabe_client::adapter::{
    Acknowledgements, Answer, InFlight, Lanes, Numbering, Request, RowBuffer, RowSink, Store, StoreError, Texts,
};
use kurabe_client::clock::now_ns;
use kurabe_client::common::versions::libraries;
use kurabe_client::in_flight::InFlightLoop;
use kurabe_client::json_rows::JsonRows;
use kurabe_client::text_rows::TextRows;

pub use message::Http as HttpDialect;
use service_url::ServiceUrl;
pub use url::Url;

/// The setting that names the operations that a service has, separated by blanks; without it the service is asked.
const OPERATIONS: &str = "operations";
/// The setting that says whether it answers calls.
const CALLS: &str = "calls";
/// The setting that says what rows look like: whole ones as JSON, or, with this value, without keys, which the store gives
/// them, and of which answers have the texts alone.
const SHAPE: &str = "shape";
const TEXTS: &str = "texts";
/// The setting that says when a write is answered, and its value for those that are answered before they are stored.
const ANSWERS: &str = "answers";
const EARLY: &str = "early";
/// What can be done where answers are texts alone: nothing by a key, and nothing that changes a row.
const OF_TEXTS: [Operation; 4] = [Operation::Load, Operation::Insert, Operation::Scan, Operation::Latest];

/// A service as one job uses it.
pub struct Http {
    place: ServiceUrl,
    /// The path above `/rows`.
    base: String,
    operations: Vec<Operation>,
    answers_calls: bool,
    rows: JsonRows,
    /// Where answers of many rows are texts alone.
    texts: Option<TextRows>,
    numbering: Numbering,
    layout: Arc<Layout>,
    call_limit: Duration,
    operation_limit: Duration,
}

impl Store for Http {
    type Shape = InFlightLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Http, StoreError> {
        let place = ServiceUrl::of(job)?;
        let mut http = Http {
            base: place.path.trim_end_matches('/').to_string(),
            place,
            operations: Vec::new(),
            answers_calls: job.settings.get(CALLS).is_some_and(|answers| answers == "yes"),
            rows: JsonRows::new(&job.schema, layout),
            texts: None,
            numbering: Numbering::Keys,
            layout: layout.clone(),
            call_limit: Duration::from_nanos(job.limits.call_ns),
            operation_limit: Duration::from_nanos(job.limits.operation_ns),
        };
        http.operations = match job.settings.get(OPERATIONS) {
            Some(words) => operations(words)?,
            None => http.reported_operations()?,
        };
        Ok(http)
    }

    fn open_beside(job: &Job, layout: &Arc<Layout>, pool: &Arc<Pool>) -> Result<Http, StoreError> {
        let mut http = Http::open(job, layout)?;
        if job.settings.get(SHAPE).is_some_and(|shape| shape == TEXTS) {
            http.operations.retain(|operation| OF_TEXTS.contains(operation));
            http.texts = Some(TextRows::new(job, layout, pool)?);
            http.rows = http.rows.without_keys();
            let is_early = job.settings.get(ANSWERS).is_some_and(|answers| answers == EARLY);
            let acknowledged = if is_early { Acknowledgements::Early } else { Acknowledgements::Stored };
            http.numbering = Numbering::Arrival(acknowledged);
        }
        Ok(http)
    }

    fn capabilities(&self) -> Capabilities {
        // When a row arrived is known to one process only.
        Capabilities { processes: self.numbering == Numbering::Keys, ..over_http(self.operations.clone()) }
    }

    fn numbering(&self) -> Numbering {
        self.numbering
    }

    fn libraries(&self) -> Texts {
        libraries(&["httparse", "serde_json", "mio"])
    }

    fn call<A: Ask>(&self) -> Result<A::Answer, StoreError> {
        if !self.answers_calls {
            return Err(StoreError::Unsupported);
        }
        let (status, body) = self.ask("POST", &format!("/calls/{}", A::NAME))?;
        if status != 200 {
            return Err(message::refused(status, &body));
        }
        let mut answer: Value = serde_json::from_slice(&body).map_err(StoreError::store)?;
        if answer.get("unsupported").is_some() {
            return Err(StoreError::Unsupported);
        }
        match (answer.get_mut("ok").map(Value::take), answer.get("error").and_then(Value::as_str)) {
            (Some(value), _) => reply::read::<A>(value).map_err(StoreError::store),
            (None, error) => Err(StoreError::store(error.unwrap_or("the service gave no answer to a call"))),
        }
    }

    fn ping(&self) -> Result<(), StoreError> {
        let (status, body) = self.ask("GET", "/ping")?;
        if matches!(status, 200 | 204) { Ok(()) } else { Err(message::refused(status, &body)) }
    }

    fn info(&self) -> Result<Texts, StoreError> {
        self.call::<reply::Info>()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.call::<reply::Create>().map(drop)
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.call::<reply::Reset>().map(drop)
    }
}

/// What can be done over HTTP with these operations: one request at a time on each of many connections.
fn over_http(operations: Vec<Operation>) -> Capabilities {
    Capabilities {
        operations,
        load_paths: vec![LoadPath::Row],
        transactions: false,
        max_depth: 1,
        batch: false,
        max_connections: 10_000,
        processes: true,
        own_data: false,
        open_rows: false,
        reconnects: true,
        encodings: vec![Encoding::Raw],
        ..Capabilities::default()
    }
}

/// Operations by their words.
fn operations(words: &str) -> Result<Vec<Operation>, StoreError> {
    let of = |word: &str| {
        let known = Operation::ALL.into_iter().find(|operation| operation.word() == word);
        known.ok_or_else(|| StoreError::store(format!("'{word}' is no operation of a service")))
    };
    words.split_whitespace().map(of).collect()
}

impl Http {
    /// What the service says that it can do.
    fn reported_operations(&self) -> Result<Vec<Operation>, StoreError> {
        let (status, body) = self.ask("GET", "/operations")?;
        if status != 200 {
            return Err(message::refused(status, &body));
        }
        serde_json::from_slice(&body).map_err(StoreError::store)
    }

    /// One request over a connection of its own.
    fn ask(&self, method: &str, path: &str) -> Result<(u16, Vec<u8>), StoreError> {
        let lost = |error: std::io::Error| StoreError::Disconnected(error.to_string());
        let mut stream = self.place.connect(self.call_limit)?;
        let (base, authority) = (&self.base, self.place.authority());
        let head = format!("{method} {base}{path} HTTP/1.1\r\nHost: {authority}\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(head.as_bytes()).map_err(lost)?;
        let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
        loop {
            match stream.read(&mut chunk).map_err(lost)? {
                0 => return Err(StoreError::Disconnected("the service closed the connection".into())),
                len => bytes.extend_from_slice(&chunk[..len]),
            }
            if let Some(whole) = message::whole(&bytes).map_err(StoreError::Disconnected)? {
                return Ok((whole.status, whole.body.into_owned()));
            }
        }
    }
}

impl InFlight for Http {
    type Lanes = HttpLanes;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<HttpLanes, StoreError> {
        let address = self.place.address();
        let dialect = HttpDialect::new(&self.place.authority(), &self.base, self.rows.clone());
        let limit = self.operation_limit;
        let lanes = SocketLanes::open(dialect, lanes, phase, move || Socket::open(&address, limit, |_| Ok(())))?;
        Ok(HttpLanes {
            lanes,
            rows: self.rows.clone(),
            texts: self.texts.clone(),
            latest_rows: phase.latest_rows(),
            value: RowBuffer::new(&self.layout),
            decoded_ns: 0,
        })
    }
}

/// Connections to a service, whose rows are JSON.
pub struct HttpLanes {
    lanes: SocketLanes<HttpDialect>,
    rows: JsonRows,
    texts: Option<TextRows>,
    latest_rows: Option<u32>,
    value: RowBuffer,
    decoded_ns: u64,
}

impl Lanes for HttpLanes {
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        self.lanes.start(lane, token, request)
    }

    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        let HttpLanes { lanes, rows, value, decoded_ns, .. } = self;
        lanes.drain(wait, &mut |token, answer| {
            let Answer::Value(Some(json)) = answer else { return sink(token, answer) };
            let start = now_ns();
            // What is no row is no right answer either: the check tells it.
            let is_row = rows.read(json, value).is_some();
            *decoded_ns += now_ns() - start;
            sink(token, Answer::Value(Some(if is_row { value.raw() } else { json })));
        })
    }

    fn connects(&self) -> u64 {
        self.lanes.connects()
    }

    fn reconnect(&mut self, lane: u32) -> Result<(), StoreError> {
        self.lanes.reconnect(lane)
    }

    fn rows(&self, came: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        match &self.texts {
            Some(texts) => texts.read_all(came, self.latest_rows, sink),
            None => self.rows.read_all(came, sink),
        }
    }

    fn encoding_ns(&self) -> u64 {
        self.decoded_ns
    }
}
