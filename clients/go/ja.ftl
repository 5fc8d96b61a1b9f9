title = Go、接続ごとに 1 ゴルーチン
