//! The page about the rules is written from them.

use kurabe_analysis::Rule;

const BEGIN: &str = "<!-- rules -->\n";
const END: &str = "<!-- /rules -->";

#[test]
fn the_page_has_every_rule_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/RECOMMENDATION.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let (before, rest) = page.split_once(BEGIN).expect("the mark");
    let (_, after) = rest.split_once(END).expect("the other mark");
    let rows = Rule::ALL
        .iter()
        .enumerate()
        .map(|(at, rule)| format!("| {} | {} | {} | {} |\n", at + 1, rule.when, rule.then, rule.reason));
    let table: String = rows.collect();
    let expected = format!("{before}{BEGIN}| | when | said | why |\n|---|---|---|---|\n{table}{END}{after}");
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::write(path, &expected).expect("the page can be written");
    }
    let found = std::fs::read_to_string(path).expect("the page");
    assert_eq!(found, expected, "KURABE_BLESS=1 writes the table anew");
}
