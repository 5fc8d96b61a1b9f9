//! `kurabe list studies`: the built-in studies, and those of definitions.

use kurabe_study::{Catalogue, Study};

use super::WIDTH;

/// The studies with what each asks.
pub fn all(catalogue: &Catalogue) -> anyhow::Result<String> {
    let mut text = String::new();
    let names = catalogue.studies();
    let width = names.iter().map(String::len).max().unwrap_or(0) + 2;
    for name in names {
        let title = Study::title_of(catalogue, &name)?;
        let (first, rest) = (format!("{name:<width$}"), " ".repeat(width));
        let options = textwrap::Options::new(WIDTH).initial_indent(&first).subsequent_indent(&rest);
        text += &format!("{}\n", textwrap::fill(&title, options));
    }
    Ok(text + "\nkurabe run NAME runs one; kurabe list studies NAME prints its file, a start for one of your own.\n")
}
