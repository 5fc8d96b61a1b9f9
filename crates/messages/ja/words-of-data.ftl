### 記録にある値を表示するときの語。

described = { $text }

record-window-of = { $window }以内

record-at-most = ≤ { $window }

record-level = { $level }

record-commits = { $commits } コミット

record-time = { $number } { $unit ->
    [h] 時間
    [s] 秒
    [ms] ミリ秒
   *[other] { $unit }
 }

record-proof-documents = 文書

record-proof-system-calls = システムコール

record-proof-kill-trials = 強制終了の実験

record-proof-power-trials = 停電の実験
