//! The answer in short: a line for each deciding phase, in words for a reader who never benchmarked.

use kurabe_analysis::{Answer, Caution, Leaders, phrases, plans};
use kurabe_messages::{Item, Message, message};
use kurabe_protocol::{Action, Mix, Operation, Phase, Search, SearchRange, Work};
use kurabe_record::{Guarantee, Metric, RunRecord};

use crate::format::{self, NONE};
use crate::tables::{Table, figure_of};
use crate::text::Text;
use crate::words::{losses, metric};

/// More leaders than this are counted, not named.
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

    fn first(&self) -> Text {
        let names = self.leaders.names();
        match names.as_slice() {
            [one] if self.is_steady => (*one).to_string().into(),
            [one] => message!(table_first_unstable, best = one).into(),
            [best, ..] if names.len() > NAMED_LEADERS => {
                message!(table_first_tie_of_many, count = names.len(), best).into()
            }
            [best, ..] => {
                let names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
                message!(table_first_tie, names, best).into()
            }
            [] => Text::none(),
        }
    }

    fn lead(&self) -> Text {
        let (Some(lead), Some(next)) = (self.leaders.lead, &self.leaders.next) else { return Text::none() };
        let ratio = lead.value;
        match lead.interval {
            Some(range) => message!(table_lead_range, ratio, next, low = range.low, high = range.high).into(),
            None => message!(table_lead, ratio, next).into(),
        }
    }

    fn confidence(&self) -> Text {
        if !self.is_steady {
            return message!(table_confidence_unstable).into();
        }
        match (self.leaders.first.len(), &self.leaders.next) {
            (1, Some(_)) => format::level(self.leaders.level).into(),
            (1, None) => message!(table_confidence_alone).into(),
            _ => match self.leaders.detectable {
                Some(difference) => message!(table_confidence_tie, difference).into(),
                None => message!(word_inconclusive).into(),
            },
        }
    }

    fn loss(&self) -> Message {
        message!(table_series, items = self.guarantees().into_iter().map(losses).collect::<Vec<Message>>())
    }

    /// The phase, and what else names the ranking.
    fn phase(&self, by_rate: bool) -> Message {
        let leaders = self.leaders;
        let among = phrases::scope_names(leaders.among).into_iter().map(Item::from);
        let by = (!by_rate).then(|| message!(table_by_metric, metric = metric(leaders.metric)).into());
        let items: Vec<Item> = std::iter::once(Item::from(&leaders.phase)).chain(among).chain(by).collect();
        message!(table_series, items)
    }
}

/// The answer in short.
pub fn table(headlines: &[Headline<'_>]) -> Table {
    let by_rate = headlines.iter().all(|one| one.leaders.metric == Metric::Rate);
    let row = |one: &Headline<'_>| {
        vec![
            one.phase(by_rate).into(),
            work(one.plan).into(),
            one.first(),
            Text::from(one.reached()),
            one.lead(),
            one.confidence(),
            one.loss().into(),
        ]
    };
    let (first, figure) = match by_rate {
        true => (message!(word_fastest), message!(word_per_second)),
        false => (message!(word_best), message!(word_figure)),
    };
    let titles = [
        message!(word_phase),
        message!(word_work),
        first,
        figure,
        message!(word_lead),
        message!(word_confidence),
        message!(word_possible_loss),
    ];
    let mut table = Table::texts(titles, headlines.iter().map(row));
    for (column, rank) in table.columns.iter_mut().zip([0, 3, 0, 4, 0, 1, 2]) {
        column.rank = rank;
    }
    table
}

/// What a phase asks of a store, in everyday words.
pub fn work(phase: &Phase) -> Message {
    let action = match &phase.work {
        Work::Load(loading) => {
            let passes = u64::from(loading.passes);
            return match phase.end.count() {
                Some(count) => message!(table_work_load, rows = count / passes, passes),
                None => message!(table_work_load_all, passes),
            };
        }
        Work::Open { rows } => return message!(table_work_open, rows = *rows),
        Work::Program(program) => {
            let times = phase.end.count().filter(|_| program.loading().is_none());
            return match times {
                Some(times) => message!(table_work_program_times, work = work(program), times),
                None => message!(table_work_program, work = work(program)),
            };
        }
        Work::Mix(mix) => return shares(mix),
        Work::One(action) => action,
    };
    match action {
        Action::Insert { .. } => message!(table_work_insert),
        Action::Read => message!(table_work_read),
        Action::MultiRead { rows } => message!(table_work_multi_read, rows = *rows),
        Action::Update => message!(table_work_update),
        Action::Increment => message!(table_work_increment),
        Action::Delete => message!(table_work_delete),
        Action::Scan => message!(table_work_scan),
        Action::Latest { rows } => message!(table_work_latest, rows = *rows),
        Action::Search(search) => self::search(search),
    }
}

/// What a search is for.
pub fn search(search: &Search) -> Message {
    match search.wanted {
        SearchRange::Rows(rows) => message!(table_work_search, rows, field = &search.field),
        SearchRange::AtLeast(least) => message!(table_work_search_from, least, field = &search.field),
    }
}

/// The shares of a mix in percent.
fn shares(mix: &Mix) -> Message {
    let total: f64 = mix.shares().iter().map(|(_, share)| f64::from(*share)).sum();
    let share = |share: f64| {
        let text = format::significant(100.0 * share / total.max(1.0), 3);
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    };
    let part =
        |(operation, part): (Operation, u32)| message!(table_work_share, share = share(f64::from(part)), operation);
    message!(table_series, items = mix.shares().into_iter().map(part).collect::<Vec<Message>>())
}
