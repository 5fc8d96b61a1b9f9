//! What the types of records and answers are called in a cell or a title: a few words each.

use kurabe_analysis::{Judgement, LossAnswer, PathPart, PointGap, Reason, Unknown};
use kurabe_messages::{Message, message};
use kurabe_record::{About, Form, Guarantee, Integrity, Loss, Metric, Model, SettingState, Writers};

/// Why something has no rank.
pub(crate) fn reason(reason: &Reason) -> Message {
    match reason {
        Reason::WrongAnswers { .. } => message!(word_wrong_answers),
        Reason::SettingsDiffer { .. } => message!(word_settings_differ),
        Reason::JobFailed { .. } => message!(word_job_failed),
        Reason::Unsupported { .. } => message!(word_unsupported),
        Reason::PlannedOutage => message!(word_killed_by_study),
        Reason::NotChecked => message!(word_answers_not_checked),
        Reason::GaveUp { .. } => message!(word_gave_up),
        Reason::Failures { .. } => message!(word_operations_failed),
        Reason::NothingCompleted { .. } => message!(word_nothing_completed),
        Reason::BelowDurability { guarantee: Some(_), .. } => message!(word_durability_too_low),
        Reason::BelowDurability { guarantee: None, .. } => message!(word_durability_unknown),
        Reason::Skipped { .. } => message!(word_skipped),
        Reason::FailedBefore { .. } => message!(word_failed_before),
        Reason::TooFewRounds { .. } => message!(word_too_few_rounds),
    }
}

/// Why an axis has no figure at a value.
pub(crate) fn gap(gap: &PointGap) -> Message {
    match gap {
        PointGap::Unranked(why) => reason(why),
        PointGap::NoRate => message!(word_no_rate),
        PointGap::LeftOut(_) | PointGap::NotMeasured => message!(word_not_available),
    }
}

/// Why a claim or a published table has no figure of this run.
pub(crate) fn unknown(unknown: &Unknown) -> Message {
    match unknown {
        Unknown::Uncounted { reason: why, .. } => reason(why),
        Unknown::Skipped { .. } => message!(word_skipped),
        Unknown::NoFigure { .. } => message!(word_no_figure),
        _ => message!(word_not_in_this_run),
    }
}

/// How total time or a figure grows with rows.
pub(crate) fn growth(judgement: Judgement) -> Message {
    match judgement {
        Judgement::LessThanLinear => message!(word_sublinear),
        Judgement::Linear => message!(word_linear),
        Judgement::MoreThanLinear => message!(word_superlinear),
        Judgement::Falls => message!(word_falls),
        Judgement::Same => message!(word_constant),
        Judgement::Grows => message!(word_grows),
        Judgement::Undecided => message!(word_inconclusive),
    }
}

/// A part of the way from a client to a store.
pub(crate) fn part(part: PathPart) -> Message {
    match part {
        PathPart::Client => message!(word_client),
        PathPart::Link => message!(word_link),
        PathPart::App => message!(word_app),
        PathPart::Store => message!(word_store),
        PathPart::AppWithStore => message!(word_app_and_store),
    }
}

/// A metric as the title of its figures.
pub(crate) fn metric(metric: Metric) -> Message {
    match metric {
        Metric::Rate => message!(word_op_per_s),
        Metric::RowsRate => message!(word_rows_per_s),
        Metric::HighestRate => message!(word_highest_rate),
        Metric::P50 => message!(word_p50),
        Metric::P90 => message!(word_p90),
        Metric::P99 => message!(word_p99),
        Metric::P999 => message!(word_p999),
        Metric::ClientCpu => message!(word_client_cpu),
        Metric::ServiceCpu => message!(word_service_cpu),
        Metric::Memory => message!(word_memory),
        Metric::DiskPerRow => message!(word_disk_per_row),
    }
}

/// A metric in a sentence.
pub(crate) fn metric_in_words(metric: Metric) -> Message {
    match metric {
        Metric::Rate => message!(word_operations_per_second),
        Metric::RowsRate => message!(word_rows_per_second),
        other => self::metric(other),
    }
}

/// What the live store says of a setting.
pub(crate) fn setting_state(state: SettingState) -> Message {
    match state {
        SettingState::Confirmed => message!(word_confirmed),
        SettingState::Differs => message!(word_differs),
        SettingState::SetNotReadable => message!(word_set_not_readable),
        SettingState::Reported => message!(word_reported),
    }
}

/// Who can write at once.
pub(crate) fn writers(writers: Writers) -> Message {
    match writers {
        Writers::One => message!(word_one_connection),
        Writers::Several => message!(word_several_connections),
    }
}

/// What a fault takes.
pub(crate) use kurabe_analysis::phrases::loss_in_short as loss;

/// What can be lost: the fault that takes more, and the state of the data after a power failure.
pub(crate) fn losses(kept: Option<Guarantee>) -> Message {
    let Some(kept) = kept else { return message!(word_unknown) };
    let lost = match (kept.kill, kept.power) {
        (Loss::Nothing, Loss::Nothing) => loss(Loss::Nothing),
        (Loss::Nothing, power) => message!(table_loss_on_power, loss = loss(power)),
        (kill, power) if kill == power => message!(table_loss_on_both, loss = loss(power)),
        (kill, power) => message!(table_loss_on_each, kill = loss(kill), power = loss(power)),
    };
    with_integrity(lost, kept.integrity)
}

fn with_integrity(lost: Message, integrity: Integrity) -> Message {
    match integrity {
        Integrity::I0 => lost,
        Integrity::I1 => message!(table_loss_with_gaps, loss = lost),
        Integrity::I2 => message!(table_loss_with_repair, loss = lost),
        Integrity::I3 => message!(table_loss_with_corruption, loss = lost),
    }
}

/// What the setting of a row allows.
pub(crate) fn promised(row: &LossAnswer, promised: Loss) -> Message {
    with_integrity(loss(promised), row.integrity.unwrap_or(Integrity::I0))
}

/// What a store is, in two words.
pub(crate) fn about_in_short(about: &About) -> Message {
    let form = match about.form {
        Form::Library => message!(word_library),
        Form::Server => message!(word_server),
    };
    let model = match about.model {
        Model::Sql => message!(word_sql),
        Model::Documents => message!(word_documents),
        Model::KeyValue => message!(word_key_value),
        Model::WideColumn => message!(word_wide_columns),
        Model::TextFile => message!(word_lines_of_text),
    };
    message!(table_store_kind, form, model)
}
