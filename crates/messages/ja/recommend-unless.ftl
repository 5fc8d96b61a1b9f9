### 別のものを選ぶべき場合。「ただし、次の場合を除く」の下に並ぶ。

recommendation-unless-phase = { $work }、「{ $candidate }」のほうが { $times } 倍速いです{ $saves ->
    [none] { "" }
   *[other] （{ $saves }）
 }{ $loses ->
    [none] { "" }
   *[other] 。ただし、{ $loses }
 }。

recommendation-work-is-mostly =
    { $operation ->
        [load] 仕事のほとんどが一括の書き込み（{ $phase }）なら
        [read] 仕事のほとんどがキーでの読み出し（{ $phase }）なら
        [scan] 仕事のほとんどが全行の読み出し（{ $phase }）なら
        [latest] 仕事のほとんどが最新行の読み出し（{ $phase }）なら
        [search] 仕事のほとんどが範囲検索（{ $phase }）なら
        [update] 仕事のほとんどが更新（{ $phase }）なら
        [insert] 仕事のほとんどが追加（{ $phase }）なら
        [delete] 仕事のほとんどが削除（{ $phase }）なら
        [increment] 仕事のほとんどが加算（{ $phase }）なら
       *[other] 仕事のほとんどが { $phase } なら
    }

recommendation-saves = 必要なスループットで使うと、1 日に { $time }短縮

recommendation-unless-elsewhere = { $condition }: { $choice }

recommendation-unless-elsewhere-because = { $condition }: { $choice }{ $why }

recommendation-reason-and = { $reason }{ $next }

recommendation-then-take = { $candidates }を選んでください。

recommendation-then-inconclusive = 判定できません。

recommendation-if-durability = { $needs }場合（{ $minimum }）

recommendation-if-tuned = 各ストアを開発元の推奨どおりに設定する場合（プロファイル tuned）

recommendation-if-default = 各ストアを出荷時の設定で使う場合（プロファイル default）

### そのとき選ぶもの。

recommendation-instead = 「{ $candidate }」を選んでください。

recommendation-instead-not-measured = 「{ $store }」が候補です（ここでは未測定）: { $command }

recommendation-instead-not-ranked = 「{ $store }」が候補です（ここでは条件を満たしませんでした）: { $command }

recommendation-instead-nothing =
    { $wanted ->
        [server] サーバーは知られていません
        [sql] SQL が使えるストアは知られていません
        [writers] 複数の接続が同時に書き込めるサーバーは知られていません
        [drivers] ほかの言語のドライバーがあるストアは知られていません
        [isolation] 接続の分離がより強いストアは知られていません
        [expiry] 行を期限で消すストアは知られていません
       *[licence] 別のライセンスのストアは知られていません
    }。

recommendation-unless-several-machines = 複数のマシンから使うなら、{ $instead }

recommendation-unless-several-machines-or-writers = 複数のマシンから使うか、多くの接続が同時に書き込むなら、{ $instead }

recommendation-unless-many-writers = 多くの接続が同時に書き込むなら、{ $instead }

recommendation-unless-queries = 結合や、キー以外の列での検索が必要なら、{ $instead }

recommendation-unless-one-program =
    1 つのプログラムだけが使うなら、サーバーの要らない「{ $candidate }」のほうが少なくとも { $times } 倍速いです。

recommendation-unless-power-fails = 停電でも何も失ってはならないなら: { $command }

recommendation-unless-grows =
    データが増えるなら、10 倍の行で { $phase } の操作 1 回の時間は { $times } 倍になります{ $other ->
        [none] { "" }
       *[other] 。{ $other }
    }。

recommendation-grows-less = 「{ $candidate }」の遅れはそれより小さくなります

recommendation-unless-pauses =
    長い待ち時間が問題なら、{ $slowest }{ $other ->
        [none] { "" }
       *[other] { $other }
    }{ $lock ->
        [none] { "" }
       *[other] { $lock }
    }

recommendation-pauses-of-other = 「{ $candidate }」なら { $time } です。

recommendation-waits-for-lock = 書き込む接続は 1 つのロックを待ち合います。

recommendation-unless-language = プログラムの言語が { $languages } でないなら、{ $instead }

recommendation-unless-isolation =
    { $isolation ->
        [last-write-wins] 2 つの接続が同じ行を変える（ここでは片方の変更が黙って失われうる）なら
        [single-request] 複数の行をまとめて、または読んだ値をもとに変える（ここで不可分なのは 1 リクエストだけ）なら
        [read-uncommitted] ほかの接続の未コミットの変更が見えては困るなら
        [read-committed] 先に読んだ行をもとに変える（ここでは read committed。ロックしないと変更が失われうる）なら
        [repeatable-read] 先に読んだ行をもとに変える（ここでは repeatable read。ロックしないと変更が失われうる）なら
       *[other] 複数の接続が同じ行を変えるなら
    }、{ $instead }

recommendation-unless-rows-expire = 行の期限切れや追い出しをストアに任せるなら、{ $instead }

recommendation-unless-distributed = ソースを公開せずにプログラムを配布する（ライセンス { $licence }）なら、{ $instead }

recommendation-unless-service = ストア自体をサービスとして提供する（ライセンス { $licence }）なら、{ $instead }

recommendation-unless-little-needed = 必要なのが毎秒 { $rate } 回未満なら、無難な選択の「{ $candidate }」でも足ります。

recommendation-unless-more-rows = 行数が { $rows } よりはるかに多いなら（この測定では測っていません）: { $command }

recommendation-unless-less-needed = 毎秒 { $rate } 回で足りる場合。

recommendation-unless-more-connections = 接続を増やして分担できるなら: { $command }

recommendation-unless-less-kept = より多くの書き込みを失ってもよいなら: { $command }

recommendation-unless-disk = ディスクの容量が限られるなら: 1 行に { $size } 必要です。「{ $candidate }」なら { $other } です。
