//! The folders of this crate stand in an order, and files form no circle.
//!
//! Every path that begins with `crate` or `super`, in a `use` or in the middle of the code, is an arrow from the file
//! in which it stands to the file that it names. Names that a file re-exports from its children count for that file, so
//! a folder that only lists its files cannot hide a circle. Arrows inside tests do not count. What no path shows is not
//! seen: a method whose `impl` stands in a later folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files and folders at the root, from the first to the last: each may use itself and those before it.
const ORDER: [&str; 12] = [
    "grouping",
    "spoken",
    "figures",
    "rank",
    "result",
    "findings",
    "answer",
    "schema",
    "comparison",
    "text",
    "pipeline",
    "trial",
];
/// Folders whose files are one here: what they do among themselves is theirs.
const ROOMS: [&str; 1] = ["findings::recommend"];

/// To each file those that it names.
type Graph = BTreeMap<String, BTreeSet<String>>;
/// Module paths, as `figures::budget`, with their sources.
type Sources = BTreeMap<String, String>;

fn sources(root: &Path) -> Sources {
    let mut found = Sources::new();
    let mut folders: Vec<PathBuf> = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.file_stem().is_some_and(|it| it == "tests") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let module = path.strip_prefix(root).unwrap().with_extension("");
                let module = module.to_str().unwrap().replace('/', "::");
                let module = module.strip_suffix("::mod").unwrap_or(&module).to_string();
                found.insert(module, without_tests(&std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// The code without comments and without what is compiled for tests only.
fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            // An item ends in its first line, or where its bracket closes.
            let item = lines.next().unwrap_or_default();
            let indent = &item[..item.len() - item.trim_start().len()];
            if !item.trim_end().ends_with(';') {
                lines.by_ref().find(|line| *line == format!("{indent}}}"));
            }
        } else if !line.trim_start().starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Identifiers and `::`, `{`, `}`, `,`; of anything else only that something is there.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = match first {
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        if !first.is_whitespace() {
            tokens.push(&rest[..len]);
        }
        rest = &rest[len..];
    }
    tokens
}

/// All paths of a tree such as `a::{b, c::d}`, which begins at `at`; where it ends.
fn tree<'a>(tokens: &[&'a str], mut at: usize, before: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> usize {
    let mut path = before.to_vec();
    loop {
        match tokens.get(at) {
            Some(&"{") => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    at = tree(tokens, at, &path, paths);
                    // A name of its own, or what separates two.
                    while tokens.get(at).is_some_and(|token| !matches!(*token, "," | "}")) {
                        at += 1;
                    }
                    at += usize::from(tokens.get(at) == Some(&","));
                }
                return at + 1;
            }
            Some(word) => path.push(word),
            None => return at,
        }
        if tokens.get(at + 1) != Some(&"::") {
            paths.push(path);
            return at + 1;
        }
        at += 2;
    }
}

/// The modules that a file names.
fn arrows(from: &str, sources: &Sources) -> BTreeSet<String> {
    let tokens = tokens(&sources[from]);
    let mut paths = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_first = at == 0 || tokens[at - 1] != "::";
        let is_path = tokens.get(at + 1) == Some(&"::");
        let child = join(from, token);
        if is_first && is_path && (matches!(*token, "crate" | "super" | "self") || sources.contains_key(&child)) {
            tree(&tokens, at, &[], &mut paths);
        }
    }
    paths.iter().map(|path| module_of(from, path, sources)).filter(|to| to != from).collect()
}

fn join(module: &str, child: &str) -> String {
    if module == "lib" || module.is_empty() { child.to_string() } else { format!("{module}::{child}") }
}

/// The file in which the last name of a path is looked for: that of the longest beginning that is a module.
fn module_of(from: &str, path: &[&str], sources: &Sources) -> String {
    let mut module = if from == "lib" { String::new() } else { from.to_string() };
    for name in path {
        match *name {
            "crate" => module.clear(),
            "super" => module = module.rsplit_once("::").map_or("", |(parent, _)| parent).to_string(),
            "self" => {}
            name if sources.contains_key(&join(&module, name)) => module = join(&module, name),
            _ => break,
        }
    }
    if module.is_empty() { "lib".into() } else { module }
}

fn graph(sources: &Sources) -> Graph {
    let room = |module: &str| {
        let of = ROOMS.iter().find(|room| module == **room || module.starts_with(&format!("{room}::")));
        of.map_or(module, |room| room).to_string()
    };
    let mut graph: Graph = BTreeMap::new();
    for from in sources.keys() {
        let to = arrows(from, sources).into_iter().map(|to| room(&to)).filter(|to| *to != room(from));
        graph.entry(room(from)).or_default().extend(to);
    }
    graph
}

fn folder(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

/// Arrows to a folder that comes later, or that is not ranked in the order.
fn against_the_order(graph: &Graph) -> Vec<String> {
    let place = |module: &str| match folder(module) {
        "lib" => Some(ORDER.len()),
        folder => ORDER.iter().position(|one| *one == folder),
    };
    let is_wrong = |from: &str, to: &str| place(from).zip(place(to)).is_none_or(|(from, to)| from < to);
    let arrows = graph.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
    arrows.filter(|(from, to)| is_wrong(from, to)).map(|(from, to)| format!("{from} -> {to}")).collect()
}

fn reached<'a>(graph: &'a Graph, from: &'a String) -> BTreeSet<&'a String> {
    let mut seen: BTreeSet<&String> = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        open.extend(graph.get(next).into_iter().flatten().filter(|to| seen.insert(to)));
    }
    seen
}

/// Files that reach each other, each circle once.
fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|from| (from, reached(graph, from))).collect();
    let circle = |from: &String| -> Vec<String> {
        reach[from]
            .iter()
            .filter(|to| reach.get(**to).is_some_and(|all| all.contains(from)))
            .map(|to| (*to).clone())
            .collect()
    };
    let all: BTreeSet<Vec<String>> = graph.keys().map(circle).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}

fn of_this_crate() -> Graph {
    graph(&sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")))
}

#[test]
fn no_file_uses_a_folder_that_comes_after_its_own() {
    let wrong = against_the_order(&of_this_crate());
    assert!(wrong.is_empty(), "{} arrows against the order of folders:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_files_form_a_circle() {
    let circles = circles(&of_this_crate());
    assert!(circles.is_empty(), "{} circles of files: {circles:#?}", circles.len());
}

#[test]
fn arrows_are_seen_in_every_form_in_which_they_can_stand() {
    let all = [
        ("lib", "pub use answer::Answer;"),
        ("answer", "use crate::figures::{self, figure::{Figure, Range as R}, budget::Skipped};\nuse std::fmt;"),
        ("figures", "mod budget;"),
        (
            "figures::figure",
            "use super::budget::Skipped;\n#[cfg(test)]\nmod tests {\n    use crate::answer::Answer;\n}\n",
        ),
        ("figures::budget", "// crate::lib\nfn all() -> u32 {\n    crate::answer::all(2)\n}"),
    ];
    let sources: Sources = all.iter().map(|(module, text)| (module.to_string(), without_tests(text))).collect();
    let graph = graph(&sources);
    let to = |from: &str| graph[from].iter().map(String::as_str).collect::<Vec<&str>>();
    assert_eq!(to("lib"), ["answer"]);
    assert_eq!(to("answer"), ["figures", "figures::budget", "figures::figure"]);
    assert_eq!(to("figures::figure"), ["figures::budget"]);
    assert_eq!(to("figures::budget"), ["answer"]);
    assert_eq!(against_the_order(&graph), ["figures::budget -> answer"]);
    assert_eq!(circles(&graph), [["answer", "figures::budget", "figures::figure"]]);
}
