### 結果に添える注記: 足りないもの、失敗、スループットの上限。

note-candidates = { $count } 個の候補

note-with-detail = { $what }（{ $detail }）

## ラウンド

note-rounds-others-failed = ここに示す { $planned } ラウンドは完了しました。ほかの構成のジョブは失敗しました。

note-rounds-complete = ここに示す { $planned } ラウンドは完了しました（{ $why }）。

note-rounds =
    { $planned } ラウンドのうち、完了したのは { $complete } ラウンドです{ $why-count ->
        [0] 。
       *[other] （{ $why }）。
    }

note-missing-failed = { $candidates }が { $round } ラウンド目で失敗

note-missing-failed-before = { $candidates }が失敗（{ $at }）

note-missing-budget = 残りは予算に収まらなかった

note-missing-interrupted = 測定が中断された

note-missing-broken = 測定が途中で終わった: { $message }

note-missing-broken-unknown = 測定を続けられなくなった

note-missing-no-end = 終わりの記録がないので、まだ測定中か、途中で途切れた

note-too-few-rounds = 順位をつけるには { $needed } ラウンド必要です。--rounds { $needed } 以上で測り直してください。

note-duplicate-lines = jobs.jsonl の { $lines } 行目は前の行の繰り返しです。どのジョブも 1 回だけ集計しました。

note-more = ほか { $count }

## 測り直したジョブ

note-repeated-for-steal = CPU スチールがプロセッサーの最大 { $most } を占めたため、{ $jobs } 個のジョブを測り直しました。妨げられたジョブも jobs.jsonl に残っています。

note-repeated-for-programs =
    ほかのプログラム{ $programs-count ->
        [0] {""}
       *[other] （{ $programs }）
    }がプロセッサーの最大 { $most } を使ったため、{ $jobs } 個のジョブを測り直しました。妨げられたジョブも jobs.jsonl に残っています。

## 失敗と、測らなかったもの

note-failures = 「{ $candidate }」の操作が失敗しました: { $phases }。失敗した操作はスループットにもレイテンシーにも入っていません。最も多いエラー: { $error }

note-failures-allowed = 「{ $candidate }」の操作が失敗しました: { $phases }。このスタディは、ジョブの各フェーズで { $allowed } 回まで許容します。失敗した操作はスループットにもレイテンシーにも入っていません。最も多いエラー: { $error }

note-failures-in = { $phase } で { $count } 回

note-inferred = この測定は以前の記録形式です。何が失われうるかは耐久性の水準から推定したもので、失われる量は記録されていません。

note-no-power = データのフォルダーでは耐久性「power」を保証できません: { $reason }。停電ですべて失うことがあります。

note-absent = { $candidates }は測っていません: { $reason }。

note-absent-remedy = { $candidates }は測っていません: { $reason }。加えるには: { $remedy }

note-any-certificate = { $candidates }ではサーバー証明書を検証していません（tls=unverified）。別のサーバーが応答した可能性があります。

note-unreadable = 「{ $candidate }」のユーザーには読む権限がないため、次の値がありません: { $figures }。

## アプリの後ろのストアのスループットの上限

note-saturated = 「{ $candidate }」: { $parts }。

note-saturated-client = { $phases } ではクライアントが飽和

note-saturated-link = { $phases } では回線が上限

note-saturated-app = { $phases } ではアプリが飽和

note-saturated-store = { $phases } ではストアが飽和

note-saturated-app-with-store = { $phases } ではストアを含むアプリが飽和

note-saturated-nothing = { $phases } ではどの部分も飽和せず、CPU は上限ではない

note-closes = 「{ $candidate }」のサービスは接続を切るため、クライアントが接続を開き直しました: { $phases }。操作は新しい接続をそのつど待つので、接続を保つサービスのほうが速い可能性があります。

note-closes-in = { $phase } では { $operations } 回の操作に { $connections } 本

note-rate-missed = 「{ $candidate }」は計画したレートを保てず、実行できたのは { $phases } でした。そこでの応答時間は、フェーズが長いほど延びます。

note-rate-missed-in = { $phase } の操作の { $share }

note-late = 「{ $candidate }」のクライアント自身が、計画した操作の開始に遅れました。100 回中 99 回の遅れは { $phases } 以内です。応答時間はこの遅れを含みます。

note-late-in = { $phase } で { $lag }

## 軸の値のうち、候補の数値がないところ

note-gap-no-rate = このフェーズのスループットがありません

note-gap-not-measured = そこでは測っていません

## ジョブで起きた問題

note-trouble-in = { $phase }: { $what }

note-trouble-failed = 失敗: { $message }

note-trouble-wrong-answers = 答えの誤り { $count } 件: { $example }

note-trouble-gave-up = 失敗が続いたので打ち切り: { $message }

note-trouble-failures =
    操作の失敗 { $count } 回{ $count ->
        [1] : { $message }
       *[other] 、最も多いもの: { $message }
    }

note-trouble-setting = 設定「{ $setting }」を読み戻すと「{ $found }」です

note-trouble-setting-empty = 設定「{ $setting }」を読み戻すと値がありません

note-trouble-counters = カウンターの合計が { $needed } ではなく { $sum } です

note-trouble-rows = 終了時の行数が { $needed } ではなく { $counted } です

note-trouble-no-example = 例は記録されていません

note-trouble-no-message = メッセージは記録されていません

note-trouble-ended-before = ジョブがこのフェーズの前に終わりました

note-trouble-no-result = クライアントが結果を返しませんでした

note-trouble-ended-early = フェーズが途中で終わりました
