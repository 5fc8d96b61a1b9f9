### マシン: その特徴と、受け付けないもの。

machine-io =
    { $action ->
        [find] 「{ $path }」が見つかりません
        [examine] 「{ $path }」を調べられません
        [create] 「{ $path }」を作れません
        [open] 「{ $path }」を開けません
        [write] 「{ $path }」に書き込めません
        [sync] 「{ $path }」を同期できません
        [measure] 「{ $path }」の大きさを測れません
        [sync-all] 「{ $path }」のファイルシステムを同期できません
       *[other] 「{ $path }」を使えません（{ $action }）
    }: { $error }。存在し書き込めることを確認するか、--dir で別のフォルダーを選んでください

machine-interrupted = 中断されました

### 特徴

machine-quota-one = プロセッサー 1 個分

machine-quota = プロセッサー { $quota } 個分

machine-disk-full = ディスクがいっぱいです: { $all } のうち空きは { $free }

machine-disk-no-files = ディスクにこれ以上ファイルを作れません: すでに { $files } 個あります

### 測定の開始時と異なる点

machine-changed =
    { $fact ->
        [processor] プロセッサー
        [architecture] アーキテクチャー
        [processors] プロセッサー数
        [usable] 使えるプロセッサー数
        [affinity] アフィニティーによるプロセッサー数
        [kernel] カーネル
        [hypervisor] ハイパーバイザー
        [governor] 周波数ガバナー
        [clock] クロックソース
       *[mount] マウントオプション
    }が「{ $before }」から「{ $now }」に変わりました

machine-memory-changed = メインメモリーが { $before } から { $now } に変わりました

machine-quota-changed =
    CPU の割り当てが{ $before ->
        [none] 「なし」
       *[other] 「{ $before }」
    }から{ $now ->
        [none] 「なし」
       *[other] 「{ $now }」
    }に変わりました

### ファイル

machine-folder = フォルダー

machine-pipe = パイプ

machine-socket = ソケット

machine-device = デバイス

machine-not-a-file = ファイルではなく{ $what }です

machine-file-too-large = { $most } バイトを超えています

machine-not-utf8 = UTF-8 ではありません: { $error }
