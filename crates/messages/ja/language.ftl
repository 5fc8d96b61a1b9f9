### メッセージの言語。

language-needs-utf8 =
    ロケール「{ $locale }」の文字コードは { $encoding } ですが、Kurabe の日本語は UTF-8 だけです。
    メッセージは英語で表示します。日本語で表示するには、UTF-8 の端末で LC_ALL=ja_JP.UTF-8 を設定してください。

language-unknown = 不明な言語「{ $language }」: en か ja を指定してください
