### `kurabe list` の表示。

cli-list-stores = ストア: { $all } 個のうち { $here } 個がここにあります（kurabe list stores）

cli-list-missing = なし: { $names }

cli-list-baselines = 基準: { $names }

cli-list-clients = クライアント: { $count } 個（kurabe list clients）

cli-list-apps = アプリ: { $count } 個（kurabe list apps）

cli-list-studies = スタディ: { $count } 個（kurabe list studies）

cli-list-show-one = 1 つを詳しく見るには: kurabe list NAME

cli-list-studies-end = 「kurabe run NAME」で実行できます。「kurabe list studies NAME」はファイルを出力します。自分用の出発点に使えます。

cli-list-unknown =
    ストア、クライアント、アプリ、スタディに「{ $name }」はありません
    「{ $nearest }」ではありませんか。

cli-list-unknown-all =
    ストア、クライアント、アプリ、スタディに「{ $name }」はありません
    名前の一覧: kurabe list

cli-list-several =
    「{ $name }」という名前のものが複数あります
    1 つ選んでください: { $commands }

### ストアの表

cli-list-head-here = あり

cli-list-head-what = 種類

cli-list-head-version = 場所、版

cli-list-head-levels = 耐久性の水準

cli-list-head-missing = なし

cli-list-head-get = 入れ方

cli-list-head-known = 既知

cli-list-head-registry = パッケージにないもの

cli-list-head-own = 自分で動かしたものの測り方

cli-list-head-no-store = ストアではない

cli-list-library = ライブラリー

cli-list-built-in = 組み込み

cli-list-not-built = クライアント未ビルド

cli-list-version = { $place }、{ $version }

cli-list-no-servers = サーバーはまだ測れません: { $reason }。次のコマンドで用意できます: { $command }

cli-list-stores-end = 「kurabe list stores NAME」で、設定、失いうるもの、クライアント、出典が分かります。

### ここにあるか

cli-list-found = あり

cli-list-found-library = ライブラリーあり

cli-list-in-client = { $client } クライアントの中

cli-list-ready = 使えます

cli-list-ready-version = 使えます: { $version }

cli-list-ready-tool = 使えます（負荷ツール: 答えは検証せず、順位もつけません）

cli-list-must-build = ビルドが必要です

cli-list-anew = --anew で指定されました

cli-list-not-built-yet = 未ビルド:「kurabe setup { $name }」か、最初の測定でビルドします

cli-list-missing-reason = ありません: { $reason }

cli-list-missing-get =
    ありません: { $reason }。入れ方:
    { $command }

cli-missing = { $name } がありません: { $reason }

cli-missing-get = { $name } がありません: { $reason }。入れ方: { $command }

### ストアの詳細

cli-list-label-read = 参照

cli-list-label-clients = 使える言語

cli-list-label-tools = 負荷ツール

cli-list-label-get = 入れ方

cli-list-label-install = コマンド

cli-list-label-elsewhere = ほかの OS

cli-list-label-library = 共有ファイル

cli-list-tools = { $names }（答えは検証せず、順位もつけません）

cli-list-drivers = Rust クライアントのドライバー（最初が既定）:

cli-list-durability = 耐久性の設定（軽い順）:

cli-list-undoing = この耐久性を損なう設定:

cli-list-settings = その他の設定:

cli-list-variants = 変種（最初が既定）:

cli-list-as-shipped = 出荷時

cli-list-by-name = 名指しのみ

cli-list-only-for = { $names } のみ

cli-list-can-lose = 失いうるもの: { $window } [強制終了: { $kill }、停電: { $power }、整合性: { $integrity }]

cli-list-source = 出典: { $source }

cli-list-proof = 根拠: { $proof }

cli-list-is = が{ $values }のとき

cli-list-is-not = が{ $values }でないとき

cli-list-holds = が{ $values }を含むとき

### ストアにできること

cli-list-abilities = ここでできること:

cli-list-abilities-later = 入れると、クライアントから分かります

cli-list-no-client = どのクライアントも答えませんでした

cli-list-abilities-unknown = 不明: { $error }

cli-list-label-keys = キー

cli-list-label-paths = 入れ方

cli-list-label-scopes = 読み取り

cli-list-label-transactions = まとめ書き

cli-list-label-connections = 接続

cli-list-label-depth = 深さ

cli-list-label-libraries = 依存

cli-list-yes = 可

cli-list-no = 不可

cli-list-up-to = 最大 { $most }

cli-list-up-to-batches = 最大 { $most }、一括

cli-list-up-to-bytes = 最大 { $most } バイト

### クライアントとアプリ

cli-list-every-store = すべてのストア

cli-list-by-drivers = { $store }（{ $drivers }）

cli-list-candidate-settings = 候補ごとの設定:

cli-list-candidate-settings-first = 候補ごとの設定（最初の値が既定）:

cli-list-choose-client = クライアントは +NAME か +NAME:DRIVER で選びます。例: kurabe run quick --stores sqlite,sqlite+python

cli-list-choose-app = アプリはストアのあとに / をつけて書きます。例: kurabe run board --stores sqlite,sqlite/serve

cli-list-app = { $title }（{ $stores }の前に置く）

cli-list-any-app = ほかのアプリ

cli-list-app-stores = { $stores }

cli-list-rust-stores = Rust クライアントの全ストア
