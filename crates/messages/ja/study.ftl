### スタディ、候補、フラグの誤り: 場所、内容、対処。

study-in = { $origin }: { $problem }

study-in-part = { $part }: { $problem }

study-at = { $problem }（{ $line } 行 { $column } 列）

### 名前

study-thing = { $what ->
    [app] アプリ
    [axis] 軸
    [binding] 割り当て
    [candidate] 候補
    [claim] 主張
    [client] クライアント
    [data-file] データファイル
    [field] 列
    [driver] ドライバー
    [durability] 耐久性
    [durability-setting] 耐久性の設定
    [int64-column] int64 の列
    [key] キー
    [load-tool] サービスに負荷をかけるツール
    [metric] 指標
    [percentile] パーセンタイル
    [phase] フェーズ
    [pitfall] 落とし穴
    [profile] プロファイル
    [setting] 設定
    [store] ストア
    [study] スタディ
    [transport] 接続方法
    [user] 利用形態
    [value] 値
    [variant] バリアント
    [variation] バリエーション
    [word] 語
   *[other] { $what }
 }

study-named = { $thing }「{ $name }」

study-unknown = { $hint ->
    [none] { $thing }「{ $name }」はありません
   *[other] { $thing }「{ $name }」はありません。{ $hint }
 }

study-expected = 指定できるもの: { $known }

study-twice = { $named }が重複しています。片方を削除するか、名前を変えてください

study-name-taken = 名前「{ $name }」は使用済みです。別の名前にしてください

study-not-carried =
    ストア「{ $name }」はどのパッケージレジストリにもなく、Kurabe ではインストールできません。手元のサーバーを測るには: { $way }

study-not-spoken =
    ストア「{ $name }」は測定できません。パッケージレジストリになく、そのプロトコルを話すクライアントもありません

study-unreadable = スタディ「{ $path }」を読めません: { $error }

### 値

study-invalid = 値「{ $value }」は使えません。{ $expected }を指定してください

study-a-duration = 時間（200ms、30s、5m など）

study-a-size = 行数（10k、1m、250000 など）

study-a-rate = 毎秒などの回数（100/s、6000/min、5/h など）

study-a-share = 割合（10% など）

study-a-number = 数値（8、10_000 など）

study-a-date = 日付（2026-11-27、2026-11 など）

study-a-name = a～z、0～9、「-」からなる 1～{ $most } 文字

study-a-count-option = 数値（500 など）

study-a-size-option = サイズ（512m、2g など）

study-options = オプション（'-XX:+UseZGC -Xms1g' など）

study-range = { $key } は { $least } から { $most } までです（指定値: { $value }）

study-above-zero = { $key } は 0 より大きく { $most } 以下です（指定値: { $value }）

study-least = { $key } は { $least } 以上です

### スタディファイルのキー

study-no-phase-for-rate = レートを指定できる決め手のフェーズがありません（load、open、program だけです）。--rate を削除してください

study-missing-key = キー「{ $key }」がありません

study-either = { $keys }は同時に指定できません。1 つだけ残してください

study-belongs = 「{ $key }」は { $place } のときだけ使えます。削除してください

study-belongs-as = 「{ $key }」は { $place } とともに使います（例: { $example }）

study-in-key = キー「{ $key }」: { $problem }

study-wrong-kind = { $wanted }が必要ですが、{ $found }になっています

study-kind-natural = 0 以上の整数

study-kind-whole = { $least }～{ $most } の整数

study-kind-integer = 整数

study-kind-number = 数

study-kind-boolean = true か false

study-kind-list = リスト

study-kind-table = テーブル

study-kind-list-of = 値が { $count } 個のリスト

study-kind-text = 引用符で囲んだ文字列

study-kind-word-or-table = 引用符で囲んだ語か、テーブル

study-kind-other = このキーに合う値

study-toml-twice = 同じキーが 2 回あります。一方を削除するか、名前を変えてください

study-toml-syntax = TOML として読めません: { $said }

study-absent-list = 「absent」は ['install.debian'] のようなキーの一覧です

study-absent-unknown = 継承元のファイルにキー「{ $key }」はありません

study-number-large = 数値 { $number } が大きすぎます

study-date-text = ここに日付や時刻は書けません。引用符で囲んだ文字列にしてください

study-setting-type = settings.{ $name } は文字列、数値、真偽値のいずれかです

### スタディの全体

study-no-store = ストアがありません。stores = ["sqlite", …] か [[candidate]] を書いてください

study-no-rows = 「rows」か、複数の行数なら rows の [[axis]] を指定してください

study-no-full = このスタディの行数は 1 つだけです。--rows N を使ってください

study-no-schema = キーバリューの行なら「value_len_bytes」（と「key」）、列があるなら列ごとに [[field]] を書いてください

study-data-or-schema = 「data」は「value_len_bytes」「key」[[field]] と同時に指定できません。一方だけ残してください

study-data-verbs = データファイルを読むのは「kurabe run」「kurabe plan」「kurabe dev wire」だけです

study-budget-zero = 予算が 0 では 1 ラウンドも実行できません。5m などに増やしてください

### 行

study-size-twice = 2 つの行数が、接続数の倍数に丸めるとどちらも { $rows } 行になります。片方を削除してください

study-rows-rounded =
    { $rows } 行は { $connections } 接続で分けるため { $rounded } 行に切り上げますが、上限は { $most } 行です

study-rows-held = 行数はデータファイルの行数 { $held } までの 1 以上の数です（指定値: { $rows }）

study-rows-few = { $rows } 行では、分け合う { $connections } 接続に足りません

### 列

study-schema-few = 行にはキーとほかに 1 つ以上の列が必要です。合計 { $count } 列では足りません

study-schema-many = キー以外の列は 99 個までです（現在: { $count } 個）

study-schema-key = キーの型は int64 か text です。bytes は使えません

study-schema-name = 名前は英小文字で始まり、その後に a～z、0～9、「_」を 30 文字まで使えます

study-schema-length =
    text と bytes の列には 0 から 16777216 の len_bytes が必要です。int64 の列とキーには書けません

study-schema-index = 索引をつけられるのは、キー以外の int64 の列だけです

study-schema-prefix = 接頭辞をつけられるのは text のキーだけで、空白と制御文字を除く 20 バイトまでです

study-schema-digits = 桁数を指定できるのは text のキーだけで、6 から 10 です

study-schema-distinct = 「distinct」を指定できるのはキー以外の int64 の列だけで、1 以上です

study-schema-constant = 「constant」を指定できるのは、キー以外の text と bytes の列だけです

study-all-pitfalls = すべての落とし穴をまとめて、発表のとおりに

study-without-pitfall = 発表のとおりから、「{ $pitfall }」とそれより前に除いたものを除く
