//! The statements that a phase needs, and nothing else: each is a round trip when it connects.

use kurabe_protocol::{Load, Operation, Phase};

use super::table::Table;

/// What the places of a statement stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Params {
    /// Nothing.
    None,
    /// So many keys.
    Keys(usize),
    /// So many rows, of each the key first.
    Rows(usize),
    /// The fields of a row, then its key.
    KeyLast,
    /// So many numbers.
    Ints(usize),
}

/// What a driver made of each.
pub(super) struct Statements<T> {
    pub(super) insert: Option<T>,
    /// How many rows it takes, and the statement.
    pub(super) insert_many: Option<(usize, T)>,
    pub(super) select: Option<T>,
    /// How many keys it takes, and the statement.
    pub(super) select_many: Option<(usize, T)>,
    pub(super) update: Option<T>,
    pub(super) delete: Option<T>,
    pub(super) scan: Option<T>,
    pub(super) latest: Option<T>,
    pub(super) increment: Option<T>,
    pub(super) search: Option<T>,
}

impl<T> Statements<T> {
    /// Has `prepare` prepare what `phase` needs.
    pub(super) fn prepare<E>(
        table: &Table,
        phase: &Phase,
        mut prepare: impl FnMut(String, Params) -> Result<T, E>,
    ) -> Result<Statements<T>, E> {
        let by_row = phase.load() == Some(Load::Row);
        let many = phase.load().filter(|_| !by_row).map(|load| load.rows_at_a_time() as usize);
        let insert_many = many.map(|rows| {
            let rows = rows.min(table.most_rows());
            Ok::<_, E>((rows, prepare(table.insert(rows), Params::Rows(rows))?))
        });
        let insert_many = insert_many.transpose()?;
        let field = phase.search().and_then(|search| table.rows.field(&search.field));
        let search = field.map(|field| prepare(table.rows.search(field), Params::Ints(2))).transpose()?;
        let keys = phase.multi_read_rows().map(|keys| keys as usize);
        let select_many = keys.map(|keys| Ok::<_, E>((keys, prepare(table.select_many(keys), Params::Keys(keys))?)));
        let select_many = select_many.transpose()?;
        let reads = phase.does(Operation::Read) || phase.does(Operation::Open);
        let mut where_done = |wanted: bool, text: String, params| wanted.then(|| prepare(text, params)).transpose();
        Ok(Statements {
            insert: where_done(by_row || phase.does(Operation::Insert), table.insert(1), Params::Rows(1))?,
            insert_many,
            select: where_done(reads, table.rows.select(), Params::Keys(1))?,
            select_many,
            update: where_done(phase.does(Operation::Update), table.rows.update(), Params::KeyLast)?,
            delete: where_done(phase.does(Operation::Delete), table.rows.delete(), Params::Keys(1))?,
            scan: where_done(phase.does(Operation::Scan), table.rows.scan(), Params::None)?,
            latest: where_done(phase.does(Operation::Latest), table.rows.latest(), Params::Ints(1))?,
            increment: where_done(phase.does(Operation::Increment), table.increment(), Params::Ints(1))?,
            search,
        })
    }
}
