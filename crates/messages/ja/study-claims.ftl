### スタディの主張、割り当て、公表値の誤り。

### 主張

study-claim-no-name = 主張には名前が必要です（例: name = "sqlite-first"）

study-claim-a-name = a～z、0～9、「-」「_」「.」からなる 1～{ $most } 文字

study-claim-says = 主張には { $most } 文字までの文が必要です。says = "…" を書いてください

study-claim-control = says に制御文字「{ $character }」があります。取り除いてください

study-claim-states-nothing = この主張には条件がありません。次のどれかを書いてください: { $keys }

study-claim-two-conditions =
    「{ $first }」と「{ $second }」は 2 つの条件です。all = […] か any = […] に入れてください

study-claim-foreign-key = { $keys-count ->
    [0] 「{ $key }」は「{ $head }」とともに使えません。削除してください
   *[other] 「{ $key }」は「{ $head }」とともに使えません。使えるのは { $keys } です。削除してください
 }

study-claim-inner-keys = 「name」「says」「durability」「bindings」は主張のキーで、中の条件には書けません

study-claim-inner-not-judged = 「not_judged」と「known」は主張全体に対するものです。別の主張にしてください

study-stands-for-reason = 「{ $part }」の「stands_for」には、{ $most } 文字以内の理由が必要です

study-stands-for-missing =
    「{ $candidate }」は原典の「{ $part }」ではありません。「stands_for」に理由を書くか、原典のプログラムを指定してください

study-claim-no-condition = 一覧に条件がありません。1 つ以上書いてください

study-claim-no-phase = 主張にフェーズがありません。次のどれかを phase = "…" で指定してください: { $known }

study-claim-needs = 主張に { $needed } が必要です

study-claim-durability = 耐久性「{ $level }」の設定を持つ候補がスタディにありません。別の水準にするか、削除してください

### 比較

study-claim-no-than = 「{ $candidate }」の比較相手がありません。than = "…" を書いてください

study-claim-itself = 「{ $candidate }」を同じ条件の自分自身と比べています。別の候補を指定してください

study-claim-among = 「among」に「{ $candidate }」しかありません。ほかの候補を加えるか、すべてのストアを対象にするなら削除してください

study-claim-a-factor = 0 より大きい倍率

study-claim-a-factor-above-one = 1 より大きい倍率（1.1 など）

study-claim-no-factor-between = { $low } と { $high } の間に値がありません。by_at_least を小さいほうにしてください

study-claim-empty-bounds = 下限と上限の間に値がありません。下限を小さいほうにしてください

study-claim-no-bound = 主張に上限も下限もありません。少なくとも一方を書いてください

study-claim-factors-need-than = 「by_at_least」と「by_at_most」は 2 つの候補の間の倍率です。than = "…" も書いてください

study-claim-amount-of-one =
    「at_least」と「at_most」は 1 つの候補の量です。2 つの間では「by_at_least」か「by_at_most」を使ってください

### 増え方と変化

study-claim-growth-rows = 増え方についての主張には複数の行数が必要です。スタディに rows の [[axis]] を書いてください

study-claim-growth-at = 増え方は行数に対するものです。「at」の「rows」の代わりに「from」と「to」を書いてください

study-claim-growth-order = 増え方は少ない行数から多い行数へ見ます。{ $from } から { $to } は逆です

study-claim-change-same = 「{ $axis }」の変化の前と後が、どちらも { $value } です

study-claim-axis-phase = 軸「{ $axis }」はフェーズ「{ $phase }」を変えません

### 量

study-claim-an-amount = 0 より大きい量

study-claim-a-rate = 毎秒などの回数（1000/s など）

study-claim-a-time = 時間（5ms など）

study-claim-a-size = サイズ（100 MiB など）

study-claim-for-metric = { $metric } には{ $expected }

### 公表値

study-claim-column-of = 列「{ $column }」の「of」は個々の操作の時間のためのものです。unit = "ms" にしてください

study-claim-row-length =
    行「{ $row }」の値は { $values } 個ですが、表の列は { $columns } 個です。欠けた値は「–」と書いてください

study-claim-one-place = 公表値は 1 つの条件の値です。「every」の代わりに値を書いてください

study-claim-minutes = "5:18" のような分と秒、欠けた値には「–」

study-claim-a-figure = 0 より大きい数値、欠けた値には「–」

study-claim-column-no-phase = 列「{ $column }」には、その作業をしたフェーズが必要です。列か行に「phase」を書いてください
