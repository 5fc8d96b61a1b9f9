//! The table of a job's rows in stores that are asked in a kind of SQL, and the statements that are the same in all of
//! them but for quotes and places.

use kurabe_protocol::schema::{Field, FieldType, Schema};
use kurabe_protocol::{KeyMap, Layout};

/// How the places of parameters are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholders {
    /// `?`: in the order in which they stand, so an update takes the key last.
    Marks,
    /// `$1`, `$2`, …: in the order of the columns, so the key always comes first.
    Numbers,
}

/// A column, one for each field.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name in quotes.
    pub name: String,
    /// Type of its field.
    pub field_type: FieldType,
    /// Whether it has an index of its own.
    pub indexed: bool,
}

/// The table of rows: one column a field, the key first.
#[derive(Clone, Debug)]
pub struct SqlTable {
    /// Its name in quotes, with what stands before it.
    pub name: String,
    /// Its columns, the key first.
    pub columns: Vec<Column>,
    /// Which row a key is of.
    pub keys: KeyMap,
    quote: char,
    places: Placeholders,
}

impl SqlTable {
    /// The table `name`, which is quoted already.
    pub fn new(name: String, schema: &Schema, layout: &Layout, quote: char, places: Placeholders) -> SqlTable {
        let column = |field: &Field| Column {
            name: quoted(&field.name, quote),
            field_type: field.field_type,
            indexed: field.indexed,
        };
        SqlTable { name, columns: schema.fields.iter().map(column).collect(), keys: *layout.keys(), quote, places }
    }

    /// Name of the key's column.
    pub fn key(&self) -> &str {
        &self.columns[0].name
    }

    /// Names of the columns from number `first` on.
    pub fn names(&self, first: usize) -> String {
        let names: Vec<&str> = self.columns[first..].iter().map(|column| column.name.as_str()).collect();
        names.join(", ")
    }

    /// Names of the columns that have an index.
    pub fn indexed(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| column.indexed).map(|column| column.name.as_str())
    }

    /// Number of the column of a field.
    pub fn field(&self, name: &str) -> Option<usize> {
        let name = quoted(name, self.quote);
        self.columns.iter().position(|column| column.name == name)
    }

    /// Whether there is a column that can be searched.
    pub fn has_ints(&self) -> bool {
        self.columns[1..].iter().any(|column| column.field_type == FieldType::Int64)
    }

    /// The place of parameter number `parameter`, from 0.
    fn place(&self, parameter: usize) -> String {
        match self.places {
            Placeholders::Marks => "?".into(),
            Placeholders::Numbers => format!("${}", parameter + 1),
        }
    }

    /// The places of a row's columns, with a comma between them.
    pub fn row_places(&self) -> String {
        let places: Vec<String> = (0..self.columns.len()).map(|column| self.place(column)).collect();
        places.join(", ")
    }

    /// One row.
    pub fn insert(&self) -> String {
        format!("INSERT INTO {} ({}) VALUES ({})", self.name, self.names(0), self.row_places())
    }

    /// The fields after the key.
    pub fn select(&self) -> String {
        format!("SELECT {} FROM {} WHERE {} = {}", self.names(1), self.name, self.key(), self.place(0))
    }

    /// All fields of a row, by its key.
    pub fn update(&self) -> String {
        let set = |(column, field): (&Column, usize)| format!("{} = {}", column.name, self.place(field));
        let sets: Vec<String> = self.columns[1..].iter().zip(1..).map(set).collect();
        format!("UPDATE {} SET {} WHERE {} = {}", self.name, sets.join(", "), self.key(), self.place(0))
    }

    /// A row, by its key.
    pub fn delete(&self) -> String {
        format!("DELETE FROM {} WHERE {} = {}", self.name, self.key(), self.place(0))
    }

    /// All rows.
    pub fn scan(&self) -> String {
        format!("SELECT {} FROM {}", self.names(0), self.name)
    }

    /// The rows with the highest keys.
    pub fn latest(&self) -> String {
        format!("{} ORDER BY {} DESC LIMIT {}", self.scan(), self.key(), self.place(0))
    }

    /// The rows whose column number `field` lies between two bounds.
    pub fn search(&self, field: usize) -> String {
        let column = &self.columns[field].name;
        format!("{} WHERE {column} BETWEEN {} AND {}", self.scan(), self.place(0), self.place(1))
    }

    /// How many rows there are.
    pub fn count(&self) -> String {
        format!("SELECT count(*) FROM {}", self.name)
    }
}

/// A name as an identifier, whatever it holds: keywords are names too.
pub fn quoted(name: &str, quote: char) -> String {
    let twice = String::from_iter([quote, quote]);
    format!("{quote}{}{quote}", name.replace(quote, &twice))
}
