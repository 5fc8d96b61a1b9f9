### 測定の再開。

resume-differs =
    この測定は再開できません: { $what ->
        [study] スタディのフェーズまたはデータ
        [data-file] データファイルまたはその内容
        [candidates] 候補、そのバージョンまたは設定
        [definitions] --definitions のストア、クライアントまたはアプリ
       *[kurabe] kurabe のバージョン
    }が開始時と異なります

resume-elsewhere =
    この測定は、ここでは再開できません。異なるマシンやディスクの値が混ざります:
    { $changes }
    始めた場所で同じ --dir を指定して再開するか、新しく測ってください

resume-password = { $reason }。サーバーにパスワードが必要なら、--stores で候補をすべて指定し直してください

resume-repeating = ほかのプログラムに妨げられた { $jobs } 個のジョブを測り直します。
