use kurabe_protocol::{Candidate, Field, Schema, value::pool_bytes};

use super::*;

/// Posts of a category and a text of `len_bytes`, of which `rows` are loaded.
fn posts(len_bytes: u32, rows: u64) -> Result<(TextRows, Arc<Layout>, Arc<Pool>), StoreError> {
    let text = |name, len_bytes| Field::new(name, FieldType::Text, Some(len_bytes));
    let fields = vec![Field::new("id", FieldType::Int64, None), text("category", 4), text("text", len_bytes)];
    let schema = Schema { fields };
    let layout = Arc::new(Layout::new(&schema));
    let pool = Arc::new(Pool::new(&pool_bytes(1, 0.0), &layout).unwrap());
    let candidate = Candidate { name: "file".into(), store: "http".into(), wire: "http".into(), variant: None };
    let job = Job::new("1", candidate, schema, rows);
    Ok((TextRows::new(&job, &layout, &pool)?, layout, pool))
}

/// What comes out of an answer: rows, and whether each is whole.
fn read(of: &(TextRows, Arc<Layout>, Arc<Pool>), answer: &[u8], most: Option<u32>) -> Result<Vec<(u32, bool)>, String> {
    let (texts, layout, pool) = of;
    let mut seen = Vec::new();
    let mut check = |row: u32, raw: &[u8]| seen.push((row, layout.check(pool, row, raw, 0, 0).is_ok()));
    let mut sink = RowSink::new(layout, &mut check);
    let read = texts.read_all(answer, most, &mut sink);
    sink.finish();
    drop(sink);
    read.map_err(|error| error.to_string())?;
    Ok(seen)
}

fn text((texts, layout, pool): &(TextRows, Arc<Layout>, Arc<Pool>), row: u32) -> String {
    let mut raw = vec![0; layout.len_bytes()];
    layout.write(pool, row, 0, &mut raw);
    String::from_utf8(texts.text(&raw).to_vec()).unwrap()
}

#[test]
fn texts_tell_their_rows() {
    for len_bytes in [8, 12, 30] {
        let posts = posts(len_bytes, 10_000).unwrap();
        let lines: String = [7, 9_999, 0, 8].map(|row| format!("{}\n", text(&posts, row))).concat();
        let newest_first = vec![(8, true), (0, true), (9_999, true), (7, true)];
        assert_eq!(read(&posts, lines.as_bytes(), None), Ok(newest_first.clone()), "{len_bytes}");
        // A file that is sent whole has more than was asked for, and one that is being written may lack its last newline.
        assert_eq!(read(&posts, lines.trim_end().as_bytes(), Some(2)), Ok(newest_first[..2].to_vec()));
        let json = format!(r#"[{{"text":"{}"}},{{"text":"{}"}}]"#, text(&posts, 3), text(&posts, 5));
        assert_eq!(read(&posts, json.as_bytes(), Some(1)), Ok(vec![(3, true), (5, true)]), "as they came");
        assert_eq!((read(&posts, b"", None), read(&posts, b"[]", None)), (Ok(vec![]), Ok(vec![])));
    }
}

#[test]
fn what_is_no_text_of_a_row_is_found() {
    for len_bytes in [8, 30] {
        let posts = posts(len_bytes, 100).unwrap();
        let right = text(&posts, 42);
        for wrong in [&right[1..], &format!("{right}x"), "", "another!", &text(&posts, 42).replace(&right[7..8], "?")] {
            let lines = format!("{right}\n{wrong}\n{right}\n");
            let seen = read(&posts, lines.as_bytes(), Some(1)).unwrap();
            assert_eq!(seen.iter().filter(|(row, _)| *row == u32::MAX).count(), 1, "{wrong}: {seen:?}");
        }
        for (answer, words) in [
            (format!(r#"[{{"id":1,"text":"{right}"}}]"#), "'text' does not stand first"),
            (format!(r#"[{{"text":"{right}","id":1}}]"#), "'id' stands beside"),
            ("[1]".into(), "an object with one text"),
        ] {
            let error = read(&posts, answer.as_bytes(), None).unwrap_err();
            assert!(error.contains(words), "{answer}: {error}");
        }
    }
}

#[test]
fn texts_that_do_not_tell_their_rows_are_refused() {
    for (len_bytes, rows, words) in [(7, 10, "8 bytes or more"), (8, 2_000_000, "warmup_count")] {
        let error = posts(len_bytes, rows).err().expect(words).to_string();
        assert!(error.contains(words), "{error}");
    }
    assert!(posts(25, 2_000_000).is_ok(), "they have their rows' digits");
}
