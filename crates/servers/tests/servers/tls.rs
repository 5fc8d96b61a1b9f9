//! Servers with certificates of an authority of our own, good and bad.

use std::path::{Path, PathBuf};

use kurabe_protocol::{Action, CallName, Load, Phase, ReplyOutcome, Schema};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::common::{Driver, Server, files, free_port, ids_of, job, phase};
use super::run_all;

/// Values long enough to fill sockets while many requests are under way.
const VALUE_BYTES: u32 = 100_000;
const ROWS: u64 = 200;

/// Certificates in a folder: of an authority, and of a server at 127.0.0.1 with its key.
struct Certificates {
    _folder: tempfile::TempDir,
    authority: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
}

impl Certificates {
    /// Those of a server that runs as `user`, who alone reads the key.
    fn of(user: &str) -> Certificates {
        use std::os::unix::fs::PermissionsExt;
        let mut of_authority = CertificateParams::default();
        of_authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = Issuer::new(of_authority.clone(), KeyPair::generate().expect("a key"));
        let root = of_authority.self_signed(issuer.key()).expect("a certificate");
        let key = KeyPair::generate().expect("a key");
        let names = CertificateParams::new(["127.0.0.1".to_string()]).expect("a name");
        let certificate = names.signed_by(&key, &issuer).expect("a certificate");
        let folder = files();
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).expect("permissions");
        let write = |name: &str, text: String| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        let authority = write("authority.pem", root.pem());
        let certificate = write("server.pem", certificate.pem());
        let key = write("server.key", key.serialize_pem());
        std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).expect("permissions");
        if let Some((uid, gid)) = ids_of(user) {
            std::os::unix::fs::chown(&key, Some(uid), Some(gid)).expect("an owner");
        }
        Certificates { _folder: folder, authority, certificate, key }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Works at `url`; what the settings tell of its certificate.
fn works(store: &str, driver: Option<&str>, url: &str) -> String {
    let files = files();
    let depth = if store == "redis" || driver.is_some() { 16 } else { 1 };
    let phases = vec![
        Phase { connections: 4, ..phase("load", Load::Row, ROWS) },
        Phase { connections: 2, depth, ..phase("update", Action::Update, ROWS) },
        Phase { connections: 2, depth, ..phase("read", Action::Read, 2 * ROWS) },
        phase("many", Action::MultiRead { rows: 20 }, 10),
    ];
    let job = job(store, url, files.path(), Schema::key_value(VALUE_BYTES), ROWS, phases.clone());
    let mut driver = Driver::start_by(&job, driver);
    driver.ask(CallName::Create);
    run_all(&mut driver, &phases);
    let settings = driver.ask(CallName::Settings);
    driver.ask(CallName::Reset);
    assert_eq!(driver.stop(), 0);
    settings["tls"].as_str().unwrap_or_default().to_string()
}

/// The words in which a call at `url` fails, and a phase.
fn refusals(store: &str, driver: Option<&str>, url: &str) -> [String; 2] {
    let files = files();
    let phases = vec![phase("read", Action::Read, 1)];
    let job = job(store, url, files.path(), Schema::key_value(100), ROWS, phases);
    let mut driver = Driver::start_by(&job, driver);
    let ReplyOutcome::Error(of_call) = driver.call(CallName::Create) else { panic!("let in at {url}") };
    driver.say(&kurabe_protocol::Command::Go("read".into()));
    [of_call, format!("{:?}", driver.event())]
}

/// A server at `url`, whose query ends as it must for TLS to be asked for.
fn checks_certificates(store: &str, driver: Option<&str>, url: &str, authority: &Path) {
    let with = |more: String| format!("{url}{}{more}", if url.contains('?') { '&' } else { '?' });
    let own = with(format!("sslrootcert={}", text(authority)));
    assert_eq!(works(store, driver, &own), "certificate checked, by own authorities too");
    assert_eq!(works(store, driver, &with("tls=unverified".into())), "certificate not checked");
    for words in refusals(store, driver, url) {
        assert!(words.contains("UnknownIssuer") && words.contains("say tls=unverified"), "{words}");
    }
    for words in refusals(store, driver, &own.replace("127.0.0.1", "localhost")) {
        assert!(words.contains("not valid for name"), "{words}");
    }
}

#[test]
fn postgres_with_tls_is_measured_where_its_certificate_is_good() {
    let files = Certificates::of("postgres");
    let (certificate, key) = (text(&files.certificate), text(&files.key));
    let options = [format!("ssl_cert_file={certificate}"), format!("ssl_key_file={key}")];
    let Some(server) = Server::postgres(&["-c", "ssl=on", "-c", &options[0], "-c", &options[1]]) else { return };
    let url = format!("{}?sslmode=require", server.url);
    for driver in [None, Some("pipelined")] {
        checks_certificates("postgres", driver, &url, &files.authority);
    }
    // Nothing is encrypted where nobody asks for it, as before.
    assert_eq!(works("postgres", None, &server.url), "");
}

#[test]
fn mariadb_with_tls_is_measured_where_its_certificate_is_good() {
    let files = Certificates::of("mysql");
    let options = [format!("--ssl-cert={}", text(&files.certificate)), format!("--ssl-key={}", text(&files.key))];
    let Some(server) = Server::mariadb(&[&options[0], &options[1]]) else { return };
    let url = format!("{}?ssl-mode=REQUIRED", server.url);
    checks_certificates("mariadb", None, &url, &files.authority);
    assert_eq!(works("mariadb", None, &server.url), "");
}

#[test]
fn redis_with_tls_is_measured_where_its_certificate_is_good() {
    let (files, port) = (Certificates::of("redis"), free_port());
    let port_text = port.to_string();
    let Some(server) = Server::redis(&[
        "--tls-port",
        &port_text,
        "--tls-cert-file",
        text(&files.certificate),
        "--tls-key-file",
        text(&files.key),
        "--tls-ca-cert-file",
        text(&files.authority),
        "--tls-auth-clients",
        "no",
    ]) else {
        return;
    };
    checks_certificates("redis", None, &format!("rediss://127.0.0.1:{port}"), &files.authority);
    let of_plain = format!("{}?tls=unverified", server.url);
    let job = job("redis", &of_plain, files.authority.parent().expect("a folder"), Schema::key_value(9), 1, vec![]);
    let client = std::env::current_exe().expect("this test").with_file_name("../examples/client");
    let error = Driver::start_with(std::process::Command::new(client), &job).err().expect("refused");
    assert!(error.contains("rediss:// in place of redis://"), "{error}");
}
