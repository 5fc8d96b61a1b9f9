use kurabe_protocol::Schema;

use super::*;
use crate::fake::Fake;

fn posts(fake: &Fake) -> Posts {
    Posts::new(Box::new(fake.clone()), Arc::new(Layout::new(&Schema::key_value(8))))
}

fn latest(posts: &Posts, rows: u32) -> Vec<u32> {
    let mut all = Vec::new();
    posts.latest(rows, &mut |row, _| all.push(row)).unwrap();
    all
}

fn with_rows(rows: impl IntoIterator<Item = u32>) -> Fake {
    let fake = Fake::default();
    fake.rows.lock().unwrap().extend(rows.into_iter().map(|row| (row, b"12345678".to_vec())));
    fake
}

#[test]
fn no_gap_hides_rows_and_none_is_walked_through() {
    let fake = with_rows([0, 1, 200, 4_000_000_000]);
    let posts = posts(&fake);
    posts.look().unwrap();
    assert_eq!(latest(&posts, 3), [4_000_000_000, 200, 1]);
    assert_eq!(fake.reads.load(Ordering::SeqCst), 3, "as many as there are");
    assert_eq!(posts.add(None, b"87654321").unwrap(), Some(4_000_000_001));
    assert_eq!(latest(&posts, 1), [4_000_000_001]);
    let mut all = Vec::new();
    posts.scan(&mut |row, _| all.push(row)).unwrap();
    assert_eq!(all.len(), 5);
    assert_eq!(fake.lists.load(Ordering::SeqCst), 1, "the store is asked once");
}

#[test]
fn many_rows_that_were_deleted_are_not_looked_for_again() {
    let fake = with_rows(0..500);
    let posts = posts(&fake);
    posts.look().unwrap();
    (1..500).for_each(|row| assert_eq!(posts.delete(row).unwrap(), WriteOutcome::Done));
    fake.reads.store(0, Ordering::SeqCst);
    assert_eq!(latest(&posts, 50), [0]);
    assert_eq!(fake.reads.load(Ordering::SeqCst), 1);
    // What another program removes is missed once.
    fake.rows.lock().unwrap().clear();
    assert!(latest(&posts, 50).is_empty());
    fake.reads.store(0, Ordering::SeqCst);
    assert!(latest(&posts, 50).is_empty());
    assert_eq!(fake.reads.load(Ordering::SeqCst), 0);
}

#[test]
fn a_row_that_is_written_again_while_it_is_deleted_is_shown() {
    let fake = with_rows([7]);
    let posts = posts(&fake);
    posts.look().unwrap();
    // Another thread writes and notes the row between the deletion and the note of it.
    fake.rows.lock().unwrap().remove(&7);
    assert_eq!(posts.add(Some(7), b"again...").unwrap(), Some(7));
    let mut window = Box::new(fake.clone());
    posts.forget(&mut *window, 7).unwrap();
    assert_eq!(latest(&posts, 1), [7]);
}

#[test]
fn numbers_never_wrap() {
    let fake = with_rows([u32::MAX - 2]);
    let posts = posts(&fake);
    posts.look().unwrap();
    assert_eq!(posts.add(None, b"12345678").unwrap(), Some(u32::MAX - 1));
    for _ in 0..300 {
        let refused = posts.add(None, b"12345678").unwrap_err().to_string();
        assert_eq!(refused, "every number of a row was given");
    }
    assert_eq!(fake.rows.lock().unwrap().len(), 2);
}

#[test]
fn a_table_that_is_made_anew_has_other_rows() {
    let fake = with_rows([5]);
    let posts = posts(&fake);
    assert_eq!(latest(&posts, 9), [5]);
    posts.call(CallName::Reset);
    assert!(latest(&posts, 9).is_empty());
    assert_eq!(posts.add(Some(3), b"12345678").unwrap(), Some(3));
    assert_eq!(latest(&posts, 9), [3]);
}
