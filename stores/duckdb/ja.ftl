summary = 組み込みの分析用 SQL データベース。C インターフェースで操作し、実行時にクライアントの中に読み込む。フィールドごとに 1 列で、列ごとに保存する。
about-backup = 稼働中でも可: EXPORT DATABASE でファイルに書き出す。または、どのプログラムも開いていない間にデータベースファイルをコピーする
about-schema-change = ALTER TABLE で列を追加、削除、改名し、型を変える
durability-no-wal-writes-window = 最後のチェックポイント以降のすべてのコミット（プロセスが終わるだけでも失う）。DuckDB はクラッシュからの復旧を保証しない
durability-no-wal-writes-reason = コミットでログを書かない。作り直せるデータ用。
durability-default-window = ドライブがフラッシュに従えば、なし
durability-default-reason = DuckDB の既定の動作: コミットのたびにログをフラッシュし、同期する。
setting-memory-limit-reason = 256 MiB は、このプロファイルでキャッシュのあるすべてのストアに与えるメモリー。DuckDB の既定はマシンのメモリーの大半。
