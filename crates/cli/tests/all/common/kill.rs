//! Kurabe killed in the middle of a run with an embedded store, four servers and two services before stores: one trial,
//! used once in the tests of every day and many times in those of trust.

use std::ffi::OsStr;
use std::time::Duration;

use rustix::process::Signal;

use super::server::Redis;
use super::{CLEANING, Place, Running, TINY, census, comes_true, entries, finish, here, order, wait_for};

/// What a trial needs.
pub const SERVERS: [&str; 4] = ["redis", "postgres", "mariadb", "memcached"];
/// Besides, stores behind services.
pub const BEHIND_APPS: [&str; 2] = ["sqlite/serve", "redis/express"];
/// The programs of the servers, as the kernel names them.
const PROGRAMS: [&str; 4] = ["redis-server", "postgres", "mariadbd", "memcached"];

/// Whether all that a trial needs is here.
#[track_caller]
pub fn all_here() -> bool {
    here(&SERVERS) && here(&BEHIND_APPS)
}

/// The choice of a run: memcached keeps nothing, so the baseline is the lowest.
fn choice(seed: &str) -> Vec<String> {
    let stores = format!("sqlite,{},{}", SERVERS.join(","), BEHIND_APPS.join(","));
    ["--stores", &stores, "--durability", "cache", "--seed", seed].map(str::to_string).to_vec()
}

/// Kills Kurabe with SIGKILL while a server of the run is up, at a moment that depends on `trial`, and asserts that
/// after five seconds nothing of it runs, listens or lies on the disk, that a foreign server of the same name goes on,
/// that what was measured can be shown, and that the run can be completed in the order that was planned.
#[track_caller]
pub fn kill_trial(trial: u64) {
    let mut foreign = Redis::start("");
    foreign.ask::<()>(&["SET", "letter", "dear Anne"]);
    let place = Place::new();
    let seed = trial.to_string();
    let choice = choice(&seed);
    let planned = planned_order(&place, &choice);
    let run = Running::start(place.run(TINY, &[]).args(&choice));
    let jobs_before = 1 + trial as usize % 4;
    let server = PROGRAMS[trial as usize % PROGRAMS.len()];
    wait_for("jobs recorded", || (recorded(&place) >= jobs_before).then_some(()));
    wait_for("a server of the run", || census::child(run.pid(), server));
    // So that the kill falls on the start of the server, the load, a phase or the stop.
    std::thread::sleep(Duration::from_millis(trial * 67 % 300));
    let before = census::of(&place);
    let listening = census::listening(&before);
    run.signal(Signal::KILL);
    assert_eq!(run.finish().status, 128 + 9);
    assert_cleared(&place, &before, &listening);
    assert!(foreign.is_alive() && foreign.answers());
    assert_eq!(foreign.ask::<String>(&["GET", "letter"]), "dear Anne");

    let measured = place.loaded();
    assert!(measured.jobs.len() + measured.superseded.len() >= jobs_before && measured.end.is_none());
    assert_eq!(place.answer()["run"], measured.run.id.as_str());
    let said = finish(&mut place.resume());
    assert_eq!(said.status, 0, "{said:?}");
    let whole = place.loaded();
    assert_eq!(order(&whole), planned);
    assert_eq!(whole.jobs[..measured.jobs.len()], measured.jobs[..], "what was measured is kept");
    place.assert_nothing_is_left();
    assert!(foreign.is_alive() && foreign.answers());
}

fn recorded(place: &Place) -> usize {
    std::fs::read_to_string(place.out().join("jobs.jsonl")).unwrap_or_default().lines().count()
}

#[track_caller]
fn assert_cleared(place: &Place, before: &[census::Seen], listening: &std::collections::BTreeSet<u64>) {
    assert!(before.len() > 2, "something was there to be cleared: {before:?}");
    let open = || census::all_listening().intersection(listening).count();
    let clear = || census::of(place).is_empty() && entries(&place.data()).is_empty() && open() == 0;
    let left = || (census::of(place), entries(&place.data()), open());
    assert!(comes_true(CLEANING, clear), "after {CLEANING:?}: {:?}", left());
}

/// The order of all jobs that these flags give, as `plan` shows it.
#[track_caller]
pub fn planned_order(place: &Place, choice: &[impl AsRef<OsStr>]) -> Vec<String> {
    let study = place.file("planned.toml", TINY);
    let mut command = place.kurabe(["plan", &study]);
    let said = finish(command.args(choice).arg("--dir").arg(place.data()));
    assert_eq!(said.status, 0, "{said:?}");
    let rounds = said.out.lines().filter_map(|line| line.strip_prefix("round ")?.trim().split_once(' '));
    rounds.flat_map(|(_, names)| names.split(',').map(|name| name.trim().to_string())).collect()
}
