### Markdown 文書に入れる結果。

## マシン。

markdown-measured-on = 測定環境: { $facts }。同じ測定をもう一度するには:

markdown-cores = { $cores } コア中 { $usable } コア

markdown-quota = CPU の割り当て { $quota }

markdown-fdatasync = fdatasync { $time }

## 公開された比較のページ。

markdown-articles-title = 公開された比較の再測定

markdown-articles-studies = 以下の各スタディは、公開された比較を、答えの確認、交互のラウンド、区間つきで繰り返します。

markdown-articles-claims = スタディは、著者の各結論を測定の前に条件として定めます。判定の意味は [CLAIMS](CLAIMS.md) にあります。

markdown-articles-figures = 落とし穴は公開された方法の誤りで、正しい仕事と同じラウンドで測ります。`kurabe show --full results/NAME` は、各落とし穴の影響と、原典と今回の値を表示します。`kurabe report results/NAME` では図も見られます。

markdown-articles-origin = このページは `make articles` が `results` の記録から書き、テストが照合します。値は記載のマシンだけのものです。お使いのマシンでもスタディを実行してください。

markdown-article-with = { $study }（{ $stores }）

markdown-repeats = { $source } を繰り返します。

markdown-claims-of = { $summary }（{ $source }）

## 文書の目印。

markdown-mark-missing =
    「{ $mark }」の行がありません
    結果を入れる場所に「{ $begin }」と「{ $end }」の行を書いてください

markdown-mark-twice = 「{ $mark }」の行が複数あります。1 つだけ残してください

markdown-mark-order = 「{ $end }」の行が「{ $begin }」より前にあります。入れ替えてください
