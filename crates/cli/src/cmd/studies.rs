//! `kurabe studies`: the built-in studies.

use kurabe_study::{Catalogue, Study};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Print this study's file
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Columns that a line of the list takes at most.
const WIDTH: usize = 80;
/// The studies with what each asks.
pub fn list(catalogue: &Catalogue) -> anyhow::Result<String> {
    let mut text = String::new();
    let names = catalogue.studies();
    let width = names.iter().map(String::len).max().unwrap_or(0) + 2;
    for name in names {
        let title = Study::title_of(catalogue, &name)?;
        let (first, rest) = (format!("{name:<width$}"), " ".repeat(width));
        let options = textwrap::Options::new(WIDTH).initial_indent(&first).subsequent_indent(&rest);
        text += &format!("{}\n", textwrap::fill(&title, options));
    }
    Ok(text + "\nkurabe run NAME runs one; kurabe studies NAME prints its file, a start for one of your own.\n")
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let text = match args.name {
        Some(name) => catalogue.study_text(&name)?.to_string(),
        None => list(&catalogue)?,
    };
    super::say(&text)?;
    Ok(crate::status::GOOD)
}
