summary = 自由なライセンスの、Redis 7.2 のフォーク。Redis と同じアダプターで操作するので、行は `namespace:key` の下の文字列。
durability-rdb-default-reason = Valkey の出荷時のセーブポイント。処理を続けながら、子プロセスがスナップショットを書く。
durability-aof-everysec-reason = aof-no と同じで、バックグラウンドのスレッドが 1 秒に 1 回同期する: 追記専用ファイルについてマニュアルが勧める設定。
undoes-no-appendfsync-on-rewrite-window = 停電時に約 30 秒分の書き込み: 子プロセスがファイルを書き直すかスナップショットを保存する間は、何も同期しない
unsuitable-server-mode-reason = サーバーはクラスターの一員か監視役です。クラスターのノードは、自分のスロットのキーしか持ちません。単独のサーバーを指定してください
unsuitable-role-reason = サーバーはレプリカなので、書き込みを受け付けません。コピー元のサーバーを指定してください
