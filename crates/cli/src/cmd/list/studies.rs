//! `kurabe list studies`: the built-in studies, and those of definitions.

use kurabe_messages::{described, message};
use kurabe_study::{Catalogue, Study};

use super::WIDTH;
use crate::fold;

/// The studies with what each asks.
pub fn all(catalogue: &Catalogue) -> anyhow::Result<String> {
    let mut text = String::new();
    let names = catalogue.studies();
    let width = names.iter().map(String::len).max().unwrap_or(0) + 2;
    for name in names {
        let title = described(&Study::title_of(catalogue, &name)?).to_string();
        let (first, rest) = (format!("{name:<width$}"), " ".repeat(width));
        let options = textwrap::Options::new(WIDTH).initial_indent(&first).subsequent_indent(&rest);
        text += &format!("{}\n", fold::fill(&title, options));
    }
    Ok(format!("{text}\n{}\n", fold::fill_lines(&message!(cli_list_studies_end).to_string(), WIDTH)))
}
