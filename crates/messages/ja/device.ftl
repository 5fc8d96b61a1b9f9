### フォルダーの下のデバイスと、電源断に耐えるかどうか。

device-place = { $file-system }

device-place-on = 「{ $device }」上の { $file-system }

device-moved = ファイルシステムが { $before } から { $now } に変わりました

device-replaced = ファイルシステムが { $place } から別の { $place } に変わりました

### 耐久性「power」を測れない理由

device-refused = { $reason }。--dir でディスク上のフォルダーを選んでください

device-in-memory = 「{ $file-system }」はファイルをメモリーに置きます

device-ignores-flushes = マウントオプション「{ $option }」はフラッシュを無効にします

device-sync-too-fast = fdatasync の中央値が { $median } ns で、{ $least } ns より短く、デバイスに届いていません
