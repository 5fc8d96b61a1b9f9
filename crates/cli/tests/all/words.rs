//! The words of the documents, the catalogues and the help: the field's and no private ones, a glossary that is short and
//! used, and links that lead somewhere.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use regex::{Regex, RegexBuilder};

use crate::common::{Place, finish};

/// What no sentence for users says, as a pattern, and what it says instead. A blank also matches the end of a line.
const PRIVATE: [(&str, &str); 39] = [
    (r"\b(as_)?floors?\b(?:[^(]|$)", "baseline, or minimum durability"),
    (r"\byardsticks?\b", "baseline"),
    (r"\bclass '?(none|process|power)\b", "durability level"),
    (r"\b(are|is|shown to be) alike\b", "equivalent within x %"),
    (r"\bcoordinates?\b", "configuration, factors"),
    (r"\btraps?\b", "pitfall"),
    (r"\bmend(s|ed|ing)?\b", "corrected"),
    (r"\bcast(s|ing)?\b", "binding"),
    (r"\bplays (the|its|a) (names?|parts?)\b", "binding"),
    (r"\bstacks?\b", "app"),
    (r"\b(a|its|no|the) front\b|\b(is|needs)_front\b", "reverse proxy"),
    (r"\bis_link\b|\ba link of (some|100)\b", "bandwidth limit"),
    (r"\bplaces? (in|of) (a|any|each|every|its|that|the) (phase|ranking)", "rank"),
    (r"\b(costs?|ha(ve|s)|keeps?|loses?|shares?|without) (no|a|any|its|the|their) place\b", "rank"),
    (r"\bfirst places?\b", "first rank, first"),
    // "undecided" is a verdict on a claim.
    (r"\b(is|not|are|was) (yet )?decided\b", "inconclusive"),
    (r"\blook(s|ed)? ahead\b", "has the higher mean"),
    (r"\b(told|tells?|telling)( \w+){0,3} apart\b", "distinguish; inconclusive; recorded separately"),
    (r"\bcannot be told\b", "inconclusive, unknown"),
    (r"\bprofiles? of (a|the) (client )?protocol\b|\b(full|thin) (client|profile)s?\b", "the client protocol"),
    (r"\bcould (have been|be|have) seen\b", "smallest detectable difference"),
    (r"\bset(s|ting)? aside\b|\bset_aside\b", "repeated (disturbed)"),
    (r"\b(is|are|was|were|be) cut (at|by the budget|for|in|there)\b|\ba cut\b|\bcuts are\b", "skipped (budget)"),
    (r"\bsettle(s|d|_ns)?\b|\bsettling\b", "flush time, or decide"),
    (r"\bown loop\b|\bown_loop\b", "harness overhead"),
    (r"\bheld by\b|\bholds (its|the|each|their) rates?\b", "saturated"),
    (r"\bwas the limit\b|\bwere the limit\b", "saturated"),
    (r"\bmachine below\b", "CPU steal, hypervisor"),
    (r"\bnot (the same|equally fast) all the time\b|\b(not|only when) steady\b|\bunsteady\b", "unstable machine"),
    (r"\breceipts?\b", "hello"),
    (r"\bsittings?\b", "session"),
    (r"\b(entrants?|courts?|yards?)\b", "candidate, context, service context"),
    (r"\b(bad|the) ground\b|\bfault of the ground\b", "environment"),
    (r"\bamid ", "during"),
    (r"\b(is|are|was|were) told\b|\bit is (said|shown) that\b", "say who shows, reports or records it"),
    (r"\bnowhere further behind\b", "elsewhere it trails most in"),
    (r"' is no (duration|need|seed|size)\b", "invalid value"),
    (r"\bin good order\b|\bfrom the good or the bad\b", "successfully, cleanly"),
    (r"\bin quiet\b", "when the machine is idle"),
];

/// Sentences as they once were, each with a word that must be found in it.
const CAUGHT: [&str; 16] = [
    "The floor `echo` costs",
    "It is not\ndecided between 'a' and 'b' in read, where 'a' looks ahead",
    "this run could have\nseen differences from 15 % (read)",
    "The job was set aside and measured again",
    "A candidate that lacks the metric has no\nplace.",
    "held by waiting",
    "the machine below took 8 % of the processors",
    "Nothing holds, since the machine was not the same all the time",
    "A stack is a service",
    "the other two cannot be told apart",
    "time to settle after writing",
    "the mended work",
    "own loop 2.2 %",
    "once with each cast",
    "who was cut in that configuration",
    "what is lacking is told by name",
];

/// Sentences with the same letters and nothing private.
const INNOCENT: [&str; 10] = [
    "floor(x) takes place in place of the ceiling",
    "an event loop of our own",
    "'a' and 'b' tie in read ('a' has the higher mean)",
    "a connection that is cut after a write; cut the power",
    "https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/",
    "a cache in front of a database",
    "Kurabe holds a lock and follows the link to a file",
    "two settings of one level",
    "skipped (budget)",
    "the last log file takes the place of the one before",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

/// Files under a folder whose names end so, in order; none where the folder is missing.
fn files(folder: &Path, ends: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = Vec::new();
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        match path.is_dir() {
            true => found.extend(files(&path, ends)),
            false if path.to_string_lossy().ends_with(ends) => found.push(path),
            false => {}
        }
    }
    found.sort();
    found
}

/// A file, named from the root of the project, and what is in it.
struct Page {
    name: String,
    path: PathBuf,
    text: String,
}

impl Page {
    fn read(path: PathBuf) -> Page {
        let name = path.strip_prefix(root()).expect("a file of the project").display().to_string();
        let text = std::fs::read_to_string(&path).expect("a page");
        Page { name, path, text }
    }

    fn is_english(&self) -> bool {
        !self.name.ends_with(".ja.md")
    }
}

/// README, CONTRIBUTING and docs, in all languages.
fn documents() -> Vec<Page> {
    let top = ["README.md", "README.ja.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    top.into_iter().chain(files(&root().join("docs"), ".md")).map(Page::read).collect()
}

fn catalogues() -> Vec<Page> {
    files(&root().join("crates/messages/en"), ".ftl").into_iter().map(Page::read).collect()
}

/// The help of the program and of all its verbs, by what was typed.
fn helps(place: &Place, verbs: &[&str]) -> Vec<(String, String)> {
    let said = finish(&mut place.kurabe(verbs.iter().chain(&["--help"])));
    assert_eq!(said.status, 0, "{verbs:?}: {}", said.err);
    let listed = said.out.split_once("\nCommands:\n").map_or("", |(_, after)| after.split("\n\n").next().unwrap_or(""));
    let is_verb = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let inner: Vec<&str> = listed.lines().filter(is_verb).filter_map(|line| line.split_whitespace().next()).collect();
    let below = inner.iter().flat_map(|verb| helps(place, &[verbs, &[verb]].concat())).collect::<Vec<_>>();
    let typed = ["kurabe"].iter().chain(verbs).copied().collect::<Vec<_>>().join(" ");
    [(format!("{typed} --help"), said.out.clone())].into_iter().chain(below).collect()
}

fn patterns() -> Vec<(Regex, &'static str)> {
    let read = |(pattern, instead): (&str, &'static str)| {
        let pattern = pattern.replace(' ', r"\s+");
        (RegexBuilder::new(&pattern).case_insensitive(true).build().expect("a pattern"), instead)
    };
    PRIVATE.into_iter().map(read).collect()
}

/// What is private in a text, with line and the words to use.
fn private(patterns: &[(Regex, &str)], name: &str, text: &str) -> Vec<String> {
    let found = patterns.iter().flat_map(|(pattern, instead)| {
        pattern.find_iter(text).map(move |found| {
            let line = text[..found.start()].lines().count().max(1);
            format!("{name}:{line}: '{}'; say: {instead}", found.as_str().trim())
        })
    });
    found.collect()
}

#[test]
fn what_is_private_is_found_and_what_is_innocent_is_not() {
    let patterns = patterns();
    for sentence in CAUGHT {
        assert!(!private(&patterns, "", sentence).is_empty(), "'{sentence}' passes");
    }
    for sentence in INNOCENT {
        assert_eq!(private(&patterns, "", sentence), Vec::<String>::new());
    }
}

#[test]
fn documents_catalogues_and_help_use_the_words_of_the_field() {
    let patterns = patterns();
    let place = Place::new();
    let pages = documents().into_iter().filter(Page::is_english).chain(catalogues()).map(|page| (page.name, page.text));
    let helps = helps(&place, &[]);
    assert!(helps.len() > 10, "the verbs are not found in: {}", helps[0].1);
    let texts: Vec<(String, String)> = pages.chain(helps).collect();
    let wrong: Vec<String> = texts.iter().flat_map(|(name, text)| private(&patterns, name, text)).collect();
    assert!(wrong.is_empty(), "{} private words:\n{}", wrong.len(), wrong.join("\n"));
}

/// Most entries of the glossary: what a person can read at once.
const MOST_ENTRIES: usize = 60;

#[test]
fn the_glossary_is_short_sorted_and_used() {
    let glossary = Page::read(root().join("docs/GLOSSARY.md"));
    let entry = Regex::new(r"^- \*\*([^*]+)\*\*: .+\.$").expect("a pattern");
    let lines: Vec<&str> = glossary.text.lines().filter(|line| line.starts_with('-')).collect();
    let word = |line: &&str| entry.captures(line).unwrap_or_else(|| panic!("no entry: {line}"))[1].to_string();
    let words: Vec<String> = lines.iter().map(word).collect();
    assert!((1..=MOST_ENTRIES).contains(&words.len()), "{} entries", words.len());
    assert!(words.is_sorted_by(|one, next| one.to_lowercase() < next.to_lowercase()), "{words:?}");

    let elsewhere = documents().into_iter().filter(|page| page.is_english() && page.name != glossary.name);
    let texts: String = elsewhere.chain(catalogues()).map(|page| page.text).collect();
    let is_used = |word: &String| {
        let pattern = format!(r"\b{}(s|es)?\b", regex::escape(word).replace(' ', r"\s+"));
        RegexBuilder::new(&pattern).case_insensitive(true).build().expect("a pattern").is_match(&texts)
    };
    let unused: Vec<&String> = words.iter().filter(|word| !is_used(word)).collect();
    assert!(unused.is_empty(), "nobody uses: {unused:?}");
}

/// The text without code: blocks and spans are blanks.
fn without_code(text: &str) -> String {
    let mut in_block = false;
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            return String::new();
        }
        let is_code = |(at, part): (usize, &str)| if at % 2 == 1 { " ".into() } else { part.to_string() };
        if in_block { String::new() } else { line.split('`').enumerate().map(is_code).collect() }
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// The anchors of a page, as forges make them of headings.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut in_block = false;
    let mut found = Vec::new();
    for line in text.lines() {
        in_block ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if in_block || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().chars().filter(|sign| sign.is_alphanumeric() || " -_".contains(*sign));
        let anchor = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let times = seen.entry(anchor.clone()).or_default();
        found.push(if *times == 0 { anchor } else { format!("{anchor}-{times}") });
        *times += 1;
    }
    found
}

/// Why a link of a page leads nowhere.
fn broken(page: &Page, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let path = match file {
        "" => page.path.clone(),
        _ => page.path.parent().expect("a folder").join(file),
    };
    if !path.exists() {
        return Some(format!("{}: '{target}' is not there", page.name));
    }
    let anchor = anchor?;
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let is_there = anchors(&text).iter().any(|known| known == anchor);
    (!is_there).then(|| format!("{}: '{target}' has no such heading", page.name))
}

#[test]
fn every_link_of_the_documents_leads_to_a_file_and_a_heading() {
    let link = Regex::new(r#"\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)""#).expect("a pattern");
    let pages = documents();
    let mut links = 0;
    let mut wrong = Vec::new();
    for page in &pages {
        let text = without_code(&page.text);
        for found in link.captures_iter(&text) {
            links += 1;
            wrong.extend(broken(page, found.get(1).or(found.get(2)).expect("a target").as_str()));
        }
    }
    assert!(links > 100, "only {links} links are found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
