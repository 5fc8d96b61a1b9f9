### HTML のページ。

## 見出しと折りたたみ。

page-to-answer = 答えへ移動

page-contents = 目次

page-answer = 答え

page-caution = 注意:

page-numbers = 数値

page-matrix = ストアとフェーズ

page-stores = 各ストアについて: 種類、同時書き込み、ライセンス、最新リリース、バックアップ、スキーマの変更

page-known = 各ストアについて

page-other-stores = ほかのストア

page-excluded = 除外

page-also-suitable = ほかの候補（この測定では測っていないもの）

page-others = ほかのストア（順位順）

page-sentences = 文章による結果と信頼水準

page-in-short = 結果の要約

page-claims = 主張

page-published = 公開された値と今回の値

page-published-short = 公開された値

page-pitfalls = 落とし穴の影響

page-pitfalls-short = 落とし穴

page-clients = ストアのクライアント別の結果

page-clients-short = クライアント

page-axes = 軸

page-durability-settings = 耐久性: 使った設定

page-phase = 順位、レイテンシー、スループットの推移

page-usage = CPU、メモリー、失敗

page-words = 表の用語

page-actions = フェーズ中のアクション

page-resources = メモリーとディスク

page-durability = 耐久性

page-not-counted = 集計から除外したもの

page-all-counted = すべての測定を集計しました。

page-elsewhere = ほかの構成で

page-absent = 測らなかったもの

page-settings = 設定とバージョン

page-machine = マシンとデバイス

page-method = 測定方法

page-repeat = 同じ測定をするには

page-command = コマンド

## 説明。

page-space = { "" }

page-bars = 棒: 首位に対する割合（ラウンドごとに比較）。細い線: その区間。100 % に届く差は偶然かもしれません。右の数字: 測定値。

page-pitfalls-about = 落とし穴は測定方法のよくある誤りで、正しい仕事と同じラウンドで測ります。このページの順位には含まれません。

page-clients-about = 同じストアのクライアントどうしの比較から、言語とライブラリーのコストがわかります。

page-clients-figures = CPU 時間は操作あたりで、クライアントとストア自身のプロセスのものです。起動は、クライアントのプロセスの準備ができるまでの時間で、ほかの値には含まれません。

page-axes-about = スタディが変える条件によって、値がどう変わるかを示します。行数に対して水平な線は、操作の時間が一定であることを表します。合計時間が行数に比例するとき、指数は 1 です。

page-actions-about = クライアントが動いている間に、スタディが行ったアクションです。値はジョブの中央値と範囲です。復旧は、サービスを起動し直してから最初に応答するまでの時間です。

page-resources-about = ラウンドの中央値で、メモリーは最大値です。ディスク: 割り当てられたブロックから空のストアの分を引いた大きさ。フラッシュ時間: 書き込んだデータがディスクに届くまでの時間。

page-durability-losses = 水準: power = 停電でも何も失わない、consistent = 停電で失うのは最新のコミットだけで、データは整合、kill = 強制終了では何も失わない、cache = すべて失うことがある。

page-durability-integrity = 停電後の整合性: I0 = 途中までの整合した状態、I1 = 抜けがありうる、I2 = 修復ツールが必要、I3 = 誤りがあるか開けないことがある。

page-durability-live = 稼働中の設定: 動いているストアが設定を認めたかどうか。

## 測定方法。

page-method-rounds = { $planned } ラウンドのうち { $complete } ラウンドが完了しました。

page-method-jobs = 各ラウンドで、どの候補も新しいプロセスと新しいデータでジョブを 1 つ実行します。順序は乱数で決め、シードは { $seed } です。失敗したジョブはやり直さず、外乱を受けたジョブはやり直します。

page-method-as-shipped = どのストアも出荷時の設定で動かしました。書き込むフェーズの順位は、耐久性の水準ごとにつけます。

page-method-durabilities = どのストアも、それぞれの耐久性（{ $levels }）を満たす最も軽い設定で動かしました。該当する設定がないストアは、より強い設定で動かしました。

page-method-durability = どのストアも、耐久性「{ $level }」を満たす最もコストの低い設定で動かしました（{ $meaning }）。その設定がないストアは、より強い設定で動かしました。

page-method-weakened = ほかの設定、データの場所、コミットの様子がその設定と矛盾するストアは、耐久性を低く扱います。

page-method-generated = データは { $fields } 列の { $rows } 行です。ダミーデータの { $share } は圧縮できます。

page-method-file = データは、ファイルから読んだ { $fields } 列の { $rows } 行です。{ $found }。

page-method-rate = スループット: 完了した操作の数を、最初の開始から最後の終了までの時間で割った値。値はラウンドの幾何平均で、区間は対数上のスチューデントの t 分布による 95 % 区間です。

page-method-ratios = 比はラウンドごとに求めます。比の区間が 1 を含む候補は同順位です。

page-method-levels = 比の区間は、比べた組の数を考慮しています（Holm の方法）。存在しない差を示す順位表は、多くても 20 に 1 つです。

page-method-latencies = レイテンシーは全ラウンドをまとめて集計し、平均はしません。パーセンタイルは、それを超える操作が 10 回以上あるときだけ示し、順序統計量による区間がつきます。

page-method-answers = 誤った答えが 1 つでもあるか、クライアントが打ち切った候補には、順位がつきません。許容する操作の失敗は、フェーズごとに { $failures } 回、load では 0 回です。

## 測定の比較。

page-compare-title = 測定の比較

page-compare-question = 測定の間に何が変わりましたか

page-compare-method = 各測定を測定 1 と、フェーズごと、候補の名前ごとに比べます。

page-compare-above-faster = 比が 1 より大きければ、測定 1 より速くなりました。

page-compare-above-better = 比が 1 より大きければ、測定 1 より良くなりました。

page-compare-below-better = 比が 1 より小さければ、測定 1 より良くなりました。

page-compare-interval = 区間が 1 を含むときは、差は検出されていません。

page-compare-same = マシン、バージョン、設定、スタディは同じです。

page-runs = 測定

page-differences = ほかの違い

page-not-compared = 比較していないもの

page-all-compared = 測定 1 とほかの測定に共通するものは、すべて比較しました。

page-machines = マシンとデバイス

## Kurabe 自身の不具合。

page-fault-template = レポートのテンプレートに値を入れられません: { $error }。kurabe の不具合です。報告してください

page-fault-csv = CSV を書き出せません: { $error }。kurabe の不具合です。報告してください

page-fault-chart = 図「{ $chart }」を描けません: { $error }。kurabe の不具合です。報告してください
