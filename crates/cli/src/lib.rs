//! The verbs of `kurabe`: one file each in `cmd`, turning flags into calls of the crates below. Both of its programs
//! are made of them.

mod cmd;
mod help;
mod in_place;
mod interrupt;
mod progress;
mod stdout;
mod tell;

use std::os::unix::process::CommandExt;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use kurabe_client::Entry;
use kurabe_harness::{BUILDS_SERVERS, Clients, HarnessError};
use kurabe_record::FolderError;
use kurabe_report::SpliceError;
use kurabe_study::StudyError;

pub use cmd::place::PlaceArgs;
pub use cmd::serve::Args as ServeArgs;
pub use cmd::{Mistake, catalogue, guardian};
pub use tell::tell;

/// What the two programs differ in.
pub struct Program {
    /// What it calls itself when it is asked for its version.
    pub name: &'static str,
    /// The stores that its client drives.
    pub registry: fn() -> Vec<Entry>,
    /// Serves a bulletin board; gives the exit status.
    pub serve: fn(&ServeArgs) -> anyhow::Result<i32>,
    /// Passes on what is asked of a service, at some speed; gives the exit status.
    pub link: fn(&[String]) -> i32,
}

/// Baselines and libraries: the stores that need no driver of a server.
pub fn libraries() -> Vec<Entry> {
    kurabe_client::baselines::registry().into_iter().chain(kurabe_embedded::registry()).collect()
}

/// Becomes `kurabe-servers`, with what was typed; gives why it cannot.
pub fn hand_over() -> anyhow::Error {
    let program = || {
        let clients = Clients::usual()?;
        match clients.lacks_servers(&guardian(&clients)?) {
            Some(reason) => Err(Mistake(format!("{reason}; get it with: {BUILDS_SERVERS}")).into()),
            None => Ok(clients.servers()),
        }
    };
    match program() {
        Ok(program) => std::process::Command::new(program).args(std::env::args_os().skip(1)).exec().into(),
        Err(error) => error,
    }
}

/// Exit statuses; also part of `docs/FORMAT.md`.
pub mod status {
    /// All good.
    pub const GOOD: i32 = 0;
    /// A measurement failed.
    pub const FAILED: i32 = 1;
    /// A mistake in what was typed.
    pub const MISTAKE: i32 = 2;
    /// Interrupted by the user.
    pub const INTERRUPTED: i32 = 130;
}

#[derive(Parser)]
#[command(
    name = "kurabe",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("KURABE_BUILD"), ")"),
    about = "Compares data stores: the same verified work, repeated fairly, with honest intervals.",
    after_help = "Try first:  kurabe run quick",
    disable_help_subcommand = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,

    /// Take stores, clients, apps and studies from this folder too
    #[arg(long, value_name = "DIR", global = true, help_heading = "Everywhere")]
    definitions: Vec<std::path::PathBuf>,
}

#[derive(Subcommand)]
enum Verb {
    /// Run a study: start stores, do the work, report what really differs.
    Run(cmd::run::Args),
    /// Show what a study would do: candidates, order, time, disk.
    Plan(cmd::plan::Args),
    /// List stores, clients, apps and studies, or show one of them.
    List(cmd::list::Args),
    /// Install stores, clients and apps that are missing.
    Setup(cmd::setup::Args),
    /// Write a study, a store or a client of your own to begin with.
    New(cmd::new::Args),
    /// Show the results of a run in the terminal.
    Show(cmd::show::Args),
    /// Write the HTML page of a run, or of several side by side.
    Report(cmd::report::Args),
    /// Show several runs side by side, each against the first.
    Compare(cmd::compare::Args),
    /// Judge the claims of a study by the results of a run.
    Claims(cmd::claims::Args),
    /// Serve a bulletin board over one store, for browsers and HTTP clients.
    Serve(cmd::serve::Args),
    /// Look at the machine and the disk under the data folders.
    Doctor(cmd::doctor::Args),
    /// Try a client by hand, measure Kurabe's own cost, print completions and schemas.
    #[command(subcommand)]
    Dev(Dev),
}

/// Verbs for who works on Kurabe, on a client or on a package.
#[derive(Subcommand)]
#[command(disable_help_subcommand = true)]
enum Dev {
    /// Print the lines that a client would be sent, to try one by hand.
    Wire(cmd::wire::Args),
    /// Measure what Kurabe's own loop costs on this machine.
    Selftest(cmd::selftest::Args),
    /// Print the completions of a shell, the man page or a JSON Schema.
    Generate(cmd::generate::Args),
}

/// What the harness starts: clients, the link before a service, and who cleans up when the harness is killed. Nobody
/// else has to know them, so they are no verbs of the command line.
fn started_by_the_harness(program: &Program) -> Option<i32> {
    let registry = program.registry;
    match std::env::args().nth(1)?.as_str() {
        "client" => {
            let driver = std::env::args().nth(2);
            Some(kurabe_client::serve(&registry(), driver.as_deref()))
        }
        "tool" => {
            let (name, program) = (std::env::args().nth(2)?, std::env::args_os().nth(3)?);
            Some(kurabe_client::serve_by_tool(&registry(), name, program))
        }
        "drive" => Some(kurabe_client::serve_external(&registry(), std::env::args_os().skip(2).collect())),
        "link" => Some((program.link)(&std::env::args().skip(2).collect::<Vec<String>>())),
        "guardian" => Some(kurabe_service::guardian_main()),
        _ => None,
    }
}

/// Does what was typed, or what the harness asks for, and ends.
pub fn main(program: &Program) -> ! {
    if let Some(status) = started_by_the_harness(program) {
        std::process::exit(status);
    }
    let matches = Cli::command().display_name(program.name).try_get_matches();
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|error| help::with_hint(error).exit());
    cmd::define(cli.definitions);
    let outcome = match cli.verb {
        None => cmd::say(&help::short(&Cli::command())).map(|()| status::GOOD),
        Some(Verb::Run(args)) => cmd::run::run(args),
        Some(Verb::Plan(args)) => cmd::plan::run(args),
        Some(Verb::List(args)) => cmd::list::run(args),
        Some(Verb::Setup(args)) => cmd::setup::run(args),
        Some(Verb::New(args)) => cmd::new::run(&args),
        Some(Verb::Show(args)) => cmd::show::run(args),
        Some(Verb::Report(args)) => cmd::report::run(args),
        Some(Verb::Compare(args)) => cmd::compare::run(args),
        Some(Verb::Claims(args)) => cmd::claims::run(args),
        Some(Verb::Serve(args)) => (program.serve)(&args),
        Some(Verb::Doctor(args)) => cmd::doctor::run(args),
        Some(Verb::Dev(Dev::Wire(args))) => cmd::wire::run(args),
        Some(Verb::Dev(Dev::Selftest(args))) => cmd::selftest::run(args),
        Some(Verb::Dev(Dev::Generate(args))) => cmd::generate::run(&args, Cli::command()),
    };
    std::process::exit(outcome.unwrap_or_else(|error| fail(&error)));
}

/// BottleneckEvidence an error; gives the exit status.
pub fn fail(error: &anyhow::Error) -> i32 {
    tell(&format!("kurabe: {}", in_words(error)));
    status_of(error)
}

/// The error and its causes; a cause that an error tells in its own words is not told twice.
fn in_words(error: &anyhow::Error) -> String {
    error
        .chain()
        .skip(1)
        .map(ToString::to_string)
        .fold(error.to_string(), |text, cause| if text.contains(&cause) { text } else { format!("{text}: {cause}") })
}

/// Whether a folder of results was named that cannot be one.
fn is_mistake(error: &FolderError) -> bool {
    use FolderError::{Damaged, Exists, Format, Gone, InUse, Io, Make, NoRun, Occupied};
    match error {
        Exists(_) | Occupied { .. } | Make { .. } | NoRun { .. } | InUse(_) => true,
        Format { .. } | Damaged { .. } | Gone(_) | Io { .. } => false,
    }
}

/// A mistake in what was typed is 2, an interrupt 130, everything else 1.
fn status_of(error: &anyhow::Error) -> i32 {
    if matches!(error.downcast_ref(), Some(HarnessError::Interrupted)) {
        return status::INTERRUPTED;
    }
    let mistake = error.chain().any(|cause| {
        cause.is::<StudyError>()
            || cause.is::<SpliceError>()
            || cause.is::<cmd::Mistake>()
            || cause.downcast_ref().is_some_and(is_mistake)
            || match cause.downcast_ref() {
                Some(HarnessError::Refused(_) | HarnessError::DataFolder(_) | HarnessError::Machine(_)) => true,
                Some(HarnessError::Folder(error)) => is_mistake(error),
                _ => false,
            }
    });
    if mistake { status::MISTAKE } else { status::FAILED }
}
