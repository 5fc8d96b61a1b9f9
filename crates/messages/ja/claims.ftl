### スタディの主張: 分かったこと、判定、決めるために必要なこと。

## 判定

claim-holds = 成り立つ

claim-refuted = 成り立たない

claim-open = 決まらない

claim-not-comparable = 比べられない

claim-count-holds = { $count } 個は成り立つ

claim-count-refuted = { $count } 個は成り立たない

claim-count-open = { $count } 個は決まらない

claim-count-not-comparable = { $count } 個は比べられない

claim-count-not-measured = { $count } 個はどの測定でも判定できない

claim-summary = 主張 { $claims } 個（一つの族として { $level } の区間で判定）: { $verdicts }。

claim-summary-edited = { $summary }主張は測定の後に書き換えられています。

claim-verdicts = このマシンでの判定 { $verdicts } 個のうち、{ $counted }。

claim-source = 「{ $title }」（{ $site }、{ $date }）

claim-context = { $parts }

claim-as-shipped = 出荷時の設定

claim-judged =
    主張「{ $claim }」{ $context ->
        [none] {""}
       *[other] （{ $context }）
    }: { $verdict }

## 決めるには

claim-decide = 決めるには: { $command }

claim-decide-skipped = 決めるには、外した分のためにあと約 { $longer } が必要です: { $command }

claim-decide-less = 確かめるには、求める耐久性を下げてください: { $command }

claim-decide-never = 僅差のため、100 ラウンドでも決まりません。

## 分かったこと

claim-finding =
    { $measure }{ $unknown ->
        [none] {""}
       *[other] : { $unknown }
    }{ $clients ->
        [none] {""}
       *[other] （{ $clients }）
    }

claim-clients = クライアントが違う: { $one } と { $other }

claim-measure =
    { $place }: { $subject }{ $figure ->
        [none] {""}
       *[other] {" "}= { $figure }
    }{ $claimed ->
        [none] {""}
       *[other] 、主張: { $claimed }
    }

claim-place =
    { $phase }{ $at ->
        [none] {""}
       *[other] （{ $at }）
    }{ $factors ->
        [none] {""}
       *[other] （{ $factors }）
    }

claim-of = 「{ $candidate }」の{ $metric }

claim-of-both = 「{ $candidate }」/「{ $than }」の{ $metric }

claim-of-both-places = 「{ $candidate }」/「{ $than }」（{ $place }）の{ $metric }

claim-total-time = 「{ $candidate }」の合計時間

claim-exponent = { $subject }の増加指数

claim-exponent-over = { $low } 行から { $high } 行までの{ $subject }の増加指数

claim-bend = { $rows } 行より後での、{ $subject }の増加指数の上昇

claim-effect = { $change }が{ $subject }に与える変化

claim-change = { $axis }の { $from } から { $to } への変更

claim-loses-rows =
    「{ $candidate }」は { $jobs } 個のジョブで{ $rows ->
        [0] 行を失わなかった
       *[other] {" "}{ $rows } 行を失った
    }

claim-lost-rows = 「{ $candidate }」が失った行

claim-failures = 「{ $candidate }」の失敗

claim-does-not-fail = 「{ $candidate }」は { $jobs } 個のジョブで失敗しなかった

claim-fails = 「{ $candidate }」は失敗した: { $message }

claim-interval = { $value }（{ $low }～{ $high }）

claim-ratio = { $value }

claim-factor = { $value } 倍

claim-factor-interval = { $value } 倍（{ $low }～{ $high }）

claim-number = { $value }

claim-rate = 毎秒 { $value }

claim-duration = { $value }

claim-size = { $value }

claim-at-least = { $low } 以上

claim-at-most = { $high } 以下

claim-between = { $low }～{ $high }

claim-linear = 行数に比例（{ $low }～{ $high }）

claim-faster = 行数より急（{ $high } 超）

claim-knee = 折れ曲がり

## 数値の名前

claim-metric-rate = 速さ

claim-metric-latency = {" "}{ $percentile }

claim-metric-client-cpu = クライアントの CPU 時間

claim-metric-service-cpu = サーバーの CPU 時間

claim-metric-disk = 1 行あたりのディスク容量

## 決まらない理由

claim-unknown-not-here = この測定に「{ $candidate }」はない

claim-unknown-left-out = 「{ $candidate }」は除外された: { $reason }

claim-unknown-sizes = この測定の「{ $phase }」は行数の種類が足りない

claim-unknown-factors = この測定に含まれない条件: { $factors }

claim-unknown-place = この測定に「{ $phase }」はない（{ $factors }）

claim-unknown-uncounted = 「{ $candidate }」は数えない: { $reason }

claim-unknown-figure = そこには「{ $candidate }」の{ $metric }がない

claim-unknown-other-durability = 「{ $candidate }」と「{ $than }」は出荷時の耐久性が違う

claim-unknown-wrong-durability = この測定が求める耐久性は別のもの

claim-unknown-alone = ほかに測った候補がない

claim-unknown-skipped = 「{ $candidate }」は途中で外された（{ $skipped }）

claim-unknown-unstable = マシンの状態が一定でなかったので、時間については決まらない

claim-unknown-rounds = { $rounds } ラウンドしかなく、{ $needed } ラウンド必要

claim-unknown-near = 決まらない。約 { $rounds } ラウンドで決まる見込み

claim-unknown-too-near = 決まらない。100 ラウンドでも決まらない見込み

## 公表された数値

claim-published-more = { $conditions }。大きいほどよい。× は原典の列の首位に対する比

claim-published-less = { $conditions }。小さいほどよい。× は原典の列の首位に対する比
