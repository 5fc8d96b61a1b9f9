//! Claims: what was found, what became of them, and what would decide them.

use kurabe_messages::{Item, Message, described, format, message};
use kurabe_record::{Bounds, GrowthLaw, KnownFact, Metric, MetricUnit, MinimumDurability, PITFALL};
use kurabe_stats::MIN_VALUES;

use super::configuration::{configuration_name, factors};
use super::durability::named_minimum;
use crate::figures::figure::Figure;
use crate::figures::stability::SURE;
use crate::findings::claims::binding::StandIn;
use crate::findings::claims::finding::{Finding, FindingScope, Measure, Unknown};
use crate::findings::claims::settle::Settle;
use crate::findings::claims::statements::LINEAR;
use crate::findings::claims::verdict::ClaimVerdict;
use crate::findings::claims::{ClaimsAnswer, Judgement};
use crate::findings::growth::Growing;
use crate::spoken::Speaks;

impl ClaimVerdict {
    /// The verdict in a word or two.
    pub fn message(self) -> Message {
        match self {
            ClaimVerdict::Right => message!(claim_right),
            ClaimVerdict::RightAndMoreSo => message!(claim_right_and_more_so),
            ClaimVerdict::Wrong => message!(claim_wrong),
            ClaimVerdict::Undecided => message!(claim_undecided),
            ClaimVerdict::OtherWork => message!(claim_other_work),
        }
    }

    /// That so many are of this verdict: "1 is wrong", "2 are undecided".
    fn count_message(self, count: usize) -> Message {
        match self {
            ClaimVerdict::Right => message!(claim_count_right, count),
            ClaimVerdict::RightAndMoreSo => message!(claim_count_right_and_more_so, count),
            ClaimVerdict::Wrong => message!(claim_count_wrong, count),
            ClaimVerdict::Undecided => message!(claim_count_undecided, count),
            ClaimVerdict::OtherWork => message!(claim_count_other_work, count),
        }
    }

    /// How many are of each verdict, of those that there are.
    pub fn count_messages(count: impl Fn(ClaimVerdict) -> usize) -> Vec<Message> {
        let counted = ClaimVerdict::ALL.into_iter().map(|verdict| (verdict, count(verdict)));
        counted.filter(|(_, count)| *count > 0).map(|(verdict, count)| verdict.count_message(count)).collect()
    }
}

impl ClaimsAnswer {
    /// How many became what.
    pub fn summary(&self) -> Message {
        let none = self.claims.iter().filter(|claim| claim.not_judged.is_some()).count();
        let none = (none > 0).then(|| message!(claim_count_not_judged, count = none));
        let verdicts: Vec<Message> =
            ClaimVerdict::count_messages(|verdict| self.count(verdict)).into_iter().chain(none).collect();
        let level = format::level(self.level);
        let summary = message!(claim_summary, claims = self.claims.len(), level, verdicts);
        if self.fixed_before { summary } else { message!(claim_summary_edited, summary) }
    }

    /// Where the claims were published.
    pub fn source(&self) -> Option<Message> {
        let source = self.source.as_ref()?;
        Some(message!(claim_source, title = &source.title, site = &source.site, date = &source.date))
    }
}

impl Judgement {
    /// In which binding and at which durability it was judged, where there are several.
    pub fn context(&self) -> Option<Message> {
        let durability = self.durability.map(|minimum| match minimum {
            MinimumDurability::Default => Item::from(message!(claim_as_shipped)),
            minimum => Item::from(named_minimum(minimum)),
        });
        let parts: Vec<Item> = self.binding.iter().map(|name| Item::from(described(name))).chain(durability).collect();
        (!parts.is_empty()).then(|| message!(claim_context, parts))
    }

    /// Who stands in for a program of the source.
    pub fn stand_ins(&self) -> Option<Message> {
        let one =
            |it: &StandIn| message!(claim_stands_in, candidate = &it.candidate, part = &it.part, reason = &it.reason);
        let all: Vec<Message> = self.stand_ins.iter().map(one).collect();
        (!all.is_empty()).then(|| message!(table_clauses, parts = all))
    }

    /// What became of the claim of this name.
    pub fn message(&self, claim: &str) -> Message {
        message!(claim_judged, claim, context = self.context(), verdict = self.verdict.message())
    }
}

/// What a known fact says of a claim.
pub fn by_fact(known: &KnownFact) -> Message {
    message!(claim_by_fact, fact = &known.fact, source = &known.source)
}

impl Settle {
    /// What it would take.
    pub fn message(&self) -> Message {
        match (self.rounds, self.longer_ns, &self.command) {
            (Some(_), Some(longer), Some(command)) => message!(claim_decide_skipped, longer, command),
            (Some(_), None, Some(command)) => message!(claim_decide, command),
            (None, _, Some(command)) => message!(claim_decide_less, command),
            (_, _, None) => message!(claim_decide_never),
        }
    }
}

impl Finding {
    /// What was found.
    pub fn message(&self) -> Message {
        let clients = self.clients.as_ref().map(|(one, other)| message!(claim_clients, one, other));
        let unknown = self.unknown.as_ref().map(Unknown::message);
        message!(claim_finding, measure = self.measure.message(self.figure.as_ref()), unknown, clients)
    }

    /// The figure and where it was seen, for one line; without a figure what was found, or why nothing was.
    pub fn short_message(&self) -> Message {
        match (&self.figure, &self.unknown) {
            (Some(figure), _) => match self.measure.short_figure(figure) {
                Some((phase, subject, figure)) => message!(claim_in_short, phase, subject, figure),
                None => self.measure.message(Some(figure)),
            },
            // Why it was left out stands once, with all that was left out.
            (None, Some(Unknown::NotHere { candidate, .. })) => message!(claim_unknown_not_here, candidate),
            (None, Some(unknown)) => unknown.message(),
            (None, None) => self.measure.message(None),
        }
    }
}

impl Speaks for Finding {
    fn sentences(&self) -> Vec<Message> {
        vec![self.message()]
    }
}

impl FindingScope {
    fn message(&self) -> Message {
        let config = self.at.as_ref().map(configuration_name);
        let its_factors = (!self.factors.is_empty()).then(|| factors(&self.factors));
        message!(claim_place, phase = &self.phase, at = config, factors = its_factors)
    }
}

/// The name of what is measured, such as "rate".
pub fn metric(metric: Metric) -> Message {
    match metric {
        Metric::Rate => message!(claim_metric_rate),
        Metric::RowsRate => message!(word_rows_per_second),
        Metric::HighestRate => message!(word_highest_rate),
        Metric::P50 => message!(claim_metric_latency, percentile = "p50"),
        Metric::P90 => message!(claim_metric_latency, percentile = "p90"),
        Metric::P99 => message!(claim_metric_latency, percentile = "p99"),
        Metric::P999 => message!(claim_metric_latency, percentile = "p99.9"),
        Metric::ClientCpu => message!(claim_metric_client_cpu),
        Metric::ServiceCpu => message!(claim_metric_service_cpu),
        Metric::Memory => message!(word_memory),
        Metric::DiskPerRow => message!(claim_metric_disk),
    }
}

/// How many times as much, with its interval.
pub(super) fn times(figure: &Figure) -> Message {
    match figure.interval {
        None => factor(figure.value),
        Some(range) => message!(claim_factor_interval, value = figure.value, low = range.low, high = range.high),
    }
}

/// A value with its interval.
fn interval(figure: &Figure, value: impl Fn(f64) -> Message) -> Message {
    match figure.interval {
        None => value(figure.value),
        Some(range) => {
            message!(claim_interval, value = value(figure.value), low = value(range.low), high = value(range.high))
        }
    }
}

/// What is claimed of a value.
fn claimed(bounds: Bounds, value: impl Fn(f64) -> Message) -> Option<Message> {
    match (bounds.at_least, bounds.at_most) {
        (None, None) => None,
        (Some(low), None) => Some(message!(claim_at_least, low = value(low))),
        (None, Some(high)) => Some(message!(claim_at_most, high = value(high))),
        (Some(low), Some(high)) => Some(message!(claim_between, low = value(low), high = value(high))),
    }
}

/// What is claimed of a factor; nothing where it is only that one is more.
fn claimed_factor(bounds: Bounds, value: impl Fn(f64) -> Message) -> Option<Message> {
    let is_only_more = bounds.at_least == Some(1.0) && bounds.at_most.is_none();
    claimed(bounds, value).filter(|_| !is_only_more)
}

fn ratio(value: f64) -> Message {
    message!(claim_ratio, value)
}

fn factor(value: f64) -> Message {
    message!(claim_factor, value)
}

fn amount(metric: Metric, value: f64) -> Message {
    match metric.unit() {
        MetricUnit::PerSecond => message!(claim_rate, value),
        MetricUnit::Nanoseconds => message!(claim_duration, value),
        MetricUnit::Bytes => message!(claim_size, value),
    }
}

fn of(its: Metric, candidate: &str) -> Message {
    message!(claim_of, metric = metric(its), candidate)
}

fn compared_metric(its: Metric, candidate: &str, than: &str) -> Message {
    message!(claim_of_both, metric = metric(its), candidate, than)
}

/// What grows: the time for all rows where a rate ranks the phase, else the figure that does.
fn growing(its: Metric, candidate: &str) -> Message {
    match Growing::of(its) {
        Growing::Time => message!(claim_total_time, candidate),
        Growing::Figure(its) => of(its, candidate),
    }
}

fn of_law(law: GrowthLaw) -> Message {
    match law {
        GrowthLaw::Linear => message!(claim_linear, low = LINEAR.0, high = LINEAR.1),
        GrowthLaw::Faster => message!(claim_faster, high = LINEAR.1),
        GrowthLaw::Knee => message!(claim_knee),
    }
}

fn phase_alone(phase: &str) -> Message {
    message!(claim_place, phase, at = None, factors = None)
}

impl Measure {
    fn message(&self, figure: Option<&Figure>) -> Message {
        let shown = |value: fn(f64) -> Message| figure.map(|figure| interval(figure, value));
        let (place, subject, figure, claimed) = match self {
            Measure::Ratio { candidate, than, metric: its, place, than_place, bounds } => {
                let subject = match than_place {
                    None => compared_metric(*its, candidate, than),
                    Some(other) => {
                        let (metric, place) = (metric(*its), other.message());
                        message!(claim_of_both_places, metric, candidate, than, place)
                    }
                };
                (place.message(), subject, shown(ratio), claimed_factor(*bounds, number))
            }
            Measure::Amount { candidate, metric: its, place, bounds } => {
                let shown = figure.map(|figure| interval(figure, |value| amount(*its, value)));
                let claimed = claimed(*bounds, |value| amount(*its, value));
                (place.message(), of(*its, candidate), shown, claimed)
            }
            Measure::Exponent { candidate, phase, metric: its, law, rows } => {
                let subject = growing(*its, candidate);
                let subject = match *rows {
                    None => message!(claim_exponent, subject),
                    Some((low, high)) => message!(claim_exponent_over, subject, low, high),
                };
                (phase_alone(phase), subject, shown(number), Some(of_law(*law)))
            }
            Measure::Bend { candidate, phase, metric: its, rows } => {
                let subject = message!(claim_bend, subject = growing(*its, candidate), rows = *rows);
                (phase_alone(phase), subject, shown(number), None)
            }
            Measure::Change { axis, from, to, candidate, than, metric: its, place, bounds } => {
                let change = match axis.as_str() {
                    PITFALL => message!(configuration_pitfall, pitfall = to),
                    axis => message!(claim_change, axis, from, to),
                };
                let subject = match than {
                    None => of(*its, candidate),
                    Some(than) => compared_metric(*its, candidate, than),
                };
                let subject = message!(claim_effect, change, subject);
                (place.message(), subject, figure.map(times), claimed_factor(*bounds, factor))
            }
            Measure::LosesRows { candidate, rounds: 0, .. } => return message!(claim_lost_rows, candidate),
            Measure::LosesRows { candidate, rows, rounds } => {
                return message!(claim_loses_rows, candidate, rows = *rows, jobs = *rounds);
            }
            Measure::Fails { candidate, rounds: 0, .. } => return message!(claim_failures, candidate),
            Measure::Fails { candidate, message: None, rounds } => {
                return message!(claim_does_not_fail, candidate, jobs = *rounds);
            }
            Measure::Fails { candidate, message: Some(message), .. } => {
                return message!(claim_fails, candidate, message);
            }
        };
        message!(claim_measure, place, subject, figure, claimed)
    }

    /// The phase, what was looked at, and the figure in the unit of the measure; `None` of what is counted.
    fn short_figure(&self, figure: &Figure) -> Option<(&str, Message, Message)> {
        let subject = |its: Metric, candidate: &str, than: Option<&str>| match (its, than) {
            (Metric::Rate, Some(than)) => message!(claim_short_both, candidate, than),
            (Metric::Rate, None) => message!(claim_short_one, candidate),
            (its, Some(than)) => compared_metric(its, candidate, than),
            (its, None) => of(its, candidate),
        };
        Some(match self {
            Measure::Ratio { candidate, than, metric: its, place, than_place, .. } => {
                let sides = subject(*its, candidate, Some(than));
                let sides = match than_place {
                    Some(other) => message!(claim_short_elsewhere, sides, phase = &other.phase),
                    None => sides,
                };
                (&place.phase, sides, times(figure))
            }
            Measure::Change { candidate, than, metric: its, place, .. } => {
                (&place.phase, subject(*its, candidate, than.as_deref()), times(figure))
            }
            Measure::Amount { candidate, metric: its, place, .. } => {
                (&place.phase, of(*its, candidate), interval(figure, |value| amount(*its, value)))
            }
            Measure::Exponent { candidate, phase, metric: its, .. } => {
                let power = message!(claim_short_exponent, power = interval(figure, number));
                (phase, growing(*its, candidate), power)
            }
            Measure::Bend { candidate, phase, metric: its, rows } => {
                let power = message!(claim_short_bend, power = interval(figure, number), rows = *rows);
                (phase, growing(*its, candidate), power)
            }
            Measure::LosesRows { .. } | Measure::Fails { .. } => return None,
        })
    }
}

fn number(value: f64) -> Message {
    message!(claim_number, value)
}

impl Unknown {
    /// Why a statement is not decided.
    pub fn message(&self) -> Message {
        match self {
            Unknown::NotHere { candidate, reason: None } => message!(claim_unknown_not_here, candidate),
            Unknown::NotHere { candidate, reason: Some(reason) } => {
                message!(claim_unknown_left_out, candidate, reason)
            }
            Unknown::NoPitfall { pitfall } => message!(claim_unknown_pitfall, pitfall),
            Unknown::NoPlace { place, phase } if place.is_empty() => message!(claim_unknown_sizes, phase),
            Unknown::NoPlace { place, phase } if phase.is_empty() => {
                message!(claim_unknown_factors, factors = factors(place))
            }
            Unknown::NoPlace { place, phase } => message!(claim_unknown_place, phase, factors = factors(place)),
            Unknown::Uncounted { candidate, reason } => {
                message!(claim_unknown_uncounted, candidate, reason = reason.message())
            }
            Unknown::NoFigure { candidate, metric: its } => {
                message!(claim_unknown_figure, candidate, metric = metric(*its))
            }
            Unknown::OtherDurability { candidate, than } => message!(claim_unknown_other_durability, candidate, than),
            Unknown::WrongDurability => message!(claim_unknown_wrong_durability),
            Unknown::NobodyElse => message!(claim_unknown_alone),
            Unknown::TooSmall { operations, done } => {
                message!(claim_unknown_too_small, operations = *operations, done = *done)
            }
            Unknown::NarrowSizes { sizes, low, high } => {
                message!(claim_unknown_narrow, sizes = *sizes, low = *low, high = *high)
            }
            Unknown::Skipped { candidate, skipped } => {
                message!(claim_unknown_skipped, candidate, skipped = skipped.message())
            }
            Unknown::Unsteady => message!(claim_unknown_unstable, times = SURE),
            Unknown::UnsteadyGrowth => message!(claim_unknown_unstable_growth),
            Unknown::TooFewRounds { rounds } => {
                message!(claim_unknown_rounds, rounds = *rounds, needed = MIN_VALUES)
            }
            Unknown::TooNear { rounds: Some(rounds) } => message!(claim_unknown_near, rounds = *rounds),
            Unknown::TooNear { rounds: None } => message!(claim_unknown_too_near),
        }
    }
}
