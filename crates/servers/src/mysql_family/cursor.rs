//! A streaming cursor over the rows of a table, for loads of other stores that fetch them.

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Job, Layout};
use mysql::prelude::{BinQuery, WithParams};
use mysql::{Binary, QueryResult};

use super::table::copy_fields;
use super::{Server, store_error};
use kurabe_client::adapter::{RowBuffer, Store, StoreError};
use kurabe_client::row_source::RowCursor;

/// The statement lasts as long as the load that fetches its rows.
const LIMIT: Duration = Duration::from_secs(1800);

/// One SELECT of all rows in the order of their keys; the server sends them while they are asked for.
struct Cursor {
    server: Server,
    layout: Arc<Layout>,
    rows: Option<QueryResult<'static, 'static, 'static, Binary>>,
}

impl Cursor {
    fn open(job: &Job) -> Result<Cursor, StoreError> {
        let layout = Arc::new(Layout::new(&job.schema));
        let mut cursor = Cursor { server: Server::open(job, &layout)?, layout, rows: None };
        cursor.restart()?;
        Ok(cursor)
    }
}

/// A cursor over the rows of `job`, which is that of the store which holds them.
pub fn cursor(job: &Job) -> Result<Box<dyn RowCursor>, StoreError> {
    Ok(Box::new(Cursor::open(job)?))
}

impl RowCursor for Cursor {
    fn restart(&mut self) -> Result<(), StoreError> {
        // The connection of the statement before ends with it.
        self.rows = None;
        let table = &self.server.table.rows;
        let query = format!("{} ORDER BY {}", table.scan(), table.key());
        let conn = self.server.client(LIMIT)?;
        self.rows = Some(query.with(()).run(conn).map_err(|error| store_error(&error))?);
        Ok(())
    }

    fn next(&mut self, out: &mut RowBuffer) -> Result<Option<u32>, StoreError> {
        let Some(answer) = self.rows.as_mut().and_then(Iterator::next) else { return Ok(None) };
        let answer = answer.map_err(|error| store_error(&error))?;
        out.clear();
        copy_fields(&answer, 1, out)?;
        Ok(Some(self.layout.keys().row(self.server.table.returned_key(&answer))))
    }
}
