### 負荷ツールと Kurabe のクライアント。

load-tool = 「{ $candidate }」は負荷ツールが動かすため、答えを確かめず、順位をつけません。

load-tool-compared = 「{ $candidate }」は負荷ツールが動かすため、答えを確かめず、順位をつけません。これに対する Kurabe のクライアント（「{ $own }」）: { $phases }。

load-tool-ratio = { $phase } では速さが { $rate }

load-tool-ratio-cpu = { $phase } では速さが { $rate }、操作あたりのクライアントの CPU 時間が { $cpu }
