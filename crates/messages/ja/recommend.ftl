### 選ぶもの。

recommendation-take = 「{ $candidate }」を選んでください。

recommendation-take-only-measured = 「{ $candidate }」を選んでください。ほかに測定したストアはありません。

recommendation-take-only-left = 「{ $candidate }」を選んでください。ほかに条件を満たすストアはありません。

recommendation-take-clients =
    「{ $store }」を選んでください。クライアントは{ $clients }で、どれも同等です。

recommendation-take-many-clients =
    「{ $store }」を選んでください。同等な { $count } 個のクライアントのどれでもかまいません（例:「{ $first }」）。

recommendation-take-any-client = 「{ $store }」を選んでください。{ $count } 個のクライアントのどれが最速かは判定できません。

recommendation-take-either = { $stores }を選んでください。これらは同等です。

recommendation-take-any = 同等な { $count } 個のストアのどれでもかまいません（例:「{ $first }」）。

recommendation-inconclusive =
    判定できません。{ $why }。{ $ahead-count ->
        [0] { "" }
       *[other] { $ahead }。
    }{ $next }

recommendation-inconclusive-stopped = 測定が途中で止められました

recommendation-inconclusive-few-rounds = ラウンドが少なく、差と偶然を区別できません

recommendation-inconclusive-noisy = この測定で検出できるのは大きな差だけです

recommendation-inconclusive-unstable = 測定中、マシンが不安定でした

recommendation-ahead = { $phases } では「{ $candidate }」の平均が最良でした

recommendation-retry = 測り直すには: { $command }

recommendation-retry-takes = 測り直すには（約 { $takes }）: { $command }

recommendation-resume = 続けるには: { $command }

recommendation-none-enough = 測定したストアのうち、必要な性能に届くものはありません。

recommendation-none-for-them = 測定したストアはすべてライブラリーなので、複数のマシンからは使えません。

recommendation-none-ranked = 条件を満たすストアはありません。決め手のフェーズのすべてで順位がついたストアがないためです。

### ほかの条件のとき。

recommendation-elsewhere = { $condition }なら、{ $candidates }を選んでください。

recommendation-elsewhere-same = { $condition }でも、同じストアを選んでください。

recommendation-elsewhere-inconclusive = { $condition }の場合は、判定できません。

recommendation-same-everywhere = ほかのどの条件でも、同じストアを選んでください。

recommendation-same-otherwise = 残りの条件では、同じストアを選んでください。

recommendation-at-durability = 最低限の耐久性が{ $minimum }

recommendation-at-profile = プロファイルが「{ $profile }」

### ストアの種類。

recommendation-about =
    { $form ->
        [server] 複数のマシンから使えるサーバー
       *[library] プログラムの中で動くライブラリー
    }。{ $model ->
        [sql] SQL で使う
        [documents] ドキュメントを格納
        [wide-column] 多くの列を持つ行を格納
        [text-file] テキストの行を格納
       *[key-value] キーと値を格納
    }。{ $writers ->
        [one] 同時に書き込めるのは 1 接続
       *[several] 複数の接続が同時に書き込める
    }。

### 理由の見出し。

recommendation-because = 理由

recommendation-even-so = それでも確かなこと

### 理由。

recommendation-first = { $leads }で最速です。

recommendation-first-everywhere = 決め手のフェーズのすべてで最速です: { $leads }。

recommendation-lead = { $phase }（「{ $next }」の { $times } 倍）

recommendation-lead-alone = { $phase }

recommendation-level = { $phases } では、これより明らかに速いストアはありません。

recommendation-weakest-phase = ほかのフェーズで最も差があるのは { $phase } で、「{ $first }」のほうが { $times } 倍速いです。

recommendation-enough = 「{ $candidate }」は { $phase } で少なくとも毎秒 { $rate } 回で、必要な{ $need }の { $times } 倍です。

recommendation-all-enough = どのストアも十分に高速です。{ $enough }

recommendation-need = 毎秒 { $rate } 回

recommendation-need-fraction = 毎秒 { $rate } 回

recommendation-nearest = 最も近い「{ $candidate }」は { $phase } で少なくとも毎秒 { $rate } 回で、必要なスループットの { $share } です。

recommendation-slowest = { $phase } では、{ $operations }の { $of } 回に 1 回が { $time } より長くかかります。

recommendation-slowest-longest = { $phase } では、{ $operations }の { $of } 回に 1 回が { $time } より長くかかります（最長 { $longest }）。

recommendation-operations = { $operation ->
    [load] 一括の書き込み
    [insert] 追加
    [read] 読み出し
    [update] 更新
    [delete] 削除
    [scan] 全行の読み出し
    [latest] 最新行の一覧
    [multi-read] 複数行の読み出し
    [increment] 加算
    [search] 範囲検索
   *[other] { $operation }
 }

recommendation-objective-met =
    「{ $candidate }」は { $phase } の{ $operations }の { $share } を { $time } 以内に終えます（{ $asked }）。

recommendation-objective-missed =
    最も近い「{ $candidate }」は { $phase } の{ $operations }の { $share } を { $time } 以内に終えます（{ $asked }）。

recommendation-objective = 求めた目標は { $objective }。閉ループ、この測定の負荷での値

recommendation-held =
    「{ $candidate }」は { $phase } で { $objective } を保ちながら毎秒 { $rate } 回を処理でき、ほかの決め手のフェーズではそれ以上です。

recommendation-held-none =
    最も近い「{ $candidate }」も、{ $phase } で試したどのレートでも { $objective } を保てません。

recommendation-growth = { $from } 行から { $to } 行に増えると、{ $phase } の操作 1 回の時間は、{ $stores }になります。{ $verdict }。

recommendation-growth-of = 「{ $candidate }」で { $times } 倍（{ $from } から { $to }）

recommendation-growth-holds = { $stores ->
    [1] データの増加に耐えます
   *[other] どちらもデータの増加に耐えます
 }

recommendation-growth-does-not-hold = { $stores ->
    [1] データの増加に耐えません
   *[other] どちらもデータの増加に耐えません
 }

recommendation-growth-only = データの増加に耐えるのは{ $names }だけです

recommendation-libraries = { $names }はライブラリーなので、複数のマシンからは使えません。

recommendation-too-weak = { $names }は最低限の耐久性を満たしません。

recommendation-plain = { $used_by ->
    [several-machines] 複数のマシンのプログラムから使うなら
   *[one-program] 1 台のマシンの 1 つのプログラムで使うなら
 }、無難な選択です。

recommendation-plain-because = { $used_by ->
    [several-machines] 複数のマシンのプログラムから使うなら
   *[one-program] 1 台のマシンの 1 つのプログラムで使うなら
 }、無難な選択です（{ $reason }）。

recommendation-trade = { $phase } の差は優位ではなく、速さと安全の引き換えです。選んだストア: { $faster }。「{ $safer }」: { $side }。

recommendation-trade-has-no-less = { $trade }「{ $safer }」には、求める水準を満たす、より弱い設定がありません。

recommendation-trade-side =
    毎秒 { $rate } 回{ $flushes ->
        [none] { "" }
       *[other] （{ $flushes }）
    }{ $loses ->
        [none] { "" }
       *[other] 、{ $loses }
    }

recommendation-one-flush = コミットごとにフラッシュ 1 回

recommendation-flushes = コミットごとにフラッシュ { $flushes } 回

recommendation-safer = { $phase } では「{ $faster }」のほうが { $times } 倍速いですが、{ $loses }。

recommendation-loses = { $loses }。

recommendation-loss-unknown = ただし、何を失いうるかは不明です。

recommendation-retired = ただし、開発元が開発を終了したため、今後のリリースはありません。

recommendation-critical-only = ただし、開発元が直すのは重大な不具合だけです。

recommendation-out-of-support = ただし、測定したバージョン { $version } のサポートは { $until } に終了しています{ $newest ->
    [none] { "" }
   *[other] （{ $newest }）
 }。

recommendation-newest = 最新は { $version }

recommendation-old = ただし、最新のリリース{ $version ->
    [none] { "" }
   *[other] （{ $version }）
 }は { $year } 年のもので、不具合が直らないおそれがあります。

recommendation-version = { $version }

### 選べないもの。

recommendation-excluded = { $candidates }: { $why }

recommendation-excluded-remedy = { $why }。インストール方法: { $remedy }

recommendation-absent = { $reason }

recommendation-not-enough = { $phase } で、必要なスループットの { $share } にしか届きません

recommendation-too-slow = { $phase } の操作の { $share } に最大 { $time } かかります（求めた目標は { $objective }）

recommendation-too-few-operations = 操作が少なく、{ $objective } を判定できません

recommendation-holds-none = { $phase } で試したどのレートでも { $objective } を保てない

recommendation-excluded-retired = 開発元が開発を終了したため、今後のリリースはありません

recommendation-excluded-library = ライブラリーなので、複数のマシンからは使えません

### 測定していないものと、残り。

recommendation-not-measured = { $store }（{ $title }{ $is_plain ->
    [yes] 、無難な選択
   *[no] { "" }
 }）: { $command }

recommendation-not-here = { $store }（{ $title }{ $is_plain ->
    [yes] 、無難な選択
   *[no] { "" }
 }、このマシンでは準備が必要）: { $remedy }

recommendation-behind = { $candidate }: 最良のものより最大 { $times } 倍遅い（{ $phase }）

recommendation-nowhere-behind = { $candidate }: どのフェーズでも遅れていない
