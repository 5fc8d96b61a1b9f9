title = HTTP サービスへの要求 1 つ
summary = 自分のサービスに同じ要求を繰り返し送る。送るのはアプリに要求を送るのと同じクライアント: ab や wrk と同じことを、ラウンドを繰り返し、順番を入れ替え、区間つきで行う。
durability-unknown-window = サービスが約束する範囲による
durability-unknown-reason = アドレスの先にあるものは調べない。
