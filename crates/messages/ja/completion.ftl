### 何が何回仕事をし、答えをどう検査したか。

completion-noun = { $noun ->
    [pair] ストアとクライアントの組
    [configuration] ストアの構成
    [baseline] ベースライン
   *[store] ストア
 }

completion-who-of = { $all } 個の{ $noun }のうち { $whole } 個

completion-who-all = { $all } 個の{ $noun }

completion-done = { $who }が、{ $rows }に対する{ $whole ->
    [1] 仕事を { $connections ->
        [1] 1 接続
       *[other] 最大 { $connections } 接続
     }で { $times }行いました。
   *[other] 同じ仕事を { $connections ->
        [1] 1 接続
       *[other] 最大 { $connections } 接続
     }で、順番を入れ替えながら { $times }ずつ行いました。
 }

completion-times = { $least ->
    [yes] 少なくとも{" "}
   *[no] { "" }
 }{ $rounds } 回

completion-checked = 答えはすべて検査しました。

completion-checked-increments = 答えはすべて検査しました（加算は合計で）。

completion-checked-without-sum = 答えはすべて検査しました（加算は合計で）。ただし、{ $names }の加算は検査できませんでした。

completion-only-load-tools = { $rows }に対する仕事をしたのは負荷ツールだけなので、答えは検査していません。

completion-nobody = { $all } 個の{ $noun }のうち、{ $rows }に対する仕事を終えたものはありません。

completion-rows = { $rows } 行（{ $size }）

completion-rows-of-file = 「{ $file }」の { $rows } 行

completion-rows-at = { $at }での { $rows }

### 仕事を終えなかったもの。

completion-others = ほかの { $count } 個

completion-did-it = { $who }は仕事を終えました。

completion-failed = { $who }は { $round } ラウンド目で失敗しました。

completion-failed-at = { $who }は { $at }で失敗しました。

completion-gave-up = { $who }は { $round } ラウンド目で失敗が続き、クライアントが打ち切りました。

completion-unsupported = { $who }はこの仕事にまったく対応していません。

completion-skipped = { $who }は時間の予算が足りないため省きました。

completion-not-measured = { $who }は一度も測定できませんでした。

### ほかの条件。

completion-other-configurations = ほかに { $count } 個の条件があります。

completion-other-configurations-named = ほかの条件: { $configurations }。
