title = 100 Mbit/s の回線
summary = 100 Mbit/s の回線が各方向に通せる量: どのサービスの前にも置ける、Kurabe 自身のプロキシ。
