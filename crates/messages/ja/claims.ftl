### スタディの主張: わかったこと、判定、決めるために必要なこと。

## 判定

claim-right = 正しい

claim-right-and-more-so = 正しく、それ以上

claim-wrong = 誤り

claim-undecided = 未決

claim-other-work = 別の作業

claim-count-right = { $count } 個は正しい

claim-count-right-and-more-so = { $count } 個は正しく、それ以上

claim-count-wrong = { $count } 個は誤り

claim-count-undecided = { $count } 個は未決

claim-count-other-work = { $count } 個は別の作業

claim-count-not-judged = { $count } 個は判定の対象外

claim-summary = 主張 { $claims } 個を、まとめて { $level } の区間で判定しました。割り当てごとの判定: { $verdicts }。

claim-summary-edited = { $summary }この主張は、測定を始めたときのものではありません。

claim-source = 「{ $title }」（{ $site }、{ $date }）

claim-context = { $parts }

claim-as-shipped = 出荷時の設定

claim-judged =
    主張「{ $claim }」{ $context ->
        [none] {""}
       *[other] （{ $context }）
    }: { $verdict }

## 決めるには

claim-decide = 決着をつけるには: { $command }

claim-decide-skipped = 決着をつけるには、省略した分のためにあと約 { $longer }が必要です: { $command }

claim-decide-less = 判定するには、求める耐久性を下げてください: { $command }

claim-decide-never = 僅差のため、100 ラウンドでも決着しません。

## わかったこと

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

claim-effect = { $change }による{ $subject }の変化

claim-change = { $axis } の { $from } から { $to } への変更

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

claim-in-short = { $phase }: { $subject } { $figure }

claim-short-both = 「{ $candidate }」/「{ $than }」

claim-short-elsewhere = { $sides }（{ $phase }）

claim-short-one = 「{ $candidate }」

claim-short-exponent = 行数の { $power } 乗

claim-short-bend = { $rows } 行を超えると指数が { $power } 増加

## 数値の名前

claim-metric-rate = スループット

claim-metric-latency = レイテンシー（{ $percentile }）

claim-metric-client-cpu = クライアントの CPU 時間

claim-metric-service-cpu = サーバーの CPU 時間

claim-metric-disk = 行あたりのディスク使用量

## 未決の理由

claim-unknown-not-here = この測定に「{ $candidate }」はない

claim-unknown-left-out = 「{ $candidate }」は除外された: { $reason }

claim-unknown-pitfall = この測定では落とし穴「{ $pitfall }」を測っていません

claim-unknown-sizes = この測定では、「{ $phase }」の行数の種類が足りない

claim-unknown-factors = この測定に含まれない条件: { $factors }

claim-unknown-place = この測定に「{ $phase }」はない（{ $factors }）

claim-unknown-uncounted = 「{ $candidate }」は集計から除外: { $reason }

claim-unknown-figure = そこには「{ $candidate }」の{ $metric }がない

claim-unknown-other-durability = 「{ $candidate }」と「{ $than }」は、出荷時の耐久性が違う

claim-unknown-wrong-durability = この測定は別の耐久性を求めた

claim-unknown-alone = ほかに測った候補がない

claim-unknown-skipped = 「{ $candidate }」: { $skipped }

claim-unknown-unstable = マシンが不安定だったため、主張の境界から { $times } 倍以上離れた値でなければ判定できない

claim-unknown-unstable-growth = マシンが不安定だったため、増え方は判定できない

claim-unknown-rounds = { $rounds } ラウンドしかなく、{ $needed } ラウンド必要

claim-unknown-near = 判定できない。約 { $rounds } ラウンドで判定できる見込み

claim-unknown-too-near = 判定できない。100 ラウンドでも判定できない見込み

## 公表された数値

claim-published-more = { $conditions }。大きいほどよい。× は原典の列の首位に対する比

claim-published-less = { $conditions }。小さいほどよい。× は原典の列の首位に対する比

claim-stands-in = ここでは「{ $candidate }」が「{ $part }」の代わり（{ $reason }）

claim-by-fact = { $fact }（{ $source }）

claim-unknown-narrow = 増え方を判定するには、10 倍以上離れた 3 つ以上のサイズが必要です。ここでは { $sizes } 個で、{ $low } 行から { $high } 行です

claim-instead = { $found }。{ $stand-ins }

claim-unknown-too-small = 原典は { $operations } 回、この測定は { $done } 回の操作で、時間を見積もるには少なすぎます
