### 公開された比較についてのページ。記事ごとに一画面。

article-question-word = 問い。

article-answer-word = ここでの答え。

article-order-word = 順位は再現したか。

article-steps-word = 順位を変えたもの（影響の大きい順）:

article-claims-word = 著者は正しかったか。

article-not-judged-word = 判定しなかったもの。

article-original = 「{ $title }」

article-source =
    { $original ->
        [none] {""}
       *[other] { $original }、
    }{ $site }、{ $date }

article-measured-on = 測定環境: { $facts }。

article-case-more = { $all }{ $next }

article-answer =
    { $headline }{ $because ->
        [none] {""}
       *[other] 理由: { $because }
    }{ $unless ->
        [none] {""}
       *[other] ただし: { $unless }
    }

article-counts =
    結論 { $claims } 件のうち、{ $counted }。{ $not_judged ->
        [0] {""}
       *[other] 判定しないもの { $not_judged } 件。
    }

article-order = 原典の方法で測った公開値は { $columns } 列です。再現した列: { $right }、再現しなかった列: { $wrong }、未決: { $open }。

article-order-not-measured = まだ測っていません。「kurabe run { $study } --as-published」 で分かります。

article-why =
    { $finding ->
        [none] {""}
       *[other] { $finding }
    }{ $more ->
        [0] {""}
       *[other] （ほか { $more } 件）
    }{ $stand_ins ->
        [none] {""}
       *[other] 。{ $stand_ins }
    }

article-not-judged = { $says }（{ $why }。）

article-figures = 結論の後の値には、測定した候補の名があります。著者が使ったプログラムか、その代わりです。比は、ほかの値の名がなければスループットの比です。

## HTML のページ。

article-tables = すべての判定、公開値とここでの値、落とし穴の影響

article-figures-link = 数字から、その結論についてのすべての判定に移れます。
