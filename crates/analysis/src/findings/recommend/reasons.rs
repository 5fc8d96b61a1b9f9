//! Why a store was chosen, and in which cases another is to be taken.

use std::collections::BTreeSet;

use kurabe_protocol::Operation;
use kurabe_record::{About, Form, Guarantee, KnownStore, MinimumDurability, Model, SupportStatus, UsedBy, Writers};

use super::rules::{Chosen, Rule};
use super::situation::{Contestant, Growth, Situation};
use super::{Alternative, Lead, Pause, Rationale, Slow, Standing, StoreGrowth, TradeSide, Unless};

/// A store that had no release for so many years is told to be old.
const OLD_YEARS: i32 = 5;
/// Another store is worth a case of its own in a phase where it is at least so many times better.
const BETTER: f64 = 1.2;
/// A pause is told where it is so many times as long as that of another store.
const PAUSE: f64 = 3.0;
/// And no shorter than this: below a tenth of a millisecond nobody waits.
const PAUSE_NS: u64 = 100_000;
/// From here on a pause is told even where no other store has shorter ones: a person sees it.
const LONG_PAUSE_NS: u64 = 10_000_000;
/// The slowest operation of all is one event: it is told from here on, where that of another store is shorter.
const LONGEST_NS: u64 = 100_000_000;
/// Disk is told where another store takes at most this share of it.
const LESS_DISK: f64 = 0.5;
/// So many stores that keep more are named beside a faster one.
const TRADES: usize = 2;
/// Seconds of a day.
const DAY_S: f64 = 86_400.0;
/// Growth is told where an operation becomes at least so many times dearer with ten times the rows.
const DEARER: f64 = 1.25;
/// It holds where ten times the rows make an operation at most so many times dearer.
const HOLDS: f64 = 2.0;

/// Why `taken` was chosen.
pub(super) fn because(situation: &Situation, taken: &Contestant, chosen: &Chosen) -> Vec<Rationale> {
    let mut all = Vec::new();
    let rule = chosen.rule;
    let enough = enough(situation, taken, rule == Rule::AllEnough);
    let case = Case { situation, taken, chosen };
    // Where everybody is fast enough, who is faster is no reason.
    if rule == Rule::AllEnough {
        all.extend(enough);
        all.extend(plain(situation, taken));
    } else {
        all.extend(case.first());
        all.extend(case.level());
        all.extend(case.behind());
        all.extend(enough);
        if matches!(rule, Rule::PlainNearBest | Rule::LevelEverywhere) {
            all.extend(plain(situation, taken));
        }
    }
    all.extend(objective(situation, taken));
    if situation.phases.iter().any(|phase| phase.need_per_s.is_some()) && case.pauses().is_none() {
        all.extend(case.slowest());
    }
    all.extend(growth(situation, &case.with_nearest()));
    if situation.phases.iter().any(|phase| phase.writes) {
        if rule != Rule::AllEnough {
            all.extend(case.trades());
        }
        all.push(Rationale::Survives { guarantee: taken.guarantee });
    }
    all.extend(case.support());
    let status = taken.about.as_ref().map(|about| about.status).filter(|status| *status != SupportStatus::Maintained);
    match status {
        Some(status) => all.push(Rationale::Upkeep { status }),
        None => all.extend(old(situation, taken)),
    }
    all
}

/// The phase that becomes dearest for the first of these, with the second beside it.
pub(super) fn growth(situation: &Situation, stores: &[&Contestant]) -> Option<Rationale> {
    let decides = |phase: &str| situation.phases.iter().any(|one| one.name == phase);
    let of_first = stores.first()?.growth.iter().filter(|one| decides(&one.phase));
    let dearest = of_first.max_by(|a, b| a.times().total_cmp(&b.times()))?;
    let grown = |one: &&Contestant| {
        let same = |growth: &&Growth| {
            (&growth.phase, growth.from_rows, growth.to_rows) == (&dearest.phase, dearest.from_rows, dearest.to_rows)
        };
        let growth = one.growth.iter().find(same)?;
        let (from_ns, to_ns) = (growth.from_ns, growth.to_ns);
        Some(StoreGrowth { candidate: one.name.clone(), from_ns, to_ns, holds: growth.tenfold() <= HOLDS })
    };
    Some(Rationale::Growth {
        phase: dearest.phase.clone(),
        from_rows: dearest.from_rows,
        to_rows: dearest.to_rows,
        stores: stores.iter().take(2).filter_map(grown).collect(),
    })
}

/// The slowest of what a limit was given for.
pub(super) fn objective(situation: &Situation, one: &Contestant) -> Option<Rationale> {
    let slo = situation.slo?;
    let held = one.holds_none().map(|at| (at, None)).or_else(|| one.least_held().map(|(at, rate)| (at, Some(rate))));
    if let Some((at, rate)) = held {
        let (candidate, phase) = (one.name.clone(), situation.phases[at].name.clone());
        return Some(Rationale::Held { candidate, phase, rate_per_s: rate.map(|figure| figure.value), slo });
    }
    let (at, operation, ns) = one.slowest_at_objective()?;
    Some(Rationale::Objective {
        candidate: one.name.clone(),
        phase: situation.phases[at].name.clone(),
        operation,
        ns,
        slo,
        is_met: one.is_fast_enough(Some(slo), 1.0),
    })
}

/// The phase in which what is needed is met least.
fn enough(situation: &Situation, taken: &Contestant, by_all: bool) -> Option<Rationale> {
    let (at, times) = taken.least_met(&situation.phases)?;
    let phase = &situation.phases[at];
    Some(Rationale::Enough {
        candidate: taken.name.clone(),
        phase: phase.name.clone(),
        need_per_s: phase.need_per_s?,
        rate_per_s: taken.sure_rate_per_s(at)?,
        times,
        by_all,
    })
}

fn plain(situation: &Situation, taken: &Contestant) -> Option<Rationale> {
    let users = [UsedBy::OneProgram, UsedBy::SeveralMachines].into_iter();
    let mut users = users.filter(|used_by| situation.used_by.is_none_or(|asked| asked == *used_by));
    let used_by = users.find(|used_by| situation.plain(*used_by) == Some(taken.store.as_str()))?;
    let reason = match &situation.own_plain {
        Some(_) => None,
        None => taken.about.as_ref().and_then(|about| about.plain_reason.clone()),
    };
    Some(Rationale::Plain { used_by, reason })
}

/// Whether a store had no release for long, or its makers say that they no longer maintain it.
pub(super) fn is_old(situation: &Situation, one: &Contestant) -> bool {
    let year = one.about.as_ref().and_then(|about| about.released_year());
    let newest = situation.known.iter().filter_map(|one| one.about.released_year()).max();
    let is_left = one.about.as_ref().is_some_and(|about| about.status != SupportStatus::Maintained);
    is_left || year.zip(newest).is_some_and(|(year, newest)| newest - year >= OLD_YEARS)
}

/// Told against the newest release of all stores that are known, which is about as old as what is known of them.
fn old(situation: &Situation, taken: &Contestant) -> Option<Rationale> {
    let about = taken.about.as_ref().filter(|_| is_old(situation, taken))?;
    Some(Rationale::Old { year: about.released_year()?, version: about.released_version.clone() })
}

/// In which cases something else, the most telling first.
pub(super) fn unless(situation: &Situation, taken: &Contestant, chosen: &Chosen) -> Vec<Unless> {
    let case = Case { situation, taken, chosen };
    let mut all = Vec::new();
    if chosen.rule != Rule::AllEnough {
        all.extend(case.other_phases());
    }
    all.extend(case.little());
    all.extend(case.pauses());
    let (users, writers) = (case.users(), case.writers());
    match (users, writers) {
        (Some(Unless::SeveralMachines { instead, .. }), Some(Unless::ManyWriters { instead: other }))
            if instead == other =>
        {
            all.push(Unless::SeveralMachines { instead, also_for_writers: true });
            all.extend(case.power());
        }
        (users, writers) => {
            all.extend(users);
            all.extend(case.power());
            all.extend(writers);
        }
    }
    all.extend(case.queries());
    // Growth that was seen between two sizes stands among the reasons, with its figures.
    let is_told = growth(situation, &[taken]).is_some();
    all.extend(case.grows().filter(|one| !is_told || matches!(one, Unless::Grows { candidate: Some(_), .. })));
    all.extend(case.disk());
    all.extend(case.facts());
    all
}

pub(super) struct Case<'a> {
    pub(super) situation: &'a Situation,
    pub(super) taken: &'a Contestant,
    pub(super) chosen: &'a Chosen,
}

impl Case<'_> {
    /// Those that could have been taken in its place.
    pub(super) fn others(&self) -> impl Iterator<Item = &Contestant> {
        let is_out = |name: &str| self.chosen.ruled_out.iter().any(|(out, _)| out == name);
        self.situation.contestants.iter().filter(move |one| one.name != self.taken.name && !is_out(&one.name))
    }

    /// It, and of the others the one that is least behind.
    fn with_nearest(&self) -> Vec<&Contestant> {
        let nearest = self.others().min_by(|a, b| a.worst().1.total_cmp(&b.worst().1));
        [self.taken].into_iter().chain(nearest).collect()
    }

    /// Whether another one keeps more than it in some way, so that being faster is no lead in a phase that writes.
    fn keeps_more(&self, at: usize, other: &Contestant) -> bool {
        self.situation.phases[at].writes && other.keeps_more_than(self.taken)
    }

    /// Phases in which it is faster than a store that keeps more: of each such store the phase in which most of it is
    /// lost.
    fn trades(&self) -> Vec<Rationale> {
        let trade = |at: usize, other: &Contestant| {
            let (mine, theirs) = (&self.taken.standings[at], &other.standings[at]);
            let side = |one: &Contestant| {
                Some(TradeSide {
                    candidate: one.name.clone(),
                    rate_per_s: one.standings[at].rate_per_s?.value,
                    flushes_per_commit: one.standings[at].flushes_per_commit,
                    guarantee: one.guarantee,
                })
            };
            let is_trade = mine.rank < theirs.rank && self.keeps_more(at, other);
            let rationale = || {
                Some(Rationale::Trade {
                    phase: self.situation.phases[at].name.clone(),
                    faster: side(self.taken)?,
                    safer: side(other)?,
                    has_no_less: other.guarantee == Some(Guarantee::FULL)
                        && self.situation.asked != MinimumDurability::Default,
                })
            };
            is_trade.then(rationale).flatten().map(|rationale| (theirs.behind / mine.behind, rationale))
        };
        let largest = |other: &Contestant| {
            let all = (0..self.situation.phases.len()).filter_map(|at| trade(at, other));
            all.max_by(|a, b| a.0.total_cmp(&b.0))
        };
        let mut all: Vec<(f64, &str, Rationale)> = self
            .others()
            .filter_map(|other| largest(other).map(|(times, rationale)| (times, other.store.as_str(), rationale)))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Through another client a store keeps no other things.
        let mut stores = BTreeSet::new();
        all.retain(|(_, store, _)| stores.insert(*store));
        // The nearest two: the others are further behind, and keep no less.
        all.into_iter().take(TRADES).map(|(.., rationale)| rationale).collect()
    }

    /// The best of the others in a phase.
    fn best_other(&self, at: usize) -> Option<&Contestant> {
        self.best_of(at, |_| true)
    }

    /// The best of some of them.
    fn best_of(&self, at: usize, is_one: impl Fn(&Contestant) -> bool) -> Option<&Contestant> {
        let some = self.others().filter(|other| is_one(other));
        some.min_by(|a, b| a.standings[at].behind.total_cmp(&b.standings[at].behind))
    }

    /// How it stands in a phase among those that could have been taken.
    fn is_ahead(&self, at: usize) -> bool {
        self.others().all(|other| other.standings[at].rank > self.taken.standings[at].rank)
    }

    /// Phases in which it alone is first. Over a store that keeps more it has no lead.
    fn first(&self) -> Option<Rationale> {
        let lead = |at: usize| {
            let next = self.best_of(at, |other| !self.keeps_more(at, other))?;
            let times = next.standings[at].behind / self.taken.standings[at].behind;
            let phase = self.situation.phases[at].name.clone();
            self.is_ahead(at).then(|| Lead { phase, next: Some(next.name.clone()), times: Some(times) })
        };
        let phases: Vec<Lead> = (0..self.situation.phases.len()).filter_map(lead).collect();
        let is_everywhere = phases.len() == self.situation.phases.len();
        (!phases.is_empty()).then_some(Rationale::First { phases, is_everywhere })
    }

    /// Phases in which it shares the first rank.
    fn level(&self) -> Option<Rationale> {
        let shares = |at: &usize| {
            let mine = self.taken.standings[*at].rank;
            self.others().any(|one| one.standings[*at].rank == mine)
                && self.others().all(|one| one.standings[*at].rank >= mine)
        };
        let phases: Vec<String> =
            (0..self.situation.phases.len()).filter(shares).map(|at| self.situation.phases[at].name.clone()).collect();
        (!phases.is_empty()).then_some(Rationale::Level { phases })
    }

    /// Where it is furthest behind another that could have been taken.
    fn behind(&self) -> Option<Rationale> {
        let behind = |at: usize| {
            let best = self.best_of(at, |other| self.loses_more(at, other).is_none())?;
            let times = self.taken.standings[at].behind / best.standings[at].behind;
            let phase = self.situation.phases[at].name.clone();
            let is_behind = best.standings[at].rank < self.taken.standings[at].rank;
            // What is told among the cases for something else is not told twice.
            (is_behind && times < BETTER).then(|| (times, Rationale::Behind { phase, times, first: best.name.clone() }))
        };
        let all = (0..self.situation.phases.len()).filter_map(behind);
        all.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, rationale)| rationale)
    }

    /// What another one keeps, where that is less and the phase writes.
    fn loses_more(&self, at: usize, other: &Contestant) -> Option<Guarantee> {
        other.guarantee.filter(|_| self.situation.phases[at].writes && self.taken.keeps_more_than(other))
    }

    /// Phases in which another one is decidedly better.
    fn other_phases(&self) -> Vec<Unless> {
        let better = |(at, phase): (usize, &super::situation::Deciding)| {
            let mine = &self.taken.standings[at];
            let best = self.best_other(at)?;
            let times = mine.behind / best.standings[at].behind;
            (best.standings[at].rank < mine.rank && times >= BETTER).then(|| Unless::Phase {
                phase: phase.name.clone(),
                operation: phase.operation,
                candidate: best.name.clone(),
                times,
                saves_s_per_day: saved(phase.need_per_s, mine, &best.standings[at]),
                loses: self.loses_more(at, best),
            })
        };
        self.situation.phases.iter().enumerate().filter_map(better).collect()
    }

    /// A store without SQL finds rows by their keys, and little else.
    fn queries(&self) -> Option<Unless> {
        let about = self.taken.about.as_ref().filter(|about| about.model != Model::Sql)?;
        let used_by = self.situation.used_by.unwrap_or(UsedBy::of_form(about.form));
        let instead = self.instead(used_by, &|one| one.model == Model::Sql && used_by.fits(one.form));
        (instead != Alternative::Nothing).then_some(Unless::Queries { instead })
    }

    /// Where nobody said who uses it: the other form.
    fn users(&self) -> Option<Unless> {
        if self.situation.used_by.is_some() {
            return None;
        }
        match self.taken.about.as_ref()?.form {
            Form::Library => {
                let serves = |form| form == Form::Server;
                let instead = self.instead(UsedBy::SeveralMachines, &|one| serves(one.form));
                Some(Unless::SeveralMachines { instead, also_for_writers: false })
            }
            Form::Server => {
                let libraries =
                    self.others().filter(|one| one.about.as_ref().is_some_and(|about| about.form == Form::Library));
                let least = |one: &Contestant| {
                    let ratios =
                        one.standings.iter().zip(&self.taken.standings).map(|(one, mine)| mine.behind / one.behind);
                    ratios.fold(f64::INFINITY, f64::min)
                };
                let best = libraries.map(|one| (least(one), one)).max_by(|a, b| a.0.total_cmp(&b.0))?;
                (best.0 >= BETTER).then(|| Unless::OneProgram { candidate: best.1.name.clone(), times: best.0 })
            }
        }
    }

    /// Of a kind: of those that were measured the plain choice or the best, else the plain choice, else the first that
    /// is here.
    pub(super) fn instead(&self, used_by: UsedBy, is_it: &dyn Fn(&kurabe_record::About) -> bool) -> Alternative {
        let situation = self.situation;
        let plain = situation.plain(used_by);
        let model = self.taken.about.as_ref().map(|about| about.model);
        let is_other = |one: &Contestant| one.about.as_ref().map(|about| about.model) != model;
        // Of the same model before others, what keeps no less, the plain choice, and then the faster one.
        let order =
            |one: &Contestant| (is_other(one), self.taken.keeps_more_than(one), plain != Some(one.store.as_str()));
        let measured = self.others().filter(|one| one.about.as_ref().is_some_and(is_it));
        let best = measured.min_by(|a, b| order(a).cmp(&order(b)).then(a.worst().1.total_cmp(&b.worst().1)));
        if let Some(best) = best {
            return Alternative::Measured { candidate: best.name.clone() };
        }
        let can = |one: &&KnownStore| is_it(&one.about) && situation.can_promise(one);
        let plain = situation.plain(used_by).and_then(|store| situation.known(store)).filter(can);
        let Some(store) = plain.or_else(|| situation.known.iter().filter(can).max_by_key(|one| one.here)) else {
            return Alternative::Nothing;
        };
        let command = situation.with_stores(&[self.taken.typed(), &store.name]);
        let store = store.name.clone();
        match situation.measured.contains(&store) {
            true => Alternative::NotRanked { store, command },
            false => Alternative::NotMeasured { store, command },
        }
    }

    fn power(&self) -> Option<Unless> {
        let writes = self.situation.phases.iter().any(|phase| phase.writes);
        let is_safe = self.taken.guarantee == Some(Guarantee::FULL) || self.situation.asked == MinimumDurability::Power;
        (writes && !is_safe).then(|| Unless::PowerFails {
            command: self.situation.command.clone().with_durability("power").to_string(),
        })
    }

    /// Told where what was measured had one writer at a time.
    fn writers(&self) -> Option<Unless> {
        let writes = self.situation.phases.iter().any(|phase| phase.writes);
        let one = self.taken.about.as_ref().is_some_and(|about| about.writers == Writers::One);
        if !writes || !one {
            return None;
        }
        // A library with several writers is for the threads of one program; many connections come from more than one.
        let is_it = |about: &About| about.writers == Writers::Several && about.form == Form::Server;
        let instead = self.instead(UsedBy::SeveralMachines, &is_it);
        (instead != Alternative::Nothing).then_some(Unless::ManyWriters { instead })
    }

    fn grows(&self) -> Option<Unless> {
        let (phase, tenfold) = self.taken.grows.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let grows_less = |one: &Contestant| one.grows.iter().all(|(other, _)| other != phase);
        let at = self.situation.phases.iter().position(|one| one.name == *phase);
        let better = at.and_then(|at| self.best_of(at, grows_less));
        (*tenfold >= DEARER).then(|| Unless::Grows {
            phase: phase.clone(),
            tenfold: *tenfold,
            candidate: better.map(|one| one.name.clone()),
        })
    }

    /// Its longest pauses that those of another store are short beside, or that a person sees.
    fn pauses(&self) -> Option<Unless> {
        let of_phase = |at: usize| self.taken.standings[at].slow.iter().filter_map(move |slow| self.pause(at, slow));
        let all = (0..self.situation.phases.len()).flat_map(of_phase);
        all.max_by_key(|(ns, _)| *ns).map(|(_, unless)| unless)
    }

    /// The pauses of a kind of operation: at the highest quantile that all have, so that nobody is spared who has too
    /// few operations for a higher one. With how long they are.
    fn pause(&self, at: usize, slow: &Slow) -> Option<(u64, Unless)> {
        if !is_of_a_row(slow.operation) {
            return None;
        }
        let of_others = || self.others().filter_map(|one| Some((one, one.slow(at, slow.operation)?)));
        let all_have = |p: f64| of_others().all(|(_, other)| other.percentile(p).is_some());
        let (p, ns) = slow.quantiles.iter().rev().copied().find(|(p, _)| all_have(*p))?;
        let other = of_others().filter_map(|(one, other)| Some((other.percentile(p)?, one))).min_by_key(|(ns, _)| *ns);
        let longest = of_others().filter_map(|(_, other)| other.max_ns).min();
        let is_longer = |mine: u64, theirs: u64| mine as f64 >= theirs.max(1) as f64 * PAUSE;
        let is_worse = ns >= PAUSE_NS && other.is_some_and(|(theirs, _)| is_longer(ns, theirs));
        let stands_out =
            slow.max_ns.filter(|max| *max >= LONGEST_NS).zip(longest).is_some_and(|(a, b)| is_longer(a, b));
        let writes = self.situation.phases[at].under_way > 1 && slow.operation.writes();
        let one_writer = self.taken.about.as_ref().is_some_and(|about| about.writers == Writers::One);
        let unless = || Unless::Pauses {
            pause: self.pause_of(at, slow, (p, ns)),
            other: other.filter(|(theirs, _)| *theirs < ns).map(|(theirs, one)| (one.name.clone(), theirs)),
            is_for_a_lock: writes && one_writer,
        };
        (is_worse || stands_out || ns >= LONG_PAUSE_NS).then(|| (ns, unless()))
    }

    fn pause_of(&self, at: usize, slow: &Slow, (p, ns): (f64, u64)) -> Pause {
        let phase = self.situation.phases[at].name.clone();
        Pause { phase, operation: slow.operation, p, ns, max_ns: slow.max_ns }
    }

    /// Its slowest hundredth, where that is slowest.
    fn slowest(&self) -> Option<Rationale> {
        let first = |at: usize, slow: &Slow| slow.quantiles.first().map(|first| self.pause_of(at, slow, *first));
        let standings = self.taken.standings.iter().enumerate();
        let of_rows = |one: &'_ &Slow| is_of_a_row(one.operation);
        let all =
            standings.flat_map(|(at, one)| one.slow.iter().filter(of_rows).filter_map(move |slow| first(at, slow)));
        all.max_by_key(|pause| pause.ns).map(Rationale::Slowest)
    }

    fn disk(&self) -> Option<Unless> {
        let mine = self.taken.disk_per_row_bytes?;
        let others = self.others().filter_map(|one| Some((one.disk_per_row_bytes?, one)));
        let (other_bytes, other) = others.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (other_bytes > 0.0 && other_bytes <= mine * LESS_DISK).then(|| Unless::Disk {
            per_row_bytes: mine,
            candidate: other.name.clone(),
            other_bytes,
        })
    }
}

/// How much less time a day one works than another at the rate that is needed, in s.
fn saved(need_per_s: Option<f64>, slower: &Standing, faster: &Standing) -> Option<f64> {
    let each_s = |one: &Standing| Some(1.0 / one.rate_per_s?.value);
    Some(need_per_s? * DAY_S * (each_s(slower)? - each_s(faster)?)).filter(|saved| *saved > 0.0)
}

impl Contestant {
    /// The slow end of a kind of operation in a phase.
    fn slow(&self, at: usize, operation: Operation) -> Option<&Slow> {
        self.standings[at].slow.iter().find(|slow| slow.operation == operation)
    }
}

impl Slow {
    fn percentile(&self, p: f64) -> Option<u64> {
        self.quantiles.iter().find(|(known, _)| *known == p).map(|(_, ns)| *ns)
    }
}

/// What is about one row: a load or a walk over all rows takes long by itself.
fn is_of_a_row(operation: Operation) -> bool {
    operation == Operation::Read || (operation.writes() && operation != Operation::Load)
}
