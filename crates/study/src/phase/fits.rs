//! Whether a phase fits its study: its place among the others, the rows of its job, and what its clients hold of them.

use kurabe_protocol::phase::MOST_TIMED_INSERTS;
use kurabe_protocol::{FieldType, KeyMap, Layout, Load, Phase, Schema, Search, Wanted};

use crate::error::StudyError;

/// Most rows over which the values of an int64 column grow with the row: 2^31 / 31.
const MAX_SEARCHED_ROWS: u64 = 69_000_000;
/// Largest value of an int64 column.
const MOST_VALUE: u64 = (1 << 31) - 1;
/// Most bytes of rows that the connections of a phase have in hand at a time.
const MAX_IN_HAND_BYTES: u64 = 4 << 30;
/// Most rows of a job, with those that it inserts: their numbers have 32 bits.
const MAX_NUMBERED_ROWS: u64 = u32::MAX as u64;

/// The rows that a job may have with its inserts so far have numbers, and keys that tell them apart.
pub(super) fn check_rows_of_job(origin: &str, schema: &Schema, rows: u64) -> Result<(), StudyError> {
    if rows > MAX_NUMBERED_ROWS {
        let problem = format!(
            "with what it may insert a job would have more than {MAX_NUMBERED_ROWS} rows; \
             give a smaller count or fewer rows (a duration alone counts as {MOST_TIMED_INSERTS})"
        );
        return Err(StudyError::value(origin, problem));
    }
    // Own rows have their own keys, and no digits that run out.
    match KeyMap::new(schema, None).most_rows().filter(|most| rows > *most) {
        None => Ok(()),
        Some(most) => {
            let problem = format!(
                "with what it may insert a job would have {rows} rows, but keys of {} digits tell {most} apart; \
                 give the key more digits, or fewer rows (inserts by a duration alone count as {MOST_TIMED_INSERTS})",
                schema.key().key_digits()
            );
            Err(StudyError::value(origin, problem))
        }
    }
}

/// What the connections of a phase hold of generated rows at a time must have room in a client's memory.
pub(crate) fn check_in_hand(origin: &str, phase: &Phase, schema: &Schema) -> Result<(), StudyError> {
    // Any other operation has one row in hand.
    let phase = phase.in_client();
    let many = phase.multi_read_rows().or(phase.open_rows());
    let rows_each = phase.load().map(Load::rows_at_a_time).or(many).unwrap_or(1);
    let under_way = u64::from(phase.connections) * u64::from(phase.depth.max(phase.batch));
    let row_bytes = Layout::new(schema).len_bytes() as u64;
    let bytes = under_way.saturating_mul(u64::from(rows_each)).saturating_mul(row_bytes);
    if bytes > MAX_IN_HAND_BYTES {
        let problem = format!(
            "phase '{}': its connections would hold {} MiB of rows at a time, more than {}; give fewer connections, a smaller depth, \
             batch or batch_rows, or shorter rows",
            phase.name,
            bytes >> 20,
            MAX_IN_HAND_BYTES >> 20
        );
        return Err(StudyError::value(origin, problem));
    }
    Ok(())
}

/// A search that this schema and number of rows can have.
pub(super) fn check_search(origin: &str, search: &Search, schema: &Schema, rows: u64) -> Result<(), StudyError> {
    let problem = |problem: String| Err(StudyError::value(origin, problem));
    let columns: Vec<&str> =
        schema.values().iter().filter(|one| one.field_type == FieldType::Int64).map(|one| one.name.as_str()).collect();
    if !columns.contains(&search.field.as_str()) {
        let known = if columns.is_empty() { "none".to_string() } else { columns.join(", ") };
        return problem(format!("search.field '{}' is no int64 column beside the key; there is {known}", search.field));
    }
    let distinct = schema.values().iter().find(|one| one.name == search.field).and_then(|one| one.distinct);
    let wanted = match (search.wanted, distinct) {
        (Wanted::Rows(_), Some(distinct)) => {
            return problem(format!(
                "column '{}' has {distinct} distinct values, so no range of them is one of so many rows; \
                 give search = {{ field = \"{0}\", at_least = N }}",
                search.field
            ));
        }
        (Wanted::AtLeast(least), distinct) => {
            let most = distinct.map_or(MOST_VALUE, u64::from);
            if least > most {
                return problem(format!("search.at_least must be at most {most}, which '{}' can be", search.field));
            }
            return Ok(());
        }
        (Wanted::Rows(rows), None) => rows,
    };
    if wanted == 0 || u64::from(wanted) > rows.min(1_000_000) {
        return problem(format!("search.rows must be from 1 to the number of rows and a million, got {wanted}"));
    }
    // Beyond, the values of a column wrap around (PROTOCOL, "values"), and a range of them is none of rows.
    if rows > MAX_SEARCHED_ROWS {
        return problem(format!("a search for a range of rows needs at most {MAX_SEARCHED_ROWS} rows, got {rows}"));
    }
    Ok(())
}
