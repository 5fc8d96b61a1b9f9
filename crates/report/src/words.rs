//! Fixed words of tables and headings, each in English and in Japanese, and the texts that are made of them.
//!
//! A title or a cell is a [`Text`]: words of Kurabe are typed, and everything that studies, stores and descriptors bring is
//! verbatim. So a reader's language changes the words and never a name, even one that looks like a word. There is no way
//! from a literal to a `Text`, and no word without both languages.

use kurabe_analysis::format::NONE;
use kurabe_analysis::{ClaimVerdict, Gap, Judgement, OnTheWay, Reason, Unknown};
use kurabe_analysis::{english, format};
use kurabe_messages::Language;
use kurabe_record::{About, Bound, Form, Guarantee, Integrity, Loss, Metric, Model, SettingState, Writers};
use serde::{Serialize, Serializer};

macro_rules! words {
    ($($name:ident: $english:literal, $japanese:literal;)*) => {
        /// A fixed word of Kurabe.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Word { $(#[doc = $english] $name,)* }

        impl Word {
            /// All of them.
            #[cfg(test)]
            pub(crate) const ALL: &[Word] = &[$(Word::$name,)*];

            /// In English.
            pub fn english(self) -> &'static str {
                match self { $(Word::$name => $english,)* }
            }

            /// In Japanese.
            pub fn japanese(self) -> &'static str {
                match self { $(Word::$name => $japanese,)* }
            }
        }
    };
}

words! {
    // Headings.
    Unless: "unless", "ただし、次の場合を除く";
    AmidPhases: "amid phases", "途中でしたこと";
    CostBesideTime: "cost beside time", "時間のほかにかかるもの";
    WhatDidNotCount: "what did not count", "数えなかったもの";
    Claims: "claims", "主張";
    SettingsOverDurability: "durability: settings", "耐久性: 使われた設定";
    SettingsRepeat: "= the setting of an earlier value, measured again: any difference between the two is noise",
        "= は前の値と同じ設定を測り直したものです。その間の差はばらつきです。";
    Growth: "growth", "増え方";
    ThroughItsClients: " through its clients", " のクライアント別";
    // Titles of columns.
    Rank: "#", "#";
    RankInWords: "rank", "順位";
    Candidate: "candidate", "候補";
    Store: "store", "ストア";
    Client: "client", "クライアント";
    Phase: "phase", "フェーズ";
    Run: "run", "測定";
    Durability: "durability", "耐久性";
    FlushesPerCommit: "flushes/commit", "フラッシュ/コミット";
    Level: "level", "水準";
    Ratio: "ratio", "比";
    Exponent: "exponent", "指数";
    OpPerS: "op/s", "回/秒";
    OpPerSInRun1: "op/s in run 1", "測定 1 の回/秒";
    InRun1: " in run 1", "（測定 1）";
    SlotBySlot: "op/s, slot by slot", "区間ごとの回/秒";
    RowsPerS: "rows/s", "行/秒";
    OfBest: "of best", "首位比";
    Interval95: "95 % interval", "95 % 区間";
    Interval: "interval", "区間";
    Failed: "failed", "失敗";
    Retries: "retries", "再試行";
    P50: "p50", "p50";
    P90: "p90", "p90";
    P99: "p99", "p99";
    P999: "p99.9", "p99.9";
    Max: "max", "最大";
    Operations: "operations", "操作";
    Encoding: "encoding", "符号化";
    Limit: "limit", "頭打ち";
    Jobs: "jobs", "ジョブ";
    Took: "took", "かかった時間";
    What: "what", "したこと";
    AnswersAgainAfter: "answers again after", "応答再開まで";
    WhatCame: "what came", "結果";
    Memory: "memory", "メモリ";
    Start: "start", "起動";
    OnDiskPerRow: "on disk/row", "ディスク/行";
    WrittenPerRow: "written/row", "書き込み/行";
    FlushTime: "flush time", "書き出し時間";
    ClientStart: "client start", "クライアントの起動";
    ClientMemory: "client memory", "クライアントのメモリ";
    ClientMemoryAboveBaseline: "client memory above baseline", "クライアントのメモリ（ベースラインより上）";
    ServiceMemory: "service memory", "サーバーのメモリ";
    ClientCpuPerOp: "client CPU/op", "クライアントの CPU/回";
    AppCpuPerOp: "app CPU/op", "前のサービスの CPU/回";
    LinkCpuPerOp: "link CPU/op", "回線の CPU/回";
    ServiceCpuPerOp: "service CPU/op", "サーバーの CPU/回";
    ClientCpuPer: "client CPU/", "クライアントの CPU/";
    AmongClients: "among clients: ", "クライアントどうし: ";
    ClientThreadsBusy: "client threads busy", "クライアントのスレッドの使用率";
    ServiceCoresBusy: "service cores busy", "サーバーのコアの使用率";
    BaselinesShare: "baseline's share", "ベースラインの割合";
    PreparingAndChecking: "preparing and checking", "準備と確認";
    HarnessCpu: "harness CPU, of one core", "測定側の CPU（1 コアに対して）";
    Integrity: "integrity", "健全性";
    Proof: "proof", "根拠";
    LostByKill: "a kill takes", "強制終了で失う";
    LostByPower: "a power failure takes", "停電で失う";
    CanBeLost: "can be lost", "失いうるもの";
    LiveStore: "live store", "実際の設定";
    Setting: "setting", "設定";
    Value: "value", "値";
    Why: "why", "理由";
    AskedFor: "asked for", "求めた値";
    State: "state", "状態";
    Source: "source", "出典";
    Versions: "versions", "版";
    Round: "round ", "ラウンド ";
    RoundColumn: "round", "ラウンド";
    Rounds: "rounds", "ラウンド";
    Slot: "slot", "区間の長さ";
    Folder: "folder", "フォルダー";
    Study: "study", "スタディ";
    StartOfRun: "start", "開始";
    Rows: "rows", "行";
    RowsOf: " rows ", " 行 ";
    Kurabe: "kurabe", "kurabe";
    Fact: "fact", "項目";
    WhatItIs: "what it is", "種類";
    WritesAtOnce: "writes at once", "同時に書けるもの";
    Licence: "licence", "ライセンス";
    NewestRelease: "newest release known", "知られている最新の版";
    Backup: "backup", "バックアップ";
    SchemaChange: "change of the schema", "スキーマの変更";
    Claim: "claim", "主張";
    Verdict: "verdict", "判定";
    WhatWasFound: "what was found", "分かったこと";
    Theirs: ": theirs", ": 原典";
    Ours: ": ours", ": ここ";
    WithoutPerS: "without /s", "なし 毎秒";
    WithItPerS: "with it /s", "あり 毎秒";
    Without: "without", "なし";
    WithIt: "with it", "あり";
    Becomes: "becomes", "変化";
    OfTheWinner: "of the winner", "首位に対して";
    CouldBeSeen: "could be seen", "見分けられる差";
    TheWork: "the work", "仕事";
    Fastest: "fastest", "最速";
    First: "first", "首位";
    PerSecond: "a second", "毎秒";
    ItsFigure: "its figure", "その値";
    AheadOfTheNext: "ahead of the next", "次との差";
    HowSure: "how sure", "確かさ";
    AsDataGrows: "as the data grows", "データが増えると";
    TenTimesTheRows: "ten times the rows take", "10 倍の行で";
    ExponentOfTotal: "exponent of total time", "合計時間の指数";
    AtTenTimesTheRows: "at ten times the rows", "10 倍の行で";
    RankedRate: "rate", "速さ";
    RankedRowsRate: "rows-rate", "行の速さ";
    RankedClientCpu: "client-cpu", "クライアントの CPU";
    RankedServiceCpu: "service-cpu", "サーバーの CPU";
    RankedDiskPerRow: "disk-per-row", "ディスク/行";
    // Cells: what holds a rate.
    Baseline: "baseline", "ベースライン";
    Link: "link", "回線";
    App: "app", "サービス";
    AppAndStore: "app+store", "サービスとストア";
    Waits: " waits", "待ち";
    AllProcessors: "CPUs: ", "CPU 全体: ";
    OverMap: ", map ", ", map ";
    // Cells: why there is no figure.
    NoRate: "no rate", "値なし";
    NotHad: "n/a", "なし";
    NoFigure: "no figure", "値なし";
    NotHere: "not here", "ここにはない";
    TooWideToTell: "too wide to tell", "広すぎて分からない";
    WrongAnswers: "wrong answers", "答えの誤り";
    SettingsDiffer: "settings differ", "設定の食い違い";
    JobFailed: "job failed", "ジョブの失敗";
    Unsupported: "unsupported", "非対応";
    EndedAmid: "ended amid it", "途中で終了";
    NotChecked: "answers not checked", "答えは未確認";
    GaveUp: "gave up", "打ち切り";
    Failures: "failures", "操作の失敗";
    NothingCompleted: "nothing completed", "完了なし";
    BelowMinimum: "keeps too little", "耐久性が足りない";
    DurabilityUnknown: "durability unknown", "耐久性が不明";
    Skipped: "skipped", "予算切れ";
    FailedBefore: "failed before", "以前に失敗";
    TooFewRounds: "too few rounds", "ラウンド不足";
    DoesNotCount: "does not count", "数えない";
    KeepsLess: ", keeps less", "、残るものが減る";
    // Cells: growth.
    LessThanLinear: "less than linear", "行数より緩やか";
    Linear: "linear", "行数に比例";
    MoreThanLinear: "more than linear", "行数より急";
    NotDecided: "not decided", "決まらない";
    Falls: "falls", "減る";
    TheSame: "about the same", "ほぼ同じ";
    Grows: "grows", "増える";
    Cheaper: "an operation becomes cheaper", "操作あたりでは安くなる";
    AboutTheSame: "an operation costs about the same", "操作あたりではほぼ同じ";
    Dearer: "an operation becomes dearer", "操作あたりでは高くなる";
    CannotBeTold: "cannot be told from these sizes", "この行数では分からない";
    // Cells: durability and settings.
    Nothing: "nothing", "なし";
    Everything: "everything", "すべて";
    CommitsLost: " commits", " コミット";
    OneCommit: "1 commit", "1 コミット";
    Writeback: "about 30 s", "約 30 秒";
    Power: "power: ", "停電: ";
    Kill: "kill: ", "強制終了: ";
    KillOrPower: "kill or power: ", "強制終了か停電: ";
    MayLeaveGaps: ", gaps", "、欠け";
    NeedsRepair: ", repair", "、要修復";
    MayBeWrong: ", may be wrong", "、壊れうる";
    Unknown: "unknown", "不明";
    NotMeasured: "not measured", "測れず";
    ReadBack: "read back", "読み戻して確認済み";
    SetNotReadable: "set, not readable", "設定済み（読み出せない）";
    Differs: "differs", "食い違い";
    Reported: "reported", "申告のみ";
    Empty: "(empty)", "（空）";
    // Cells: claims.
    Holds: "holds", "成り立つ";
    Refuted: "refuted", "成り立たない";
    Open: "open", "決まらない";
    NotComparable: "not comparable", "比べられない";
    // Cells: comparisons.
    OtherWork: "other work", "別の仕事";
    Faster: "faster", "速い";
    Slower: "slower", "遅い";
    Better: "better", "良い";
    Worse: "worse", "悪い";
    NoDifferenceSeen: "no difference seen", "差は見えない";
    // Cells: what a store is.
    Library: "library", "ライブラリ";
    Server: "server", "サーバー";
    Comma: ", ", "、";
    Sql: "SQL", "SQL";
    Documents: "documents", "ドキュメント";
    KeyValue: "key-value", "キー・バリュー";
    WideColumns: "wide columns", "ワイドカラム";
    LinesOfText: "lines of text", "テキストの行";
    OneConnection: "one connection", "1 接続";
    SeveralConnections: "several connections", "複数の接続";
    // Cells: what was done amid phases, and ranges.
    After: " after ", " 開始から ";
    NotIn: "not in ", "";
    OfJobs: " jobs: ", " 個のジョブでできず: ";
    NotDone: "not done: ", "できず: ";
    To: " to ", "～";
}

impl Word {
    pub(crate) fn of(self, language: Language) -> &'static str {
        match language {
            Language::English => self.english(),
            Language::Japanese => self.japanese(),
        }
    }
}

/// A title or a cell: words of Kurabe, and texts that stay as they are in every language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Word(Word),
    Verbatim(String),
}

impl Text {
    /// What stands where there is no figure.
    pub(crate) fn none() -> Text {
        NONE.to_string().into()
    }

    /// This text with another after it.
    #[must_use]
    pub(crate) fn then(mut self, more: impl Into<Text>) -> Text {
        self.0.extend(more.into().0);
        self
    }

    /// Whether it is this word and nothing else.
    pub(crate) fn is(&self, word: Word) -> bool {
        self.0 == [Piece::Word(word)]
    }

    /// Whether the word is in it.
    pub(crate) fn has(&self, word: Word) -> bool {
        self.0.contains(&Piece::Word(word))
    }

    /// Whether it heads intervals of a confidence level, which it names.
    pub(crate) fn is_interval(&self) -> bool {
        matches!(self.0.as_slice(), [Piece::Verbatim(level)] if level.ends_with('%'))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Verbatim(text) if text.is_empty()))
    }

    pub(crate) fn english(&self) -> String {
        self.of(Language::English)
    }

    pub(crate) fn of(&self, language: Language) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Word(word) => word.of(language).to_string(),
            Piece::Verbatim(text) => text.clone(),
        };
        self.0.iter().map(piece).collect()
    }
}

impl From<Word> for Text {
    fn from(word: Word) -> Text {
        Text(vec![Piece::Word(word)])
    }
}

/// The text stays as it is: a name, a figure, a message.
impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(vec![Piece::Verbatim(text)])
    }
}

/// Pages are in English.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.english())
    }
}

/// Words are English in pages.
impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.english())
    }
}

impl From<&Reason> for Word {
    fn from(reason: &Reason) -> Word {
        match reason {
            Reason::WrongAnswers { .. } => Word::WrongAnswers,
            Reason::SettingsDiffer { .. } => Word::SettingsDiffer,
            Reason::JobFailed { .. } => Word::JobFailed,
            Reason::Unsupported { .. } => Word::Unsupported,
            Reason::EndedAmid => Word::EndedAmid,
            Reason::NotChecked => Word::NotChecked,
            Reason::GaveUp { .. } => Word::GaveUp,
            Reason::Failures { .. } => Word::Failures,
            Reason::NothingCompleted { .. } => Word::NothingCompleted,
            Reason::BelowDurability { guarantee: Some(_), .. } => Word::BelowMinimum,
            Reason::BelowDurability { guarantee: None, .. } => Word::DurabilityUnknown,
            Reason::Skipped { .. } => Word::Skipped,
            Reason::FailedBefore { .. } => Word::FailedBefore,
            Reason::TooFewRounds { .. } => Word::TooFewRounds,
        }
    }
}

impl From<&Gap> for Word {
    fn from(gap: &Gap) -> Word {
        match gap {
            Gap::Unranked(reason) => reason.into(),
            Gap::NoRate => Word::NoRate,
            Gap::LeftOut(_) | Gap::NotMeasured => Word::NotHad,
        }
    }
}

impl From<&Unknown> for Word {
    fn from(unknown: &Unknown) -> Word {
        match unknown {
            Unknown::Uncounted { reason, .. } => reason.as_ref().into(),
            Unknown::Skipped { .. } => Word::Skipped,
            Unknown::NoFigure { .. } => Word::NoFigure,
            _ => Word::NotHere,
        }
    }
}

impl From<ClaimVerdict> for Word {
    fn from(verdict: ClaimVerdict) -> Word {
        match verdict {
            ClaimVerdict::Holds => Word::Holds,
            ClaimVerdict::Refuted => Word::Refuted,
            ClaimVerdict::Open => Word::Open,
            ClaimVerdict::NotComparable => Word::NotComparable,
        }
    }
}

impl From<Judgement> for Word {
    fn from(judgement: Judgement) -> Word {
        match judgement {
            Judgement::LessThanLinear => Word::LessThanLinear,
            Judgement::Linear => Word::Linear,
            Judgement::MoreThanLinear => Word::MoreThanLinear,
            Judgement::Falls => Word::Falls,
            Judgement::Same => Word::TheSame,
            Judgement::Grows => Word::Grows,
            Judgement::Undecided => Word::NotDecided,
        }
    }
}

impl From<OnTheWay> for Word {
    fn from(part: OnTheWay) -> Word {
        match part {
            OnTheWay::Client => Word::Client,
            OnTheWay::Link => Word::Link,
            OnTheWay::App => Word::App,
            OnTheWay::Store => Word::Store,
            OnTheWay::AppWithStore => Word::AppAndStore,
        }
    }
}

/// What heads the figures that rank a phase, each with its unit, but for those of a second.
pub(crate) fn ranked_title(metric: Metric) -> Word {
    match metric {
        Metric::Rate => Word::OpPerS,
        Metric::RowsRate => Word::RowsPerS,
        metric => metric.into(),
    }
}

impl From<Metric> for Word {
    fn from(metric: Metric) -> Word {
        match metric {
            Metric::Rate => Word::RankedRate,
            Metric::RowsRate => Word::RankedRowsRate,
            Metric::P50 => Word::P50,
            Metric::P90 => Word::P90,
            Metric::P99 => Word::P99,
            Metric::P999 => Word::P999,
            Metric::ClientCpu => Word::RankedClientCpu,
            Metric::ServiceCpu => Word::RankedServiceCpu,
            Metric::Memory => Word::Memory,
            Metric::DiskPerRow => Word::RankedDiskPerRow,
        }
    }
}

impl From<SettingState> for Word {
    fn from(state: SettingState) -> Word {
        match state {
            SettingState::Confirmed => Word::ReadBack,
            SettingState::Differs => Word::Differs,
            SettingState::SetNotReadable => Word::SetNotReadable,
            SettingState::Reported => Word::Reported,
        }
    }
}

impl From<Writers> for Word {
    fn from(writers: Writers) -> Word {
        match writers {
            Writers::One => Word::OneConnection,
            Writers::Several => Word::SeveralConnections,
        }
    }
}

/// What a fault takes, for a cell.
pub(crate) fn loss(loss: Loss) -> Text {
    match loss {
        Loss::Nothing => Word::Nothing.into(),
        Loss::All => Word::Everything.into(),
        Loss::Writeback => Word::Writeback.into(),
        Loss::Commits(1) | Loss::Checkpoint(Bound::Commits(1)) => Word::OneCommit.into(),
        Loss::Commits(n) | Loss::Checkpoint(Bound::Commits(n)) => Text::from(format::count(n)).then(Word::CommitsLost),
        Loss::Millis(_) | Loss::Bytes(_) | Loss::Checkpoint(Bound::Bytes(_)) => english::loss_in_short(loss).into(),
    }
}

/// What can be lost, for a cell: the fault that takes more, and the state of the data after a power failure.
pub(crate) fn lost(kept: Option<Guarantee>) -> Text {
    let Some(kept) = kept else { return Word::Unknown.into() };
    let lost = match (kept.kill, kept.power) {
        (Loss::Nothing, Loss::Nothing) => Word::Nothing.into(),
        (Loss::Nothing, power) => Text::from(Word::Power).then(loss(power)),
        (kill, power) if kill == power => Text::from(Word::KillOrPower).then(loss(power)),
        (kill, power) => {
            Text::from(Word::Kill).then(loss(kill)).then("; ".to_string()).then(Word::Power).then(loss(power))
        }
    };
    match kept.integrity {
        Integrity::I0 => lost,
        Integrity::I1 => lost.then(Word::MayLeaveGaps),
        Integrity::I2 => lost.then(Word::NeedsRepair),
        Integrity::I3 => lost.then(Word::MayBeWrong),
    }
}

/// What a store is, in two words.
pub(crate) fn about_in_short(about: &About) -> Text {
    let form = match about.form {
        Form::Library => Word::Library,
        Form::Server => Word::Server,
    };
    let model = match about.model {
        Model::Sql => Word::Sql,
        Model::Documents => Word::Documents,
        Model::KeyValue => Word::KeyValue,
        Model::WideColumn => Word::WideColumns,
        Model::TextFile => Word::LinesOfText,
    };
    Text::from(form).then(Word::Comma).then(model)
}

#[cfg(test)]
mod tests {
    use kurabe_record::{EndRecord, JobRecord, RunRecord};

    use super::*;
    use crate::terminal::Detail;
    use crate::{common, markdown, markdown::escaped};

    /// The sample with its second phase and one of its stores called by this name.
    fn called(name: &str) -> (RunRecord, Vec<JobRecord>, EndRecord) {
        let (mut run, mut jobs, end) = common::sample::sample();
        let phase = std::mem::replace(&mut run.plan.configurations[0].phases[1].phase.name, name.into());
        for candidate in run.candidates.iter_mut().filter(|one| one.name == "lmdb") {
            candidate.name = name.into();
        }
        for job in &mut jobs {
            if job.candidate == "lmdb" {
                job.candidate = name.into();
            }
            for one in job.phases.iter_mut().filter(|one| one.name == phase) {
                one.name = name.into();
            }
        }
        (run, jobs, end)
    }

    #[test]
    fn a_japanese_result_keeps_names_that_look_like_words() {
        for name in Word::ALL.iter().map(|word| word.english()).filter(|name| name.trim() == *name && !name.is_empty())
        {
            let (run, jobs, end) = called(name);
            let answer = kurabe_analysis::analyse(&run, &jobs, Some(&end));
            let shown = |detail| markdown::text(&answer, &run, &jobs, (Language::Japanese, detail));
            let (short, full, name) = (shown(Detail::Short), shown(Detail::Full), escaped(name));
            assert!(full.contains(&format!("**{name}**\n\n|")), "heading of {name}: {full}");
            let head = short.lines().find(|line| line.starts_with("| ストア |")).unwrap();
            assert!(head.contains(&format!("| {name} |")), "column of {name}: {head}");
            let names_a_row = |line: &&str| line.contains(&format!("| {name} |")) && !line.starts_with("| ストア |");
            assert!(short.lines().any(|line| names_a_row(&line)), "row of {name}: {short}");
        }
    }

    #[test]
    fn words_change_with_the_language_and_names_never_do() {
        for word in Word::ALL {
            let name = word.english().to_string();
            let text = Text::from(name.clone()).then(": ".to_string()).then(*word);
            assert_eq!(text.of(Language::Japanese), format!("{name}: {}", word.japanese()));
            assert_eq!(text.english(), format!("{name}: {name}"));
            assert!(!text.is(*word), "a name is no word, whatever it looks like");
        }
    }
}
