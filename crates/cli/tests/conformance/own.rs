//! Rows of a data file: keys and values of any length, in Japanese, whatever the client that writes them.

use kurabe_protocol::{Action, CallName, End, FieldType, Load, Loading, Operation, Phase, RowsFrom, Schema, Work};

use crate::Outcome;
use crate::fixture::{StoreFixture, words};

/// A prime: connections are one here.
const ROWS: u64 = 97;
const PASSES: u32 = 3;

/// Names and texts as a dictionary has them; one text is empty, and many are the same.
fn pairs() -> Vec<(String, String)> {
    let pair = |row: u64| {
        let text = if row == 5 {
            String::new()
        } else {
            format!("{}.{}歳 'その{}", row % 40, row % 7, "他".repeat((row % 30) as usize))
        };
        (format!("(株)名前{row}\"\\"), text)
    };
    (0..ROWS).map(pair).collect()
}

fn schema(pairs: &[(String, String)]) -> Schema {
    let longest = pairs.iter().map(|(_, text)| text.len() as u32).max().unwrap_or(0);
    let mut schema = Schema::key_value(longest);
    schema.fields[0].field_type = FieldType::Text;
    schema.fields[1].field_type = FieldType::Text;
    schema
}

fn phases(fixture: &StoreFixture) -> Vec<Phase> {
    let all = End::Count(ROWS);
    let opened = if fixture.capabilities.open_rows { 7 } else { 1 };
    let reads = |when: &str| {
        let some = |what: &str, work: Work, count: u64| Phase::new(&format!("{what}-{when}"), work, End::Count(count));
        [
            some("read", Action::Read.into(), ROWS),
            some("multi-read", Action::MultiRead { rows: 10 }.into(), 20),
            some("scan", Action::Scan.into(), 2),
            some("latest", Action::Latest { rows: 20 }.into(), 2),
            some("open", Work::Open { rows: opened }, 2),
        ]
    };
    let load = Phase { commit_every: 1_000, ..Phase::new("load", Load::Row, all) };
    let mut phases = vec![load];
    phases.extend(reads("loaded"));
    phases.push(Phase::new("update", Action::Update, all));
    phases.push(Phase::new("update-again", Action::Update, all));
    phases.extend(reads("written"));
    phases.retain(|phase| fixture.capabilities.operations.contains(&phase.operation()));
    phases
}

/// All rows several times over, the lines split again, where the store can: then a scan gives every copy that is kept.
fn passes(fixture: &StoreFixture) -> Vec<Phase> {
    let can = &fixture.capabilities;
    if !can.passes {
        return Vec::new();
    }
    let loading = Loading { passes: PASSES, rows_from: RowsFrom::Lines, ..Load::Row.into() };
    let load = Phase { commit_every: 1_000, ..Phase::new("load", loading, End::Count(ROWS * u64::from(PASSES))) };
    let mut phases =
        vec![load, Phase::new("read", Action::Read, End::Count(ROWS)), Phase::new("scan", Action::Scan, End::Count(1))];
    phases.retain(|phase| can.operations.contains(&phase.operation()));
    phases
}

pub fn own_rows(fixture: &mut StoreFixture) -> Outcome<()> {
    let can = &fixture.capabilities;
    if !can.own_data || !can.empty_values || !can.key_types.contains(&FieldType::Text) {
        return Ok(());
    }
    let pairs = pairs();
    let schema = schema(&pairs);
    let data = fixture.bench.own_rows(&pairs).map_err(words)?;
    for (namespace, phases) in [("own", phases(fixture)), ("own_passes", passes(fixture))] {
        if phases.is_empty() {
            continue;
        }
        let mut job = fixture.job(namespace, &schema, ROWS as u32, phases.clone())?;
        job.data = Some(data.clone());
        let mut client = fixture.client(&job)?;
        client.call(CallName::Create)?;
        for phase in &phases {
            let result = client.run(phase)?;
            let copies = if client.capabilities.keeps_copies {
                u64::from(phase.loading().map_or(1, |some| some.passes))
            } else {
                1
            };
            if phase.operation() == Operation::Load
                && let Some(rows) = client.number(CallName::Count, "rows")?.filter(|rows| *rows != ROWS * copies)
            {
                return Err(format!("{rows} rows of a data file of {ROWS}, {copies} times over, came in"));
            }
            if *phase.rows_from() == RowsFrom::Lines && result.checks.checked < ROWS * u64::from(PASSES) {
                return Err(format!("{} lines were split again, and checked", result.checks.checked));
            }
        }
        client.call(CallName::Reset)?;
        client.stop()?;
    }
    Ok(())
}
