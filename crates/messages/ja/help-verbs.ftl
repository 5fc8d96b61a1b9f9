### `kurabe` 自体、動詞、`kurabe run` にないフラグのヘルプ。

help-kurabe =
    データストアを比べる: 検証つきの同じ仕事を、公平に繰り返す

    各ストアに同じ仕事を、ラウンドごとに順番を入れ替えてさせます。ストアの答えはすべて検証し、どの値にも区間がつきます。

help-kurabe-examples = まずはこれを:  kurabe run quick

help-short-begin =
    Kurabe は、自分の仕事と自分のマシンで、データストアを測って比べます。
    各ストアに、検証つきの同じ仕事を、ラウンドごとに順番を入れ替えてさせます。
    選ぶべきストアと、どんな場合に選択が変わるかを答えます。

help-short-end =
    まずはこれを:    kurabe run quick
    コマンドの一覧:  kurabe --help

### 動詞

help-run = スタディを実行する: ストアを起動し、仕事をさせ、本当の差を示す

help-plan = スタディが何をするかを示す: 候補、順序、時間、ディスク

help-list = ストア、クライアント、アプリ、スタディの一覧か、1 つの詳細を示す

help-setup = 足りないストア、クライアント、アプリをインストールする

help-new = 自分のスタディ、ストア、クライアントのひな形を作る

help-show = 測定の結果を端末に表示する

help-report = 測定の HTML ページを作る（複数なら並べて比べる）

help-compare = 複数の測定を、最初の測定と比べて表示する

help-claims = スタディの主張を、測定の結果で判定する

help-serve = 1 つのストアの上で掲示板を動かす（ブラウザーと HTTP 用）

help-doctor = マシンと、データを置くディスクを調べる

help-dev = クライアントの試験、オーバーヘッドの測定、補完とスキーマの出力

help-wire = Kurabe がクライアントに送る行を出力する（手で試すため）

help-selftest =
    このマシンで Kurabe を試験する：オーバーヘッド、開ループ、答えの規則
    試験は overhead、lag、stall、account、queue、ranking です。名前がなければすべて実行します。各値は正しい値と並べて表示します。
    不合格があれば終了ステータスは 1 です。

help-selftest-trials = 試験するもの。省略時はすべて

help-selftest-time = lag、stall、queue の各フェーズの長さ（'10s' など）。省略時は 30 秒

help-generate = シェルの補完、man ページ、JSON Schema を出力する

### 見出し

help-heading-usage = 使い方

help-heading-commands = コマンド

help-heading-arguments = 引数

help-heading-options = オプション

help-heading-compared = 何を比べるか

help-heading-amount = どれだけ測るか

help-heading-claims = 落とし穴と主張

help-heading-data = ファイルの行

help-heading-where = どこで測るか

help-heading-shown = 何を表示するか

help-heading-everywhere = 共通

### 共通

help-definitions =
    このフォルダーのストア、クライアント、アプリ、スタディも使う

    フォルダーは「kurabe new store」と「kurabe new client」で作れます。フラグは繰り返せます。
    ~/.config/kurabe にあるものは、常に読み込みます。

help-language =
    答えとヘルプの言語: en、ja［既定: 環境変数による］

    LC_ALL、LC_MESSAGES、LANG のうち、設定されている最初のもので決まります。JSON は常に英語です。

help-help =
    ヘルプを表示する

    -h は各フラグを 1 行で、--help は理由も含めて表示します。

help-version = バージョンを表示する

help-json =
    JSON で出力する

    どの文にも id、型つきの引数、英語の文があります。

### list、setup、new

help-list-what = stores、clients、apps、studies、またはその 1 つの名前［既定: 概要］

help-list-name =
    1 つだけを詳しく表示する

    スタディではファイルを出力します。自分のスタディの出発点になります。

help-setup-stores =
    インストールするもの: STORE、STORE:VARIANT、+CLIENT、+CLIENT:DRIVER、/APP

    実行するコマンドを先に示し、確認を求めます。

help-setup-all = ここにインストールできるすべてのストア、バリアント、クライアント、アプリ

help-anew = インストール済みのものも入れ直す（新しいバージョンにするため）

help-yes = 確認を求めない

help-new-what =
    作るスタディファイル（my.toml など）、または store、client

    ファイルはそのまま実行できます。各キーの説明がコメントにあります。

help-new-name = ストアまたはクライアントの名前

help-extends =
    新しいストアと同じプロトコルを話す、既存のストア

    独自のプロトコルのストアはクライアントと一緒に作ります: kurabe new client NAME

help-into = 定義を書き出すフォルダー［既定: definitions］

### show、report、compare、claims

help-show-run = 測定のフォルダー、または ./kurabe-runs の中の名前［既定: 最新］

help-show-full =
    すべて表示する: 全順位、レイテンシー、資源の使用量、主張

    集計から除外したものと、その理由も表示します。

help-by =
    スタディの指標の代わりに、これで順位をつける

    指標は rate、rows-rate、highest-rate、p50、p90、p99、p99.9、client-cpu、service-cpu、memory、disk-per-row です。

help-csv = CSV で出力する: フェーズと候補ごとに 1 行

help-bom =
    --csv の先頭に BOM をつける

    表計算ソフトによっては、UTF-8 として読むために必要です。

help-report-runs =
    測定のフォルダー、または ./kurabe-runs の中の名前［既定: 最新］

    複数あれば、並べて比べるページになります。

help-open = ページをブラウザーで開く

help-report-out =
    書き込むファイル［既定: 測定のフォルダーの report.html］

    複数の測定では、最初のフォルダーの compare.html が既定です。

help-splice =
    答えを Markdown ファイルに書き込む

    「<!-- kurabe:result -->」と「<!-- /kurabe:result -->」の行の間に書き込みます。ほかは変えません。
    スタディ名を付けた「<!-- kurabe:result crash -->」の間には、そのスタディの測定だけを書き込みます。

help-articles =
    これらの測定から、公開された比較についてのページを作る

    記事ごとの一画面に、順位が再現したか、何が順位を変えたか、どの結論が正しいかが入ります。
    名前が「.html」で終わると、図とすべての表が付いたページになります。ほかの名前では Markdown になります。

help-report-tables = --splice に、全順位、資源の使用量、耐久性も含める

help-compare-runs =
    測定のフォルダー、または ./kurabe-runs の中の名前

    最初のものを基準にして、ほかを比べます。

help-same-machine =
    最初と違うマシンの測定があれば失敗する

    マシンが違うと、値はさまざまな理由で変わります。CI でそのような比較を防げます。

help-claims-run = 測定のフォルダー、または ./kurabe-runs の中の名前［既定: 最新］

help-of =
    代わりに、このスタディの主張を判定する

    指定しなければ、測定の前に定めた主張を判定します。指定すると、主張が測定の後のものであることを答えに示します。

### serve

help-store = ストア: STORE、STORE:VARIANT、またはそれに @URL をつけたもの

help-serve-data =
    投稿を置くフォルダー

    なければ作り、次に起動したときも投稿を引き継ぎます。指定しなければ、終了すると投稿は消えます。

help-listen =
    待ち受けるアドレス［既定: 127.0.0.1:8080］

    ほかのマシンから使うには、0.0.0.0:8080 など、このマシンのアドレスを指定します。

help-port = --listen 127.0.0.1:N の略

help-threads =
    スレッド数。それぞれがストアに 1 つの接続を持つ［既定: 8］

    ストアの接続数の上限がこれより少なければ、スレッドも減らします。

help-serve-durability =
    投稿の最低限の耐久性［既定: power］

    水準は power、consistent、window=1s、window=100commits、kill、cache です。default は出荷時の設定です。

help-hosts =
    サービスの別のホスト名。例: board.example

    知らない名前へのリクエストは拒否します。フラグは繰り返せます。

### dev

help-candidate =
    候補を 1 つ

    サーバーにはアドレスが必要です。例: redis@redis://127.0.0.1:6379

help-generate-what =
    出力するもの: bash、zsh、fish、man、schema-run、schema-entry、schema-answer

    bash、zsh、fish は補完です。man はすべてのコマンドの man ページです。
    schema-run は run.json、schema-entry は jobs.jsonl の 1 行、schema-answer は --json の出力のスキーマです。
