### Titles, cells and lines of tables that have arguments.

## Titles of columns.

# $level (text) a confidence level
table-interval = { $level } CI

# $level (text) the lowest confidence level
table-interval-from = ≥ { $level } CI

# $title (message)
# $unit (text)
table-in-unit = { $title }{ "\u00A0" }{ $unit }

# $operation (text)
# $title (message)
table-of-operation = { $operation } { $title }

# $title (message) such as p99
table-response = response { $title }

# $title (message)
table-service = service { $title }

# $title (message)
table-client-lag = client lag { $title }

# $candidate (text)
# $response (duration)
# $service (duration)
table-waits = Response times count from the planned start, service times from the real one. They differ most for '{ $candidate }': p99 { $response } against { $service }.

table-done-of-planned = done of planned

table-stall = longest stall

# $lasted (duration)
# $at (duration)
table-stall-at = { $lasted } at { $at }

# $lasted (duration)
# $at (duration)
# $during (text)
table-stall-during = { $lasted } at { $at } ({ $during })

table-planned = planned

table-done = done

table-dropped = dropped

table-left-open = left open

table-at-objective = at the objective

table-kept = kept

table-broken = broken

# $phase (text)
# $title (message)
table-of-phase = { $phase } { $title }

# $title (message)
table-in-run-1 = { $title } in run 1

# $title (message)
# $value (text) a value of an axis
table-at-value = { $title } ({ $value })

# $rows (text) such as 10k
table-at-rows = { $rows } rows

# $round (count)
table-round = round { $round }

# $run (count)
table-run = run { $run }

# $phase (text)
table-among-clients = among clients: { $phase }

# $phase (text)
table-client-cpu-per = client CPU/{ $phase }

# $column (message) of a published table
table-published = { $column }: published

# $column (message) of a published table
table-measured-here = { $column }: measured here

## Lists.

# $items (series)
table-series = { $items }

# $parts (clauses)
table-clauses = { $parts }

# $among (series) the candidates, configuration or binding
# $about (message)
table-among = { $among }: { $about }

# $part (count)
# $all (count)
table-of-all = { $part } of { $all }

## What can be lost.

# $loss (message)
table-loss-on-power = power: { $loss }

# $loss (message)
table-loss-on-both = kill or power: { $loss }

# $kill (message)
# $power (message)
table-loss-on-each = kill: { $kill }; power: { $power }

# $loss (message)
table-loss-with-gaps = { $loss }, gaps

# $loss (message)
table-loss-with-repair = { $loss }, repair needed

# $loss (message)
table-loss-with-corruption = { $loss }, may be corrupt

# $level (message)
table-minimum-durability = The minimum durability of this run is { $level }.

## Marks of saturation.

# $part (message)
# $share (percent)
table-share = { $part } { $share }

# $part (message)
table-share-above-all = { $part } > 100 %

# $part (message)
# $share (percent)
table-share-of-processors = CPUs: { $part } { $share }

# $part (message)
table-part-waits = { $part } waits

# $mark (message)
# $share (percent)
table-over-map = { $mark }, map { $share }

## Lines under a heading.

# $rounds (count)
table-rounds = { $rounds ->
    [one] 1 round
   *[other] { $rounds } rounds
 }

# $difference (difference)
table-detectable = smallest detectable difference { $difference }

table-no-ranking = no ranking

# $share (percent)
table-overhead = harness overhead { $share }

# $low (percent)
# $high (percent)
table-overhead-range = harness overhead { $low } to { $high }

# $store (text)
table-store-by-client = { $store } by client

table-clients-compared = clients compared with each other, paired by round

# $differences (list)
table-clients-compared-detectable = clients compared with each other, paired by round; smallest detectable difference { $differences }

# $difference (difference)
# $phase (text)
table-difference-in-phase = { $difference } in { $phase }

# $phase (text)
table-growth-of = growth: { $phase }

# $metric (message)
table-growth-of-figure = { $metric }; exponent b of { $metric } ~ rows^b, 0 = independent of size

table-growth-of-scan = time of one scan; exponent b of time ~ rows^b, 1 = linear

table-growth-of-operation = time of one operation; exponent b of the time for all rows ~ rows^b, 1 = linear

# $what (message)
# $first (text)
# $last (text)
table-axis-ratio = { $what }; ratio of { $last } to { $first }, paired by round

# $factors (message)
# $about (message)
table-axis-at = at { $factors }; { $about }

# $axis (text)
# $values (series)
table-axis = { $axis }: { $values }

# $axis (text)
# $phases (series)
# $values (series)
table-axis-in = { $axis } in { $phases }: { $values }

# $at (message)
# $rounds (count)
table-configuration = { $rounds ->
    [one] At { $at }, 1 round
   *[other] At { $at }, { $rounds } rounds
 }

# $at (message)
table-configuration-ranks = ranks and rates at { $at }

# $phase (text)
table-ranking-of = { $phase }: ranking

# $phase (text)
table-usage-of = { $phase }: CPU, memory, failures

# $candidate (text)
table-settings-of = { $candidate }: settings

# $candidate (text)
table-settings-read-back = { $candidate }: settings read back

# $study (text)
# $complete (count)
# $planned (count)
# $started (text)
# $kurabe (text)
# $run (text)
table-meta = study { $study } · { $complete } of { $planned } rounds · { $started } · kurabe { $kurabe } · run { $run }

## Clients, stores and reasons.

# $form (message)
# $model (message)
table-store-kind = { $form }, { $model }

# $reason (message)
# $figure (text)
table-reason-with-figure = { $reason } ({ $figure })

# $candidates (series)
# $reason (message)
table-not-counted = { $candidates }: { $reason }

# $candidates (series)
# $phases (series)
# $reason (message)
table-not-counted-in = { $candidates } in { $phases }: { $reason }

# $candidates (series)
# $places (series)
# $reason (message)
table-not-counted-at = { $candidates } at { $places }: { $reason }

# $candidate (text)
# $reason (text)
table-absent = { $candidate }: { $reason }

# $candidate (text)
# $reason (text)
# $command (text)
table-absent-remedy = { $candidate }: { $reason }. To add it: { $command }

# $source (message)
# $summary (message)
table-claims-of = This run judges the claims of { $source }. { $summary }

## Actions during phases.

# $action (text)
# $time (duration)
table-action-at = { $action } after { $time }

# $action (text)
# $from (duration)
# $to (duration)
table-action-between = { $action } after { $from } to { $to }

# $failure (text)
table-action-failed = failed: { $failure }

# $jobs (count)
# $failure (text)
table-action-failed-in-jobs = { $jobs ->
    [one] failed in 1 job: { $failure }
   *[other] failed in { $jobs } jobs: { $failure }
 }

## Comparisons.

# $phase (text)
table-against-first = { $phase }: each run against run 1

# $run (count)
table-command-of-run = command of run { $run }

## The answer in short.

# $best (text)
table-first-unstable = inconclusive (best figure: '{ $best }')

# $names (names)
# $best (text)
table-first-tie = tie: { $names } (best figure: '{ $best }')

# $count (count)
# $best (text)
table-first-tie-of-many = tie of { $count } (best figure: '{ $best }')

# $ratio (ratio)
# $next (text)
table-lead = { $ratio } × '{ $next }'

# $ratio (ratio)
# $next (text)
# $low (ratio)
# $high (ratio)
table-lead-range = { $ratio } × '{ $next }' ({ $low } … { $high })

table-confidence-unstable = inconclusive: unstable machine

table-confidence-alone = only one candidate

# $difference (difference)
table-confidence-tie = tie: smallest detectable difference { $difference }

# $metric (message)
table-by-metric = by { $metric }

## The work of a phase in everyday words.

# $rows (count)
# $passes (count)
table-work-load = { $passes ->
    [one] store { $rows } rows
   *[other] store { $rows } rows { $passes } times
 }

# $passes (count)
table-work-load-all = { $passes ->
    [one] store all rows
   *[other] store all rows { $passes } times
 }

# $rows (count)
table-work-open = { $rows ->
    [one] open the store and read a row
   *[other] open the store and read { $rows } rows
 }

# $work (message)
table-work-program = run a whole program: { $work }

# $work (message)
# $times (count)
table-work-program-times = run a whole program { $times } times: { $work }

table-work-insert = add a row

table-work-read = find a row by its key

# $rows (count)
table-work-multi-read = find { $rows } rows by their keys

table-work-update = change a row

table-work-increment = add 1 to a counter

table-work-delete = delete a row

table-work-scan = read all rows

# $rows (count)
table-work-latest = list the newest { $rows } rows

# $rows (count)
# $field (text)
table-work-search = find about { $rows } rows by '{ $field }'

# $least (count)
# $field (text)
table-work-search-from = find all rows with at least { $least } in '{ $field }'

# $share (text) in percent
# $operation (text)
table-work-share = { $share } % { $operation }

## The conditions of a phase.

# $shares (list)
table-conditions-mix = mix of { $shares }

# $operations (count)
table-conditions-operations = { $operations ->
    [one] 1 operation
   *[other] { $operations } operations
 }

# $operations (count)
table-conditions-warmup-operations = warm-up of { $operations ->
    [one] 1 operation
   *[other] { $operations } operations
 }

# $time (duration)
table-conditions-warmup-time = warm-up of { $time }

# $connections (count)
table-conditions-connections = { $connections ->
    [one] 1 connection
   *[other] { $connections } connections
 }

# $depth (count)
table-conditions-depth = { $depth } in flight per connection

# $batch (count)
table-conditions-batch = { $batch } sent together

# $writes (count)
table-conditions-commit = { $writes ->
    [one] commit every write
   *[other] commit every { $writes } writes
 }

table-conditions-uniform = uniform keys

table-conditions-zipfian = Zipfian keys

table-conditions-hotspot = hotspot keys

table-conditions-latest = newest rows most often

table-conditions-one = always the same row

# $rows (count)
table-conditions-rows-a-request = { $rows ->
    [one] 1 row per request
   *[other] { $rows } rows per request
 }

table-conditions-bulk = bulk path

# $passes (count)
table-conditions-passes = all rows { $passes } times

table-conditions-lines = lines split again

# $store (text)
table-conditions-from-store = rows fetched from { $store }

table-conditions-snapshot = one snapshot

table-conditions-connect-each = one connection per operation

table-conditions-closed-loop = closed loop (service times)

# $rate (count)
# $pattern (text) constant or poisson
table-conditions-open-loop = open loop of { $rate } operations/s, { $pattern ->
    [constant] equally spaced
   *[other] Poisson arrivals
} (response times)

# $objective (text)
table-conditions-search = open loops at several rates, for the highest that keeps { $objective } (response times)

# $queue (count)
table-conditions-queue = at most { $queue } waiting

# $rate (count)
table-conditions-ramp = going evenly to { $rate } operations/s

# $time (duration)
table-conditions-think = think time of { $time }
