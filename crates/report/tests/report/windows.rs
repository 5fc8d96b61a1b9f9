//! What is shown of an axis over what may be lost.

use kurabe_analysis::analyse;
use kurabe_messages::Language;
use kurabe_report::{Colour, Detail, csv, markdown, terminal};

use crate::common::complete;
use crate::common::windows::windows;
use crate::{golden, page_of, section, style};

/// The page of a run over windows.
pub fn windows_page() -> String {
    let (run, jobs) = windows();
    page_of(&analyse(&run, &jobs, Some(&complete())), &run, &jobs)
}

#[test]
fn windows_are_shown_in_words_each_by_its_own_and_typed_as_they_were() {
    let (run, jobs) = windows();
    let answer = analyse(&run, &jobs, Some(&complete()));
    let page = windows_page();
    golden("windows.html", &section(&page, "axes"));
    for caption in ["window of 1 commit", "window of 10 ms", "window of 1 s", "durability power"] {
        let caption = format!("<figcaption>update, {caption}: share of the best</figcaption>");
        assert_eq!(page.matches(&caption).count(), 1, "{caption}");
    }
    assert!(page.contains("<figcaption>update: operations per second against possible loss (log scale)</figcaption>"));
    let how = |language| markdown(&answer, &run, &jobs, (language, Detail::Full));
    let (english, japanese) = (how(Language::English), how(Language::Japanese));
    let shown = terminal(&answer, &run, &style(160, Colour::Plain));
    for text in [&page, &english, &japanese, &shown] {
        let is_japanese = std::ptr::eq(text, &japanese);
        let [ms, commit] = if is_japanese { ["ミリ秒", "コミット"] } else { ["ms", "commit"] };
        assert!(text.contains(&format!("lmdb (≤ 10 {ms})")) && text.contains(&format!("≤ 1 {commit}")), "{text}");
        // What a reader may type stands after its words.
        let brackets = if is_japanese { ["（", "）"] } else { [" (", ")"] };
        let typed = ["1commits", "10ms", "1s"].map(|window| format!("{}window={window}{}: ", brackets[0], brackets[1]));
        let words = typed.iter().fold(text.clone(), |text, typed| text.replace(typed, ": "));
        assert!(!words.contains("window=") && !words.contains("durability window"), "{words}");
        // At 10 ms 'lmdb' has the setting that it has at 'power'.
        assert!(text.contains("2,051\u{a0}=") && text.contains("sync\u{a0}="), "{text}");
    }
    assert!(japanese.contains("前の値と同じ設定"), "{japanese}");
    let raw = csv(&answer).unwrap() + &serde_json::to_string(&answer).unwrap();
    assert!(raw.contains("lmdb (window=10ms)") && !raw.contains('≤'), "names stay as they are typed");
}
