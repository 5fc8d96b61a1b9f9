use super::*;
use kurabe_protocol::value::pool_bytes;
use kurabe_protocol::{Field, Pool};
use proptest::prelude::*;

const ENCODED: [Encoding; 4] = [Encoding::Json, Encoding::Yaml, Encoding::Messagepack, Encoding::Protobuf];

fn schema() -> Schema {
    let field = Field::new;
    Schema {
        fields: vec![
            field("id", FieldType::Text, None),
            field("no", FieldType::Text, Some(60)),
            field("visits", FieldType::Int64, None),
            field("code", FieldType::Text, Some(3)),
            field("blob", FieldType::Bytes, Some(30)),
        ],
    }
}

/// A codec and the raw form of a row with this text.
fn row_of(encoding: Encoding, text: &str, number: i64, blob: &[u8]) -> (Codec, Vec<u8>) {
    let schema = schema();
    let layout = Arc::new(Layout::new(&schema));
    let mut raw = RowBuffer::new(&layout);
    raw.push_bytes(text.as_bytes());
    raw.push_int(number);
    raw.push_bytes(b"012");
    raw.push_bytes(blob);
    (Codec::new(encoding, &schema, &layout), raw.raw().to_vec())
}

fn there_and_back(codec: &Codec, raw: &[u8]) -> Vec<u8> {
    let mut kept = Vec::new();
    codec.encode(raw, &mut kept).expect("it can be written");
    let mut out = RowBuffer::new(&codec.layout);
    codec.decode(&kept, &mut out);
    out.raw().to_vec()
}

#[test]
fn generated_rows_come_back_and_are_not_longer_than_is_said() {
    let two = Schema { fields: schema().fields[..2].to_vec() };
    for schema in [schema(), two, Schema::key_value(0), Schema::key_value(5_000)] {
        let layout = Arc::new(Layout::new(&schema));
        let pool = Pool::new(&pool_bytes(7, 0.0), &layout).expect("a pool of the right size");
        for encoding in ENCODED {
            let codec = Codec::new(encoding, &schema, &layout);
            for row in (0..300).chain([u32::MAX]) {
                let mut raw = vec![0; layout.len_bytes()];
                layout.write(&pool, row, row % 7, &mut raw);
                assert_eq!(there_and_back(&codec, &raw), raw, "{encoding}, row {row}");
                let mut kept = Vec::new();
                codec.encode(&raw, &mut kept).expect("it can be written");
                assert!(kept.len() <= codec.longest_bytes(&schema), "{encoding}: {}", String::from_utf8_lossy(&kept));
            }
        }
    }
}

#[test]
fn rows_are_maps_of_their_columns_without_the_key() {
    let (json, raw) = row_of(Encoding::Json, "a \"b\"", -5, b"\0\xff");
    let mut kept = Vec::new();
    json.encode(&raw, &mut kept).expect("it can be written");
    assert_eq!(kept, br#"{"no":"a \"b\"","visits":-5,"code":"012","blob":"AP8="}"#);
    let (yaml, raw) = row_of(Encoding::Yaml, "no", 7, b"");
    kept.clear();
    yaml.encode(&raw, &mut kept).expect("it can be written");
    assert_eq!(String::from_utf8_lossy(&kept), "no: no\nvisits: 7\ncode: '012'\nblob: ''\n");
    let (messagepack, raw) = row_of(Encoding::Messagepack, "x", 7, b"y");
    kept.clear();
    messagepack.encode(&raw, &mut kept).expect("it can be written");
    assert_eq!(kept, b"\x84\xa2no\xa1x\xa6visits\x07\xa4code\xa3012\xa4blob\xc4\x01y");
    let (protobuf, raw) = row_of(Encoding::Protobuf, "x", 7, b"y");
    kept.clear();
    protobuf.encode(&raw, &mut kept).expect("it can be written");
    assert_eq!(kept, b"\x0a\x01x\x10\x07\x1a\x03012\x22\x01y");
}

/// What has fewer columns, one too many, one of another type or no end is no row.
#[test]
fn a_message_that_is_no_row_is_given_as_it_is() {
    let (codec, _) = row_of(Encoding::Protobuf, "", 0, b"");
    let mut out = RowBuffer::new(&codec.layout);
    for kept in [
        &b""[..],
        b"\x0a\x01x\x10\x07\x1a\x03012",
        b"\x0a\x01x\x10\x07\x1a\x03012\x22\x01y\x28\x01",
        b"\x0a\x01x\x12\x07\x1a\x03012\x22\x01y",
        b"\x0a\x01\xff\x10\x07\x1a\x03012\x22\x01y",
        b"\x0a\x01x\x10\x07\x1a\x03012\x22\x05y",
    ] {
        codec.decode(kept, &mut out);
        assert_eq!(out.raw(), kept);
    }
}

/// Texts that a reader without a schema would take for something else, or that are hard to write.
#[test]
fn texts_that_look_like_something_else_come_back_as_texts() {
    let texts = [
        "no",
        "yes",
        "Off",
        "true",
        "null",
        "~",
        "1e3",
        "012",
        "0x1F",
        "0o17",
        "1_000",
        ".5",
        "-.inf",
        ".nan",
        "2026-11-23",
        "12:30:45",
        "<<",
        "=",
        "!!int 5",
        "&a",
        "*a",
        "- a",
        "? a",
        "a: b",
        "a #b",
        "#",
        "",
        " ",
        " a",
        "a ",
        "a\nb",
        "\n",
        "a\n",
        "\ta",
        "a\r\nb",
        "'",
        "\"",
        "\\n",
        "{a: 1}",
        "[1]",
        "|",
        ">",
        "%",
        "@",
        "`",
        "---",
        "...",
        "鍵",
        "😀",
    ];
    for encoding in ENCODED {
        for text in texts {
            let (codec, raw) = row_of(encoding, text, i64::MIN, text.as_bytes());
            assert_eq!(there_and_back(&codec, &raw), raw, "{encoding}: {text:?}");
        }
    }
}

#[test]
fn what_is_no_row_is_given_as_it_is() {
    let (codec, _) = row_of(Encoding::Json, "", 0, b"");
    let mut out = RowBuffer::new(&codec.layout);
    for kept in [
        "",
        "5",
        "[]",
        "{}",
        r#"{"no":"a","visits":1,"code":"012"}"#,
        r#"{"visits":1,"no":"a","code":"012","blob":""}"#,
        r#"{"no":1,"visits":1,"code":"012","blob":""}"#,
        r#"{"no":"a","visits":"1","code":"012","blob":""}"#,
        r#"{"no":"a","visits":1.5,"code":"012","blob":""}"#,
        r#"{"no":"a","visits":1,"code":"012","blob":"?"}"#,
        r#"{"no":"a","visits":1,"code":"012","blob":"","more":1}"#,
        r#"{"no":"a","visits":1,"code":"012","blob":""} {}"#,
    ] {
        codec.decode(kept.as_bytes(), &mut out);
        assert_eq!(out.raw(), kept.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_text_comes_back(text: String, number: i64, blob: Vec<u8>) {
        for encoding in ENCODED {
            let (codec, raw) = row_of(encoding, &text, number, &blob);
            prop_assert_eq!(there_and_back(&codec, &raw), raw, "{}", encoding);
        }
    }

    #[test]
    fn any_bytes_are_taken_apart_without_harm(kept: Vec<u8>) {
        for encoding in ENCODED {
            let (codec, _) = row_of(encoding, "", 0, b"");
            codec.decode(&kept, &mut RowBuffer::new(&codec.layout));
        }
    }

    #[test]
    fn any_change_of_a_kept_row_is_seen_or_changes_nothing(at in 0usize..200, change in 1u8..255) {
        for encoding in ENCODED {
            let (codec, raw) = row_of(encoding, "some text", 12_345, b"blob");
            let mut kept = Vec::new();
            codec.encode(&raw, &mut kept).expect("it can be written");
            let at = at % kept.len();
            kept[at] = kept[at].wrapping_add(change);
            let mut out = RowBuffer::new(&codec.layout);
            codec.decode(&kept, &mut out);
            // Spaces and line ends around the columns may be others; 12,345 is the same in 16 bits with a sign (d1) and
            // without (cd).
            let is_same = match encoding {
                Encoding::Yaml => true,
                Encoding::Messagepack => kept[at] == 0xd1 && change == 0xd1 - 0xcd,
                _ => kept[at].is_ascii_whitespace(),
            };
            prop_assert!(out.raw() != raw || is_same, "{encoding}: {kept:x?}");
        }
    }
}
