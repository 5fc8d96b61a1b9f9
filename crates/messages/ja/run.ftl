### 測定が始まらない・続かない理由。

run-interrupted = 測定を始める前に中断されました

run-environment = { $problem }。ストアの責任ではありません。測定はここで終わり、途中のジョブは記録しません

run-record = 記録を書けません: { $error }。不具合として報告してください

run-io = 「{ $path }」に書き込めません: { $error }。--dir で別の場所を選んでください

run-own-program = kurabe 自身のプログラムが見つかりません: { $error }

### 開始前の拒否

run-no-power = 「{ $dir }」では耐久性「power」を測れません: { $reason }

run-closed-folder = 「{ $name }」は{ $user }として動くため、「{ $folder }」に入れません。--dir で「{ $other }」など別のフォルダーを選んでください

run-unsuitable = 「{ $name }」: { $reason }

run-evicts =
    「{ $name }」: サーバーは、メモリーがいっぱいになると、ほかのユーザーの行を捨てます（{ $policy }）。
    ポリシーを変えるか、捨てられてよければ --allow-evictions をつけてください

run-evicts-beyond =
    「{ $name }」: サーバーは、メモリーがいっぱいになると、ほかのユーザーの行を捨てます（{ $policy }）。必要な { $needed } に対し、空きは { $room } です。
    ポリシーを変えるかメモリーを増やしてください。捨てられてよければ --allow-evictions をつけてください

run-no-space =
    { $rows } 行にはディスクが { $needed } 必要になりえますが、空きは { $free } です。{ $sizes ->
        [1] --rows を減らすか
       *[other] --sizes からこの行数を外すか
    }、別の --dir を使ってください

run-short-budget = 予算 { $budget } は短すぎます。{ $rows } 行の 1 ラウンドに少なくとも { $least } かかります。予算を増やすか、--stores を減らしてください

run-no-restart =
    「{ $name }」: フェーズ「{ $phase }」はストアを再起動するかディスクを故障させますが、{ $client } クライアントは再接続しません。
    「{ $store }+rust」を使うか、「restart」の代わりに「kill」を使ってください

run-no-power-cut =
    このスタディは Kurabe がマウントするディスクを故障させるか電源を切りますが、ここではマウントできません（{ $error }）。
    FUSE（/dev/fuse）のあるシステムで root として実行してください。「kurabe run crash」にはどちらも不要です

run-open-files =
    「{ $name }」は { $connections } 本の接続に { $files } 個のファイルを開く必要がありますが、ハードリミットは { $most } です。
    上限を上げる（ulimit -Hn { $files }）か、接続を減らしてください

### すべてのジョブに必要なものの喪失

run-files-exhausted =
    クライアントがこれ以上ファイルや接続を開けませんでした（{ $said }）。ハードリミットは { $limit } です。上限を上げる（ulimit -Hn）か、接続を減らしてください

run-ports-exhausted =
    クライアントの接続に使えるローカルポートがありませんでした（{ $said }）。閉じた接続は 1 分間ポートを占めます。net.ipv4.ip_local_port_range を広げる{ $ports ->
        [0] {""}
       *[other] （現在 { $ports } 個）
    }か、net.ipv4.tcp_tw_reuse を 1 にするか、接続の頻度を下げてください

run-guardian-gone = kurabe が強制終了されたときに後始末をするガーディアンが終了しました。ガーディアンなしでは何も起動しません

run-cannot-start =
    「{ $program }」を起動できません: { $error }。プロセス、開いたファイル、メモリーを使い切るものを止めるか、このユーザーの上限（ulimit）を上げてください

run-cannot-make = 「{ $path }」を作れません: { $error }

run-place-gone =
    { $what ->
        [filler] ダミーデータのファイル
        [logs] ログのフォルダー
       *[data] データフォルダー
    }「{ $path }」がなくなりました。誰かが削除または移動しました

run-place-closed =
    { $what ->
        [filler] ダミーデータのファイル
        [logs] ログのフォルダー
       *[data] データフォルダー
    }「{ $path }」を開けません: { $error }

run-no-more-files =
    これ以上ファイルを開けません: { $error }。「ulimit -n」で上限を上げるか、ファイルを開いているプログラムを止めてください

run-no-pipe = クライアントと通信できません: { $error }

run-no-thread = クライアントの出力を読むスレッドを開始できません: { $error }

run-no-wait = プログラムの終了を待てません: { $error }

### 実行中の警告

run-absent = 「{ $name }」の値が欠けています。ユーザーに読む権限がありません: { $what }

run-below-minimum =
    「{ $name }」は「{ $minimum }」を満たさないため、書き込むフェーズでは順位がつきません。
    サーバーの設定は { $setting } =「{ $found }」で、次を失う可能性があります: { $window }

run-removing = 中断されました。終わる前に、この測定が「{ $name }」に書き込んだものを削除します。

run-not-removed = この測定が「{ $name }」に書き込んだもの（「{ $names }」）を削除できませんでした。手動で削除してください。

### 測定の終わり（記録では英語）

run-end-interrupted = ユーザーが中断しました

run-end-failed = すべての候補が失敗しました

run-end-budget = { $planned } ラウンドのうち { $rounds } ラウンドが予算に収まりました

### ジョブの失敗の理由（記録では英語）: 起動

run-client-no-output = クライアントに標準出力がありません

run-no-client-process = ジョブには少なくとも 1 つのクライアントプロセスが必要です

run-address-silent = そのアドレスのサーバーが { $limit }以内に応答しませんでした

run-address-wrong = そのアドレスのサーバーが正しく応答しません: { $error }

run-store-wrong = ストアが正しく応答しません: { $error }

run-setting-differs = 設定「{ $name }」を「{ $asked }」にしましたが、読み戻すと「{ $found }」です

### クライアント

run-client-reads-nothing = タイムアウト: クライアントが { $limit }の間何も読みませんでした

run-client-late = タイムアウト: { $what }が { $limit }以内に届きませんでした

run-awaited-hello = hello

run-awaited-reply = 呼び出しへの応答

run-awaited-end = プログラムの終了

run-awaited-rows = 取得する行

run-awaited-filling = 行の準備の結果

run-awaited-ready = 「ready」

run-awaited-ready-of = フェーズ「{ $phase }」の「ready」

run-awaited-result = 「result」

run-awaited-result-of = フェーズ「{ $phase }」の結果または進捗

run-client-stays = クライアントが「stop」から { $limit }以内に終了しませんでした

run-client-ended = クライアントは{ $how }{ $said }

run-client-closed = クライアントが出力を閉じました{ $said }

run-client-broke-protocol = クライアントがプロトコルに違反しました: { $what }

run-program-broke-protocol = プロトコルに違反しました: { $what }

run-unexpected = { $expected }を待っていましたが、「{ $got }」が来ました

run-call-unknown = 呼び出し「{ $call }」: すべてのクライアントに必要ですが、対応していません

run-call-failed = 呼び出し「{ $call }」が失敗しました: { $error }

### プログラムと行

run-program-ended = プログラムは{ $how }{ $said }

run-program-unread = プログラムが指示を読みませんでした

run-program-no-result = プログラムが結果を出さずに終わりました

run-program-short = プログラムは { $wanted } 個の操作のうち { $done } 個しか実行しませんでした

run-rows-to-fetch = 取得する行: { $error }

run-rows-missing = あるのは { $rows } 行のうち { $written } 行だけです{ $why }

run-not-loaded = ロードできたのは { $wanted } 行のうち { $done } 行だけです{ $why }

### 停止したサービス

run-service-died = サービスが停止しました

run-died =
    { $who ->
        [rows-from] 行の取得元のサービス
        [app] アプリ
        [link] 帯域制限
       *[store] サービス
    }が停止しました{ $noticed }。ログの末尾:
    { $log }

run-noticed = （{ $how }）

run-on-full-disk = { $message }（{ $full }）

run-failed-first = 最初に「{ $phase }」が失敗しました: { $first }。その後 { $then }

### フェーズに必要で、候補にないもの

run-lacks-operation = { $operation } なし

run-lacks-load-path = ロード方法 { $path } なし

run-lacks-open-rows = 複数行の open なし

run-lacks-passes = 複数回のロードなし

run-lacks-read-scope = 読み取り範囲 { $scope } なし

run-lacks-reconnect = 操作ごとの接続なし

run-lacks-reconnect-many = 操作ごとの接続で、同時に複数の操作

run-lacks-beside-writers = 複数の書き込みと同時の { $operation } なし

run-lacks-depth = 深さ { $depth }（最大 { $most }）

run-lacks-batch = バッチなし

run-lacks-connections = { $connections } 接続（最大 { $most }）

run-lacks-schedule = 計画した開始（rate）なし

run-lacks-think = 操作の間の待ち時間（think）なし

run-lacks-search = 探す目標なし（比較の基準）

run-lacks-mix = 操作の混合なし

run-lacks-other-end = 終わりを決められるのは時間（整数秒、duration = "2s"）だけ

run-lacks-other-warmup = ウォームアップを決められるのは時間だけ

run-lacks-commits = 複数の書き込みのコミットなし

run-lacks-distribution = 分布 { $distribution } なし。あるもの: { $known }

run-lacks-shared-knowledge = { $most } 接続の後の { $connections } 接続: プロセスは互いの書き込みを知らない

run-lacks-for-load = { $what }（ロード）

run-lacks-key-type = 型 { $kind } のキーなし

run-keeps-columns = 列のまま格納するため、符号化なし

run-lacks-encoding = 符号化 { $encoding } なし

run-lacks-data-file = データファイルの行なし

run-lacks-long-keys = キーが { $bytes } バイト（最大 { $most }）

run-lacks-long-values = 値が { $bytes } バイト（最大 { $most }）

run-lacks-empty-values = 空の値なし

run-lacks-sharing = 複数のプロセスでの共有なし

run-lacks-programs-of-tool = 負荷ツールは、プログラムを数えられるクライアントではありません

run-lacks-kept-rows = 次のプログラムまで残るものなし

run-lacks-row-source = 行の取得元の { $store } なし

run-lacks-fetching = 別のストアからの行の取得なし

### フェーズの途中の動作

run-action-inside = クライアントの中で動き、動作中のクライアントは呼び出せません

run-action-at-address = アドレスで指定したサーバーなので、Kurabe は終了させません

run-kill-command-slow = --kill のコマンドが { $limit } 以内に終わりませんでした

run-kill-command-idle =
    --kill のコマンドは終わりましたが（{ $status }）、{ $limit } 後もサーバーは同じ接続で応答しました

run-command-ended = コマンドは終了（{ $status }）

run-start-command =
    --start のコマンド{ $ended ->
        [none] {""}
       *[other] （{ $ended }）
    }の後、サーバーが { $limit } 以内に応答しませんでした：{ $error }

run-own-server-down = 「{ $name }」を終了させましたが、まだ復帰していません：{ $error }。自分で起動してください

run-action-load-tool = 負荷ツールは再接続しません

run-action-no-app = ストアの前段にアプリがありません

run-action-in-client = クライアントの中で動くため、クライアントも終わってしまいます。サービス越し（STORE/serve）にしてください

run-action-no-promise = この耐久性の設定は、プロセスが終了したときのデータを保証しません

run-action-no-pause = プロセスを停止できませんでした: { $error }

run-action-too-late = フェーズはすでに終わっていました

run-no-disk = 故障させたり電源を切ったりできるディスクがありません

### 設定の理由（記録では英語）

run-setting-asked = スタディの指定です。

run-setting-binary = スタディの指定です（見つかったものの代わり）。
