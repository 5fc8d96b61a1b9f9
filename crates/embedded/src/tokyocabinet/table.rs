//! Rows of a table database: named columns, all of them texts; an int64 is a decimal number.

use std::ffi::{CStr, CString, c_int};

use kurabe_protocol::{ReturnedKey, Schema};

use super::calls::{self, Keyed, Map, Object};
use super::walk::{bytes, process};
use crate::common::library::OpenLibrary;
use kurabe_client::adapter::{Range, Row, RowBuffer, RowSink, StoreError};
use kurabe_client::common::columns::TextColumns;
use kurabe_client::common::keys::KeyBytes;

/// The functions of tables, and the columns of the job's.
pub(super) struct Table {
    pub(super) calls: calls::Table,
    pub(super) keyed: Keyed,
    map: Map,
    columns: TextColumns,
}

/// A map of columns that a connection fills anew for every row.
pub(super) struct ColumnMap {
    map: Object,
    del: unsafe extern "C" fn(Object),
}

impl Drop for ColumnMap {
    fn drop(&mut self) {
        // SAFETY: made by `tcmapnew`, and deleted here alone.
        unsafe { (self.del)(self.map) }
    }
}

impl Table {
    pub(super) fn find(library: &OpenLibrary, schema: &Schema) -> Result<Table, StoreError> {
        Ok(Table {
            calls: calls::Table::find(library, "tctdb")?,
            keyed: Keyed::find(library, "tctdb")?,
            map: Map::find(library, "tcmap")?,
            columns: TextColumns::new(schema, |field| field.name.clone()),
        })
    }

    pub(super) fn columns(&self) -> ColumnMap {
        // SAFETY: the function takes nothing.
        ColumnMap { map: unsafe { (self.map.new)() }, del: self.map.del }
    }

    /// # Safety
    /// `table` is an open table.
    pub(super) unsafe fn write(
        &self,
        table: Object,
        key: &KeyBytes<'_>,
        row: &Row<'_>,
        keep: bool,
        columns: &mut ColumnMap,
    ) -> bool {
        // SAFETY: names and values live through the calls, which copy them.
        unsafe {
            (self.map.clear)(columns.map);
            self.columns.each(row, |name, value| {
                let (name, name_len) = (name.as_ptr().cast(), name.len() as c_int);
                (self.map.put)(columns.map, name, name_len, value.as_ptr().cast(), value.len() as c_int);
            });
            let put = if keep { self.calls.putkeep } else { self.calls.put };
            put(table, key.bytes().as_ptr().cast(), key.c_len(), columns.map)
        }
    }

    /// # Safety
    /// `table` is an open table.
    pub(super) unsafe fn read(&self, table: Object, key: &KeyBytes<'_>, out: &mut RowBuffer) -> bool {
        // SAFETY: the map that is answered is ours; its values are copied before it is deleted.
        unsafe {
            let map = (self.calls.get)(table, key.bytes().as_ptr().cast(), key.c_len());
            if map.is_null() {
                return false;
            }
            self.copy(map, out);
            (self.map.del)(map);
        }
        true
    }

    /// # Safety
    /// `map` holds the columns of a row.
    unsafe fn copy(&self, map: Object, out: &mut RowBuffer) {
        out.clear();
        for column in self.columns.iter() {
            let (name, mut len) = (column.name.as_bytes(), 0);
            // SAFETY: promised by the caller; what is answered points into the map, which nobody changes meanwhile.
            unsafe {
                let value = (self.map.get)(map, name.as_ptr().cast(), name.len() as c_int, &mut len);
                // A column that is missing makes the check fail.
                if !value.is_null() {
                    column.copy(bytes(value, len), out);
                }
            }
        }
    }

    /// Takes a row of a walk: names and values in turn, a zero between them.
    pub(super) fn give(&self, key: ReturnedKey<'_>, joined: &[u8], sink: &mut RowSink<'_>) {
        // Filling never fails.
        let _ = sink.fields(key, |out| {
            self.columns.copy_joined(joined, out);
            Ok(())
        });
    }

    /// Value of a counter in a walk: one column, whose name the library chose.
    pub(super) fn counter(joined: &[u8]) -> u64 {
        let value = joined.split(|byte| *byte == 0).nth(1).unwrap_or_default();
        std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0)
    }

    /// Hands over every row whose column `name` is in the range: its key, and what copies the columns.
    ///
    /// # Safety
    /// `table` is an open table.
    pub(super) unsafe fn search(
        &self,
        table: Object,
        name: &CStr,
        range: &Range,
        mut give: impl FnMut(&[u8], &mut dyn FnMut(&mut RowBuffer) -> Result<(), StoreError>) -> Result<(), StoreError>,
    ) -> bool {
        let bounds = CString::new(format!("{} {}", range.low, range.high)).unwrap_or_default();
        let mut visit = |key: &[u8], map: Object| {
            // SAFETY: the library hands over the columns of the row that it found.
            let mut copy = |out: &mut RowBuffer| {
                unsafe { self.copy(map, out) };
                Ok(())
            };
            // Copying never fails.
            let _ = give(key, &mut copy);
        };
        // SAFETY: the query is made and deleted here; the texts end with a zero and live through the calls.
        unsafe {
            let query = (self.calls.qrynew)(table);
            (self.calls.qryaddcond)(query, name.as_ptr(), calls::BETWEEN, bounds.as_ptr());
            let done = process(&mut visit, |visitor, given| (self.calls.qryproc)(query, visitor, given));
            (self.calls.qrydel)(query);
            done
        }
    }
}
