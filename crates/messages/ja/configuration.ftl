### 何がどの構成で測られたか。

configuration-rows = { $rows } 行

configuration-connections = { $connections } 接続

configuration-value-length = { $bytes } バイトの値

configuration-commit-every = 書き込み { $writes } 回ごとのコミット

configuration-index = 索引あり

configuration-no-index = 索引なし

configuration-raw-rows = 符号化しない行

configuration-encoding = { $encoding } の行

configuration-pitfall = 落とし穴「{ $pitfall }」

configuration-word = { $axis } { $value }

configuration-number = { $axis } { $value }

configuration-factors = { $factors }

configuration-with-pitfall = { $at }（{ $pitfall }）
