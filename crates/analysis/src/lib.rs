//! Kurabe's derived values: rates, rankings, percentiles and the answer, computed from records.
//!
//! [`analyse`] is pure: the same records give the same [`Answer`], on every machine and at any later time. Nothing
//! derived is ever stored beside the raw values; `--json` prints the [`Answer`], whose schema [`schema::answer`] gives.
//!
//! Its folders stand in an order, and what lies in one uses only those before it (`tests/all/layers.rs` sees to that):
//! `figures` (from the jobs of one configuration), `rank` (ranks within it), `result` (all that is known of it alone),
//! `findings` (over the results of all configurations), `answer` (the document), `comparison` (of several documents),
//! `text` (their words), `pipeline` (which calls all of them, in this order), `trial` (of the whole, by results at
//! random).
//!
//! The rules that decide what counts:
//! - A wrong answer in any round takes a candidate out of that phase; its rate is not even shown. Rows that are missing
//!   or left over at the end of a job take it out of every phase that writes.
//! - A job that failed, or whose settings do not read back as asked, takes it out too: a candidate is never judged over
//!   its good rounds alone. So does a client that gave up, however many failures the study allows.
//! - [`Outcome`] rests on the same judgements: whatever costs a rank as a fault is no good run.
//! - Baselines show what the harness costs; they have rates and no places.
//! - Below three rounds there is neither interval nor place.
//! - Of several configurations the answer is about the last at which two stores can be compared; [`Answer::axes`] is
//!   about all.

mod answer;
mod comparison;
mod figures;
mod findings;
mod grouping;
mod pipeline;
mod rank;
mod result;
pub mod schema;
mod spoken;
mod text;
pub mod trial;

pub use answer::{ANSWER_FORMAT, Answer, ConfigurationAnswer, plans};
pub use comparison::compare::{
    COMPARISON_FORMAT, ComparedPhase, ComparedRate, ComparedRow, ComparedRun, Comparison, OtherMachine, OtherWork,
    SameWork, Side, compare,
};
pub use comparison::difference::{Difference, NotCompared, OtherRows, Subject};
pub use figures::actions::{ActionAnswer, Spread};
pub use figures::bottleneck::{Bottleneck, BottleneckEvidence, PathPart};
pub use figures::budget::Skipped;
pub use figures::candidate::{Absent, CandidateAnswer};
pub use figures::caution::{Caution, Differ, QuickCommitCause};
pub use figures::checking::{Checking, Increments};
pub use figures::client_limit::{ClientLimit, LimitBasis};
pub use figures::completion::{Extent, Work};
pub use figures::configuration::ConfigurationRef;
pub use figures::disk_faults::{AfterFault, DiskFaultAnswer, DuringFault};
pub use figures::figure::{Figure, Range, RatioFigure, Verdict};
pub use figures::latency::{LatencyAnswer, LatencyKind, Percentile};
pub use figures::losses::{LossAnswer, LossFault, LossVerdict};
pub use figures::metrics::{RoundValue, Series};
pub use figures::open_loop::OpenLoopAnswer;
pub use figures::rate_search::{CurvePoint, RatePoint, RateSearchAnswer};
pub use figures::reason::{NotCounted, NotCountedReason, Reason};
pub use figures::resources::{PhaseUse, Resources};
pub use figures::rounds::Rounds;
pub use figures::stalls::{Stall, StallCause};
pub use figures::time_series::TimeSeries;
pub use figures::troubles::{Outcome, Trouble, TroubleKind, troubles};
pub use figures::weakening::{WeakenedBy, Weakening};
pub use findings::axes::{AxisAnswer, AxisCurve, AxisPoint, MissingPoint, PointGap};
pub use findings::claims::finding::{Finding, FindingScope, Measure, Unknown};
pub use findings::claims::settle::Settle;
pub use findings::claims::verdict::ClaimVerdict;
pub use findings::claims::{ClaimAnswer, ClaimsAnswer, Judgement as ClaimJudgement};
pub use findings::client_effect::{BestAndWorst, ClientEffect, StrongerEffect};
pub use findings::clients::{ClientRank, ClientsPhase, StoreClient, StoreClients};
pub use findings::command::command_for;
pub use findings::growth::{Growing, GrowthSlope, Judgement};
pub use findings::participants::Participants;
pub use findings::pitfalls::{KeepsLess, PitfallAnswer, PitfallEffect, PitfallFirst, PitfallPhase};
pub use findings::published::{OurCell, OurRow, OurTable};
pub use findings::recommend::{
    Advice, Alternative, Condition, DifferenceSize, Excluded, ExclusionReason, GO_ON, Lead, NextCommand, NotMeasured,
    Pause, PhaseLeader, Pick, Rationale, Recommendation, Rule, RuledOutBy, RunnerUp, StoreGrowth, TradeSide, Unless,
};
pub use findings::replication::{OrderedPair, Replication, Step};
pub use findings::sentences::{
    Because, ConfigurationLeaders, ConfigurationSkips, Detectability, FirstRank, NoRanking, RankedPhase, Risk,
    Sentence, SkippedStore, Winners,
};
pub use kurabe_stats::{LEVEL, MIN_VALUES};
pub use pipeline::{analyse, answer, answer_by};
pub use rank::leaders::{Leader, Leaders, deciding};
pub use rank::phase::{AgainstBest, Decision, PhaseAnswer, PhaseRanking, PhaseRow, RankingScope};
pub use rank::ranking::RankBy;
pub use rank::status::Status;
pub use result::load_tools::ToolRatio;
pub use result::notes::{Missing, Note, SaturatedPart};
pub use text::{RuleText, disk_fault_message, metric_message, phrases};
