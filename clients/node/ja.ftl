title = Node、すべての接続が 1 つのイベントループ
