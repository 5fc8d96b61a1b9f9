### `kurabe setup` の表示。

cli-setup-here = { $name } はインストール済みです

cli-setup-still-missing = { $name } はまだインストールされていません: { $reason }

cli-setup-by-hand = { $name }: { $reason }。手動でインストールしてください: { $place }

cli-setup-plan = 実行すること:

cli-setup-nothing = 何もしませんでした。

cli-setup-ask = 続けますか？ [y/N]

cli-setup-no-terminal =
    インストールの前に確認を求めますが、標準入力が端末ではありません
    確認なしでインストールするには --yes を指定してください。

cli-setup-build-client = { $client } クライアントをビルドする

cli-setup-build-app = アプリ「{ $app }」をビルドする

cli-setup-build-needs =
    { $reason }
    必要なもののインストール方法: { $command }

cli-setup-write = 「{ $path }」に書き込めません

cli-setup-too-long = 「{ $command }」が { $limit }以内に終わりませんでした

cli-setup-failed = 「{ $command }」が失敗しました: { $status }

cli-setup-failed-sudo =
    「{ $command }」が失敗しました: { $status }
    sudo にパスワードが必要なら、先に「sudo -v」を実行してください。

cli-setup-answer = 答えを読めません

cli-signals = Ctrl-C を受け取れません
