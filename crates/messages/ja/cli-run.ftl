### `kurabe run` と `kurabe plan` が答えの前後に表示するもの。

cli-run-no-study =
    スタディが指定されていません。次から選んでください:

    { $studies }

cli-run-name-study = スタディが指定されていません。まずは: kurabe run quick

cli-run-data = データ: { $fact }

cli-run-fewer-rows = { $all } 行のうち { $rows } 行をロードします（--rows 以下で、すべての接続に均等に分けられる数）

cli-run-report = レポート   { $path }

cli-run-kept = データ     { $path }

cli-run-resume = 続けるには: { $command }

cli-run-report-failed =
    「{ $path }」に書き込めません
    別の場所に書くには: { $command }

### 次にすること

cli-next-stopped = { $all } ラウンドのうち { $done } ラウンドを終えて止まりました。

cli-next-resume = { $all } ラウンドのうち { $done } ラウンドを終えて止まりました。続けるには: { $command }

cli-next-disturbed = ほかのプログラムが { $jobs } 個のジョブを妨げました。それだけを測り直すには: { $command }

cli-next-unfinished = { $names }は、予算 { $budget }のうち { $took }を使っても終わりませんでした。除いて測るには: { $command }

### 計画

cli-plan-label-time = 時間

cli-plan-label-disk = ディスク

cli-plan-label-data = データ

cli-plan-label-axis = 軸

cli-plan-label-order = 順序

cli-plan-label-skipped = 省略

cli-plan-label-round = ラウンド { $round }

cli-plan-time = { $least } 秒以上、ジョブ { $jobs } 個

cli-plan-time-budget = { $least } 秒以上、ジョブ { $jobs } 個、予算 { $budget }

cli-plan-disk = { $folder }（{ $system }、空き { $free }）

cli-plan-rows = { $bytes } バイトの行が { $rows } 行{ $factors-count ->
        [0] {""}
       *[other] 、{ $factors }
    }、{ $rounds } ラウンド

cli-plan-configuration = 構成 { $number }: { $what }

cli-plan-named = { $name }: { $what }

cli-plan-durability = { $level }（{ $setting }、失いうるもの: { $window }）

cli-plan-weights = 合計 { $sum } の重み: { $shares }

cli-plan-share = { $operation } { $percent } %

cli-plan-axis = { $name }: { $values }（{ $makes }）

cli-plan-axis-phases = { $phases } の { $name }: { $values }（{ $makes }）

cli-plan-makes-configurations = 構成ごとに別のジョブ。毎回新しくロードする

cli-plan-makes-phases = 1 つのジョブのフェーズ。順序はラウンドごとに変わる

cli-plan-makes-candidates = 候補どうしで順位をつける

cli-plan-more-rounds = あと { $count } ラウンド

cli-plan-more-configurations = あと { $count } 個の構成

cli-plan-skipped =
    まず構成ごとに 3 ラウンド（それより少なければ全ラウンド）を、時間のかからない構成から、予算の許すかぎり測ります。
    次に、3 ラウンドが収まらない構成はラウンドを減らし、区間の広い構成はラウンドを増やします。
    最後に、予算の割り当てを超えて止めたジョブを測り直します。ジョブの時間は、より少ない行数の結果から見積もります。
    ラウンドが足りないストアは省略し、その名前を答えに示します。
