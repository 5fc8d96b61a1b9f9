### データファイル: 使えない理由と、読んでわかったこと。

### ファイル

data-unreadable = データファイル「{ $file }」を読めません: { $error }

data-no-file = 「{ $file }」は{ $what }で、データファイルではありません。TSV、CSV、JSONL のファイルを指定してください

data-changed = データファイル「{ $file }」が読み込み中に変わりました。完成を待つか、コピーしてから使ってください

data-many-records = { $file } のレコードが { $limit } 件を超えています。分割してください

data-empty = { $file } に行がありません。ファイルが空です

data-no-rows = { $file } に行がありません。{ $lines } 行のどれもキーのあるレコードではありません

### 行

data-long-line = { $file }: { $line } 行目が { $limit } を超えているか、引用符が閉じていません

data-open-quote =
    { $file }: { $line } 行目で始まる引用符が閉じていません。
    閉じるか、セルの中の引用符を "" と書くか、--format で別の形式を指定してください

data-half-character =
    { $file }: { $line } 行目の後で UTF-16 の文字が途中で切れています。UTF-8 で保存し直してください

data-mixed-ends =
    { $file }: 行末は CR だけですが、{ $line } 行目の後に LF もあります。
    行末を 1 種類にして保存してください

data-separator =
    { $file }: 1 行目がセルの区切りを「{ $separator }」としていますが、使えるのは「,」と「;」だけです。
    どちらかで保存してください

data-header-twice =
    { $file }: { $line } 行目がヘッダーと同じで、2 つのファイルをつないだように見えます。その行を削除してください

data-short-line =
    { $file }: { $line } 行目のセルは { $width } 個中 { $cells } 個です。
    補うか削除するか、short_lines = "skip" でそうした行を除いてください

### 文字コード

data-not-utf8 = { $file }: { $line } 行目が UTF-8 ではありません。{ $advice }

data-zero-byte = { $file }: { $line } 行目に、テキストにはない 0 のバイトがあります。{ $advice }

data-convert = 先に iconv -t UTF-8 などでファイル全体を変換してください

data-convert-from =
    { $encoding } かもしれません。iconv -f { $iconv } -t UTF-8 { $path } > NEW で変換し、結果を確かめてください

data-several-encodings =
    前の行は UTF-8 なので、複数の文字コードが混ざっています。この行は { $encoding }（{ $iconv }）かもしれません

data-binary = バイナリーファイルではありませんか

### 列

data-one-column =
    { $file } を { $format } として読むと列が 1 つだけですが、キーと値に 2 つ必要です。
    別の形式なら --format（tsv、csv、csv-semicolon、jsonl）で指定するか、--key row で行番号をキーにしてください

data-no-column = { $file } に列「{ $name }」はありません。{ $hint }

data-columns = 列は { $known } です

data-numbered = 列は { $width } 個で、番号は 1 からです

data-no-header = ヘッダーがないため、{ $width } 個の列には 1 からの番号だけがあります

data-column-twice-asked = { $file }: 列「{ $name }」が 2 回指定されています。各列は 1 回だけ指定してください

data-column-twice-named = { $file }: 列「{ $name }」がヘッダーに 2 つあります。番号で指定してください

data-many-columns =
    { $file }: キー以外に { $columns } 列が指定されていますが、上限は 99 列です。--value で絞ってください

### キー

data-long-key =
    { $file }: { $line } 行目のキーは { $bytes } バイトで、上限の { $limit } バイトを超えています。別の --key にしてください

data-duplicates =
    { $file }: 列「{ $column }」はキーになりません。{ $records } 件のレコードに { $distinct } 種類の値しかなく、{ $first } 行目の「{ $example }」は { $again } 行目にもあります。
    別の --key にするか、--key row で行番号をキーにするか、--duplicates first か last で値ごとに 1 件だけ残してください

### わかったこと

data-found = { $file }: { $lines } 行に { $records } レコード、{ $format }

data-found-with-header = { $file }: { $lines } 行に { $records } レコード、{ $format }、ヘッダーあり

data-found-without-header = { $file }: { $lines } 行に { $records } レコード、{ $format }、ヘッダーなし

data-headings = 見出しを { $count } 行除外（{ $lines }）

data-empty-lines = 空行が { $count } 行（{ $lines }）

data-bad-lines = 不正な行を { $count } 行除外: { $reason }（{ $lines }）

data-lines = { $count ->
   *[other] { $lines } 行目
 }

data-lines-and-more = { $lines } 行目など

data-no-object = JSON オブジェクトでない

data-few-cells = セルが足りない

data-many-cells = セルが多すぎる

data-no-key = キーが空

data-duplicate-keys = 重複するキーが { $keys } 個: それぞれ{ $kept ->
    [last] 最後
   *[first] 最初
 }のレコードを残し、{ $dropped } レコードを除外（{ $lines }）

data-rows = { $rows } 行。キー: { $key }。値: { $values }

data-column = { $title }（{ $kind }、最大 { $bytes } バイト）

data-column-number = 列 { $number }（{ $kind }、最大 { $bytes } バイト）

data-row-number = 行番号（{ $kind }、最大 { $bytes } バイト）
