### コマンド行の誤り。

clap-unknown-argument =
    「{ $verb }」に引数「{ $argument }」はありません
    { $hint }

clap-unknown-verb =
    コマンド「{ $name }」はありません
    { $hint }

clap-missing-verb =
    「{ $verb }」にはコマンドが必要です
    { $hint }

clap-no-value =
    「{ $argument }」には値が必要です
    { $hint }

clap-unlisted-value =
    「{ $argument }」の値「{ $value }」は使えません: { $known }を指定してください
    { $hint }

clap-range = { $least }～{ $most } の整数を指定してください

clap-no-number = 整数を指定してください

clap-no-address = 127.0.0.1:8080 のような IP アドレスとポートを指定してください

clap-bad-argument = 「{ $argument }」: { $reason }

clap-bad-value = 「{ $argument }」の値「{ $value }」は使えません: { $reason }

clap-conflict =
    「{ $argument }」は{ $others }と一緒に使えません
    { $hint }

clap-twice =
    「{ $argument }」は 2 回指定できません
    { $hint }

clap-missing =
    「{ $verb }」には{ $arguments }が必要です
    { $hint }

clap-few-values =
    「{ $argument }」には { $least } 個以上の値が必要です（{ $count } 個でした）
    { $hint }

clap-not-utf8 =
    「{ $verb }」の引数に UTF-8 でないものがあります
    { $hint }

clap-hint-nearest = 「{ $nearest }」ではありませんか。フラグの一覧: { $verb } --help

clap-hint-flags = フラグの一覧: { $verb } --help

clap-hint-verb = 「{ $nearest }」ではありませんか。コマンドの一覧: { $verb } --help

clap-hint-verbs = コマンドの一覧: { $verb } --help

clap-moved = 代わりに使うコマンド: { $command }

clap-moved-build = 代わりに使うコマンド: { $command }。ビルドするには: { $build }
