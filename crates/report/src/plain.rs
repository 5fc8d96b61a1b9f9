//! Text that is not ours on its way to a terminal: names in data files and studies, messages of stores and of the system.

/// Text in one line: whatever would move the cursor, change colours or turn the order of letters round is shown as what
/// it is, ends of lines too.
pub fn one_line(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    shown
}

/// Text of several lines, each as by [`one_line`]; those after the first are indented, so that none can pass for a line of
/// Kurabe's own.
pub fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| one_line(line.strip_suffix('\r').unwrap_or(line))).collect();
    lines.join("\n  ")
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
