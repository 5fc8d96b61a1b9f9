//! Progress on stderr: a live line in a terminal, plain lines elsewhere, nothing with `-q`.

use std::cell::{Cell, RefCell};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kurabe_analysis::{ConfigurationRef, Leaders, MIN_VALUES, phrases, troubles};
use kurabe_harness::run::left_out_lines;
use kurabe_harness::{Disturbed, Observer, Starting, left_ns, pace, still_to_come, whole_ns};
use kurabe_messages::{Message, message};
use kurabe_protocol::Phase;
use kurabe_record::{DisturbedBy, JobRecord, Loaded, RunRecord, SkippedRecord};
use kurabe_report::{lines, one_line};

use crate::ascii;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressMode {
    /// A live line.
    Live,
    /// A line a job.
    Plain,
    /// Nothing.
    Quiet,
}

impl ProgressMode {
    /// Live in a terminal, plain elsewhere.
    pub fn usual(quiet: bool) -> ProgressMode {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => ProgressMode::Quiet,
            (false, true) => ProgressMode::Live,
            (false, false) => ProgressMode::Plain,
        }
    }
}

/// Shows what happens during a run.
pub struct Progress {
    mode: ProgressMode,
    bar: ProgressBar,
    /// Since when this session runs jobs.
    started: Cell<Instant>,
    /// How many jobs were done before it, and how many of them count.
    before: Cell<(u64, usize)>,
    /// What jobs took of the budget, in ns.
    spent_ns: Cell<u64>,
    /// Jobs in all, as far as is known.
    jobs: Cell<u64>,
    /// What was planned, as soon as that is known.
    run: RefCell<Option<RunRecord>>,
    done: Cell<u64>,
    /// What is recorded so far.
    records: RefCell<Vec<JobRecord>>,
    skipped: RefCell<Vec<SkippedRecord>>,
    /// Level and round of the job that is under way.
    turn: Cell<Option<(usize, u32)>>,
    /// How long still, and when that was reckoned.
    left: Cell<Option<(Duration, Instant)>>,
    job: RefCell<String>,
    /// Who looked ahead when that was told last.
    standing: RefCell<Vec<Message>>,
    phase: RefCell<(String, Option<Instant>)>,
}

impl Progress {
    /// Progress in a mode.
    pub fn new(mode: ProgressMode) -> Progress {
        let target =
            if mode == ProgressMode::Live { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {wide_msg}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(if ascii::takes_utf8() { style } else { style.progress_chars("#>-") });
        Progress {
            mode,
            bar,
            started: Cell::new(Instant::now()),
            before: Cell::default(),
            spent_ns: Cell::default(),
            jobs: Cell::new(0),
            run: RefCell::default(),
            done: Cell::new(0),
            records: RefCell::default(),
            skipped: RefCell::default(),
            turn: Cell::default(),
            left: Cell::default(),
            job: RefCell::default(),
            standing: RefCell::default(),
            phase: RefCell::default(),
        }
    }

    /// What went wrong in a job is named with -q too, then without the end of a log.
    fn trouble(&self, job: &str, words: &str) {
        let words = if self.mode == ProgressMode::Quiet { in_a_line(words) } else { words.to_string() };
        self.always(&format!("{job}  {words}"));
    }

    /// Removes the live line.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, text: &str) {
        if self.mode != ProgressMode::Quiet {
            self.always(text);
        }
    }

    /// Also with -q.
    fn always(&self, text: &str) {
        match self.mode {
            ProgressMode::Live => self.bar.println(ascii::shown(&lines(text), &std::io::stderr())),
            ProgressMode::Quiet | ProgressMode::Plain => crate::tell::tell(text),
        }
    }

    /// How long still, as it was reckoned when the last job ended.
    fn remaining_time(&self) -> String {
        let Some((left, then)) = self.left.get() else { return String::new() };
        let left = left.saturating_sub(then.elapsed());
        let left_ns = left.as_nanos() as u64;
        if left.is_zero() { String::new() } else { format!("  {}", message!(progress_left, left = left_ns)) }
    }

    /// Reckons how long still: from the jobs of each candidate, larger sizes being foreseen from smaller ones, and from
    /// how much longer this session takes than they. Where a candidate was never measured, from all jobs of the
    /// session. Never more than the budget has left, which repeated jobs and waits between jobs do not use up.
    fn reckon(&self) {
        let run = self.run.borrow();
        let Some(run) = run.as_ref() else { return };
        let (done, records) = (self.done.get(), self.records.borrow());
        let (done_before, counted_before) = self.before.get();
        let elapsed = self.started.get().elapsed();
        let pace = pace(elapsed.as_nanos() as u64, records.get(counted_before..).unwrap_or_default());
        let by_jobs = || {
            let to_come = self.jobs.get().saturating_sub(done) as f64;
            elapsed.mul_f64(to_come / done.saturating_sub(done_before).max(1) as f64)
        };
        let by_pace = |ns: u64| Duration::try_from_secs_f64(ns as f64 / 1e9 * pace).unwrap_or(Duration::MAX);
        let left = left_ns(run, &records, &self.skipped.borrow()).map_or_else(by_jobs, by_pace);
        let budget = run.plan.budget_ns.map(|budget| by_pace(budget.saturating_sub(self.spent_ns.get())));
        let left = budget.map_or(left, |budget| left.min(budget));
        self.left.set((done > 0).then(|| (left, Instant::now())));
    }

    /// Counts all jobs: those that are done, and those still to come.
    fn count(&self) {
        let run = self.run.borrow();
        let Some(run) = run.as_ref() else { return };
        let to_come = still_to_come(run, &self.records.borrow(), &self.skipped.borrow());
        self.jobs.set(self.done.get() + to_come.iter().map(|one| one.rounds).sum::<u64>());
        self.bar.set_length(self.jobs.get());
    }

    /// Who looks ahead after a round, from the third on: earlier there is no interval.
    fn standings(&self) {
        let run = self.run.borrow();
        let Some(run) = run.as_ref() else { return };
        let answer = kurabe_analysis::analyse(run, &self.records.borrow(), None);
        let leaders: Vec<Message> = answer.leaders.iter().map(standing).collect();
        // Of many configurations most leave it as it was.
        if !leaders.is_empty() && self.standing.replace(leaders.clone()) != leaders {
            self.line(&message!(progress_standing, leaders).to_string());
        }
    }

    fn show(&self, rate: Option<f64>) {
        let rate = rate.map(|rate| format!("  {}", message!(progress_rate, rate))).unwrap_or_default();
        let phase = self.phase.borrow().0.clone();
        let line = one_line(&format!("{}  {phase}{rate}{}", self.job.borrow(), self.remaining_time()));
        self.bar.set_message(ascii::shown(&line, &std::io::stderr()).into_owned());
    }
}

impl Observer for Progress {
    fn planned(&self, loaded: &Loaded) {
        let Loaded { run, jobs, superseded, skipped, .. } = loaded;
        *self.records.borrow_mut() = jobs.clone();
        *self.skipped.borrow_mut() = skipped.clone();
        self.done.set((jobs.len() + superseded.len()) as u64);
        self.started.set(Instant::now());
        self.before.set((self.done.get(), jobs.len()));
        self.spent_ns.set(jobs.iter().chain(superseded).map(whole_ns).sum());
        left_out_lines(&run.left_out).iter().for_each(|line| self.line(&line.to_string()));
        let corrected = run.candidates.iter().filter(|candidate| candidate.pitfall().is_none());
        let names: Vec<&str> = corrected.map(|candidate| candidate.name.as_str()).collect();
        let (rounds, configurations) = (run.plan.most_rounds(), run.plan.corrected().count());
        let study = &run.plan.study;
        self.line(&message!(progress_plan, study, rounds, configurations, candidates = names).to_string());
        // Those on an axis are phases of the same jobs.
        let apart = run.plan.pitfalls.iter().filter(|pitfall| pitfall.is_separate());
        let pitfalls: Vec<String> = apart.map(|pitfall| pitfall.name.clone()).collect();
        if !pitfalls.is_empty() {
            self.line(&message!(progress_pitfalls, pitfalls).to_string());
        }
        *self.run.borrow_mut() = Some(run.clone());
        self.count();
        self.reckon();
        if jobs.iter().any(|job| job.round + 1 >= MIN_VALUES as u32) {
            self.standings();
        }
    }

    fn job(&self, job: &Starting<'_>) {
        let before = self.turn.replace(Some((job.config, job.round)));
        if before.is_some_and(|before| before != (job.config, job.round) && before.1 + 1 >= MIN_VALUES as u32) {
            self.standings();
        }
        // A run that goes on starts in the middle.
        self.done.set(u64::from(job.number));
        self.bar.set_position(u64::from(job.number));
        let run = self.run.borrow();
        let plan = run.as_ref().map(|run| &run.plan);
        let rounds = plan.and_then(|plan| plan.configurations.get(job.config)).map_or(0, |config| config.rounds);
        let round = message!(progress_round, round = job.round + 1, rounds, candidate = job.candidate).to_string();
        let several = plan.filter(|plan| plan.configurations.len() > 1);
        let at =
            several.map(|plan| format!("{}  ", phrases::configuration_name(&ConfigurationRef::of(plan, job.config))));
        *self.job.borrow_mut() = at.unwrap_or_default() + &round;
        *self.phase.borrow_mut() = (message!(progress_starting).to_string(), None);
        self.show(None);
    }

    fn phase(&self, name: &str, _phase: &Phase) {
        *self.phase.borrow_mut() = (name.to_string(), Some(Instant::now()));
        self.show(None);
    }

    fn progress(&self, operations: u64) {
        let since = self.phase.borrow().1.map(|start| start.elapsed().as_secs_f64());
        self.show(since.filter(|since| *since > 0.0).map(|since| operations as f64 / since));
    }

    fn warn(&self, message: &Message) {
        // Only the user can do something about it.
        self.always(&format!("kurabe: {message}"));
    }

    fn skipped(&self, skipped: &SkippedRecord) {
        let run = self.run.borrow();
        let Some(plan) = run.as_ref().map(|run| &run.plan) else { return };
        let what = kurabe_analysis::Skipped::of(plan, skipped).message();
        self.line(&message!(progress_skipped, candidate = &skipped.candidate, what).to_string());
        self.skipped.borrow_mut().push(skipped.clone());
        drop(run);
        self.count();
    }

    fn done(&self, record: &JobRecord, disturbed: Option<&Disturbed>) {
        self.done.set(self.done.get() + 1);
        self.bar.set_position(self.done.get());
        let (done, all) = (self.done.get(), self.jobs.get());
        let job = message!(progress_job, done, all, job = self.job.borrow()).to_string();
        if let Some(disturbed) = disturbed {
            let who = who_disturbed(disturbed);
            let told = match record.superseded.is_some() {
                true => message!(progress_repeated, who),
                false => message!(progress_counts, who),
            };
            self.line(&format!("{job}  {told}"));
        }
        self.spent_ns.set(self.spent_ns.get().saturating_add(whole_ns(record)));
        if record.superseded.is_some() {
            self.count();
            return self.reckon();
        }
        self.records.borrow_mut().push(record.clone());
        if record.error.is_some() {
            self.count();
        }
        self.reckon();
        let run = self.run.borrow();
        let troubles = run.as_ref().map(|run| troubles(run, record)).unwrap_or_default();
        for trouble in &troubles {
            self.trouble(&job, &trouble.message().to_string());
        }
        if self.mode == ProgressMode::Plain && record.error.is_none() {
            self.line(&format!("{}{}", message!(progress_took, job, took = record.lasted_ns), self.remaining_time()));
        }
    }
}

/// A program is named from so many cores on.
const TOLD_CORES: f64 = 0.05;

/// Who took how much of the processors.
fn who_disturbed(disturbed: &Disturbed) -> Message {
    let Disturbed { disturbance, program } = disturbed;
    let share = disturbance.share;
    match (disturbance.by, program) {
        (DisturbedBy::CpuSteal, _) => message!(progress_steal, share),
        // One that is seen to have used little is one of many.
        (DisturbedBy::Programs, Some(one)) if one.cores >= TOLD_CORES => {
            message!(progress_program, name = &one.name, pid = one.pid, cores = format!("{:.1}", one.cores))
        }
        (DisturbedBy::Programs, _) => message!(progress_programs, share),
    }
}

/// Who leads a ranking so far.
fn standing(leaders: &Leaders) -> Message {
    let first = leaders.first.first().map(|one| one.candidate.as_str()).unwrap_or_default();
    let phase = &leaders.phase;
    match (leaders.first.len(), &leaders.next, leaders.lead) {
        (1, Some(next), Some(lead)) => message!(progress_leads_by, phase, first, ratio = lead.value, next),
        (1, ..) => message!(progress_leads, phase, first),
        _ => message!(progress_tie, phase, first),
    }
}

/// The first line; where it announces more, such as the end of a log, with the last.
fn in_a_line(words: &str) -> String {
    let mut lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default().to_string();
    match lines.next_back().filter(|_| first.ends_with([':', '：'])) {
        Some(last) => format!("{first} {last}"),
        None => first,
    }
}
