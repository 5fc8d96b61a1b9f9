//! The schemas change only where that is meant. `KURABE_BLESS=1` rewrites their digests.

use std::path::Path;

use kurabe_analysis::schema;

#[test]
fn a_schema_changes_only_where_that_is_meant() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/schemas.txt");
    let digest =
        |(name, text): (&str, String)| format!("{name} {:08x} {}\n", crc32fast::hash(text.as_bytes()), text.len());
    let all = [("run", schema::run()), ("entry", schema::entry()), ("answer", schema::answer())];
    let digests: String = all.into_iter().map(digest).collect();
    if std::env::var_os("KURABE_BLESS").is_some() {
        std::fs::write(&path, &digests).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        kept, digests,
        "a schema is another one (name, CRC-32, bytes): compare what 'kurabe dev generate schema-run', 'schema-entry' and \
         'schema-answer' print before and after the change; is it meant, run with KURABE_BLESS=1"
    );
}
