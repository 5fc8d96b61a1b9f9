### 何が何回仕事をし、答えをどう検証したか。

completion-noun =
    { $noun ->
        [pair] ストアとクライアントの組
        [configuration] ストアと設定の組
        [baseline] ベースライン
       *[store] ストア
    }

completion-who-of = { $all } 個の{ $noun }のうち { $whole } 個

completion-who-all = { $all } 個の{ $noun }

completion-done =
    { $who }が{ $whole ->
        [1] 仕事を { $times }行いました。
       *[other] 同じ仕事を { $times }ずつ、ラウンドごとに順番を入れ替えて行いました。
    }データ: { $rows }。接続: { $connections ->
        [1] 1 本。
       *[other] 最大 { $connections } 本。
    }

completion-times =
    { $least ->
        [yes] { $rounds } 回以上
       *[no] { $rounds } 回
    }

completion-checked = 答えはすべて検証しました。

completion-checked-increments = 答えはすべて検証しました（加算は合計で検証）。

completion-checked-without-sum = 答えはすべて検証しました（加算は合計で検証）。ただし、{ $names }の加算は検証できませんでした。

completion-only-load-tools = 仕事をしたのは負荷ツールだけなので、答えは検証していません。データ: { $rows }。

completion-nobody = { $all } 個の{ $noun }のうち、仕事を終えたものはありません。データ: { $rows }。

completion-rows = { $rows } 行（{ $size }）

completion-rows-of-file = 「{ $file }」の { $rows } 行

completion-rows-at = { $rows }、{ $at }

### 仕事を終えなかったもの。

completion-others = ほかの { $count } 個

completion-did-it = { $who }は仕事を終えました。

completion-failed = { $who }は { $round } ラウンド目で失敗しました。

completion-failed-at = { $who }は失敗しました（{ $at }）。

completion-gave-up = { $who }では { $round } ラウンド目で失敗が続き、クライアントが打ち切りました。

completion-unsupported = { $who }はこの仕事のどれにも対応していません。

completion-skipped = { $who }は、予算が足りないため省略しました。

completion-not-measured = { $who }は一度も測定できませんでした。

### ほかの構成。

completion-other-configurations = ほかに { $count } 個の構成があります。

completion-other-configurations-named = ほかの構成: { $configurations }。
