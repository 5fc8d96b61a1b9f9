### `kurabe run` と、ほかの動詞と共通のフラグのヘルプ。1 行目が短いヘルプ。

help-study =
    組み込みのスタディ、またはスタディファイルのパス

    組み込みのスタディは「kurabe list studies」で一覧できます。「kurabe new my.toml」は書き換えて使うひな形を作ります。

help-stores =
    スタディの候補の代わりに測る候補（カンマ区切り）

    候補の書き方は STORE[:VARIANT][+CLIENT[:DRIVER]][/APP…[+TOOL]][@URL] です。例: sqlite、redis+php:predis、postgres@postgresql://127.0.0.1/test。
    フラグは繰り返せます。繰り返すと、URL つきの候補はカンマも含めてそのまま 1 つの候補になります。

help-all =
    インストール済みのすべてのストアとバリアントを測る

    スタディの候補の代わりに測ります。時間がかかるので、先に「kurabe plan」で確かめてください。

help-durability =
    最低限の耐久性: power、consistent、window=1s、kill、cache、default

    各ストアは、これを満たす設定のうち最もコストの低いもので動きます。
    power は停電でも何も失いません。consistent は強制終了では何も失わず、停電でもデータは壊れません。
    window=1s や window=100commits は失う量の上限です。kill は強制終了では何も失いません。cache はすべて失うことがあります。
    default は出荷時の設定です。この場合、順位は耐久性の水準が同じものどうしでつけます。

help-profile =
    ストアの設定: default、tuned、both

    default は測定に必要な設定だけを変えます。tuned は開発元が勧める設定で、メモリーの予算はどのストアも同じです。
    both は両方で測り、最速のストアが変わるかどうかを答えます。

help-need =
    必要なスループット。例: 100/s、6000/min

    決め手のフェーズのすべてで届くストアと、その余裕が何倍かを答えます。
    どのストアも十分に速ければ、速さでは選びません。

help-slo =
    許容するレイテンシー。例: 'p99<5ms'

    決め手の各フェーズの操作に適用します。判定は閉ループ（各接続が答えを待つ負荷）で行います。
    ユーザーが自分のペースで訪れるサービスでは、これより長く待つことがあります。

help-equivalent =
    気にしない差の大きさ［既定: 20%］

    差がこれより小さいと示せたストアどうしは、同等です。

help-used-by =
    ストアを使うのは誰か: one-program、several-machines

    複数のマシンから使うにはサーバーが必要なので、ライブラリーは選びません。

help-axes =
    1 つのことだけを変える: connections=1,8,64、durability=consistent,power など

    ほかはすべて同じにするので、値が変わった原因は 1 つです。
    フラグを繰り返すと 2 つ目の軸になります。PHASE.NAME はそのフェーズだけを変えます。名前の一覧は docs/format/axes.md にあります。

help-transport =
    Kurabe が起動したサーバーへの接続方法: tcp、unix

    Unix ソケットは TCP の処理を通らないので、短い操作では差が出ます。

help-rounds =
    ラウンド数。各ラウンドで全候補を 1 回ずつ測る

    順位と区間には 3 ラウンド必要です。増やすほど小さな差を検出でき、時間も同じ割合で延びます。

help-budget =
    時間の予算。例: 5m

    まず、構成ごとに各ストアを 3 ラウンド、時間のかからないものから測ります。
    残りの時間は、結果が最も不確かなところに使います。省略したものは答えに示します。

help-rows =
    ロードする行数。例: 250000、10k

    キャッシュに収まらない行数になると、ストアの順位はよく入れ替わります。

help-full =
    行数を出典と同じにする

    スタディの目安の時間を超えることがあります。

help-sizes =
    複数の行数。例: 10k,100k,1m

    データが増えるとコストがどう増えるかを答えます。最小と最大の間が 100 倍あると、よくわかります。

help-seed =
    順序、操作列、ダミーデータのシード

    同じシードからは、同じ操作が同じ順序で得られます。

help-pitfall =
    この落とし穴を、正しい測り方と並べて測る

    落とし穴とは、測り方のよく知られた誤りです。同じラウンドで測るので、誤りの影響がわかります。
    フラグは繰り返せます。

help-pitfalls =
    スタディの落とし穴を、1 つずつと、すべてまとめて測る

    時間は、およそ落とし穴の数に比例して延びます。

help-as-published =
    スタディの落とし穴をすべてまとめて測る

    出典どおりの測り方を、正しい測り方と並べて測ります。

help-check =
    誤りの主張があれば、終了ステータスを 1 にする

    --check=strict は、未決または別の作業の主張があっても失敗します。CI で使ってください。

help-data =
    生成した行の代わりに使う TSV、CSV、JSONL ファイル

    実際の行は長さがまちまちで、そこにストアの差が出ます。測る前に、ファイルについてわかったことを表示します。

help-key =
    --data のキーの列: 名前、または 1 から数えた番号

    row を指定すると、行番号がキーになります。

help-values =
    キーと一緒に書き込む列［既定: ほかのすべて］

    列ごとにフラグを繰り返します。

help-format =
    --data の形式: tsv、csv、csv-semicolon、jsonl

    既定では名前と内容から判断します。

help-header =
    --data の最初のレコードは列名か: yes、no

    既定ではレコードの内容から判断します。

help-duplicates =
    --data に同じキーが複数あるときに残すレコード: first、last、refuse

    refuse では測定を始めません。既定はスタディの指定で、なければ refuse です。

help-short-lines =
    --data の列が足りない行の扱い: skip、refuse

    refuse では測定を始めません。既定はスタディの指定で、なければ除き、その行数を示します。

help-dir =
    ストアのデータを置くフォルダー［既定: /var/tmp］

    測りたいディスクの上に置いてください。なければ作り、終わると消します。親フォルダーは必要です。

help-allow-remote =
    ほかのマシンのサーバーに負荷をかける

    このフラグがなければ拒否します。先にマシンの持ち主に確認してください。

help-run-out =
    結果のフォルダー［既定: ./kurabe-runs/TIME-STUDY］

    まだないフォルダーを指定します。

help-run-resume =
    中断した測定を続ける

    測定のフォルダーを指定します。スタディ、ストア、マシンが前と同じかを確かめ、妨げられたジョブを測り直します。

help-run-allow-evictions =
    メモリーがいっぱいになると行を捨てるサーバーも測る

    そのサーバーを使うほかの人の行が消えることがあります。

help-run-keep =
    ストアのデータフォルダーを残す

    場所は出力の最後に示します。不要になったら自分で消してください。

help-run-anyway =
    マシンが空くのを待たない

    通常は最大 30 秒待ち、妨げられたジョブを測り直します。このフラグではどちらもせず、妨げられた測定では最速のストアを決めません。

help-quiet = 進み具合を表示しない

help-run-json =
    答えを JSON で出力する

    どの文にも id、型つきの引数、英語の文があります。

help-run-tables =
    最後にすべての順位を表示する

    区間、レイテンシー、資源の使用量、集計から除外したものも加わります。

help-run-examples =
    例:
    {"  "}kurabe run                                     スタディの一覧
    {"  "}kurabe run quick                               小さな行、組み込みストア
    {"  "}kurabe run web --need 100/s                    Web サービスに足りるか
    {"  "}kurabe run quick --stores sqlite,postgres --durability power
    {"  "}kurabe run primary-key --sizes 10k,100k,1m --budget 10m
    {"  "}kurabe run quick --data rows.tsv --key 1
