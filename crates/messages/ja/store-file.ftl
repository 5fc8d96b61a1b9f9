### store.toml の誤りと、ストアではないサーバーの応答。

### キー

store-file-together = { $keys }は組で使います。すべて書くか、すべて削除してください

store-file-needs = 「{ $key }」には{ $needed }が必要です

store-file-identity =
    このストアだけが報告する「told」が [[identity]] に必要です。told = "version" には「holds」も必要です

store-file-about = ストアには [about] が必要で、ベースラインには書けません

store-file-status-source =
    about.status_source は status = "limited" や "retired" の出典です。両方書くか、両方削除してください

store-file-window =
    耐久性の設定「{ $setting }」の整合性は { $integrity } ですが、説明に「{ $word }」とあります。
    それは I2（修復ツールが必要）か I3 です

store-file-undoes-one = [[undoes]]「{ $setting }」には「when」「unless」「holds」のどれか 1 つが必要です

store-file-undoes-nothing = [[undoes]]「{ $setting }」は何も損ないません。「kill」「power」「integrity」のどれかを書いてください

store-file-tuned-many = プロファイル「tuned」の設定が { $most } 個を超えています。減らしてください

store-file-one-default = 既定にできる耐久性の設定は 1 つだけです。ほかの「default」を削除してください

### クライアントと同じプロトコルのストア

store-file-no-client =
    「{ $store }」に対応するクライアントがありません。client.toml の「stores」に加えるか、「wire」にプロトコルを書いてください

store-file-same-identity = 「{ $store }」と「{ $other }」の [[identity]] が同じです。片方を変えてください

### ストアではないサーバー

store-file-is-another = サーバーは { $store } ではなく { $server } です。ストア「{ $name }」を使ってください

store-file-not-known = { $hint ->
    [none] サーバーは { $store } であると報告していません（{ $reported } だけで「{ $key }」がありません）
   *[other] サーバーは { $store } であると報告していません（{ $reported } だけで「{ $key }」がありません）。{ $hint }
 }

store-file-use = { $store } ならストア「{ $name }」を使ってください

store-file-unsuitable = { $reason }（サーバーの報告: { $key } = { $value }）
