title = wrk（HTTP の負荷ツール）
