//! Lines as wide as a terminal, also in a script that has no blanks between words.

use textwrap::core::display_width;
use textwrap::{Options, WordSeparator, WordSplitter};

/// Breaks a text into lines: at blanks, and between two characters of a script without them.
pub fn fill(text: &str, options: Options<'_>) -> String {
    let options = options.word_separator(WordSeparator::Custom(kurabe_report::words));
    // A path breaks nowhere.
    textwrap::fill(text, options.word_splitter(WordSplitter::NoHyphenation).break_words(false))
}

/// Each line of a text, broken at `width` columns.
pub fn fill_lines(text: &str, width: usize) -> String {
    text.split('\n').map(|line| fill(line, Options::new(width))).collect::<Vec<String>>().join("\n")
}

/// A label, and blanks up to `width` columns; two at least.
pub fn padded(label: &str, width: usize) -> String {
    format!("{label}{}", " ".repeat(width.saturating_sub(display_width(label)).max(2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_breaks_at_blanks_and_between_wide_characters() {
        assert_eq!(fill_lines("one two three\n\nfour", 8), "one two\nthree\n\nfour");
        assert_eq!(fill_lines("順位と区間には 3 ラウンド", 10), "順位と区間\nには 3 ラ\nウンド");
        assert_eq!(fill_lines("/var/tmp/a-long-name 2", 8), "/var/tmp/a-long-name\n2");
    }

    #[test]
    fn punctuation_stays_with_its_words() {
        assert_eq!(fill_lines("測ります。次は「名前」", 10), "測ります。\n次は「名\n前」");
    }
}
