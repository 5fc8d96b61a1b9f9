//! Checks the catalogues and writes one Rust type a message.

use std::path::{Path, PathBuf};

mod check;
mod generate;

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for folder in ["build", "en", "ja"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    let (english, japanese) = (read(&root, "en"), read(&root, "ja"));
    match check::check(&english, &japanese) {
        Ok(messages) => std::fs::write(out.join("catalogue.rs"), generate::rust(&messages, &english, &japanese))
            .expect("OUT_DIR can be written"),
        Err(problems) => panic!("the message catalogues are not sound:\n{}", problems.join("\n")),
    }
}

/// The files of one language in the order of their names.
fn read(root: &Path, language: &str) -> Vec<check::Source> {
    let folder = root.join(language);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("cannot read {}: {error}", folder.display()));
    let mut sources: Vec<check::Source> = entries
        .map(|entry| entry.expect("a folder that can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ftl"))
        .map(|path| check::Source {
            file: format!("{language}/{}", path.file_name().unwrap_or_default().to_string_lossy()),
            text: std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display())),
        })
        .collect();
    sources.sort_by(|a, b| a.file.cmp(&b.file));
    sources
}
