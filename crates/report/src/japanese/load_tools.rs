//! Load tools, in Japanese.

use kurabe_analysis::{Figure, ToolRatio};

/// What is said of the candidate of a load tool, and how Kurabe's own client compares with it.
pub(super) fn note(candidate: &str, own: Option<&(String, Vec<ToolRatio>)>) -> String {
    let unchecked = format!("{candidate} は負荷ツールが動かすため、答えは確かめられず、順位はつきません。");
    match own {
        Some((own, phases)) if !phases.is_empty() => {
            let phases: Vec<String> = phases.iter().map(ratio).collect();
            format!("{unchecked}Kurabe のクライアント（{own}）はこれに対し、{}。", phases.join("、"))
        }
        _ => unchecked,
    }
}

fn ratio(ratio: &ToolRatio) -> String {
    let times = |figure: &Figure| match figure.interval {
        Some(range) => format!("{:.2} 倍（{:.2}〜{:.2}）", figure.value, range.low, range.high),
        None => format!("{:.2} 倍", figure.value),
    };
    let cpu = ratio.client_cpu.as_ref().map(|cpu| format!("、操作あたりのクライアントの CPU 時間は {}", times(cpu)));
    format!("{} では速さが {}{}", ratio.phase, times(&ratio.rate), cpu.unwrap_or_default())
}
