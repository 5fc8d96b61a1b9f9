title = Perl、接続ごとに 1 プロセス
