### 候補の誤り: STORE[:VARIANT][+CLIENT[:DRIVER]][/APP…[+TOOL]][@URL]。

### アドレス

study-candidate-bare-address =
    アドレスは redis@redis://127.0.0.1:6379 のように、ストア名と「@」の後に書きます。
    自分の HTTP サービスには url@http://127.0.0.1:8080/path を使ってください

study-candidate-no-scheme = アドレスが redis://127.0.0.1:6379 のようなスキームと「://」で始まっていません

study-candidate-port = ポートは 0～65,535 の数です

study-candidate-host-name = ホストが名前でも IP アドレスでもありません

study-candidate-host =
    アドレスのホストとポートを読み取れません（{ $error }）。redis://127.0.0.1:6379 のように書いてください

study-candidate-host-or-store =
    アドレスのホストとポートを読み取れず、カンマの後もストア名ではありません。
    redis://127.0.0.1:6379 のように書いてください

study-candidate-late-user =
    アドレスのホストの後に「@」があります。
    ユーザー名とパスワードの「/」「?」「#」「@」は %2F、%3F、%23、%40 と書いてください

study-candidate-late-comma =
    アドレスのホストの後にカンマがあり、続きはストア名ではありません。
    アドレスの一部であるカンマは %2C と書いてください

study-candidate-comma =
    アドレスとカンマの後に、知らない{ $thing }があります。
    候補ごとに --stores を分けるか、アドレスのカンマを %2C と書いてください

study-candidate-comma-query =
    アドレスの「?」の後のカンマは、アドレスの一部かもしれません。
    候補ごとに --stores を分けるか、アドレスのカンマを %2C と書いてください

study-candidate-no-server = { $store } はサーバーではなく、アドレスがありません。アドレスを削除してください

study-candidate-needs-address = このストアには url@http://127.0.0.1:8080/path のようなアドレスが必要です

study-candidate-at-address =
    アドレスを指定したストアは設定を変えずに測るため、「{ $key }」は使えません。削除してください

study-candidate-app-address = アプリはストアとともに Kurabe が起動します。アドレスを削除してください

### ストアとクライアント

study-candidate-none = ストアが指定されていません。「kurabe list stores」で一覧を表示できます

study-candidate-not-driven = クライアント「{ $client }」は { $store } に対応していません。対応するのは { $stores } です

study-candidate-one-driver = このクライアントのこのストア用ドライバーは 1 つだけで、名前がありません。名前を削除してください

study-candidate-no-variant = { $driver } が対応する { $store } は { $variants } だけで、「{ $variant }」には対応していません

### アプリと負荷ツール

study-candidate-not-proxy = { $app } はストアの手前に置くもので、別のサービスの手前には置けません

study-candidate-is-proxy = { $app } は「{ $example }」のように、別のサービスの手前に置きます

study-candidate-needs-proxy = { $app } は HTTP を話しません。手前に Web サーバーを置いてください: 「{ $example }」

study-candidate-app-store = { $app } は「{ $store }」の手前には置けません。置けるのは { $stores } の手前です

study-candidate-app-client = { $app } が「{ $store }」に使うのは { $clients } で、「{ $client }」ではありません

study-candidate-asked-by = 「asked_by」は「app」に負荷をかけるツールですが、アプリがありません。「client」に書いてください

study-candidate-plain-get = { $client } は単純な GET を送るだけで、応答を検証しません。「settings」を削除してください

### 表

study-candidate-name = 名前は 1～{ $most } 文字で、制御文字は使えません

study-candidate-no-service = { $store } はサーバーではないため、「{ $key }」は効きません。削除してください

study-candidate-built-in = { $store } は組み込みなので、別の「binary」は使えません。削除してください

study-candidate-durability =
    「{ $setting }」は耐久性の設定の一部です。次のどれかを durability = "NAME" で指定してください: { $known }
