### 図の説明。

chart-with-notes = { $caption }（{ $notes }）

chart-log = 対数目盛

chart-both-log = 両軸とも対数目盛

chart-objective = 破線は目標と、それを保てる最高のレート

chart-knee = 丸は曲がり角（ニー）で、レートをその応答時間で割った値が最大の点

chart-intervals = { $level } 区間

chart-muted = 灰色: 順位なし

chart-skipped = ✕: 省略

chart-run-numbers = 名前の後の数字: 測定の番号

## 順位とスループット。

chart-ranks = { $places }: 首位に対する割合

chart-ranks-first = { $places }: 首位に対する割合（{ $all } 個のうち上位 { $shown } 個）

chart-rates = { $phase }: 毎秒の操作数

chart-latencies = { $places }: レイテンシー（対数目盛）。● 中央値（右の数字）、▲ p99、◆ p99.9、| 最大

chart-over-time = { $phase }: 毎秒の操作数の推移（スループットが中央値のラウンド）。目盛はそれぞれ 0 から自身の最大値まで。

chart-planned-rate = 破線：計画のレート（最大値に含む）

## 軸。

chart-growth = { $phase }: { $what }と行数

chart-time-per-row = 1 行あたりの時間

chart-time-per-operation = 操作 1 回あたりの時間

chart-p99 = p99 のレイテンシー

chart-response-against-rate = { $phase }: 計画したレートと応答時間（{ $objective } のパーセンタイル）

chart-against = { $phase }: { $what }と { $axis }

chart-against-loss = { $phase }: { $what }と失いうるもの

## 測定の比較。

chart-ratios = { $phase }: 測定 1 との比（{ $metric }）。{ $good }

## 原典の方法から正しい測定まで。

chart-waterfall = { $table }、{ $column }: 「{ $second }」に対する「{ $first }」の速さ。落とし穴を一つずつ除く（対数目盛）

chart-as-published = 原典の方法

chart-correct-work = 正しい測定

chart-without = { $pitfall } を除く

chart-less = − { $pitfall }
