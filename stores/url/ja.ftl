title = HTTP サービスへのリクエスト 1 つ
summary = 自分のサービスに同じリクエストを繰り返し送る。送るのはアプリにリクエストを送るのと同じクライアント: ab や wrk と同じことを、ラウンドを繰り返し、順番を入れ替え、区間つきで行う。
durability-unknown-window = サービスが約束する範囲による
durability-unknown-reason = アドレスの先にあるものは調べない。
