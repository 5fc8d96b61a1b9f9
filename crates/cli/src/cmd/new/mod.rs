//! `kurabe new my.toml`: a commented study to begin with; `kurabe new store NAME` and `kurabe new client NAME`: a
//! folder of definitions.

use std::io::Write;
use std::path::{Path, PathBuf};

use kurabe_study::StudyError;
use kurabe_study::definitions::is_plain;

const STUDY: &str = include_str!("study.toml");
const STORE: &str = include_str!("store.toml");
const OWN_STORE: &str = include_str!("own_store.toml");
const CLIENT: &str = include_str!("client.toml");
const RUNS: &str = "It runs as it stands";
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
            return Err(refuse(&args.what, "takes no --extends: it brings a store of its own").into());
        }
        (Some("client"), Some(name)) => client(args, name)?,
        (_, Some(name)) => return Err(refuse(&args.what, &format!("takes no name '{name}'")).into()),
        (_, None) => study(&args.what)?,
    }
    Ok(crate::status::GOOD)
}

fn refuse(path: &Path, problem: &str) -> StudyError {
    StudyError::value(&format!("'{}'", path.display()), problem)
}

fn study(path: &Path) -> anyhow::Result<()> {
    // Without the ending 'kurabe run' would take the name for that of a built-in study.
    if path.extension().is_none_or(|ending| ending != "toml") {
        let way = "a study's file ends in .toml; name it so, or say: kurabe new store NAME, kurabe new client NAME";
        return Err(refuse(path, way).into());
    }
    write(path, STUDY)?;
    let shown = path.display();
    super::say(&format!("{shown}\n\nIt runs as it stands: kurabe run {shown}\n"))
}

/// One that speaks the protocol of a store which is there.
fn store(args: &Args, name: &str) -> anyhow::Result<()> {
    let catalogue = super::catalogue()?;
    check_name(name, catalogue.store(name).is_ok())?;
    let Some(extended) = &args.extends else {
        let way = "say which protocol it speaks: --extends redis, say; a store of another kind comes with its client: \
                   kurabe new client NAME";
        return Err(refuse(&args.what, way).into());
    };
    let extended = catalogue.store(extended)?;
    if extended.at_address_only {
        let problem = format!("'{}' is measured at an address, and nothing extends it", extended.name);
        return Err(refuse(&args.what, &problem).into());
    }
    let programs = extended.service.iter().flat_map(|service| service.binaries.keys());
    let programs: String = programs.map(|program| format!("{program} = [\"{name}-{program}\"]\n")).collect();
    let program = if programs.is_empty() { String::new() } else { format!("{PROGRAM}{programs}") };
    let text = STORE.replace("EXTENDS", &extended.name).replace("WIRE", extended.wire()).replace("PROGRAM", &program);
    let text = text.replace("NAME", name);
    let folder = args.into.join("stores").join(name);
    write_into(&folder, "store.toml", &text)?;
    write_into(&folder, "README.md", &format!("# {name}\n\nHow to get it, and what is worth knowing of it.\n"))?;
    let before = match extended.service {
        Some(_) => "Name its programs and say by what it is known ([[identity]]), then",
        None => RUNS,
    };
    say(args, &folder, before, &format!("--stores {},{name}", extended.name))
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
        return Err(refuse(&store, "exists already and is left as it is; choose another name").into());
    }
    write_into(&folder, "client.toml", &CLIENT.replace("NAME", name))?;
    write_into(&folder, "client.py", program.unwrap_or_default())?;
    write_into(&store, "store.toml", &OWN_STORE.replace("NAME", name))?;
    say(args, &folder, RUNS, &format!("--durability cache --stores sqlite,{name}"))
}

fn check_name(name: &str, is_taken: bool) -> Result<(), StudyError> {
    let problem = match (is_plain(name), is_taken) {
        (false, _) => "a name is of at most 64 of the letters a to z, digits, '-' and '_'",
        (true, true) => "there is one of this name already; choose another",
        (true, false) => return Ok(()),
    };
    Err(refuse(Path::new(name), problem))
}

fn say(args: &Args, folder: &Path, before: &str, flags: &str) -> anyhow::Result<()> {
    let named = Some(&args.into).filter(|into| super::own_definitions().as_ref() != Some(into));
    let definitions = named.and_then(|into| super::flag("--definitions", into)).unwrap_or_default();
    super::say(&format!("{}\n\n{before}: kurabe run quick{definitions} {flags}\n", folder.display()))
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
            return Err(refuse(path, "exists already and is left as it is; choose another name").into());
        }
        other => other.map_err(|error| super::unwritten(path, error))?,
    };
    file.write_all(text.as_bytes()).map_err(|error| super::unwritten(path, error))
}
