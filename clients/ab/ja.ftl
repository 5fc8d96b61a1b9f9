title = ab（Apache の HTTP サーバーの負荷ツール）
