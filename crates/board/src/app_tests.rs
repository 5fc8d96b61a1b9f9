use std::sync::atomic::Ordering;

use kurabe_protocol::Schema;

use super::*;
use crate::fake::Fake;

/// Posts over a store with these rows, and their reader.
fn posts(fake: &Fake, numbers: &[u32]) -> (Posts, Reader) {
    let schema = Schema::key_value(8);
    let layout = Arc::new(Layout::new(&schema));
    fake.rows.lock().unwrap().extend(numbers.iter().map(|row| (*row, b"12345678".to_vec())));
    let posts = Posts::new(Box::new(fake.clone()), layout.clone());
    posts.look().unwrap();
    (posts, Reader::new(schema, layout))
}

/// All rows, by so many a request.
fn in_pieces(posts: &Posts, reader: &Reader, most: u32) -> Vec<Vec<u32>> {
    let (mut pieces, mut before) = (Vec::new(), None);
    loop {
        let mut rows = Rows::new(reader);
        let next = some(posts, &mut rows, most, before).unwrap();
        let out = String::from_utf8(rows.out).unwrap();
        let id = |piece: &str| piece.split([',', '}']).next().and_then(|id| id.parse().ok());
        let key = format!("{{\"{}\":", reader.key());
        pieces.push(out.split(&key).skip(1).filter_map(id).collect());
        match next {
            Some(next) => before = Some(next),
            None => return pieces,
        }
    }
}

#[test]
fn a_request_for_all_rows_gets_so_many_and_the_number_below_which_the_others_are() {
    let numbers = [0, 1, 2, 5, 6, 9, 70];
    for tells_latest in [false, true] {
        let fake = Fake { tells_latest, ..Fake::default() };
        let (posts, reader) = posts(&fake, &numbers);
        let pieces = in_pieces(&posts, &reader, 3);
        assert_eq!(pieces, [vec![70, 9, 6], vec![5, 2, 1], vec![0]], "{tells_latest}");
        assert_eq!(in_pieces(&posts, &reader, 7), [vec![70, 9, 6, 5, 2, 1, 0]], "{tells_latest}");
        assert_eq!(in_pieces(&posts, &reader, 0).concat(), [0; 0], "who wants none gets none");
        assert_eq!(in_pieces(&posts_of_none(), &reader, 3).concat(), [0; 0]);
    }
}

fn posts_of_none() -> Posts {
    posts(&Fake { tells_latest: true, ..Fake::default() }, &[]).0
}

#[test]
fn a_gap_holds_a_request_no_longer_than_it_may_and_is_passed_at_last() {
    let fake = Fake { tells_latest: true, ..Fake::default() };
    let (posts, reader) = posts(&fake, &[3, 4_000_000]);
    let began = std::time::Instant::now();
    let mut rows = Rows::new(&reader);
    let next = some(&posts, &mut rows, 9, Some(4_000_000)).unwrap();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(next.is_none_or(|next| (4..4_000_000).contains(&next)), "{next:?}");
    assert!(fake.reads.load(Ordering::SeqCst) > 0);
    let near = Rows::new(&reader);
    assert_eq!(some(&posts, &mut { near }, 9, Some(40)).unwrap(), None);
}
