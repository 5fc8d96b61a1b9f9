//! The program that this crate's tests start: a guardian, a victim to be killed, and small reporters.

use std::env;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kurabe_service::{
    Account, Blueprint, FolderAccess, Guardian, RunFolder, Scope, Service, ServiceSpec, Start, Stream, Template, find,
    guardian_main, spawn,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let args: Vec<String> = env::args().collect();
    let words: Vec<&str> = args[1..].iter().map(String::as_str).collect();
    match words.as_slice() {
        ["guardian"] => std::process::exit(guardian_main()),
        ["victim", dir, run_id] => victim(Path::new(dir), run_id),
        ["victim-service", dir, run_id, spec] => victim_service(Path::new(dir), run_id, spec),
        ["drop-user", user] => drop_user(user),
        ["report"] => report(),
        ["listen", port] => listen(port.parse()?),
        _ => Err(format!("unknown words {words:?}").into()),
    }
}

fn guardian(run_id: &str) -> Result<Guardian, Box<dyn std::error::Error>> {
    Ok(Guardian::start(&env::current_exe()?, run_id)?)
}

/// Starts a tree with a hidden grandchild in a marked folder, prints where, and waits to be killed.
fn victim(dir: &Path, run_id: &str) -> Outcome {
    let guardian = guardian(run_id)?;
    let folder = RunFolder::create(dir, &guardian, FolderAccess::Everybody)?;
    std::fs::write(folder.path().join("data"), "x")?;
    let script = "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &) ; echo ready; wait";
    let scope = Scope { stdout: Stream::Piped, ..Scope::new("/bin/sh").args(["-c", script]) };
    // On another thread than the main one, so that the guardian alone is put to the test.
    let mut process = std::thread::scope(|threads| threads.spawn(|| spawn(&guardian, scope)).join())
        .map_err(|_| "the starting thread panicked")??;
    let mut line = String::new();
    std::io::BufReader::new(process.take_stdout().ok_or("no output")?).read_line(&mut line)?;
    wait_to_be_killed(&[folder.path().display().to_string(), process.pid().to_string()])
}

/// Starts a real service in a marked folder, prints where it is, and waits to be killed.
fn victim_service(dir: &Path, run_id: &str, spec: &str) -> Outcome {
    let spec: ServiceSpec = serde_json::from_str(spec)?;
    let guardian = guardian(run_id)?;
    let folder = RunFolder::create(dir, &guardian, FolderAccess::Everybody)?;
    let found = find(&spec, &Default::default(), &guardian)?;
    let blueprint = Blueprint::new(&spec, &found, &guardian);
    let template = Template::initialise(&blueprint, folder.path())?;
    let (data, work) = (folder.path().join("data"), folder.path().join("work"));
    template.copy_to(&data)?;
    let start = Start { data: &data, folder: &work, extra_args: &[] };
    let service = Service::start(&blueprint, &start)?;
    let port = service.port().ok_or("no port")?;
    let socket = service.unix_url().unwrap_or("-").to_string();
    wait_to_be_killed(&[folder.path().display().to_string(), service.pid().to_string(), port.to_string(), socket])
}

fn wait_to_be_killed(words: &[String]) -> Outcome {
    println!("{}", words.join(" "));
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

/// Starts the reporter as another user from the main thread, and passes on what it says.
fn drop_user(user: &str) -> Outcome {
    let guardian = guardian(&format!("drop-{}", std::process::id()))?;
    let account = Account::find(user)?.ok_or("no such user")?;
    let program = env::current_exe()?;
    let scope = Scope {
        cwd: Some(PathBuf::from("/")),
        stdout: Stream::Piped,
        user: Some(account),
        ..Scope::new(program).args(["report"])
    };
    let mut process = spawn(&guardian, scope)?;
    let mut output = process.take_stdout().ok_or("no output")?;
    std::io::copy(&mut output, &mut std::io::stdout())?;
    Ok(())
}

/// Prints what this process was started with.
fn report() -> Outcome {
    let signal = rustix::process::parent_process_death_signal()?.map_or(0, |signal| signal.as_raw());
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let status = std::fs::read_to_string("/proc/self/status")?;
    let mut out = std::io::stdout();
    writeln!(out, "death_signal {signal}")?;
    writeln!(out, "is_group_leader {}", rustix::process::getpgrp() == rustix::process::getpid())?;
    writeln!(out, "open_files {:?} of {:?}", limit.current, limit.maximum)?;
    for line in status.lines() {
        if ["Uid:", "Gid:", "Groups:"].iter().any(|key| line.starts_with(key)) {
            writeln!(out, "{}", line.split_whitespace().collect::<Vec<_>>().join(" "))?;
        }
    }
    Ok(())
}

/// A server that binds a port or fails as servers do.
fn listen(port: u16) -> Outcome {
    let listener = std::net::TcpListener::bind(("127.0.0.1", port))?;
    loop {
        drop(listener.accept()?);
    }
}
