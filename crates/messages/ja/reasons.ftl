### 順位がつかない理由、省略した構成、ジョブで起きた問題。ラウンドは 1 から数える。

reason-wrong-answers = { $wrong ->
    [1] 誤った答え 1 件（{ $round } ラウンド目）: { $example }
   *[other] 誤った答え { $wrong } 件（最初は { $round } ラウンド目）: { $example }
 }

reason-setting-differs = 設定「{ $setting }」は { $round } ラウンド目に「{ $found }」で、指定した「{ $asked }」と違います

reason-job-failed = { $round } ラウンド目{ $more ->
    [0] { "" }
   *[other] と、ほかの { $more } ラウンド
 }で失敗: { $error }

reason-unsupported = 非対応: { $what }

reason-service-ended = スタディがサービスを終了させるか電源を切るため、順位はつきません

reason-gave-up = { $round } ラウンド目{ $more ->
    [0] { "" }
   *[other] と、ほかの { $more } ラウンド
 }で失敗が続き、クライアントが打ち切りました: { $error }

reason-failures = { $failed } 回の操作が失敗しました。最も多いエラー: { $error }

reason-nothing-completed = { $round } ラウンド目に完了した操作がありません

reason-below-durability = 最低限の耐久性（{ $minimum }）を満たしません。{ $loses }{ $why ->
    [none] { "" }
   *[other] （{ $why }）
 }

reason-durability-unknown = 失いうるものが不明なので、最低限の耐久性（{ $minimum }）を満たさないおそれがあります

reason-failed-before = ジョブが失敗しました（{ $at }）

reason-not-checked = 負荷ツールが動かすため、答えを検証できず、順位はつきません

reason-too-few-rounds = 比較できるのは { $rounds } ラウンドですが、順位には { $needed } ラウンド必要です

### 省略した構成とその理由。

reason-skipped =
    予算により省略（{ $at }{ $rounds ->
        [0] { "" }
       *[other] 、{ $rounds } ラウンドの後
    }）: { $why }

reason-stopped-late = { $after }で打ち切りました。見込みは約 { $expected }でした

reason-stopped-by-share = 予算の割り当てを使い切り、{ $after }で打ち切りました

reason-would-take-longer = { $rounds } ラウンドに約 { $needed }かかりますが、予算の残りは { $left }でした

reason-nothing-left = 予算が残っていませんでした

### 集計から除外する理由。

reason-bad-end = { $round } ラウンド目の全フェーズの後、ジョブの終わりに失敗: { $error }

reason-bad-latencies = クライアントプロセスから届いた { $operation } のレイテンシー: { $error }
