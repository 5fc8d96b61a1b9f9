### Captions of charts.

# $caption (message)
# $notes (series)
chart-with-notes = { $caption } ({ $notes })

chart-log = log scale

chart-both-log = both axes log scale

chart-objective = dashed: the objective, and the highest rate that keeps it

chart-knee = ring: the knee, where the rate divided by that response time is greatest

# $level (text)
chart-intervals = { $level } intervals

chart-muted = grey: not ranked

chart-skipped = ✕: skipped

chart-run-numbers = number after a name: its run

## Rankings and rates.

# $places (series) phase, and among whom
chart-ranks = { $places }: share of the best

# $places (series) phase, and among whom
# $shown (count)
# $all (count)
chart-ranks-first = { $places }: share of the best, the first { $shown } of { $all }

# $phase (text)
chart-rates = { $phase }: operations per second

# $places (series) phase, and operation
chart-latencies = { $places }: latency (log scale). ● median (figure on the right), ▲ p99, ◆ p99.9, | maximum

# $phase (text)
chart-over-time = { $phase }: operations per second over time, in the round with the median rate. Each line runs from zero to its own maximum.

chart-planned-rate = dashed: the planned rate, which counts for the maximum

## Axes.

# $phase (text)
# $what (message)
chart-growth = { $phase }: { $what } against the number of rows

chart-time-per-row = time per row

chart-time-per-operation = time per operation

chart-p99 = p99 latency

# $phase (text)
# $objective (text)
chart-response-against-rate = { $phase }: response time against the planned rate, at the percentile of { $objective }

# $phase (text)
# $what (message)
# $axis (text)
chart-against = { $phase }: { $what } against { $axis }

# $phase (text)
# $what (message)
chart-against-loss = { $phase }: { $what } against possible loss

## Runs side by side.

# $phase (text)
# $metric (message)
# $good (message)
chart-ratios = { $phase }: { $metric } relative to run 1; { $good }

## From a source's method to the correct work.

# $table (message) a published table
# $column (message)
# $first (message) the source's best row
# $second (message) its next best
chart-waterfall = { $table }, { $column }: how many times as fast { $first } is as { $second }, one pitfall less at a time (log scale)

chart-as-published = as published

chart-correct-work = correct work

# $pitfall (text)
chart-without = without { $pitfall }

# $pitfall (text) where there is little room
chart-less = − { $pitfall }
