### 単位や限界が語である数値。

span-seconds = { $seconds } 秒

span-minutes = { $minutes } 分

span-hours = { $hours } 時間

percent-above = { $most } % 超

factor-of = { $factor } 倍

factor-above = { $most } 倍超

interval-too-wide = 広すぎる

## 実行したもの。

version-of-service = サービス { $version }

version-of-client = クライアント { $client } { $version }

version-of-library = { $library } { $version }

version-of-runtime = { $runtime }（ヒープ { $heap }、{ $collector }）
