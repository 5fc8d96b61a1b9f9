//! The statements that a phase needs, and nothing else: each is a round trip when it connects.

use kurabe_protocol::{Load, Operation, Phase};
use mysql::prelude::Queryable;
use mysql::{Conn, Statement};

use super::table::Table;

/// The prepared ones.
pub(super) struct Statements {
    pub(super) insert: Option<Statement>,
    /// How many rows it takes, and the statement.
    pub(super) insert_many: Option<(usize, Statement)>,
    pub(super) select: Option<Statement>,
    /// How many keys it takes, and the statement.
    pub(super) select_many: Option<(usize, Statement)>,
    pub(super) update: Option<Statement>,
    pub(super) delete: Option<Statement>,
    pub(super) scan: Option<Statement>,
    pub(super) latest: Option<Statement>,
    /// Adds 1 to a counter that is there, where each write is its own transaction. In a longer one an UPDATE that meets no
    /// row would lock the gap that it looked at, and workers that make counters there would wait for each other.
    pub(super) add: Option<Statement>,
    /// Makes a counter or adds 1 to it. Where there is `add` it is prepared when that first meets no row.
    pub(super) increment: Option<Statement>,
    pub(super) search: Option<Statement>,
}

impl Statements {
    /// Prepares what `phase` needs.
    pub(super) fn prepare(table: &Table, phase: &Phase, conn: &mut Conn) -> Result<Statements, mysql::Error> {
        let mut prepare = |text: String| conn.prep(text);
        let by_row = phase.load() == Some(Load::Row);
        let many = phase.load().filter(|_| !by_row).map(|load| load.rows_at_a_time() as usize);
        let insert_many = many.map(|rows| {
            let rows = rows.min(table.most_rows());
            Ok::<_, mysql::Error>((rows, prepare(table.insert(rows))?))
        });
        let insert_many = insert_many.transpose()?;
        let field = phase.search().and_then(|search| table.rows.field(&search.field));
        let search = field.map(|field| prepare(table.rows.search(field))).transpose()?;
        let keys = phase.multi_read_rows().map(|keys| keys as usize);
        let select_many = keys.map(|keys| Ok::<_, mysql::Error>((keys, prepare(table.select_many(keys))?)));
        let select_many = select_many.transpose()?;
        let (increments, commits_each) = (phase.does(Operation::Increment), phase.commit_every == 1);
        let reads = phase.does(Operation::Read) || phase.does(Operation::Open);
        let mut where_done = |wanted: bool, text: String| wanted.then(|| prepare(text)).transpose();
        Ok(Statements {
            insert: where_done(by_row || phase.does(Operation::Insert), table.insert(1))?,
            insert_many,
            select: where_done(reads, table.rows.select())?,
            select_many,
            update: where_done(phase.does(Operation::Update), table.rows.update())?,
            delete: where_done(phase.does(Operation::Delete), table.rows.delete())?,
            scan: where_done(phase.does(Operation::Scan), table.rows.scan())?,
            latest: where_done(phase.does(Operation::Latest), table.rows.latest())?,
            add: where_done(increments && commits_each, table.add())?,
            increment: where_done(increments && !commits_each, table.increment())?,
            search,
        })
    }
}
