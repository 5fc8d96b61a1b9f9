### 実行が始まらない・続かない理由。

run-interrupted = 測定を始める前に中断されました

run-environment = { $problem }。ストアの責任ではありません。実行はここで終わり、途中のジョブは記録しません

run-record = 記録を書けません: { $error }。不具合として報告してください

run-io = 「{ $path }」に書き込めません: { $error }。--dir で別の場所を選んでください

run-own-program = kurabe 自身のプログラムが見つかりません: { $error }

### 開始前の拒否

run-no-power = 「{ $dir }」では耐久性「power」を測れません: { $reason }

run-closed-folder =
    「{ $name }」は{ $user }として動きますが、「{ $folder }」に入れません。--dir で「{ $other }」などの別のフォルダーを選んでください

run-unsuitable = 「{ $name }」: { $reason }

run-evicts =
    「{ $name }」: サーバーはメモリーがいっぱいになると他の利用者の行を捨てます（{ $policy }）。
    ポリシーを変えるか、捨てられてよければ --allow-evictions を付けてください

run-evicts-beyond =
    「{ $name }」: サーバーはメモリーがいっぱいになると他の利用者の行を捨てます（{ $policy }）。必要な { $needed } に対し空きは { $room } です。
    ポリシーを変えるかメモリーを増やしてください。捨てられてよければ --allow-evictions を付けてください

run-no-space =
    { $rows } 行にはディスクが { $needed } 必要になり得ますが、空きは { $free } です。{ $sizes ->
        [1] --rows を減らすか
       *[other] --sizes からこの行数を外すか
    }、別の --dir を使ってください

run-short-budget =
    { $budget } の予算は短すぎます。{ $rows } 行の 1 ラウンドに少なくとも { $least } かかります。予算を増やすか、--stores を減らしてください

run-no-restart =
    「{ $name }」: フェーズ「{ $phase }」はストアを再起動しますが、{ $client } クライアントは再接続しません。
    「{ $store }+rust」を使うか、「restart」の代わりに「kill」を使ってください

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

run-cannot-make = 「{ $path }」を作成できません: { $error }

run-place-gone =
    { $what ->
        [filler] 値の素になるファイル
        [logs] ログのフォルダー
       *[data] データフォルダー
    }「{ $path }」がなくなりました。何かが削除したか移動しました

run-place-closed =
    { $what ->
        [filler] 値の素になるファイル
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

run-removing = 中断されました。先に、この実行が「{ $name }」に書いたものを削除します。

run-not-removed = この実行が「{ $name }」に書いたもの（「{ $names }」）を削除できませんでした。手で削除してください。

### 実行の終わり（記録では英語）

run-end-interrupted = 利用者が中断しました

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

run-client-late = タイムアウト: { $what }が { $limit }以内に来ませんでした

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

run-program-short = プログラムは { $wanted } 個の操作のうち { $done } 個しか行いませんでした

run-rows-to-fetch = 取得する行: { $error }

run-rows-missing = { $rows } 行のうち { $written } 行しかありません{ $why }

run-not-loaded = { $wanted } 行のうち { $done } 行しか読み込めませんでした{ $why }

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

run-failed-first = 最初に「{ $phase }」が失敗しました: { $first }。その後 { $then }

### フェーズに必要で、候補にないもの（記録では英語）

run-lacks-operation = { $operation } がありません

run-lacks-load-path = 読み込み方法 { $path } がありません

run-lacks-open-rows = 複数行の open がありません

run-lacks-passes = 複数回の読み込みがありません

run-lacks-read-scope = 読み取り範囲 { $scope } がありません

run-lacks-reconnect = 操作ごとの接続がありません

run-lacks-reconnect-many = 操作ごとの接続では、同時に複数の操作はできません

run-lacks-beside-writers = 複数の書き込みと同時の { $operation } がありません

run-lacks-depth = 深さ { $depth }（最大 { $most }）

run-lacks-batch = バッチがありません

run-lacks-connections = { $connections } 接続（最大 { $most }）

run-lacks-mix = 混合がありません

run-lacks-other-end = 終わりは時間（整数秒、duration = "2s"）だけです

run-lacks-other-warmup = ウォームアップは時間だけです

run-lacks-commits = 複数の書き込みのコミットがありません

run-lacks-distribution = 分布 { $distribution } がありません。あるもの: { $known }

run-lacks-shared-knowledge =
    { $most } 接続の後の { $connections } 接続: プロセスは互いの書き込みを知りません

run-lacks-for-load = { $what }（読み込み）

run-lacks-key-type = 型 { $kind } のキーがありません

run-keeps-columns = 列で保持するため、何も符号化しません

run-lacks-encoding = 符号化 { $encoding } がありません

run-lacks-data-file = データファイルの行がありません

run-lacks-long-keys = キーが { $bytes } バイトです（最大 { $most }）

run-lacks-long-values = 値が { $bytes } バイトです（最大 { $most }）

run-lacks-empty-values = 空の値がありません

run-lacks-sharing = 複数のプロセスで共有できません

run-lacks-programs-of-tool = 負荷ツールは、プログラムを数えられるクライアントではありません

run-lacks-kept-rows = 次のプログラムに何も残しません

run-lacks-row-source = 行の取得元の { $store } がありません

run-lacks-fetching = 別のストアからの行の取得がありません

### フェーズの途中の動作

run-action-inside = クライアントの中で動き、クライアントは動作中に呼び出せません

run-action-at-address = アドレスのサーバーなので、何も終了させません

run-action-load-tool = 負荷ツールは再接続しません

run-action-baseline = 再び見つけられるものを何も残しません

run-action-no-app = ストアの前にアプリがありません

run-action-inside-app = 前のアプリの中で動きます。そちら（「app」）を終了させてください

run-action-in-client = クライアントの中で動くため、クライアントも終わってしまいます

run-action-no-promise = 耐久性の設定が、プロセスの終了について何も約束していません

run-action-too-late = フェーズはすでに終わっていました

### 設定の理由（記録では英語）

run-setting-asked = スタディの指定です。

run-setting-binary = スタディの指定です（見つかったものの代わり）。
