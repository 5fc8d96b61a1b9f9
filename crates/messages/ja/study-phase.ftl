### スタディのフェーズの誤り。

### 長さと数

study-phase-no-end = 「count」か「duration」、または両方を指定してください

study-phase-zero = 「count」と「duration」は 0 より大きくしてください

study-phase-think-long = 「think」は「duration」より短くしてください

study-phase-load-count = ロードはちょうど「rows」行を書き込みます。「count」と「duration」を削除してください

study-phase-load-warmup = ロードは各行を 1 回だけ書き込むため、ウォームアップできません。ウォームアップを削除してください

study-phase-no-common-rows = すべてのフェーズの接続に均等に分けられる行数がありません。接続数をいくつか揃えてください

study-phase-rate-end = レートのあるフェーズは時間だけで終わります。「duration」を指定し、「count」を削除してください

study-phase-rate-many =
    このフェーズの計画は { $planned } 回の操作になり、上限の { $most } 回を超えます。「rate」か「duration」を減らしてください

study-phase-rate-inserts =
    接続が挿入する行の番号が { $numbers } に達し、上限の { $most } を超えることがあります。
    「rate」「duration」「connections」のどれかを減らしてください

study-phase-slo-inserts = 探索はフェーズをレートを変えて繰り返しますが、挿入は各行を 1 回だけ書き込みます。「slo」か挿入を削除してください

study-phase-slo-rank = 「slo」のあるフェーズは最高レートで順位づけします。「rank_by」を削除してください

### 操作とそのキー

study-phase-foreign-key = 「{ $key }」は操作「{ $operation }」のキーで、このフェーズにはありません。削除してください

study-phase-meaningless = 「{ $key }」は操作「{ $operation }」を何も変えません。削除してください

study-phase-passes = 複数回のロードは 1 行ずつ書き込みます。「load_path」を削除してください

study-phase-one-connection = 「rows_from」は 1 つの接続でロードします。「connections」を削除してください

study-phase-mix-operations = mix には load、open、program、mix 以外の操作を指定できます

study-phase-mix-zero = mix の比率がすべて 0 です。どれかを 0 より大きくしてください（例: { $example }）

study-phase-load-change = ロードを別の操作に変えたり、別の操作をロードに変えたりすることはできません

study-phase-first-load = 最初のフェーズはロードです。先頭に [[phase]] operation = "load" を書いてください

study-phase-insert-data = データファイルの行は決まっているため「insert」は使えません。このフェーズを削除してください

study-phase-search-data = 検索できるのは生成した行だけなので「search」は使えません。このフェーズを削除してください

### 行とメモリー

study-phase-many-rows =
    挿入を含めるとジョブの行数が { $most } を超えることがあります。count か行数を減らしてください。
    duration だけのときは { $timed } 回の挿入と数えます

study-phase-digits =
    挿入を含めるとジョブは { $rows } 行になることがありますが、{ $digits } 桁のキーで区別できるのは { $most } 行です。
    桁数を増やすか行数を減らしてください。duration だけのときは { $timed } 回の挿入と数えます

study-phase-memory =
    接続が同時に持つ行が { $bytes } になり、上限の { $most } を超えます。
    接続数、depth、batch、batch_rows、行の長さのどれかを減らしてください

### 検索

study-search-either = 検索には rows = N と at_least = N のどちらか一方だけを指定します

study-example-or = { $first } または { $second }

study-phase-search-distinct =
    列「{ $column }」の値は { $distinct } 種類なので、その行数になる範囲がありません。{ $example } を使ってください

study-phase-search-rows = 行数を決めた検索ができるのは { $most } 行までです（現在: { $rows } 行）

### プログラム

study-phase-program-key = 「{ $key }」はプログラムのフェーズでは使えません。「program」の中に書くか、削除してください

study-phase-program-operation = プログラムができるのは load、read、multi-read だけです（指定値: { $operation }）

study-phase-program-own = プログラムの接続は 1 つです。名前、順位づけ、アクションはフェーズに書いてください

study-phase-after-program = プログラムのフェーズは最後です。このフェーズをその前に移してください

study-phase-program-rows = プログラムはロードしたままの行を前提とします。前にある挿入、更新、削除のフェーズを外してください

### 行の取得元

study-phase-rows-from = rows_from には "memory"、"lines"、またはストア { $stores } のどれかを指定します（指定値: { $value }）

study-phase-no-lines = rows_from = "lines" にはタブ区切りのデータファイルが必要です。「rows_from」を削除してください

study-phase-rows-of-data = データファイルの行は別のストアから取得できません。「rows_from」を削除してください

study-phase-one-source = 1 つのジョブが行を取得できるストアは 1 つだけです。「{ $store }」を外してください

### アクション

study-phase-no-actions = 「{ $operation }」ではアクションを実行できません。「actions」を削除してください

study-phase-actions-many = 1 つのフェーズのアクションは { $most } 個までです（現在: { $count } 個）

study-phase-action-ends-twice = サービス「{ $service }」を 2 回終了させるアクションがあります。終了ごとにフェーズを分けてください

study-phase-action-unranked =
    サービスが終了すると操作が失敗するため、このフェーズは順位づけしません。「deciding」と「need」を削除してください

study-phase-action-call = アクションで呼べるのは何も変更しない { $known } だけです（指定値: { $call }）

study-phase-action-one = アクションには「at」と、することを 1 つ書きます（例: { $examples }）

study-phase-action-late = { $time } のアクション「{ $act }」はフェーズの終了より後です

study-phase-action-range = 時刻に範囲を使えるのは、フェーズの最後のアクションだけです。ほかのアクションには 1 つの時刻を指定してください

study-phase-action-backwards = 範囲「{ $at }」の終わりが始まりより前です。早い時刻を先に書いてください

study-phase-losses =
    「counts_losses」のあるフェーズは全行を順に 1 回読みます。その前は、ロードと、kill = "store" か cut = "store" が 1 つある更新のフェーズだけにしてください。
    operation = "read" とし、distribution、duration、warmup は書きません

study-cut-alone = 電源を切るかディスクを故障させるアクションがありますが、損失を数えるフェーズがありません。最後に operation = "read" と counts_losses = true のフェーズを加えてください

study-losses-once = 損失を数えるスタディの行数と負荷は 1 通りです。変えられるのは候補だけです

study-phase-disk =
    「disk」のアクションは 1 つのフェーズに 1 つで、ウォームアップはありません。ディスクが元に戻った後に、ストアの電源を切ります。
    例: actions = { $example }

study-phase-after-losses = 損失を数えるフェーズはスタディの最後に置きます。後のフェーズを削除してください

study-phase-pause = 停止やディスクの故障は { $most } までです（指定値: { $time }）

### バリエーションによる変更

study-phase-and-set = 「phase」と「set」は組で使います（例: { $example }）

study-phase-keeps-name = フェーズの名前は比較に使うため変えられません。「name」を削除してください

study-phase-data-shape = データファイルの行は変えられません。--data なしで実行してください

study-phase-value-len = 「value_len_bytes」はキーと 1 つの文字列からなる行でだけ使えます

study-phase-indexed-twice = 列「{ $field }」と{ $cause }の両方が「indexed」を設定しています。片方を削除してください

study-phase-key = 「{ $key }」

study-phase-key-of = フェーズ「{ $phase }」の「{ $key }」

study-phase-each-value = 軸の各値

study-phase-sets-twice = { $cause }が{ $key }を { $first } と { $second } に 2 回設定しています。片方を削除してください

study-phase-both-set = { $one }と{ $other }の両方が{ $key }を設定し、値は { $first } と { $second } です。片方を削除してください

study-phase-pitfalls-set =
    { $one }と{ $other }の両方が{ $key }を設定し、値は { $first } と { $second } です。
    片方をほかと分けて測るには alone = true を指定してください

study-phase-no-stores = stores = [] では対象のストアがありません。すべてのストアを対象にするなら削除してください
