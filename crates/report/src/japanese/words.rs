//! Titles and fixed words of tables in Japanese.

/// Titles and fixed words of tables; what is not known here stays as it is.
pub(crate) fn word(text: &str) -> String {
    // What took part of a rate, with how much.
    let parts = [
        ("floor ", "床 "),
        ("client ", "クライアント "),
        ("app+store ", "サービスとストア "),
        ("app ", "サービス "),
        ("store waits, ", "ストア待ち, "),
        ("store ", "ストア "),
        ("link ", "回線 "),
    ];
    if let Some(most) = text.strip_prefix("CPUs: ") {
        return format!("CPU 全体: {}", word(most));
    }
    // What a store is, in short.
    for (form, japanese) in [("library, ", "ライブラリ、"), ("server, ", "サーバー、")] {
        if let Some(model) = text.strip_prefix(form) {
            return format!("{japanese}{}", word(model));
        }
    }
    for (word, japanese) in parts {
        if let Some(share) = text.strip_prefix(word).filter(|share| share.ends_with('%')) {
            return format!("{japanese}{share}");
        }
    }
    let word = match text {
        "because" => "理由",
        "unless" => "ただし、次の場合を除く",
        "store" => "ストア",
        "candidate" => "候補",
        "ratio" => "比",
        "exponent" => "指数",
        "growth" => "増え方",
        "less than linear" => "行数より緩やか",
        "linear" => "行数に比例",
        "more than linear" => "行数より急",
        "not decided" => "決まらない",
        "no rate" => "値なし",
        "n/a" => "なし",
        "class" => "クラス",
        "op/s" => "回/秒",
        "rows/s" => "行/秒",
        "of best" => "首位比",
        "failed" => "失敗",
        "limit" => "頭打ち",
        "link" => "回線",
        "store waits" => "ストア待ち",
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
        "client memory above floor" => "クライアントのメモリ（床より上）",
        "service memory" => "サーバーのメモリ",
        "client" => "クライアント",
        "memory" => "メモリ",
        "start" => "起動",
        "client CPU/op" => "クライアントの CPU/回",
        "service CPU/op" => "サーバーの CPU/回",
        "client CPU" => "クライアントの CPU",
        "service CPU" => "サーバーの CPU",
        "amid phases" => "途中でしたこと",
        "cost beside time" => "時間のほかにかかるもの",
        "durability" => "耐久性",
        "what did not count" => "数えなかったもの",
        "its writes survive" => "書き込みが耐えるもの",
        "what it is" => "種類",
        "documents" => "ドキュメント",
        "key-value" => "キー・バリュー",
        "wide columns" => "ワイドカラム",
        "lines of text" => "テキストの行",
        "live store" => "実際の設定",
        "nothing for sure" => "確かなものはない",
        "a killed process" => "プロセスの強制終了",
        "a power failure" => "電源断",
        "not measured" => "測れず",
        "read back" => "読み戻して確認済み",
        "set, not readable" => "設定済み（読み出せない）",
        "differs" => "食い違い",
        "claims" => "主張",
        "claim" => "主張",
        "verdict" => "判定",
        "what was found" => "分かったこと",
        "holds" => "成り立つ",
        "refuted" => "成り立たない",
        "open" => "決まらない",
        "not comparable" => "比べられない",
        "phase" => "フェーズ",
        "becomes" => "変化",
        "of the winner" => "首位に対して",
        "unknown" => "不明",
        other => other,
    };
    word.to_string()
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn what_a_store_is_has_japanese_words() {
        assert_eq!(word("what it is"), "種類");
        assert_eq!(word("library, key-value"), "ライブラリ、キー・バリュー");
        assert_eq!(word("server, SQL"), "サーバー、SQL");
    }
}
