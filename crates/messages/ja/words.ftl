### 表と見出しの語。

## 列。

word-action = アクション
word-actions = フェーズ中のアクション
word-app-cpu-per-op = アプリの CPU/回
word-as-data-grow = データが増えると
word-backup = バックアップ
word-baseline-share = ベースラインの割合
word-best = 首位
word-candidate = 候補
word-change = 変化
word-claim = 主張
word-claims = 主張
word-client = クライアント
word-client-cpu = クライアントの CPU
word-client-cpu-per-op = クライアントの CPU/回
word-client-memory = クライアントのメモリー
word-client-memory-above-baseline = クライアントのメモリー（ベースラインとの差）
word-client-start = クライアントの起動
word-client-threads-busy = クライアントのスレッド使用率
word-confidence = 信頼水準
word-detectable = 検出できる差
word-disk-per-row = ディスク/行
word-durability = 耐久性
word-durability-settings = 耐久性: 使った設定
word-duration = 所要時間
word-encoding = 符号化
word-exponent = 指数
word-exponent-of-total = 合計時間の指数
word-fact = 項目
word-highest-rate = 最高レート
word-failed = 失敗
word-fastest = 最速
word-figure = 値
word-finding = 結果
word-flush-time = フラッシュ時間
word-flushes-per-commit = フラッシュ/コミット
word-folder = フォルダー
word-growth = 増え方
word-harness-cpu = 計測側の CPU（1 コアに対する割合）
word-harness-overhead = 計測のオーバーヘッド
word-integrity = 整合性
word-interval = 区間
word-jobs = ジョブ
word-kind = 種類
word-kurabe = kurabe
word-losses = 損失
word-lost-writes = 失った書き込み（最大）
word-lost-time = 失った時間（最大）
word-trials-with-loss = 異常のあった試行
word-unsynced-bytes = 未同期（最大）
word-syncs-per-write = 書き込みあたりの同期
word-acknowledged = 確認応答済みの書き込み
word-afterwards = その後
word-disk-fault = ディスク
word-disk-faults = 故障したディスク
word-meanwhile = 動作
word-resumed = 再開まで
word-said = メッセージ
word-trials = 試行
word-lead = 次点との差
word-licence = ライセンス
word-link-cpu-per-op = 回線の CPU/回
word-live-store = 稼働中の設定
word-loss-on-kill = 強制終了で失うもの
word-loss-on-power = 停電で失うもの
word-loss-window = 失いうる範囲
word-max = 最大
word-memory = メモリー
word-newest-release = 最新リリース
word-of-best = 首位比
word-of-winner = 首位比
word-op-per-s = 回/秒
word-op-per-s-by-slot = 時間枠ごとの回/秒
word-operations = 操作
word-operations-per-second = 毎秒の操作数
word-p50 = p50
word-p90 = p90
word-p99 = p99
word-p999 = p99.9
word-per-second = 毎秒
word-phase = フェーズ
word-possible-loss = 失いうるもの
word-proof = 根拠
word-rank = 順位
word-rank-short = #
word-ratio = 比
word-reason = 理由
word-recovery = 復旧
word-requested = 指定値
word-resources = メモリーとディスク
word-result = 結果
word-retries = 再試行
word-round = ラウンド
word-rounds = ラウンド
word-rows = 行
word-rows-per-s = 行/秒
word-rows-per-second = 毎秒の行数
word-run = 測定
word-saturated = 飽和
word-schema-change = スキーマの変更
word-service-cores-busy = サーバーのコア使用率
word-service-cpu = サーバーの CPU
word-service-cpu-per-op = サーバーの CPU/回
word-service-memory = サーバーのメモリー
word-setting = 設定
word-slot = 時間枠
word-source = 出典
word-start = 起動
word-started = 開始
word-state = 状態
word-step = 段階
word-store = ストア
word-study = スタディ
word-system-time = システム時間
word-tenfold = 行数 10 倍で
word-tenfold-time = 行数 10 倍での時間
word-user-time = ユーザー時間
word-value = 値
word-verdict = 判定
word-versions = バージョン
word-with-pitfall = 落とし穴あり
word-with-pitfall-per-s = 落とし穴あり（毎秒）
word-without-pitfall = なし
word-without-pitfall-per-s = なし（毎秒）
word-work = 仕事
word-writers = 同時書き込み
word-written-per-row = 書き込み/行

## 見出し。

word-also-suitable = ほかの候補（この測定では測っていないもの）
word-excluded = 除外
word-not-counted = 集計から除外したもの
word-notes = 注
word-others = ほかのストア（順位順）
word-same-setting = 「=」は前の値と同じ設定を測り直したもので、差はばらつきです
word-unless = ただし
word-words = 用語

## セル: ストアまでの経路。

word-app = アプリ
word-app-and-store = アプリとストア
word-baseline = ベースライン
word-link = 回線

## セル: 値や順位がない理由。

word-answers-not-checked = 答えは未検証
word-durability-too-low = 耐久性不足
word-durability-unknown = 耐久性不明
word-failed-before = 以前に失敗
word-gave-up = 打ち切り
word-job-failed = ジョブの失敗
word-killed-by-study = スタディが強制終了
word-no-figure = 値なし
word-no-rate = スループットなし
word-not-available = 該当なし
word-not-in-this-run = この測定にない
word-replication = 順位は再現したか

word-not-judged = 判定の対象外

word-not-measured = 未測定
word-nothing-completed = 完了なし
word-nothing-measured = 測定結果がありません
word-operations-failed = 操作の失敗
word-settings-differ = 設定の不一致
word-skipped = 省略（予算）
word-too-few-rounds = ラウンド不足
word-unsupported = 非対応
word-wrong-answers = 誤った答え

## セル: 増え方。

word-constant = 一定
word-falls = 減少
word-grows = 増加
word-inconclusive = 判定不能
word-linear = 行数に比例
word-operation-cheaper = 操作あたりの時間が減る
word-operation-constant = 操作あたりの時間はほぼ一定
word-operation-dearer = 操作あたりの時間が増える
word-sublinear = 行数より緩やか
word-superlinear = 行数より急

## セル: 耐久性と設定。

word-confirmed = 確認済み
word-differs = 不一致
word-empty = （空）
word-keeps-less = 耐久性が下がる
word-reported = 申告のみ
word-set-not-readable = 設定済み（読み出せない）
word-unknown = 不明

## セル: 主張と比較。

word-better = 良い
word-different-work = 別の仕事
word-faster = 速い
word-no-difference = 差は検出されず
word-slower = 遅い
word-worse = 悪い

## セル: ストアの種類。

word-documents = ドキュメント
word-key-value = キーバリュー
word-library = ライブラリー
word-lines-of-text = テキストの行
word-one-connection = 1 接続
word-server = サーバー
word-several-connections = 複数の接続
word-sql = SQL
word-wide-columns = ワイドカラム

## マシン、デバイス、スタディの項目。

word-allowed-errors = 許容する操作の失敗
word-axes = 軸
word-clock-source = クロックソース
word-compressible = 圧縮できるダミーデータ
word-fdatasync-max = fdatasync 最大
word-fdatasync-p50 = fdatasync p50
word-fdatasync-p90 = fdatasync p90
word-fields = 行の列数
word-file-system = ファイルシステム
word-free = 空き
word-governor = ガバナー
word-kernel = カーネル
word-load-before = 測定前の負荷
word-minimum-durability = 最低限の耐久性
word-most-rounds = 最大ラウンド数
word-mount-options = マウントオプション
word-no-mount-options = 耐久性に関わるものはなし
word-none = なし
word-not-reported = 取得できず
word-plausible = 疑わしい点なし
word-processor = プロセッサー
word-quiet-wait = ディスクが空くのを待つ上限
word-seed = シード
word-server-cache = 各サーバーのキャッシュ
word-survives-power-failure = 停電への耐性
word-swap-in-use = 使用中のスワップ
word-tcp = TCP（127.0.0.1）
word-time-budget = 時間の予算
word-transport = サーバーへの接続
word-unix-socket = Unix ソケット（使えるストアのみ）
word-usable-cores = 使えるコア
word-virtualisation = 仮想化
