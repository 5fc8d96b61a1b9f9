### 原典の表の順位が原典の方法で再現したか、何が順位を変えたか。

replication-right = { $table }、{ $column }: 原典の順位は、原典の方法で再現しました: { $order }。

replication-wrong = { $table }、{ $column }: 原典の順位は、原典の方法では再現しませんでした: { $pairs }。

replication-undecided = { $table }、{ $column }: 原典の順位が再現するかは未決です: { $pairs }。

replication-not-measured = { $table }、{ $column }: 原典の方法で測った行が 2 つに足りません。

replication-pair = { $first } の速さは { $second } の、原典で { $theirs } 倍、ここで { $ours } 倍

replication-step =
    「{ $pitfall }」を除くと、差は { $change } 倍になります: { $lead }。{ $best ->
        [none] {""}
       *[other] { $best }
    }

replication-new-best = ここから先は { $best } が最速です。
