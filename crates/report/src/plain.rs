//! Text that is not ours on its way to a terminal: names in data files and studies, messages of stores and of the system.

use std::borrow::Cow;

use kurabe_messages::message;
use kurabe_record::windows_in_short;
use textwrap::core::Word;
use unicode_width::UnicodeWidthChar;

/// Text in one line: whatever would move the cursor, change colours or turn the order of letters round is shown as what
/// it is, ends of lines too. Windows in names of candidates are put in words.
pub fn one_line(text: &str) -> String {
    let text = windows_in_short(text);
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// Characters of a text of others that are shown; the whole stands in the record.
const SHOWN_CHARS: usize = 10_000;

/// The text, where it is so long that nobody reads it only its beginning, and how much there is more.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_CHARS) {
        None => text.into(),
        Some((end, _)) => {
            message!(terminal_cut, text = &text[..end], characters = text[end..].chars().count()).to_string().into()
        }
    }
}

/// Text for a page, of which what is too long is cut.
pub(crate) fn on_page(text: &str) -> Cow<'_, str> {
    match cut(text) {
        Cow::Borrowed(text) => visible(text),
        Cow::Owned(text) => visible(&text).into_owned().into(),
    }
}

/// Text of which ends of lines stay, and whatever else would act is shown.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_seen = |c: char| !acts(c) || matches!(c, '\n' | '\t');
    let text = windows_in_short(text);
    if text.chars().all(is_seen) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_seen(c) { shown.push(c) } else { shown.extend(c.escape_default()) }
    }
    shown.into()
}

/// Text of several lines, each as by [`one_line`]; those after the first are indented, so that none can pass for a line of
/// Kurabe's own.
pub fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| one_line(line.strip_suffix('\r').unwrap_or(line))).collect();
    lines.join("\n  ")
}

/// Where a line may break: after blanks, and between Japanese letters wherever no mark forbids it. For `textwrap`, whose
/// own rule for other languages than English also breaks commands at hyphens and slashes.
pub fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
    const NEVER_FIRST: &str =
        "、。，．・：；？！）］｝」』】〉》〕…ー～〜々ぁぃぅぇぉっゃゅょァィゥェォッャュョ)]},.:;!?%";
    const NEVER_LAST: &str = "（［｛「『【〈《〔([{";
    let is_wide = |c: char| c.width() == Some(2);
    let breaks = |one: char, next: char| {
        let is_between = (is_wide(one) || is_wide(next)) && one != ' ';
        next != ' ' && (one == ' ' || is_between && !NEVER_FIRST.contains(next) && !NEVER_LAST.contains(one))
    };
    let chars = line.char_indices().zip(line.chars().skip(1));
    let ends = chars.filter(|((_, one), next)| breaks(*one, *next)).map(|((at, one), _)| at + one.len_utf8());
    let ends: Vec<usize> = ends.chain([line.len()]).collect();
    let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).take(ends.len()).collect();
    Box::new(starts.into_iter().zip(ends).map(|(start, end)| Word::from(&line[start..end])))
}

/// JSON with the same characters in the escapes of JSON; it means what it meant.
pub fn in_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        // Those below the space stand in no string of JSON, but at the ends of its lines.
        if acts(c) && c > ' ' { shown.push_str(&format!("\\u{:04x}", u32::from(c))) } else { shown.push(c) }
    }
    shown
}

/// Control characters, and those that turn the direction of writing or end a line without being one.
fn acts(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_on_a_terminal_is_shown_instead() {
        assert_eq!(one_line("k\u{1b}[31m\tv\n\u{9b}0m\u{7f}"), "k\\u{1b}[31m\\tv\\n\\u{9b}0m\\u{7f}");
        assert_eq!(one_line("\u{202e}txt\u{2028}"), "\\u{202e}txt\\u{2028}");
        assert_eq!(one_line("比べ – naïve ☃"), "比べ – naïve ☃", "other letters stay as they are");
        assert_eq!(one_line("'lmdb (window=10ms)'"), "'lmdb (≤ 10 ms)'");
        assert_eq!(on_page("'lmdb (window=10ms)'"), "'lmdb (≤ 10 ms)'");
    }

    #[test]
    fn a_page_keeps_lines_and_shows_the_beginning_of_what_is_too_long() {
        assert_eq!(on_page("a\n\tb\u{1b}[1m\u{7}\u{202e}c\u{2066}"), "a\n\tb\\u{1b}[1m\\u{7}\\u{202e}c\\u{2066}");
        let long = "あ".repeat(SHOWN_CHARS + 1_234);
        assert!(on_page(&long).ends_with("あ… (1,234 characters more in the record)"));
        assert_eq!(cut(&long[..3 * SHOWN_CHARS]), &long[..3 * SHOWN_CHARS]);
    }

    #[test]
    fn lines_break_between_japanese_letters_and_never_inside_a_command() {
        let words = |line| words(line).map(|word| word.word.to_string()).collect::<Vec<String>>();
        assert_eq!(words("one two  --by-name a/b"), ["one", "two", "--by-name", "a/b"]);
        assert_eq!(words("（答え）。速さ 5 %"), ["（答", "え）。", "速", "さ", "5", "%"]);
        assert_eq!(words(""), [""]);
    }

    #[test]
    fn json_stays_json_and_acts_on_no_terminal() {
        let told = "a\u{9b}31m\u{202e}\u{1b}\n";
        let json = in_json(&serde_json::to_string_pretty(&[told]).unwrap());
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap(), [told]);
        assert!(json.chars().all(|c| c == '\n' || !acts(c)), "{json}");
    }

    #[test]
    fn lines_stay_lines_and_only_the_first_stands_at_the_edge() {
        assert_eq!(lines("a\u{1b}[1m\r\nkurabe: all is well\n"), "a\\u{1b}[1m\n  kurabe: all is well\n  ");
    }
}
