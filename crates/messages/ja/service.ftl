### プロセスとサービス: 起動・動作・終了の失敗。

### ユーザー

service-this-user = 現在のユーザー

service-user = ユーザー「{ $name }」

### ファイルとフォルダー

service-io =
    { $action ->
        [make] 「{ $path }」を作れません
        [read] 「{ $path }」を読み取れません
        [open] 「{ $path }」を開けません
        [write] 「{ $path }」に書き込めません
        [copy] データフォルダーを「{ $path }」にコピーできません
        [owner] 「{ $path }」の所有者を変更できません
        [mode] 「{ $path }」のモードを設定できません
        [port] 「{ $path }」に空きポートが見つかりません
        [sockets] 「{ $path }」にソケット用のフォルダーを作れません
       *[other] 「{ $path }」を使えません（{ $action }）
    }: { $error }。フォルダーを確認するか、--dir で別のフォルダーを選んでください

service-no-room = 初期化したデータフォルダー（{ $size }）が「{ $folder }」に収まりません: { $error }。空きを作るか、--dir で別のフォルダーを選んでください

service-closed = { $user }は「{ $folder }」に入れません。全ユーザーが入れる場所を --dir で選んでください

service-folder = 「{ $dir }」にフォルダーを作れません: { $error }。--dir で別の場所を選んでください

service-lock-taken = 別の kurabe が「{ $folder }」を使っています（pid { $pid }）

service-lock-clearing = 強制終了された kurabe のプロセスがまだ「{ $folder }」を使っています。数秒後にもう一度実行してください

service-lock-failed = 「{ $path }」をロックできません: { $error }

service-not-a-file = ファイルではありません

### サービスのコマンド

service-empty-command = サービスのコマンド「{ $key }」が空です。少なくともプログラムを書いてください

service-placeholder = 「{ $text }」に不明なプレースホルダー「{ $name }」があります。使えるもの: { $known }

### サービスの動作

service-init-failed = 「{ $program }」はデータフォルダーを作れませんでした。プログラムは{ $how }。{ $log }

service-init-slow = 「{ $program }」が { $limit }以内に終わりませんでした。{ $log }

service-ended-early = 「{ $program }」は接続を受け付ける前に終了しました。プログラムは{ $how }。{ $log }

service-not-ready = 「{ $program }」は { $limit }以内に接続を受け付けませんでした。{ $log }

service-log-empty = ログは空です

service-log-end =
    ログの末尾:
    { $log }

service-ports-taken = 「{ $program }」が使おうとしたポートはすべて使用中でした: { $ports }。使っているプログラムを止めるか、もう一度実行してください

service-interrupted = 中断されました

service-wait = 「{ $program }」の終了を待てません: { $error }。もう一度実行してください

service-survivors = プロセス { $pids } が SIGKILL の後も終了しません。デバイスを待っている可能性があるので、ps で確認してください

service-process-gone = プロセス { $pid } は終了しています。停止する前に調べてください

### プロセスの終わり方（名前の後に続く）

service-exit-status = 終了ステータス { $status } で終了しました

service-exit-signal =
    シグナル { $signal }{ $name ->
        [unknown] {" "}で終了しました
        [SIGILL] （SIGILL）で終了しました: このビルドは、このプロセッサーにない命令（AVX など）を必要とします
        [SIGKILL] （SIGKILL）で終了しました: メモリー不足のときのカーネルなど、何かが強制終了しました
        [SIGBUS] （SIGBUS）で終了しました: ディスクや /dev/shm がいっぱいのときのように、自分のメモリーを読み書きできませんでした
        [SIGXFSZ] （SIGXFSZ）で終了しました: ファイルがこのユーザーの上限（ulimit -f）を超えました
        [SIGXCPU] （SIGXCPU）で終了しました: CPU 時間がこのユーザーの上限（ulimit -t）を超えました
        [SIGSYS] （SIGSYS）で終了しました: 一部のコンテナーのように、ここでは許可されないシステムコールを呼びました
       *[other] （{ $name }）で終了しました
    }

### プロセスの起動

service-start = { $user }で「{ $program }」を起動できません: { $error }。ファイルがあり、このユーザーが実行できることを確認してください

service-stream = 「{ $program }」のための「{ $path }」を開けません: { $error }。フォルダーを確認するか、--dir で別のフォルダーを選んでください

service-unseen = 起動した「{ $program }」が /proc に見えません。/proc をマウントしてください

service-user-lookup = ユーザー「{ $name }」を調べられません: { $error }。システムのユーザーデータベースを確認してください

service-no-nobody = サービスを動かすユーザー「nobody」がありません。root ではなく一般ユーザーで Kurabe を実行してください

### ガーディアン

service-run-id = 「{ $run }」は測定の名前に使えません。英数字と「-」「_」「.」で 1～64 文字にしてください

service-guardian-start = 「{ $program }」をガーディアンとして起動できません: { $error }。ファイルがあり、実行できることを確認してください

service-guardian-silent = 「{ $program }」がガーディアンとして応答しません。Kurabe 自身のプログラムを使ってください

service-guardian-gone = ガーディアンが終了しました（{ $error }）。ガーディアンなしでは何も起動しません。コマンドをもう一度実行してください

service-line-break = 「{ $path }」に改行が含まれています。--dir で別のフォルダーを選んでください

### 見つからないプログラム

service-missing =
    { $folders-count ->
        [0] PATH に{ $candidates }がありません
       *[other] PATH にも{ $folders }にも{ $candidates }がありません
    }

service-not-a-program = 「{ $name }」に指定された「{ $path }」は実行できるプログラムではありません。パスを確認してください

service-unknown-binary = サービスにバイナリー「{ $name }」はありません。あるもの: { $known }

service-closed-program = ユーザー「{ $user }」が「{ $program }」を実行しますが、「{ $folder }」に入れません。全ユーザーが入れる場所に置いてください

service-another-program = 「{ $program }」は同名の別のプログラムで、「{ $said }」と名乗っています

service-no-version = 「{ $program }」のバージョンがわかりません: { $reason }。手動で実行して、理由を確認してください

service-version-nothing = { $how }。出力はありません

service-version-slow = { $limit }以内に応答がありません

service-version-unheard = 応答を読み取れません（{ $error }）

service-crashed = 「{ $program }」は{ $how }
