### Other programs on the machine, before a run and between its jobs.

# $share (percent) of the CPU
# $limit (span)
quiet-wait =
    Other programs use { $share } of the CPU, so results would be unreliable.
    Waiting up to { $limit } (--anyway starts now).

quiet-still-busy = Still busy. Starting anyway; Kurabe repeats jobs that other programs disturb, up to twice.

quiet-other-run = Another run of Kurabe is measuring on this machine, and each slows the other down. Wait for its end.

# $dir (text)
# $error (text) of the system
quiet-other-runs-unseen =
    Kurabe cannot see whether other runs measure on this machine: their folder in '{ $dir }' is unusable ({ $error }).
    Look for them yourself.

quiet-ports =
    Waiting for local ports: closed connections keep most of them for a minute (net.ipv4.tcp_tw_reuse is 0).
