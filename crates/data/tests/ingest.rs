//! Files as people have them, right and wrong.

use std::path::Path;

use kurabe_data::{DataError, Ingested, MAX_RECORD_BYTES, ingest};
use kurabe_protocol::{FieldType, OwnRows};
use kurabe_record::{BadReason, DataFormat, DataRecord, DataSpec, Duplicates, HeaderChoice, ShortLines};
use proptest::prelude::*;

fn spec(file: &Path, key: &str, values: &[&str]) -> DataSpec {
    DataSpec {
        file: file.display().to_string(),
        key: key.into(),
        values: values.iter().map(|value| (*value).to_string()).collect(),
        format: None,
        header: HeaderChoice::Guess,
        duplicates: Duplicates::First,
        short_lines: ShortLines::Skip,
    }
}

/// Reads `content` as a file of that name.
fn read_with(
    name: &str,
    content: &[u8],
    key: &str,
    values: &[&str],
    change: impl FnOnce(&mut DataSpec),
) -> Result<(Ingested, OwnRows), DataError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("written");
    let out = folder.path().join("out");
    std::fs::create_dir(&out).expect("a folder");
    let mut spec = spec(&path, key, values);
    change(&mut spec);
    let ingested = ingest(&spec, &out)?;
    let names: Vec<String> = std::fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().all(|name| ["rows", "index", "order"].contains(&name.as_str())), "{names:?}");
    let bytes = |path: &str| -> &'static [u8] { std::fs::read(path).expect("a file").leak() };
    let files = &ingested.files;
    let rows = OwnRows::new(files, bytes(&files.rows), bytes(&files.index), bytes(&files.order)).expect("whole files");
    Ok((ingested, rows))
}

fn read(name: &str, content: &str, key: &str, values: &[&str]) -> (Ingested, OwnRows) {
    read_with(name, content.as_bytes(), key, values, |_| ()).expect("a good file")
}

fn refused(name: &str, content: impl AsRef<[u8]>, key: &str, values: &[&str], words: &[&str]) {
    let error = read_with(name, content.as_ref(), key, values, |_| ()).expect_err("a bad file").to_string();
    words.iter().for_each(|word| assert!(error.contains(word), "'{word}' is not in: {error}"));
}

fn sentences(record: &DataRecord) -> String {
    record.sentences().iter().map(|said| format!("{said}\n")).collect()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// Headings, empty lines and keys that come twice, as lists on the web have them.
fn companies() -> String {
    let mut lines = Vec::new();
    for (group, name) in ["機械", "銀行業", "化学"].iter().enumerate() {
        lines.push(format!("[{name}]"));
        for number in 0..40 {
            let company = if number == 39 { "(株)二度".to_string() } else { format!("(株){name} {number}") };
            lines.push(format!(
                "{}\t東証1部\t{company}\t{}.{}歳\t5,{number:03}千円",
                1900 + group * 100 + number,
                30 + group,
                number % 10
            ));
        }
        lines.push(String::new());
    }
    lines.join("\n") + "\n"
}

#[test]
fn a_list_with_headings_empty_lines_and_keys_that_come_twice() {
    let (ingested, rows) = read("list.txt", &companies(), "3", &["5"]);
    let record = &ingested.record;
    assert_eq!((record.lines, record.records, record.rows, record.header), (126, 120, 118, false));
    assert_eq!((record.headings.count, &record.headings.first[..]), (3, &[1, 43, 85][..]));
    assert_eq!((record.empty_lines.count, &record.empty_lines.first[..]), (3, &[42, 84, 126][..]));
    let twice = &record.duplicate_keys;
    assert_eq!((twice.keys, twice.left_out.count, &twice.left_out.first[..]), (1, 2, &[83, 125][..]));
    assert_eq!(rows.count(), 118);
    let row = rows.find("(株)二度".as_bytes()).expect("a row");
    assert_eq!((row, text(rows.value(row, 0))), (39, "5,039千円"));
    assert_eq!(text(rows.value(row, 1)), text(rows.value((row + 7919) % 118, 0)));
    let said = sentences(record);
    for words in [
        "120 records in 126 lines",
        "3 headings skipped (lines 1, 43, 85)",
        "3 empty lines",
        "the first record stays, 2 left out (lines 83, 125)",
    ] {
        assert!(said.contains(words), "'{words}' is not in: {said}");
    }
}

#[test]
fn the_last_of_a_key_stays_or_the_file_is_refused() {
    let content = "a\t1\nb\t2\na\t3\nc\t4\na\t5\n";
    let change = |duplicates| move |spec: &mut DataSpec| spec.duplicates = duplicates;
    let (ingested, rows) = read_with("d.tsv", content.as_bytes(), "1", &["2"], change(Duplicates::Last)).expect("good");
    assert_eq!(ingested.record.duplicate_keys.left_out.count, 2);
    // Rows are in the order of the file.
    assert_eq!((0..3).map(|row| text(rows.key(row))).collect::<String>(), "bca");
    assert_eq!(rows.value(rows.find(b"a").expect("a row"), 0), 5i64.to_le_bytes());
    let error = read_with("d.tsv", content.as_bytes(), "1", &["2"], change(Duplicates::Refuse)).expect_err("refused");
    assert!(error.to_string().contains("line 1 comes again in line 3"), "{error}");
}

#[test]
fn short_lines_are_left_out_and_told_or_the_file_is_refused() {
    let content = "[a]\nx\t1\t2\n\ny\t3\nz\t4\t5\nw\t6\t7\t8\n";
    let (ingested, _) = read("d.tsv", content, "1", &["3"]);
    let record = &ingested.record;
    assert_eq!((record.rows, record.headings.first.clone(), record.bad.len()), (2, vec![1], 2));
    assert_eq!((record.bad[0].reason, record.bad[0].lines.first.clone()), (BadReason::FewCells, vec![4]));
    let refuse = |content: &str| {
        let change = |spec: &mut DataSpec| spec.short_lines = ShortLines::Refuse;
        read_with("d.tsv", content.as_bytes(), "1", &["3"], change).map(|(ingested, _)| ingested.record.rows)
    };
    assert!(refuse(content).expect_err("a heading").to_string().contains("line 1 has 1 of 3 cells"));
    let error = refuse(&content["[a]\n".len()..]).expect_err("a short record").to_string();
    assert!(error.contains("line 3 has 2 of 3 cells") && error.contains("short_lines = \"skip\""), "{error}");
    // Empty lines and those with too many cells are none of it.
    assert_eq!(refuse("x\t1\t2\n\nz\t4\t5\nw\t6\t7\t8\n").expect("no short line"), 2);
}

#[test]
fn types_are_guessed_and_names_made_fit() {
    let (ingested, rows) =
        read("t.csv", "ID,Full Name,年齢,Zip\r\n7,\"Sato, \"\"A\"\"\nJr\",20,007\r\n12,,-3,\r\n", "ID", &[]);
    let columns: Vec<(&str, FieldType, u32)> = ingested
        .record
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.field_type, column.longest_bytes))
        .collect();
    use FieldType::{Int64, Text};
    assert_eq!(columns, [("id", Int64, 2), ("full_name", Text, 12), ("column3", Int64, 2), ("zip", Text, 3)]);
    assert_eq!((rows.int_key(0), rows.int_key(1), rows.find(&12i64.to_be_bytes())), (7, 12, Some(1)));
    ingested.schema.validate().expect("a valid schema");
    let value = [&12u32.to_le_bytes()[..], b"Sato, \"A\"\nJr", &20i64.to_le_bytes(), &3u32.to_le_bytes(), b"007"];
    assert_eq!(rows.value(0, 0), value.concat());
    assert_eq!(ingested.record.lines, 4);
}

#[test]
fn integer_keys_are_in_the_order_of_numbers_and_others_are_texts() {
    let (_, rows) = read("k.tsv", "10\ta\n9\tb\n9007199254740992\tc\n", "1", &["2"]);
    assert_eq!((0..3).map(|place| rows.at_rank(place).expect("a row")).collect::<Vec<_>>(), [1, 0, 2]);
    for other in ["-1", "007", "1.5", "9007199254740993", "x"] {
        let (ingested, _) = read("k.tsv", &format!("10\ta\n{other}\tb\n"), "1", &["2"]);
        assert_eq!(ingested.schema.key().field_type, FieldType::Text, "{other}");
    }
}

#[test]
fn a_header_is_guessed_by_names_asked_for_and_by_numbers_below() {
    let header = |content: &str, key: &str| read("h.tsv", content, key, &[]).0.record.header;
    assert!(header("name\tage\nA\t3\nB\t4\n", "1"));
    assert!(header("name\tcity\nA\tx\nB\ty\n", "name"));
    assert!(!header("A\tx\nB\ty\n", "1"));
    assert!(!header("1909\tx\n1910\ty\n", "1"));
    let no = read_with("h.tsv", b"name\tage\nA\t3\n", "1", &[], |spec| spec.header = HeaderChoice::No).expect("good");
    assert_eq!(no.0.record.rows, 2);
}

#[test]
fn objects_a_line_keep_texts_and_numbers_as_they_are_written() {
    let content = "\u{feff}{\"id\": \"a\", \"n\": 12345678901234567890123, \"more\": {\"x\": [1, 2]}}\n\nno json\n{\"n\": 1.50, \"id\": \"b\\u00e9\"}\n{\"id\": null}\n";
    let (ingested, rows) = read("o.jsonl", content, "id", &["n", "more"]);
    let record = &ingested.record;
    assert_eq!((record.rows, record.lines, record.empty_lines.count), (2, 5, 1));
    let bad: Vec<(BadReason, &[u64])> = record.bad.iter().map(|bad| (bad.reason, &bad.lines.first[..])).collect();
    assert_eq!(bad, [(BadReason::NoObject, &[3u64][..]), (BadReason::NoKey, &[5][..])]);
    let value = rows.value(rows.find("bé".as_bytes()).expect("a row"), 0);
    assert_eq!(value, [&4u32.to_le_bytes()[..], b"1.50", &0u32.to_le_bytes()].concat());
    assert!(text(&rows.value(0, 0)[4..27]) == "12345678901234567890123");
}

#[test]
fn bad_lines_are_counted_by_reason() {
    let (ingested, _) = read("b.tsv", "a\tb\tc\nd\te\nf\tg\th\ti\n\tj\tk\n   \nl\tm\tn", "1", &["2"]);
    let record = &ingested.record;
    let bad: Vec<(BadReason, &[u64])> = record.bad.iter().map(|bad| (bad.reason, &bad.lines.first[..])).collect();
    assert_eq!(
        bad,
        [(BadReason::FewCells, &[2u64][..]), (BadReason::ManyCells, &[3][..]), (BadReason::NoKey, &[4][..])]
    );
    assert_eq!((record.records, record.lines, &record.empty_lines.first[..]), (2, 6, &[5u64][..]));
}

#[test]
fn every_bad_file_has_its_own_sentence() {
    refused("one.txt", "a\nb\n", "1", &[], &["only one column"]);
    refused("name.tsv", "name\tage\nA\t3\n", "nane", &[], &["no column 'nane'", "did you mean 'name'?"]);
    refused("number.tsv", "a\t1\n", "3", &[], &["no column '3'", "2 columns"]);
    refused("none.tsv", "", "1", &[], &["no rows", "empty"]);
    refused("none.tsv", "", "name", &[], &["no rows", "empty"]);
    refused("empty.tsv", "\t1\n\t2\n", "1", &[], &["no rows", "none of its 2 lines"]);
    refused("mixed.tsv", b"a\t1\nb\t2\nc\x93\xfa\t3\n", "1", &[], &["line 3 is not UTF-8"]);
    refused("mixed.jsonl", b"{\"a\": 1, \"b\": 2}\n\n{\"a\": \"\x93\xfa\"}", "a", &[], &["line 3 is not UTF-8"]);
    refused("nul.tsv", "a\t1\nb\0\t2\n", "1", &[], &["line 2 has a zero byte"]);
    refused("twice.tsv", "name\tage\nA\t3\nname\tage\nB\t4\n", "name", &[], &["line 3 repeats the header"]);
    refused("same.tsv", "name\tname\nA\t3\n", "name", &[], &["'name' is twice in the header"]);
    refused("again.tsv", "name\tage\nA\t3\n", "name", &["age", "2"], &["'age' is asked for twice"]);
    refused("long.tsv", format!("a\t1\n{}\t2\n", "k".repeat(256)), "1", &[], &["line 2 has 256 bytes", "at most 255"]);
    refused("wide.tsv", format!("a{}\n", "\tb".repeat(100)), "1", &[], &["100 columns", "--value"]);
}

/// UTF-16 with its mark.
fn utf16(content: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(content.encode_utf16()).flat_map(to_bytes).collect()
}

#[test]
fn what_a_file_says_of_its_encoding_and_its_line_ends_is_read() {
    let content = "id\tname\tnote\n1\t田中\t😀\n2\t佐藤\t\n";
    let plain = read("t.txt", content, "id", &[]).1;
    let with = |from: &str, to: &str| content.replace(from, to);
    for (bytes, how) in [
        (utf16(content, u16::to_le_bytes), "UTF-16LE"),
        (utf16(&with("\n", "\r\n"), u16::to_be_bytes), "UTF-16BE"),
        (utf16(&with("\n", "\r"), u16::to_le_bytes), "UTF-16LE, CR"),
        (with("\n", "\r").into_bytes(), "CR"),
        (utf16(&with("\t", ",").replace("佐藤", "\"佐藤\""), u16::to_le_bytes), "CSV"),
    ] {
        let (ingested, rows) = read_with("t.txt", &bytes, "id", &[], |_| ()).expect(how);
        let record = &ingested.record;
        assert_eq!((record.lines, record.rows, record.header), (3, 2, true), "{how}");
        assert_eq!((0..2).map(|row| rows.value(row, 0)).collect::<Vec<_>>(), [plain.value(0, 0), plain.value(1, 0)]);
        assert_eq!(ingested.files.source, None, "a client would split other bytes: {how}");
        assert_eq!(record.bytes, bytes.len() as u64, "{how}");
    }
    // A carriage return within a line that ends otherwise is a part of its cell.
    let (_, rows) = read("r.csv", "a,\"x\ry\"\nb,z\n", "1", &[]);
    assert_eq!(text(rows.value(0, 0)), "x\ry");
    let long: String = (0..20_000).map(|number| format!("{number},\"あ{number}\"\r")).collect();
    assert_eq!(
        read_with("l.csv", &utf16(&long, u16::to_be_bytes), "1", &[], |_| ()).expect("good").0.record.rows,
        20_000
    );
}

#[test]
fn encodings_that_can_only_be_guessed_are_named_with_what_converts_them() {
    let sjis = b"1,\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83\x65\x83\x4c\x83\x58\x83\x67\n".to_vec();
    refused("s.csv", &sjis, "1", &[], &["line 1 is not UTF-8", "Shift_JIS", "iconv -f CP932 -t UTF-8", "s.csv"]);
    let euc = b"1,\xc6\xfc\xcb\xdc\xb8\xec\xa4\xce\xa5\xc6\xa5\xad\xa5\xb9\xa5\xc8\n";
    refused("e.csv", euc, "1", &[], &["line 1 is not UTF-8", "iconv -f EUC-JP -t UTF-8"]);
    let narrow = b"1,\x8e\xce\x8e\xaf\x8e\xb6\x8e\xb2\x8e\xc4\x8e\xde\x8e\xb3,\xcb\xcc\xb3\xa4\xc6\xbb\n";
    refused("n.csv", narrow, "1", &[], &["line 1 is not UTF-8", "iconv -f EUC-JP -t UTF-8"]);
    let latin = b"id,name,town\n1,M\xfcller,K\xf6ln\n2,Wei\xdf,D\xfcsseldorf\n";
    refused("l.csv", latin, "id", &[], &["line 2 is not UTF-8", "iconv -f CP1252"]);
    let mixed = ["2,日本\n".as_bytes(), &sjis, "3,日本語のテキスト\n".repeat(50).as_bytes()].concat();
    refused("m.csv", &mixed, "1", &[], &["line 2 is not UTF-8", "lines before it are", "Shift_JIS"]);
    let no_mark: Vec<u8> = "1\ta\n2\tb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused("u.tsv", &no_mark, "1", &[], &["zero byte", "iconv -f UTF-16LE"]);
    let mut half = utf16("1\ta\n2\tb\n", u16::to_le_bytes);
    half.pop();
    refused("h.tsv", &half, "1", &[], &["half a character"]);
    refused(
        "r.tsv",
        "1\ta\r".repeat(5_000_000) + "2\tb\n",
        "1",
        &[],
        &["carriage return alone", "a line feed follows line"],
    );
}

#[test]
fn semicolons_are_told_from_commas_by_records_that_are_alike() {
    let format = |content: &str| read("s.csv", content, "1", &[]).0.record.format.word();
    let prices = "id;name;preis\r\n1;Müller;1,50\r\n2;Weiß;2,00\r\n";
    let (ingested, rows) = read("p.csv", prices, "id", &[]);
    assert_eq!((ingested.record.format.word(), ingested.record.rows), ("csv-semicolon", 2));
    assert_eq!(ingested.record.columns[2].field_type, FieldType::Text, "a comma is no point");
    let value = [&7u32.to_le_bytes()[..], "Müller".as_bytes(), &4u32.to_le_bytes(), b"1,50"];
    assert_eq!(rows.value(0, 0), value.concat());
    assert_eq!(format("1;\"a;b\"\n2;\"c\nd\"\n"), "csv-semicolon");
    assert_eq!(format("id,tags\n1,a;b;c\n2,d;e;f\n"), "csv");
    assert_eq!(format("1,a;b\n2,c;d\n"), "csv", "both ways are alike");
    assert_eq!(format("1,a; b\n2,c\n"), "csv");
    // Where the first line tells it, nothing is guessed, and it is no record.
    let (ingested, rows) = read("t.csv", "\u{feff}sep=;\r\nid;a,b\r\n1;x\r\n2;y\r\n", "id", &[]);
    let record = &ingested.record;
    assert_eq!((record.format.word(), record.lines, record.records, record.header), ("csv-semicolon", 4, 2, true));
    assert_eq!((record.empty_lines.count, record.headings.count, text(rows.value(0, 0))), (0, 0, "x"));
    assert_eq!(read("t.csv", "SEP=,\na;b,1\nc;d,2\n", "1", &[]).0.record.rows, 2);
    refused("t.csv", "sep=|\na|1\n", "1", &[], &["'|' as the separator of cells"]);
    let asked = |format| move |spec: &mut DataSpec| spec.format = Some(format);
    let (ingested, _) = read_with("t.csv", b"1,a;b\n2,c;d\n", "1", &[], asked(DataFormat::CsvSemicolon)).expect("good");
    assert_eq!(ingested.record.columns[0].field_type, FieldType::Text);
}

#[test]
fn rows_without_a_column_of_keys_are_numbered() {
    let (ingested, rows) = read("m.csv", "21.5,a\n21.5,a\n\n22.0,b\n", "row", &[]);
    let record = &ingested.record;
    assert_eq!(
        (record.rows, record.header, record.duplicate_keys.keys, ingested.files.source.is_none()),
        (3, false, 0, true)
    );
    assert_eq!((0..3).map(|row| rows.int_key(row)).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(
        ingested.schema.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(),
        ["row", "column1", "column2"]
    );
    assert!(sentences(record).contains("key number of the row (int64, at most 1 byte)"));
    ingested.schema.validate().expect("a valid schema");
    // A line is a row too.
    assert_eq!(read("one.txt", "x\ny\nx\n", "row", &[]).0.record.rows, 3);
    // A column of that name is one.
    let (ingested, rows) = read("r.csv", "row,x\n7,a\n9,b\n", "row", &[]);
    assert_eq!((ingested.record.columns[0].number, rows.int_key(1)), (1, 9));
    assert_eq!(read("r.jsonl", "{\"a\": 1}\n{\"a\": 1}\n", "row", &[]).0.record.rows, 2);
    let refuse = |spec: &mut DataSpec| spec.duplicates = Duplicates::Refuse;
    let error = read_with("d.csv", b"a,1\na,2\n", "1", &[], refuse).expect_err("refused").to_string();
    assert!(error.contains("--key row"), "{error}");
    read_with("d.csv", b"a,1\na,2\n", "row", &[], refuse).expect("numbers differ");
}

#[test]
fn a_quote_that_is_never_closed_is_refused_where_it_opened() {
    let open = |content: &str, line: &str| refused("open.csv", content, "1", &[], &[line, "never closed"]);
    open("n,t\na,\"x\nb,y\nc,z\n", "line 2");
    open("n,t\na,b\nc,\"x", "line 3");
    open("n,t\na,b\nc,\"", "line 3");
    open("n,t\na,b\nc,\"x\"\"\n", "line 3");
    // Empty lines and a cell of two lines stand before it.
    open("n,t,u\n\n\n\"a\nb\",c,\"x\nd,e,f\n", "line 5");
    let rows = |name: &str, content: &str| read(name, content, "1", &[]).0.record.rows;
    for closed in ["a,\"x\"\n", "a,\"x\"", "a,\"x\"\"\"", "a,\"x\ny\"\n\n", "a,\"\"\n", "a,b\"\n", "\"a\",b\r\n"] {
        assert_eq!(rows("closed.csv", closed), 1, "{closed:?}");
    }
    assert_eq!(rows("tabs.tsv", "a\t\"x\nb\ty\n"), 2);
}

#[test]
fn records_that_end_where_the_buffer_does_are_no_open_quotes() {
    // 64 KiB are read at a time: records of 32 bytes end with each, quoted or not.
    let content: String = (0..8_192).map(|number| format!("{number:015},\"{:013}\"\n", number % 7)).collect();
    assert_eq!(content.len() % (64 << 10), 0);
    assert_eq!(read("even.csv", &content, "1", &[]).0.record.rows, 8_192);
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = |path: &Path| ingest(&spec(path, "1", &[]), folder.path()).expect_err("no file").to_string();
    assert!(error(folder.path()).contains("is a folder"));
    assert!(error(&folder.path().join("nowhere")).contains("cannot read"));
    assert!(error(Path::new("/dev/null")).contains("is a device"));
}

#[test]
fn a_line_without_an_end_is_refused_before_it_is_in_memory() {
    let long = "x".repeat(MAX_RECORD_BYTES as usize + (1 << 20));
    for name in ["long.tsv", "long.csv", "long.jsonl"] {
        let (start, between) = if name == "long.jsonl" { ("{\"a\": 1, \"b\": 2}\n", "") } else { ("a\t1,x\n", "\t") };
        refused(
            name,
            format!("{start}{long}{between}{long}\n"),
            if name == "long.jsonl" { "a" } else { "1" },
            &[],
            &["line 2 is longer than 16.0 MiB"],
        );
    }
    refused("quote.csv", format!("a,1\nb,\"{long}\n"), "1", &[], &["line 2", "never closed"]);
}

#[test]
fn a_file_that_grows_while_it_is_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("grows.tsv");
    let line = format!("{{}}\t{}\n", "x".repeat(200));
    let content: String = (0..200_000).map(|number| line.replace("{}", &number.to_string())).collect();
    std::fs::write(&path, content).expect("written");
    let out = folder.path().join("out");
    std::fs::create_dir(&out).expect("a folder");
    let writer = std::thread::spawn({
        let (path, out) = (path.clone(), out.clone());
        move || {
            // The second reading has begun once there is something in the folder.
            while std::fs::read_dir(&out).is_ok_and(|mut entries| entries.next().is_none()) {
                std::thread::yield_now();
            }
            use std::io::Write;
            let mut file = std::fs::OpenOptions::new().append(true).open(path).expect("the file");
            file.write_all(b"late\trow\n").expect("written");
        }
    });
    let error = ingest(&spec(&path, "1", &[]), &out).expect_err("it changed").to_string();
    writer.join().expect("the writer");
    assert!(error.contains("changed while Kurabe read it"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_key_has_its_first_value(cells in prop::collection::vec(("[a-zあ-ん ,%]{1,4}", "[ -~あ-ん]{0,12}"), 1..80)) {
        let content: String = cells.iter().map(|(key, value)| format!("{key}\t{value}\n")).collect();
        prop_assume!(cells.iter().all(|(key, value)| !(key.trim().is_empty() && value.is_empty())));
        let read = read_with("p.tsv", content.as_bytes(), "1", &["2"], |spec| spec.header = HeaderChoice::No);
        let (ingested, rows) = read.expect("a good file");
        let mut first = std::collections::BTreeMap::new();
        cells.iter().for_each(|(key, value)| { first.entry(key.as_str()).or_insert(value.as_str()); });
        prop_assert_eq!(ingested.record.rows, first.len() as u64);
        let int_value = ingested.record.columns[1].field_type == FieldType::Int64;
        for (place, (key, value)) in (0u32..).zip(&first) {
            let row = rows.find(key.as_bytes()).expect("every key is there");
            prop_assert_eq!(rows.rank(row), place);
            if int_value {
                let number = value.parse::<i64>().expect("an integer").to_le_bytes();
                prop_assert_eq!(rows.value(row, 0), &number[..]);
            } else {
                prop_assert_eq!(text(rows.value(row, 0)), *value);
            }
        }
    }
}
