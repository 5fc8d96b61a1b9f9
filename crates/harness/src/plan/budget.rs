//! What a budget is spent on. It serves the question, so one slow store never costs the others their rounds:
//!
//! 1. The rounds that a rank takes, at every configuration. What each candidate still needs of them is sorted by time, and is paid for
//!    from the cheapest on. A candidate of which nothing is known may take its fair share of the budget, and no more.
//! 2. Fewer rounds than that, where one fits: a figure without an interval is worth more than none.
//! 3. What was disturbed and is owed once more: that was paid for, and others took longer than they were to.
//! 4. More rounds, one at a time, at the configuration whose intervals are widest.
//! 5. Once more what was stopped, if at least twice as long is left for it.
//!
//! Who lacks rounds after that is skipped, which is recorded. A job that runs past its share and its estimate is stopped; that is
//! recorded as a skip too, which holds until the candidate has a job there after all.
//!
//! The alternative, to let each round begin as long as it fits, was tried: one store of unknown length took all that was left
//! in the first round, and nobody was ranked.

use kurabe_record::{JobRecord, SkippedRecord, StoreKind};

use super::{Block, NextStep, State, first_blocks, first_rounds, superseded};
use crate::estimate::{EstimateBasis, whole_ns, widest_interval};

/// A job that was stopped is tried again with so many times the time that it had.
const LONGER: u64 = 2;

/// Time that a candidate needs for rounds that it lacks at a configuration. The cheapest is the least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    ns: u64,
    config: usize,
    candidate: usize,
}

/// A round beyond the first ones, with those of its candidates that fit.
struct ExtraRound {
    block: Block,
    fit: Vec<Need>,
    is_begun: bool,
    is_whole: bool,
}

impl<'a> State<'a> {
    /// What is to be done with what is left of the budget.
    pub(super) fn within_budget(self, left_ns: u64) -> Option<NextStep> {
        self.rounds_for_a_rank(left_ns)
            .or_else(|| self.fewer_rounds(left_ns))
            .or_else(|| self.repeat_disturbed_job())
            .or_else(|| self.further_round(left_ns))
            .or_else(|| self.once_more(left_ns))
            .or_else(|| self.unknown(left_ns))
            .or_else(|| self.left_over(left_ns))
    }

    /// Whether a disturbed job, whose time is spent, can be done once more and costs nobody a round of those that come first.
    pub(super) fn is_paid_for(self, left_ns: u64, job: &JobRecord) -> bool {
        let again_ns = whole_ns(job);
        let needs = self.lacking().into_iter().filter_map(|(config, candidate, rounds)| {
            let is_it = (config, self.name(candidate)) == (job.configuration as usize, job.candidate.as_str());
            let rounds = if is_it { rounds.saturating_sub(1) } else { rounds };
            // Of whom nothing is known it may be as long as this one.
            let ns = self.estimate_ns(candidate, config).unwrap_or(again_ns).saturating_mul(u64::from(rounds));
            (ns > 0).then_some(Need { ns, config, candidate })
        });
        sum(&affordable(needs.collect(), left_ns)).saturating_add(again_ns) <= left_ns
    }

    /// Who lacks how many of the first rounds of which configuration.
    fn lacking(self) -> Vec<(usize, usize, u32)> {
        let at_level = |config: usize| {
            let lacks = move |candidate| first_rounds(self.plan, config).saturating_sub(self.rounds(config, candidate));
            let members = self.members(Block { config, round: u32::MAX }).into_iter();
            members.map(move |one| (config, one, lacks(one))).filter(|(_, _, rounds)| *rounds > 0)
        };
        (0..self.plan.study.configurations.len()).flat_map(at_level).collect()
    }

    /// What the first rounds that are lacking will take, as far as it is known.
    fn needs(self) -> Vec<Need> {
        let need = |(config, candidate, rounds): (usize, usize, u32)| {
            let estimate = self.estimate(candidate, config)?;
            // Other work may be far quicker: one round tells.
            let rounds = if estimate.basis == EstimateBasis::Guess { 1 } else { rounds };
            Some(Need { ns: estimate.ns.saturating_mul(u64::from(rounds)), config, candidate })
        };
        self.lacking().into_iter().filter_map(need).collect()
    }

    fn rounds_for_a_rank(self, left_ns: u64) -> Option<NextStep> {
        let paid = affordable(self.needs(), left_ns);
        let waiting = |block: Block| self.waiting(block).into_iter().map(move |candidate| (block, candidate));
        first_blocks(self.plan).into_iter().flat_map(waiting).find_map(|(block, candidate)| {
            if self.estimate(candidate, block.config).is_some() {
                let own = paid.iter().find(|need| (need.config, need.candidate) == (block.config, candidate))?;
                return Some(self.job_within(block, candidate, left_ns - (sum(&paid) - own.ns)));
            }
            let share_ns = self.share_ns(candidate).min(left_ns);
            (share_ns > 0).then(|| self.job_within(block, candidate, share_ns))
        })
    }

    /// The fair share of a candidate of which nothing is known, without what it has taken already: as much as every other one
    /// may have that needs as much, and more by what the others leave.
    fn share_ns(self, candidate: usize) -> u64 {
        let lacking = self.lacking();
        // All rounds that were planned: what nobody knows does not cost the others theirs.
        let planned =
            |config: usize, one: usize| self.plan.study.configurations[config].rounds - self.rounds(config, one);
        let needed = |one: usize| -> Option<u64> {
            let configs = lacking.iter().filter(|(_, who, _)| *who == one);
            let ns =
                configs.map(|(config, ..)| Some(self.estimate_ns(one, *config)? * u64::from(planned(*config, one))));
            ns.sum::<Option<u64>>().map(|ns| ns.saturating_add(self.spent_ns(one)))
        };
        let mut demands: Vec<u64> = (0..self.plan.candidates.len()).filter_map(needed).collect();
        demands.sort_unstable();
        let all = || (0..self.plan.candidates.len()).map(|one| self.spent_ns(one));
        let mut rest_ns = self.left_ns().unwrap_or(0).saturating_add(all().sum());
        let mut among = self.plan.candidates.len() as u64;
        for demand_ns in demands {
            if demand_ns > rest_ns / among {
                break;
            }
            rest_ns -= demand_ns;
            among -= 1;
        }
        (rest_ns / among.max(1)).saturating_sub(self.spent_ns(candidate))
    }

    /// Time that a candidate took, in ns, that of stopped jobs included.
    fn spent_ns(self, candidate: usize) -> u64 {
        let name = self.name(candidate);
        let jobs = self.done.jobs.iter().filter(|job| job.candidate == name).map(whole_ns);
        let stopped = self
            .done
            .skipped
            .iter()
            .filter(|skipped| skipped.candidate == name)
            .filter_map(|skipped| skipped.stopped_after_ns);
        jobs.chain(stopped).sum()
    }

    /// One round more for somebody who cannot have all that a rank takes: the fewest rounds first, then the cheapest.
    fn fewer_rounds(self, left_ns: u64) -> Option<NextStep> {
        let need = |(config, candidate, _): (usize, usize, u32)| {
            Some(Need { ns: self.estimate_ns(candidate, config)?, config, candidate })
        };
        let paid = affordable(self.lacking().into_iter().filter_map(need).collect(), left_ns);
        let first = paid.iter().min_by_key(|need| (self.rounds(need.config, need.candidate), **need))?;
        let others_ns = sum(&paid) - first.ns;
        let block = self.first_lacking(first.config, first.candidate)?;
        Some(self.job_within(block, first.candidate, left_ns - others_ns))
    }

    /// A job that was superseded, once more, with the time that it took then.
    fn repeat_disturbed_job(self) -> Option<NextStep> {
        self.lacking().into_iter().find_map(|(config, candidate, _)| {
            let (block, before) = self.blocks_lacking(config, candidate).find_map(|block| {
                Some((block, superseded(self.done, config, block.round, self.name(candidate)).last()?))
            })?;
            let usual_ns = whole_ns(before);
            let stopped = SkippedRecord { estimate_ns: Some(usual_ns), ..self.skipped(config, candidate, usual_ns) };
            Some(self.job(block, candidate, Some(stopped)))
        })
    }

    /// Those of the first rounds of a configuration that a candidate lacks.
    fn blocks_lacking(self, config: usize, candidate: usize) -> impl Iterator<Item = Block> {
        let rounds = 0..first_rounds(self.plan, config);
        rounds.map(move |round| Block { config, round }).filter(move |block| !self.has_job(*block, candidate))
    }

    /// The first of them.
    fn first_lacking(self, config: usize, candidate: usize) -> Option<Block> {
        self.blocks_lacking(config, candidate).next()
    }

    /// One more of the configuration whose intervals are widest: a round that is under way before one for all, and that
    /// before one for those stores that fit.
    fn further_round(self, left_ns: u64) -> Option<NextStep> {
        let configs = 0..self.plan.study.configurations.len();
        let rounds: Vec<ExtraRound> = configs.filter_map(|config| self.further(config, left_ns)).collect();
        let width = |one: &ExtraRound| {
            let stores: Vec<&str> = one.fit.iter().filter_map(|need| self.store(need.candidate)).collect();
            let config = one.block.config;
            (one.is_whole, widest_interval(&self.plan.study.configurations[config], config, self.done.jobs, &stores))
        };
        let wider = |a: &&ExtraRound, b: &&ExtraRound| {
            let (a, b) = (width(a), width(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        };
        // Of equals the first, so that small configurations are not behind.
        let chosen =
            rounds.iter().find(|one| one.is_begun).or_else(|| rounds.iter().rev().max_by(|a, b| wider(a, b)))?;
        let fits = |candidate: &usize| chosen.fit.iter().find(|need| need.candidate == *candidate);
        let own = self.waiting(chosen.block).into_iter().find_map(|one| fits(&one))?;
        Some(self.job_within(chosen.block, own.candidate, left_ns - (sum(&chosen.fit) - own.ns)))
    }

    /// The round of a configuration that may follow the first ones, if any of it fits. A round for a part of the stores
    /// compares at least two.
    fn further(self, config: usize, left_ns: u64) -> Option<ExtraRound> {
        let first = first_rounds(self.plan, config);
        let round = |round: u32| {
            let block = Block { config, round };
            let waiting = self.waiting(block).into_iter().filter(|one| self.rounds(config, *one) >= first);
            let need = |candidate| Some(Need { ns: self.estimate_ns(candidate, config)?, config, candidate });
            let needs: Vec<Need> = waiting.filter_map(need).collect();
            let all = needs.len();
            let fit = affordable(needs, left_ns);
            let (is_begun, is_whole) = (self.jobs(block).next().is_some(), fit.len() == all);
            let stores = fit.iter().filter(|need| self.store(need.candidate).is_some()).count();
            let tells = !fit.is_empty() && (is_begun || is_whole || stores >= 2);
            tells.then_some(ExtraRound { block, fit, is_begun, is_whole })
        };
        (first..self.plan.study.configurations[config].rounds).find_map(round)
    }

    fn store(self, candidate: usize) -> Option<&'a str> {
        let one = &self.plan.candidates[candidate];
        (one.kind == StoreKind::Store).then_some(one.name.as_str())
    }

    /// What was stopped, once more, if there is much more time now: what had the least of it first.
    fn once_more(self, left_ns: u64) -> Option<NextStep> {
        let longest_ns = |name: &str| self.skips_of(name).filter_map(|skipped| skipped.stopped_after_ns).max();
        let names = 0..self.plan.candidates.len();
        let stopped = names.filter_map(|one| Some((longest_ns(self.name(one))?, one)));
        let fits = stopped.filter(|(ns, _)| *ns > 0 && ns.saturating_mul(LONGER) <= left_ns);
        let mut candidates: Vec<(u64, usize)> = fits.collect();
        candidates.sort_unstable();
        candidates.into_iter().find_map(|(_, candidate)| {
            let name = self.name(candidate);
            let smallest = |skipped: &&SkippedRecord| {
                self.plan.study.configurations.get(skipped.configuration as usize).map(|config| config.rows)
            };
            let skipped =
                self.skips_of(name).min_by_key(smallest).filter(|skipped| skipped.stopped_after_ns.is_some())?;
            let block = self.first_lacking(skipped.configuration as usize, candidate)?;
            let stopped = SkippedRecord { estimate_ns: None, ..self.skipped(block.config, candidate, left_ns) };
            Some(self.job(block, candidate, Some(stopped)))
        })
    }

    /// Somebody of whom nothing is known at a configuration since it took its share at another one.
    fn unknown(self, left_ns: u64) -> Option<NextStep> {
        let is_unknown = |(config, one, _): &(usize, usize, u32)| self.estimate(*one, *config).is_none();
        let (config, candidate, _) = self.lacking().into_iter().filter(|_| left_ns > 0).find(is_unknown)?;
        Some(self.job_within(self.first_lacking(config, candidate)?, candidate, left_ns))
    }

    /// Somebody for whose next round no time is left.
    fn left_over(self, left_ns: u64) -> Option<NextStep> {
        let rows = |config: usize| self.plan.study.configurations[config].rows;
        let first =
            self.lacking().into_iter().min_by_key(|(config, candidate, _)| (rows(*config), *config, *candidate))?;
        Some(NextStep::Skipped(self.skipped(first.0, first.1, left_ns)))
    }

    /// A job that may take `share_ns` of the budget.
    fn job_within(self, block: Block, candidate: usize, share_ns: u64) -> NextStep {
        self.job(block, candidate, Some(self.skipped(block.config, candidate, share_ns)))
    }

    fn skipped(self, config: usize, candidate: usize, left_ns: u64) -> SkippedRecord {
        SkippedRecord {
            candidate: self.name(candidate).to_string(),
            configuration: config as u32,
            rounds: self.rounds(config, candidate),
            needed_rounds: 1,
            estimate_ns: self.estimate_ns(candidate, config),
            left_ns,
            stopped_after_ns: None,
        }
    }
}

/// What can be paid for, from the cheapest on.
fn affordable(mut needs: Vec<Need>, mut left_ns: u64) -> Vec<Need> {
    needs.sort_unstable();
    let fits = |need: &Need| left_ns.checked_sub(need.ns).map(|rest| left_ns = rest).is_some();
    needs.into_iter().take_while(fits).collect()
}

fn sum(needs: &[Need]) -> u64 {
    needs.iter().map(|need| need.ns).sum()
}
