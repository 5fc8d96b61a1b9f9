//! `kurabe dev generate`: completions of a shell and the man page, from the command line's own definition, and the schemas
//! of what Kurabe writes, from its types.

use clap::{Command, ValueEnum};
use clap_complete::Shell;
use kurabe_analysis::schema;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "WHAT", value_enum)]
    what: Artifact,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Artifact {
    /// Completions of bash
    Bash,
    /// Completions of zsh
    Zsh,
    /// Completions of fish
    Fish,
    /// The man page, with all verbs
    Man,
    /// The JSON Schema of `run.json`
    SchemaRun,
    /// The JSON Schema of an entry in a line of `jobs.jsonl`
    SchemaEntry,
    /// The JSON Schema of the answer, as `--json` prints it
    SchemaAnswer,
}

/// Prints what belongs to the command line `of`.
pub fn run(args: &Args, mut of: Command) -> anyhow::Result<i32> {
    let mut out = Vec::new();
    let mut complete = |shell| clap_complete::generate(shell, &mut of, "kurabe", &mut out);
    match args.what {
        Artifact::Bash => complete(Shell::Bash),
        Artifact::Zsh => complete(Shell::Zsh),
        Artifact::Fish => complete(Shell::Fish),
        Artifact::Man => man(of, &mut out)?,
        Artifact::SchemaRun => out = schema::run().into(),
        Artifact::SchemaEntry => out = schema::entry().into(),
        Artifact::SchemaAnswer => out = schema::answer().into(),
    }
    super::say_as_it_is(&String::from_utf8_lossy(&out))?;
    Ok(crate::status::GOOD)
}

/// The page of the command, then the options of each verb as a section of its own.
fn man(mut of: Command, out: &mut Vec<u8>) -> std::io::Result<()> {
    of.build();
    clap_mangen::Man::new(of.clone()).render(out)?;
    sections(&of, "kurabe", out)
}

/// The sections of the verbs of a command, and of theirs.
fn sections(of: &Command, name: &str, out: &mut Vec<u8>) -> std::io::Result<()> {
    for verb in of.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let page = clap_mangen::Man::new(verb.clone());
        let name = format!("{name} {}", verb.get_name());
        out.extend_from_slice(format!(".SH \"{}\"\n", name.to_uppercase()).as_bytes());
        page.render_description_section(out)?;
        page.render_options_section(out)?;
        sections(verb, &name, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use kurabe_messages::{Language, by_name, with_language};

    use super::*;
    use crate::help;

    #[test]
    fn the_man_page_has_the_lines_of_the_help_whole_in_both_languages() {
        for language in Language::ALL {
            let mut page = Vec::new();
            with_language(language, || man(help::unfolded(), &mut page)).expect("a page");
            let page = String::from_utf8(page).expect("text").replace("\\-", "-").replace("\\*(Aq", "'");
            for name in ["help-run", "help-durability", "help-stores"] {
                let text = by_name(name).map(|message| message.text(language)).unwrap_or_default();
                assert!(!text.is_empty(), "{name}");
                let broken: Vec<&str> = text.lines().filter(|line| !page.contains(line)).collect();
                assert_eq!(broken, Vec::<&str>::new(), "{name} in {language}");
            }
        }
    }
}
