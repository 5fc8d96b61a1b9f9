### 結果のフォルダーと、記録にある値。

### フォルダー

record-exists =
    「{ $path }」はすでにあります。
    --out で別のフォルダーを指定するか、「kurabe run --resume { $path }」で続きを測ってください

record-other-content = 「{ $path }」はすでにあり、測定以外のものが入っています。--out で別のフォルダーを指定してください

record-no-folder = 「{ $path }」はすでにあり、フォルダーではありません。--out で別のフォルダーを指定してください

record-make = フォルダー「{ $path }」を作れません: { $error }。--out で書き込めるフォルダーを指定してください

record-no-run = 「{ $path }」は測定のフォルダーではありません: { $reason }

record-no-run-json = run.json がありません

record-absent = 存在しません

record-run-json = run.json: { $error }

record-run-no-json = run.json が JSON ではありません: { $error }

record-gone = 「{ $path }」がなくなりました。誰かが削除したため、記録は失われました

record-in-use = 別の kurabe が「{ $path }」を使っています。終わるのを待つか、--out で別のフォルダーを指定してください

record-format-no-number = 形式が { $value } ですが、形式は整数です

record-format = 「{ $path }」の形式は { $got } ですが、この kurabe が読めるのは形式 { $format } です。記録したバージョンの kurabe を使ってください

record-damaged =
    「{ $path }」の { $line } 行目が壊れています: { $reason }。
    前の行を残すには、この行から後をすべて削除してください

record-cannot-read = { $remedy ->
    [none] 「{ $path }」を読めません: { $error }
   *[other] 「{ $path }」を読めません: { $error }。{ $remedy }
 }

record-cannot-write = { $remedy ->
    [none] 「{ $path }」に書き込めません: { $error }
   *[other] 「{ $path }」に書き込めません: { $error }。{ $remedy }
 }

record-free-space = 空きを作ってから「kurabe run --resume」で続けてください

record-choose-folder = --out で書き込めるフォルダーを指定してください

### 破損

record-cut-off = 途中で切れています

record-checksum = チェックサムが { $found } で、{ $written } と一致しません

record-line-long = 行の長さの上限 { $most } を超えています

record-lines-long = 全体の長さの上限 { $most } を超えています

record-only-pitfalls = 落とし穴以外の構成がありません

record-many-rounds = 構成 { $configuration } のラウンド数 { $rounds } が上限の { $most } を超えています

record-no-configuration = 構成 { $configuration } の行ですが、run.json の構成は 0 から数えて { $count } 個です

record-no-round = ラウンド { $round } の行ですが、ラウンドの上限は { $most } です

### 値

record-no-loss = 失われる量「{ $text }」は使えません。指定できるもの: { $known }

record-no-minimum = 耐久性「{ $text }」は使えません。指定できるもの: { $known }

record-minimum-process = 耐久性「process」は、今は「consistent」（停電後もデータが壊れない）か「kill」です

record-minimum-none = 耐久性「none」は、今は「cache」です

record-no-window = 耐久性「{ $text }」には単位のある範囲が必要です。指定できるもの: { $known }

record-no-objective = 目標「{ $text }」は使えません。「p99<5ms」のように指定してください（使えるもの: { $known }）
