### `kurabe doctor` の表示。

doctor-label-affinity = 使えるコア

doctor-label-quota = CPU の割り当て

doctor-label-swap = スワップ

doctor-label-virtual = 仮想化

doctor-label-load = 負荷

doctor-label-folder = データの場所

doctor-label-sync = fdatasync

doctor-label-flushes = フラッシュ

doctor-label-power = 耐久性 power

doctor-size = { $size }

doctor-processor = { $model }、{ $cores } コア

doctor-affinity = { $cores } コアのうち { $usable } コアを使えます（taskset）

doctor-quota = { $quota }: 使い切ると、カーネルがこのコントロールグループの全プロセスを止めます。ストアを測るには cpu.max を上げてください。

doctor-swap = { $all }（使用中 { $used }）

doctor-busy = { $load }: ほかのプログラムが動いているので、値がばらつきます

doctor-system = { $system }（空き { $free }）

doctor-sync = p50 { $median }、p90 { $slow }、最大 { $slowest }

doctor-flushes-counted = デバイスが回数を数えるので、コミットの数と照合できます

doctor-flushes-uncounted = このデバイスは回数を数えないので、コミットの数と照合できません

doctor-power-measurable = ここで測れます

doctor-power-refused = ここでは測れません: { $reason }
