### 端末に表示する答え。

terminal-title = { $study }: { $title }

terminal-cut = { $text }…（残り { $characters } 文字は記録にあります）

## 続きの場所。

terminal-show-full = 詳細       kurabe show --full { $folder }

terminal-records = 記録     { $folder }

terminal-repeat = 再測定   { $command }

terminal-no-room = 幅が足りないため省いた列: { $columns }。端末を広げるか「kurabe show --full { $folder }」を使ってください

terminal-more-cases = ほか { $cases } 件: kurabe show --full { $folder }

terminal-more-stores = ほか { $stores } 個（一覧: kurabe list stores）

terminal-excluded = 除外: { $stores }

## 節。

terminal-in-short = 要約

terminal-stores = 各ストアについて

terminal-differences = ほかの違い

terminal-not-compared = 比較していないもの

terminal-pitfall = 落とし穴: { $pitfall }

terminal-at = { $at }

terminal-section-at = { $section }（{ $at }）

terminal-actions = ジョブの中央値と範囲。復旧時間はサービスを起動し直した時からの時間

terminal-resources = ラウンドの中央値。メモリーは最大値

terminal-ranks-by-phase = { $rounds }。# は各フェーズの順位

## 主張。

terminal-verdicts = { $verdicts }: { $claim }

terminal-claims-source = 出典: { $source }

terminal-claims-of-others = スタディの主張のうち { $claims } 件は、ほかのストアについてのものです: kurabe claims { $folder }

## 測定の比較。

terminal-run = 測定 { $run }  { $study }（{ $started }）、kurabe { $kurabe }、{ $name }

terminal-against-first = 測定 1 との比較。{ $good }
