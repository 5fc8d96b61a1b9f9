//! A bulletin board that a test asks.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{PATIENCE, Place, Running};

/// A board that runs, and its port.
pub struct Board {
    pub running: Running,
    pub port: u16,
}

/// What came of a request.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Answer {
    /// Where the header `Link` says that further rows are.
    pub fn next(&self) -> Option<String> {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with("link: "))?;
        Some(line.split(['<', '>']).nth(1)?.to_string())
    }
}

/// Flags of a board whose posts stay in a folder that every user may use, whoever its server runs as.
pub fn kept(place: &Place, store: &str, durability: &str) -> [String; 6] {
    place.open_to_everybody();
    let folder = place.path("posts").display().to_string();
    ["--store", store, "--durability", durability, "--data", &folder].map(String::from)
}

impl Board {
    pub fn start(place: &Place, flags: &[impl AsRef<OsStr>]) -> Board {
        Board::start_with(place, flags, |_| ())
    }

    /// The same with a command that `change` may change.
    pub fn start_with(place: &Place, flags: &[impl AsRef<OsStr>], change: impl FnOnce(&mut Command)) -> Board {
        let mut command = place.kurabe(["serve", "--listen", "127.0.0.1:0", "--dir"]);
        command.arg(place.data()).args(flags);
        change(&mut command);
        let mut running = Running::start(&mut command);
        let line = running.hear("at http://");
        let rest = line.split("127.0.0.1:").nth(1).unwrap();
        let port = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
        Board { running, port }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    pub fn try_ask(&self, method: &str, path: &str, more: &str, body: &str) -> std::io::Result<Answer> {
        try_ask(self.port, method, path, more, body)
    }

    #[track_caller]
    pub fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        self.try_ask(method, path, "", body).unwrap()
    }

    /// All rows, by as many requests as it takes.
    #[track_caller]
    pub fn rows(&self) -> Vec<Value> {
        let (mut rows, mut path) = (Vec::new(), Some("/rows".to_string()));
        while let Some(next) = path {
            let answer = self.ask("GET", &next, "");
            rows.extend(answer.json().as_array().unwrap().clone());
            path = answer.next();
        }
        rows
    }

    #[track_caller]
    pub fn end(self) {
        self.running.signal(Signal::TERM);
        let said = self.running.finish();
        assert_eq!(said.status, 0, "{said:?}");
    }
}

/// What comes of one request over a connection of its own.
pub fn try_ask(port: u16, method: &str, path: &str, more: &str, body: &str) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let len = body.len();
    let host = if more.contains("Host:") { String::new() } else { format!("Host: 127.0.0.1:{port}\r\n") };
    let request =
        format!("{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {len}\r\n{more}\r\n{body}");
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let (head, body) = text.split_once("\r\n\r\n").ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or(std::io::ErrorKind::InvalidData)?;
    Ok(Answer { status, head: head.to_string(), body: body.to_string() })
}

/// A post with this text, as JSON.
pub fn post(text: &str) -> String {
    json!({"category": "test", "text": text}).to_string()
}
