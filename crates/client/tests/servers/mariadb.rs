use kurabe_protocol::{CallName, ReplyOutcome, Schema};
use mysql::prelude::Queryable;

use super::common::{Driver, Server, files, job};
use super::{ROWS, works_with_few_rights};

/// A server with a user who has all rights on one database and none beside, and the user's address.
fn with_a_user() -> Option<(Server, String)> {
    let server = Server::mariadb(&[])?;
    let mut root = mysql::Conn::new(mysql::Opts::from_url(&server.url).expect("an address")).expect("a connection");
    for statement in [
        "CREATE DATABASE IF NOT EXISTS test",
        "CREATE USER few@'127.0.0.1' IDENTIFIED BY 's3cret-word'",
        "GRANT ALL ON test.* TO few@'127.0.0.1'",
    ] {
        root.query_drop(statement).expect("a statement of root");
    }
    let url = server.url.replace("root@", "few:s3cret-word@");
    Some((server, url))
}

#[test]
fn without_the_privilege_process_there_is_no_size_and_all_else_works() {
    let Some((_server, url)) = with_a_user() else { return };
    works_with_few_rights("mariadb", &url, |driver| {
        assert!(driver.ask(CallName::Settings)["innodb_buffer_pool_size"].is_string());
        driver.assert_absent(CallName::Size, "PROCESS", "few");
    });
}

#[test]
fn a_server_that_denies_is_told_in_its_words_without_the_user() {
    let Some((server, _)) = with_a_user() else { return };
    let files = files();
    for (url, words) in [
        ("few:wr0ng-word@127.0.0.1", "Access denied for user '***'"),
        ("few:s3cret-word@127.0.0.1", "'***'@'127.0.0.1'"),
    ] {
        // In the second the password is right and the database somebody else's.
        let url = format!("mysql://{url}:{}/mysql", server.port);
        let mut driver = Driver::start(&job("mariadb", &url, files.path(), Schema::key_value(100), ROWS, vec![]));
        let ReplyOutcome::Error(told) = driver.call(CallName::Create) else { panic!("{url} was let in") };
        assert!(told.contains(words) && !told.contains("few") && !told.contains("-word"), "{told}");
    }
}
