### Markdown 文書に入れる結果。

## マシン。

markdown-measured-on = 測定環境: { $facts }。同じ測定をもう一度するには:

markdown-cores = { $cores } コア中 { $usable } コア

markdown-quota = CPU の割り当て { $quota }

markdown-fdatasync = fdatasync { $time }

## 公開された比較のページ。

markdown-articles-title = 公開された比較の再測定

markdown-articles-studies = 以下の各スタディは、公開された比較を測り直したものです。答えをすべて検証し、ラウンドごとに順番を入れ替え、値に区間をつけます。著者の各結論は、測定の前に条件として書いてあります。判定の意味は `docs/CLAIMS.md` にあります。

markdown-articles-method = 落とし穴は、公開された測り方にある誤りです。`--as-published` は、すべての落とし穴を含む原典の方法で測り、その後、落とし穴を一つずつ除きます。

markdown-articles-figures = `kurabe report results/* --articles articles.html` には、図とすべての表もあります。

markdown-articles-origin = 値は記載のマシンでのものです。自分のマシンでもスタディを実行してください。

markdown-claims-of = { $summary }（{ $source }）

## 文書の目印。

markdown-mark-missing =
    「{ $mark }」の行がありません
    結果を入れる場所に「{ $begin }」と「{ $end }」の行を書いてください

markdown-mark-twice = 「{ $mark }」の行が複数あります。1 つだけ残してください

markdown-mark-order = 「{ $end }」の行が「{ $begin }」より前にあります。入れ替えてください
