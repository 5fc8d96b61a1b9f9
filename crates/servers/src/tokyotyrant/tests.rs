use std::io::{Read, Write};

use kurabe_protocol::schema::FieldType;
use kurabe_protocol::{Job, Layout, LoadPath, Operation};
use proptest::prelude::*;

use super::*;
use kurabe_client::adapter::RowBuffer;

/// A server's side that was written down: what it says, in pieces of at most `piece` bytes, and what it was told.
struct Script {
    says: Vec<u8>,
    piece: usize,
    told: Vec<u8>,
}

impl Read for Script {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let len = self.piece.min(self.says.len()).min(out.len());
        out[..len].copy_from_slice(&self.says[..len]);
        self.says.drain(..len);
        Ok(len)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.told.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn script(says: &[u8], piece: usize) -> Script {
    Script { says: says.to_vec(), piece, told: Vec::new() }
}

#[test]
fn requests_and_replies_are_as_the_manual_says() {
    for piece in [1, 3, 100] {
        let mut server = script(b"\x00\x00\x00\x00\x05value", piece);
        let mut wire = Wire::over(&mut server);
        assert!(wire.ask(Command::Get, |request| request.sized(b"key")).unwrap());
        assert_eq!(wire.sized().unwrap(), b"value");
        assert_eq!(server.told, b"\xc8\x30\x00\x00\x00\x03key");
    }
}

#[test]
fn a_list_is_taken_element_by_element_and_a_failure_has_none() {
    let mut server = script(b"\x00\x00\x00\x00\x02\x00\x00\x00\x01a\x00\x00\x00\x00", 2);
    let mut wire = Wire::over(&mut server);
    let args: [&[u8]; 2] = [b"x", b""];
    assert_eq!(wire.misc("getlist", args.into_iter()).unwrap(), Some(2));
    assert_eq!(wire.sized().unwrap(), b"a");
    assert_eq!(wire.sized().unwrap(), b"");
    let told = b"\xc8\x90\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x02getlist\x00\x00\x00\x01x\x00\x00\x00\x00";
    assert_eq!(server.told, told);
    let mut server = script(b"\x01\x00\x00\x00\x00", 100);
    assert_eq!(Wire::over(&mut server).misc("get", std::iter::empty()).unwrap(), None);
}

#[test]
fn a_connection_that_ended_in_the_middle_is_not_used_again() {
    let mut server = script(b"\x00\x00\x00\x00\x05val", 100);
    let mut wire = Wire::over(&mut server);
    assert!(wire.ask(Command::Get, |request| request.sized(b"key")).unwrap());
    assert!(matches!(wire.sized(), Err(StoreError::Disconnected(_))));
    assert!(matches!(wire.ask(Command::Sync, |_| ()), Err(StoreError::Disconnected(_))));
    assert_eq!(server.told.len(), 9, "nothing was sent after it");
}

#[test]
fn columns_come_back_from_elements_and_from_one_piece() {
    let schema = Schema {
        fields: vec![
            Field::new("key", FieldType::Int64, None),
            Field { indexed: true, ..Field::new("number", FieldType::Int64, None) },
            Field::new("text", FieldType::Text, Some(0)),
        ],
    };
    let columns = columns("ns", &schema);
    assert_eq!(columns.indexed().collect::<Vec<_>>(), ["ns.number"]);
    assert_eq!((columns.name(1), columns.name(2), columns.name(0)), (Some("ns.number"), Some("text"), None));
    let mut expected = RowBuffer::new(&Layout::new(&schema));
    expected.push_int(-12);
    expected.push_bytes(b"");
    let mut out = RowBuffer::new(&Layout::new(&schema));
    columns.copy_joined(b"ns.number\0-12\0text\0", &mut out);
    assert_eq!(out.raw(), expected.raw());
    let mut says = Vec::new();
    for part in ["ns.number", "-12", "text", ""] {
        says.extend_from_slice(&(part.len() as u32).to_be_bytes());
        says.extend_from_slice(part.as_bytes());
    }
    let mut server = script(&says, 4);
    out.clear();
    Wire::over(&mut server).columns(&columns, 4, &mut out).unwrap();
    assert_eq!(out.raw(), expected.raw());
    out.clear();
    columns.copy_joined(b"other\0-12\0text\0", &mut out);
    assert!(out.raw().is_empty(), "what does not fit is left out");
}

#[test]
fn addresses_are_read_and_others_refused() {
    let address = |url| Address::parse(url);
    assert!(address("tokyotyrant://127.0.0.1:2000/").is_some());
    assert_eq!(address("tokyotyrant://[::1]"), address("tokyotyrant://[::1]:1978"));
    assert_eq!(address("tokyotyrant://localhost"), address("tokyotyrant://localhost:1978"));
    for bad in ["tokyotyrant://", "tokyotyrant://h:port", "tokyotyrant://u:p@h:1", "redis://h:1", "tokyotyrant://h/x"] {
        assert_eq!(address(bad), None, "{bad}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_bytes_of_a_server_make_a_reply_panic_or_take_the_memory(
        bytes in prop::collection::vec(prop_oneof![4 => Just(0u8), 2 => 0u8..4, 1 => any::<u8>()], 0..80), piece in 1usize..9,
    ) {
        let args: [&[u8]; 1] = [b"x"];
        let mut server = script(&bytes, piece);
        let mut wire = Wire::over(&mut server);
        if let Ok(Some(_)) = wire.misc("getlist", args.into_iter()) {
            while wire.record().is_ok_and(|(name, value)| !(name.is_empty() && value.is_empty())) {}
        }
        prop_assert!(wire.room_bytes() <= 128 << 10, "{} bytes for {}", wire.room_bytes(), bytes.len());
        let mut server = script(&bytes, piece);
        let mut wire = Wire::over(&mut server);
        if wire.ask(Command::Get, |request| request.sized(b"key")).is_ok() {
            let _ = wire.sized().map(<[u8]>::len);
        }
        prop_assert!(wire.room_bytes() <= 128 << 10, "{} bytes for {}", wire.room_bytes(), bytes.len());
    }
}

#[test]
fn a_long_value_comes_whole_in_whatever_pieces() {
    let long = vec![7u8; 300_000];
    for piece in [1000, 65_536, 1 << 20] {
        let says = [b"\x00".as_slice(), &300_000u32.to_be_bytes(), &long].concat();
        let mut server = script(&says, piece);
        let mut wire = Wire::over(&mut server);
        assert!(wire.ask(Command::Get, |request| request.sized(b"key")).unwrap());
        assert_eq!(wire.sized().unwrap(), long);
    }
}

fn open(variant: Option<&str>, settings: &[(&str, &str)]) -> Result<TokyoTyrant, StoreError> {
    let mut job: Job = serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "tokyotyrant", "store": "tokyotyrant", "wire": "tokyotyrant", "variant": variant},
        "rows": 10,
        "schema": Schema::key_value(100), "namespace": "ns", "process": 0, "processes": 1, "pool": "",
        "url": "tokyotyrant://127.0.0.1:1", "limits": {"call_ns": 1_000_000_000, "operation_ns": 1}, "phases": [],
    }))
    .unwrap();
    job.settings = settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    TokyoTyrant::open(&job, &Arc::new(Layout::new(&job.schema)))
}

#[test]
fn unknown_variants_and_settings_are_refused_by_name() {
    let words = |result: Result<TokyoTyrant, StoreError>| result.err().expect("refused").to_string();
    assert!(words(open(Some("btree"), &[])).contains("'btree'"));
    assert!(words(open(None, &[("mode", "never")])).contains("'never'"));
    assert!(words(open(None, &[("colour", "red")])).contains("'colour'"));
    let hash = open(None, &[("mode", "sync")]).unwrap();
    assert_eq!(hash.mode, Mode::Sync);
    assert!(matches!(hash.ping(), Err(StoreError::Disconnected(_))), "nobody listens");
    let can = hash.capabilities();
    assert!(can.load_paths.contains(&LoadPath::Batch) && !can.operations.contains(&Operation::Latest));
    assert!(!open(Some("table"), &[]).unwrap().capabilities().operations.contains(&Operation::Search));
}
