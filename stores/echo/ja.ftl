title = Echo（ストアではない）
summary = 期待どおりの答えを返し、データは持たない。Kurabe 自身のループ、値、検査のコストを示す。
durability-memory-window = クライアントの終了時に、すべて
durability-memory-reason = 何も保存しない。
