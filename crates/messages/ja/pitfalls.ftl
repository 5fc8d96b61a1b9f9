### 落とし穴が変えたこと。

pitfall-out = 落とし穴「{ $pitfall }」では、{ $candidates }を集計から除外しました: { $reason }。

pitfall-keeps-less = 落とし穴「{ $pitfall }」では、{ $candidates }の耐久性が「{ $corrected }」から「{ $kept }」に下がります。

pitfall-nothing = 落とし穴「{ $pitfall }」による変化は、この測定では検出されませんでした。

pitfall-nothing-else = ほかの変化は、この測定では検出されませんでした。

pitfall-in-phase = { $place }: 落とし穴「{ $pitfall }」では、{ $changes }。

## 首位

pitfall-first-another =
    { $others }に代わって{ $winners }が{ $winners-count ->
        [1] 首位
       *[other] 首位に並ぶ
    }

pitfall-first-same =
    { $winners }が引き続き{ $winners-count ->
        [1] 首位
       *[other] 首位に並ぶ
    }

pitfall-first-changed =
    { $winners }が{ $winners-count ->
        [1] 単独で首位
       *[other] 首位に並ぶ
    }（落とし穴なしでは{ $others }が{ $others-count ->
        [1] 単独で首位
       *[other] 首位に並ぶ
    }）

## 候補ごとの変化

pitfall-effect-out = 「{ $candidate }」は集計から除外（{ $reason }）

pitfall-effect = 「{ $candidate }」の{ $metric }が { $value } 倍

pitfall-effect-interval = 「{ $candidate }」の{ $metric }が { $value } 倍（{ $low }～{ $high }）

pitfall-effect-none = 「{ $candidate }」には比べる数値がありません
