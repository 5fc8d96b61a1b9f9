title = GNU dbm
summary = 最も古い種類のキー・バリューストアの GNU 版。1 ファイルの拡張可能ハッシュを、実行時に読み込む C ライブラリーで使う。
about-backup = 書き込み用に開いているプログラムがないとき: ファイルをコピーするか、gdbm_load で読めるフラットファイルに gdbm_dump で書き出す
about-schema-change = 値はバイト列: プログラムが新旧の両方を読むか、すべてを書き直す
durability-put-window = すべての書き込み。書き込みの途中でプロセスが強制終了されると、gdbm_recover で修復するまで行がほとんど見つからないファイルが残ることがある
durability-put-reason = 格納だけを呼び、最後に閉じるプログラムの動作。
durability-sync-window = ドライブがフラッシュに従えば、応答済みのコミットは失わない。ただし、書き込みからそのコミットの同期までの間の強制終了や停電で、gdbm_recover の必要なファイルが残ることがある
durability-sync-reason = コミットのたびに gdbm_sync。ファイルはその場で書き換え、ログはないので、プロセスの異常終了時に書きかけのものは保護されない。
