### 候補と、このマシンにないもの。

resolve-install = 「{ $name }」: { $reason }。インストール方法: { $remedy }

resolve-missing = 「{ $name }」: { $reason }

resolve-nobody = 測れる候補がありません: { $reasons }

resolve-left-out = { $name } は測りません: { $reason }

resolve-left-out-remedy = { $name } は測りません: { $reason }。インストール方法: { $remedy }

resolve-remote = 「{ $name }」はこのマシンにありません。「{ $host }」に負荷をかけてよければ --allow-remote をつけてください

### プログラム、ライブラリー、ファイル

resolve-by-hand = { $error }。必要なもの: { $what }

resolve-variant-file = { $title } の「{ $variant }」には「{ $file }」が必要です

resolve-given-library = { $title } のライブラリーとして指定された「{ $path }」を開けません: { $error }

resolve-no-library = { $title } のライブラリーを開けません: { $errors }

### 耐久性

resolve-no-durability = { $title } に耐久性「{ $minimum }」の設定はなく、ほかの設定は名前で指定する必要があります

resolve-unknown-durability = 「{ $name }」: { $title } に耐久性の設定「{ $setting }」はありません。あるもの: { $known }

### クライアント

resolve-no-servers = サーバーを動かす「{ $program }」がありません

resolve-servers-silent = サーバーを動かすはずの「{ $program }」のバージョンがわかりません

resolve-servers-other = サーバーを動かすはずの「{ $program }」が、別のプログラムです

resolve-servers-build = サーバーを動かす「{ $program }」が、「{ $exe }」と別のビルドです

resolve-no-program = 「{ $program }」がインストールされていません

resolve-client-start = { $client }を起動できません: { $error }

resolve-client-lacks = { $client }に、{ $store } に必要なものがありません

resolve-driver-lacks = { $client }に、{ $store } を { $driver } で使うために必要なものがありません

### アプリ

resolve-app-file = { $title } には「{ $file }」が必要です

resolve-too-old = { $title } にはバージョン { $oldest } 以降が必要ですが、「{ $program }」は { $version } です。{ $variable } で別のプログラムを指定してください
