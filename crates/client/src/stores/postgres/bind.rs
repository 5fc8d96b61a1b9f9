//! What is sent: statements with their parameters, in binary form, as the crate `postgres-protocol` writes them.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use kurabe_protocol::schema::FieldType;
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend::{self, BindError, CopyData};
use postgres_protocol::types::{ArrayDimension, array_to_sql, bytea_to_sql, int8_to_sql, text_to_sql};

use super::table::{Param, sql_type};
use crate::adapter::StoreError;

/// Everything is sent and answered in binary form.
const BINARY: [i16; 1] = [1];
/// What a COPY in binary form begins with: signature, no flags, no extension.
const COPY_HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// Rows are sent in messages of about so many bytes.
const COPY_BYTES: usize = 64 << 10;

type Put = Result<IsNull, Box<dyn Error + Sync + Send>>;

/// Appends the prepared statement `name` with `params`, to be executed.
#[inline(always)]
pub(super) fn bind<'a>(
    name: &str,
    params: impl IntoIterator<Item = Param<'a>>,
    out: &mut BytesMut,
) -> Result<(), StoreError> {
    execute(name, params, put, out)
}

#[inline(always)]
fn execute<T>(
    name: &str,
    params: impl IntoIterator<Item = T>,
    put: impl FnMut(T, &mut BytesMut) -> Put,
    out: &mut BytesMut,
) -> Result<(), StoreError> {
    frontend::bind("", name, BINARY, params, put, BINARY, out).map_err(|error| match error {
        BindError::Conversion(error) => StoreError::store(error),
        BindError::Serialization(error) => StoreError::store(error),
    })?;
    frontend::execute("", 0, out).map_err(StoreError::store)
}

#[inline(always)]
fn put(param: Param<'_>, out: &mut BytesMut) -> Put {
    match param {
        Param::Int(value) => int8_to_sql(value, out),
        Param::Text(value) => text_to_sql(value, out),
        Param::Bytes(value) => bytea_to_sql(value, out),
    }
    Ok(IsNull::No)
}

fn put_array<'a>(of: FieldType, values: impl ExactSizeIterator<Item = Param<'a>>, out: &mut BytesMut) -> Put {
    let len = i32::try_from(values.len())?;
    array_to_sql([ArrayDimension { len, lower_bound: 1 }], sql_type(of).oid(), values, put, out)?;
    Ok(IsNull::No)
}

/// As [`bind`], with one parameter: an array of `values`.
pub(super) fn array<'a>(
    name: &str,
    of: FieldType,
    values: impl ExactSizeIterator<Item = Param<'a>> + Clone,
    out: &mut BytesMut,
) -> Result<(), StoreError> {
    execute(name, [values], |values, out| put_array(of, values, out), out)
}

/// As [`bind`], with one array for each column of `rows`.
pub(super) fn columns(
    name: &str,
    types: &[FieldType],
    rows: &[Vec<Param<'_>>],
    out: &mut BytesMut,
) -> Result<(), StoreError> {
    let column =
        |(at, of): (usize, &FieldType), out: &mut BytesMut| put_array(*of, rows.iter().map(|row| row[at]), out);
    execute(name, types.iter().enumerate(), column, out)
}

/// Appends the prepared COPY `name` with all of `rows`.
pub(super) fn copy<'a>(
    name: &str,
    rows: impl Iterator<Item = Vec<Param<'a>>>,
    out: &mut BytesMut,
) -> Result<(), StoreError> {
    execute(name, std::iter::empty(), put, out)?;
    let mut data = BytesMut::from(COPY_HEADER);
    for row in rows {
        if data.len() >= COPY_BYTES {
            CopyData::new(data.split()).map_err(StoreError::store)?.write(out);
        }
        data.put_u16(row.len() as u16);
        for param in row {
            let at = data.len();
            data.put_i32(0);
            put(param, &mut data).map_err(StoreError::store)?;
            let len = i32::try_from(data.len() - at - 4).map_err(StoreError::store)?;
            data[at..at + 4].copy_from_slice(&len.to_be_bytes());
        }
    }
    // The end of the rows.
    data.put_i16(-1);
    CopyData::new(data).map_err(StoreError::store)?.write(out);
    frontend::copy_done(out);
    Ok(())
}

/// Appends a statement as text, which is executed and synced by itself.
pub(super) fn query(text: &'static str, out: &mut Vec<u8>) {
    let mut message = BytesMut::new();
    // A text of ours has no zero in it.
    if frontend::query(text, &mut message).is_ok() {
        out.extend_from_slice(&message);
    }
}
