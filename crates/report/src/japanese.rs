//! The answer in Japanese, from the same figures. Texts that studies, stores and descriptors bring stay as they are.

use kurabe_analysis::english;
use kurabe_analysis::format::{self, count, difference, ratio, significant};
use kurabe_analysis::{
    Answer, Apart, At, Because, Checking, Extent, FirstRank, FirstsAt, MIN_VALUES, More, NoRanking, Participants,
    RankedPhase, Reason, Risk, Seen, Sentence, SkippedAt, SkippedStore, Through, WhyNot, Winners,
};
use kurabe_record::{AxisValue, Metric, MinimumDurability, RunRecord, StoreKind};

mod recommend;

pub(crate) use recommend::recommendation;

/// What was done, and the sentences of the answer.
pub(crate) fn sentences(answer: &Answer, run: &RunRecord) -> Vec<String> {
    std::iter::once(done(answer, run)).chain(answer.sentences.iter().flat_map(sentence)).collect()
}

/// A configuration.
fn at(at: &At) -> String {
    if at.factors.is_empty() {
        return format!("{} 行", count(at.rows));
    }
    factors(&at.factors)
}

/// Several factors as a list.
fn factors(factors: &[kurabe_record::Factor]) -> String {
    let one = |one: &kurabe_record::Factor| match (one.axis.as_str(), &one.value) {
        ("rows", AxisValue::Number(rows)) => format!("{} 行", count(*rows)),
        ("connections", AxisValue::Number(connections)) => format!("接続 {}", count(*connections)),
        ("value_len_bytes", AxisValue::Number(bytes)) => format!("値 {} バイト", count(*bytes)),
        ("commit_every", AxisValue::Number(writes)) => format!("書き込み {} 件ごとのコミット", count(*writes)),
        ("durability", value) => format!("耐久性 {}", english::value_in_short("durability", value)),
        (kurabe_record::PITFALL, value) => format!("落とし穴 '{value}'"),
        (axis, value) => format!("{axis} {value}"),
    };
    factors.iter().map(one).collect::<Vec<String>>().join("・")
}

/// A sentence, in as many lines as it is about groups of stores.
pub(crate) fn sentence(sentence: &Sentence) -> Vec<String> {
    match sentence {
        Sentence::NoRanking { at: level, why } => vec![about(level.as_ref()) + &no_ranking(*why)],
        Sentence::Winners { at: level, groups, is_steady } => {
            groups.iter().map(|one| about(level.as_ref()) + &winners(one, *is_steady)).collect()
        }
        Sentence::NoSingleWinner => {
            vec!["首位はフェーズによって違います。どれがよいかは、仕事の組み合わせによります。".into()]
        }
        Sentence::Seen(seen) => vec![what_could_be_seen(seen)],
        Sentence::Risk(groups) => groups.iter().map(risk).collect(),
        Sentence::WrongAnswers(wrong) => wrong.iter().map(wrong_answers).collect(),
        Sentence::OthersFirst(levels) => vec![others_first(levels)],
        Sentence::Growth { faster, open } => {
            vec![growth(("時間がデータより速く増える", "時間はデータより速くは増えません"), faster, open)]
        }
        Sentence::FigureGrowth { metric, grows, open } => {
            let words = (format!("データとともに {metric} が増える"), format!("{metric} はデータとともには増えません"));
            vec![growth((&words.0, &words.1), grows, open)]
        }
        Sentence::Clients(phases) => phases.iter().map(through).collect(),
        Sentence::Skipped(levels) => vec![skipped(levels)],
    }
}

fn others_first(levels: &[FirstsAt]) -> String {
    let level = |(level, firsts): &FirstsAt| {
        let firsts: Vec<String> =
            firsts.iter().map(|(names, phases)| format!("{} は {}", phases.join(" と "), names.join(" と "))).collect();
        format!("{} では {}", at(level), firsts.join("、"))
    };
    format!("条件が違えば首位も違います: {}。", levels.iter().map(level).collect::<Vec<String>>().join("; "))
}

fn skipped(levels: &[SkippedAt]) -> String {
    let one = |skipped: &SkippedStore| match (skipped.took_ns, skipped.needed_ns) {
        (Some(ns), _) => format!("{}（{} かけても終わらず）", skipped.candidate, format::span(ns)),
        (None, Some(ns)) => format!("{}（あと約 {}）", skipped.candidate, format::span(ns)),
        (None, None) => skipped.candidate.clone(),
    };
    let level = |(level, stores): &SkippedAt| {
        format!("{} で {}", at(level), stores.iter().map(one).collect::<Vec<String>>().join("、"))
    };
    let levels: Vec<String> = levels.iter().map(level).collect();
    format!("時間の予算が足りないので外しました: {}。", levels.join("; "))
}

/// Which configuration a sentence is about, where there are several.
fn about(level: Option<&At>) -> String {
    level.map(|level| format!("{}: ", at(level))).unwrap_or_default()
}

fn no_ranking(why: NoRanking) -> String {
    match why {
        NoRanking::NoGoodJob => "順位はつきません。最後まで正しく終わったジョブがありません。".into(),
        NoRanking::TooFewRounds(rounds) => format!(
            "順位はつきません。{} ラウンドのうち測れたのは {} ラウンドで、{MIN_VALUES} ラウンド必要です。",
            rounds.planned, rounds.measured
        ),
        NoRanking::NobodyThrough => {
            "順位はつきません。決め手のフェーズを正しく終えたストアがありません。理由は下にあります。".into()
        }
    }
}

fn place(phase: &RankedPhase) -> String {
    let by = if phase.metric == Metric::Rate { String::new() } else { format!("（{}）", phase.metric) };
    let level = phase.among.durability.map(|level| level.to_string());
    let level = phase.among.window.map(MinimumDurability::short).or(level);
    let level = level.map(|level| format!("（耐久性 {level}）")).unwrap_or_default();
    let profile = phase.among.profile.map(|profile| format!("（設定 {profile}）")).unwrap_or_default();
    format!("{}{by}{level}{profile}", phase.name)
}

fn places<'a>(phases: impl IntoIterator<Item = &'a RankedPhase>) -> String {
    phases.into_iter().map(place).collect::<Vec<String>>().join("、")
}

fn first_rank(first: &FirstRank) -> String {
    let place = place(&first.phase);
    match &first.because {
        Because::Plain => place,
        Because::Shared { second, best, low, high } => {
            format!("{place}（{second} は {best} の {} 〜 {} 倍）", ratio(*low), ratio(*high))
        }
        Because::Ahead { next, lead } => {
            let range = lead.interval.map(|range| format!("、{} 〜 {}", ratio(range.low), ratio(range.high)));
            format!("{place}（次の {next} の {} 倍{}）", ratio(lead.value), range.unwrap_or_default())
        }
    }
}

fn winners(one: &Winners, is_steady: bool) -> String {
    let phases: Vec<String> = one.places.iter().map(|one| place(&one.phase)).collect();
    let places: Vec<String> = one.places.iter().map(first_rank).collect();
    let places = places.join("、");
    let best = if one.places.iter().all(|place| place.phase.metric == Metric::Rate) { "最速" } else { "最良" };
    match (one.is_alone, one.names.as_slice()) {
        (true, names) => format!("{places} で順位がついたのは {} だけです。", names.join("、")),
        (false, [name]) if !is_steady => format!("{} では {name} が先行していました。", phases.join("、")),
        (false, [name]) => format!("{places} では {name} が{best}です。"),
        (false, [first, ..]) if one.names.len() > 3 => {
            format!("{places} では {} 個が首位で並びました（先頭は {first}）。", one.names.len())
        }
        (false, names) => format!("{places} では {} が首位で並びました。", names.join(" と ")),
    }
}

fn what_could_be_seen(seen: &Seen) -> String {
    if !seen.is_steady {
        let good = if seen.are_rates { "速い" } else { "よい" };
        return format!(
            "測定中のマシンの状態が一定ではなかったので、どれが{good}かは決まりません。静かなときにもう一度お試しください。"
        );
    }
    let undecided = match (seen.tied.as_slice(), seen.alone.as_slice()) {
        ([], []) => "首位はどれも決まりました".to_string(),
        ([], alone) if alone.len() == seen.rankings => return "首位を争う相手はいませんでした。".into(),
        ([], alone) => format!("{} には比べる相手がなく、ほかの首位は決まりました", places(alone)),
        (tied, _) => format!("{} の首位は決まっていません", places(tied)),
    };
    let range = match (&seen.least, &seen.most) {
        (Some(low), Some(high)) if difference(low.0) != difference(high.0) => {
            format!("{}（{}）から {}（{}）", size(low.0), place(&low.1), size(high.0), place(&high.1))
        }
        (Some(low), _) => size(low.0),
        _ => return format!("{undecided}。"),
    };
    if seen.is_too_noisy() {
        return format!(
            "{undecided}。この測定で見分けられるのは {range} の差だけでした。フェーズを長く、ラウンドを多く（--rounds）し、マシンを静かにすれば、もっと分かります。"
        );
    }
    format!("{undecided}。この測定で見分けられるのは {range} の差です。")
}

/// A relative difference.
fn size(share: f64) -> String {
    match share {
        _ if share < 1.0 => format::percent(share),
        _ if share < 999.0 => format!("{} 倍", significant(1.0 + share, 2)),
        _ => "1,000 倍を超える倍率".into(),
    }
}

/// What acknowledged writes survive, of those that were measured.
fn risk(risk: &Risk) -> String {
    format!("{}: {}。", risk.guarantee.map_or("何を失うか不明".into(), recommend::kept), risk.names.join("、"))
}

fn wrong_answers((candidate, phases): &(String, Vec<(String, u64)>)) -> String {
    let phases: Vec<String> = phases.iter().map(|(phase, wrong)| format!("{phase} で {} 件", count(*wrong))).collect();
    format!("{candidate} は {}、誤った答えを返したので、そこでは順位がつきません。", phases.join("、"))
}

/// What grows, in such words as 時間がデータより速く増える.
fn growth(
    (grows, grows_not): (&str, &str),
    more: &[(String, Vec<(String, f64)>)],
    open: &[(String, Vec<String>)],
) -> String {
    let more_words: Vec<String> = more
        .iter()
        .map(|(phase, names)| {
            let names: Vec<String> =
                names.iter().map(|(name, slope)| format!("{name}: 行数の {} 乗", significant(*slope, 3))).collect();
            format!("{phase}（{}）", names.join("、"))
        })
        .collect();
    let open_words: Vec<String> =
        open.iter().map(|(phase, names)| format!("{phase}（{}）", names.join("、"))).collect();
    let mut said = match more {
        [] if open.is_empty() => return format!("どのストアでも、{grows_not}。"),
        [] => String::new(),
        _ => format!("{grows}もの: {}。", more_words.join("、")),
    };
    if !open.is_empty() {
        said += &format!("{grows}か決まらないもの: {}。", open_words.join("、"));
    }
    said
}

fn through(one: &Through) -> String {
    let times = |apart: &Apart| {
        format!("{} 倍（{}～{}）", ratio(apart.times), ratio(apart.interval.low), ratio(apart.interval.high))
    };
    let Apart { shared: store, best, worst, .. } = &one.clients;
    let by_client = match one.metric {
        Metric::Rate => format!("{store} は {best} で {worst} の {}", times(&one.clients)),
        metric => format!("{store} の {metric} は {best} では {worst} より {} よい", times(&one.clients)),
    };
    let by_store = one.stores.as_ref().map(|stores| {
        let Apart { shared: client, best, worst, .. } = stores;
        format!("同じクライアントでのストアの差は最大 {}（{client} での {best} と {worst}）", times(stores))
    });
    let by_store = by_store.unwrap_or_default();
    let phase = &one.phase;
    match one.more() {
        More::Client => format!("{phase} ではストアよりクライアントがものをいいます。{by_client}、{by_store}。"),
        More::Store => format!("{phase} ではクライアントよりストアがものをいいます。{by_store}、{by_client}。"),
        More::Open => {
            format!("{phase} ではクライアントとストアのどちらがものをいうか決まりません。{by_client}、{by_store}。")
        }
        More::Alone => format!("{phase} でのクライアントの差: {by_client}。"),
    }
}

fn done(answer: &Answer, run: &RunRecord) -> String {
    let part = Participants::of(&answer.candidates);
    let (whole, all) = (part.whole.len(), part.all.len());
    let file = run.data.as_ref().map(|data| format!("「{}」の ", data.file_name()));
    let beside = kurabe_record::without(&answer.at.factors, "rows");
    let place = if beside.is_empty() { String::new() } else { format!("{} の ", factors(&beside)) };
    let rows = format!("{place}{}{}", file.unwrap_or_default(), count(answer.at.rows));
    let noun = if part.all.iter().any(|one| one.kind == StoreKind::Store) { "ストア" } else { "ベースライン" };
    let others: String = part.others.iter().map(|(extent, names)| other(extent, names)).collect();
    let sizes = match answer.other_configurations.as_slice() {
        [] => String::new(),
        levels if levels.len() > 6 => format!("ほかに {} 個の条件があります。", levels.len()),
        levels => {
            let levels: Vec<String> = levels.iter().map(|level| at(&level.at)).collect();
            format!("ほかの条件: {}。", levels.join("、"))
        }
    };
    if all == 0 {
        return format!("{rows} 行に対する仕事をしたのは負荷ツールだけで、答えは確かめられていません。{sizes}");
    }
    if whole == 0 {
        return format!("{all} 個の{noun}のうち、{rows} 行に対する仕事をやり遂げたものはありません。{others}{sizes}");
    }
    let who = if whole == all {
        format!("{all} 個の{noun}に")
    } else {
        format!("{all} 個の{noun}のうち {whole} 個に")
    };
    let work = if whole > 1 { "同じ仕事を順番を入れ替えながら" } else { "仕事を" };
    let (rounds, all_alike) = part.rounds();
    let least = if all_alike { "" } else { "少なくとも " };
    let each = if whole > 1 { "ずつ" } else { "" };
    let checked = checked(&answer.checking);
    format!(
        "{who}、{rows} 行に対する{work} {least}{rounds} 回{each}させ、答えをすべて確かめました{checked}。{others}{sizes}"
    )
}

fn checked(checking: &Checking) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(increments) = &checking.increments {
        parts.push("加算は合計で確認".into());
        if !increments.without_sum.is_empty() {
            parts.push(format!("{} の加算は確かめられず", increments.without_sum.join("、")));
        }
    }
    if parts.is_empty() { String::new() } else { format!("（{}）", parts.join("、")) }
}

fn other(extent: &Extent, names: &[&str]) -> String {
    let names = names.join("、");
    match extent {
        Extent::Whole => String::new(),
        Extent::Failed { round } => format!("{names} は {} ラウンド目で失敗しました。", round + 1),
        Extent::FailedBefore { at: level } => format!("{names} は {}で失敗しました。", at(level)),
        Extent::GaveUp { round } => {
            format!("{names} は {} ラウンド目で失敗が続き、クライアントがあきらめました。", round + 1)
        }
        Extent::Unsupported => format!("{names} はこの仕事のどれもできません。"),
        Extent::Skipped => format!("{names} は時間の予算が足りず、途中で外しました。"),
        Extent::NotMeasured => format!("{names} は一度も測れませんでした。"),
    }
}

/// Why something does not count.
pub(crate) fn why_not(why: &WhyNot) -> String {
    match why {
        WhyNot::NotRanked(reason) => reason_words(reason),
        WhyNot::BadEnd { round, message } => {
            format!("{} ラウンド目の終わり、すべてのフェーズの後: {message}", round + 1)
        }
        WhyNot::Latencies { operation, error } => {
            format!("クライアントの 1 プロセスの {operation} の所要時間: {error}")
        }
    }
}

fn reason_words(reason: &Reason) -> String {
    let more = |rounds: usize| if rounds > 1 { format!("、ほか {} 回", rounds - 1) } else { String::new() };
    match reason {
        Reason::WrongAnswers { count: wrong, example, round } => {
            format!("答えの誤り {} 件、最初は {} ラウンド目: {example}", count(*wrong), round + 1)
        }
        Reason::SettingsDiffer { name, asked, found, round } => {
            format!("設定 {name} は '{asked}' のはずが、{} ラウンド目に '{found}' と読み出されました", round + 1)
        }
        Reason::JobFailed { rounds, message, round } => {
            format!("{} ラウンド目で失敗{}: {message}", round + 1, more(*rounds))
        }
        Reason::Unsupported { what } => format!("非対応: {what}"),
        Reason::EndedAmid => "計画どおり途中でサービスを止めたので、順位はつけません".into(),
        Reason::GaveUp { rounds, message, round } => {
            format!("{} ラウンド目に失敗が続き、クライアントがあきらめました{}: {message}", round + 1, more(*rounds))
        }
        Reason::Failures { count: failed, message } => {
            format!("操作の失敗 {} 回、最も多いメッセージ: {message}", count(*failed))
        }
        Reason::NothingCompleted { round } => format!("{} ラウンド目に完了した操作がありません", round + 1),
        Reason::BelowDurability { guarantee: Some(guarantee), minimum, why } => {
            let why = why.as_ref().map(|why| format!("（{why}）")).unwrap_or_default();
            format!("耐久性が {} に届きません。{}{why}", minimum.short(), recommend::kept(*guarantee))
        }
        Reason::BelowDurability { guarantee: None, minimum, .. } => {
            format!("耐久性が不明なので、{} に届かないかもしれません", minimum.short())
        }
        Reason::Skipped { skipped } => {
            let needed = match (skipped.stopped_after_ns, skipped.estimate_ns) {
                (Some(ns), _) => format!("（{} かけても終わらず）", format::span(ns)),
                (None, Some(ns)) => format!("（あと約 {}）", format::span(ns)),
                (None, None) => String::new(),
            };
            format!("{} で時間の予算が足りず外しました{needed}", at(&skipped.at))
        }
        Reason::FailedBefore { at: level } => format!("{}で失敗しました", at(level)),
        Reason::NotChecked => "負荷ツールが動かすため、答えは確かめられず、順位はつきません".into(),
        Reason::TooFewRounds { rounds } => {
            format!("比べられるのは {rounds} ラウンドだけで、順位には {MIN_VALUES} ラウンド必要です")
        }
    }
}

/// What the cells of the table of stores by phases mean.
pub(crate) fn matrix_legend(answer: &Answer) -> String {
    if !crate::matrix::compares(answer) {
        return String::new();
    }
    let clients = match answer.clients.as_slice() {
        [] => "",
        _ => "「クライアントどうし」は同じストアのクライアントの間で比べたもの。",
    };
    let behind =
        if crate::matrix::are_rates(answer) { "首位の 2.2 倍の時間" } else { "首位より 2.2 倍悪い" };
    format!("1 は首位、2.2 × は{behind}、? は決まっていない。{clients}")
}
