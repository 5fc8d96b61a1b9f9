### `kurabe setup` の表示。

cli-setup-here = { $name } はあります

cli-setup-still-missing = { $name } はまだありません: { $reason }

cli-setup-by-hand = { $name } がありません: { $reason }。手で入れてください: { $place }

cli-setup-plan = 行うこと:

cli-setup-nothing = 何もしませんでした。

cli-setup-ask = 続けますか? [y/N]

cli-setup-no-terminal =
    入れる前に確認しますが、標準入力が端末ではありません
    確認なしで入れるには --yes を指定してください。

cli-setup-build-client = { $client } クライアントをビルドする

cli-setup-build-app = アプリ「{ $app }」をビルドする

cli-setup-build-needs =
    { $reason }
    必要なものの入れ方: { $command }

cli-setup-write = 「{ $path }」に書けません

cli-setup-too-long = 「{ $command }」が { $limit } で終わりませんでした

cli-setup-failed = 「{ $command }」が失敗しました: { $status }

cli-setup-failed-sudo =
    「{ $command }」が失敗しました: { $status }
    sudo にパスワードが必要なら、先に「sudo -v」を実行してください。

cli-setup-answer = 答えを読めません

cli-signals = Ctrl-C を受け取れません
