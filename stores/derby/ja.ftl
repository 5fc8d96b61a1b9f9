summary = Java で書かれた Apache の SQL データベース。JDBC を通してクライアントに組み込まれる。フィールドごとに 1 列。ページと、同期するログからなる。
about-backup = 稼働中でも可: プロシージャ SYSCS_UTIL.SYSCS_BACKUP_DATABASE がフォルダーにコピーする
about-schema-change = ALTER TABLE で列を追加、削除し、RENAME COLUMN で改名する。型の変更は長くする場合だけ
durability-test-window = JVM の終了時か停電時に、すべて。データベースを起動できなくなることもある
durability-test-reason = 何も同期しない。マニュアルはテスト専用としており、クラッシュ後はデータベースに矛盾が生じることがある。
durability-synced-window = ドライブがフラッシュに従えば、なし
durability-synced-reason = Derby の既定の動作: コミットのたびに、同期書き込み用に開いたファイルにログを書く。
setting-derby-storage-pageCacheSize-reason = すべての候補に与えるキャッシュを、ページ数で指定する。出荷時は 1,000 ページで、1 ページは 4 KiB、行が長ければ 32 KiB。
