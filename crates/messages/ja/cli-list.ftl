### `kurabe list` の表示。

cli-list-stores = ストア（{ $all } 個のうち { $here } 個がインストール済み）: kurabe list stores

cli-list-missing = 未インストール: { $names }

cli-list-baselines = ベースライン: { $names }

cli-list-clients = クライアント（{ $count } 個）: kurabe list clients

cli-list-apps = アプリ（{ $count } 個）: kurabe list apps

cli-list-studies = スタディ（{ $count } 個）: kurabe list studies

cli-list-show-one = 1 つの詳細を見るには: kurabe list NAME

cli-list-studies-end = 実行するには: kurabe run NAME。ファイルを出力するには: kurabe list studies NAME（自分用の出発点になります）

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

cli-list-head-here = インストール済み

cli-list-head-what = 種類

cli-list-head-version = 場所、バージョン

cli-list-head-levels = 耐久性の水準

cli-list-head-missing = 未インストール

cli-list-head-get = インストール方法

cli-list-head-known = 既知

cli-list-head-registry = パッケージにないもの

cli-list-head-own = 手元のサーバーの測り方

cli-list-head-no-store = ストアではない

cli-list-library = ライブラリー

cli-list-built-in = 組み込み

cli-list-not-built = クライアント未ビルド

cli-list-version = { $place }、{ $version }

cli-list-no-servers = サーバーはまだ測れません: { $reason }。用意するには: { $command }

cli-list-stores-end = 1 つの詳細（設定、失いうるもの、クライアント、出典）を見るには: kurabe list stores NAME

### ここにあるか

cli-list-found = インストール済み

cli-list-found-library = ライブラリーあり

cli-list-in-client = { $client } クライアントの中

cli-list-ready = 使えます

cli-list-ready-version = 使えます: { $version }

cli-list-ready-tool = 使えます（負荷ツール: 答えは検証せず、順位もつけません）

cli-list-must-build = ビルドが必要です

cli-list-anew = インストール済みですが、--anew により入れ直します

cli-list-not-built-yet = 未ビルド: 「kurabe setup { $name }」か、これを使う最初の測定でビルドします

cli-list-missing-reason = 未インストール: { $reason }

cli-list-missing-get =
    未インストール: { $reason }。インストール方法:
    { $command }

cli-missing = { $name }: { $reason }

cli-missing-get = { $name }: { $reason }。インストール方法: { $command }

### ストアの詳細

cli-list-label-read = 参考

cli-list-label-clients = クライアント

cli-list-label-tools = 負荷ツール

cli-list-label-get = インストール方法

cli-list-label-install = インストール

cli-list-label-elsewhere = ほかの環境

cli-list-label-library = ライブラリー

cli-list-tools = { $names }（答えは検証せず、順位もつけません）

cli-list-drivers = Rust クライアントのドライバー（最初が既定）:

cli-list-durability = 耐久性の設定（コストの低い順）:

cli-list-undoing = この耐久性を損なう設定:

cli-list-settings = その他の設定:

cli-list-variants = バリアント（最初が既定）:

cli-list-as-shipped = 出荷時の設定

cli-list-by-name = 名前で指定したときだけ

cli-list-only-for = { $names } のみ

cli-list-can-lose = 失いうるもの: { $window }［強制終了: { $kill }、停電: { $power }、整合性: { $integrity }］

cli-list-source = 出典: { $source }

cli-list-proof = 根拠: { $proof }

cli-list-is = が{ $values }のとき

cli-list-is-not = が{ $values }でないとき

cli-list-holds = が{ $values }を含むとき

### ストアにできること

cli-list-abilities = この環境でできること:

cli-list-abilities-later = インストールすると、クライアントが報告します

cli-list-no-client = どのクライアントも応答しませんでした

cli-list-abilities-unknown = 不明: { $error }

cli-list-label-keys = キー

cli-list-label-paths = ロード方法

cli-list-label-scopes = 読み取り範囲

cli-list-label-transactions = トランザクション

cli-list-label-connections = 接続

cli-list-label-depth = 深さ

cli-list-label-libraries = ライブラリー

cli-list-yes = 可

cli-list-no = 不可

cli-list-up-to = 最大 { $most }

cli-list-up-to-batches = 最大 { $most }、バッチ可

cli-list-up-to-bytes = 最大 { $most } バイト

### クライアントとアプリ

cli-list-every-store = すべてのストア

cli-list-by-drivers = { $store }（{ $drivers }）

cli-list-candidate-settings = 候補ごとの設定:

cli-list-candidate-settings-first = 候補ごとの設定（最初の値が既定）:

cli-list-choose-client = クライアントは +NAME または +NAME:DRIVER で選びます。例: kurabe run quick --stores sqlite,sqlite+python

cli-list-choose-app = アプリはストアの後に「/」と名前を書いて選びます。例: kurabe run board --stores sqlite,sqlite/serve

cli-list-app = { $title }（対象: { $stores }）

cli-list-any-app = ほかのアプリ

cli-list-app-stores = { $stores }

cli-list-rust-stores = Rust クライアントのすべてのストア
