use super::*;
use crate::schema::Field;
use proptest::prelude::*;

fn seven_columns() -> Schema {
    let field = Field::new;
    Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("title", FieldType::Text, Some(40)),
            field("visits", FieldType::Int64, None),
            field("code", FieldType::Text, Some(3)),
            field("score", FieldType::Int64, None),
            field("body", FieldType::Text, Some(120)),
            field("blob", FieldType::Bytes, Some(30)),
        ],
    }
}

fn schemas() -> Vec<Schema> {
    vec![Schema::key_value(1), Schema::key_value(24), Schema::key_value(25), Schema::key_value(200), seven_columns()]
}

fn pool(layout: &Layout) -> Pool {
    Pool::new(&pool_bytes(7, 0.0), layout).expect("a pool of the right size")
}

fn written(layout: &Layout, pool: &Pool, row: u32, version: u32) -> Vec<u8> {
    let mut raw = vec![0; layout.len_bytes()];
    layout.write(pool, row, version, &mut raw);
    raw
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_value_is_right_exactly_in_ranges_that_hold_its_version(row: u32, version in 0u32..1000, low in 0u32..1000, span in 0u32..50) {
        for schema in schemas() {
            let layout = Layout::new(&schema);
            let pool = pool(&layout);
            let raw = written(&layout, &pool, row, version);
            let high = low + span;
            let within = (low..=high).contains(&version);
            if layout.len_bytes() >= HEAD_BYTES {
                prop_assert_eq!(layout.check(&pool, row, &raw, low, high).is_ok(), within);
            } else if within {
                prop_assert!(layout.check(&pool, row, &raw, low, high).is_ok());
            }
        }
    }

    #[test]
    fn any_changed_byte_is_seen(row: u32, version: u32, at in 0usize..10_000, change in 1u8..255) {
        for schema in schemas() {
            let layout = Layout::new(&schema);
            let pool = pool(&layout);
            let mut raw = written(&layout, &pool, row, version);
            let at = at % raw.len();
            raw[at] = raw[at].wrapping_add(change);
            prop_assert!(layout.check(&pool, row, &raw, version, version).is_err());
        }
    }
}

#[test]
fn a_wrong_value_is_named_by_what_is_wrong() {
    let layout = Layout::new(&Schema::key_value(100));
    let pool = pool(&layout);
    let raw = written(&layout, &pool, 5, 2);
    assert_eq!(layout.check(&pool, 5, &raw, 2, 2), Ok(2));
    assert_eq!(layout.check(&pool, 5, &raw, 3, 4), Err(Wrong::Version(2)));
    assert_eq!(layout.check(&pool, 6, &raw, 2, 2), Err(Wrong::Row));
    assert_eq!(layout.check(&pool, 5, &raw[1..], 2, 2), Err(Wrong::Length));
    let mut torn = raw.clone();
    torn[99] ^= 1;
    assert_eq!(layout.check(&pool, 5, &torn, 2, 2), Err(Wrong::Content));
}

#[test]
fn fields_are_those_that_were_written() {
    let schema = seven_columns();
    let layout = Layout::new(&schema);
    let pool = pool(&layout);
    let raw = written(&layout, &pool, 31, 4);
    let fields: Vec<FieldValue<'_>> = layout.fields(&raw).collect();
    assert_eq!(fields.len(), 6);
    let FieldValue::Text(title) = fields[0] else { panic!("title is text") };
    assert!(title.starts_with("0000000031:0000000004:01:"));
    assert_eq!(fields[1], FieldValue::Int(31 * 31 + 4 * 17 + 2));
    assert!(matches!(fields[2], FieldValue::Text(code) if code.len() == 3));
    assert!(matches!(fields[5], FieldValue::Bytes(blob) if blob.len() == 30));
}

#[test]
fn a_slice_runs_over_the_end_of_the_pool() {
    let layout = Layout::new(&Schema::key_value(2_000_000));
    let pool = pool(&layout);
    let raw = written(&layout, &pool, 1, 0);
    let filler = &raw[HEAD_BYTES..];
    assert_eq!(filler[0], filler[POOL_BYTES]);
    assert_eq!(layout.check(&pool, 1, &raw, 0, 0), Ok(0));
}

#[test]
fn an_empty_value_is_a_value() {
    let mut two = Schema::key_value(0);
    two.fields.push(Field::new("more", FieldType::Bytes, Some(0)));
    for (schema, len) in [(Schema::key_value(0), 0), (two, 8)] {
        schema.validate().expect("a valid schema");
        let layout = Layout::new(&schema);
        let pool = pool(&layout);
        let raw = written(&layout, &pool, 7, 3);
        assert_eq!((raw.len(), layout.check(&pool, 7, &raw, 3, 3)), (len, Ok(3)));
        assert_eq!(layout.check(&pool, 7, b"more than there is", 3, 3), Err(Wrong::Length));
        assert_eq!(layout.fields(&raw).count(), schema.values().len());
    }
}

#[test]
fn own_rows_are_compared_whole() {
    let values: Vec<String> = (0..40).map(|row| format!("価値 {row}")).collect();
    let keys: Vec<String> = (0..40).map(|row| format!("鍵{}", (row * 7) % 40)).collect();
    let pairs: Vec<(&[u8], &[u8])> =
        keys.iter().zip(&values).map(|(key, value)| (key.as_bytes(), value.as_bytes())).collect();
    let mut schema = Schema::key_value(9);
    schema.fields[0].field_type = FieldType::Text;
    let layout = Layout::of_rows(&schema, crate::own::tests::rows_of(&pairs));
    let pool = pool(&layout);
    // 7919 mod 40 is 39: every update goes back by one row.
    assert_eq!(layout.own_value(5, 1), Some("価値 4".as_bytes()));
    assert_eq!(layout.check(&pool, 5, "価値 4".as_bytes(), 0, 3), Ok(1));
    assert_eq!(layout.check(&pool, 5, "価値 5".as_bytes(), 1, 3), Err(Wrong::Version(0)));
    assert_eq!(layout.check(&pool, 5, "価値 3".as_bytes(), 0, 1), Err(Wrong::Version(2)));
    assert_eq!(layout.check(&pool, 5, "価値".as_bytes(), 0, 1), Err(Wrong::Content));
    assert!(matches!(layout.fields("価値".as_bytes()).next(), Some(FieldValue::Text("価値"))));
    assert_eq!((layout.room_bytes(), layout.len_bytes(), layout.numbered()), (0, 9, false));
}

#[test]
fn a_damaged_value_is_taken_apart_without_harm() {
    let layout = Layout::new(&seven_columns());
    let pool = pool(&layout);
    let raw = written(&layout, &pool, 3, 1);
    for end in 0..raw.len() {
        assert_eq!(layout.fields(&raw[..end]).count(), 6);
        let _ = layout.int_field(&raw[..end], 4);
        assert!(layout.check(&pool, 3, &raw[..end], 0, 9).is_err());
    }
    assert_eq!(layout.int_field(&raw, 4), Some(3 * 31 + 17 + 4));
    assert_eq!((layout.int_value(3, 1, 4), layout.int_value(3, 1, 1)), (layout.int_field(&raw, 4), None));
}

#[test]
fn a_field_of_few_values_has_those_and_no_others() {
    let mut schema = seven_columns();
    schema.fields[2].distinct = Some(2);
    let layout = Layout::new(&schema);
    let pool = pool(&layout);
    // Field 2 would be row * 31 + version * 17 + 2.
    for (row, version, value) in [(0, 0, 1), (1, 0, 2), (2, 0, 1), (0, 1, 2), (1, 1, 1)] {
        let raw = written(&layout, &pool, row, version);
        assert_eq!((layout.int_field(&raw, 2), layout.int_value(row, version, 2)), (Some(value), Some(value)));
        assert_eq!(layout.check(&pool, row, &raw, version, version), Ok(version));
    }
}
