//! What a user brings in a folder, beside what travels in the binary: `stores/NAME/store.toml`, `clients/NAME/client.toml`,
//! `apps/NAME/app.toml` and `studies/NAME.toml`.

use std::path::{Path, PathBuf};

use kurabe_messages::{Message, message};
use sha2::{Digest, Sha256};

use crate::error::{StudyError, kind_name, quoted};

/// Folders that languages fill with what they compiled or fetched.
const BESIDE_SOURCES: [&str; 5] = ["__pycache__", "node_modules", "target", "vendor", "venv"];
/// Most bytes of a file.
const MOST_BYTES: u64 = 1 << 20;

/// A file of a folder of definitions.
pub(crate) struct Definition {
    /// Its folder's name, or that of the file without its ending.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// Digest of its folder; empty for a file that has none of its own.
    pub(crate) digest: String,
}

impl Definition {
    /// The path, for errors.
    pub(crate) fn origin(&self) -> String {
        self.path.display().to_string()
    }

    /// The folder that it stands in.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        self.path.parent().map(Path::to_path_buf)
    }

    /// Refuses one that takes the name of a built-in one without saying so.
    pub(crate) fn check(&self, what: &str, replaces: bool, is_known: bool) -> Result<(), StudyError> {
        let (thing, name) = (kind_name(what), &self.name);
        let problem = match (replaces, is_known) {
            (false, true) => message!(definitions_taken, thing, name),
            (true, false) => message!(definitions_replaces_nothing, thing, name),
            _ => return Ok(()),
        };
        Err(StudyError::value(&self.origin(), problem))
    }

    /// Refuses a name that is not that of its folder.
    pub(crate) fn check_name(&self, name: &str) -> Result<(), StudyError> {
        if name == self.name {
            return Ok(());
        }
        Err(StudyError::value(&self.origin(), message!(definitions_name_differs, name, folder = &self.name)))
    }
}

/// Whether a text can be the name of something.
pub fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    !name.is_empty() && name.len() <= 64 && name.bytes().all(is_plain)
}

/// The folders of a folder of definitions.
pub const PARTS: [&str; 4] = ["stores", "clients", "apps", "studies"];

/// The folder of definitions; it has at least one of the folders that are looked for.
pub(crate) fn open(folder: &Path) -> Result<PathBuf, StudyError> {
    let problem = |problem: Message| StudyError::value(&format!("'{}'", folder.display()), problem);
    let root = folder.canonicalize().map_err(|error| problem(message!(definitions_open, error)))?;
    if PARTS.iter().any(|part| root.join(part).is_dir()) {
        return Ok(root);
    }
    Err(problem(message!(definitions_no_parts, parts = PARTS)))
}

/// The definitions in `part` of a folder: of each folder in it the file `file`, by name.
pub(crate) fn in_folders(root: &Path, part: &str, file: &str) -> Result<Vec<Definition>, StudyError> {
    let mut folders = entries(&root.join(part))?;
    folders.retain(|folder| folder.is_dir());
    let definition = |folder: &PathBuf| {
        let path = folder.join(file);
        if !path.exists() {
            return misspelt(folder, file).map_or(Ok(None), Err);
        }
        let found = read(root, path, folder)?;
        let digest = digest(folder).map_err(|error| StudyError::value(&shown(folder), quoted(error)))?;
        Ok(Some(Definition { digest, ..found }))
    };
    folders.iter().map(definition).filter_map(Result::transpose).collect()
}

/// SHA-256 over the files of a folder, their names and what they hold, in hexadecimal digits. What tools put beside sources
/// ([`BESIDE_SOURCES`], and what is hidden) does not count.
fn digest(folder: &Path) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    add(&mut hash, folder, folder)?;
    Ok(hex(hash))
}

fn add(hash: &mut Sha256, root: &Path, folder: &Path) -> std::io::Result<()> {
    let mut entries: Vec<std::fs::DirEntry> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let is_beside = |entry: &std::fs::DirEntry| {
        let name = entry.file_name();
        name.as_encoded_bytes().starts_with(b".") || BESIDE_SOURCES.iter().any(|known| name == *known)
    };
    for entry in entries.into_iter().filter(|entry| !is_beside(entry)) {
        let (path, kind) = (entry.path(), entry.file_type()?);
        add_part(hash, path.strip_prefix(root).unwrap_or(&path).as_os_str().as_encoded_bytes());
        add_part(hash, &if kind.is_file() { std::fs::read(&path)? } else { Vec::new() });
        if kind.is_dir() {
            add(hash, root, &path)?;
        }
    }
    Ok(())
}

/// With its length, so that no two lists of parts are one text.
fn add_part(hash: &mut Sha256, part: &[u8]) {
    hash.update((part.len() as u64).to_le_bytes());
    hash.update(part);
}

/// SHA-256 over definitions, after those of the folders before, in hexadecimal digits.
pub(crate) fn digest_of(before: Option<&str>, found: &[Definition]) -> String {
    let mut hash = Sha256::new_with_prefix(before.unwrap_or_default());
    for one in found {
        add_part(&mut hash, one.name.as_bytes());
        add_part(&mut hash, one.digest.as_bytes());
    }
    hex(hash)
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The mistake that a folder has TOML in it, and not under the name that is looked for.
fn misspelt(folder: &Path, file: &str) -> Option<StudyError> {
    let is_toml = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml");
    let found = entries(folder).ok()?.into_iter().find(is_toml)?;
    Some(StudyError::value(&shown(&found), message!(definitions_misspelt, file)))
}

/// The files in `part` of a folder that end in `.toml`.
pub(crate) fn files(root: &Path, part: &str) -> Result<Vec<Definition>, StudyError> {
    let mut files = entries(&root.join(part))?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.iter().map(|file| read(root, file.clone(), &file.with_extension(""))).collect()
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, StudyError> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect()),
    };
    let mut paths: Vec<PathBuf> = entries.map_err(|error| StudyError::value(&shown(folder), quoted(error)))?;
    paths.sort();
    Ok(paths)
}

fn read(root: &Path, path: PathBuf, named: &Path) -> Result<Definition, StudyError> {
    let problem = |problem: Message| StudyError::value(&shown(&path), problem);
    let name = named.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_string();
    if !is_plain(&name) {
        return Err(problem(message!(definitions_name)));
    }
    let unreadable = |error: std::io::Error| problem(message!(definitions_unreadable, error));
    // What lies elsewhere could be anybody's, and would not be there on another machine.
    if !path.canonicalize().map_err(unreadable)?.starts_with(root) {
        return Err(problem(message!(definitions_link, folder = root.display())));
    }
    let text = kurabe_machine::read_text(&path, MOST_BYTES).map_err(unreadable)?;
    Ok(Definition { name, path, text, digest: String::new() })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{Catalogue, parse_candidate};

    const TWIN: &str = "name = 'twin'\nextends = 'redis'\nwire = 'redis'\ntitle = 'Twin'\n[[identity]]\ntold = 'twin_version'\n\
                        [service]\nuser = 'nobody'\n[service.binaries]\nserver = ['twin-server']\n";
    const CLIENT: &str = "name = 'mine'\ntitle = 'Mine'\nrun = ['{client}/run']\nconnections = 'threads'\nstores = ['redis']\n\
                          [probe]\n'*' = ['true']\n";

    fn write(folder: &Path, file: &str, text: &str) {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("a file");
    }

    fn read(folder: &Path) -> Result<Catalogue, String> {
        Catalogue::builtin().and_then(|all| all.with_definitions(folder)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_twin_of_a_known_protocol_is_driven_by_every_client_of_it() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "stores/twin/store.toml", TWIN);
        write(folder.path(), "clients/mine/client.toml", CLIENT);
        write(folder.path(), "studies/short.toml", "title = 'What?'\n");
        let catalogue = read(folder.path()).expect_err("a study without phases");
        assert!(catalogue.contains("short.toml"), "{catalogue}");
        let quick = Catalogue::builtin().expect("the built-in ones").study_text("quick").expect("a study").to_string();
        write(folder.path(), "studies/short.toml", &quick);
        let catalogue = read(folder.path()).expect("right");
        let twin = catalogue.store("twin").expect("the twin");
        let redis = catalogue.store("redis").expect("redis");
        assert_eq!(
            (twin.wire(), &twin.clients, twin.durability.len()),
            ("redis", &redis.clients, redis.durability.len())
        );
        assert!(twin.clients.contains(&"mine".to_string()) && twin.title == "Twin");
        for name in ["twin", "twin+node:ioredis", "twin+mine", "twin/serve"] {
            parse_candidate(&catalogue, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let told =
            [("version", "7"), ("twin_version", "1")].map(|(name, it)| (name.to_string(), it.to_string())).into();
        assert_eq!(twin.is_another(&told), None);
        assert!(redis.is_another(&told).is_some_and(|why| why.to_string().contains("the store 'twin'")));
        assert!(catalogue.studies().contains(&"short".to_string()));
    }

    #[test]
    fn what_cannot_be_is_refused_by_the_name_of_its_file() {
        let many = "x".repeat(2 << 20);
        let far = TWIN.replace("'redis'\nwire", "'rediss'\nwire");
        for (file, text, word) in [
            ("stores/redis/store.toml", TWIN.replace("'twin'", "'redis'"), "set replaces = true"),
            (
                "stores/twin/store.toml",
                TWIN.replace("extends = 'redis'", "extends = 'twin'"),
                "extends = 'twin' makes a circle",
            ),
            ("stores/twin/store.toml", TWIN.replace("twin_version", "version"), "also needs 'holds'"),
            ("stores/twin/store.toml", TWIN.replace("twin_version", "valkey_version"), "have the same [[identity]]"),
            (
                "stores/twin/store.toml",
                TWIN.replace("wire = 'redis'", "wire = 'gopher'\nrust_client = false"),
                "no client drives 'twin'",
            ),
            ("clients/mine/client.toml", CLIENT.replace("title", "also = ['php']\ntitle"), "'also' has 'php'"),
            ("stores/sqlite/store.toml", TWIN.replace("'twin'", "'sqlite'"), "set replaces = true"),
            (
                "stores/twin/store.toml",
                TWIN.replace("title", "replaces = true\ntitle"),
                "there is no store 'twin' to replace",
            ),
            ("stores/other/store.toml", TWIN.into(), "the name is 'twin', but the folder is 'other'"),
            ("stores/twin/store.toml", far, "extends: unknown store 'rediss'; did you mean 'redis'?"),
            ("stores/twin/store.toml", TWIN.replace("user =", "usr ="), "did you mean 'user'? (line 8, column 1)"),
            ("stores/Twin/store.toml", TWIN.into(), "a name has 1 to 64 of the characters a to z"),
            ("stores/twin/store.toml", many.clone(), "it is larger than 1,048,576 bytes"),
            ("stores/twin/store.toml", "\0\u{1}".into(), "line 1"),
            ("clients/rust/client.toml", CLIENT.replace("'mine'", "'rust'"), "client 'rust' exists already"),
            ("clients/python/client.toml", CLIENT.replace("'mine'", "'python'"), "client 'python' exists already"),
            ("clients/jdbc/client.toml", CLIENT.replace("'mine'", "'jdbc'"), "client 'jdbc' exists already"),
            ("clients/mine/client.toml", CLIENT.replace("['redis']", "['rediss']"), "did you mean 'redis'?"),
            ("clients/mine/client.toml", CLIENT.replace("connections", "conections"), "did you mean 'connections'?"),
            ("studies/quick.toml", "title = 'x'\nphases = []\n".into(), "studies/quick.toml"),
            ("clients/mine/client.toml", CLIENT.replace("['{client}/run']", "[]"), "'run' names no program"),
            (
                "clients/mine/client.toml",
                format!("{CLIENT}[build]\ncommand = ['true']\nproduct = '../x'\nneeds = []\ninstall = 'x'\n"),
                "the product '../x' is outside of",
            ),
            ("stores/twin/stores.toml", TWIN.into(), "a definition has the name 'store.toml'; rename the file"),
            ("stores/README.md", String::new(), ""),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            write(folder.path(), file, &text);
            match read(folder.path()) {
                Ok(_) => assert_eq!(word, "", "{file} is taken"),
                Err(error) => assert!(!word.is_empty() && error.contains(word) && error.len() < 600, "{word}: {error}"),
            }
        }
    }

    #[test]
    fn changed_definitions_and_sources_have_another_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), "stores/twin/store.toml", TWIN);
        write(folder.path(), "clients/mine/client.toml", CLIENT);
        write(folder.path(), "clients/mine/src/main.x", "1");
        let of = || read(folder.path()).expect("right").definitions().map(str::to_string);
        let sources = || digest(&folder.path().join("clients/mine")).expect("a folder");
        let (before, built) = (of(), sources());
        assert!(before.is_some() && before == of() && built == sources());
        write(folder.path(), "clients/mine/src/main.x", "2");
        assert!(before != of() && built != sources());
        let changed = of();
        write(folder.path(), "clients/mine/__pycache__/x", "2");
        assert_eq!(of(), changed, "what Python puts there is no source");
        write(folder.path(), "stores/twin/store.toml", &TWIN.replace("'Twin'", "'Twins'"));
        assert!(before != of());
        assert_eq!(Catalogue::builtin().expect("the built-in ones").definitions(), None);
    }

    #[test]
    fn nothing_is_taken_from_outside_of_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        write(outside.path(), "twin/store.toml", TWIN);
        std::fs::create_dir(folder.path().join("stores")).expect("a folder");
        symlink(outside.path().join("twin"), folder.path().join("stores/twin")).expect("a link");
        let error = read(folder.path()).map(drop).expect_err("a link to the outside");
        assert!(error.contains("stores/twin/store.toml") && error.contains("outside of"), "{error}");
        let error = read(outside.path()).map(drop).expect_err("no folder of definitions");
        assert!(error.contains("holds at least one of the folders stores, clients, apps, studies"), "{error}");
        let error = read(&folder.path().join("nowhere")).map(drop).expect_err("nothing");
        assert!(error.contains("No such file"), "{error}");
    }
}
