### `kurabe serve` の表示。

serve-listen =
    { $error }
    { $flag } で別のものを指定してください。

serve-no-store = このストアは使えません

serve-title = { $store } の上の掲示板

serve-at = { $title }: { $address }（Ctrl-C で終わります）

serve-at-all = { $title }: { $address } と、このマシンのほかのすべてのアドレス（Ctrl-C で終わります）

serve-server-ended = { $store } のサーバーが終了しました。最後の行: { $said }

serve-server-ended-silently = { $store } のサーバーが終了しました

serve-start-ended = { $store } のサーバーが起動中に終了しました。最後の行: { $said }

serve-start-ended-silently = { $store } のサーバーが起動中に終了しました

serve-lost =
    { $words }
    受け付けた投稿の耐久性は --durability のとおりです。

serve-bus-error =
    { $store } が強制終了されました（SIGBUS）: メモリーに割り当てたファイルをカーネルが読み書きできません。
    ディスクがいっぱいでないか確かめてください。

serve-signals = シグナルを受け取れません

serve-client =
    掲示板はストアの Rust クライアントを使います
    「+{ $client }」を外してください。

serve-nothing-kept =
    { $store } はフォルダーに何も保存しません
    --data を外してください。

serve-address-data =
    アドレスで指定したサーバーは、行を自分で保存します
    --data を外してください。

serve-durability =
    { $store } に耐久性「{ $asked }」の設定はありません
    次を指定してください: --durability { $kept }

serve-no-table = { $store } はテーブルを作れません

serve-table-failed = { $store } がテーブルを作れません: { $error }

serve-make = 「{ $path }」を作れません

serve-read = 「{ $path }」を読めません

serve-not-a-job = 「{ $path }」はジョブではありません

serve-waiting = { $store } を待っています（{ $waited } 秒）: { $error }

### フォルダー

serve-mark = 「{ $path }」の「board.json」を読めません: { $error }

serve-folder-read =
    「{ $path }」を読めません: { $error }
    --data で別のフォルダーを指定してください。

serve-other-store =
    「{ $path }」は「{ $store }」の掲示板です
    --store { $store } を指定するか、別のフォルダーを使ってください。

serve-folder-make =
    「{ $path }」を作れません: { $error }
    --data で別のフォルダーを指定してください。

serve-not-a-board =
    「{ $path }」は空でも掲示板でもありません
    --data で空のフォルダーを指定してください。

serve-write = 「{ $path }」に書き込めません

serve-taken =
    別の kurabe が「{ $path }」を使っています（pid { $pid }）
    それを終了するか、--data で別のフォルダーを指定してください。

serve-lock =
    { $error }
    --data で別のフォルダーを指定してください。

serve-posts-kept = 投稿は「{ $path }」にあります

serve-posts-gone = 投稿は消えました。残すには --data DIR を指定します。
