//! A table of finished texts, as terminal, page and Markdown draw it.

use kurabe_messages::{Message, message};
use serde::Serialize;

use crate::format::{NONE, Unit};
use crate::text::Text;

/// A table of finished texts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Column {
    pub title: Text,
    pub align: Align,
    /// 0 stays always; where space is short the highest goes first.
    #[serde(skip)]
    pub rank: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    Left,
    Right,
}

#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub cells: Vec<Text>,
    pub tone: Tone,
}

/// How much weight a row has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// First rank.
    Lead,
    Plain,
    /// Without a rank.
    Unranked,
    /// A baseline.
    Baseline,
}

impl Table {
    /// Columns are added one by one, each with a cell for every row.
    pub(crate) fn of_rows(tones: impl Iterator<Item = Tone>) -> Table {
        Table { columns: Vec::new(), rows: tones.map(|tone| Row { cells: Vec::new(), tone }).collect() }
    }

    /// Adds a column, unless all of its cells are empty.
    pub(crate) fn add<T: Into<Text>>(
        &mut self,
        title: impl Into<Text>,
        align: Align,
        rank: u8,
        cells: impl Iterator<Item = T>,
    ) {
        let cells: Vec<Text> = cells.map(Into::into).collect();
        if cells.iter().all(Text::is_empty) {
            return;
        }
        self.columns.push(Column { title: title.into(), align, rank });
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.cells.push(cell);
        }
    }

    /// A column of figures, left out where no row has one.
    pub(crate) fn add_figures(&mut self, title: Message, rank: u8, unit: Unit, values: &[Option<f64>]) {
        if values.iter().all(Option::is_none) {
            return;
        }
        let cells = values.iter().map(|value| value.map_or_else(|| NONE.to_string(), |value| unit.show(value)));
        self.add(in_unit(title, unit), Align::Right, rank, cells);
    }

    /// A column of figures in the unit that suits them.
    pub(crate) fn add_in_own_unit(
        &mut self,
        title: Message,
        rank: u8,
        unit_of: fn(&[f64]) -> Unit,
        values: &[Option<f64>],
    ) {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        self.add_figures(title, rank, unit_of(&known), values);
    }

    /// A table of plain texts; every column aligned to the left.
    pub(crate) fn texts<T: Into<Text>, C: Into<Text>>(
        titles: impl IntoIterator<Item = T>,
        rows: impl Iterator<Item = Vec<C>>,
    ) -> Table {
        let column = |title: T| Column { title: title.into(), align: Align::Left, rank: 0 };
        let row = |cells: Vec<C>| Row { cells: cells.into_iter().map(Into::into).collect(), tone: Tone::Plain };
        Table { columns: titles.into_iter().map(column).collect(), rows: rows.map(row).collect() }
    }

    /// Names with their values.
    pub(crate) fn facts(facts: impl IntoIterator<Item = (Message, Text)>) -> Table {
        let row = |(name, value): (Message, Text)| vec![name.into(), value];
        Table::texts([Text::default(), Text::default()], facts.into_iter().map(row))
    }
}

/// The title of a column of figures with their unit.
pub(crate) fn in_unit(title: Message, unit: Unit) -> Message {
    message!(table_in_unit, title, unit = unit.sign)
}

/// The table without the columns that a page shows elsewhere: those of this rank and above.
pub fn below_rank(table: Table, rank: u8) -> Table {
    with_columns(table, |column| column.rank < rank)
}

/// The table with these columns alone.
pub fn with_columns(mut table: Table, is_kept: impl Fn(&Column) -> bool) -> Table {
    let kept: Vec<bool> = table.columns.iter().map(is_kept).collect();
    let mut keep = kept.iter();
    table.columns.retain(|_| *keep.next().unwrap_or(&true));
    for row in &mut table.rows {
        let mut keep = kept.iter();
        row.cells.retain(|_| *keep.next().unwrap_or(&true));
    }
    table
}

/// The column that names what a row is about; in a ranking the rank stands before it, unless nobody has one.
pub fn name_column(table: &Table) -> usize {
    table.columns.iter().position(|column| column.title.is(&message!(word_candidate))).unwrap_or(0)
}
