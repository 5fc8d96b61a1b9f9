title = Node と Express
summary = ウェブのプログラマーが書くようなサービス: Node の上の Express と、よく使われるライブラリー。
