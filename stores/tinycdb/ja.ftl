licence = パブリックドメイン
summary = constant database: 一度作ったら読むだけのハッシュファイル。実行時に読み込む C ライブラリーで操作する。
about-backup = ファイルをコピーする: 一度に作り、完成したものを置き、その後は変更しない
about-schema-change = 値はバイト列: プログラムが新旧の両方を読むか、ファイルを作り直す
durability-finish-window = ロードが終わるまでは、コミットの応答にかかわらずすべての行。その後は、停電時に OS がまだデバイスに書き戻していないファイル。ファイルが一部しか書かれていないこともある
durability-finish-reason = ライブラリーの動作: ファイルを完成させて名前をつけ、何も同期しない。
durability-finish-sync-window = ロードが終わるまでは、コミットの応答にかかわらずすべての行。その後は、ドライブがフラッシュに従えばなし
durability-finish-sync-reason = 完成したファイルを同期し、名前を変え、フォルダーを同期する: ライブラリーが呼び出し側に任せている処理。
