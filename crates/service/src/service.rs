use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::error::ServiceError;
use crate::owned::{check_way, make_owned_folder, own_tmpdir, text};
use crate::ports::{Listener, free_port, is_taken, listener};
use crate::run_log::{RunLog, SERVICE_LOG, run_log};
use crate::shared_memory::{SharedMemory, SharedWatch};
use crate::spawn::short_name;
use crate::spec::{substitute, substitute_all};
use crate::terminal::Terminal;
use crate::{Account, Blueprint, Ended, FolderAccess, Process, Scope, Stream, make_folder, service_account, spawn};

/// A port found free may be taken before the service binds it; so often another one is tried.
const MORE_PORTS: usize = 3;
const READY_POLL: Duration = Duration::from_millis(10);
/// How often shared memory of a service that is not ready is looked for also where nobody tells of any. Rarely: one that is started
/// again may do so while clients are measured.
const SHARED_POLL: Duration = Duration::from_secs(1);
const CONNECT_LIMIT: Duration = Duration::from_millis(200);
/// So long a service that nobody stopped cleanly may take to end by itself.
const LAST_GRACE: Duration = Duration::from_secs(1);

/// One start of a service.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// Its data folder, as [`crate::Template::copy_to`] or an earlier start left it.
    pub data: &'a Path,
    /// A folder for its log and sockets; made where missing.
    pub folder: &'a Path,
    /// Arguments after those of the spec, with the same placeholders.
    pub extra_args: &'a [String],
}

/// A service that accepts connections. Dropped, it is asked to end, so that it can take away what lies outside its folders,
/// and killed with all its processes a second later.
#[derive(Debug)]
pub struct Service {
    process: Process,
    /// Noted when it was ready: where it is killed from outside nobody else can tell what it left.
    shared: SharedMemory,
    port: Option<u16>,
    url: String,
    unix_url: Option<String>,
    log: RunLog,
    variables: BTreeMap<String, String>,
    stop_signal: rustix::process::Signal,
    stop_grace: Duration,
}

/// How one attempt on one port came out.
enum Attempt {
    Up(Box<Service>),
    PortTaken,
}

impl Service {
    /// Starts the service on a free port of 127.0.0.1 and waits until it accepts connections (which does not mean
    /// that it answers: that is for its client to find out).
    ///
    /// Fails where its user cannot enter the folders, it ends early, or it is not ready in time; then nothing of it
    /// is left. Where its port was taken by somebody else meanwhile, up to three others are tried.
    pub fn start(blueprint: &Blueprint<'_>, start: &Start<'_>) -> Result<Service, ServiceError> {
        let account = Service::ready_folders(blueprint, start)?;
        let mut taken = Vec::new();
        for _ in 0..=MORE_PORTS {
            let port = free_port().map_err(|source| ServiceError::io("port", Path::new("127.0.0.1"), source))?;
            match Service::attempt(blueprint, start, account.as_ref(), port)? {
                Attempt::Up(service) => return Ok(*service),
                Attempt::PortTaken => taken.push(port),
            }
        }
        let program = blueprint.spec.start.first().cloned().unwrap_or_default();
        Err(ServiceError::PortsTaken { program, ports: taken })
    }

    /// Starts the service once more on what an earlier start left in its folders, on the port that it had: whoever was told
    /// its address finds it there again. `port` is that of the earlier start ([`Service::port`]).
    ///
    /// Fails as [`Service::start`] does, and where somebody else has taken the port meanwhile.
    pub fn start_again(
        blueprint: &Blueprint<'_>,
        start: &Start<'_>,
        port: Option<u16>,
    ) -> Result<Service, ServiceError> {
        let Some(port) = port else { return Service::start(blueprint, start) };
        let account = Service::ready_folders(blueprint, start)?;
        match Service::attempt(blueprint, start, account.as_ref(), port)? {
            Attempt::Up(service) => Ok(*service),
            Attempt::PortTaken => {
                let program = blueprint.spec.start.first().cloned().unwrap_or_default();
                Err(ServiceError::PortsTaken { program, ports: vec![port] })
            }
        }
    }

    /// Makes the folders that are missing, and looks whether the service's user can enter them; returns that user.
    fn ready_folders(blueprint: &Blueprint<'_>, start: &Start<'_>) -> Result<Option<Account>, ServiceError> {
        let account = service_account(blueprint.spec.user.as_deref())?;
        make_folder(start.folder, FolderAccess::Everybody)
            .map_err(|source| ServiceError::io("make", start.folder, source))?;
        check_way(start.folder, account.as_ref())?;
        check_way(start.data, account.as_ref())?;
        make_owned_folder(&socket_folder(blueprint, start)?, 0o755, account.as_ref())?;
        Ok(account)
    }

    fn attempt(
        blueprint: &Blueprint<'_>,
        start: &Start<'_>,
        account: Option<&Account>,
        port: u16,
    ) -> Result<Attempt, ServiceError> {
        let spec = blueprint.spec;
        let socket_dir = socket_folder(blueprint, start)?;
        let log_path = start.folder.join(SERVICE_LOG);
        let values = blueprint.placeholders(&[
            ("port", port.to_string()),
            ("data", text(start.data)),
            ("socket_dir", text(&socket_dir)),
            ("log", text(&log_path)),
        ]);
        let words = substitute_all(&spec.start, &values)?;
        let extra = substitute_all(start.extra_args, &values)?;
        let url = substitute(&spec.url, &values)?;
        let unix_url = spec.unix_url.as_deref().map(|url| substitute(url, &values)).transpose()?;
        let (program, args) = words.split_first().ok_or(ServiceError::EmptyCommand { key: "start" })?;
        let log = run_log(&log_path, account)?;
        let (terminal, output) = open_output(blueprint, &log_path)?;
        let scope = Scope {
            env: vec![own_tmpdir(start.folder, account)?],
            // Also a trace by which the guardian knows orphans of this service.
            cwd: Some(start.data.to_path_buf()),
            stdout: output.clone(),
            stderr: output,
            user: account.cloned(),
            stop_signal: Some(spec.stop_signal.into()),
            ..Scope::new(program).args(args).args(extra)
        };
        let mut process = spawn(blueprint.guardian, scope)?;
        if let Some(terminal) = terminal {
            terminal.drain().map_err(|source| ServiceError::io("write", &log_path, source))?;
        }
        let door = if spec.url.contains("{port}") { Endpoint::Port(port) } else { Endpoint::Socket(socket_dir) };
        let limit = Duration::from_millis(spec.ready_timeout_ms);
        let readiness = await_ready(&mut process, &door, limit, || blueprint.interrupted())
            .map_err(|source| ServiceError::wait(program, source))?;
        let program = short_name(Path::new(program));
        match readiness {
            Readiness::Ready => Ok(Attempt::Up(Box::new(Service {
                shared: process.watch_shared(),
                process,
                port: matches!(door, Endpoint::Port(_)).then_some(port),
                url,
                unix_url,
                log,
                variables: blueprint.variables.clone(),
                stop_signal: spec.stop_signal.into(),
                stop_grace: Duration::from_millis(spec.stop_grace_ms),
            }))),
            Readiness::Ended(_) if matches!(door, Endpoint::Port(_)) && (is_taken(port) || log.says_port_taken()) => {
                Ok(Attempt::PortTaken)
            }
            Readiness::Ended(status) => {
                Err(ServiceError::Ended { program, status, log: log.tail(&blueprint.variables) })
            }
            Readiness::Interrupted => Err(ServiceError::Interrupted),
            Readiness::TimedOut => Err(ServiceError::NotReady { program, limit, log: log.tail(&blueprint.variables) }),
        }
    }

    /// Where clients reach it. May hold a password: print it through [`crate::redact`] only.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where clients reach it through a unix socket, if it has one.
    pub fn unix_url(&self) -> Option<&str> {
        self.unix_url.as_deref()
    }

    /// The number of its main process.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Its TCP port; `None` where it listens on a unix socket only.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The last `count` lines of what it logged since this start, without secrets.
    pub fn log_tail(&self, count: usize) -> String {
        self.log.last_lines(count, &self.variables)
    }

    /// Whether its main process still runs.
    pub fn is_alive(&mut self) -> bool {
        self.process.try_wait().is_ok_and(|status| status.is_none())
    }

    /// Asks it to end with its own signal, waits for its time of grace, then kills what is left; says which it was.
    pub fn stop(self) -> Result<Ended, ServiceError> {
        self.stop_unless(&AtomicBool::new(false))
    }

    /// As [`Service::stop`]; once `interrupt` is set, at most half a second of its time of grace is left.
    pub fn stop_unless(mut self, interrupt: &AtomicBool) -> Result<Ended, ServiceError> {
        self.note_shared();
        let name = self.process.pid().to_string();
        let ended = self.process.stop_unless(self.stop_signal, self.stop_grace, interrupt);
        ended.map_err(|source| ServiceError::wait(&name, source))
    }

    /// Kills it with all its processes at once, as a crash would. Returns how many processes were killed.
    pub fn kill(mut self) -> Result<usize, ServiceError> {
        Ok(self.process.kill_tree()?)
    }

    /// It may have taken more memory since it was ready, which nobody finds any more once it has half ended.
    fn note_shared(&mut self) {
        self.shared.extend(self.process.watch_shared());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if self.is_alive() {
            self.note_shared();
            // What does not end is killed when the process is dropped.
            let _ = self.process.stop(self.stop_signal, self.stop_grace.min(LAST_GRACE));
        }
        self.process.remove_shared(&self.shared);
    }
}

/// The longest path of a socket, unix(7): 108 bytes with the zero at its end.
const LONGEST_SOCKET: usize = 107;
/// So many bytes of it are kept for the slash and the name of the socket; "mongodb-27017.sock" has 18.
const SOCKET_NAME: usize = 28;

/// Where a service writes: to its log, or to a terminal that is written down there.
fn open_output(blueprint: &Blueprint<'_>, log_path: &Path) -> Result<(Option<Terminal>, Stream), ServiceError> {
    let open = || {
        let terminal = blueprint.terminal.then(|| Terminal::open(log_path)).transpose()?;
        let output = match &terminal {
            Some(terminal) => Stream::Opened(Arc::new(terminal.end_of_service()?)),
            None => Stream::File(log_path.to_path_buf()),
        };
        Ok((terminal, output))
    };
    open().map_err(|source: std::io::Error| ServiceError::io("open", Path::new("/dev/ptmx"), source))
}

/// Where a service puts its sockets: in its own folder, where a path from there is short enough, and plain. Servers take lists
/// of such folders, separated by commas, and addresses hold them between marks of their own.
fn socket_folder(blueprint: &Blueprint<'_>, start: &Start<'_>) -> Result<PathBuf, ServiceError> {
    let own = start.folder.join("socket");
    let bytes = own.as_os_str().as_encoded_bytes();
    let is_plain = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(byte));
    if is_plain && bytes.len() + SOCKET_NAME <= LONGEST_SOCKET {
        return Ok(own);
    }
    blueprint.guardian.short_folder(&own).map_err(|source| ServiceError::io("sockets", Path::new("/tmp"), source))
}

/// Where a service is expected to answer.
enum Endpoint {
    Port(u16),
    Socket(PathBuf),
}

enum Readiness {
    Ready,
    Ended(ExitStatus),
    TimedOut,
    Interrupted,
}

fn await_ready(
    process: &mut Process,
    door: &Endpoint,
    limit: Duration,
    interrupted: impl Fn() -> bool,
) -> io::Result<Readiness> {
    let deadline = Instant::now() + limit;
    let mut watch = SharedWatch::new(SHARED_POLL);
    loop {
        if let Some(status) = process.try_wait()? {
            process.clear(&watch);
            return Ok(Readiness::Ended(status));
        }
        process.look_for_shared(&mut watch);
        let is_open = match door {
            Endpoint::Port(port) => accepts(process.pid(), *port),
            Endpoint::Socket(dir) => has_open_socket(dir),
        };
        if is_open {
            return Ok(Readiness::Ready);
        }
        if interrupted() {
            return Ok(Readiness::Interrupted);
        }
        if Instant::now() >= deadline {
            return Ok(Readiness::TimedOut);
        }
        std::thread::sleep(READY_POLL);
    }
}

/// Whether the port accepts connections and is not somebody else's.
fn accepts(pid: u32, port: u16) -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpStream::connect_timeout(&address, CONNECT_LIMIT).is_ok() && listener(pid, port) != Listener::Foreign
}

fn has_open_socket(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return false };
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket()))
        .any(|entry| UnixStream::connect(entry.path()).is_ok())
}
