//! Versions of the drivers that this client was built with.

use crate::adapter::Texts;

/// The lock file of the build: the one place that tells the exact version of every crate.
const LOCK_FILE: &str = include_str!("../../../../Cargo.lock");

/// Versions of `packages`, as the lock file has them; of several versions of one package the last.
pub fn libraries(packages: &[&str]) -> Texts {
    let version = |package: &&str| Some((package.to_string(), version_in(LOCK_FILE, package)?.to_string()));
    packages.iter().filter_map(version).collect()
}

fn version_in<'a>(lock_file: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let (_, after) = lock_file.rsplit_once(&format!("\n{name}\n"))?;
    after.lines().next()?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_file_tells_versions_and_nothing_of_unknown_packages() {
        let lock =
            "[[package]]\nname = \"abc\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"bc\"\nversion = \"0.1.0\"\n";
        assert_eq!(version_in(lock, "abc"), Some("1.2.3"));
        assert_eq!(version_in(lock, "bc"), Some("0.1.0"));
        assert_eq!(version_in(lock, "c"), None);
        assert_eq!(libraries(&["serde", "no-such-package"]).len(), 1);
    }
}
