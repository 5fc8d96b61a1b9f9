### 測定どうしの比較: 変わったこと、ほかに違うこと。

compare-copy = 測定 { $run } は測定 { $earlier } のコピー（{ $id }）なので、違いはありません。

compare-other-machine = 測定 { $run } のマシンは測定 1 と違います: { $differences }。比にはマシンの差も入っています。

compare-other-work = 測定 { $run } は { $phases } で測定 1 と別の仕事をしました: { $why }。そこでの比は、ストアやマシンの変化を示しません。

compare-other-operations = 操作が違う

## 変わったこと

compare-nothing = 測定 { $run } には測定 1 と比べられる数値がありません。

compare-no-same-work = 測定 { $run } には測定 1 と同じ仕事の数値がありません。

compare-too-few-rounds = 測定 { $run } はラウンドが少なく、{ $figures }の差を検出できません。

compare-no-difference = 測定 { $run } と測定 1: { $figures }のどれにも差は検出されませんでした。

compare-ties = 測定 { $run } と測定 1: { $figures }のうち { $ties } 個では差が検出されませんでした。

compare-changes = 測定 { $run } と測定 1: { $changes }。{ $figures }のうち { $ties } 個では差が検出されませんでした。

compare-figures = { $count } 個の数値

compare-figures-of-same-work = 同じ仕事の { $count } 個の数値

compare-faster = 速くなったもの: { $figures }

compare-slower = 遅くなったもの: { $figures }

compare-better = 良くなったもの: { $figures }

compare-worse = 悪くなったもの: { $figures }

compare-ratio = { $phase } の「{ $candidate }」（{ $ratio } 倍）

compare-ratio-of = { $phase } の「{ $candidate }」（{ $metric }、{ $ratio } 倍）

compare-above-faster = 1 より大きければ速い

compare-above-better = 1 より大きければ良い

compare-below-better = 1 より小さければ良い

compare-right-faster = 線より右が速い

compare-right-better = 線より右が良い

compare-left-better = 線より左が良い

## ほかに違うこと

compare-difference = { $what }: { $one }（測定 1）、{ $other }（測定 { $run }）

compare-difference-of = 「{ $candidate }」の{ $what }: { $one }（測定 1）、{ $other }（測定 { $run }）

compare-subject-study = スタディ

compare-subject-minimum = 最低限の耐久性

compare-subject-cache = サーバーのキャッシュ（MiB）

compare-subject-client = クライアント

compare-subject-durability = 耐久性

compare-subject-library = ライブラリー { $library }

compare-subject-service = サーバーのバージョン

compare-subject-settings = 設定

compare-subject-store = ストア

compare-subject-transport = 接続方法

compare-subject-variant = バリアント

compare-subject-seed = シード

compare-subject-kurabe = Kurabe のバージョン

compare-subject-processor = プロセッサー

compare-subject-cores = 使えるコア数

compare-subject-cpu-quota = CPU の割り当て

compare-subject-kernel = カーネル

compare-subject-memory = メモリー（MiB）

compare-subject-file-system = ファイルシステム

## 行の違い

compare-rows = 測定 1 は { $one } 行、測定 { $run } は { $other } 行

compare-data = データ: { $one }（測定 1）、{ $other }（測定 { $run }）

compare-data-file = 「{ $file }」（CRC-32 { $crc }）

compare-data-generated = 生成したデータ

compare-compressible = 圧縮できる割合: 測定 1 は { $one }、測定 { $run } は { $other }

compare-shape = 行の列が違う

## 比べていないもの

compare-not-ranked = { $phase } の「{ $candidate }」は、測定 { $run } では集計から除外: { $reason }

compare-only-candidates = 測定 { $run } だけにある候補: { $candidates }

compare-only-phases = 測定 { $run } だけにあるフェーズ: { $phases }
