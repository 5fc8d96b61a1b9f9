//! Whether a phase fits its study: its place among the others, the rows of its job, and what its clients hold of them.

use kurabe_messages::{Message, message};
use kurabe_protocol::phase::MOST_TIMED_INSERTS;
use kurabe_protocol::{
    Distribution, End, FieldType, KeyMap, Layout, Load, Operation, Phase, Schema, Search, SearchRange,
};
use kurabe_record::{Act, PhasePlan, ServiceTarget};

use crate::error::{StudyError, named, range, unknown};

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
        let problem = message!(study_phase_many_rows, most = MAX_NUMBERED_ROWS, timed = MOST_TIMED_INSERTS);
        return Err(StudyError::value(origin, problem));
    }
    // Own rows have their own keys, and no digits that run out.
    match KeyMap::new(schema, None).most_rows().filter(|most| rows > *most) {
        None => Ok(()),
        Some(most) => {
            let (digits, timed) = (schema.key().key_digits(), MOST_TIMED_INSERTS);
            Err(StudyError::value(origin, message!(study_phase_digits, rows, digits, most, timed)))
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
        let problem = message!(study_phase_memory, bytes, most = MAX_IN_HAND_BYTES);
        return Err(StudyError::value(origin, problem).within(origin, named("phase", &phase.name)));
    }
    Ok(())
}

/// A phase that counts losses reads every row once, in their order, behind a kill or a power cut, and nothing comes after it.
pub(super) fn check_losses(origin: &str, before: &[PhasePlan], phase: &Phase, rows: u64) -> Result<(), StudyError> {
    let problem = |problem: Message| Err(StudyError::value(origin, problem));
    if before.iter().any(|plan| plan.phase.counts_losses) {
        return problem(message!(study_phase_after_losses));
    }
    if !phase.counts_losses {
        return Ok(());
    }
    let reads_all = phase.operation() == Operation::Read
        && phase.distribution == Distribution::Sequential
        && phase.end == End::Count(rows)
        && phase.warmup.is_none();
    // The phase of the kill, and the load before it: what else writes would hide losses, or look like some.
    let is_killed = match before {
        [load, killed] => {
            let kills = killed.actions.iter().filter(|action| action.act.ended_service().is_some());
            let kills: Vec<Act> = kills.map(|action| action.act).collect();
            let of_store = matches!(kills[..], [Act::Kill(ServiceTarget::Store) | Act::Cut(ServiceTarget::Store)]);
            load.actions.is_empty() && of_store && killed.phase.operation() == Operation::Update
        }
        _ => false,
    };
    if reads_all && is_killed { Ok(()) } else { problem(message!(study_phase_losses)) }
}

/// A search that this schema and number of rows can have.
pub(super) fn check_search(origin: &str, search: &Search, schema: &Schema, rows: u64) -> Result<(), StudyError> {
    let problem = |problem: Message| Err(StudyError::value(origin, problem));
    let columns: Vec<&str> =
        schema.values().iter().filter(|one| one.field_type == FieldType::Int64).map(|one| one.name.as_str()).collect();
    if !columns.contains(&search.field.as_str()) {
        let unknown = unknown("int64-column", &search.field, &columns);
        return problem(message!(study_in, origin = "search.field", problem = unknown));
    }
    let distinct = schema.values().iter().find(|one| one.name == search.field).and_then(|one| one.distinct);
    let wanted = match (search.wanted, distinct) {
        (SearchRange::Rows(_), Some(distinct)) => {
            let example = format!("search = {{ field = \"{}\", at_least = N }}", search.field);
            return problem(message!(study_phase_search_distinct, column = &search.field, distinct, example));
        }
        (SearchRange::AtLeast(least), distinct) => {
            let most = distinct.map_or(MOST_VALUE, u64::from);
            if least > most {
                return problem(range("search.at_least", 0, most, least));
            }
            return Ok(());
        }
        (SearchRange::Rows(rows), None) => rows,
    };
    let most = rows.min(1_000_000);
    if wanted == 0 || u64::from(wanted) > most {
        return problem(range("search.rows", 1, most, wanted));
    }
    // Beyond, the values of a column wrap around (PROTOCOL, "values"), and a range of them is none of rows.
    if rows > MAX_SEARCHED_ROWS {
        return problem(message!(study_phase_search_rows, most = MAX_SEARCHED_ROWS, rows));
    }
    Ok(())
}
