//! The answer in short: a line for each deciding phase, in words for a reader who never benchmarked.

use kurabe_analysis::format::{self, NONE};
use kurabe_analysis::{Answer, Caution, Leaders, plans};
use kurabe_protocol::{Action, Mix, Phase, Wanted, Work};
use kurabe_record::{Guarantee, Metric, RunRecord};

use crate::tables::{Table, figure_of};
use crate::words::{Word, lost};

/// With more leaders than this their number stands in the place of their names.
const NAMED_LEADERS: usize = 3;

/// Who is first in one ranking, with what the phase asks of the stores.
pub struct Headline<'a> {
    pub leaders: &'a Leaders,
    pub plan: &'a Phase,
    /// Whether the machine was the same all the time; else nobody is called the fastest.
    pub is_steady: bool,
}

/// Whether the machine was stable; else nobody has a rank.
pub(crate) fn is_steady(answer: &Answer) -> bool {
    !answer.cautions.iter().any(Caution::is_unsteady)
}

/// All rankings that decide, in the order of the plan.
pub fn headlines<'a>(answer: &'a Answer, run: &'a RunRecord) -> Vec<Headline<'a>> {
    let is_steady = is_steady(answer);
    let of = |leaders: &'a Leaders| {
        let plan = plans(answer, run).iter().find(|plan| plan.phase.name == leaders.phase)?;
        Some(Headline { leaders, plan: &plan.phase, is_steady })
    };
    answer.leaders.iter().filter_map(of).collect()
}

impl Headline<'_> {
    /// What the leaders keep, each once.
    pub fn guarantees(&self) -> Vec<Option<Guarantee>> {
        let mut all: Vec<Option<Guarantee>> = Vec::new();
        for one in &self.leaders.first {
            if !all.contains(&one.guarantee) {
                all.push(one.guarantee);
            }
        }
        all
    }

    /// What the first of them reached.
    pub fn reached(&self) -> String {
        let figure = self.leaders.first.first().and_then(|one| one.figure);
        figure.map_or_else(|| NONE.into(), |figure| figure_of(self.leaders.metric, figure.value))
    }

    fn first(&self) -> String {
        let names = self.leaders.names();
        match names.as_slice() {
            [one] if self.is_steady => (*one).to_string(),
            [one] => format!("not decided, '{one}' ahead"),
            [first, ..] if names.len() > NAMED_LEADERS => {
                format!("not decided between {}, '{first}' ahead", names.len())
            }
            [first, ..] => format!("not decided: {}, '{first}' ahead", format::list(&names)),
            [] => NONE.into(),
        }
    }

    fn ahead(&self) -> String {
        match (self.leaders.lead, &self.leaders.next) {
            (Some(lead), Some(next)) => {
                let range = lead.interval;
                let range =
                    range.map(|range| format!(" ({} to {})", format::ratio(range.low), format::ratio(range.high)));
                format!("{} × '{next}'{}", format::ratio(lead.value), range.unwrap_or_default())
            }
            _ => NONE.into(),
        }
    }

    fn how_sure(&self) -> String {
        if !self.is_steady {
            return "not decided: unstable machine".into();
        }
        match (self.leaders.first.len(), &self.leaders.next) {
            (1, Some(_)) => format!("decided, at {}", format::level(self.leaders.level)),
            (1, None) => "nobody to compare with".into(),
            _ => match self.leaders.detectable {
                Some(seen) if seen >= 1.0 => format!("not decided: only {} would show", format::difference(seen)),
                Some(seen) => format!("not decided: less than {} would not show", format::difference(seen)),
                None => "not decided".into(),
            },
        }
    }

    fn survive(&self) -> String {
        let words: Vec<String> = self.guarantees().into_iter().map(|kept| lost(kept).english()).collect();
        words.join(" or ")
    }
}

/// The answer in short.
pub fn table(headlines: &[Headline<'_>]) -> Table {
    let by_rate = headlines.iter().all(|one| one.leaders.metric == Metric::Rate);
    let row = |one: &Headline<'_>| {
        let level = one.leaders.among.words().map(|among| format!(", {among}")).unwrap_or_default();
        let by = if by_rate { String::new() } else { format!(", by {}", one.leaders.metric) };
        vec![
            format!("{}{level}{by}", one.leaders.phase),
            work(one.plan),
            one.first(),
            one.reached(),
            one.ahead(),
            one.how_sure(),
            one.survive(),
        ]
    };
    let (first, figure) = if by_rate { (Word::Fastest, Word::PerSecond) } else { (Word::First, Word::ItsFigure) };
    let titles = [Word::Phase, Word::TheWork, first, figure, Word::AheadOfTheNext, Word::HowSure, Word::CanBeLost];
    let mut table = Table::texts(titles, headlines.iter().map(row));
    for (column, rank) in table.columns.iter_mut().zip([0, 3, 0, 4, 0, 1, 2]) {
        column.rank = rank;
    }
    table
}

/// What a phase asks of a store, in everyday words.
pub fn work(phase: &Phase) -> String {
    let action = match &phase.work {
        Work::Load(loading) => {
            let passes = u64::from(loading.passes);
            let rows = phase.end.count().map_or_else(|| "all".into(), |count| format::count(count / passes));
            let again = if passes > 1 { format!(" {} times over", format::count(passes)) } else { String::new() };
            return format!("store {rows} rows{again}");
        }
        Work::Open { rows: 1 } => return "open the store and read a row".into(),
        Work::Open { rows } => return format!("open the store and read {} rows", format::count(u64::from(*rows))),
        Work::Program(program) => {
            let each = work(program);
            let times = program.end.count().filter(|_| program.loading().is_none());
            let times = times.map(|count| format!(", {} times", format::count(count))).unwrap_or_default();
            return format!("run a whole program: {each}{times}");
        }
        Work::Mix(mix) => return shares(mix),
        Work::One(action) => action,
    };
    match action {
        Action::Insert { .. } => "add a row".into(),
        Action::Read => "find a row by its key".into(),
        Action::MultiRead { rows } => format!("find {rows} rows by their keys"),
        Action::Update => "change a row".into(),
        Action::Increment => "add 1 to a counter".into(),
        Action::Delete => "delete a row".into(),
        Action::Scan => "go through all rows".into(),
        Action::Latest { rows } => format!("list the newest {rows} rows"),
        Action::Search(search) => match search.wanted {
            Wanted::Rows(rows) => format!("find about {rows} rows by '{}'", search.field),
            Wanted::AtLeast(least) => format!("find all rows with at least {least} in '{}'", search.field),
        },
    }
}

/// The shares of a mix in percent.
fn shares(mix: &Mix) -> String {
    let total: f64 = mix.shares().iter().map(|(_, share)| f64::from(*share)).sum();
    let share = |share: f64| {
        let text = format::significant(100.0 * share / total.max(1.0), 3);
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        format!("{text} %")
    };
    let shares = mix.shares();
    let parts = shares.iter().map(|(operation, part)| format!("{} {operation}", share(f64::from(*part))));
    parts.collect::<Vec<String>>().join(", ")
}
