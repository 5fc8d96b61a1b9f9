### 定義フォルダーと、client.toml、app.toml の誤り。

### フォルダーとファイル

definitions-open = 定義フォルダーを開けません: { $error }

definitions-no-parts = 定義フォルダーには { $parts } のどれかのフォルダーが必要です

definitions-unreadable = ファイルを読めません: { $error }

definitions-link = ファイルが「{ $folder }」の外へのリンクです。ファイルをコピーしてください

definitions-misspelt = 定義ファイルの名前は「{ $file }」です。ファイル名を変えてください

definitions-name = 名前は a～z、0～9、「-」「_」からなる 1～64 文字です

definitions-name-differs = 名前「{ $name }」とフォルダー名「{ $folder }」が違います。同じにしてください

definitions-taken =
    { $thing }「{ $name }」はすでにあります。別の名前にするか、置き換えるなら replaces = true を書いてください

definitions-replaces-nothing = replaces = true ですが、置き換える{ $thing }「{ $name }」がありません。削除してください

definitions-extends-circle = extends = '{ $name }' は循環しています。「{ $name }」がこのストアを継承しています

definitions-also = 「also」の「{ $name }」は名前として使えないか、別のクライアントの名前です。別の名前にしてください

### クライアントとアプリ

definitions-no-program = 「run」にプログラムがありません。{ $example } か、インタープリターとファイルを書いてください

definitions-product-outside = 生成物「{ $product }」がビルド先フォルダーの外にあります。中に置いてください

definitions-link-is-proxy = 帯域制限には is_proxy = true が必要です

definitions-app-before = アプリには、ストアとクライアントを書いた [[before]] か、is_proxy = true が必要です
