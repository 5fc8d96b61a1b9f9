//! Real servers in folders of their own and a client process, for the tests and benches of this crate.

// Every test and bench that includes this file uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command as Process, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use kurabe_protocol::schema::{Field, FieldType, Schema};
use kurabe_protocol::{
    Call, CallName, Candidate, Command, Distribution, End, Event, Hello, Job, Operation, Phase, PhaseResult, Reply,
    ReplyOutcome, Work, stream, value,
};

/// A client that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server that ends, with its folder, when it is dropped.
pub struct Server {
    child: Child,
    folder: tempfile::TempDir,
    stop: Signal,
    pub port: u16,
    pub url: String,
}

impl Server {
    /// An empty Redis server without persistence, `options` appended; `None` where none is installed.
    pub fn redis(options: &[&str]) -> Option<Server> {
        let Some(program) = find("redis-server", "/usr/bin") else { return missing("redis-server") };
        let (folder, port) = (folder("redis"), free_port());
        let mut start = as_user("redis", &program);
        start.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--daemonize", "no"]);
        start.args(["--save", "", "--appendonly", "no", "--loglevel", "warning", "--logfile", "log", "--unixsocket"]);
        start.arg(folder.path().join("socket")).arg("--dir").arg(folder.path()).args(options);
        let url = format!("redis://127.0.0.1:{port}");
        let accepts = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        Some(Server::start(start, folder, port, url, Signal::TERM, &accepts))
    }

    /// An empty memcached server, `options` appended; `None` where none is installed.
    pub fn memcached(options: &[&str]) -> Option<Server> {
        let Some(program) = find("memcached", "/usr/bin") else { return missing("memcached") };
        let (folder, port) = (folder("memcached"), free_port());
        let mut start = as_user("memcache", &program);
        start.args(["-l", "127.0.0.1", "-p", &port.to_string(), "-U", "0", "-m", "512"]).args(options);
        let url = format!("memcache://127.0.0.1:{port}");
        let accepts = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        Some(Server::start(start, folder, port, url, Signal::TERM, &accepts))
    }

    /// A new MariaDB server with the database `test`; `None` where none is installed.
    pub fn mariadb(options: &[&str]) -> Option<Server> {
        let Some(program) = find("mariadbd", "/usr/sbin") else { return missing("mariadbd") };
        let Some(install) = find("mariadb-install-db", "/usr/bin") else { return missing("mariadb-install-db") };
        let (folder, port) = (folder("mariadb"), free_port());
        let data = format!("--datadir={}", folder.path().join("data").display());
        let mut init = as_user("mysql", &install);
        init.args(["--no-defaults", &data, "--auth-root-authentication-method=normal", "--innodb-log-file-size=4M"]);
        // A server that starts removes what it takes for leftovers of others in the folder that they share.
        let done =
            init.current_dir(folder.path()).env("TMPDIR", folder.path()).output().expect("mariadb-install-db runs");
        assert!(done.status.success(), "mariadb-install-db failed: {}", String::from_utf8_lossy(&done.stderr));
        let mut start = as_user("mysql", &program);
        start.env("TMPDIR", folder.path());
        start.args(["--no-defaults", &data, "--bind-address=127.0.0.1", &format!("--port={port}")]);
        start.arg(format!("--socket={}", folder.path().join("socket").display()));
        start.arg(format!("--pid-file={}", folder.path().join("pid").display()));
        start.args(["--skip-name-resolve", "--max-connections=300"]).args(options);
        let url = format!("mysql://root@127.0.0.1:{port}/test");
        let accepts = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        Some(Server::start(start, folder, port, url, Signal::TERM, &accepts))
    }

    /// A new MySQL server with the database `test`; `None` where none is installed.
    pub fn mysql(options: &[&str]) -> Option<Server> {
        let Some(program) = find("mysqld", &format!("{}/mysql/bin", cache())) else { return missing("mysqld") };
        let (folder, port) = (folder("mysql"), free_port());
        let data = format!("--datadir={}", folder.path().join("data").display());
        let statement = folder.path().join("init");
        std::fs::write(&statement, "CREATE DATABASE test;\n").expect("a statement");
        let mut init = as_user("mysql", &program);
        init.args(["--no-defaults", &data, "--initialize-insecure", "--skip-log-bin"]);
        init.arg(format!("--init-file={}", statement.display())).arg("--loose-innodb-redo-log-capacity=8M");
        let done = init.current_dir(folder.path()).env("TMPDIR", folder.path()).output().expect("mysqld runs");
        assert!(done.status.success(), "mysqld failed: {}", String::from_utf8_lossy(&done.stderr));
        let mut start = as_user("mysql", &program);
        start.env("TMPDIR", folder.path());
        start.args(["--no-defaults", &data, "--bind-address=127.0.0.1", &format!("--port={port}")]);
        start.arg(format!("--socket={}", folder.path().join("socket").display()));
        start.arg(format!("--pid-file={}", folder.path().join("pid").display()));
        start
            .args(["--mysqlx=OFF", "--secure-file-priv=NULL", "--skip-log-bin", "--max-connections=300"])
            .args(options);
        let url = format!("mysql://root@127.0.0.1:{port}/test");
        let accepts = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        Some(Server::start(start, folder, port, url, Signal::TERM, &accepts))
    }

    /// An empty MongoDB server, `options` appended; `None` where none is installed.
    pub fn mongodb(options: &[&str]) -> Option<Server> {
        let found = find("mongod", &format!("{}/mongodb", cache())).or_else(|| find("mongod", "/usr/bin"));
        let Some(program) = found else { return missing("mongod") };
        let (folder, port) = (folder("mongodb"), free_port());
        let mut start = as_user("mongodb", &program);
        start.args([
            "--bind_ip",
            "127.0.0.1",
            "--port",
            &port.to_string(),
            "--wiredTigerCacheSizeGB",
            "0.25",
            "--dbpath",
        ]);
        start.arg(folder.path()).arg("--unixSocketPrefix").arg(folder.path()).args(options);
        let url = format!("mongodb://127.0.0.1:{port}/?directConnection=true");
        let accepts = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        Some(Server::start(start, folder, port, url, Signal::TERM, &accepts))
    }

    /// A new PostgreSQL cluster with the database `postgres`; `None` where none is installed.
    pub fn postgres(options: &[&str]) -> Option<Server> {
        let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
        folders.sort();
        let bin = folders.iter().rev().find_map(|bin| find("postgres", &bin.to_string_lossy()).map(|_| bin));
        let Some(bin) = bin else { return missing("postgres") };
        let (folder, port) = (folder("postgres"), free_port());
        let data = folder.path().join("data");
        let mut init = as_user("postgres", &bin.join("initdb"));
        init.args(["-A", "trust", "--no-sync", "-U", "postgres", "-E", "UTF8", "--locale=C", "-D"]).arg(&data);
        let done = init.current_dir(folder.path()).output().expect("initdb runs");
        assert!(done.status.success(), "initdb failed: {}", String::from_utf8_lossy(&done.stderr));
        let mut start = as_user("postgres", &bin.join("postgres"));
        start.arg("-D").arg(&data).args(["-c", "listen_addresses=127.0.0.1", "-c", &format!("port={port}")]);
        start.args(["-c", &format!("unix_socket_directories={}", folder.path().display())]);
        start.args(["-c", "max_connections=300", "-c", "shared_buffers=128MB"]).args(options);
        let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres");
        // It accepts connections before it is ready for them.
        let mut asked = Process::new(bin.join("pg_isready"));
        asked.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]);
        let asked = std::cell::RefCell::new(asked);
        let is_ready = || asked.borrow_mut().status().is_ok_and(|status| status.success());
        // SIGQUIT is its immediate shutdown: it still waits for its own processes.
        Some(Server::start(start, folder, port, url, Signal::QUIT, &is_ready))
    }

    /// An nginx with one process, which answers any request with 100 bytes; `None` where none is installed.
    pub fn nginx() -> Option<Server> {
        let Some(program) = find("nginx", "/usr/sbin") else { return missing("nginx") };
        let (folder, port) = (folder("nginx"), free_port());
        let settings = folder.path().join("settings");
        let answer = format!("server {{ listen 127.0.0.1:{port}; return 200 '{}'; }}", "x".repeat(100));
        // Else it makes folders where its package has them.
        let own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|what| format!("{what}_temp_path {what};"));
        let http = format!("access_log off; keepalive_requests 100000000; {} {answer}", own.concat());
        let text = format!("daemon off; master_process off; pid pid; events {{ }} http {{ {http} }}");
        std::fs::write(&settings, text).expect("its settings");
        let mut start = as_user("www-data", &program);
        start.args(["-e", "stderr", "-p"]).arg(folder.path()).arg("-c").arg(settings);
        let url = format!("http://127.0.0.1:{port}/");
        let accepts = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        Some(Server::start(start, folder, port, url, Signal::TERM, &accepts))
    }

    fn start(
        mut start: Process,
        folder: tempfile::TempDir,
        port: u16,
        url: String,
        stop: Signal,
        is_ready: &dyn Fn() -> bool,
    ) -> Server {
        let log = std::fs::File::create(folder.path().join("stderr")).expect("a log file");
        start.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        // A test that is killed takes its server along.
        unsafe {
            start.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let server = Server { child: start.spawn().expect("the server starts"), folder, stop, port, url };
        let deadline = Instant::now() + Duration::from_secs(30);
        while !is_ready() {
            let log = std::fs::read_to_string(server.folder.path().join("stderr")).unwrap_or_default();
            assert!(Instant::now() < deadline, "the server is not ready: {log}");
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// Lets a user of a PostgreSQL server in who shows a password in this way; it looks when it is told to.
    pub fn let_in(&self, user: &str, way: &str) {
        let rules = self.folder.path().join("data/pg_hba.conf");
        let before = std::fs::read_to_string(&rules).expect("the rules of the server");
        std::fs::write(&rules, format!("host all {user} 127.0.0.1/32 {way}\n{before}")).expect("rules");
    }

    /// Folder of its sockets: `socket` for Redis, the usual name for PostgreSQL.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it as a crash would, but for the shared memory that would stay until the machine starts again.
    pub fn kill(&mut self) {
        let shared = shared_memory(self.pid());
        self.child.kill().expect("a server that runs");
        self.child.wait().expect("a child");
        for (inode, path) in shared {
            // What its own processes have removed meanwhile is gone.
            match path.starts_with("/SYSV") {
                true => drop(Process::new("ipcrm").args(["-m", &inode]).stderr(Stdio::null()).status()),
                false => drop(std::fs::remove_file(path)),
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already, as some tests want it.
        if let Ok(None) = self.child.try_wait() {
            let _ = rustix::process::kill_process(rustix::process::Pid::from_child(&self.child), self.stop);
            let deadline = Instant::now() + Duration::from_secs(10);
            while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Inodes and paths of the shared memory that a process and its children have mapped.
fn shared_memory(pid: u32) -> BTreeSet<(String, String)> {
    let parent = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    let pids =
        std::fs::read_dir("/proc").expect("/proc").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let family = pids.filter(|one| *one == pid || parent(one) == Some(pid));
    let maps = family.map(|one| std::fs::read_to_string(format!("/proc/{one}/maps")).unwrap_or_default());
    let shared = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let path = *words.get(5)?;
        let is_shared = path.starts_with("/SYSV") || path.starts_with("/dev/shm/PostgreSQL.");
        is_shared.then(|| (words[4].to_string(), path.to_string()))
    };
    maps.flat_map(|text| text.lines().filter_map(shared).collect::<Vec<_>>()).collect()
}

fn find(program: &str, folder: &str) -> Option<PathBuf> {
    let path = Path::new(folder).join(program);
    path.is_file().then_some(path)
}

/// Kurabe's cache folder, where `kurabe setup` puts what is no package.
pub fn cache() -> String {
    let of_root = rustix::process::geteuid().is_root().then(|| PathBuf::from("/var/cache"));
    let of_home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(of_root).or_else(of_home).unwrap_or_default();
    cache.join("kurabe").display().to_string()
}

/// Says that a test is skipped, or fails where the stores have to be there.
fn missing<T>(program: &str) -> Option<T> {
    let required = std::env::var("KURABE_REQUIRE_STORES").is_ok_and(|value| value == "1");
    assert!(!required, "'{program}' is not installed, but KURABE_REQUIRE_STORES is 1");
    println!("skipped: '{program}' is not installed");
    None
}

/// A folder that any user can enter and write to.
fn folder(name: &str) -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let made = tempfile::Builder::new().prefix(&format!("kurabe-{name}-")).tempdir_in("/var/tmp").expect("a folder");
    std::fs::set_permissions(made.path(), std::fs::Permissions::from_mode(0o777)).expect("permissions");
    made
}

/// A port that nobody listens on.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

/// A command that runs as `user` where this process is root; PostgreSQL refuses to run as root.
pub fn as_user(user: &str, program: &Path) -> Process {
    let mut process = Process::new(program);
    if let Some((uid, gid)) = ids_of(user) {
        process.uid(uid).gid(gid);
    }
    process
}

/// Numbers of a user and its group, or of `nobody`; none where this process is not root and is what it is.
pub fn ids_of(user: &str) -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let ids = |name: &str| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    rustix::process::geteuid().is_root().then(|| ids(user).or_else(|| ids("nobody")).expect("a user"))
}

/// A client process that works on one job.
pub struct Driver {
    child: Child,
    stdin: Option<ChildStdin>,
    events: Receiver<Event>,
    calls: u64,
    pub hello: Hello,
}

impl Driver {
    /// Starts the example `client` on `job`.
    pub fn start(job: &Job) -> Driver {
        Driver::start_by(job, None)
    }

    /// As [`Driver::start`], by a driver of the client that is not the usual one.
    pub fn start_by(job: &Job, driver: Option<&str>) -> Driver {
        let own = std::env::current_exe().expect("the path of this test");
        let client = own.parent().and_then(Path::parent).expect("a target folder").join("examples/client");
        assert!(client.is_file(), "no client; build it with 'cargo build --release -p kurabe-servers --examples'");
        let mut client = Process::new(client);
        client.args(driver);
        Driver::start_with(client, job).unwrap_or_else(|error| panic!("the client refused: {error}"))
    }

    /// Starts `client` on `job`; the client's error where it refuses.
    pub fn start_with(mut client: Process, job: &Job) -> Result<Driver, String> {
        let mut child = client.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the client starts");
        let (sender, events) = channel();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let event = Event::parse(&line).unwrap_or_else(|error| panic!("{error} in '{line}'"));
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
        let mut stdin = child.stdin.take().expect("a pipe");
        writeln!(stdin, "{}", Command::Job(Box::new(job.clone())).to_line()).expect("a client that reads");
        match events.recv_timeout(PATIENCE).expect("an answer to the job") {
            Event::Hello(hello) => Ok(Driver { child, stdin: Some(stdin), events, calls: 0, hello: *hello }),
            Event::Error { message } => {
                child.wait().expect("a child");
                Err(message)
            }
            other => panic!("expected hello, got {other:?}"),
        }
    }

    /// Process id of the client.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn say(&mut self, command: &Command) {
        let stdin = self.stdin.as_mut().expect("an open pipe");
        writeln!(stdin, "{}", command.to_line()).expect("a client that reads");
    }

    /// The next event that is no progress.
    pub fn event(&mut self) -> Event {
        loop {
            match self.events.recv_timeout(PATIENCE).expect("the client hangs or died") {
                Event::Progress { .. } => {}
                event => return event,
            }
        }
    }

    /// Waits until a phase tells progress.
    pub fn await_progress(&mut self) {
        while !matches!(self.events.recv_timeout(PATIENCE).expect("progress"), Event::Progress { .. }) {}
    }

    pub fn call(&mut self, name: CallName) -> ReplyOutcome {
        self.reply(name).outcome
    }

    /// The whole answer to a call.
    pub fn reply(&mut self, name: CallName) -> Reply {
        self.calls += 1;
        let id = self.calls;
        self.say(&Command::Call(Call { name, id }));
        match self.event() {
            Event::Reply(reply) if reply.id == id => reply,
            other => panic!("expected a reply, got {other:?}"),
        }
    }

    /// A call that the user of the address may not make: the answer is that there is none, and why, without a secret.
    pub fn assert_absent(&mut self, name: CallName, words: &str, secret: &str) {
        let reply = self.reply(name);
        assert_eq!(reply.outcome, ReplyOutcome::Unsupported, "{reply:?}");
        let told = reply.absent.concat();
        assert!(told.contains(words) && !told.contains(secret), "{told}");
        assert!(self.reply(CallName::Ping).absent.is_empty(), "it is told once");
    }

    /// A call that must succeed.
    pub fn ask(&mut self, name: CallName) -> serde_json::Value {
        match self.call(name) {
            ReplyOutcome::Ok(value) => value,
            other => panic!("{name:?} gave {other:?}"),
        }
    }

    pub fn rows(&mut self) -> u64 {
        self.ask(CallName::Count)["rows"].as_u64().expect("a number of rows")
    }

    pub fn go(&mut self, phase: &str) -> PhaseResult {
        self.say(&Command::Go(phase.into()));
        loop {
            match self.event() {
                Event::Ready(_) => {}
                Event::Result(result) => return *result,
                other => panic!("phase '{phase}' gave {other:?}"),
            }
        }
    }

    /// Runs a phase in which nothing may fail and every answer must be right.
    pub fn go_well(&mut self, phase: &str) -> PhaseResult {
        let result = self.go(phase);
        assert_eq!(result.checks.failed(), 0, "phase '{phase}': {:?}", result.checks);
        assert!(result.failures.is_empty(), "phase '{phase}': {:?}", result.failures);
        assert_eq!(result.rows_unknown, 0, "phase '{phase}'");
        assert!(operations(&result) > 0, "phase '{phase}' did nothing");
        result
    }

    /// Ends the job; returns the exit status.
    pub fn stop(mut self) -> i32 {
        self.say(&Command::Stop);
        assert_eq!(self.event(), Event::End);
        self.child.wait().expect("a child").code().expect("no signal")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // After `stop` it is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn operations(result: &PhaseResult) -> u64 {
    result.workers.iter().map(|worker| worker.operations).sum()
}

/// Operations a second of a phase, from the first start to the last end of its workers.
pub fn rate(result: &PhaseResult) -> f64 {
    let first = result.workers.iter().map(|worker| worker.first_start_ns).min().expect("a worker");
    let last = result.workers.iter().map(|worker| worker.last_end_ns).max().expect("a worker");
    operations(result) as f64 * 1e9 / (last - first) as f64
}

/// A job on `url` with its files in `folder`.
pub fn job(store: &str, url: &str, folder: &Path, schema: Schema, rows: u64, phases: Vec<Phase>) -> Job {
    let pool = folder.join("pool");
    std::fs::write(&pool, value::pool_bytes(1, 0.5)).expect("a pool");
    let wire = if store == "mariadb" { "mysql" } else { store }.into();
    Job {
        namespace: "ns".into(),
        url: Some(url.into()),
        pool: pool.to_string_lossy().into_owned(),
        // As its descriptor says.
        client_threads: if store == "memcached" { 4 } else { 1 },
        phases,
        ..Job::new("test", Candidate { wire, ..Candidate::of(store) }, schema, rows)
    }
}

/// A text key and six more fields of all types.
pub fn seven_columns() -> Schema {
    let field = Field::new;
    Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("title", FieldType::Text, Some(60)),
            field("number", FieldType::Int64, None),
            field("body", FieldType::Bytes, Some(300)),
            field("note", FieldType::Text, Some(5)),
            field("size", FieldType::Int64, None),
            field("tail", FieldType::Bytes, Some(1)),
        ],
    }
}

/// A phase of `count` operations.
pub fn phase(name: &str, work: impl Into<Work>, count: u64) -> Phase {
    Phase::new(name, work, End::Count(count))
}

/// Writes a rows stream and returns its path. Streams are read cyclically, so a part of one is enough.
pub fn rows_stream(folder: &Path, distribution: Distribution, rows: u32) -> String {
    let path = folder.join(format!("{distribution:?}-{rows}"));
    let bytes = stream::rows_stream(distribution, rows, 1).expect("a stream");
    std::fs::write(&path, &bytes[..bytes.len() / 16]).expect("a stream file");
    path.to_string_lossy().into_owned()
}

/// Writes the gaps of an open loop and returns their path.
pub fn gaps_stream(folder: &Path) -> String {
    let path = folder.join("gaps");
    std::fs::write(&path, stream::gaps_stream(1)).expect("a stream file");
    path.to_string_lossy().into_owned()
}

/// Writes a kinds stream and returns its path.
pub fn kinds_stream(folder: &Path, mix: &[(Operation, u32)]) -> String {
    let path = folder.join("kinds");
    std::fs::write(&path, &stream::kinds_stream(mix, 1)[..65536]).expect("a stream file");
    path.to_string_lossy().into_owned()
}

/// A job's folder of its own, for its pool and streams.
pub fn files() -> tempfile::TempDir {
    folder("job")
}
