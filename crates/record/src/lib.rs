//! Kurabe's results on disk: one folder a run, appended and synced after every job.
//!
//! These are raw values only: what was asked, what was found, every histogram. Everything derived
//! (rates, intervals, rankings) is computed from them again whenever it is shown. The files and
//! their JSON schema are described in `docs/FORMAT.md`.

mod action;
mod check;
mod claims;
mod conditions;
mod data;
mod disturbance;
mod durability;
mod folder;
mod job;
mod known;
mod lines;
mod metric;
mod plan;
mod run;
mod slo;

pub use action::{Act, ActionPlan, ActionRecord, CutRecord, DiskFault, ServiceTarget, Unsynced};
pub use claims::{
    Binding, Bounds, Claim, Claims, Condition, Extreme, GrowthLaw, Judged, KnownFact, LatencyStatistic, PhaseRef,
    PublishedCell, PublishedRow, PublishedTable, PublishedUnit, Source, Statement,
};
pub use conditions::{Conditions, StoreProfile};
pub use data::{
    BadLines, BadReason, DataColumn, DataFormat, DataRecord, DataSpec, DuplicateKeys, Duplicates, HeaderChoice, Lines,
    ROW_KEY, ShortLines,
};
pub use disturbance::{Disturbance, DisturbedBy, MOST_OTHERS, RepeatRecord};
pub use durability::{
    Bound, DurabilityLevel, Guarantee, Integrity, Loss, MinimumDurability, Proof, Window, windows_in_short,
};
pub use folder::{Damaged, Entry, FolderError, Loaded, Repeated, RunFolder};
pub use job::{
    BackgroundRecord, CounterSum, FinalCount, JobError, JobErrorKind, JobRecord, LEAST_COUNTED_NS, MOST_STOLEN,
    MachineUse, MemoryMethod, PhaseOutcome, PhaseRecord, SettingCheck, SettingState, SkippedRecord, Span, StepRecord,
    TreeUse, WeakenedSetting,
};
pub use known::{
    About, Form, Isolation, KnownStore, LicenceBinds, Model, ReleaseLine, Retention, SupportStatus, UsedBy, Writers,
};
pub use metric::{Better, Metric, MetricUnit};
pub use plan::{
    AS_PUBLISHED, Axis, AxisEffect, AxisValue, Configuration, Design, Factor, MOST_ROUNDS, NO_PITFALL, PITFALL,
    PhasePlan, Pitfall, RateSearch, StudyPlan, Transport, value_on, without,
};
pub use run::{
    AppRecord, AtUrl, BaselineKind, CandidateRecord, CandidateRequest, DurabilityRecord, EndRecord, EndStatus,
    KeptSetting, LeftOut, RunRecord, ServiceOutput, StoreAccess, StoreKind,
};
pub use slo::{RateBracket, Slo};

/// Version of the files' format. It grows when a reader of the old version would misread the new one.
pub const FORMAT: u32 = 5;
