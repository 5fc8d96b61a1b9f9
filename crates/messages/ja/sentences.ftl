### 結果を述べる文。

sentence-at = { $at }: { $sentence }

sentence-then = { $first }{ $next }

### 順位がつかないとき。

sentence-no-ranking-no-job = エラーなく終わったジョブがないため、順位はつきません。

sentence-no-ranking-few-rounds =
    { $planned } ラウンドのうち測定できたのは { $measured } ラウンドです。順位には { $needed } ラウンド必要です。

sentence-no-ranking-nobody = 順位を決めるフェーズを問題なく終えたストアがないため、順位はつきません。理由は下に示します。

### 首位。

sentence-only-ranked = { $phases }で順位がついたのは{ $names }だけです。

sentence-first = { $phases }では「{ $name }」が{ $metric ->
    [rate] 最速
   *[other] 最良
 }です。

sentence-first-unstable = { $phases } では「{ $name }」の平均が最良でした。

sentence-tie = { $phases }では{ $names }が同順位です。平均は「{ $best }」のほうが{ $metric ->
    [rate] 高い
   *[other] 良い
 }値です。

sentence-tie-of-many = { $phases }では { $stores } 個のストアが同順位です。平均は「{ $best }」が{ $metric ->
    [rate] 最高
   *[other] 最良
 }です。

sentence-no-single-winner = 首位はフェーズによって異なります。どれが最適かは、仕事の内訳によります。

### フェーズ。速さ以外で順位をつけたときはその指標、順位の対象が限られるときはその条件を添える。

sentence-phase = { $phase }{ $metric ->
    [rate] { "" }
   *[other] （{ $metric }）
 }{ $among-count ->
    [0] { "" }
   *[other] （{ $among }）
 }

sentence-phase-tied = { $phase }（「{ $second }」は「{ $best }」の { $low }～{ $high } 倍）

sentence-phase-led = { $phase }（「{ $next }」の { $times } 倍）

sentence-phase-led-within = { $phase }（「{ $next }」の { $times } 倍、{ $low }～{ $high }）

### 検出できる差。

sentence-unstable = 結論は出ません。測定中のマシンが不安定でした。マシンが空いているときに測り直してください。

sentence-all-decided = 首位はすべて決まりました。

sentence-all-decided-but = { $phases } で順位がついたのは 1 つだけです。ほかの首位はすべて決まりました。

sentence-uncontested = 比較する相手がなく、首位を争うストアはありませんでした。

sentence-tied = { $phases } の首位は決まりません。

sentence-detectable = 検出できる最小の差: { $difference }。

sentence-detectable-range = 検出できる最小の差: { $least }（{ $least_phase }）～{ $most }（{ $most_phase }）。

sentence-too-noisy = より小さな差を検出するには、フェーズを長くし、ラウンドを増やし（--rounds）、空いているマシンで測ってください。

### 失いうるもの。

sentence-risk = この設定では、{ $who }は{ $loses }。

sentence-risk-unknown = この設定で{ $who }が何を失いうるかは不明です。

sentence-risk-all = 測定したどのストア

sentence-risk-rest = ほかのストア

sentence-wrong-answers = 「{ $candidate }」は { $phases }で誤った答えを返したため、そこでは順位がつきません。

sentence-wrong-in-phase = { $phase }（{ $wrong } 件）

### 軸に沿った変化。

sentence-others-first = { $at }では首位が異なります: { $leads }。

sentence-leads = { $phases } は{ $names }

sentence-time-grows = { $phases }では、時間がデータの量より速く増えます。

sentence-time-open = { $phases }では、時間がデータの量より速く増えるかどうか決まりません。

sentence-time-does-not-grow = どのストアでも、時間の増え方はデータの量の増え方を超えません。

sentence-metric-grows = { $phases }では、データとともに{ $metric }が増えます。

sentence-metric-open = { $phases }では、データとともに{ $metric }が増えるかどうか決まりません。

sentence-metric-does-not-grow = どのストアでも、データが増えても{ $metric }は増えません。

sentence-phase-stores = { $phase }（{ $stores }）

sentence-exponent = 「{ $name }」は行数の { $exponent } 乗

### クライアント。

sentence-client-matters-more = { $phase } では、ストアよりクライアントの影響が大きいです。{ $client }。{ $store }。

sentence-store-matters-more = { $phase } では、クライアントよりストアの影響が大きいです。{ $store }。{ $client }。

sentence-client-or-store = { $phase } では、クライアントとストアのどちらの影響が大きいか決まりません。{ $client }。{ $store }。

sentence-client-effect = { $phase } でのクライアントの影響: { $client }。

sentence-times-within = { $times } 倍（{ $low }～{ $high }）

sentence-between-clients = 「{ $store }」は { $best } 経由のほうが { $worst } 経由より { $times }高速です

sentence-between-clients-by = 「{ $store }」の{ $metric }は { $best } 経由のほうが { $worst } 経由より { $times }良い値です

sentence-between-stores = 同じクライアントでのストアの差は最大 { $times }です（{ $client } 経由の「{ $best }」と「{ $worst }」）

### 予算のために省いたもの。

sentence-skipped = 時間の予算が足りないため、{ $at }では{ $stores }を省きました。

sentence-skipped-after = 「{ $name }」（{ $took }で終わらず）

sentence-skipped-before = 「{ $name }」（約 { $needed }必要）
