//! The commands of README, TUTORIAL and FAQ run as they are written, one after the other in a folder of their own.
//!
//! A command is a line of a block `console` that begins with `$ `. One whose first line has a comment `# needs: …` wants
//! what a test does not have: a server, a browser, ten minutes.

use std::path::Path;
use std::process::Command;

use crate::common::{Place, finish};

/// What a command may not be run without.
const NEEDS: &str = "# needs: ";

/// The commands of a page, each with the lines below it: a document that it reads, or a comment.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("\n```console\n").skip(1).map(|rest| rest.split("\n```").next().unwrap_or(rest));
    let mut commands: Vec<String> = Vec::new();
    for block in blocks {
        let mut is_first = true;
        for line in block.lines() {
            match (line.strip_prefix("$ "), is_first) {
                (Some(typed), _) => commands.push(typed.to_string()),
                // A comment above the first command.
                (None, true) => continue,
                (None, false) => commands.last_mut().expect("a command").extend(["\n", line]),
            }
            is_first = false;
        }
    }
    commands
}

/// Whether a test can run a command.
fn needs_nothing(command: &str) -> bool {
    command.lines().next().is_some_and(|line| !line.contains(NEEDS))
}

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).expect("a page")
}

/// Runs every command of a document that needs nothing, and returns how many.
fn run_all(name: &str) -> usize {
    let place = Place::new();
    place.open_to_everybody();
    let folder = place.path("");
    place.public_binary();
    let runs: Vec<String> = commands(&page(name)).into_iter().filter(|command| needs_nothing(command)).collect();
    for command in &runs {
        // Other tests keep the machine busy: no run waits for it to be idle.
        let typed = command.replace("kurabe run ", "kurabe run --anyway ");
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("bash");
        shell.args(["-euo", "pipefail", "-c", &typed]).current_dir(&folder).env("PATH", path).env("LANG", "C.UTF-8");
        let said = finish(&mut shell);
        assert_eq!(said.status, 0, "{name}: {command}\n{}\n{}", said.out, said.err);
    }
    runs.len()
}

#[test]
fn commands_are_found_with_the_lines_that_belong_to_them() {
    let page = "a\n```console\n# b\n$ one\n$ cat > a <<'EOF'\ntext\nEOF\n$ two # needs: b\n```\n```\n$ none\n```\n";
    assert_eq!(commands(page), ["one", "cat > a <<'EOF'\ntext\nEOF", "two # needs: b"]);
    assert!(needs_nothing("one") && !needs_nothing("two # needs: b"));
}

#[test]
fn every_command_of_the_tutorial_runs() {
    assert!(run_all("docs/TUTORIAL.md") >= 20);
}

#[test]
fn every_command_of_readme_and_of_the_questions_runs() {
    run_all("README.md");
    assert!(run_all("docs/FAQ.md") >= 3);
}

#[test]
fn the_japanese_pages_type_what_the_english_ones_type() {
    let typed = |name: &str| -> Vec<String> {
        let runs = commands(&page(name)).into_iter().filter(|command| needs_nothing(command));
        runs.map(|command| command.split(['\n', '#']).next().unwrap_or_default().trim_end().to_string()).collect()
    };
    for (english, japanese) in [("docs/TUTORIAL.md", "docs/TUTORIAL.ja.md"), ("README.md", "README.ja.md")] {
        assert_eq!(typed(english), typed(japanese), "{japanese}");
    }
}
