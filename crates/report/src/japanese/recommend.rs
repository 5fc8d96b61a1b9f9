//! What to take, in Japanese.

use kurabe_analysis::format::{count, duration, percent, rate, ratio, significant, size, span};
use kurabe_analysis::{
    Condition, Excluded, GO_ON, Instead, Lead, Next, NotMeasured, Other, Pause, Pick, Rationale, Recommendation, Rule,
    RuledOutBy, Said, StoreGrowth, TOLD_ELSEWHERE, TheirDifference, TradeSide, Unless, WhyExcluded, by_reason,
};
use kurabe_protocol::Operation;

use kurabe_record::{
    About, Form, Guarantee, Integrity, Isolation, LicenceBinds, Loss, Model, SupportStatus, UsedBy, Writers,
};

/// All of it.
pub(crate) fn recommendation(it: &Recommendation) -> Said {
    Said {
        headline: format!("{}{}", headline(it), elsewhere(it)),
        about: it.about.as_ref().map(about),
        why: if matches!(it.pick, Pick::NotDecided { .. }) { "それでも確かなこと" } else { "理由" }.into(),
        because: it.because.iter().map(because).map(ended).collect(),
        unless: it.unless.iter().map(unless).map(ended).collect(),
        excluded: by_reason(&it.excluded, why_excluded),
        not_measured: it.not_measured.iter().map(not_measured).collect(),
        others: it.others.iter().map(other).collect(),
    }
}

/// A sentence has its end; a command has none, so that it can be copied.
fn ended(text: String) -> String {
    if text.contains("kurabe run") { text } else { format!("{text}。") }
}

fn condition(at: Condition) -> String {
    match at {
        Condition::Durability(minimum) => format!("耐久性 {} ", minimum.short()),
        Condition::Profile(profile) => format!("設定 {profile} "),
    }
}

/// Whether another is taken under another condition.
fn elsewhere(it: &Recommendation) -> String {
    let one = |(at, candidates, is_same_store): (Condition, &[String], bool)| {
        let at = condition(at);
        match (candidates, is_same_store) {
            (_, true) => format!("{at}でも同じストア。"),
            ([], _) => format!("{at}では決まらない。"),
            (others, _) => format!("{at}でよければ {}。", names(others)),
        }
    };
    let all: Vec<_> = it.elsewhere().collect();
    if all.len() <= TOLD_ELSEWHERE {
        return all.into_iter().map(one).collect();
    }
    let (same, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(.., is_same_store)| *is_same_store);
    let rest = if others.is_empty() { "ほかのどの条件" } else { "残りの条件" };
    let same = if same.is_empty() { String::new() } else { format!("{rest}でも同じストア。") };
    others.into_iter().map(one).chain([same]).collect()
}

fn names(names: &[String]) -> String {
    names.iter().map(|name| format!("「{name}」")).collect::<Vec<String>>().join("、")
}

fn headline(it: &Recommendation) -> String {
    match &it.pick {
        Pick::Take { candidate } => format!("「{candidate}」を選んでください。"),
        Pick::Either { candidates, store: Some(store), apart: TheirDifference::Unknown } => {
            format!("「{store}」を選んでください。{} 個のクライアントのどれが速いかは決まりません。", candidates.len())
        }
        Pick::Either { candidates, store: Some(store), .. } => {
            format!("「{store}」を選んでください。クライアントは {} のどれでもかまいません。", names(candidates))
        }
        Pick::Either { candidates, store: None, .. } => format!("{} のどれでもかまいません。", names(candidates)),
        Pick::NotDecided { ahead, next } => {
            let why = match it.rule {
                Rule::TooFewRounds if *next == Next::GoOn => "途中で止められました",
                Rule::TooFewRounds => "ラウンドが少なく、偶然と区別できません",
                Rule::NotToldApart => "この測定で見分けられるのは大きな差だけです",
                _ => "測定中のマシンの速さが一定ではありませんでした",
            };
            let ahead: String = ahead
                .iter()
                .map(|one| format!("{} では「{}」が先行していました。", one.phases.join("、"), one.candidate))
                .collect();
            match next {
                Next::Again { command, takes_ns } => {
                    let takes = takes_ns.map(|ns| format!("(約 {})", span(ns))).unwrap_or_default();
                    format!("まだ決まりません: {why}。{ahead}もう一度{takes}: {command}")
                }
                Next::GoOn => format!("まだ決まりません: {why}。{ahead}続けるには: {GO_ON}"),
            }
        }
        Pick::Nothing => match it.rule {
            Rule::NoneEnough => "ここで測ったもののうち、必要な速さに届くものはありません。".into(),
            Rule::NoneForThem => "ここで測ったのはライブラリだけで、複数のマシンからは使えません。".into(),
            _ => "ここで測ったもののうち、すべてのフェーズを終えたストアはありません。".into(),
        },
    }
}

fn about(about: &About) -> String {
    let form = match about.form {
        Form::Library => "プログラムの中で動くライブラリ",
        Form::Server => "複数のマシンから使えるサーバー",
    };
    let model = match about.model {
        Model::Sql => "SQL",
        Model::Documents => "ドキュメント",
        Model::KeyValue => "キーと値",
        Model::WideColumn => "多くの列を持つ行",
        Model::TextFile => "テキストの行",
    };
    let writers = match about.writers {
        Writers::One => "同時に書けるのは 1 接続",
        Writers::Several => "複数の接続が同時に書ける",
    };
    format!("{form}・{model}・{writers}")
}

fn times(times: f64) -> String {
    match times {
        near if (0.95..1.05).contains(&near) => ratio(near),
        _ => significant(times, if times < 100.0 { 2 } else { 3 }),
    }
}

fn lead(lead: &Lead) -> String {
    match (&lead.next, lead.times) {
        (Some(next), Some(by)) => format!("{}（「{next}」の {} 倍）", lead.phase, times(by)),
        _ => lead.phase.clone(),
    }
}

fn because(it: &Rationale) -> String {
    match it {
        Rationale::First { phases, .. } => {
            format!("{} で最も速い", phases.iter().map(lead).collect::<Vec<String>>().join("、"))
        }
        Rationale::Level { phases } => format!("{} では、明らかに速いものがほかにない", phases.join("、")),
        Rationale::Behind { phase, times: behind, first } => {
            format!("最も遅れる {phase} でも、首位の「{first}」は {} 倍", times(*behind))
        }
        Rationale::Enough { candidate, phase, need_per_s, rate_per_s, times: met, by_all } => {
            let all = if *by_all { "どのストアも十分速い。" } else { "" };
            format!(
                "{all}「{candidate}」は {phase} で少なくとも毎秒 {}、必要な毎秒 {} の {} 倍",
                rate(*rate_per_s),
                significant(*need_per_s, 3),
                times(*met)
            )
        }
        Rationale::Nearest { candidate, phase, rate_per_s, times: met } => format!(
            "最も近い「{candidate}」は {phase} で少なくとも毎秒 {}、必要な速さの {}",
            rate(*rate_per_s),
            percent(*met)
        ),
        Rationale::Slowest(pause) => slowest(pause),
        Rationale::Objective { candidate, phase, operation, ns, slo, is_met } => {
            let nearest = if *is_met { "" } else { "最も近い" };
            let (share, time) = (percent(slo.p), duration(*ns as f64));
            format!(
                "{nearest}「{candidate}」は {phase} の {operation} の {share} が {time} 以内（求めるのは {slo}。この測定の負荷で、各接続が返事を待つ場合）"
            )
        }
        Rationale::Growth { phase, from_rows, to_rows, stores } => grown(phase, *from_rows, *to_rows, stores),
        Rationale::Out { candidates, why } => match why {
            RuledOutBy::Form => format!("{} はライブラリなので、複数のマシンからは使えない", names(candidates)),
            RuledOutBy::Durability => format!("{} では、書き込みが求めるほどには守られない", names(candidates)),
        },
        Rationale::Plain { used_by, reason } => {
            let whom = match used_by {
                UsedBy::OneProgram => "1 台の 1 プログラム",
                UsedBy::SeveralMachines => "複数のマシン",
            };
            let reason = reason.as_ref().map(|reason| format!(": {reason}"));
            format!("{whom}にとって無難な選択{}", reason.unwrap_or_default())
        }
        Rationale::Trade { phase, faster, safer, has_no_less } => {
            let no_less =
                if *has_no_less { "（求める水準を満たす、より弱い設定はない）" } else { "" };
            format!(
                "{phase} の差は速さと安全の取引: {}、「{}」は {}{no_less}",
                side(faster),
                safer.candidate,
                side(safer)
            )
        }
        Rationale::Safer { phase, faster, times: by, loses } => {
            format!("{phase} では「{faster}」が {} 倍速い（ただし、{}）", times(*by), kept(*loses))
        }
        Rationale::Survives { guarantee: Some(guarantee) } => kept(*guarantee),
        Rationale::Survives { guarantee: None } => "ただし、何が失われうるかは不明".into(),
        Rationale::Upkeep { status: SupportStatus::Retired } => "ただし、開発元が開発を終了した".into(),
        Rationale::Upkeep { .. } => "ただし、重大な不具合しか直されない".into(),
        Rationale::OutOfSupport { version, until, newest } => {
            let newest = newest.as_ref().map(|newest| format!("。最新は {newest}")).unwrap_or_default();
            format!("ただし、測定した {version} のサポートは {until} に終わった{newest}")
        }
        Rationale::Old { year, version } => {
            let version = version.as_ref().map(|version| format!("（{version}）"));
            format!("ただし、最新のリリース{}は {year} 年で、不具合が直される見込みは薄い", version.unwrap_or_default())
        }
    }
}

/// One side of a trade: what it did, what that cost the device, and what it can lose.
fn side(it: &TradeSide) -> String {
    let flushes = it.flushes_per_commit.map(|one| format!("、1 コミットあたり {} フラッシュ", significant(one, 2)));
    let kept = it.guarantee.map(|guarantee| format!("、{}", kept(guarantee)));
    format!("毎秒 {}{}{}", rate(it.rate_per_s), flushes.unwrap_or_default(), kept.unwrap_or_default())
}

/// What can be lost.
pub(super) fn kept(it: Guarantee) -> String {
    let loss = |loss| crate::words::loss(loss).of(crate::Language::Japanese);
    let after = match it.integrity {
        Integrity::I0 => "",
        Integrity::I1 => "。途中の書き込みが欠けることがある",
        Integrity::I2 => "。修復ツールが要ることがある",
        Integrity::I3 => "。データが壊れることがある",
    };
    match (it.kill, it.power) {
        (Loss::Nothing, Loss::Nothing) if after.is_empty() => "強制終了でも停電でも何も失わない".into(),
        (Loss::Nothing, power) => format!("強制終了では何も失わず、停電で失うのは最大で {}{after}", loss(power)),
        (kill, power) if kill == power => format!("強制終了や停電で失うのは最大で {}{after}", loss(power)),
        (kill, power) => format!("失うのは最大で、強制終了で {}、停電で {}{after}", loss(kill), loss(power)),
    }
}

fn slowest(pause: &Pause) -> String {
    let many = count((1.0 / (1.0 - pause.p)).round() as u64);
    let longest = pause.max_ns.map(|ns| format!("（最長 {}）", duration(ns as f64)));
    format!(
        "{} の {} は {many} 回に 1 回 {} を超える{}",
        pause.phase,
        pause.operation,
        duration(pause.ns as f64),
        longest.unwrap_or_default()
    )
}

fn grown(phase: &str, from_rows: u64, to_rows: u64, stores: &[StoreGrowth]) -> String {
    let one = |one: &StoreGrowth| {
        format!(
            "「{}」で {} 倍（{} から {}、{}）",
            one.candidate,
            times(one.to_ns / one.from_ns),
            duration(one.from_ns),
            duration(one.to_ns),
            if one.holds { "持ちこたえる" } else { "持ちこたえない" }
        )
    };
    let stores: Vec<String> = stores.iter().map(one).collect();
    format!("{} 行から {} 行で、{phase} の 1 回は{}", count(from_rows), count(to_rows), stores.join("、"))
}

fn almost_only(operation: Operation, phase: &str) -> String {
    match operation {
        Operation::Load => format!("ほとんどが一括の書き込み（{phase}）なら"),
        Operation::Read => format!("ほとんどがキーでの読み出し（{phase}）なら"),
        Operation::Update => format!("ほとんどが更新（{phase}）なら"),
        _ => format!("仕事のほとんどが {phase} なら"),
    }
}

/// What several connections can do to each other.
fn not_kept_apart(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::LastWriteWins => "2 つの接続が同じ行を変えるなら（片方が黙って失われうる）",
        Isolation::SingleRequest => {
            "複数の行をまとめて、または読んだ値をもとに変えるなら（ここでは 1 要求だけが不可分）"
        }
        Isolation::ReadUncommitted => "未コミットの値が他の接続に見えては困るなら",
        Isolation::ReadCommitted => {
            "先に読んだ値をもとに行を変えるなら（ここでは read committed。ロックしないと片方が失われうる）"
        }
        Isolation::RepeatableRead => {
            "先に読んだ値をもとに行を変えるなら（ここでは repeatable read。ロックしないと片方が失われうる）"
        }
        Isolation::Snapshot | Isolation::Serializable => "複数の接続が同じ行を変えるなら",
    }
}

fn instead(it: &Instead) -> String {
    match it {
        Instead::Measured { candidate } => format!("「{candidate}」"),
        Instead::NotMeasured { store, command } => format!("「{store}」（ここでは未測定: {command}）"),
        Instead::NotRanked { store, command } => format!("「{store}」（ここでの測定では選べない: {command}）"),
        Instead::Nothing => "知られている候補なし".into(),
    }
}

fn unless(it: &Unless) -> String {
    match it {
        Unless::Phase { phase, operation, candidate, times: by, saves_s_per_day, loses } => {
            let loses = loses.map(|loses| format!("（ただし、{}）", kept(loses))).unwrap_or_default();
            let saves = saves_s_per_day.map(|s| format!("（必要な量なら 1 日に {}）", span((s * 1e9) as u64)));
            let saves = saves.unwrap_or_default();
            format!("{}、「{candidate}」が {} 倍速い{saves}{loses}", almost_only(*operation, phase), times(*by))
        }
        Unless::Elsewhere { at, candidates, because: reasons, .. } => {
            let then = if candidates.is_empty() { "決まらない".into() } else { names(candidates) };
            let reasons: Vec<String> = reasons.iter().map(because).collect();
            let why = if reasons.is_empty() { String::new() } else { format!("（{}）", reasons.join("、")) };
            format!("{}でよければ: {then}{why}", condition(*at))
        }
        Unless::SeveralMachines { instead: then, also_for_writers } => {
            let or = if *also_for_writers { "、または多くの接続が同時に書くなら" } else { "なら" };
            format!("複数のマシンから使う{or}: {}", instead(then))
        }
        Unless::Queries { instead: then } => {
            format!("キー以外での検索や結合が要るなら: {}", instead(then))
        }
        Unless::OneProgram { candidate, times: by } => {
            format!("1 つのプログラムだけが使うなら、サーバーの要らない「{candidate}」が {} 倍以上速い", times(*by))
        }
        Unless::OtherLanguage { languages, instead: then } => {
            format!("プログラムが {} 以外の言語なら: {}", languages.join("、"), instead(then))
        }
        Unless::Isolation { isolation, instead: then } => {
            format!("{}: {}", not_kept_apart(*isolation), instead(then))
        }
        Unless::RowsExpire { instead: then } => {
            format!("期限切れや追い出しをストアに任せるなら: {}", instead(then))
        }
        Unless::Licence { binds, licence, instead: then } => {
            let when = match binds {
                LicenceBinds::Programs => "ソースを公開せずにプログラムを配るなら",
                LicenceBinds::Services => "ストア自体をサービスとして提供するなら",
            };
            format!("{when}（ライセンス {licence}）: {}", instead(then))
        }
        Unless::LittleNeeded { rate_per_s, candidate } => {
            format!("必要なのが {}/s 未満なら、無難な「{candidate}」でも足りる", rate(*rate_per_s))
        }
        Unless::MoreRows { rows, command } => {
            format!("行数が {} よりはるかに多いなら未知: {command}", count(*rows))
        }
        Unless::PowerFails { command } => format!("停電でも失われては困るなら: {command}"),
        Unless::ManyWriters { instead: then } => format!("多くの接続が同時に書くなら: {}", instead(then)),
        Unless::Grows { phase, tenfold, candidate } => {
            let other = candidate.as_ref().map(|name| format!("。「{name}」はそうならない"));
            format!(
                "データが増えるなら: 10 倍の行で {phase} は {} 倍かかる{}",
                times(*tenfold),
                other.unwrap_or_default()
            )
        }
        Unless::Pauses { pause, other, is_for_a_lock } => {
            let other = other.as_ref().map(|(name, ns)| format!("。「{name}」では {}", duration(*ns as f64)));
            let lock = if *is_for_a_lock { "。書き込む接続は 1 つのロックを待つ" } else { "" };
            format!("止まっては困るなら: {}{}{lock}", slowest(pause), other.unwrap_or_default())
        }
        Unless::LessNeeded { rate_per_s } => format!("毎秒 {} で足りるなら別", rate(*rate_per_s)),
        Unless::MoreConnections { command } => format!("接続を増やして分担できるなら: {command}"),
        Unless::LessKept { command } => format!("書き込みがもっと失われてもよいなら: {command}"),
        Unless::Disk { per_row_bytes, candidate, other_bytes } => {
            format!("ディスクが惜しいなら: 1 行 {}。「{candidate}」では {}", size(*per_row_bytes), size(*other_bytes))
        }
    }
}

fn why_excluded(it: &Excluded) -> String {
    match &it.why {
        WhyExcluded::NotRanked { reason } => super::why_not(reason),
        WhyExcluded::Absent { reason } => reason.clone(),
        WhyExcluded::NotEnough { phase, times: met } => format!("{phase} で必要な速さの {}", percent(*met)),
        WhyExcluded::TooSlow { phase: Some(phase), ns: Some(ns), slo } => {
            format!("{phase} の {} に {} かかる（求めるのは {slo}）", percent(slo.p), duration(*ns as f64))
        }
        WhyExcluded::TooSlow { slo, .. } => format!("操作が少なく、{slo} かどうか判定できない"),
        WhyExcluded::Retired => "開発元が開発を終了した".into(),
        WhyExcluded::Library => "ライブラリなので、複数のマシンからは使えない".into(),
    }
}

fn not_measured(it: &NotMeasured) -> String {
    match &it.remedy {
        Some(remedy) => format!("{}（{}）: ここにはない: {remedy}", it.store, it.title),
        None => format!("{}（{}）: {}", it.store, it.title, it.command),
    }
}

fn other(it: &Other) -> String {
    match it.times {
        times if times > 1.0 => format!("{}: {} で首位の {} 分の 1", it.candidate, it.phase, ratio(times)),
        _ => format!("{}: どこでも遅れない", it.candidate),
    }
}
