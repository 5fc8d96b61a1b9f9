### フォルダーの下のデバイスと、電源断に耐えるかどうか。

device-place = { $file-system }

device-place-on = 「{ $device }」上の { $file-system }

device-moved = ファイルシステムが変わりました: { $before } → { $now }

device-replaced = ファイルシステムが、種類は同じでも別のものに変わりました: { $place }

### 耐久性「power」を測れない理由

device-refused = { $reason }。--dir でディスク上のフォルダーを選んでください

device-in-memory = 「{ $file-system }」はファイルをメモリーに置きます

device-ignores-flushes = マウントオプション「{ $option }」はフラッシュを無効にします

device-sync-too-fast = fdatasync の中央値が { $median } ns（{ $least } ns 未満）なので、デバイスに届いていません
