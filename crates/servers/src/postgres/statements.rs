//! The statements of a phase: what it needs, and nothing else.

use kurabe_protocol::{Load, Operation, Phase};
use postgres::Statement;

use super::table::Table;
use kurabe_client::adapter::StoreError;

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementKind {
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

impl StatementKind {
    /// How many there are.
    const COUNT: usize = StatementKind::Search as usize + 1;
    const ALL: [StatementKind; StatementKind::COUNT] = [
        StatementKind::Load,
        StatementKind::Insert,
        StatementKind::InsertMany,
        StatementKind::Copy,
        StatementKind::Select,
        StatementKind::Update,
        StatementKind::Delete,
        StatementKind::Scan,
        StatementKind::Latest,
        StatementKind::SelectMany,
        StatementKind::Increment,
        StatementKind::Search,
    ];

    /// Those that are prepared for `phase`.
    pub(super) fn of(phase: &Phase) -> impl Iterator<Item = StatementKind> {
        StatementKind::ALL.into_iter().filter(|which| match which {
            StatementKind::Load => phase.load() == Some(Load::Row),
            StatementKind::InsertMany => matches!(phase.load(), Some(Load::Batch { .. })),
            StatementKind::Copy => matches!(phase.load(), Some(Load::Bulk { .. })),
            StatementKind::Insert => phase.does(Operation::Insert),
            StatementKind::Select => phase.does(Operation::Read) || phase.does(Operation::Open),
            StatementKind::Update => phase.does(Operation::Update),
            StatementKind::Delete => phase.does(Operation::Delete),
            StatementKind::Scan => phase.does(Operation::Scan),
            StatementKind::Latest => phase.does(Operation::Latest),
            StatementKind::SelectMany => phase.does(Operation::MultiRead),
            StatementKind::Increment => phase.does(Operation::Increment),
            StatementKind::Search => phase.search().is_some(),
        })
    }

    /// Its text, in SQL.
    pub(super) fn text(self, table: &Table, phase: &Phase) -> String {
        match self {
            StatementKind::Load => table.rows.insert(),
            StatementKind::Insert => table.insert_new(),
            StatementKind::InsertMany => table.insert_many(),
            StatementKind::Copy => table.copy(),
            StatementKind::Select => table.rows.select(),
            StatementKind::Update => table.rows.update(),
            StatementKind::Delete => table.rows.delete(),
            StatementKind::Scan => table.rows.scan(),
            StatementKind::Latest => table.rows.latest(),
            StatementKind::SelectMany => table.select_many(),
            StatementKind::Increment => table.increment(),
            StatementKind::Search => {
                // A phase that searches a field which is not there is refused before.
                let field = phase.search().and_then(|search| table.rows.field(&search.field));
                table.rows.search(field.unwrap_or_default())
            }
        }
    }
}

/// Those that are prepared on a connection.
#[derive(Default)]
pub(super) struct Statements([Option<Statement>; StatementKind::COUNT]);

impl Statements {
    pub(super) fn keep(&mut self, which: StatementKind, statement: Statement) {
        self.0[which as usize] = Some(statement);
    }

    #[inline(always)]
    pub(super) fn get(&self, which: StatementKind) -> Result<&Statement, StoreError> {
        self.0[which as usize].as_ref().ok_or(StoreError::Unsupported)
    }
}
