//! The verbs of `kurabe`: one file each in `cmd`, turning flags into calls of the crates below. Both of its programs
//! are made of them.

mod ascii;
mod cmd;
mod fold;
mod help;
mod in_place;
mod interrupt;
mod language;
mod mistyped;
mod progress;
mod stdout;
mod tell;
mod typed;

use std::os::unix::process::CommandExt;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{FromArgMatches, Parser, Subcommand};
use kurabe_client::Entry;
use kurabe_harness::{BUILDS_SERVERS, Clients, HarnessError};
use kurabe_messages::{Language, message, set_language};
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
            Some(reason) => Err(Mistake(message!(cli_no_servers_hint, reason, command = BUILDS_SERVERS)).into()),
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
    disable_help_subcommand = true,
    max_term_width = 80
)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,

    #[arg(long, value_name = "DIR", global = true, help_heading = "everywhere")]
    definitions: Vec<std::path::PathBuf>,

    #[arg(long, value_name = "en|ja", value_parser = languages(), global = true, help_heading = "everywhere")]
    language: Option<Language>,
}

/// Listed, so that a shell completes them.
fn languages() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(Language::ALL.map(Language::code)).try_map(|code| code.parse::<Language>())
}

#[derive(Subcommand)]
enum Verb {
    Run(cmd::run::Args),
    Plan(cmd::plan::Args),
    List(cmd::list::Args),
    Setup(cmd::setup::Args),
    New(cmd::new::Args),
    Show(cmd::show::Args),
    Report(cmd::report::Args),
    Compare(cmd::compare::Args),
    Claims(cmd::claims::Args),
    Serve(cmd::serve::Args),
    Doctor(cmd::doctor::Args),
    #[command(subcommand)]
    Dev(Dev),
}

// Verbs for those who work on Kurabe, on a client or on a package.
#[derive(Subcommand)]
#[command(disable_help_subcommand = true)]
enum Dev {
    Wire(cmd::wire::Args),
    Selftest(cmd::selftest::Args),
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
    // What is no UTF-8 is no language.
    let arguments: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let warning = language::choose(&arguments);
    // Whoever hands over has told it.
    warning.iter().filter(|_| program.name == help::NAME).for_each(|warning| tell(&format!("kurabe: {warning}")));
    let matches = help::command().display_name(program.name).try_get_matches();
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|error| mistyped::exit(&error, &arguments));
    cli.language.into_iter().for_each(set_language);
    cmd::define(cli.definitions);
    let outcome = match cli.verb {
        None => cmd::say(&help::short(&help::command())).map(|()| status::GOOD),
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
        Some(Verb::Dev(Dev::Generate(args))) => cmd::generate::run(&args, help::unfolded()),
    };
    std::process::exit(outcome.unwrap_or_else(|error| fail(&error)));
}

/// Prints an error; gives the exit status.
pub fn fail(error: &anyhow::Error) -> i32 {
    tell(&format!("kurabe: {}", in_words(error)));
    status_of(error)
}

/// The error and its causes on one line, then what helps: each has that on a line of its own. A cause that an error
/// has in its own words is not repeated.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    let (mut line, mut hints) = (String::new(), String::new());
    for cause in error.chain().map(ToString::to_string) {
        let (what, hint) = cause.split_once('\n').unwrap_or((&cause, ""));
        if !line.contains(what) {
            line += if line.is_empty() { "" } else { ": " };
            line += what;
        }
        if !hint.is_empty() && !hints.contains(hint) {
            hints = format!("{hints}\n{hint}");
        }
    }
    line + &hints
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
