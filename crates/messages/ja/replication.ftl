### 原典の表の順位が原典の方法で再現したか、何が順位を変えたか。

replication-before = { $first } > { $rest }

replication-level = { $first } ≈ { $rest }

replication-right = { $table }、{ $column }: 原典の順位は、原典の方法で再現しました: { $order }。

replication-wrong = { $table }、{ $column }: 原典の順位は、原典の方法では再現しませんでした: { $pairs }。

replication-undecided = { $table }、{ $column }: 原典の順位が再現するかは未決です: { $pairs }。

replication-not-measured = { $table }、{ $column }: 原典の方法で測った行が 2 つに足りません。

replication-few-rounds = { $table }、{ $column }: 原典の順位が再現するかは未決です。ラウンドは { $needed } 回必要ですが、{ $rounds } 回です。

replication-pair = 「{ $second }」に対する「{ $first }」の速さは、原典で ×{ $theirs }、ここで { $ours }

replication-level-pair = 「{ $first }」と「{ $second }」は同等: 原典で ×{ $theirs }、ここで { $ours }

replication-step =
    「{ $pitfall }」を除くと、差は { $change } 変わり、{ $lead } になります。{ $best ->
        [none] {""}
       *[other] { $best }
    }

replication-new-best = ここから先は「{ $best }」が最速です。
