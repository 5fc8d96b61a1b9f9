### 初回の使用前にビルドするクライアントとアプリ。

build-client = { $name } クライアント

build-app = アプリ「{ $name }」

build-lacks = { $what }のビルドに必要な「{ $program }」がインストールされていません

build-started =
    { $what }をビルドします（このバージョンで 1 回だけ）。初回はライブラリーを取得するため数分かかることがあります。ログ: 「{ $log }」

build-done = { $what }を { $time }でビルドしました

build-folder = 「{ $folder }」で{ $what }をビルドできません: { $error }

build-failed = { $what }をビルドできません: { $why }

build-no-product = { $what }のビルドで「{ $product }」ができませんでした。「{ $log }」を見てください

build-slow-start = { $what }は動きますが、本来より起動が遅くなります: { $why }

build-ended = ビルドは{ $how }: { $line }。「{ $log }」を見てください

build-ended-silently = ビルドは{ $how }。出力はありません。「{ $log }」を見てください

build-interrupted = ビルドが中断されました

build-too-long = ビルドが { $limit }以内に終わりませんでした。「{ $log }」を見てください

build-lock-interrupted = 別の測定がビルドしている間に中断されました
