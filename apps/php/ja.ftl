title = Apache と PHP
summary = Apache（prefork）のプロセスの中の PHP: 要求ごとに何もない状態から始まり、ストアへの接続も要求ごとに開く。
