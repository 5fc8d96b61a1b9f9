title = PHP、接続ごとに 1 プロセス
