//! What to take, in Japanese.

use kurabe_analysis::format::{duration, percent, ratio, significant, size};
use kurabe_analysis::{
    Excluded, Ground, Instead, Lead, NotMeasured, Other, Pick, Recommendation, Rule, Said, Unless, WhyExcluded,
    by_reason,
};
use kurabe_protocol::Operation;
use kurabe_record::{About, Class, Form, Model, UsedBy, Writers};

/// All of it.
pub(crate) fn recommendation(it: &Recommendation) -> Said {
    Said {
        headline: headline(it),
        about: it.about.as_ref().map(about),
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

fn names(names: &[String]) -> String {
    names.iter().map(|name| format!("「{name}」")).collect::<Vec<String>>().join("、")
}

fn headline(it: &Recommendation) -> String {
    match &it.pick {
        Pick::Take { candidate } => format!("「{candidate}」を選んでください。"),
        Pick::Either { candidates, store: Some(store) } => {
            format!("「{store}」を選んでください。クライアントは {} のどれでもかまいません。", names(candidates))
        }
        Pick::Either { candidates, store: None } => format!("{} のどれでもかまいません。", names(candidates)),
        Pick::NotDecided { ahead, command } => {
            let why = match it.rule {
                Rule::TooFewRounds => "ラウンドが少なく、偶然と区別できません",
                _ => "測定中のマシンの速さが一定ではありませんでした",
            };
            let ahead: String = ahead
                .iter()
                .map(|one| format!("{} では「{}」が前に見えます。", one.phases.join("、"), one.candidate))
                .collect();
            format!("まだ決まりません: {why}。{ahead}もう一度: {command}")
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

fn because(it: &Ground) -> String {
    match it {
        Ground::First { phases, .. } => {
            format!("{} で最も速い", phases.iter().map(lead).collect::<Vec<String>>().join("、"))
        }
        Ground::Level { phases } => format!("{} では、明らかに速いものがほかにない", phases.join("、")),
        Ground::Behind { phase, times: behind, first } => {
            format!("最も遅れる {phase} でも、首位の「{first}」は {} 倍", times(*behind))
        }
        Ground::Enough { phase, need_per_s, times: met, times_at_p99, by_all } => {
            let all = if *by_all { "どのストアも十分速いので、速さでは決めない。" } else { "" };
            let slow = times_at_p99.filter(|slow| *slow < *met);
            let slow = slow.map(|slow| format!("（すべてが遅い側の 1 % の遅さでも {} 倍）", times(slow)));
            format!(
                "{all}{phase} では、必要な毎秒 {} の {} 倍{}",
                significant(*need_per_s, 3),
                times(*met),
                slow.unwrap_or_default()
            )
        }
        Ground::Plain { used_by, reason } => {
            let whom = match used_by {
                UsedBy::OneProgram => "1 台の 1 プログラム",
                UsedBy::SeveralMachines => "複数のマシン",
            };
            let reason = reason.as_ref().map(|reason| format!(": {reason}"));
            format!("{whom}にとって無難な選択{}", reason.unwrap_or_default())
        }
        Ground::Survives { class } => match class {
            Some(Class::Power) => "書き込みは停電でも失われない".into(),
            Some(Class::Process) => "プロセスが落ちても失われないが、停電では直前の書き込みが失われうる".into(),
            Some(Class::None) => "ただし、プロセスが落ちると書き込みが失われうる".into(),
            None => "ただし、何が失われうるかは不明".into(),
        },
        Ground::Old { year, version } => {
            let version = version.as_ref().map(|version| format!("（{version}）"));
            format!("ただし、最新のリリース{}は {year} 年で、不具合が直される見込みは薄い", version.unwrap_or_default())
        }
    }
}

fn almost_only(operation: Operation, phase: &str) -> String {
    match operation {
        Operation::Load => format!("ほとんどが一括の書き込み（{phase}）なら"),
        Operation::Read => format!("ほとんどがキーでの読み出し（{phase}）なら"),
        Operation::Update => format!("ほとんどが更新（{phase}）なら"),
        _ => format!("仕事のほとんどが {phase} なら"),
    }
}

fn instead(it: &Instead) -> String {
    match it {
        Instead::Measured { candidate } => format!("「{candidate}」"),
        Instead::NotMeasured { store, command } => format!("「{store}」（ここでは未測定: {command}）"),
        Instead::Nothing => "知られている候補なし".into(),
    }
}

fn unless(it: &Unless) -> String {
    match it {
        Unless::Phase { phase, operation, candidate, times: by } => {
            format!("{}、「{candidate}」が {} 倍速い", almost_only(*operation, phase), times(*by))
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
        Unless::Pauses { phase, p999_ns, candidate, other_ns } => format!(
            "止まっては困るなら: {phase} は千回に一度 {} 以上かかる。「{candidate}」では {}",
            duration(*p999_ns as f64),
            duration(*other_ns as f64)
        ),
        Unless::Disk { per_row_bytes, candidate, other_bytes } => {
            format!("ディスクが惜しいなら: 1 行 {}。「{candidate}」では {}", size(*per_row_bytes), size(*other_bytes))
        }
    }
}

fn why_excluded(it: &Excluded) -> String {
    match &it.why {
        WhyExcluded::NoPlace { reason } => super::why_not(reason),
        WhyExcluded::Absent { reason } => reason.clone(),
        WhyExcluded::NotEnough { phase, times: met, at_p99 } => {
            let slow = if *at_p99 { "（すべてが遅い側の 1 % の遅さなら）" } else { "" };
            format!("{phase} で必要な速さの {}{slow}", percent(*met))
        }
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
