### 結果を述べる文。

sentence-at = { $at }: { $sentence }

sentence-then = { $first }{ $next }

### 順位がつかないとき。

sentence-no-ranking-no-job = エラーなく終わったジョブがないため、順位はつきません。

sentence-no-ranking-few-rounds =
    { $planned } ラウンドのうち測定できたのは { $measured } ラウンドです。順位には { $needed } ラウンド必要です。

sentence-no-ranking-nobody = 決め手のフェーズを問題なく終えたストアがないため、順位はつきません。理由は下に示します。

### 首位。

sentence-only-ranked = 次のフェーズで順位がついたのは{ $names }だけです: { $phases }。

sentence-first =
    「{ $name }」は次のフェーズで{ $metric ->
        [rate] 最速
       *[other] 最良
    }です: { $phases }。

sentence-first-unstable = 「{ $name }」は次のフェーズで平均が最良でした: { $phases }。

sentence-tie =
    { $names }は次のフェーズで同順位です（平均は「{ $best }」が{ $metric ->
        [rate] 最高
       *[other] 最良
    }）: { $phases }。

sentence-tie-of-many =
    { $stores } 個のストアは次のフェーズで同順位です（平均は「{ $best }」が{ $metric ->
        [rate] 最高
       *[other] 最良
    }）: { $phases }。

sentence-no-single-winner = 首位はフェーズによって異なります。どれが最適かは、仕事の内訳しだいです。

### フェーズ。スループット以外で順位をつけたときはその指標、順位の対象が限られるときはその条件を添える。

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

sentence-unstable = 判定できません。測定中、マシンが不安定でした。マシンが空いているときに測り直してください。

sentence-all-decided = すべてのフェーズで首位が決まりました。

sentence-all-decided-but = すべてのフェーズで首位が決まりました。順位がついたストアが 1 つだけのフェーズ: { $phases }。

sentence-uncontested = 比べる相手のあるフェーズはありませんでした。

sentence-tied = 首位を判定できないフェーズ: { $phases }。

sentence-detectable = 検出できる最小の差: { $difference }。

sentence-detectable-range = 検出できる最小の差: { $least }（{ $least_phase }）～{ $most }（{ $most_phase }）。

sentence-too-noisy = より小さな差を検出するには、フェーズを長くし、ラウンドを増やし（--rounds）、空いているマシンで測ってください。

### 失いうるもの。

sentence-risk = この設定では、{ $who }は{ $loses }。

sentence-risk-unknown = この設定で{ $who }が何を失いうるかは不明です。

sentence-risk-all = 測定したすべてのストア

sentence-risk-rest = ほかのストア

sentence-wrong-answers = 「{ $candidate }」は次のフェーズで誤った答えを返したため、順位がつきません: { $phases }。

sentence-wrong-in-phase = { $phase }（{ $wrong } 件）

### 軸に沿った変化。

sentence-others-first = 首位が異なる構成（{ $at }）: { $leads }。

sentence-leads = { $phases } は{ $names }

sentence-time-grows = 次のフェーズでは、時間がデータの量より速く増えます: { $phases }。

sentence-time-open = 次のフェーズでは、時間がデータの量より速く増えるかどうか判定できません: { $phases }。

sentence-time-does-not-grow = どのストアでも、時間の増え方はデータの量の増え方を超えません。

sentence-metric-grows = 次のフェーズでは、データとともに{ $metric }が増えます: { $phases }。

sentence-metric-open = 次のフェーズでは、データとともに{ $metric }が増えるかどうか判定できません: { $phases }。

sentence-metric-does-not-grow = どのストアでも、データが増えても{ $metric }は増えません。

sentence-phase-stores = { $phase }（{ $stores }）

sentence-exponent = 「{ $name }」は行数の { $exponent } 乗

### クライアント。

sentence-client-matters-more = { $phase } では、ストアよりクライアントのほうが大きく影響します。{ $client }。{ $store }。

sentence-store-matters-more = { $phase } では、クライアントよりストアのほうが大きく影響します。{ $store }。{ $client }。

sentence-client-or-store = { $phase } では、クライアントとストアのどちらが大きく影響するか判定できません。{ $client }。{ $store }。

sentence-client-effect = { $phase } でのクライアントの影響: { $client }。

sentence-times-within = { $times } 倍（{ $low }～{ $high }）

sentence-between-clients = 「{ $store }」は、{ $best } 経由のほうが { $worst } 経由より { $times }速くなります

sentence-between-clients-by = 「{ $store }」の{ $metric }は、{ $best } 経由のほうが { $worst } 経由より { $times }良くなります

sentence-between-stores = 同じクライアントでのストアの差は最大 { $times }です（{ $client } 経由の「{ $best }」と「{ $worst }」）

### 予算のために省略したもの。

sentence-skipped = 予算が足りないため、{ $stores }を省略しました（{ $at }）。

sentence-skipped-after = 「{ $name }」（{ $took }で終わらず）

sentence-skipped-before = 「{ $name }」（約 { $needed }必要）

## 保てるレート

sentence-holds = 「{ $candidate }」は { $phase } で { $objective } を保ちながら毎秒 { $rate } 回（{ $low }～{ $high }）を処理できます。10 秒に 1 回操作するユーザーなら約 { $users } 人です。

sentence-holds-once = 「{ $candidate }」は { $phase } で { $objective } を保ちながら毎秒 { $rate } 回を処理できます。10 秒に 1 回操作するユーザーなら約 { $users } 人です。

sentence-holds-none = 「{ $candidate }」は { $phase } で、試したどのレートでも { $objective } を保てません。
