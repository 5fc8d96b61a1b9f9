### 負荷ツールと Kurabe のクライアント。

load-tool = 「{ $candidate }」は負荷ツールが動かすため、答えを検証せず、順位もつけません。

load-tool-compared = 「{ $candidate }」は負荷ツールが動かすため、答えを検証せず、順位もつけません。Kurabe 自身のクライアント（「{ $own }」）はこれに対して: { $phases }。

load-tool-ratio = { $phase } でスループットが { $rate }

load-tool-ratio-cpu = { $phase } でスループットが { $rate }、操作あたりのクライアントの CPU 時間が { $cpu }
