use proptest::prelude::*;

use super::*;

const ROOM: u64 = 1 << 20;

fn tree() -> Tree {
    Tree::new(ROOM)
}

fn name(name: &str) -> &OsStr {
    OsStr::new(name)
}

fn make(tree: &mut Tree, folder: u64, at: &str, body: Body) -> u64 {
    tree.make(folder, name(at), Attributes::new(0o644, 0, 0, 0), body).expect("a free name")
}

fn write(tree: &mut Tree, file: u64, at: u64, text: &str) {
    tree.change(file, Change::Write { at, bytes: text.as_bytes().to_vec() }).expect("room");
}

/// Every path with its content.
fn contents(tree: &Tree) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(String::new(), ROOT)];
    while let Some((path, folder)) = folders.pop() {
        for (name, file) in tree.names(folder).expect("a folder") {
            let path = format!("{path}/{}", name.to_string_lossy());
            match &tree.node(*file).expect("what has a name").body {
                Body::Folder(_) => folders.push((path, *file)),
                Body::File(file) => drop(found.insert(path, String::from_utf8_lossy(&file.now.read(0, 99)).into())),
                _ => drop(found.insert(path, "?".into())),
            }
        }
    }
    found
}

/// What a cut leaves where all that was not synced is dropped.
fn after_cut(tree: &Tree) -> Vec<(String, String)> {
    contents(&tree.after_cut(Unsynced::Dropped, 0).0).into_iter().collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(path, text)| ((*path).to_string(), (*text).to_string())).collect()
}

#[test]
fn a_cut_takes_what_was_not_synced_of_content_and_of_names() {
    let mut tree = tree();
    let file = make(&mut tree, ROOT, "a", Body::File(File::default()));
    write(&mut tree, file, 0, "old");
    assert_eq!(after_cut(&tree), []);
    tree.sync(file, true);
    write(&mut tree, file, 0, "new");
    assert_eq!(after_cut(&tree), pairs(&[("/a", "old")]));
    // The folder is synced, the file is not: it is there and holds nothing.
    make(&mut tree, ROOT, "b", Body::File(File::default()));
    tree.sync(ROOT, false);
    assert_eq!(after_cut(&tree), pairs(&[("/a", "old"), ("/b", "")]));
    tree.sync_all();
    assert_eq!(after_cut(&tree), pairs(&[("/a", "new"), ("/b", "")]));
}

/// SQLite with a journal that is deleted: the commit is the removal of its name, which nobody syncs.
#[test]
fn a_journal_that_was_removed_is_back_where_its_folder_was_not_synced() {
    let mut tree = tree();
    let data = make(&mut tree, ROOT, "data", Body::File(File::default()));
    write(&mut tree, data, 0, "old");
    tree.sync_all();
    let journal = make(&mut tree, ROOT, "journal", Body::File(File::default()));
    write(&mut tree, journal, 0, "old");
    tree.sync(journal, false);
    tree.sync(ROOT, false);
    write(&mut tree, data, 0, "new");
    tree.sync(data, false);
    tree.unlink(ROOT, name("journal")).expect("it is there");
    assert_eq!(after_cut(&tree), pairs(&[("/data", "new"), ("/journal", "old")]));
    tree.sync(ROOT, false);
    assert_eq!(after_cut(&tree), pairs(&[("/data", "new")]));
}

/// MySQL renames files of its log, and syncs no folder. Any fsync after a write, and any sync of a file whose size changed,
/// takes new names along; an fdatasync of bytes alone does not.
#[test]
fn a_new_name_is_durable_when_the_journal_was_written_and_not_before() {
    for (text, is_data, found) in [("same", false, "/new"), ("same", true, "/old"), ("longer", true, "/new")] {
        let mut tree = tree();
        let renamed = make(&mut tree, ROOT, "old", Body::File(File::default()));
        let other = make(&mut tree, ROOT, "z", Body::File(File::default()));
        [renamed, other].into_iter().for_each(|file| write(&mut tree, file, 0, "text"));
        tree.sync_all();
        tree.rename((ROOT, name("old")), (ROOT, name("new")), RenameFlags::empty()).expect("it is there");
        write(&mut tree, other, 0, text);
        tree.sync(other, is_data);
        assert_eq!(after_cut(&tree)[0].0, found, "{text}, {is_data}");
        tree.sync(renamed, true);
        assert_eq!(after_cut(&tree)[0].0, "/new", "a file that is synced is found under its name");
    }
}

#[test]
fn a_rename_over_a_file_leaves_the_old_or_the_new_one_never_none() {
    let mut tree = tree();
    let old = make(&mut tree, ROOT, "config", Body::File(File::default()));
    write(&mut tree, old, 0, "old");
    tree.sync_all();
    let new = make(&mut tree, ROOT, "config.new", Body::File(File::default()));
    write(&mut tree, new, 0, "new");
    tree.sync(new, false);
    tree.rename((ROOT, name("config.new")), (ROOT, name("config")), RenameFlags::empty()).expect("it is there");
    assert_eq!(contents(&tree).into_iter().collect::<Vec<_>>(), pairs(&[("/config", "new")]));
    assert_eq!(after_cut(&tree), pairs(&[("/config", "old"), ("/config.new", "new")]));
    for unsynced in [Unsynced::Dropped, Unsynced::Kept, Unsynced::Prefix, Unsynced::Reordered, Unsynced::Torn] {
        for seed in 0..50 {
            let (left, _) = tree.after_cut(unsynced, seed);
            let config = contents(&left).remove("/config");
            assert!(matches!(config.as_deref(), Some("old" | "new")), "{unsynced:?} {seed}: {config:?}");
        }
    }
}

#[test]
fn the_same_seed_leaves_the_same_and_what_was_not_synced_is_counted() {
    let mut tree = tree();
    for at in ["a", "b", "c", "d"] {
        let file = make(&mut tree, ROOT, at, Body::File(File::default()));
        write(&mut tree, file, 0, "1");
        tree.sync(file, true);
        write(&mut tree, file, 1, "23");
        write(&mut tree, file, 3, "4");
    }
    let left = |seed: u64| contents(&tree.after_cut(Unsynced::Reordered, seed).0);
    assert_eq!(left(7), left(7));
    assert!((0..20).any(|seed| left(seed) != left(7)));
    let (_, record) = tree.after_cut(Unsynced::Torn, 1);
    assert_eq!(record, CutRecord { unsynced: Unsynced::Torn, writes: 8, bytes: 12, names: 0, syncs: 4 });
}

#[test]
fn names_that_are_taken_missing_or_of_the_wrong_kind_are_refused_as_by_any_system() {
    let mut tree = tree();
    let folder = make(&mut tree, ROOT, "d", Body::Folder(Names::new()));
    let file = make(&mut tree, folder, "f", Body::File(File::default()));
    let code = |answer: Result<(), Errno>| answer.expect_err("it is refused").code();
    assert_eq!(code(tree.rmdir(ROOT, name("d"))), libc::ENOTEMPTY);
    assert_eq!(code(tree.unlink(ROOT, name("d"))), libc::EISDIR);
    assert_eq!(code(tree.unlink(folder, name("no"))), libc::ENOENT);
    assert_eq!(code(tree.link(file, folder, name("f"))), libc::EEXIST);
    assert_eq!(code(tree.link(folder, ROOT, name("e"))), libc::EPERM);
    let (from, to) = ((folder, name("f")), (ROOT, name("d")));
    assert_eq!(code(tree.rename(from, to, RenameFlags::empty())), libc::EISDIR);
    assert_eq!(code(tree.rename(to, from, RenameFlags::empty())), libc::ENOTDIR);
    assert_eq!(code(tree.rename(from, to, RenameFlags::RENAME_NOREPLACE)), libc::EEXIST);
    tree.rename(from, (ROOT, name("g")), RenameFlags::empty()).expect("free");
    tree.rename((ROOT, name("g")), to, RenameFlags::RENAME_EXCHANGE).expect("both are there");
    assert_eq!(tree.lookup(ROOT, name("d")).ok(), Some(file));
    tree.rmdir(ROOT, name("g")).expect("an empty folder");
    assert_eq!(code(tree.change(file, Change::Write { at: 0, bytes: vec![1; 1 << 21] })), libc::ENOSPC);
}

#[test]
fn room_is_given_back_by_what_nobody_reaches() {
    let mut tree = tree();
    let file = make(&mut tree, ROOT, "f", Body::File(File::default()));
    tree.open(file).expect("it is there");
    write(&mut tree, file, 0, "text");
    tree.allocate(file, 0, 9_000, 0).expect("room");
    assert_eq!(tree.file(file).expect("it is there").now.len(), 9_000);
    tree.allocate(file, 1, 3, libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE).expect("room");
    assert_eq!(tree.file(file).expect("it is there").now.read(0, 5), [b't', 0, 0, 0, 0]);
    assert_eq!(tree.used_bytes(), 3 * 4096, "what was allocated is taken");
    tree.unlink(ROOT, name("f")).expect("it is there");
    tree.sync_all();
    assert!(tree.node(file).is_ok(), "it is open");
    tree.close(file);
    tree.sync_all();
    assert!(tree.node(file).is_err());
    assert_eq!(tree.used_bytes(), 0);
}

/// One step of a user: on which of three names, and what.
fn step(tree: &mut Tree, (name_at, kind, text): &(u8, u8, String)) {
    let names = ["a", "b", "c"];
    let at = name(names[usize::from(name_at % 3)]);
    let other = name(names[usize::from((name_at + 1) % 3)]);
    let file = tree.lookup(ROOT, at).ok();
    match (kind % 7, file) {
        (0 | 1, None) => drop(tree.make(ROOT, at, Attributes::new(0o644, 0, 0, 0), Body::File(File::default()))),
        (0 | 1, Some(file)) => write(tree, file, 0, text),
        (2, Some(file)) => tree.sync(file, true),
        (3, _) => tree.sync(ROOT, false),
        (4, Some(_)) => tree.unlink(ROOT, at).expect("it is there"),
        (5, Some(_)) => tree.rename((ROOT, at), (ROOT, other), RenameFlags::empty()).expect("it is there"),
        (6, Some(file)) => tree.change(file, Change::Resize(text.len() as u64 / 2)).expect("room"),
        _ => {}
    }
}

proptest! {
    /// What is kept is what users saw; what was synced and not touched since is there after every cut; a second cut right
    /// after takes nothing more.
    #[test]
    fn cuts_keep_their_promises(
        steps in prop::collection::vec((any::<u8>(), any::<u8>(), "[a-z]{1,6}"), 1..40),
        seed in any::<u64>(),
    ) {
        let mut tree = tree();
        steps.iter().for_each(|one| step(&mut tree, one));
        prop_assert_eq!(contents(&tree.after_cut(Unsynced::Kept, seed).0), contents(&tree));
        for unsynced in [Unsynced::Dropped, Unsynced::Prefix, Unsynced::Reordered, Unsynced::Torn] {
            let (left, _) = tree.after_cut(unsynced, seed);
            let again = contents(&left.after_cut(Unsynced::Dropped, seed).0);
            prop_assert_eq!(contents(&left), again);
        }
        tree.sync_all();
        let synced = contents(&tree);
        for unsynced in [Unsynced::Dropped, Unsynced::Prefix, Unsynced::Reordered, Unsynced::Torn] {
            prop_assert_eq!(&contents(&tree.after_cut(unsynced, seed).0), &synced);
        }
    }
}

#[test]
fn a_full_disk_takes_what_has_its_room_and_what_is_given_back() {
    let mut tree = tree();
    let file = make(&mut tree, ROOT, "a", Body::File(File::default()));
    write(&mut tree, file, 0, "old");
    tree.allocate(file, 8_192, 4_096, 0).expect("room");
    let other = make(&mut tree, ROOT, "b", Body::File(File::default()));
    write(&mut tree, other, 0, "other");
    tree.fill(true);
    let put = |tree: &mut Tree, at: u64| tree.change(file, Change::Write { at, bytes: b"new".to_vec() });
    assert_eq!(put(&mut tree, 100), Ok(()), "in a block that it has");
    assert_eq!(put(&mut tree, 8_192), Ok(()), "in one that was allocated");
    let code = |result: Result<(), Errno>| result.expect_err("no room").code();
    assert_eq!(code(put(&mut tree, 4_096)), libc::ENOSPC, "in a hole");
    assert_eq!(code(put(&mut tree, 12_288)), libc::ENOSPC, "behind the end");
    assert_eq!(code(tree.allocate(file, 12_288, 4_096, 0)), libc::ENOSPC);
    assert_eq!(tree.file(file).expect("a file").now.read(8_190, 5), b"\0\0new");
    tree.unlink(ROOT, name("b")).expect("it is there");
    let put = |tree: &mut Tree, at: u64| tree.change(file, Change::Write { at, bytes: b"new".to_vec() });
    assert_eq!(put(&mut tree, 4_096), Ok(()), "in the room of the other");
    assert_eq!(code(put(&mut tree, 12_288)), libc::ENOSPC);
    tree.fill(false);
    assert_eq!(put(&mut tree, 12_288), Ok(()));
}

/// A later sync that succeeds writes nothing of what a failed one was to write, but for pages that were written to again.
#[test]
fn what_a_failed_sync_was_to_write_is_read_and_does_not_reach_the_device() {
    let mut tree = tree();
    let file = make(&mut tree, ROOT, "a", Body::File(File::default()));
    write(&mut tree, file, 0, "old");
    write(&mut tree, file, 4_096, "old");
    tree.sync(file, false);
    write(&mut tree, file, 0, "new");
    write(&mut tree, file, 4_096, "new");
    tree.fail_sync(file);
    assert_eq!(tree.file(file).expect("a file").now.read(0, 3), b"new");
    write(&mut tree, file, 4_099, "er");
    tree.sync(file, false);
    let (cut, _) = tree.after_cut(Unsynced::Dropped, 0);
    let left = |at: u64| cut.file(file).expect("a file").now.read(at, 5);
    assert_eq!([left(0), left(4_096)], [b"old\0\0".to_vec(), b"newer".to_vec()]);
}
