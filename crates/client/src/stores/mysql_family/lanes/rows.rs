//! Rows on the wire: parameters of prepared statements, and rows in the binary protocol.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html> and
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html>

use kurabe_protocol::schema::FieldType;
use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{KeyMap, Seen};
use mysql::consts::{ColumnType, Command};
use mysql_common::io::{BufMutExt, ParseBuf};
use mysql_common::packets::Column;

use crate::adapter::{Key, Row, RowBuffer, RowSink, StoreError};
use crate::stores::mysql_family::statements::Params;
use crate::stores::mysql_family::table::Table;

/// Bits of the map of columns without a value that stand before that of the first column.
const MAP_OFFSET: usize = 2;

/// What a column holds, on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Bytes,
}

impl Kind {
    fn column_type(self) -> ColumnType {
        match self {
            Kind::Int => ColumnType::MYSQL_TYPE_LONGLONG,
            Kind::Bytes => ColumnType::MYSQL_TYPE_VAR_STRING,
        }
    }

    /// Whether values of this type come as this kind.
    fn takes(self, column_type: ColumnType) -> bool {
        use ColumnType::{
            MYSQL_TYPE_BLOB, MYSQL_TYPE_LONG_BLOB, MYSQL_TYPE_LONGLONG, MYSQL_TYPE_MEDIUM_BLOB, MYSQL_TYPE_STRING,
            MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_VARCHAR,
        };
        let bytes = [
            MYSQL_TYPE_VARCHAR,
            MYSQL_TYPE_VAR_STRING,
            MYSQL_TYPE_STRING,
            MYSQL_TYPE_BLOB,
            MYSQL_TYPE_TINY_BLOB,
            MYSQL_TYPE_MEDIUM_BLOB,
            MYSQL_TYPE_LONG_BLOB,
        ];
        match self {
            Kind::Int => column_type == MYSQL_TYPE_LONGLONG,
            Kind::Bytes => bytes.contains(&column_type),
        }
    }
}

/// The columns of the table, the key first.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    kinds: Vec<Kind>,
    pub(super) keys: KeyMap,
}

/// A statement that was prepared over one connection.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// What is sent before the parameters: number of the statement and their types.
    head: Vec<u8>,
    /// Columns of each row that it gives.
    pub(super) columns: usize,
}

impl Columns {
    pub(super) fn of(table: &Table) -> Columns {
        let kind = |field_type| if field_type == FieldType::Int64 { Kind::Int } else { Kind::Bytes };
        let kinds = table.rows.columns.iter().map(|column| kind(column.field_type)).collect();
        Columns { kinds, keys: table.rows.keys }
    }

    /// Types of the parameters.
    fn types(&self, params: Params) -> Vec<Kind> {
        let key = self.kinds[0];
        match params {
            Params::None => Vec::new(),
            Params::Keys(keys) => vec![key; keys],
            Params::Rows(rows) => self.kinds.repeat(rows),
            Params::KeyLast => self.kinds[1..].iter().copied().chain([key]).collect(),
            Params::Ints(ints) => vec![Kind::Int; ints],
        }
    }

    /// What is sent before the parameters of the statement number `id`.
    pub(super) fn head(&self, id: u32, params: Params) -> Vec<u8> {
        let types = self.types(params);
        let mut head = vec![Command::COM_STMT_EXECUTE as u8];
        head.extend_from_slice(&id.to_le_bytes());
        // No cursor, executed once.
        head.push(0);
        head.extend_from_slice(&1_u32.to_le_bytes());
        if !types.is_empty() {
            // All have a value.
            head.resize(head.len() + types.len().div_ceil(8), 0);
            // Their types follow.
            head.push(1);
            head.extend(types.iter().flat_map(|kind| [kind.column_type() as u8, 0]));
        }
        head
    }

    /// The statement number `id`, which gives `given`: the last columns of the table, with or without the key, or nothing.
    pub(super) fn prepared(&self, id: u32, params: Params, given: &[Column]) -> Result<Prepared, StoreError> {
        let width = self.kinds.len();
        if !given.is_empty() && given.len() + 1 != width && given.len() != width {
            let given = given.len();
            return Err(StoreError::store(format!("a statement gives {given} columns, and the table has {width}")));
        }
        for (column, kind) in given.iter().zip(&self.kinds[width - given.len()..]) {
            let (name, column_type) = (column.name_str(), column.column_type());
            if !kind.takes(column_type) {
                return Err(StoreError::store(format!("the column '{name}' has the type {column_type:?}")));
            }
        }
        Ok(Prepared { head: self.head(id, params), columns: given.len() })
    }

    /// Takes a row apart that has `columns` columns; gives its key where it has one.
    #[inline(always)]
    pub(super) fn take<'a>(
        &self,
        payload: &'a [u8],
        columns: usize,
        out: &mut RowBuffer,
    ) -> Result<Option<Seen<'a>>, StoreError> {
        let first = self.kinds.len() - columns;
        let map_bytes = (columns + MAP_OFFSET).div_ceil(8);
        let (map, rest) = payload[1..].split_at_checked(map_bytes).ok_or_else(cut)?;
        if map.iter().any(|bits| *bits != 0) {
            return Err(nothing(map));
        }
        let mut rest = ParseBuf(rest);
        let mut seen = None;
        for (column, kind) in self.kinds.iter().enumerate().skip(first) {
            match kind {
                Kind::Int => {
                    let int = rest.checked_eat_i64_le().ok_or_else(cut)?;
                    if column == 0 { seen = Some(self.keys.seen_int(int)) } else { out.push_int(int) }
                }
                Kind::Bytes => {
                    let bytes = rest.checked_eat_lenenc_str().ok_or_else(cut)?;
                    if column == 0 { seen = Some(self.keys.seen_text(bytes)) } else { out.push_bytes(bytes) }
                }
            }
        }
        if rest.is_empty() { Ok(seen) } else { Err(StoreError::store("a row is longer than its columns")) }
    }
}

#[cold]
fn cut() -> StoreError {
    StoreError::store("a row is shorter than its columns")
}

#[cold]
fn nothing(map: &[u8]) -> StoreError {
    let bits =
        map.iter().enumerate().find_map(|(at, bits)| (*bits != 0).then(|| at * 8 + bits.trailing_zeros() as usize));
    let column = bits.unwrap_or(0).saturating_sub(MAP_OFFSET);
    StoreError::store(format!("column {column} holds NULL, which was never written"))
}

impl Prepared {
    #[inline(always)]
    pub(super) fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.head);
    }
}

/// Appends a key as a parameter.
#[inline(always)]
pub(super) fn put_key(key: &Key, out: &mut Vec<u8>) {
    if key.is_text() { out.put_lenenc_str(key.text_bytes()) } else { put_int(key.int(), out) }
}

/// Appends a number as a parameter.
#[inline(always)]
pub(super) fn put_int(int: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&int.to_le_bytes());
}

/// Appends all fields after the key as parameters.
#[inline(always)]
pub(super) fn put_fields(row: &Row<'_>, out: &mut Vec<u8>) {
    for field in row.layout.fields(row.raw) {
        match field {
            FieldValue::Int(int) => put_int(int, out),
            FieldValue::Text(text) => out.put_lenenc_str(text.as_bytes()),
            FieldValue::Bytes(bytes) => out.put_lenenc_str(bytes),
        }
    }
}

/// Appends rows as parameters, of each the key first.
#[inline(always)]
pub(super) fn put_rows(rows: &[Row<'_>], out: &mut Vec<u8>) {
    for row in rows {
        put_key(&row.key, out);
        put_fields(row, out);
    }
}

/// How a key stands before a row that was taken apart.
const ROW: u8 = 0;
const OWN_INT: u8 = 1;
const OWN_TEXT: u8 = 2;

/// Appends a row that was taken apart: its key, and its raw value behind its length.
#[inline(always)]
pub(super) fn keep(seen: Seen<'_>, raw: &[u8], out: &mut Vec<u8>) {
    match seen {
        Seen::Row(row) => {
            out.push(ROW);
            out.extend_from_slice(&row.to_le_bytes());
        }
        Seen::OwnInt(int) => {
            out.push(OWN_INT);
            out.extend_from_slice(&int.to_le_bytes());
        }
        Seen::OwnText(text) => {
            out.push(OWN_TEXT);
            out.put_lenenc_str(text);
        }
    }
    out.put_lenenc_str(raw);
}

/// Gives rows that were kept to `sink`.
pub(super) fn give(kept: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
    let mut rest = ParseBuf(kept);
    while !rest.is_empty() {
        let (seen, raw) = next(&mut rest).ok_or_else(|| StoreError::store("rows were kept that cannot be read"))?;
        sink.raw(seen, raw);
    }
    Ok(())
}

#[inline(always)]
fn next<'a>(rest: &mut ParseBuf<'a>) -> Option<(Seen<'a>, &'a [u8])> {
    let seen = match rest.checked_eat_u8()? {
        ROW => Seen::Row(rest.checked_eat_u32_le()?),
        OWN_INT => Seen::OwnInt(rest.checked_eat_i64_le()?),
        OWN_TEXT => Seen::OwnText(rest.checked_eat_lenenc_str()?),
        _ => return None,
    };
    Some((seen, rest.checked_eat_lenenc_str()?))
}
