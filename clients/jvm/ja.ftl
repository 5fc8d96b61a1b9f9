title = JVM、接続ごとに 1 スレッド
option-jvm-heap-reason = 仮想マシンが使うヒープの上限（-Xmx）。どのマシンでも同じ。仮想マシンの既定はメモリーの 4 分の 1。
option-jvm-options-reason = 仮想マシンのほかのオプション。空白で区切る（例: -XX:+UseZGC）: コレクターの比較などに使う。
option-jvm-warmup-ms-reason = 測る前に、各種の操作を試し用の名前空間でこの時間だけ行い、コンパイルさせておく。
