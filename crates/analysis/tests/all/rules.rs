//! The page about the rules is written from them.

use kurabe_analysis::Rule;
use kurabe_messages::{Language, Message};

const BEGIN: &str = "<!-- rules -->\n";
const END: &str = "<!-- /rules -->";

/// A text of several lines in one.
fn cell(message: Message) -> String {
    message.text(Language::English).replace('\n', " ")
}

#[test]
fn the_page_has_every_rule_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/RECOMMENDATION.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the mark");
    let (_, after) = rest.split_once(END).expect("the other mark");
    let rows = Rule::ALL
        .iter()
        .enumerate()
        .map(|(at, rule)| (at + 1, rule.text()))
        .map(|(number, it)| format!("| {number} | {} | {} | {} |\n", cell(it.when), cell(it.then), cell(it.why)));
    let table: String = rows.collect();
    let expected = format!("{before}{BEGIN}| | when | answer | why |\n|---|---|---|---|\n{table}{END}{after}");
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::write(path, &expected).expect("the page can be written");
    }
    let found = std::fs::read_to_string(path).expect("the page");
    assert_eq!(found, expected, "KURABE_BLESS=1 writes the table anew");
}
