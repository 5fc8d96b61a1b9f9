//! The sentences of an answer.

use kurabe_messages::{Message, format, message};
use kurabe_record::Metric;
use kurabe_stats::MIN_VALUES;

use super::configuration::configuration_name;
use super::durability::{can_lose, scope_names};
use crate::answer::Answer;
use crate::figures::configuration::ConfigurationRef;
use crate::findings::client_effect::{BestAndWorst, ClientEffect, StrongerEffect};
use crate::findings::sentences::{
    Because, ConfigurationLeaders, ConfigurationSkips, Detectability, FirstRank, Held, NoRanking, RankedPhase, Risk,
    Sentence, SkippedStore, Winners,
};
use crate::text::metric_message;

/// With more leaders than this in one phase a sentence tells their number instead of their names.
const NAMED_LEADERS: usize = 3;

impl Answer {
    /// Its sentences.
    pub fn messages(&self) -> Vec<Message> {
        self.sentences.iter().flat_map(Sentence::messages).collect()
    }
}

impl Sentence {
    /// One message for each fact.
    pub fn messages(&self) -> Vec<Message> {
        match self {
            Sentence::NoRanking { at, why } => vec![about(at.as_ref(), no_ranking(*why))],
            Sentence::Winners { at, groups, is_steady } => {
                groups.iter().map(|one| about(at.as_ref(), winners(one, *is_steady))).collect()
            }
            Sentence::NoSingleWinner => vec![message!(sentence_no_single_winner)],
            Sentence::Holds(all) => all.iter().map(held).collect(),
            Sentence::Detectability(seen) => what_could_be_seen(seen),
            Sentence::Risk(groups) => groups.iter().map(risk).collect(),
            Sentence::WrongAnswers(wrong) => wrong.iter().map(wrong_answers).collect(),
            Sentence::OthersFirst(levels) => levels.iter().map(others_first).collect(),
            Sentence::Growth { faster, open } => time_growth(exponents(faster), stores(open)),
            Sentence::FigureGrowth { metric, grows, open } => {
                figure_growth(&metric_message(*metric), exponents(grows), stores(open))
            }
            Sentence::Clients(phases) => phases.iter().map(client_effect).collect(),
            Sentence::Skipped(levels) => levels.iter().map(skipped).collect(),
        }
    }
}

/// The sentence with the configuration that it is about, where there are several.
fn about(level: Option<&ConfigurationRef>, sentence: Message) -> Message {
    match level {
        Some(level) => message!(sentence_at, at = configuration_name(level), sentence),
        None => sentence,
    }
}

/// A user is taken to ask so often: each so many seconds.
const THINK_S: f64 = 10.0;

/// To so many digits, as a count.
fn rounded(value: f64, digits: i32) -> u64 {
    let unit = 10f64.powi((value.max(1.0).log10().floor() as i32 + 1 - digits).max(0));
    ((value / unit).round() * unit) as u64
}

fn held(one: &Held) -> Message {
    let Held { candidate, phase, slo, rate } = one;
    let Some(figure) = rate else { return message!(sentence_holds_none, candidate, phase, objective = slo) };
    // As many operations a second as the users start, each every ten seconds.
    let users = rounded(figure.value * THINK_S, 2);
    let rate = rounded(figure.value, 3);
    match figure.interval {
        Some(range) => {
            let (low, high) = (rounded(range.low, 3), rounded(range.high, 3));
            message!(sentence_holds, candidate, phase, objective = slo, rate, low, high, users)
        }
        None => message!(sentence_holds_once, candidate, phase, objective = slo, rate, users),
    }
}

fn no_ranking(why: NoRanking) -> Message {
    match why {
        NoRanking::NoGoodJob => message!(sentence_no_ranking_no_job),
        NoRanking::TooFewRounds(rounds) => {
            let (measured, planned) = (rounds.measured, rounds.planned);
            message!(sentence_no_ranking_few_rounds, measured, planned, needed = MIN_VALUES)
        }
        NoRanking::NobodyThrough => message!(sentence_no_ranking_nobody),
    }
}

fn ranked_phase(phase: &RankedPhase) -> Message {
    message!(sentence_phase, phase = &phase.name, metric = phase.metric, among = scope_names(phase.among))
}

fn ranked_phases(phases: &[RankedPhase]) -> Vec<Message> {
    phases.iter().map(ranked_phase).collect()
}

fn first_rank(first: &FirstRank) -> Message {
    let phase = ranked_phase(&first.phase);
    match &first.because {
        Because::Plain => phase,
        Because::Shared { second, best, low, high } => {
            message!(sentence_phase_tied, phase, second, best, low = *low, high = *high, metric = first.phase.metric)
        }
        Because::Ahead { next, lead } => match lead.interval {
            Some(range) => {
                let (times, low, high) = (lead.value, range.low, range.high);
                message!(sentence_phase_led_within, phase, next, times, low, high)
            }
            None => message!(sentence_phase_led, phase, next, times = lead.value),
        },
    }
}

fn winners(one: &Winners, is_steady: bool) -> Message {
    let phases: Vec<Message> = one.places.iter().map(first_rank).collect();
    let is_rate = |place: &FirstRank| place.phase.metric == Metric::Rate;
    let metric = if one.places.iter().all(is_rate) { Metric::Rate.word() } else { "other" };
    match (one.is_alone, one.names.as_slice()) {
        (true, names) => message!(sentence_only_ranked, names, phases),
        (false, [name]) if !is_steady => {
            let phases: Vec<Message> = one.places.iter().map(|place| ranked_phase(&place.phase)).collect();
            message!(sentence_first_unstable, name, phases)
        }
        (false, [name]) => message!(sentence_first, name, metric, phases),
        (false, [best, ..]) if one.names.len() > NAMED_LEADERS => {
            message!(sentence_tie_of_many, stores = one.names.len(), phases, best, metric)
        }
        (false, names) => {
            let best = names.first().map(String::as_str).unwrap_or_default();
            message!(sentence_tie, names, phases, best, metric)
        }
    }
}

fn what_could_be_seen(seen: &Detectability) -> Vec<Message> {
    if !seen.is_steady {
        return vec![message!(sentence_unstable)];
    }
    let decided = match (seen.tied.as_slice(), seen.alone.as_slice()) {
        ([], []) => message!(sentence_all_decided),
        ([], alone) if alone.len() == seen.rankings => return vec![message!(sentence_uncontested)],
        ([], alone) => message!(sentence_all_decided_but, phases = ranked_phases(alone)),
        (tied, _) => message!(sentence_tied, phases = ranked_phases(tied)),
    };
    let noisy = seen.is_too_noisy().then(|| message!(sentence_too_noisy));
    [Some(decided), detectable(seen), noisy].into_iter().flatten().collect()
}

/// The smallest differences that the run could detect; one where all phases show the same.
fn detectable(seen: &Detectability) -> Option<Message> {
    let shown = |share: f64| format::difference(share, kurabe_messages::Language::English);
    let (least, least_phase) = seen.least.as_ref()?;
    match &seen.most {
        Some((most, most_phase)) if shown(*least) != shown(*most) => {
            let (least_phase, most_phase) = (ranked_phase(least_phase), ranked_phase(most_phase));
            Some(message!(sentence_detectable_range, least = *least, least_phase, most = *most, most_phase))
        }
        _ => Some(message!(sentence_detectable, difference = *least)),
    }
}

fn risk(risk: &Risk) -> Message {
    let many = risk.names.len() > NAMED_LEADERS;
    let (who, stores) = match (risk.are_all, risk.are_the_rest) {
        (true, _) if many => (message!(sentence_risk_all), 1),
        (_, true) if many => (message!(sentence_risk_rest), risk.names.len()),
        _ => (message!(names_alone, names = &risk.names), risk.names.len()),
    };
    match risk.guarantee {
        None => message!(sentence_risk_unknown, who),
        Some(guarantee) => message!(sentence_risk, who, loses = can_lose(guarantee, stores)),
    }
}

fn wrong_answers((candidate, phases): &(String, Vec<(String, u64)>)) -> Message {
    let phases: Vec<Message> =
        phases.iter().map(|(phase, wrong)| message!(sentence_wrong_in_phase, phase, wrong = *wrong)).collect();
    message!(sentence_wrong_answers, candidate, phases)
}

fn others_first((level, firsts): &ConfigurationLeaders) -> Message {
    let leads: Vec<Message> = firsts.iter().map(|(names, phases)| message!(sentence_leads, names, phases)).collect();
    message!(sentence_others_first, at = configuration_name(level), leads)
}

/// Phases with candidates and their exponents.
fn exponents(all: &[(String, Vec<(String, f64)>)]) -> Vec<Message> {
    let of_phase = |(phase, names): &(String, Vec<(String, f64)>)| {
        let stores: Vec<Message> =
            names.iter().map(|(name, slope)| message!(sentence_exponent, name, exponent = *slope)).collect();
        message!(sentence_phase_stores, phase, stores)
    };
    all.iter().map(of_phase).collect()
}

/// Phases with candidates.
fn stores(all: &[(String, Vec<String>)]) -> Vec<Message> {
    let of_phase = |(phase, names): &(String, Vec<String>)| {
        let stores: Vec<Message> = names.iter().map(|name| message!(name_quoted, name)).collect();
        message!(sentence_phase_stores, phase, stores)
    };
    all.iter().map(of_phase).collect()
}

fn time_growth(faster: Vec<Message>, open: Vec<Message>) -> Vec<Message> {
    if faster.is_empty() && open.is_empty() {
        return vec![message!(sentence_time_does_not_grow)];
    }
    let faster = (!faster.is_empty()).then(|| message!(sentence_time_grows, phases = faster));
    let open = (!open.is_empty()).then(|| message!(sentence_time_open, phases = open));
    faster.into_iter().chain(open).collect()
}

fn figure_growth(metric: &Message, grows: Vec<Message>, open: Vec<Message>) -> Vec<Message> {
    let metric = || metric.clone();
    if grows.is_empty() && open.is_empty() {
        return vec![message!(sentence_metric_does_not_grow, metric = metric())];
    }
    let grows = (!grows.is_empty()).then(|| message!(sentence_metric_grows, metric = metric(), phases = grows));
    let open = (!open.is_empty()).then(|| message!(sentence_metric_open, metric = metric(), phases = open));
    grows.into_iter().chain(open).collect()
}

/// So many times, with the interval.
fn times(apart: &BestAndWorst) -> Message {
    let BestAndWorst { times, interval, .. } = apart;
    message!(sentence_times_within, times = *times, low = interval.low, high = interval.high)
}

fn between_clients(apart: &BestAndWorst, by: Metric) -> Message {
    let BestAndWorst { shared: store, best, worst, .. } = apart;
    match by {
        Metric::Rate => message!(sentence_between_clients, store, times = times(apart), best, worst),
        other => {
            message!(
                sentence_between_clients_by,
                metric = metric_message(other),
                store,
                times = times(apart),
                best,
                worst
            )
        }
    }
}

fn between_stores(apart: &BestAndWorst) -> Message {
    let BestAndWorst { shared: client, best, worst, .. } = apart;
    message!(sentence_between_stores, times = times(apart), client, best, worst)
}

fn client_effect(one: &ClientEffect) -> Message {
    let (phase, client) = (&one.phase, between_clients(&one.clients, one.metric));
    let Some(stores) = &one.stores else { return message!(sentence_client_effect, phase, client) };
    let store = between_stores(stores);
    match one.stronger() {
        StrongerEffect::Client => message!(sentence_client_matters_more, phase, client, store),
        StrongerEffect::Store => message!(sentence_store_matters_more, phase, client, store),
        StrongerEffect::Open | StrongerEffect::Alone => message!(sentence_client_or_store, phase, client, store),
    }
}

fn skipped((level, stores): &ConfigurationSkips) -> Message {
    let store = |one: &SkippedStore| {
        let name = &one.candidate;
        match (one.took_ns, one.needed_ns) {
            (Some(took), _) => message!(sentence_skipped_after, name, took),
            (None, Some(needed)) => message!(sentence_skipped_before, name, needed),
            (None, None) => message!(name_quoted, name),
        }
    };
    let stores: Vec<Message> = stores.iter().map(store).collect();
    message!(sentence_skipped, stores, at = configuration_name(level))
}
