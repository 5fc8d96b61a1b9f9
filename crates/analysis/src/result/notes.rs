//! What stands beside the answer: missing rounds, absent stores, and what did not count.

use std::collections::BTreeSet;

use kurabe_machine::PowerVerdict;
use kurabe_messages::{Message, RecordedText};
use kurabe_protocol::Connect;
use kurabe_protocol::connection::{NOT_CHECKED, TLS};
use kurabe_record::{
    CandidateRecord, DisturbedBy, EndStatus, JobErrorKind, JobRecord, LeftOut, PhaseOutcome, PhasePlan, Repeated,
};
use kurabe_stats::MIN_VALUES;

use crate::figures::bottleneck::{BottleneckEvidence, PathPart};
use crate::figures::candidate::CandidateAnswer;
use crate::figures::completion::Extent;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::input::Input;
use crate::figures::reason::{NotCounted, NotCountedReason, Reason};
use crate::figures::rounds::Rounds;
use crate::grouping::grouped;
use crate::rank::phase::PhaseAnswer;
use crate::rank::status::Status;
use crate::result::load_tools::{self, ToolRatio};

/// What a reader must know beside the answer. It is written as its message.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// Rounds are missing, or the run did not end cleanly.
    Rounds {
        /// Rounds planned and done.
        rounds: Rounds,
        /// Why, as far as it is known.
        why: Vec<Missing>,
    },
    /// Too few rounds for a rank.
    TooFewRounds,
    /// Operations failed, though no more than the study allows in a phase of a job.
    Failures {
        /// Candidate.
        candidate: String,
        /// Phases, with the failures over all rounds.
        phases: Vec<(String, u64)>,
        /// The most frequent message of the first of these phases.
        message: Message,
        /// As many as the study allows.
        allowed: u64,
    },
    /// Lines of the record that stand there more than once.
    DuplicateLines(Vec<Repeated>),
    /// Jobs were repeated, since CPU steal or other programs took too much of the processors in them.
    Disturbed {
        /// How many.
        jobs: usize,
        /// The largest share that was taken, of 1.
        most: f64,
        /// The other programs that are known to have used most, by name; absent where it was CPU steal.
        programs: Option<Vec<String>>,
    },
    /// The run was recorded before losses were: what is kept is inferred from its classes.
    Inferred,
    /// Durability `power` is void where the data lay.
    NoPower {
        /// Why.
        reason: Message,
    },
    /// Candidates that were asked for were left out, for one and the same reason.
    Absent {
        /// As they were named.
        candidates: Vec<String>,
        /// Why.
        reason: RecordedText,
        /// What would help.
        remedy: Option<String>,
    },
    /// What limits the rates of one behind an app.
    Saturated {
        /// Candidate.
        candidate: String,
        /// Each part, and the phases in which it is the one.
        parts: Vec<(SaturatedPart, Vec<String>)>,
    },
    /// A load tool drives a candidate: its answers are not checked.
    LoadTool {
        /// Candidate.
        candidate: String,
        /// The candidate that differs in nothing but that Kurabe's own client asks, if there is one, and how it
        /// compares.
        own: Option<(String, Vec<ToolRatio>)>,
    },
    /// A service closed the connections that a phase keeps.
    Closes {
        /// Candidate.
        candidate: String,
        /// Phases, each with the connections that were made amid its operations, and these, over all rounds.
        phases: Vec<(String, u64, u64)>,
    },
    /// A candidate did not do what was planned at the rate of a phase.
    RateMissed {
        /// Candidate.
        candidate: String,
        /// Phases, each with the share of the planned operations that were done, of 1.
        phases: Vec<(String, f64)>,
    },
    /// The client itself started planned operations late, so that response times of a candidate are not those of its store alone.
    Late {
        /// Candidate.
        candidate: String,
        /// Phases; in each 99 of 100 operations were at most so late, in ns.
        phases: Vec<(String, u64)>,
    },
    /// Servers at addresses whose certificate was not checked.
    AnyCertificate {
        /// Candidates.
        candidates: Vec<String>,
    },
    /// Figures are missing, since the user at the address of a server may not read them.
    Unreadable {
        /// Candidate.
        candidate: String,
        /// What is missing, each with the server's words.
        figures: Vec<String>,
    },
}

/// A part of the way to a store, and whether it is saturated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaturatedPart {
    /// The part.
    pub part: PathPart,
    /// Whether it is busy; else it is waited for.
    pub is_busy: bool,
}

/// Why rounds are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Jobs of these candidates failed.
    Failed {
        /// The candidates.
        candidates: Vec<String>,
        /// The round, from 0.
        round: u32,
    },
    /// Jobs of these candidates failed with fewer rows.
    FailedBefore {
        /// The candidates.
        candidates: Vec<String>,
        /// Where.
        at: ConfigurationRef,
    },
    /// The rest did not fit the budget; with what the record says of it.
    Budget(Option<RecordedText>),
    /// The user interrupted the run; with what the record says of it.
    Interrupted(Option<RecordedText>),
    /// The run ended early, and not for a job that failed; with what the record says of it.
    Broken(Option<RecordedText>),
    /// The record has no end.
    NoEnd,
}

/// One entry for a candidate and a reason, with all the phases it holds for. Where the whole run has too few rounds,
/// that is said once, in the notes.
pub(crate) fn not_counted(phases: &[PhaseAnswer], rounds: &Rounds) -> Vec<NotCounted> {
    let mut entries: Vec<NotCounted> = Vec::new();
    for phase in phases {
        for row in &phase.rows {
            let Status::Unranked { reason } = &row.status else { continue };
            if matches!(reason, Reason::TooFewRounds { .. }) && rounds.measured < MIN_VALUES {
                continue;
            }
            let why = NotCountedReason::NotRanked(reason.clone());
            match entries.iter_mut().find(|entry| entry.candidate == row.candidate && entry.why == why) {
                Some(entry) => entry.phases.push(phase.name.clone()),
                None => {
                    entries.push(NotCounted {
                        candidate: row.candidate.clone(),
                        phases: vec![phase.name.clone()],
                        why,
                    });
                }
            }
        }
    }
    entries
}

/// Jobs that gave every phase and then did not end cleanly: their figures count, their end is reported.
pub(crate) fn bad_ends(input: &Input<'_>) -> Vec<NotCounted> {
    let ran = |job: &JobRecord, plan: &PhasePlan| {
        let record = job.phases.iter().find(|record| record.name == plan.phase.name);
        record.is_some_and(|record| !matches!(record.outcome, PhaseOutcome::Failed(_)))
    };
    let bad_end = |job: &JobRecord| {
        let error = job.error.as_ref()?;
        let is_told = error.kind == JobErrorKind::Settings || !input.plan().phases.iter().all(|plan| ran(job, plan));
        (!is_told).then(|| NotCounted {
            candidate: job.candidate.clone(),
            phases: Vec::new(),
            why: NotCountedReason::BadEnd { round: job.round, message: error.message.clone() },
        })
    };
    input.jobs.iter().copied().filter_map(bad_end).collect()
}

/// Those that were left out for one and the same reason stand in one note, without what pitfalls would have made of
/// them.
fn absent_together(left_out: &[LeftOut]) -> impl Iterator<Item = Note> {
    let is_absent = |name: &str| left_out.iter().any(|one| one.name == name);
    let mut together: Vec<(&LeftOut, Vec<String>)> = Vec::new();
    for one in left_out.iter().filter(|one| !one.of_pitfall().is_some_and(is_absent)) {
        match together.iter_mut().find(|(known, _)| (&known.reason, &known.remedy) == (&one.reason, &one.remedy)) {
            Some((_, candidates)) => candidates.push(one.name.clone()),
            None => together.push((one, vec![one.name.clone()])),
        }
    }
    together.into_iter().map(|(one, candidates)| Note::Absent {
        candidates,
        reason: one.reason.clone(),
        remedy: one.remedy.clone(),
    })
}

/// What the notes are made of.
pub(crate) struct Noted<'a> {
    pub(crate) input: &'a Input<'a>,
    pub(crate) rounds: &'a Rounds,
    pub(crate) candidates: &'a [CandidateAnswer],
    pub(crate) phases: &'a [PhaseAnswer],
}

impl Noted<'_> {
    pub(crate) fn notes(&self) -> Vec<Note> {
        let (run, rounds) = (self.input.run, self.rounds);
        let mut notes = Vec::new();
        if rounds.complete < rounds.planned || rounds.end != Some(EndStatus::Complete) {
            notes.push(Note::Rounds { rounds: *rounds, why: self.missing() });
        }
        // Where enough were asked for, the note above says why there are fewer.
        let counts_losses = self.input.plan().counts_losses();
        if rounds.measured < MIN_VALUES && rounds.planned < MIN_VALUES && !counts_losses {
            notes.push(Note::TooFewRounds);
        }
        notes.extend(self.candidates.iter().filter_map(|candidate| self.failures(&candidate.name)));
        if !self.input.discarded.repeated.is_empty() {
            notes.push(Note::DuplicateLines(self.input.discarded.repeated.to_vec()));
        }
        notes.extend(self.disturbed());
        if run.format < kurabe_record::FORMAT {
            notes.push(Note::Inferred);
        }
        if let PowerVerdict::Refused { reason } = run.device.power_verdict() {
            notes.push(Note::NoPower { reason });
        }
        notes.extend(absent_together(&run.left_out));
        notes.extend(self.any_certificate());
        notes.extend(self.candidates.iter().filter_map(|candidate| self.unreadable(&candidate.name)));
        if !counts_losses {
            notes.extend(self.candidates.iter().filter_map(|candidate| self.saturated(&candidate.name)));
        }
        notes.extend(self.candidates.iter().filter_map(|candidate| self.closes(&candidate.name)));
        notes.extend(self.candidates.iter().flat_map(|candidate| self.planned(&candidate.name)));
        notes.extend(self.input.candidates().filter(|one| one.by_load_tool).map(|tool| self.load_tool(tool)));
        notes
    }

    /// Jobs that were repeated: those that CPU steal disturbed apart from those that other programs did.
    fn disturbed(&self) -> Vec<Note> {
        let by_programs = |job: &&JobRecord| {
            let disturbance = self.input.run.disturbance(job);
            job.busiest_other.is_some() || disturbance.is_some_and(|one| one.by == DisturbedBy::Programs)
        };
        let (programs, steal): (Vec<&JobRecord>, Vec<&JobRecord>) =
            self.input.discarded.superseded.iter().partition(by_programs);
        let note = |jobs: Vec<&JobRecord>, programs: Option<Vec<String>>| {
            let most = jobs.iter().filter_map(|job| job.superseded).fold(0.0, f64::max);
            (!jobs.is_empty()).then_some(Note::Disturbed { jobs: jobs.len(), most, programs })
        };
        let names: BTreeSet<&String> = programs.iter().filter_map(|job| job.busiest_other.as_ref()).collect();
        let names = names.into_iter().cloned().collect();
        note(steal, None).into_iter().chain(note(programs, Some(names))).collect()
    }

    fn missing(&self) -> Vec<Missing> {
        let mut missing = self.failed();
        let rounds = self.rounds;
        let message = || self.input.end.and_then(|end| end.message.clone());
        let failed =
            |one: &CandidateAnswer| matches!(one.work.extent, Extent::Failed { .. } | Extent::FailedBefore { .. });
        let somebody_left = !self.candidates.iter().all(failed);
        match rounds.end {
            Some(EndStatus::Complete) if (1..rounds.planned).contains(&rounds.measured) => {
                missing.push(Missing::Budget(message()));
            }
            Some(EndStatus::Interrupted) => missing.push(Missing::Interrupted(message())),
            // Where somebody could have gone on, more than jobs failed.
            Some(EndStatus::Failed) if missing.is_empty() || (somebody_left && message().is_some()) => {
                missing.push(Missing::Broken(message()));
            }
            None => missing.push(Missing::NoEnd),
            Some(EndStatus::Complete | EndStatus::Failed) => {}
        }
        missing
    }

    /// Those whose jobs failed, of one round or size together.
    fn failed(&self) -> Vec<Missing> {
        let groups = grouped(self.candidates.iter().map(|one| (&one.work.extent, one.name.clone())));
        let failed = |(extent, candidates): (&Extent, Vec<String>)| match extent.clone() {
            Extent::Failed { round } => Some(Missing::Failed { candidates, round }),
            Extent::FailedBefore { at } => Some(Missing::FailedBefore { candidates, at }),
            Extent::Whole | Extent::GaveUp { .. } | Extent::Unsupported | Extent::Skipped | Extent::NotMeasured => None,
        };
        groups.into_iter().filter_map(failed).collect()
    }

    /// Those whose client took any certificate.
    fn any_certificate(&self) -> Option<Note> {
        let took_any = |candidate: &&CandidateAnswer| {
            let jobs = self.input.jobs.iter().filter(|job| job.candidate == candidate.name);
            let mut settings = jobs.flat_map(|job| &job.settings);
            settings.any(|setting| setting.name == TLS && setting.found.as_deref() == Some(NOT_CHECKED))
        };
        let candidates: Vec<String> = self.candidates.iter().filter(took_any).map(|one| one.name.clone()).collect();
        (!candidates.is_empty()).then_some(Note::AnyCertificate { candidates })
    }

    /// What the jobs of a candidate left out, each once.
    fn unreadable(&self, candidate: &str) -> Option<Note> {
        let jobs = self.input.jobs.iter().filter(|job| job.candidate == candidate);
        let figures: BTreeSet<&String> = jobs.flat_map(|job| &job.absent).collect();
        let figures: Vec<String> = figures.into_iter().cloned().collect();
        (!figures.is_empty()).then(|| Note::Unreadable { candidate: candidate.to_string(), figures })
    }

    /// What limits the rates of a candidate behind an app, the parts in the order of the phases.
    fn saturated(&self, candidate: &str) -> Option<Note> {
        let parts: Vec<(SaturatedPart, Vec<String>)> = grouped(self.phases.iter().filter_map(|phase| {
            let row = phase.rows.iter().find(|row| row.candidate == candidate && row.status != Status::Baseline);
            let bottleneck = row.and_then(|row| row.bottleneck)?;
            let is_busy = bottleneck.because != BottleneckEvidence::Waits;
            Some((SaturatedPart { part: bottleneck.part, is_busy }, phase.name.clone()))
        }));
        (!parts.is_empty()).then(|| Note::Saturated { candidate: candidate.into(), parts })
    }

    fn load_tool(&self, tool: &CandidateRecord) -> Note {
        let own = load_tools::own_of(self.input.run, tool);
        let own = own.map(|own| (own.name.clone(), load_tools::ratios(self.phases, &own.name, &tool.name)));
        Note::LoadTool { candidate: tool.name.clone(), own }
    }

    /// The phases that keep connections, and in which most operations of a candidate made one.
    fn closes(&self, candidate: &str) -> Option<Note> {
        let of_phase = |plan: &PhasePlan| {
            let jobs = self.input.jobs.iter().filter(|job| job.candidate == candidate);
            let records = jobs.flat_map(|job| job.phases.iter().find(|record| record.name == plan.phase.name));
            let (mut connects, mut operations) = (0, 0);
            for record in records {
                connects += record.results.iter().filter_map(|result| result.connects).sum::<u64>();
                operations += record.operations();
            }
            (2 * connects > operations).then(|| (plan.phase.name.clone(), connects, operations))
        };
        let keeps = |plan: &&PhasePlan| plan.phase.in_client().connect == Connect::Once && plan.actions.is_empty();
        let phases: Vec<_> = self.input.plan().phases.iter().filter(keeps).filter_map(of_phase).collect();
        (!phases.is_empty()).then(|| Note::Closes { candidate: candidate.into(), phases })
    }

    /// Where a candidate did not do what was planned, and where its client was late.
    fn planned(&self, candidate: &str) -> Vec<Note> {
        let rows = self.phases.iter().flat_map(|phase| phase.rows.iter().map(move |row| (phase, row)));
        let (mut missed, mut late) = (Vec::new(), Vec::new());
        for (phase, row) in rows.filter(|(_, row)| row.candidate == candidate) {
            let Some(open_loop) = &row.open_loop else { continue };
            if open_loop.is_missed() {
                missed.push((phase.name.clone(), open_loop.done_share()));
            }
            late.extend(row.late_ns().map(|lag_ns| (phase.name.clone(), lag_ns)));
        }
        let (missed, late) = (Some(missed).filter(|all| !all.is_empty()), Some(late).filter(|all| !all.is_empty()));
        let missed = missed.map(|phases| Note::RateMissed { candidate: candidate.into(), phases });
        missed.into_iter().chain(late.map(|phases| Note::Late { candidate: candidate.into(), phases })).collect()
    }

    /// The failures of a candidate that cost it nothing.
    fn failures(&self, candidate: &str) -> Option<Note> {
        let rows = self.phases.iter().flat_map(|phase| phase.rows.iter().map(move |row| (phase, row)));
        let told = |status: &Status| {
            matches!(
                status,
                Status::Unranked { reason: Reason::Failures { .. } | Reason::GaveUp { .. } | Reason::PlannedOutage }
            )
        };
        let rows = rows.filter(|(_, row)| row.candidate == candidate && row.failed > 0 && !told(&row.status));
        let rows: Vec<_> = rows.collect();
        let message = rows.first()?.1.failure.clone()?;
        let phases = rows.iter().map(|(phase, row)| (phase.name.clone(), row.failed)).collect();
        Some(Note::Failures {
            candidate: candidate.into(),
            phases,
            message,
            allowed: self.input.run.plan.allowed_errors,
        })
    }
}
