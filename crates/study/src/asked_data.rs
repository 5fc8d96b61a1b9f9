//! A data file that the command line names instead of the study's.

use kurabe_record::{DataFormat, DataSpec, Duplicates, HeaderChoice, ShortLines};

/// `--data` and what goes with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskedData {
    /// The file.
    pub file: String,
    /// `--key`.
    pub key: String,
    /// `--value`, as often as it was given.
    pub values: Vec<String>,
    /// `--format`.
    pub format: Option<DataFormat>,
    /// `--header`.
    pub header: Option<HeaderChoice>,
    /// `--duplicates`.
    pub duplicates: Option<Duplicates>,
    /// `--short-lines`.
    pub short_lines: Option<ShortLines>,
}

impl AskedData {
    /// The file with the policies of the study's own data where the command line does not say: they belong to what the study
    /// asks, while columns, format and header belong to the file.
    pub fn spec(&self, of_study: Option<&DataSpec>) -> DataSpec {
        let duplicates = self.duplicates.or(of_study.map(|data| data.duplicates));
        let short_lines = self.short_lines.or(of_study.map(|data| data.short_lines));
        DataSpec {
            file: self.file.clone(),
            key: self.key.clone(),
            values: self.values.clone(),
            format: self.format,
            header: self.header.unwrap_or_default(),
            duplicates: duplicates.unwrap_or_default(),
            short_lines: short_lines.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_of_the_study_hold_where_the_command_line_does_not_say() {
        let mine = AskedData { file: "mine.tsv".into(), key: "3".into(), ..AskedData::default() };
        let study = DataSpec {
            header: HeaderChoice::No,
            duplicates: Duplicates::Last,
            short_lines: ShortLines::Refuse,
            ..AskedData { file: "theirs.tsv".into(), key: "1".into(), ..AskedData::default() }.spec(None)
        };
        let both = mine.spec(Some(&study));
        assert_eq!((both.file.as_str(), both.key.as_str(), both.header), ("mine.tsv", "3", HeaderChoice::Guess));
        assert_eq!((both.duplicates, both.short_lines), (Duplicates::Last, ShortLines::Refuse));
        let flag =
            AskedData { duplicates: Some(Duplicates::First), short_lines: Some(ShortLines::Skip), ..mine.clone() };
        assert_eq!(flag.spec(Some(&study)), flag.spec(None));
        assert_eq!(mine.spec(None).duplicates, Duplicates::Refuse);
    }
}
