//! `kurabe generate`: completions of a shell and the man page, from the command line's own definition.

use clap::{Command, ValueEnum};
use clap_complete::Shell;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// What to print
    #[arg(value_name = "WHAT", value_enum)]
    what: What,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Completions of bash
    Bash,
    /// Completions of zsh
    Zsh,
    /// Completions of fish
    Fish,
    /// The man page, with all verbs
    Man,
}

/// Prints what belongs to the command line `of`.
pub fn run(args: &Args, mut of: Command) -> anyhow::Result<i32> {
    let mut out = Vec::new();
    let shell = match args.what {
        What::Bash => Some(Shell::Bash),
        What::Zsh => Some(Shell::Zsh),
        What::Fish => Some(Shell::Fish),
        What::Man => None,
    };
    match shell {
        Some(shell) => clap_complete::generate(shell, &mut of, "kurabe", &mut out),
        None => man(of, &mut out)?,
    }
    super::say_as_it_is(&String::from_utf8_lossy(&out))?;
    Ok(crate::status::GOOD)
}

/// The page of the command, then the options of each verb as a section of its own.
fn man(mut of: Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    of.build();
    clap_mangen::Man::new(of.clone()).render(out)?;
    for verb in of.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let page = clap_mangen::Man::new(verb.clone());
        let heading = format!("kurabe {}", verb.get_name()).to_uppercase();
        out.extend_from_slice(format!(".SH \"{heading}\"\n").as_bytes());
        page.render_description_section(out)?;
        page.render_options_section(out)?;
    }
    Ok(())
}
