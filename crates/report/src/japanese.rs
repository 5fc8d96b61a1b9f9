//! The answer in Japanese, from the same figures. Texts that studies, stores and descriptors bring stay as they are.

use kurabe_analysis::format::{self, NONE, count, duration};
use kurabe_analysis::{
    Answer, CandidateAnswer, Caution, Checking, Differ, Extent, Innocent, Lowered, LoweredBy, MIN_VALUES, Missing,
    Note, PhaseAnswer, Reason, Status,
};
use kurabe_record::{Class, RunRecord, StoreKind};

use crate::done::Part;
use crate::headline::Headline;

/// What was done, who is first where, whose answers were wrong, and what may be lost.
pub(crate) fn sentences(answer: &Answer, run: &RunRecord, headlines: &[Headline<'_>]) -> Vec<String> {
    let mut sentences = vec![done(answer)];
    sentences.extend(headlines.iter().map(headline));
    if headlines.is_empty() {
        sentences.push("順位はつきません。理由は下にあります。".into());
    }
    sentences.extend(answer.phases.iter().flat_map(wrong_answers));
    if run.phases.iter().any(|plan| plan.phase.writes()) {
        sentences.extend(risk(answer, run));
    }
    sentences
}

fn done(answer: &Answer) -> String {
    let part = Part::of(answer);
    let (whole, all, rows) = (part.whole.len(), part.all.len(), count(answer.rows));
    let noun = if part.all.iter().any(|one| one.kind == StoreKind::Store) { "ストア" } else { "床" };
    let others: String = part.others.iter().map(|(extent, names)| other(*extent, names)).collect();
    let sizes: Vec<String> = answer.other_sizes.iter().map(|size| format!("{} 行", count(size.rows))).collect();
    let sizes = if sizes.is_empty() { String::new() } else { format!("ほかの規模: {}。", sizes.join("、")) };
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

fn other(extent: Extent, names: &[&str]) -> String {
    let names = names.join("、");
    match extent {
        Extent::Whole => String::new(),
        Extent::Failed { round } => format!("{names} は {} ラウンド目で失敗しました。", round + 1),
        Extent::FailedBefore { rows } => format!("{names} は {} 行で失敗しました。", count(rows)),
        Extent::GaveUp { round } => {
            format!("{names} は {} ラウンド目で失敗が続き、クライアントがあきらめました。", round + 1)
        }
        Extent::Unsupported => format!("{names} はこの仕事のどれもできません。"),
        Extent::Cut => format!("{names} は時間の予算が足りず、途中で外しました。"),
        Extent::NotMeasured => format!("{names} は一度も測れませんでした。"),
    }
}

fn headline(one: &Headline<'_>) -> String {
    let class = one.ranking.class.map(|class| format!("（クラス {class}）")).unwrap_or_default();
    let names: Vec<&str> = one.leaders.iter().map(|row| row.candidate.as_str()).collect();
    let rate = one.leaders[0].rate_per_s.map_or_else(|| NONE.into(), |figure| format::rate(figure.value));
    let said = match (names.as_slice(), one.lead(), one.next) {
        ([first], Some((lead, range)), Some(next)) => {
            let level = format::level(one.ranking.level);
            let range = range
                .map(|range| format!("（{level} 区間 {} 〜 {}）", format::ratio(range.low), format::ratio(range.high)));
            format!(
                "{first} が最速で毎秒 {rate} 回、次の {} の {} 倍{}。",
                next.candidate,
                format::ratio(lead),
                range.unwrap_or_default()
            )
        }
        ([first], _, _) => format!("順位がついたのは {first} だけです（毎秒 {rate} 回）。"),
        ([first, ..], _, _) if names.len() > 3 => {
            format!("{} 個が首位で並び、差は見えませんでした（先頭は {first}）。", names.len())
        }
        _ => format!("{} が首位で並び、差は見えませんでした。", names.join(" と ")),
    };
    format!("{}{class}: {said}", one.phase.name)
}

fn wrong_answers(phase: &PhaseAnswer) -> Vec<String> {
    let of_row = |row: &kurabe_analysis::PhaseRow| {
        let Status::Unranked { reason: Reason::WrongAnswers { count: wrong, .. } } = &row.status else { return None };
        Some(format!(
            "{} は {} で誤った答えを {} 件返したので、そこでは順位がつきません。",
            row.candidate,
            phase.name,
            count(*wrong)
        ))
    };
    phase.rows.iter().filter_map(of_row).collect()
}

/// What acknowledged writes survive, of those that were measured.
fn risk(answer: &Answer, run: &RunRecord) -> Vec<String> {
    // Of a server at an address it is not known where its data lie.
    let on_bad_ground = answer.notes.iter().any(|note| matches!(note, Note::NoPower { .. }))
        && run.candidates.iter().all(|candidate| candidate.at_url.is_none());
    let process = if on_bad_ground {
        "プロセスが強制終了されても残るが、電源が落ちるとすべて失うことがある"
    } else {
        "プロセスが強制終了されても残るが、電源が落ちると直近の書き込みを失うことがある"
    };
    let classes = [
        (Some(Class::Power), "電源が落ちても、受け付けた書き込みが残る"),
        (Some(Class::Process), process),
        (Some(Class::None), "プロセスが落ちると、受け付けた書き込みを失うことがある"),
        (None, "何が残るか分からない"),
    ];
    let measured = |one: &&CandidateAnswer| one.kind == StoreKind::Store && one.work.rounds > 0;
    let of_class = |(class, text)| {
        let stores = answer.candidates.iter().filter(measured).filter(|one| one.class == class);
        let names: Vec<&str> = stores.map(|one| one.name.as_str()).collect();
        (!names.is_empty()).then(|| format!("{text}: {}。", names.join("、")))
    };
    classes.into_iter().filter_map(of_class).collect()
}

/// A caution in Japanese.
pub(crate) fn caution(caution: &Caution) -> String {
    match caution {
        Caution::Libraries { one, other, differ } => {
            let what = match differ {
                Differ::Drivers => "ドライバー",
                Differ::Versions => "版",
            };
            format!(
                "{} は {}、{} は {} を使っています。両者の差には{what}の差も入っています。",
                one.0, one.1, other.0, other.1
            )
        }
        Caution::Services { one, other } => format!(
            "{} のサーバーは {}、{} のサーバーは {} です。両者の差には版の差も入っています。",
            one.0, one.1, other.0, other.1
        ),
        Caution::Broken { candidate, promised, class, lowered } => {
            let why: Vec<String> = lowered.iter().map(lowered_by).collect();
            format!(
                "{candidate} のクラスは、耐久性の設定が約束する {promised} ではなく {class} です: {}。",
                why.join("、")
            )
        }
        Caution::QuickCommits { candidate, phase, round, median_ns, sync_ns, because } => {
            let why = match because {
                Innocent::SharedSync => "複数の接続や要求の書き込みは、一度の同期を分け合えるからです",
                Innocent::UnsteadyDisk => "ディスクの速さが一定でなかったからです",
            };
            format!(
                "{candidate} のコミットは前後の同期より速く、{phase} では {} ラウンド目に書き込みの半分が {} 以内、4 KiB の同期書き込みは 10 回に 9 回が {} 以上でした。ここからは何も言えません。{why}。",
                round + 1,
                duration(*median_ns as f64),
                duration(*sync_ns as f64)
            )
        }
        Caution::Pauses { candidate, pauses, share, heap_peak_bytes, heap_max_bytes } => format!(
            "{candidate} の仮想マシンはごみ集めのために {} 回止まり、測定時間の {:.1} % を占めました。ヒープは {} MiB のうち最大 {} MiB を使いました。",
            count(*pauses),
            100.0 * share,
            heap_max_bytes >> 20,
            heap_peak_bytes >> 20
        ),
        Caution::Company { beside, jobs } => format!(
            "{jobs} 個のジョブのうち {beside} 個は、このマシンで別の Kurabe が測定している間に走りました。速さと時間は、マシンを分け合った結果です。"
        ),
        Caution::Unsteady { fast_ns, slow_ns } => format!(
            "プロセッサーの速さは一定ではありませんでした。同じ計算が、速いほうの 1 割のジョブの前では {} 以内、遅いほうの 1 割の前では {} 以上かかりました。速さにはその差も入っています。順位はラウンドの中で比べています。",
            duration(*fast_ns as f64),
            duration(*slow_ns as f64)
        ),
    }
}

fn lowered_by(lowered: &Lowered) -> String {
    match &lowered.cause {
        LoweredBy::Setting { name, found, .. } => format!("動いているストアは {name} = '{found}' と答えます"),
        LoweredBy::Ground { reason } => format!("データを置いた場所のため（{reason}）"),
        LoweredBy::QuickCommits { phase, round, median_ns, sync_ns } => format!(
            "コミットがディスクの同期より速く終わっています（{phase} の {} ラウンド目に書き込みの半分が {} 以内、4 KiB の同期書き込みはこの実行のどこでも 10 回に 9 回が {} 以上）",
            round + 1,
            duration(*median_ns as f64),
            duration(*sync_ns as f64)
        ),
    }
}

/// A note in Japanese.
pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::Rounds { rounds, why } => {
            let why: Vec<String> = why.iter().map(missing).collect();
            let why = if why.is_empty() { String::new() } else { format!("（{}）", why.join("、")) };
            format!("{} ラウンドのうち、完了したのは {} ラウンドです{why}。", rounds.planned, rounds.complete)
        }
        Note::TooFewRounds => {
            format!(
                "{MIN_VALUES} ラウンドに満たないので順位はつきません。--rounds {MIN_VALUES} 以上で実行してください。"
            )
        }
        Note::Failures { candidate, phases, message, allowed } => {
            let phases: Vec<String> =
                phases.iter().map(|(phase, failed)| format!("{phase} で {} 回", count(*failed))).collect();
            format!(
                "{candidate} の操作が {} 失敗しました（ジョブのフェーズごとに {} 回まで許されています）。最も多いメッセージ: {message}。失敗した操作は速さにも所要時間にも入っていません。",
                phases.join("、"),
                count(*allowed)
            )
        }
        Note::Repeated(lines) => {
            let numbers: Vec<String> = lines.iter().map(|repeated| repeated.line.to_string()).collect();
            format!(
                "jobs.jsonl の {} 行目は前にある内容の繰り返しです。どのジョブも一度だけ数えました。",
                numbers.join("、")
            )
        }
        Note::NoPower { reason } => {
            format!(
                "データを置いた場所ではクラス power は成り立たないので、ここではどれもクラス process までです: {reason}。"
            )
        }
        Note::Absent(absent) => {
            let remedy = absent.remedy.as_ref().map(|remedy| format!("加えるには: {remedy}")).unwrap_or_default();
            format!("{} は参加していません: {}。{remedy}", absent.candidate, absent.reason.trim_end_matches('.'))
        }
        Note::Unreadable { candidate, figures } => {
            format!("{candidate} のユーザーには読めないため、次の値はありません: {}。", figures.join("; "))
        }
    }
}

fn missing(missing: &Missing) -> String {
    match missing {
        Missing::Failed { candidates, round } => format!("{} が {} ラウンド目で失敗", candidates.join("、"), round + 1),
        Missing::FailedBefore { candidates, rows } => format!("{} が {} 行で失敗", candidates.join("、"), count(*rows)),
        Missing::Budget(_) => "残りは時間の予算に収まらなかった".into(),
        Missing::Interrupted(_) => "途中で中断された".into(),
        Missing::Broken(message) => match message {
            Some(message) => format!("途中で終わった: {message}"),
            None => "続けられなくなった".into(),
        },
        Missing::NoEnd => "終わりの記録がない。まだ実行中か、途中で断たれた".into(),
    }
}

/// Titles and fixed words of tables; what is not known here stays as it is.
pub(crate) fn word(text: &str) -> String {
    // What took part of a rate, with how much.
    for (word, japanese) in [("floor ", "床 "), ("client ", "クライアント ")] {
        if let Some(share) = text.strip_prefix(word).filter(|share| share.ends_with('%')) {
            return format!("{japanese}{share}");
        }
    }
    let word = match text {
        "candidate" => "候補",
        "class" => "クラス",
        "op/s" => "回/秒",
        "rows/s" => "行/秒",
        "of best" => "首位比",
        "failed" => "失敗",
        "limit" => "頭打ち",
        "floor" => "床",
        "too wide" | "too wide to tell" => "広すぎて分からない",
        "wrong answers" => "答えの誤り",
        "settings differ" => "設定の食い違い",
        "job failed" => "ジョブの失敗",
        "unsupported" => "非対応",
        "gave up" => "打ち切り",
        "failures" => "操作の失敗",
        "nothing completed" => "完了なし",
        "below floor" => "下限未満",
        "class unknown" => "クラス不明",
        "cut" => "予算切れ",
        "failed before" => "以前に失敗",
        "too few rounds" => "ラウンド不足",
        "on disk/row" => "ディスク/行",
        "written/row" => "書き込み/行",
        "settle" => "落ち着くまで",
        "client memory" => "クライアントのメモリ",
        "service memory" => "サーバーのメモリ",
        "client CPU" => "クライアントの CPU",
        "service CPU" => "サーバーの CPU",
        "cost beside time" => "時間のほかにかかるもの",
        "durability" => "耐久性",
        "what did not count" => "数えなかったもの",
        "its writes survive" => "書き込みが耐えるもの",
        "live store" => "実際の設定",
        "nothing for sure" => "確かなものはない",
        "a killed process" => "プロセスの強制終了",
        "a power failure" => "電源断",
        "not measured" => "測れず",
        "confirmed" => "確認済み",
        "set, not readable" => "設定済み（読み出せない）",
        "differs" => "食い違い",
        "unknown" => "不明",
        other => other,
    };
    word.to_string()
}
