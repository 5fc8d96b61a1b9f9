//! The answer in short: a line for each deciding phase, in words for a reader who never benchmarked.

use kurabe_analysis::format::{self, NONE};
use kurabe_analysis::{Answer, PhaseAnswer, PhaseRanking, PhaseRow, Range, Status, plans};
use kurabe_protocol::{Operation, Phase};
use kurabe_record::{Class, RunRecord};

use crate::tables::Table;

/// With more leaders than this their number stands in the place of their names.
const NAMED_LEADERS: usize = 3;

/// Who is first in one ranking, how far ahead, and how sure that is.
pub struct Headline<'a> {
    pub phase: &'a PhaseAnswer,
    /// What the phase asks of the stores.
    pub plan: &'a Phase,
    pub ranking: &'a PhaseRanking,
    /// Those that share place 1, best first; at least one.
    pub leaders: Vec<&'a PhaseRow>,
    /// The best of those behind them.
    pub next: Option<&'a PhaseRow>,
}

/// All rankings that decide, in the order of the plan; those that nobody leads are left out.
pub fn headlines<'a>(answer: &'a Answer, run: &'a RunRecord) -> Vec<Headline<'a>> {
    let any_decides = answer.phases.iter().any(|phase| phase.deciding);
    let phases = answer.phases.iter().filter(|phase| phase.deciding || !any_decides);
    let of_phase = |phase: &'a PhaseAnswer| {
        let plan = plans(answer, run).iter().find(|plan| plan.phase.name == phase.name).map(|plan| &plan.phase);
        plan.into_iter().flat_map(move |plan| phase.rankings.iter().filter_map(move |one| headline(phase, plan, one)))
    };
    phases.flat_map(of_phase).collect()
}

fn headline<'a>(phase: &'a PhaseAnswer, plan: &'a Phase, ranking: &'a PhaseRanking) -> Option<Headline<'a>> {
    let row = |name: &String| phase.rows.iter().find(|row| row.candidate == *name);
    let rows: Vec<&PhaseRow> = ranking.candidates.iter().filter_map(row).collect();
    let leads = |row: &&PhaseRow| matches!(row.status, Status::Ranked { place: 1, .. });
    let leaders: Vec<&PhaseRow> = rows.iter().copied().filter(leads).collect();
    let next = rows.iter().copied().find(|row| !leads(row));
    (!leaders.is_empty()).then_some(Headline { phase, plan, ranking, leaders, next })
}

impl Headline<'_> {
    /// How many times the rate of the next one the best reaches, with the interval; absent where the first place is
    /// shared or nobody is behind it.
    pub fn lead(&self) -> Option<(f64, Option<Range>)> {
        let figure = self.next.filter(|_| self.leaders.len() == 1)?.to_best?.ratio;
        let turned = figure.interval.map(|range| Range { low: 1.0 / range.high, high: 1.0 / range.low });
        Some((1.0 / figure.value, turned))
    }

    /// The classes of the leaders, each once, the weakest first.
    pub fn classes(&self) -> Vec<Option<Class>> {
        let mut classes: Vec<Option<Class>> = self.leaders.iter().map(|row| row.class).collect();
        classes.sort();
        classes.dedup();
        classes
    }

    fn fastest(&self) -> String {
        let names: Vec<&str> = self.leaders.iter().map(|row| row.candidate.as_str()).collect();
        match names.as_slice() {
            [one] => (*one).to_string(),
            [first, ..] if names.len() > NAMED_LEADERS => format!("{} tie, '{first}' in front", names.len()),
            _ => format!("{} tie", format::list(&names)),
        }
    }

    fn ahead(&self) -> String {
        match (self.lead(), self.next) {
            (Some((lead, range)), Some(next)) => {
                let range =
                    range.map(|range| format!(" ({} to {})", format::ratio(range.low), format::ratio(range.high)));
                format!("{} × '{}'{}", format::ratio(lead), next.candidate, range.unwrap_or_default())
            }
            _ => NONE.into(),
        }
    }

    fn how_sure(&self) -> String {
        match (self.leaders.len(), self.next) {
            (1, Some(_)) => format!("decided, at {}", format::level(self.ranking.level)),
            (1, None) => "nobody to compare with".into(),
            _ => match self.ranking.detectable {
                Some(seen) if seen >= 1.0 => format!("not decided: only {} would show", format::difference(seen)),
                Some(seen) => format!("not decided: less than {} would not show", format::difference(seen)),
                None => "not decided".into(),
            },
        }
    }

    fn survive(&self) -> String {
        let words: Vec<&str> = self.classes().into_iter().map(|class| class.map_or("unknown", survives)).collect();
        words.join(" or ")
    }
}

/// What acknowledged writes of a class survive.
pub fn survives(class: Class) -> &'static str {
    match class {
        Class::None => "nothing for sure",
        Class::Process => "a killed process",
        Class::Power => "a power failure",
    }
}

/// The answer in short.
pub fn table(headlines: &[Headline<'_>]) -> Table {
    let row = |one: &Headline<'_>| {
        let class = one.ranking.class.map(|class| format!(", class {class}")).unwrap_or_default();
        let rate = one.leaders[0].rate_per_s.map_or_else(|| NONE.into(), |figure| format::rate(figure.value));
        vec![
            format!("{}{class}", one.phase.name),
            work(one.plan),
            one.fastest(),
            rate,
            one.ahead(),
            one.how_sure(),
            one.survive(),
        ]
    };
    let titles = ["phase", "the work", "fastest", "a second", "ahead of the next", "how sure", "its writes survive"];
    let mut table = Table::texts(&titles, headlines.iter().map(row));
    for (column, rank) in table.columns.iter_mut().zip([0, 3, 0, 4, 0, 1, 2]) {
        column.rank = rank;
    }
    table
}

/// What a phase asks of a store, in everyday words.
pub fn work(phase: &Phase) -> String {
    match phase.operation {
        Operation::Load => format!("store {} rows", phase.count.map_or_else(|| "all".into(), format::count)),
        Operation::Insert => "add a row".into(),
        Operation::Read => "find a row by its key".into(),
        Operation::MultiRead => format!("find {} rows by their keys", phase.multi_read_rows.unwrap_or(1)),
        Operation::Update => "change a row".into(),
        Operation::Increment => "add 1 to a counter".into(),
        Operation::Delete => "delete a row".into(),
        Operation::Scan => "go through all rows".into(),
        Operation::Latest => format!("list the newest {} rows", phase.latest_rows.unwrap_or(1)),
        Operation::Search => phase.search.as_ref().map_or_else(
            || "search a range".into(),
            |search| format!("find about {} rows by '{}'", search.rows, search.field),
        ),
        Operation::Open => "open the store and read a row".into(),
        Operation::Mix => {
            let total: f64 = phase.mix.iter().map(|part| f64::from(part.share)).sum();
            let share = |share: f64| {
                let text = format::significant(100.0 * share / total.max(1.0), 3);
                let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
                format!("{text} %")
            };
            let parts = phase.mix.iter().map(|part| format!("{} {}", share(f64::from(part.share)), part.operation));
            parts.collect::<Vec<String>>().join(", ")
        }
    }
}
