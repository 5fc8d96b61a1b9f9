### 実行の再開。

resume-differs =
    この実行は再開できません: { $what ->
        [study] スタディのフェーズまたはデータ
        [data-file] データファイルまたはその内容
        [candidates] 候補、そのバージョンまたは設定
        [definitions] --definitions のストア、クライアントまたはアプリ
       *[kurabe] kurabe のバージョン
    }が開始時と異なります

resume-elsewhere =
    この実行はここでは再開できません。異なるマシンやディスクの数値が混ざります:
    { $changes }
    始めた場所で同じ --dir を指定して再開するか、新しく実行してください

resume-password = { $reason }。サーバーにパスワードが必要なら、--stores で候補をすべて指定し直してください

resume-repeating = 他のプログラムに乱された { $jobs } 個のジョブを測り直します。
