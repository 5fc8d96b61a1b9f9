title = Python、接続ごとに 1 プロセス
