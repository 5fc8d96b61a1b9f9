use super::*;

#[test]
fn a_candidate_is_read_part_by_part() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let plain = parse_candidate(&catalogue, "sqlite").expect("sqlite");
    assert_eq!((plain.name.as_str(), plain.client.to_string(), plain.url), ("sqlite", "rust".into(), None));
    let python = parse_candidate(&catalogue, "redis+python").expect("redis+python");
    assert_eq!((python.store.as_str(), python.client.to_string()), ("redis", "python:redis".into()));
}

#[test]
fn a_password_is_in_the_address_and_nowhere_else() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let candidate = parse_candidate(&catalogue, "redis@redis://me:canary@127.0.0.1:7001/3").expect("an address");
    assert_eq!(candidate.name, "redis@redis://127.0.0.1:7001/3");
    assert_eq!(candidate.url.as_deref(), Some("redis://me:canary@127.0.0.1:7001/3"));
    assert_eq!(candidate.hosts(), ["127.0.0.1"]);
    for address in ["me:canary", "me:canary@127.0.0.1:7001", "me:canary@redis://127.0.0.1:7001", "127.0.0.1:canary"] {
        let error = parse_candidate(&catalogue, &format!("redis@{address}")).expect_err("no address").to_string();
        assert!(!error.contains("canary"), "{error}");
    }
}

#[test]
fn hosts_in_the_query_of_an_address_are_seen_too() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let hosts = |url: &str| parse_candidate(&catalogue, &format!("postgres@{url}")).expect("an address").hosts();
    assert_eq!(hosts("postgresql://localhost/db?host=10.0.0.1"), ["localhost", "10.0.0.1"]);
    assert_eq!(hosts("postgresql://localhost/db?hostaddr=10.0.0.1,10.0.0.2"), ["localhost", "10.0.0.1", "10.0.0.2"]);
    assert!(hosts("postgresql:///db?host=/var/run/postgresql").is_empty());
}

fn table(text: &str) -> Result<CandidateSpec, String> {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let table: CandidateTable = crate::toml_text::read("mine.toml", text).map_err(|error| error.to_string())?;
    table.check(&catalogue, "mine.toml").map_err(|error| error.to_string())
}

#[test]
fn a_table_gives_what_the_short_form_cannot() {
    let big = table("name = 'big cache'\nstore = 'sqlite'\nsettings = { cache_size = -65536 }\ndurability = 'off'")
        .expect("a table");
    assert_eq!((big.name.as_str(), big.store.as_str(), big.client.to_string()), ("big cache", "sqlite", "rust".into()));
    assert_eq!(big.settings["cache_size"], "-65536");
    assert_eq!(big.durability.as_deref(), Some("off"));
    let other = table("name = 'mine'\nstore = 'redis'\nbinary = '/opt/redis-server'\nargs = ['--hz', '50']");
    assert_eq!(other.expect("a table").binary, Some(PathBuf::from("/opt/redis-server")));
    let there = table("name = 'there'\nstore = 'redis'\nurl = 'redis://me:canary@127.0.0.1:1'").expect("a table");
    assert_eq!(there.shown_url().as_deref(), Some("redis://127.0.0.1:1"));
}

#[test]
fn a_service_writes_to_its_log_or_to_a_terminal() {
    let output = |more: &str| table(&format!("name = 'mine'\nstore = 'memcached'\n{more}")).expect("a table").output;
    assert_eq!(output(""), ServiceOutput::Log);
    assert_eq!(output("args = ['-vvv']\noutput = 'terminal'"), ServiceOutput::Terminal);
}

#[test]
fn what_nobody_would_take_is_refused() {
    let error = |more: &str| table(&format!("name = 'mine'\n{more}")).expect_err("a mistake");
    assert!(error("store = 'sqlight'").contains("did you mean 'sqlite'?"));
    assert!(error("store = 'sqlite'\nsetting = {}").contains("unknown key 'setting'; did you mean 'settings'?"));
    assert!(error("store = 'sqlite'\ndurability = 'wal-ful'").contains("did you mean 'wal-full'?"));
    assert!(error("store = 'sqlite'\nvariant = 'fast'").contains("unknown variant 'sqlite:fast'"));
    assert!(error("store = 'sqlite'\nargs = ['-x']").contains("not a server"));
    assert!(error("store = 'sqlite'\noutput = 'terminal'").contains("not a server"));
    assert!(error("store = 'redis'\noutput = 'screen'").contains("screen"));
    assert!(error("store = 'sqlite'\nbinary = '/bin/sqlite3'").contains("built in"));
    assert!(error("store = 'sqlite'\nurl = 'sqlite://x'").contains("not a server"));
    assert!(
        error("store = 'sqlite'\nsettings = { cache_size = [1] }").contains("must be a text, a number, true or false")
    );
    for (store, args) in [
        ("postgres", "'-cfsync=off'"),
        ("postgres", "'-c', 'FSYNC=off'"),
        ("redis", "'--APPENDFSYNC', 'no'"),
        ("mariadb", "'--loose-innodb-flush-log-at-trx-commit=0'"),
        ("mariadb", "'--innodb_flush_log_at_trx_commit=0'"),
        ("mariadb", "'--log-bin'"),
    ] {
        let spelt = error(&format!("store = '{store}'\nargs = [{args}]"));
        assert!(spelt.contains("is part of its durability"), "{args}: {spelt}");
    }
    let mixed = error("store = 'sqlite'\nsettings = { synchronous = 'off' }");
    assert!(mixed.contains("'synchronous' is part of its durability") && mixed.contains("wal-full"), "{mixed}");
    assert!(error("store = 'redis'\nargs = ['--appendfsync', 'no']").contains("'--appendfsync' is part"));
    let at = "store = 'redis'\nurl = 'redis://127.0.0.1:1'\n";
    for more in ["durability = 'aof-no'", "settings = { a = 1 }", "args = ['x']", "binary = '/x'"] {
        assert!(error(&format!("{at}{more}")).contains("measures it as it is"), "{more}");
    }
    assert!(error("store = 'redis'\nurl = 'me:canary@host'").contains("does not begin with a scheme"));
    assert!(table("name = ''\nstore = 'sqlite'").expect_err("no name").contains("1 to 40"));
    let named = |name: &str| table(&format!("name = \"{name}\"\nstore = 'sqlight'")).expect_err("a mistake");
    assert!(named("読み取り").contains("candidate '読み取り'"), "{}", named("読み取り"));
    assert!(named("a\\u0007b").contains("candidate 'a\\u{7}b'"), "{}", named("a\\u0007b"));
}

#[test]
fn a_load_tool_stands_behind_what_it_asks_and_is_a_yardstick() {
    let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
    let of = |text: &str| {
        let spec = parse_candidate(&catalogue, text).map_err(|error| error.to_string())?;
        Ok::<_, String>((spec.client.to_string(), spec.app.join("/"), spec.asked_by, spec.is_baseline))
    };
    let wrk = || Some("wrk".to_string());
    assert_eq!(of("map/serve+wrk"), Ok(("rust".into(), "serve".into(), wrk(), true)));
    assert_eq!(of("redis+php:predis/php/nginx+wrk"), Ok(("php:predis".into(), "php/nginx".into(), wrk(), true)));
    assert_eq!(of("url+ab@http://127.0.0.1:1/a+b/c"), Ok(("ab".into(), String::new(), None, true)));
    assert_eq!(of("postgres+pgbench"), Ok(("pgbench".into(), String::new(), None, true)));
    assert_eq!(of("map/serve"), Ok(("rust".into(), "serve".into(), None, false)));
    for (wrong, words) in [
        ("map/serve+python", "load tool before a service"),
        ("map/serve+pgbench", "load tool before a service"),
        ("map+wrk", "does not drive map"),
        ("mariadb+pgbench", "does not drive mariadb"),
        ("map/serve+wrk/nginx", "load tool before a service"),
    ] {
        let error = of(wrong).expect_err(wrong);
        assert!(error.contains(words), "{error}");
    }
    let asked = table("name = 'mine'\nstore = 'map'\napp = ['serve']\nasked_by = 'siege'").expect("a table");
    assert!(asked.is_baseline && asked.asked_by.as_deref() == Some("siege"));
}
