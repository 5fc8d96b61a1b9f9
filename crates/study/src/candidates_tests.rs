use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::builtin().expect("the built-in descriptors are right"));

fn read(given: &[&str]) -> Result<Vec<CandidateSpec>, StudyError> {
    let given: Vec<String> = given.iter().map(|text| text.to_string()).collect();
    parse_candidates(&CATALOGUE, &given)
}

fn names(given: &[&str]) -> Vec<String> {
    read(given).expect("candidates").into_iter().map(|one| one.name).collect()
}

fn error(given: &[&str]) -> String {
    read(given).expect_err("a mistake").to_string()
}

#[test]
fn a_comma_in_an_address_separates_nothing() {
    for (list, expected) in [
        ("sqlite,redis@redis://u:123,CANARY@127.0.0.1:1", &["sqlite", "redis@redis://127.0.0.1:1"][..]),
        ("redis@redis://h:1/?password=x,CANARY", &["redis@redis://h:1/"]),
        ("mongodb@mongodb://u:p@a:1,b:2/db,sqlite", &["mongodb@mongodb://a:1,b:2/db", "sqlite"]),
        ("mongodb@mongodb://mongodb:1,redis:2/db", &["mongodb@mongodb://mongodb:1,redis:2/db"]),
        ("redis@redis://u:p,sqlite@h:1,lmdb", &["redis@redis://h:1", "lmdb"]),
        (
            "redis@redis://h:1, postgres+jdbc@postgresql://u:p,w@h/db ,sqlite",
            &["redis@redis://h:1", "postgres+jdbc@postgresql://h/db", "sqlite"],
        ),
    ] {
        assert_eq!(names(&[list]), expected, "{list}");
    }
    let url = |list: &str| read(&[list]).expect("candidates").pop().and_then(|one| one.url);
    assert_eq!(url("redis@redis://u:1,C@h:1").as_deref(), Some("redis://u:1,C@h:1"));
}

#[test]
fn a_stores_flag_of_its_own_takes_an_address_as_it_stands() {
    let whole = "postgres@postgresql://h/db?password=x,sqlite";
    assert_eq!(names(&["sqlite,lmdb", whole]), ["sqlite", "lmdb", "postgres@postgresql://h/db"]);
    assert_eq!(error(&["sqlite", "sqlite"]), "--stores: candidate 'sqlite' appears twice; remove or rename one");
}

#[test]
fn where_a_comma_leaves_a_doubt_nothing_is_guessed_and_nothing_of_it_is_told() {
    let way_out = "Give each candidate a --stores of its own";
    for list in [
        "redis@redis://h:1/?password=x,sqlite",
        "redis@redis://u:1,sqlite,CANARY@h:1",
        "redis@redis://h:1,sqlite,CANARY",
        "redis@redis://h:1,sqlite,mariadb:CANARY",
    ] {
        let error = error(&[list]);
        assert!(error.contains(way_out) && !error.contains("CANARY"), "{list}: {error}");
    }
    for list in ["redis@redis://h:1/0,CANARY", "redis@redis://h:1,CANARY:x", "redis:CANARY@h:1", "redis://u:CANARY@h:1"]
    {
        let error = error(&[list]);
        assert!(!error.contains("CANARY"), "{list}: {error}");
    }
}

#[test]
fn mistakes_are_named_with_the_nearest_name() {
    assert_eq!(error(&["sqlight"]), "unknown store 'sqlight'; did you mean 'sqlite'?");
    assert_eq!(error(&["redis+pythn"]), "unknown client 'redis+pythn'; did you mean 'redis+python'?");
    assert_eq!(error(&["lmbd,redis@redis://h:1"]), "unknown store 'lmbd'; did you mean 'lmdb'?");
    let dragonfly = error(&["sqlite,dragonfly"]);
    assert!(dragonfly.contains("no package registry has it"), "{dragonfly}");
    assert!(dragonfly.ends_with("To measure your own server: --stores redis@redis://HOST:PORT"), "{dragonfly}");
    assert!(error(&["tikv"]).contains("no package registry has it, and no client speaks its protocol"));
    assert_eq!(error(&["sqlite,sqlite"]), "--stores: candidate 'sqlite' appears twice; remove or rename one");
    assert!(error(&["sqlite@sqlite://x"]).contains("not a server"));
    assert!(error(&[" , "]).contains("no store is named"));
}

/// Pieces of passwords, none of which stands anywhere else.
fn password() -> impl Strategy<Value = Vec<String>> {
    let piece = "Q[A-Z]{3,6}";
    let glue = prop::sample::select(vec![",", ":", "@", "/", "?", "#", "%2C", "+", " ", ",sqlite,", ",lmdb", "://"]);
    prop::collection::vec((piece, glue), 1..4)
        .prop_map(|parts| parts.into_iter().flat_map(|(piece, glue)| [piece, glue.to_string()]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn no_piece_of_a_password_is_told(
        password in password(),
        place in 0..5usize,
        before in prop::sample::select(vec!["", "sqlite,", "sqlite,redis@redis://127.0.0.1:2,"]),
        after in prop::sample::select(vec!["", ",lmdb", ",nobody", ",mongodb@mongodb://a:1,b:2"]),
    ) {
        let pw = password.concat();
        let address = match place {
            0 => format!("redis@redis://me:{pw}@127.0.0.1:1"),
            1 => format!("redis@redis://127.0.0.1:1/?password={pw}"),
            2 => format!("postgres@postgresql://{pw}@a,b/db"),
            3 => format!("redis@me:{pw}@127.0.0.1:1"),
            _ => format!("redis://me:{pw}@127.0.0.1:1"),
        };
        for given in [vec![format!("{before}{address}{after}")], vec!["map".to_string(), address]] {
            let given: Vec<&str> = given.iter().map(String::as_str).collect();
            let said = match read(&given) {
                Ok(candidates) => candidates.into_iter().map(|one| one.name).collect::<Vec<_>>().join(" "),
                Err(error) => error.to_string(),
            };
            for piece in password.iter().filter(|piece| piece.starts_with('Q')) {
                prop_assert!(!said.contains(piece.as_str()), "{piece} of {given:?} is in: {said}");
            }
        }
    }
}
