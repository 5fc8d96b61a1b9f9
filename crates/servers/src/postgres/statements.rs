//! The statements of a phase: what it needs, and nothing else.

use kurabe_protocol::{Load, Operation, Phase};
use postgres::Statement;

use super::table::Table;
use kurabe_client::adapter::StoreError;

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Load,
    Insert,
    InsertMany,
    Copy,
    Select,
    Update,
    Delete,
    Scan,
    Latest,
    SelectMany,
    Increment,
    Search,
}

impl Which {
    /// How many there are.
    const COUNT: usize = Which::Search as usize + 1;
    const ALL: [Which; Which::COUNT] = [
        Which::Load,
        Which::Insert,
        Which::InsertMany,
        Which::Copy,
        Which::Select,
        Which::Update,
        Which::Delete,
        Which::Scan,
        Which::Latest,
        Which::SelectMany,
        Which::Increment,
        Which::Search,
    ];

    /// Those that are prepared for `phase`.
    pub(super) fn of(phase: &Phase) -> impl Iterator<Item = Which> {
        Which::ALL.into_iter().filter(|which| match which {
            Which::Load => phase.load() == Some(Load::Row),
            Which::InsertMany => matches!(phase.load(), Some(Load::Batch { .. })),
            Which::Copy => matches!(phase.load(), Some(Load::Bulk { .. })),
            Which::Insert => phase.does(Operation::Insert),
            Which::Select => phase.does(Operation::Read) || phase.does(Operation::Open),
            Which::Update => phase.does(Operation::Update),
            Which::Delete => phase.does(Operation::Delete),
            Which::Scan => phase.does(Operation::Scan),
            Which::Latest => phase.does(Operation::Latest),
            Which::SelectMany => phase.does(Operation::MultiRead),
            Which::Increment => phase.does(Operation::Increment),
            Which::Search => phase.search().is_some(),
        })
    }

    /// Its text, in SQL.
    pub(super) fn text(self, table: &Table, phase: &Phase) -> String {
        match self {
            Which::Load => table.rows.insert(),
            Which::Insert => table.insert_new(),
            Which::InsertMany => table.insert_many(),
            Which::Copy => table.copy(),
            Which::Select => table.rows.select(),
            Which::Update => table.rows.update(),
            Which::Delete => table.rows.delete(),
            Which::Scan => table.rows.scan(),
            Which::Latest => table.rows.latest(),
            Which::SelectMany => table.select_many(),
            Which::Increment => table.increment(),
            Which::Search => {
                // A phase that searches a field which is not there is refused before.
                let field = phase.search().and_then(|search| table.rows.field(&search.field));
                table.rows.search(field.unwrap_or_default())
            }
        }
    }
}

/// Those that are prepared on a connection.
#[derive(Default)]
pub(super) struct Statements([Option<Statement>; Which::COUNT]);

impl Statements {
    pub(super) fn keep(&mut self, which: Which, statement: Statement) {
        self.0[which as usize] = Some(statement);
    }

    #[inline(always)]
    pub(super) fn get(&self, which: Which) -> Result<&Statement, StoreError> {
        self.0[which as usize].as_ref().ok_or(StoreError::Unsupported)
    }
}
