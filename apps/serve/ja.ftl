title = Kurabe 自身のサービス
summary = ストアを直接操作するときと同じアダプターを使う、Rust の HTTP サービス: HTTP だけのコストを示す。
