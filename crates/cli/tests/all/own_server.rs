//! A server that its user runs, killed and started again by his commands.

use std::net::{TcpListener, TcpStream};
use std::process::Command;

use serde_json::Value;

use crate::actions::{CRASH, losses};
use crate::common::{PATIENCE, Place, Said, TINY, assert_mistake, comes_true, finish, here};

/// A Redis with a folder and a port of its own; its user starts it by hand.
struct OwnRedis<'a> {
    place: &'a Place,
    port: u16,
    more: &'static str,
}

impl<'a> OwnRedis<'a> {
    fn start(place: &'a Place, more: &'static str) -> OwnRedis<'a> {
        std::fs::create_dir(place.path("redis")).expect("a folder");
        let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr()).expect("a port").port();
        let redis = OwnRedis { place, port, more };
        redis.shell(&redis.start_command());
        assert!(comes_true(PATIENCE, || redis.answers()), "the test's own server does not start");
        redis
    }

    fn start_command(&self) -> String {
        let (folder, OwnRedis { port, more, .. }) = (self.place.path("redis").display().to_string(), self);
        format!(
            "redis-server --port {port} --bind 127.0.0.1 --dir {folder} --pidfile {folder}/pid --daemonize yes {more}"
        )
    }

    fn kill_command(&self) -> String {
        format!("kill -9 $(cat {})", self.place.path("redis/pid").display())
    }

    fn address(&self) -> String {
        format!("redis@redis://127.0.0.1:{}", self.port)
    }

    fn answers(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    fn shell(&self, command: &str) {
        assert!(Command::new("sh").args(["-c", command]).status().expect("a shell").success(), "{command}");
    }

    /// A run of three kills, or what its flags say.
    fn run(&self, kill: &str, more: &[&str]) -> Said {
        let (address, start) = (self.address(), self.start_command());
        let flags = ["--stores", &address, "--durability", "default", "--kill", kill, "--start", &start];
        finish(self.place.run(CRASH, &flags).args(more))
    }

    /// What the run says of it.
    fn losses(&self) -> Value {
        let all = losses(self.place);
        all.into_iter().find(|(name, _)| name.starts_with("redis@")).expect("its losses").1
    }
}

impl Drop for OwnRedis<'_> {
    fn drop(&mut self) {
        if self.answers() {
            self.shell(&self.kill_command());
        }
    }
}

#[test]
fn a_server_of_the_users_own_is_killed_and_started_by_his_commands() {
    if !here(&["redis"]) {
        return;
    }
    for (more, verdict, promised) in
        [("--appendonly yes --appendfsync always", "kept", "0"), ("--appendonly no --save ''", "allowed", "all")]
    {
        let place = Place::new();
        let redis = OwnRedis::start(&place, more);
        let said = redis.run(&redis.kill_command(), &[]);
        assert_eq!(said.status, 0, "{}{}", said.out, said.err);
        let one = redis.losses();
        assert_eq!((&one["verdict"], &one["trials"]), (&verdict.into(), &3.into()), "{one:#}");
        // What it promises is known by the settings that it tells.
        assert_eq!(one["promised"], promised, "{one:#}");
        assert!(one["recovery_ns"]["greatest"].as_u64() > Some(0), "{one:#}");
        // It runs, and nothing of ours is in it.
        let mut connection = redis::Client::open(format!("redis://127.0.0.1:{}", redis.port))
            .and_then(|client| client.get_connection())
            .expect("a connection");
        let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut connection).expect("keys");
        assert!(keys.is_empty(), "{keys:?}");
        assert!(place.loaded().run.command.contains("--kill 'kill -9 "), "{}", place.loaded().run.command);
        drop(connection);
        drop(redis);
        place.assert_nothing_is_left();
    }
}

#[test]
fn a_command_that_kills_nothing_is_no_trial() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let redis = OwnRedis::start(&place, "--appendonly no --save ''");
    let said = redis.run("true", &["--rounds", "1"]);
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let one = redis.losses();
    assert_eq!((&one["verdict"], &one["not_judged"]), (&"not-measured".into(), &1.into()), "{one:#}");
    let jobs = place.loaded().jobs;
    let action = jobs.iter().flat_map(|job| &job.phases).flat_map(|phase| &phase.actions);
    let failed: Vec<String> = action.filter_map(|one| one.failed.as_ref()).map(ToString::to_string).collect();
    assert!(failed.iter().any(|why| why.contains("still answered over the same connection")), "{failed:?}");
    assert!(said.out.contains("no trial was judged: the command of --kill ended"), "{}", said.out);
    let said = finish(place.resume().arg("--quiet"));
    assert_mistake(&said, &["--kill and --start", "give them again"]);
}

#[test]
fn commands_without_a_server_of_the_users_own_are_refused() {
    let place = Place::new();
    let kill = ["--kill", "true", "--start", "true"];
    let address = ["--stores", "redis@redis://127.0.0.1:1", "--durability", "default"];
    for (study, flags, words) in [
        (CRASH, &["--stores", "sqlite", "--kill", "true"][..], ["--start", "--help"]),
        (CRASH, &[&["--stores", "sqlite"], &kill[..]].concat(), ["one server at an address", "STORE@URL"]),
        (TINY, &[&address[..2], &kill[..]].concat(), ["--kill is for a study that kills its store", "crash"]),
        (TINY, &[&["--stores", "sqlite"], &kill[..]].concat(), ["--kill is for a study that kills its store", "crash"]),
    ] {
        assert_mistake(&finish(&mut place.run(study, flags)), &words);
    }
    assert!(!place.out().exists());
}
