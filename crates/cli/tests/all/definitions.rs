//! What a user brings in a folder: a store that speaks a known protocol, a client with a store of its own.

use std::process::Command;

use kurabe_record::JobRecord;

use crate::common::{Place, TINY, assert_mistake, finish, here};

/// Writes a definition, and gives what is said to run it.
fn new(place: &Place, words: &[&str]) -> String {
    let said = finish(&mut place.kurabe([&["new"], words].concat()));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    said.out
}

fn with_definitions(mut run: Command) -> Command {
    run.args(["--definitions", "definitions"]);
    run
}

/// A twin of Redis, which is started by the same program.
fn new_twin(place: &Place) -> String {
    let said = new(place, &["store", "twin", "--extends", "redis"]);
    let file = place.path("definitions/stores/twin/store.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("server = [\"twin-server\"]"), "{text}");
    std::fs::write(&file, text.replace("twin-server", "redis-server")).unwrap();
    said
}

/// That every job went well and had its answers checked.
fn assert_all_well(place: &Place, candidates: &[&str]) {
    let loaded = place.loaded();
    let names: Vec<&str> = loaded.run.candidates.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, candidates);
    let checked = |job: &JobRecord| {
        let results = job.phases.iter().flat_map(|phase| &phase.results);
        results
            .map(|result| (result.checks.checked, result.checks.failed()))
            .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    for job in &loaded.jobs {
        assert!(job.error.is_none(), "{}: {:?}", job.candidate, job.error);
        let (checked, failed) = checked(job);
        assert!(checked >= 100 && failed == 0, "{}: {checked}, {failed}", job.candidate);
    }
}

#[test]
fn a_store_of_two_files_is_driven_by_every_client_of_its_protocol() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let said = new_twin(&place);
    assert!(said.contains("Then: kurabe run quick --definitions definitions --stores redis,twin"), "{said}");
    let files = std::fs::read_dir(place.path("definitions/stores/twin")).unwrap().count();
    assert_eq!(files, 2);
    let stores = "redis,twin,twin+php:phpredis,twin+node:redis";
    let run = place.run(TINY, &["--stores", stores, "--rounds", "1"]);
    let said = finish(&mut with_definitions(run));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert_all_well(&place, &["redis", "twin", "twin+php:phpredis", "twin+node:redis"]);
    place.assert_nothing_is_left();
}

#[test]
fn a_server_that_tells_no_identity_of_the_store_is_refused() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    new_twin(&place);
    let file = place.path("definitions/stores/twin/store.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("# [[identity]]\n# told", "[[identity]]\ntold");
    std::fs::write(&file, text).unwrap();
    let run = place.run(TINY, &["--stores", "twin", "--rounds", "1"]);
    let said = finish(&mut with_definitions(run));
    assert_eq!(said.status, 1, "{}{}", said.out, said.err);
    let words =
        "does not report that it is twin (it reports redis_version, version, but not 'twin_version'); for Redis use";
    let loaded = place.loaded();
    assert!(
        loaded.jobs[0].error.as_ref().is_some_and(|error| error.message.to_string().contains(words)),
        "{:?}",
        loaded.jobs[0].error
    );
}

#[test]
fn a_store_and_its_client_in_python_are_ranked_beside_a_built_in_one() {
    let place = Place::new();
    new(&place, &["client", "mine"]);
    let run = place.run(TINY, &["--stores", "sqlite,mine", "--durability", "cache"]);
    let said = finish(&mut with_definitions(run));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert_all_well(&place, &["sqlite", "mine"]);
    assert!(said.out.contains("mine"), "{}", said.out);
    // What is printed to be pasted finds the store again; the same folder twice is read once.
    assert!(!said.out.contains("Retry") || said.out.contains("--definitions definitions"), "{}", said.out);
    let named = ["--definitions", "definitions", "--definitions", "./definitions"];
    // It is a client and a store.
    assert_mistake(
        &finish(place.kurabe(["list", "mine"]).args(named)),
        &["kurabe list stores mine, kurabe list clients mine"],
    );
    let twice = finish(place.kurabe(["list", "stores", "mine"]).args(named));
    assert_eq!(twice.status, 0, "{}", twice.err);
    assert_mistake(&finish(&mut place.kurabe(["new", "client", "mine"])), &["it exists already"]);
    place.assert_nothing_is_left();
}

#[test]
fn what_cannot_be_defined_is_refused_before_anything_starts() {
    let place = Place::new();
    for (words, problem) in [
        (&["new", "store", "redis"][..], "this name is taken"),
        (&["new", "store", "../x"], "a name has at most 64 letters a to z"),
        (&["new", "store", "mine", "--extends", "rediss"], "did you mean 'redis'"),
        (&["new", "store"], "Use: kurabe new FILE.toml, kurabe new store NAME"),
        (&["new", "store", "mine"], "a store needs --extends"),
        (&["new", "client", "mine", "--extends", "redis"], "takes no --extends"),
        (&["new", "client", "jdbc"], "this name is taken"),
        (&["new", "mine.toml", "x"], "takes no name, got 'x'"),
        (&["list", "stores", "--definitions", "nowhere"], "No such file"),
        (&["list", "stores", "--definitions", "."], "holds at least one of the folders stores, clients, apps, studies"),
    ] {
        assert_mistake(&finish(&mut place.kurabe(words)), &[problem]);
    }
    let own = place.path("config/kurabe/stores/sqlite");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("store.toml"), "name = 'sqlite'\n").unwrap();
    let mut stores = place.kurabe(["list"]);
    assert_mistake(
        &finish(stores.env("XDG_CONFIG_HOME", place.path("config"))),
        &["config/kurabe/stores/sqlite/store.toml"],
    );
}
