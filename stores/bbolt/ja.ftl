summary = 1 ファイルに収まるコピーオンライトの B+ 木。Go で書かれ、クライアントに組み込まれる。キーと生の値を 1 つのバケットに置く。
about-backup = 稼働中でも可: Tx.WriteTo か Tx.CopyFile を読み取りトランザクションの中で使う。書き込みは止まらない
about-schema-change = 値はバイト列: プログラムが新旧の両方を読むか、すべてを書き直す
durability-nosync-window = 停電時に OS がまだデバイスに書き戻していない書き込み。ファイルが壊れることもある
durability-nosync-reason = コミットはページを書くだけで、何も同期しない。最も速い。作り直せるデータ用。
durability-default-window = ドライブがフラッシュに従えば、なし
durability-default-reason = bbolt の既定の動作: コミットごとにページを同期し、続いて、そのページを有効にするメタページを同期する。
