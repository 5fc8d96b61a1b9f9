title = siege（HTTP の負荷ツール、接続ごとに 1 スレッド）
