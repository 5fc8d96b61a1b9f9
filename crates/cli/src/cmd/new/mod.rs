//! `kurabe new my.toml`: a commented study to begin with; `kurabe new store NAME` and `kurabe new client NAME`: a
//! folder of definitions.

use std::io::Write;
use std::path::{Path, PathBuf};

use kurabe_messages::{Message, message};
use kurabe_study::definitions::is_plain;

use super::Mistake;

const STUDY: &str = include_str!("study.toml");
const STORE: &str = include_str!("store.toml");
const OWN_STORE: &str = include_str!("own_store.toml");
const CLIENT: &str = include_str!("client.toml");
/// Of a server, before the programs that it names.
const PROGRAM: &str = "\n# Its programs, as they are called in PATH, or paths.\n[service.binaries]\n";
/// The example in it is a client that the tests run.
const PROTOCOL: &str = include_str!("../../../../../docs/PROTOCOL.md");

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The study's file to write, such as my.toml; or 'store' or 'client' and a name
    #[arg(value_name = "FILE|store|client")]
    what: PathBuf,

    /// The name of the store or client
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// The store whose protocol the new one speaks
    #[arg(long, value_name = "STORE")]
    extends: Option<String>,

    /// The folder of definitions to write it into
    #[arg(long, value_name = "DIR", default_value = "definitions")]
    into: PathBuf,
}

pub fn run(args: &Args) -> anyhow::Result<i32> {
    match (args.what.to_str(), &args.name) {
        (Some("store"), Some(name)) => store(args, name)?,
        (Some("client"), Some(_)) if args.extends.is_some() => {
            return Err(Mistake(message!(cli_new_client_extends)).into());
        }
        (Some("client"), Some(name)) => client(args, name)?,
        (_, Some(name)) => return Err(refuse(&args.what, message!(cli_new_name, name)).into()),
        (_, None) => study(&args.what)?,
    }
    Ok(crate::status::GOOD)
}

fn refuse(path: &Path, problem: Message) -> Mistake {
    Mistake(message!(cli_new, path = path.display(), problem))
}

fn study(path: &Path) -> anyhow::Result<()> {
    // Without the ending 'kurabe run' would take the name for that of a built-in study.
    if path.extension().is_none_or(|ending| ending != "toml") {
        return Err(refuse(path, message!(cli_new_toml)).into());
    }
    write(path, STUDY)?;
    let path = path.display();
    super::say(&format!("{}\n", message!(cli_new_runs, path = &path, command = format!("kurabe run {path}"))))
}

/// One that speaks the protocol of a store which is there.
fn store(args: &Args, name: &str) -> anyhow::Result<()> {
    let catalogue = super::catalogue()?;
    check_name(name, catalogue.store(name).is_ok())?;
    let Some(extended) = &args.extends else {
        return Err(refuse(&args.what, message!(cli_new_extends)).into());
    };
    let extended = catalogue.store(extended)?;
    if extended.at_address_only {
        return Err(refuse(&args.what, message!(cli_new_at_address, store = &extended.name)).into());
    }
    let programs = extended.service.iter().flat_map(|service| service.binaries.keys());
    let programs: String = programs.map(|program| format!("{program} = [\"{name}-{program}\"]\n")).collect();
    let program = if programs.is_empty() { String::new() } else { format!("{PROGRAM}{programs}") };
    let text = STORE.replace("EXTENDS", &extended.name).replace("WIRE", extended.wire()).replace("PROGRAM", &program);
    let text = text.replace("NAME", name);
    let folder = args.into.join("stores").join(name);
    write_into(&folder, "store.toml", &text)?;
    write_into(&folder, "README.md", &format!("# {name}\n\nHow to get it, and what is worth knowing of it.\n"))?;
    let command = command(args, &format!("--stores {},{name}", extended.name));
    let path = folder.display();
    let said = match extended.service {
        Some(_) => message!(cli_new_server, path, command),
        None => message!(cli_new_runs, path, command),
    };
    super::say(&format!("{said}\n"))
}

/// A client in Python, and the store that it drives.
fn client(args: &Args, name: &str) -> anyhow::Result<()> {
    let catalogue = super::catalogue()?;
    check_name(name, catalogue.store(name).is_ok() || name == "rust" || catalogue.client(name).is_some())?;
    let program = PROTOCOL.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    let folder = args.into.join("clients").join(name);
    // Before anything is written.
    let store = args.into.join("stores").join(name);
    if store.exists() {
        return Err(refuse(&store, message!(cli_new_exists)).into());
    }
    write_into(&folder, "client.toml", &CLIENT.replace("NAME", name))?;
    write_into(&folder, "client.py", program.unwrap_or_default())?;
    write_into(&store, "store.toml", &OWN_STORE.replace("NAME", name))?;
    let command = command(args, &format!("--durability cache --stores sqlite,{name}"));
    super::say(&format!("{}\n", message!(cli_new_runs, path = folder.display(), command)))
}

fn check_name(name: &str, is_taken: bool) -> Result<(), Mistake> {
    let problem = match (is_plain(name), is_taken) {
        (false, _) => message!(cli_new_bad_name),
        (true, true) => message!(cli_new_taken),
        (true, false) => return Ok(()),
    };
    Err(refuse(Path::new(name), problem))
}

/// The command that measures what was written.
fn command(args: &Args, flags: &str) -> String {
    let named = Some(&args.into).filter(|into| super::own_definitions().as_ref() != Some(into));
    let definitions = named.and_then(|into| super::flag("--definitions", into)).unwrap_or_default();
    format!("kurabe run quick{definitions} {flags}")
}

/// Writes a file into a folder that is made where it is missing.
fn write_into(folder: &Path, file: &str, text: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| super::unwritten(folder, error))?;
    write(&folder.join(file), text)
}

/// Writes a file that must not be there yet.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = match std::fs::File::options().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            return Err(refuse(path, message!(cli_new_exists)).into());
        }
        other => other.map_err(|error| super::unwritten(path, error))?,
    };
    file.write_all(text.as_bytes()).map_err(|error| super::unwritten(path, error))
}
