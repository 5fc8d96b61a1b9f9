### 引数のある列名、セル、行。

## 列名。

table-interval = { $level } 区間

table-interval-from = ≥ { $level } 区間

table-in-unit = { $title }{ "\u00A0" }{ $unit }

table-of-operation = { $operation } { $title }

table-response = 応答 { $title }

table-service = サービス { $title }

table-client-lag = クライアントの遅れ { $title }

table-waits = 応答時間は計画した開始から、サービス時間は実際の開始から数えます。差が最も大きいのは「{ $candidate }」で、p99 は { $response } と { $service } です。

table-done-of-planned = 計画の達成率

table-stall = 最長の停止

table-stall-at = { $at } から { $lasted }

table-stall-during = { $at } から { $lasted }（{ $during }）

table-planned = 計画

table-done = 完了

table-dropped = 破棄

table-left-open = 未着手

table-at-objective = 目標のパーセンタイル

table-kept = 達成

table-broken = 未達

table-of-phase = { $phase } { $title }

table-in-run-1 = { $title }（測定 1）

table-at-value = { $title }（{ $value }）

table-at-rows = { $rows } 行

table-round = ラウンド { $round }

table-run = 測定 { $run }

table-among-clients = クライアント間: { $phase }

table-client-cpu-per = クライアントの CPU/{ $phase }

table-published = { $column }: 原典

table-measured-here = { $column }: 今回

## 列挙。

table-series = { $items }

table-clauses = { $parts }

table-among = { $among }: { $about }

table-of-all = { $part } / { $all }

## 失う可能性のあるもの。

table-loss-on-power = 停電: { $loss }

table-loss-on-both = 強制終了か停電: { $loss }

table-loss-on-each = 強制終了: { $kill }、停電: { $power }

table-loss-with-gaps = { $loss }、欠落あり

table-loss-with-repair = { $loss }、要修復

table-loss-with-corruption = { $loss }、破損の可能性

table-minimum-durability = この測定で求めた最低限の耐久性は「{ $level }」です。

## 飽和の印。

table-share = { $part } { $share }

table-share-above-all = { $part } > 100 %

table-share-of-processors = 全 CPU: { $part } { $share }

table-part-waits = { $part }待ち

table-over-map = { $mark }、map { $share }

## 見出しの下の行。

table-rounds = { $rounds } ラウンド

table-detectable = 検出できる最小の差 { $difference }

table-no-ranking = 順位なし

table-overhead = 計測のオーバーヘッド { $share }

table-overhead-range = 計測のオーバーヘッド { $low }～{ $high }

table-store-by-client = { $store } のクライアント別

table-clients-compared = クライアントどうしをラウンドごとに比較

table-clients-compared-detectable = クライアントどうしをラウンドごとに比較。検出できる最小の差: { $differences }

table-difference-in-phase = { $phase } で { $difference }

table-growth-of = 増え方: { $phase }

table-growth-of-figure = 値: { $metric }。指数 b は「{ $metric } ~ 行数^b」の b で、0 なら行数によらず一定

table-growth-of-scan = スキャン 1 回の時間。指数 b は「時間 ~ 行数^b」の b で、1 なら行数に比例

table-growth-of-operation = 操作 1 回の時間。指数 b は「全行の時間 ~ 行数^b」の b で、1 なら行数に比例

table-axis-ratio = { $what }。比は { $first } に対する { $last } の値で、ラウンドごとに比較

table-axis-at = { $factors }。{ $about }

table-axis = { $axis }: { $values }

table-axis-in = { $axis }（{ $phases }）: { $values }

table-configuration = { $at }、{ $rounds } ラウンド

table-configuration-ranks = 順位とスループット（{ $at }）

table-ranking-of = { $phase }: 順位

table-usage-of = { $phase }: CPU、メモリー、失敗

table-settings-of = { $candidate }: 設定

table-settings-read-back = { $candidate }: 読み戻した設定

table-meta = スタディ { $study } · { $planned } ラウンド中 { $complete } · { $started } · kurabe { $kurabe } · 測定 { $run }

## ストアと理由。

table-store-kind = { $form }、{ $model }

table-reason-with-figure = { $reason }（{ $figure }）

table-not-counted = { $candidates }: { $reason }

table-not-counted-in = { $candidates }（{ $phases }）: { $reason }

table-not-counted-at = { $candidates }（{ $places }）: { $reason }

table-absent = { $candidate }: { $reason }

table-absent-remedy = { $candidate }: { $reason }。追加するには: { $command }

table-claims-of = { $source }の主張を、この測定で判定しました。{ $summary }

## フェーズ中の操作。

table-action-at = { $time } 後に { $action }

table-action-between = { $from } から { $to } の間に { $action }

table-action-failed = 失敗: { $failure }

table-action-failed-in-jobs = { $jobs } 個のジョブで失敗: { $failure }

## 比較。

table-against-first = { $phase }: 測定 1 との比較

table-command-of-run = 測定 { $run } のコマンド

## 要約。

table-first-unstable = 判定不能（平均の最良は「{ $best }」）

table-first-tie = 同順位: { $names }（平均の最良は「{ $best }」）

table-first-tie-of-many = { $count } 個が同順位（平均の最良は「{ $best }」）

table-lead = 「{ $next }」の { $ratio } 倍

table-lead-range = 「{ $next }」の { $ratio } 倍（{ $low } … { $high }）

table-confidence-unstable = 判定不能: マシンが不安定

table-confidence-alone = 比べる相手なし

table-confidence-tie = 同順位: 検出できる最小の差 { $difference }

table-by-metric = 順位の指標: { $metric }

## フェーズの仕事。

table-work-load = { $passes ->
    [1] { $rows } 行を格納
   *[other] { $rows } 行を { $passes } 回格納
 }

table-work-load-all = { $passes ->
    [1] 全行を格納
   *[other] 全行を { $passes } 回格納
 }

table-work-open = ストアを開いて { $rows } 行を読む

table-work-program = プログラム全体を実行: { $work }

table-work-program-times = プログラム全体を { $times } 回実行: { $work }

table-work-insert = 1 行を追加

table-work-read = キーで 1 行を検索

table-work-multi-read = キーで { $rows } 行を検索

table-work-update = 1 行を変更

table-work-increment = カウンターに 1 を加算

table-work-delete = 1 行を削除

table-work-scan = 全行を読む

table-work-latest = 最新の { $rows } 行を取得

table-work-search = 「{ $field }」で約 { $rows } 行を検索

table-work-search-from = 「{ $field }」が { $least } 以上の行をすべて検索

table-work-share = { $operation } { $share } %

## フェーズの条件。

table-conditions-mix = 混合（{ $shares }）

table-conditions-operations = { $operations } 回

table-conditions-warmup-operations = ウォームアップ { $operations } 回

table-conditions-warmup-time = ウォームアップ { $time }

table-conditions-connections = { $connections } 接続

table-conditions-depth = 接続ごとに { $depth } 個を並行

table-conditions-batch = { $batch } 個をまとめて送信

table-conditions-commit = { $writes ->
    [1] 書き込みごとにコミット
   *[other] 書き込み { $writes } 件ごとにコミット
 }

table-conditions-uniform = キーは一様分布

table-conditions-zipfian = キーは Zipf 分布

table-conditions-hotspot = キーはホットスポット分布

table-conditions-latest = 新しい行ほど高頻度

table-conditions-one = 常に同じ行

table-conditions-rows-a-request = リクエストごとに { $rows } 行

table-conditions-bulk = 一括取り込み

table-conditions-passes = 全行を { $passes } 回

table-conditions-lines = 行を毎回分割

table-conditions-from-store = 行は { $store } から取得

table-conditions-snapshot = 1 つのスナップショット

table-conditions-connect-each = 操作ごとに接続

table-conditions-closed-loop = 閉ループ（サービス時間）

table-conditions-open-loop = 開ループ、計画は毎秒 { $rate } 回、間隔は{ $pattern ->
    [constant] 一定
   *[other] 指数分布（ポアソン到着）
}（応答時間）

table-conditions-search = レートを変えた開ループで、{ $objective } を保てる最高のレートを探索（応答時間）

table-conditions-queue = 待ち行列は { $queue } まで

table-conditions-ramp = 毎秒 { $rate } 回まで一様に変化

table-conditions-think = 考える時間 { $time }
