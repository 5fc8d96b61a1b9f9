### 複数の動詞に共通の誤り。

cli-write = 「{ $path }」に書き込めません

cli-write-refused =
    「{ $path }」に書き込めません: { $error }
    既存のフォルダーの中の、書き込めるファイルを指定してください。

cli-write-read-only =
    「{ $path }」に書き込めません: 読み取り専用です
    書き込めるファイルを指定してください。

cli-write-beside = 「{ $path }」と同じフォルダーに書き込めません

cli-write-unchanged = 「{ $path }」に書き込めません（内容は元のままです）

cli-write-kept = 「{ $path }」に書き込めません。元の内容は「{ $kept }」にあります

cli-stdout-closed =
    標準出力に書き込めません: 閉じられています
    ファイルか /dev/null に向けてください。

cli-stdout = 標準出力に書き込めません

cli-no-servers-hint =
    { $reason }
    用意するには: { $command }

### 測定のフォルダー

cli-run-none =
    「./kurabe-runs」に測定がありません
    フォルダーを指定するか、測定してください: kurabe run quick

cli-run-unknown =
    測定「{ $name }」はありません
    近い名前（./kurabe-runs の中）: { $nearest }

cli-run-without-claims =
    「{ $path }」のスタディに主張がありません
    別のスタディの主張で判定するには: --of STUDY

cli-no-claim =
    判定する主張がありません
    スタディに [[claim]] を書いてください。

cli-resume-kill =
    この測定には --kill と --start が使われています。もう一度指定してください
    元のコマンド：{ $command }

cli-kill-nothing =
    --kill はストアを強制終了するスタディのためのもので、このスタディは終了させません
    'crash' を実行するか、フェーズに kill = "store" のアクションを指定してください。

cli-kill-one-server =
    --kill と --start はアドレスで指定した 1 台のサーバーのためのもので、{ $servers } 台が対象です
    サーバーを指定してください：--stores STORE@URL --durability default

cli-check-no-claim =
    --check には主張が必要ですが、スタディにありません
    スタディに [[claim]] を書いてください。

cli-damaged =
    jobs.jsonl の { $line } 行目が壊れているため（{ $reason }）、そのジョブは集計しません。
    測り直すには: { $command }

cli-other-machine =
    「{ $name }」は「{ $first }」とは別のマシンの測定です（{ $differences }）
    同じマシンの測定を比べるか、--same-machine を外してください。

cli-report-no-article = 測定「{ $path }」は公開された比較の再測定ではありません。外してください

cli-splice-several =
    --splice に指定できる測定は 1 つです
    答えをファイルに書き込む測定を 1 つ指定してください。

cli-by-several =
    --by に指定できる測定は 1 つです
    複数の測定では、それぞれのスタディの指標で順位をつけます。

cli-splice-read =
    「{ $path }」をテキストとして読めません: { $error }
    Markdown ファイルを指定してください。

cli-splice = 「{ $path }」に結果を書き込めません

cli-open =
    「{ $program }」でページを開けません（{ $error }）
    ブラウザーで「{ $path }」を開いてください。

### フォルダー

cli-dir-parent =
    「{ $path }」を作れません: 「{ $parent }」はフォルダーではありません
    先にそのフォルダーを作るか、別の --dir を指定してください。

cli-dir-make =
    「{ $path }」を作れません: { $error }
    別の --dir を指定してください。

cli-dir-not-folder =
    「{ $path }」はフォルダーではありません
    --dir にはフォルダーを指定してください。

cli-dir-use =
    「{ $path }」を使えません: { $error }
    別の --dir を指定してください。

cli-dir-utf8 =
    「{ $path }」を使えません: 名前が UTF-8 ではなく、クライアントとサーバーに渡せません
    別の --dir を指定してください。

cli-out-make =
    「{ $path }」を作れません: { $error }
    --out でフォルダーを指定してください。

### 新しい定義

cli-new = 「{ $path }」: { $problem }

cli-new-client-extends =
    新しいクライアントに --extends は使えません
    専用のストアも一緒に作られます。

cli-new-name =
    名前「{ $name }」は指定できません
    使い方: kurabe new FILE.toml、kurabe new store NAME、kurabe new client NAME

cli-new-toml =
    スタディファイルの名前は .toml で終わる必要があります
    使い方: kurabe new FILE.toml、kurabe new store NAME、kurabe new client NAME

cli-new-extends =
    新しいストアには --extends が必要です。同じプロトコルを話すストア（redis など）を指定してください
    別のプロトコルのストアはクライアントと一緒に作ります: kurabe new client NAME

cli-new-at-address = 「{ $store }」はアドレスを指定して測るだけのストアなので、--extends に使えません

cli-new-exists =
    すでにあります
    別の名前を指定してください。

cli-new-bad-name = 名前に使えるのは a から z、数字、「-」、「_」で、64 文字までです

cli-new-taken =
    この名前は使われています
    別の名前を指定してください。

cli-new-runs =
    { $path }

    このまま実行できます: { $command }

cli-new-server =
    { $path }

    プログラムと、見分け方（[[identity]]）を書いてください。その後: { $command }

### 道具

cli-wire-cannot = この候補は使えません

cli-no-configuration = スタディに構成がありません

cli-wire-one = 候補は 1 つ指定してください（{ $count } 個あります）

cli-wire-server =
    「{ $candidate }」: { $title } はサーバーです
    起動して、アドレスを指定してください: { $candidate }@URL

cli-wire-rows = データの行は「{ $path }」にあります

cli-wire-files =
    このジョブのファイルは「{ $path }」にあります。
    不要になったら、このフォルダーを消してください。

cli-selftest-clock = 時計の読み取り 1 回に { $cost } ns

cli-selftest-operation = 操作 1 回に { $cost } ns、時計の読み取り 2 回を除くと { $net } ns

cli-selftest-time = '--time' は、停止が収まるように { $least } 以上にしてください

cli-selftest-failed = { $trial } は失敗した：{ $error }

cli-selftest-passes = 合格

cli-selftest-fails = 不合格

cli-selftest-duration = { $value }

cli-selftest-count = { $value }

cli-selftest-share = { $value }

cli-selftest-between = { $least }～{ $most }

cli-selftest-most = { $most } 以下

cli-selftest-figure = { $what }：{ $measured }、正しい値は { $right }

cli-selftest-planned = 計画した操作（接続 { $connections }）

cli-selftest-p99 = 応答時間の p99（接続 { $connections }）

cli-selftest-p999 = 応答時間の p99.9（接続 { $connections }）

cli-selftest-late = 10 ms を超える応答時間（接続 { $connections }）

cli-selftest-closed = 閉ループの p99（接続 16）

cli-selftest-accounted = 計画した操作のうち記録のある操作（{ $phase } の '{ $candidate }'）

cli-selftest-overload-planned = ストアの限界を超えて計画した操作

cli-selftest-overload-open = ストアの限界を超えて未完了の操作

cli-selftest-dropped = 100 件まで待てるときに落とした操作

cli-selftest-dropped-open = 100 件まで待てるときに未完了の操作

cli-selftest-hang-open = 最後に停止したストアで未完了の操作

cli-selftest-hang-waited = 停止したストアの前での最長の応答時間

cli-selftest-warm = ウォームアップ中に停止した後の応答時間の p99

cli-selftest-lag = 毎秒 200,000 操作でのクライアントの遅れの p99

cli-selftest-lag-done = 計画した操作のうち完了した操作

cli-selftest-ranking-wrong = { $sets } 件の答えのうち、言い過ぎた答え

cli-selftest-ranking-leads = 先頭のストアがある答え

cli-selftest-ranking-taken = ストアを勧める答え

cli-selftest-ranking-broken = 無効な結果を含む実行の答え

cli-selftest-waits = キューでの平均の待ち時間（接続 { $connections }）

cli-selftest-medians = { $rounds } ラウンドの中央値（{ $path }）

### フラグの値

cli-rounds-value = 1 から 1000 までの数を指定してください

cli-users-value = 1 以上の人数を指定してください

cli-think-value = 考える時間のないユーザーは閉ループと同じです。0 より長い時間を指定するか、--users を削除してください

cli-seed-value = 0 から { $most } までの数を指定してください

cli-one-of = { $known }を指定してください

cli-host-value = NAME または NAME:PORT の形で指定してください

cli-host-unspecified =
    ホスト名ではありません
    ほかのマシンから使うには --listen { $address }:{ $port } を指定してください
