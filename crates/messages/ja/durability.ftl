### ストアが守るものと、失いうるもの。kill はプロセスの強制終了と書く。

durability-loss-nothing = なし

durability-loss-last-commit = 最後の 1 コミット

durability-loss-commits = 最大 { $commits }

durability-loss-time = 最大 { $window }分のコミット

durability-loss-bytes = 最大 { $size } の書き込み

durability-loss-checkpoint = 最後のチェックポイント以降の最大 { $commits }（読み取りがチェックポイントを遅らせるとそれ以上）

durability-loss-checkpoint-bytes = 最後のチェックポイント以降のすべてのコミット（最大 { $size }）

durability-loss-writeback = まだディスクに書き戻されていないもの（通常は約 30 秒分のコミット）

durability-loss-everything = すべて

### 表のセルに書く短い形。

durability-cell-bytes = { $size } 分

durability-cell-writeback = 約 30 秒分

### 述部。主語は前に置く。

durability-loses-nothing = プロセスの強制終了でも停電でも何も失いません

durability-can-lose-in-both =
    プロセスの強制終了や停電で、{ $loss }を失うことがあります{ $damage ->
        [none] { "" }
       *[other] 。停電では{ $damage }
    }

durability-can-lose-in-power-failure =
    停電で、{ $loss }を失うことがあります{ $damage ->
        [none] 。プロセスの強制終了では何も失いません
       *[other] 。停電では{ $damage }。プロセスの強制終了では何も失いません
    }

durability-can-lose-in-each =
    プロセスの強制終了では{ $kill }を、停電では{ $power }を失うことがあります{ $damage ->
        [none] { "" }
       *[other] 。停電では{ $damage }
    }

durability-loses-nothing-but = プロセスの強制終了では何も失いませんが、停電では{ $damage }

durability-leaves-gaps = 途中の書き込みが抜けることがあります

durability-needs-repair = 修復ツールが必要になることがあります

durability-is-damaged = データが壊れるか、開けなくなることがあります

### 一つのストアについて、文の途中に書く短い形。

durability-short-nothing = 何も失いません

durability-short-in-power-failure =
    { $loss }を停電で失うことがあります{ $damaged ->
        [yes] （データも壊れうる）
       *[no] { "" }
    }

durability-short-in-crash =
    { $loss }をプロセスの強制終了で失うことがあります{ $damaged ->
        [yes] （データも壊れうる）
       *[no] { "" }
    }

### 最低限の耐久性。

durability-named = 耐久性 { $minimum }

durability-quoted = 「{ $minimum }」

durability-quoted-window = 「損失 { $window }以内」

durability-profile = プロファイル { $profile }

durability-needs-power = 停電でも何も失ってはならない

durability-needs-consistent = 停電で最新のコミットを失ってもよいが、データの整合性は保つ

durability-needs-window = 最大 { $window }分のコミットを失ってもよい

durability-needs-window-commits = 最大 { $commits }を失ってもよい

durability-needs-kill = プロセスの強制終了では何も失ってはならない

durability-needs-nothing = すべて失ってもよい

durability-as-shipped = 各ストアを出荷時の設定で使う

## 記述子にない、失われうるもの。

window-of-device = 停電時にすべて（ディスクに確実に残るものはない）

window-of-early-answers = 停電時に最後に応答した分（ディスクに届く前に応答している）

## 強制終了で失われたもの。

loss-found = 結果

### 故障するディスク

fault-full = 満杯のディスク

fault-write-error = 書き込みの失敗

fault-sync-error = 同期の失敗

fault-read-only = 読み取り専用のディスク

fault-slow = 遅いディスク

fault-went-on = 続行

fault-slower = 低速（レートの { $share }）

fault-waited = 待機

fault-failed = エラーを返す

fault-ended = 終了

fault-by-itself = 書き込みを再開

fault-not-seen = { $time } 以内は再開せず

fault-word-lost = { $writes } 件を喪失

fault-headline-kept = { $trials } 回の試行で、ディスクの故障の後に、設定の許容を超えるデータを失ったストアはありません。

fault-headline-lost = { $stores } は、ディスクの故障の後、確認応答を返した書き込みを失ったか、全行を返しませんでした。

fault-silent = { $fault }の後、{ $time } 以内に書き込みを再開しなかったストア: { $stores }

fault-not-measured = 「{ $candidate }」: { $fault }では判定できた試行なし

fault-lost = 「{ $candidate }」は { $fault }に続く電源断で、確認応答を返した書き込みを最大 { $writes } 件失いました（{ $trials } 回の試行のうち { $times } 回）

fault-damaged = 「{ $candidate }」は { $fault }に続く電源断の後、エラーか、誰も書いていない値を返しました（{ $trials } 回の試行のうち { $times } 回）

fault-not-back = 「{ $candidate }」は { $fault }に続く電源断の後、行を返しませんでした（{ $trials } 回の試行のうち { $times } 回）: { $error }

### 強制終了と電源断

loss-a-kill = 強制終了

loss-a-cut = 電源断

loss-kills = { $count } 回の強制終了

loss-cuts = { $count } 回の電源断

loss-headline-broken = { $stores } は、{ $fault }で設定の許容を超えるデータを失いました。

loss-headline-kept = 比べられる限り、{ $fault }で設定の許容を超えるデータを失ったストアはありません。

loss-headline-control = 対照の損失を検出できなかったため、ほかに損失がなかったことからは何も言えません。もう一度実行してください。

loss-headline-none = 判定できた試行はありません。

loss-kept-by = { $stores }: { $faults }で、確認応答を返した書き込みを失いませんでした。失う割合は最大 { $share }（信頼水準 95 %）。

loss-kept-by-many =
    ほかの { $count } 件: { $faults }で、確認応答を返した書き込みを失いませんでした。失う割合はそれぞれ最大 { $share }（信頼水準 95 %）。

loss-allowed-by-many = ほかの { $count } 件は、確認応答を返した書き込みを失いましたが、設定の許容を超えたものはありません。

loss-lost =
    「{ $candidate }」は { $faults }のうち { $times } 回で、確認応答を返した書き込みを最大 { $writes } 件失いました{ $time ->
        [none] {""}
       *[other] （{ $time }）
    }。設定が許す損失: { $promised ->
        [none] 不明
       *[other] { $promised }
    }。

loss-time = 直前の少なくとも { $time }

loss-damaged =
    「{ $candidate }」は { $faults }のうち { $times } 回の後、エラーか、だれも書いていない値を返しました。設定が許す損失: { $promised ->
        [none] 不明
       *[other] { $promised }
    }。

loss-not-back =
    「{ $candidate }」は { $faults }のうち { $times } 回の後、行を返しませんでした（{ $error }）。設定が許す損失: { $promised ->
        [none] 不明
       *[other] { $promised }
    }。

loss-not-measured = 「{ $candidate }」: 判定できた試行なし

loss-not-measured-since = 「{ $candidate }」: 判定できた試行なし：{ $error }

loss-word-kept = 損失なし

loss-word-allowed = 損失あり（設定の範囲内）

loss-word-lost = 損失あり（比較不能）

loss-word-broken = 設定の許容を超える損失

loss-word-damaged = データの破損

loss-word-not-back = 行を返さない

loss-word-not-back-allowed = 行を返さない（設定の範囲内）

loss-word-damaged-allowed = データの破損（設定の範囲内）

loss-word-caught = 対照: 検出

loss-word-not-measured = 未測定

loss-word-harness-broken = 判定不能（対照の検出なし）

loss-cell-trials = { $trials } 回中 { $lost } 回
