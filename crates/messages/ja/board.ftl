### 掲示板: 1 つのストアの前の HTTP サービス。

board-cannot-listen = { $address } で待ち受けできません: { $error }

board-no-event-loop = イベントループを作れません: { $error }

board-no-thread = スレッドを開始できません: { $error }

board-no-signals = シグナルを待てません: { $error }

board-no-page = ページを作れません: { $error }

### ページ

board-page-language = ja

board-page-post = 投稿する

board-page-empty = まだ投稿がありません。

board-page-bytes = { $bytes } バイト

### 拒否したリクエスト（プログラムも読むので、応答は常に英語）

board-nothing-here = ここには何もありません。ページは「/」、行は「/rows」にあります

board-other-method = このパスではこのメソッドを使えません

board-no-row = その行はありません

board-row-exists = その行はすでにあります

board-no-call = その呼び出しはありません

board-unsupported = このストアは対応していません

board-path-not-utf8 = パスが UTF-8 ではありません

board-counter-number = カウンターの名前には数を指定します

board-body-too-large = ボディは { $most } バイトまでです

board-body-incomplete = ボディが途中で終わっています

board-body-late = ボディが時間内に届きませんでした

board-other-host = リクエストは別のホスト宛てです。そのホスト名を --host で指定してください

board-one-host = リクエストに「Host」行が複数あります。1 つにしてください

board-needs-host = リクエストに「Host」行がありません

board-hosts-differ = ターゲットと「Host」行のホストが異なります

board-other-site = リクエストは別のサイトのページから来ました

### リクエストの中の行

board-key-range = 「{ $key }」には 0 から { $highest } までの数を指定します。省くと次の番号がつきます

board-not-a-key = 「{ $key }」は、この行のキーとして使えません

board-key-needed = この行のキーは自動ではつきません。指定してください

board-key-differs = ボディのキーがパスのキーと異なります

board-whole-numbers = 「latest」と「before」には整数を指定します

board-latest-range = 「latest」には 0 から { $most } までの行数を指定します。続きは before=ID で取得できます

board-nothing-before = この行には固有のキーがあり、番号順に並ばないため、「before」は使えません

board-not-json = ボディが JSON オブジェクトではありません: { $error }

board-no-column = 列「{ $column }」はありません。あるもの: { $known }

board-column-missing = 列「{ $column }」がありません

board-takes-number = 「{ $column }」には整数を指定します

board-takes-text = 「{ $column }」には文字列を指定します

board-takes-bytes = 「{ $column }」には、Kurabe のほかのプログラムが送る形式のバイト列を指定します

board-too-long = 「{ $column }」は { $bytes } バイトですが、最大 { $most } バイトです

board-numbers-used = 行の番号をすべて使いました

board-no-free-number = 新しい行に使える番号がありません
