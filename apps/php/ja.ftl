title = Apache と PHP
summary = Apache（prefork）のプロセスの中の PHP: リクエストごとに何もない状態から始まり、ストアへの接続もリクエストごとに開く。
