### `kurabe run` と `kurabe plan` が答えの前後に表示するもの。

cli-run-no-study =
    スタディが指定されていません。次から選んでください:

    { $studies }

cli-run-name-study = スタディが指定されていません。まずはこれを: kurabe run quick

cli-run-data = データ: { $fact }

cli-run-fewer-rows = { $all } 行のうち { $rows } 行を入れます: --rows で指定され、すべての接続で分けられる数です

cli-run-report = ページ     { $path }

cli-run-kept = データ     { $path }

cli-run-resume = 続けるには: { $command }

cli-run-report-failed =
    「{ $path }」に書けません
    別の場所に書くには: { $command }

### 次にすること

cli-next-stopped = { $all } ラウンドのうち { $done } ラウンドで止まりました。

cli-next-resume = { $all } ラウンドのうち { $done } ラウンドで止まりました。続けるには: { $command }

cli-next-disturbed = ほかのプログラムが { $jobs } 個のジョブを乱しました。それだけを測り直すには: { $command }

cli-next-unfinished = { $names }は { $budget } のうち { $took } を使い、終わりませんでした。外して測るには: { $command }

### 計画

cli-plan-label-time = 時間

cli-plan-label-disk = ディスク

cli-plan-label-data = データ

cli-plan-label-axis = 軸

cli-plan-label-order = 順序

cli-plan-label-skipped = 省略

cli-plan-label-round = 第 { $round } 回

cli-plan-time = { $least } 秒以上、ジョブ { $jobs } 個

cli-plan-time-budget = { $least } 秒以上、ジョブ { $jobs } 個、上限 { $budget }

cli-plan-disk = { $folder }（{ $system }、空き { $free }）

cli-plan-rows = { $bytes } バイトの行が { $rows } 行{ $factors-count ->
        [0] {""}
       *[other] 、{ $factors }
    }、{ $rounds } ラウンド

cli-plan-configuration = 条件 { $number }: { $what }

cli-plan-named = { $name }: { $what }

cli-plan-durability = { $level }（{ $setting }、失いうるもの: { $window }）

cli-plan-weights = 合計 { $sum } の重み: { $shares }

cli-plan-share = { $operation } { $percent } %

cli-plan-axis = { $name }: { $values }（{ $makes }）

cli-plan-axis-phases = { $phases } の { $name }: { $values }（{ $makes }）

cli-plan-makes-configurations = 条件ごとに別のジョブ。毎回新しく入れる

cli-plan-makes-phases = 1 つのジョブのフェーズ。順序はラウンドごとに変わる

cli-plan-makes-candidates = 候補どうしの順位

cli-plan-more-rounds = あと { $count } ラウンド

cli-plan-more-configurations = あと { $count } 個の条件

cli-plan-skipped =
    まず条件ごとに 3 ラウンド（それより少なければ全部）を、安い条件から、時間の許す限り測ります。
    次に、3 ラウンド入らないところを少ないラウンドで、区間の広いところを多いラウンドで測ります。
    最後に、割り当てを超えて止めたジョブを測り直します。ジョブの時間は、より少ない行数から見積もります。
    ラウンドが足りないストアは省略し、答えにその名前を示します。
