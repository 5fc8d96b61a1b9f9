### 数値の前に置く注意: 名前以外も違う候補、状態が一定でないマシン。

caution-drivers = 「{ $one }」は { $one-runs }、「{ $other }」は { $other-runs } を使っています。両者の差にはドライバーの差も入っています。

caution-library-versions = 「{ $one }」は { $one-runs }、「{ $other }」は { $other-runs } を使っています。両者の差にはバージョンの差も入っています。

caution-many-libraries = 「{ $store }」の候補は、ライブラリーまたはそのバージョンが異なります。差にはライブラリーの差も入っています。

caution-service-versions = 「{ $one }」のサーバーは { $one-version }、「{ $other }」のサーバーは { $other-version } です。両者の差にはバージョンの差も入っています。

## 耐久性

caution-weakened = 「{ $candidate }」の耐久性は、設定どおりの「{ $promised }」ではなく「{ $kept }」です: { $why }。失いうるもの: { $lost }。

caution-weakened-setting = 動いているストアの設定は { $setting } = 「{ $found }」

caution-weakened-flushes = { $phase } の { $round } ラウンド目では、{ $commits } 回のコミットに対してディスクのフラッシュは { $flushes } 回だけ（コミットごとに 1 回必要）

caution-weakened-place = データを置いた場所のため（{ $reason }）

caution-weakened-quick = コミットがディスクの同期より速い（{ $phase } の { $round } ラウンド目では書き込みの半分が { $median } 以内。4 KiB の同期書き込みは、この測定を通して 10 回中 9 回が { $sync } 以上）

caution-quick-commits = 「{ $candidate }」のコミットは、その前後に測った同期より速く終わりました。{ $round } ラウンド目の { $phase } では、書き込みの半分が { $median } 以内でした。4 KiB の同期書き込みは 10 回中 9 回が { $sync } 以上でした。{ $follows }

caution-quick-shared = 複数の接続やリクエストが 1 回の同期を共有しうるので、これだけでは何も言えません。

caution-quick-disk = ディスクの速さが変わったので、これだけでは何も言えません。

caution-quick-busy = 実際の耐久性は不明です。ほかの処理がディスクを使っていたため、何もしない同期を見分けられません。ディスクが空いているときに測り直してください。

## マシン

caution-pauses = 「{ $candidate }」: JVM がガベージコレクションで { $pauses } 回止まり、測定時間の { $share } を占めました。ヒープは { $most } のうち最大 { $peak } を使いました。

caution-other-runs = { $jobs } 個のジョブのうち { $disturbed } 個の間、このマシンで別の Kurabe も測定していました。値は、マシンを共有した結果です。測定は 1 つずつ実行してください。

caution-other-programs =
    「{ $phase }」の間、ほかのプログラム{ $programs-count ->
        [0] {""}
       *[other] （{ $programs }）
    }がプロセッサーの { $others } を使っていました。マシンが空いているときに測り直してください。

caution-other-programs-and-steal =
    「{ $phase }」の間、ほかのプログラム{ $programs-count ->
        [0] {""}
       *[other] （{ $programs }）
    }がプロセッサーの { $others } を使い、CPU スチールが { $steal } を占めました。マシンが空いているときに測り直してください。

caution-steal = 「{ $phase }」の間、CPU スチールがプロセッサーの { $steal } を占めました。ホストが空いているときに測り直してください。

caution-throttled =
    「{ $phase }」の間、CPU の割り当て{ $quota ->
        [none] {""}
       *[other] （{ $quota }）
    }を周期の { $share } で使い切りました。その周期が終わるまでプロセスは止まるので、スループットは割り当てで決まります。コントロールグループの cpu.max を上げてください。

caution-processor = プロセッサーの速さが測定中に変わりました。同じ計算が、速いほうの 1 割のジョブの前では { $fast } 以内、遅いほうの 1 割のジョブの前では { $slow } 以上かかりました。スループットにはこの変化も入っています。順位は同じラウンドの中で比べています。
