//! Gives both programs of a build one name, so that `kurabe` takes no `kurabe-servers` of another one.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Adds the contents of all files in `path`, in the order of their names.
fn add(path: &Path, to: &mut DefaultHasher) -> io::Result<()> {
    if path.is_dir() {
        let mut inside = fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
        inside.sort();
        return inside.iter().try_for_each(|path| add(path, to));
    }
    to.write(&fs::read(path)?);
    Ok(())
}

fn main() -> io::Result<()> {
    let mut crates = fs::read_dir("..")?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    crates.sort();
    let sources = crates.iter().map(|folder| folder.join("src")).filter(|source| source.is_dir());
    let mut hasher = DefaultHasher::new();
    for path in sources.chain([PathBuf::from("../../Cargo.lock")]) {
        println!("cargo::rerun-if-changed={}", path.display());
        add(&path, &mut hasher)?;
    }
    println!("cargo::rustc-env=KURABE_BUILD={:08x}", hasher.finish() >> 32);
    Ok(())
}
