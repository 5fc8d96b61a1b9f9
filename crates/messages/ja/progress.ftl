### 測定中の表示。

progress-left = 残り約 { $left }

progress-rate = { $rate } 回/秒

progress-starting = 起動中

progress-plan =
    { $study }: { $rounds } ラウンド{ $configurations ->
        [1] {""}
       *[other] {" "}× { $configurations } 構成
    }: { $candidates }

progress-pitfalls = 正しい測り方と並べて測る落とし穴: { $pitfalls }

progress-round = ラウンド { $round }/{ $rounds }  { $candidate }

progress-job = { $done }/{ $all }: { $job }

progress-repeated = { $who }。このジョブはあとで測り直します

progress-counts = { $who }。このジョブはそのまま集計します

progress-steal = ハイパーバイザーがプロセッサーの { $share } を使いました（CPU スチール）

progress-program = 「{ $name }」（pid { $pid }）が { $cores } コアを使いました

progress-programs = ほかのプログラムがプロセッサーの { $share } を使いました

progress-skipped = { $candidate }: { $what }

progress-standing = ここまで: { $leaders }

progress-leads-by = { $phase } は { $first }（{ $next } の { $ratio } 倍）

progress-leads = { $phase } は { $first }

progress-tie = { $phase } は同順位（平均は { $first } が上）

progress-took = { $job }  { $took }
