//! The answer in a few sentences, as data; the words are those of a language.

use kurabe_machine::PowerVerdict;
use kurabe_record::{Guarantee, Metric, RunRecord, SkippedRecord, Slo, StoreKind, StudyPlan};
use kurabe_stats::MIN_VALUES;

use crate::figures::candidate::CandidateAnswer;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::figure::Figure;
use crate::figures::reason::Reason;
use crate::figures::rounds::Rounds;
use crate::findings::axes::AxisAnswer;
use crate::findings::client_effect::{ClientEffect, client_effects};
use crate::findings::growth::{Growing, Judgement};
use crate::grouping::grouped;
use crate::rank::leaders::{Leaders, leaders};
use crate::rank::phase::{PhaseAnswer, RankingScope};
use crate::rank::status::Status;
use crate::result::configuration_result::ConfigurationResult;

/// A run that could have seen only differences larger than this (1 is a factor of two) is called too noisy.
const TOO_NOISY: f64 = 1.0;

/// With more configurations whose first ranks go to others than this, the rest are left to the tables.
const ELSEWHERE: usize = 3;

/// A configuration, with those who are first there and in which phases.
pub type ConfigurationLeaders = (ConfigurationRef, Vec<(Vec<String>, Vec<String>)>);

/// A configuration, with who was skipped there.
pub type ConfigurationSkips = (ConfigurationRef, Vec<SkippedStore>);

/// A candidate for which the budget was too short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedStore {
    /// Its name.
    pub candidate: String,
    /// Time that the rounds that had to fit would have taken, in ns, where that was known.
    pub needed_ns: Option<u64>,
    /// Time of its jobs that were stopped, in ns, where there were any.
    pub took_ns: Option<u64>,
}

/// A sentence of the answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Sentence {
    /// Nobody is ranked.
    NoRanking {
        /// The configuration that this is about, where there are several.
        at: Option<ConfigurationRef>,
        /// Why.
        why: NoRanking,
    },
    /// Who is first where, the same leaders together.
    Winners {
        /// The configuration that this is about, where there are several.
        at: Option<ConfigurationRef>,
        /// The leaders.
        groups: Vec<Winners>,
        /// Whether the machine was the same all the time; else nobody is called the fastest.
        is_steady: bool,
    },
    /// Different stores are first in different phases.
    NoSingleWinner,
    /// The highest rates that keep an objective, phase by phase.
    Holds(Vec<Held>),
    /// What could not be decided, and what could have been seen.
    Detectability(Detectability),
    /// What acknowledged writes survive, the largest group last.
    Risk(Vec<Risk>),
    /// Candidates with wrong answers, each with the phases and how many.
    WrongAnswers(Vec<(String, Vec<(String, u64)>)>),
    /// Levels at which others are first: names and phase.
    OthersFirst(Vec<ConfigurationLeaders>),
    /// Whose time grows faster than the data, in phases that are ranked by a rate.
    Growth {
        /// Phases with the candidates and their exponents.
        faster: Vec<(String, Vec<(String, f64)>)>,
        /// Phases with the candidates of which that is not decided.
        open: Vec<(String, Vec<String>)>,
    },
    /// Whose figure grows with the data, in phases that are ranked by another metric.
    FigureGrowth {
        /// The metric.
        metric: Metric,
        /// Phases with the candidates and their exponents.
        grows: Vec<(String, Vec<(String, f64)>)>,
        /// Phases with the candidates of which that is not decided.
        open: Vec<(String, Vec<String>)>,
    },
    /// Whether the client decides more than the store, phase by phase.
    Clients(Vec<ClientEffect>),
    /// Candidates that were skipped, configuration by configuration.
    Skipped(Vec<ConfigurationSkips>),
}

impl Sentence {
    /// Whether it tells what a table of places does not: wrong answers, a budget that was too short, other
    /// configurations, growth.
    pub fn is_beside(&self) -> bool {
        match self {
            Sentence::WrongAnswers(_)
            | Sentence::Skipped(_)
            | Sentence::Holds(_)
            | Sentence::OthersFirst(_)
            | Sentence::Growth { .. }
            | Sentence::FigureGrowth { .. }
            | Sentence::Clients(_) => true,
            // Where all may be lost the level says too much.
            Sentence::Risk(groups) => groups.iter().any(|group| group.on_volatile_device),
            _ => false,
        }
    }
}

/// The highest rate at which a candidate keeps an objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The candidate.
    pub candidate: String,
    /// The work, as the study names it.
    pub phase: String,
    /// What is kept.
    pub slo: Slo,
    /// Operations a second, over rounds; absent where no rate that was tried kept it.
    pub rate: Option<Figure>,
}

/// Why nobody is ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRanking {
    /// No job ended cleanly.
    NoGoodJob,
    /// It takes more rounds.
    TooFewRounds(Rounds),
    /// No store got through a phase that decides.
    NobodyThrough,
}

/// Those that lead somewhere, with what their first ranks rest on.
#[derive(Clone, Debug, PartialEq)]
pub struct Winners {
    /// Their names, best first.
    pub names: Vec<String>,
    /// Whether nobody else is ranked there.
    pub is_alone: bool,
    /// Where they lead.
    pub places: Vec<FirstRank>,
}

/// A first rank.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstRank {
    /// The phase.
    pub phase: RankedPhase,
    /// What it rests on.
    pub because: Because,
}

/// A phase, with the level of durability where only that was ranked and the metric where that is no rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedPhase {
    /// Its name.
    pub name: String,
    /// What the ranked candidates have in common.
    pub among: RankingScope,
    /// What was ranked.
    pub metric: Metric,
}

/// What a first rank rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Because {
    /// Nothing more is to be said.
    Plain,
    /// Of two that share it the second reaches so much of the best.
    Shared {
        /// The second.
        second: String,
        /// The best.
        best: String,
        /// Its interval relative to the best.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// So many times better than the next.
    Ahead {
        /// The next one.
        next: String,
        /// How many times.
        lead: Figure,
    },
}

/// What could not be decided, and what could have been seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Detectability {
    /// Rankings whose first rank is shared.
    pub tied: Vec<RankedPhase>,
    /// Rankings in which nobody was there to compare with.
    pub alone: Vec<RankedPhase>,
    /// All rankings.
    pub rankings: usize,
    /// The smallest difference that could have been seen, and where.
    pub least: Option<(f64, RankedPhase)>,
    /// The largest.
    pub most: Option<(f64, RankedPhase)>,
    /// Whether the machine was the same all the time; else nothing is decided.
    pub is_steady: bool,
    /// Whether all rankings are by rates.
    pub are_rates: bool,
}

impl Detectability {
    /// Whether this run could have seen large differences only, and did not decide.
    pub fn is_too_noisy(&self) -> bool {
        !self.tied.is_empty() && self.most.as_ref().is_some_and(|most| most.0 > TOO_NOISY)
    }
}

/// What acknowledged writes of some candidates survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Risk {
    /// What is kept; absent where it is unknown.
    pub guarantee: Option<Guarantee>,
    /// The candidates.
    pub names: Vec<String>,
    /// Whether these are all that were measured.
    pub are_all: bool,
    /// Whether it is the last and largest of several groups.
    pub are_the_rest: bool,
    /// Whether the data of all of them lay where nothing survives the loss of power.
    pub on_volatile_device: bool,
}

/// What the sentences sum up.
pub(crate) struct Summary<'a> {
    pub(crate) run: &'a RunRecord,
    /// Of all configurations but those of pitfalls.
    pub(crate) results: &'a [ConfigurationResult],
    /// Which of them the answer is about.
    pub(crate) headline: usize,
    /// Who is first there.
    pub(crate) leaders: &'a [Leaders],
    pub(crate) axes: &'a [AxisAnswer],
    pub(crate) skipped: &'a [SkippedRecord],
}

impl Summary<'_> {
    /// Who is first where, whether stores win different phases, what could not be decided, what may be lost, whose
    /// answers were wrong; then who is first elsewhere, what grows, what clients cost and who was skipped.
    pub(crate) fn sentences(&self) -> Vec<Sentence> {
        let here = &self.results[self.headline];
        let is_one_of_several = self.results.len() > 1;
        let at = is_one_of_several.then(|| here.at.clone());
        // Where the machine was unstable nothing about who is faster is decided.
        let is_steady = here.is_steady();
        let mut sentences = Vec::new();
        if self.leaders.is_empty() {
            sentences.push(Sentence::NoRanking { at, why: no_ranking(&here.rounds) });
        } else {
            sentences.push(Sentence::Winners { at, groups: winners(self.leaders), is_steady });
            sentences.extend(no_single_winner(self.leaders).filter(|_| is_steady));
            sentences.push(Sentence::Detectability(Detectability { is_steady, ..detectability(self.leaders) }));
            sentences.extend(risk(self.run, &here.candidates));
        }
        sentences.extend(self.held(here));
        sentences.extend(wrong_answers(&here.phases));
        sentences.extend(self.other_leaders().filter(|_| is_steady));
        sentences.extend(growth_sentences(self.axes));
        sentences.extend(client_sentence(self.axes).filter(|_| is_steady));
        sentences.extend(skipped_sentence(&self.run.plan, self.skipped));
        sentences
    }

    /// What the stores hold in each phase that was searched, the highest rate first.
    fn held(&self, here: &ConfigurationResult) -> Option<Sentence> {
        let plans = here.at.plans(self.run).iter();
        let searched = plans.filter_map(|plan| {
            let (search, name) = plan.searched()?;
            Some((search, name, here.phases.iter().find(|phase| phase.name == plan.phase.name)?))
        });
        let mut all = Vec::new();
        for (search, name, phase) in searched {
            // Where it did not run at all another sentence tells why.
            let ran = phase.rows.iter().filter(|row| row.status != Status::Baseline && row.open_loop.is_some());
            let mut held: Vec<Held> = ran
                .map(|row| Held {
                    candidate: row.candidate.clone(),
                    phase: name.to_string(),
                    slo: search.slo,
                    rate: row.figure(Metric::HighestRate),
                })
                .collect();
            let rate = |one: &Held| one.rate.map_or(0.0, |figure| figure.value);
            held.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
            all.extend(held);
        }
        (!all.is_empty()).then_some(Sentence::Holds(all))
    }

    /// Configurations in which other candidates are first in a phase than in that of the answer.
    fn other_leaders(&self) -> Option<Sentence> {
        let elsewhere = |result: &ConfigurationResult| {
            let other = leaders(&result.phases).into_iter().filter(|there| {
                let mut here = self.leaders.iter();
                let same = here.find(|here| (&here.phase, here.among) == (&there.phase, there.among));
                same.is_some_and(|here| !there.names().iter().any(|name| here.names().contains(name)))
            });
            let names = |there: &Leaders| there.first.iter().map(|one| one.candidate.clone()).collect();
            let firsts: Vec<(Vec<String>, Vec<String>)> = grouped(other.map(|there| (names(&there), there.phase)));
            (!firsts.is_empty()).then(|| (result.at.clone(), firsts))
        };
        let others = self.results.iter().enumerate().filter(|(index, _)| *index != self.headline);
        let all: Vec<_> = others.filter_map(|(_, result)| elsewhere(result)).take(ELSEWHERE).collect();
        (!all.is_empty()).then_some(Sentence::OthersFirst(all))
    }
}

fn ranked(leaders: &Leaders) -> RankedPhase {
    RankedPhase { name: leaders.phase.clone(), among: leaders.among, metric: leaders.metric }
}

fn because(leaders: &Leaders) -> Because {
    if let [best, second, rest @ ..] = leaders.first.as_slice() {
        let interval = second.to_best.and_then(|figure| figure.interval);
        return match interval.filter(|interval| rest.is_empty() && !interval.is_wide()) {
            Some(interval) => Because::Shared {
                second: second.candidate.clone(),
                best: best.candidate.clone(),
                low: interval.low,
                high: interval.high,
            },
            None => Because::Plain,
        };
    }
    match (&leaders.next, leaders.lead) {
        (Some(next), Some(lead)) => Because::Ahead { next: next.clone(), lead },
        _ => Because::Plain,
    }
}

/// One entry for every set of leaders, in the order in which they first lead.
fn winners(leaders: &[Leaders]) -> Vec<Winners> {
    let groups = grouped(leaders.iter().map(|one| {
        let names: Vec<String> = one.first.iter().map(|leader| leader.candidate.clone()).collect();
        ((names, one.is_alone()), FirstRank { phase: ranked(one), because: because(one) })
    }));
    groups.into_iter().map(|((names, is_alone), places)| Winners { names, is_alone, places }).collect()
}

/// There is no composite score: where nobody leads everywhere, that is the answer.
fn no_single_winner(leaders: &[Leaders]) -> Option<Sentence> {
    let leads_everywhere = |name: &&str| leaders.iter().all(|one| one.names().contains(name));
    let is_settled = leaders.len() < 2 || leaders[0].names().iter().any(leads_everywhere);
    (!is_settled).then_some(Sentence::NoSingleWinner)
}

fn detectability(leaders: &[Leaders]) -> Detectability {
    let differences: Vec<(f64, RankedPhase)> =
        leaders.iter().filter_map(|one| Some((one.detectable?, ranked(one)))).collect();
    Detectability {
        is_steady: true,
        are_rates: leaders.iter().all(|one| one.metric == Metric::Rate),
        tied: leaders.iter().filter(|one| one.first.len() > 1).map(ranked).collect(),
        alone: leaders.iter().filter(|one| one.is_alone()).map(ranked).collect(),
        rankings: leaders.len(),
        least: differences.iter().min_by(|a, b| a.0.total_cmp(&b.0)).cloned(),
        most: differences.iter().max_by(|a, b| a.0.total_cmp(&b.0)).cloned(),
    }
}

/// What acknowledged writes survive: group by group, the largest group last. Nothing is promised of what was not
/// measured.
fn risk(run: &RunRecord, candidates: &[CandidateAnswer]) -> Option<Sentence> {
    if !run.plan.configurations.iter().flat_map(|level| &level.phases).any(|plan| plan.phase.writes()) {
        return None;
    }
    let measured = candidates.iter().filter(|one| one.kind == StoreKind::Store && one.work.rounds > 0);
    let mut groups: Vec<(Option<Guarantee>, Vec<String>)> =
        grouped(measured.map(|one| (one.guarantee, one.name.clone())));
    groups.sort_by_key(|(_, names)| names.len());
    let last = groups.len().saturating_sub(1);
    let on_volatile_device = |name: &String| {
        let started = run.candidates.iter().any(|one| one.name == *name && one.at_url.is_none());
        started && run.device.power_verdict() != PowerVerdict::Plausible
    };
    let risk = |(index, (guarantee, names)): (usize, (Option<Guarantee>, Vec<String>))| Risk {
        guarantee,
        are_all: last == 0,
        are_the_rest: last > 0 && index == last,
        on_volatile_device: names.iter().all(on_volatile_device),
        names,
    };
    let risks: Vec<Risk> = groups.into_iter().enumerate().map(risk).collect();
    (!risks.is_empty()).then_some(Sentence::Risk(risks))
}

fn no_ranking(rounds: &Rounds) -> NoRanking {
    match rounds.measured {
        0 => NoRanking::NoGoodJob,
        measured if measured < MIN_VALUES => NoRanking::TooFewRounds(*rounds),
        _ => NoRanking::NobodyThrough,
    }
}

fn wrong_answers(phases: &[PhaseAnswer]) -> Option<Sentence> {
    let rows = phases.iter().flat_map(|phase| phase.rows.iter().map(move |row| (phase, row)));
    let wrong: Vec<(String, Vec<(String, u64)>)> = grouped(rows.filter_map(|(phase, row)| match &row.status {
        Status::Unranked { reason: Reason::WrongAnswers { count, .. } } => {
            Some((row.candidate.clone(), (phase.name.clone(), *count)))
        }
        _ => None,
    }));
    (!wrong.is_empty()).then_some(Sentence::WrongAnswers(wrong))
}

/// What grows in the phases that decide: time faster than the data, or with the data a figure that ranks.
fn growth_sentences(axes: &[AxisAnswer]) -> Vec<Sentence> {
    let growth: Vec<&AxisAnswer> = axes.iter().filter(|one| one.is_growth()).collect();
    let any_decides = growth.iter().any(|one| one.deciding);
    let deciding = growth.into_iter().filter(|one| one.deciding || !any_decides);
    let told_alike = grouped(deciding.map(|one| (one.growing(), one)));
    told_alike.into_iter().filter_map(|(growing, axes)| growth_sentence(growing, &axes)).collect()
}

fn growth_sentence(growing: Growing, axes: &[&AxisAnswer]) -> Option<Sentence> {
    if !axes.iter().flat_map(|one| &one.curves).any(|curve| curve.slope.is_some()) {
        return None;
    }
    let judged = |wanted: Judgement| -> Vec<(String, Vec<(String, f64)>)> {
        let phase = |one: &&AxisAnswer| {
            let stores = one.curves.iter().filter(|curve| curve.kind == StoreKind::Store && curve.judgement == wanted);
            let names: Vec<(String, f64)> =
                stores.filter_map(|curve| Some((curve.candidate.clone(), curve.slope?.value))).collect();
            (!names.is_empty()).then(|| (one.phase.clone(), names))
        };
        axes.iter().filter_map(phase).collect()
    };
    let open = judged(Judgement::Undecided).into_iter();
    let open = open.map(|(phase, names)| (phase, names.into_iter().map(|(name, _)| name).collect())).collect();
    Some(match growing {
        Growing::Time => Sentence::Growth { faster: judged(Judgement::MoreThanLinear), open },
        Growing::Figure(metric) => Sentence::FigureGrowth { metric, grows: judged(Judgement::Grows), open },
    })
}

/// What is said of the clients, phase by phase.
fn client_sentence(axes: &[AxisAnswer]) -> Option<Sentence> {
    let phases = client_effects(axes);
    (!phases.is_empty()).then_some(Sentence::Clients(phases))
}

/// Who was skipped where, and what it would have taken.
fn skipped_sentence(plan: &StudyPlan, skipped: &[SkippedRecord]) -> Option<Sentence> {
    let store = |skipped: &SkippedRecord| SkippedStore {
        candidate: skipped.candidate.clone(),
        needed_ns: skipped.estimate_ns,
        took_ns: skipped.stopped_after_ns,
    };
    let by_configuration = grouped(skipped.iter().map(|skipped| (skipped.configuration, store(skipped))));
    let groups: Vec<ConfigurationSkips> =
        by_configuration.into_iter().map(|(at, names)| (ConfigurationRef::of(plan, at as usize), names)).collect();
    (!groups.is_empty()).then_some(Sentence::Skipped(groups))
}
