### 単位や限界が語である数値。

span-seconds = { $seconds } 秒

span-minutes = { $minutes } 分

span-hours = { $hours } 時間

percent-above = { $most } % 超

factor-of = { $factor } 倍

factor-above = { $most } 倍超

interval-too-wide = 広すぎる
