//! Rows split from the lines of their data file again, as a program does that reads its file while it writes a store.

use kurabe_protocol::{DataSource, FieldType, Layout};

/// The content of a tab-separated data file, and which of its columns are rows.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// All of it.
    pub bytes: &'static [u8],
    /// Where keys and values are.
    pub columns: &'a DataSource,
}

/// A way through the lines of a file, again and again.
pub struct Lines<'a> {
    source: Source<'a>,
    at: usize,
    value: Vec<u8>,
}

impl<'a> Lines<'a> {
    /// Begins with the first line.
    pub fn new(source: Source<'a>) -> Lines<'a> {
        Lines { source, at: 0, value: Vec::new() }
    }

    /// Splits line after line until one is `row`; from the first line again where it is row 0, with which a pass begins.
    /// Lines in between are those that are no rows. `false` where the file has no such line any more.
    pub fn find(&mut self, row: u32, layout: &Layout) -> bool {
        if row == 0 {
            self.at = 0;
        }
        let keys = layout.keys();
        let (Some(own), Some(value)) = (keys.own(), layout.own_value(row, 0)) else { return false };
        let key = own.key(row);
        while let Some(cells) = self.next_line() {
            if self.holds(&cells, key, value, keys.is_text()) {
                return true;
            }
        }
        false
    }

    /// The cells of the next line; none at the end of the file.
    fn next_line(&mut self) -> Option<Vec<&'static [u8]>> {
        let rest = self.source.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += end + 1;
        let line = &rest[..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // As the file begins where it has a mark of its encoding.
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        Some(line.split(|byte| *byte == b'\t').collect())
    }

    fn holds(&mut self, cells: &[&[u8]], key: &[u8], value: &[u8], text_key: bool) -> bool {
        let DataSource { key: key_column, values, .. } = self.source.columns;
        let cell = |column: u32| cells.get(column as usize - 1).copied();
        let Some(cell_of_key) = cell(*key_column) else { return false };
        let same_key = if text_key {
            cell_of_key == key
        } else {
            integer(cell_of_key).is_some_and(|number| number.to_be_bytes() == key)
        };
        self.value.clear();
        for (column, field_type) in values {
            let Some(cell) = cell(*column) else { return false };
            match (field_type, integer(cell)) {
                (FieldType::Int64, Some(number)) => self.value.extend_from_slice(&number.to_le_bytes()),
                (FieldType::Int64, None) => return false,
                _ => {
                    if values.len() > 1 {
                        self.value.extend_from_slice(&(cell.len() as u32).to_le_bytes());
                    }
                    self.value.extend_from_slice(cell);
                }
            }
        }
        same_key && self.value == value
    }
}

fn integer(cell: &[u8]) -> Option<i64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}
