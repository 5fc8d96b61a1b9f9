//! A redis-server of the test's own, as a user of Kurabe would have one running.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use super::{PATIENCE, comes_true};

pub struct Redis {
    child: Child,
    pub port: u16,
    pub password: String,
    _folder: TempDir,
}

impl Redis {
    /// Starts one on a free port; with a password where one is given. It gets its settings on stdin, so that the
    /// password stands in no command line.
    pub fn start(password: &str) -> Redis {
        Redis::with(password, "")
    }

    /// As [`Redis::start`], with these lines among its settings.
    pub fn with(password: &str, lines: &str) -> Redis {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let mut child = Command::new("redis-server")
            .arg("-")
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let secret = if password.is_empty() { String::new() } else { format!("requirepass {password}\n") };
        let settings = format!("bind 127.0.0.1\nport {port}\nsave \"\"\nappendonly no\n{secret}{lines}");
        child.stdin.take().unwrap().write_all(settings.as_bytes()).unwrap();
        let mut redis = Redis { child, port, password: password.to_string(), _folder: folder };
        assert!(comes_true(PATIENCE, || redis.is_alive() && redis.answers()), "the test's own server does not start");
        redis
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn answers(&self) -> bool {
        self.connection().is_ok()
    }

    fn connection(&self) -> redis::RedisResult<redis::Connection> {
        let secret = if self.password.is_empty() { String::new() } else { format!(":{}@", self.password) };
        let client = redis::Client::open(format!("redis://{secret}127.0.0.1:{}", self.port))?;
        let mut connection = client.get_connection_with_timeout(Duration::from_secs(10))?;
        redis::cmd("PING").exec(&mut connection)?;
        Ok(connection)
    }

    /// A command and its answer.
    pub fn ask<T: redis::FromRedisValue>(&self, words: &[&str]) -> T {
        let mut command = redis::cmd(words[0]);
        command.arg(&words[1..]);
        command.query(&mut self.connection().unwrap()).unwrap()
    }

    /// All keys with their values.
    pub fn content(&self) -> BTreeMap<String, String> {
        let keys: Vec<String> = self.ask(&["KEYS", "*"]);
        keys.into_iter().map(|key| (key.clone(), self.ask(&["GET", &key]))).collect()
    }

    /// All settings.
    pub fn settings(&self) -> BTreeMap<String, String> {
        self.ask(&["CONFIG", "GET", "*"])
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
