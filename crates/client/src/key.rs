//! The key of a row, as adapters bind it.

use kurabe_protocol::keys::MADE_KEY_BYTES;
use kurabe_protocol::{KeySource, Layout, RowSeed};

/// The key of a row, in the form that the schema has, and the seed of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Number of the row.
    pub row: u32,
    seed: RowSeed,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Int(i64),
    /// A text in place: prefix and digits.
    Made {
        len: u8,
        bytes: [u8; MADE_KEY_BYTES],
    },
    /// A text of the mapped data file.
    Own(&'static [u8]),
}

impl Key {
    /// The key of `row`.
    #[inline(always)]
    pub fn new(row: u32, layout: &Layout) -> Key {
        let mut key = Key { row, seed: RowSeed::of(row), form: Form::Int(i64::from(row)) };
        key.take_form(layout);
        key
    }

    /// Becomes the key of `row`, in place: a key is as long as a cache line.
    #[inline(always)]
    pub(crate) fn become_row(&mut self, row: u32, layout: &Layout) {
        self.row = row;
        self.seed = RowSeed::of(row);
        self.take_form(layout);
    }

    /// The usual form is written where it stays: to be made beside it and copied would stop the processor, which cannot
    /// read as one piece what it has just stored as several.
    #[inline(always)]
    fn take_form(&mut self, layout: &Layout) {
        if layout.numbered() {
            self.form = Form::Int(i64::from(self.row));
        } else {
            self.form = Form::of_source(&self.seed, layout);
        }
    }

    /// The int64 key; for text keys the row's number, which counters are told apart by.
    #[inline(always)]
    pub fn int(&self) -> i64 {
        match self.form {
            Form::Int(key) => key,
            Form::Made { .. } | Form::Own(_) => i64::from(self.row),
        }
    }

    /// Whether it is a text.
    #[inline(always)]
    pub fn is_text(&self) -> bool {
        !matches!(self.form, Form::Int(_))
    }

    /// What the values of the row are made from.
    #[inline(always)]
    pub fn seed(&self) -> &RowSeed {
        &self.seed
    }

    /// The text key, where the schema has one; otherwise empty.
    #[inline(always)]
    pub fn text(&self) -> &str {
        // A text key is UTF-8: prefixes are, and a data file is read as nothing else.
        std::str::from_utf8(self.text_bytes()).unwrap_or_default()
    }

    /// The text key's bytes.
    #[inline(always)]
    pub fn text_bytes(&self) -> &[u8] {
        match &self.form {
            Form::Int(_) => &[],
            Form::Made { len, bytes } => &bytes[..usize::from(*len)],
            Form::Own(text) => text,
        }
    }
}

impl Form {
    #[inline]
    fn of_source(seed: &RowSeed, layout: &Layout) -> Form {
        match layout.keys().source() {
            KeySource::Number => Form::Int(i64::from(seed.row)),
            KeySource::Prefix(prefix, digits) => {
                let all = seed.digits.bytes();
                let mut bytes = [0; MADE_KEY_BYTES];
                let len = prefix.len() + digits;
                bytes[..prefix.len()].copy_from_slice(prefix);
                if digits == all.len() {
                    // The usual length is known when this is compiled.
                    bytes[prefix.len()..len].copy_from_slice(&all);
                } else {
                    bytes[prefix.len()..len].copy_from_slice(&all[all.len() - digits..]);
                }
                Form::Made { len: len as u8, bytes }
            }
            KeySource::Own(rows) if layout.text_key() => Form::Own(rows.key(seed.row)),
            KeySource::Own(rows) => Form::Int(rows.int_key(seed.row)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurabe_protocol::{FieldType, Schema};

    #[test]
    fn a_key_has_the_form_of_its_schema() {
        let mut schema = Schema::key_value(30);
        let key = Key::new(42, &Layout::new(&schema));
        assert_eq!((key.int(), key.text()), (42, ""));
        schema.fields[0].field_type = FieldType::Text;
        schema.fields[0].prefix = Some("12345678901234567890".into());
        let key = Key::new(42, &Layout::new(&schema));
        assert_eq!((key.int(), key.text()), (42, "123456789012345678900000000042"));
        schema.fields[0].digits = Some(9);
        let key = Key::new(42, &Layout::new(&schema));
        assert_eq!(key.text(), "12345678901234567890000000042");
    }

    #[test]
    fn a_key_fits_a_cache_line() {
        assert!(size_of::<Key>() <= 64, "{}", size_of::<Key>());
    }
}
