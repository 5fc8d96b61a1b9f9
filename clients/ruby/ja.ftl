title = Ruby、接続ごとに 1 プロセス
