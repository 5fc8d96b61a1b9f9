### Words of tables and headings.

## Columns.

word-action = action
word-actions = actions during phases
word-app-cpu-per-op = app CPU/op
word-as-data-grow = as data grow
word-backup = backup
word-baseline-share = baseline share
word-best = best
word-candidate = candidate
word-change = change
word-claim = claim
word-claims = claims
word-client = client
word-client-cpu = client CPU
word-client-cpu-per-op = client CPU/op
word-client-memory = client memory
word-client-memory-above-baseline = client memory above baseline
word-client-start = client start
word-client-threads-busy = client threads busy
word-confidence = confidence
word-detectable = detectable
word-disk-per-row = disk/row
word-durability = durability
word-durability-settings = durability: settings
word-duration = duration
word-encoding = encoding
word-exponent = exponent
word-exponent-of-total = exponent of total time
word-fact = fact
word-highest-rate = highest rate
word-failed = failed
word-fastest = fastest
word-figure = figure
word-finding = finding
word-flush-time = flush time
word-flushes-per-commit = flushes/commit
word-folder = folder
word-growth = growth
word-harness-cpu = harness CPU (of one core)
word-harness-overhead = harness overhead
word-integrity = integrity
word-interval = interval
word-jobs = jobs
word-kind = kind
word-kurabe = kurabe
word-losses = losses
word-lost-writes = writes lost, at most
word-lost-time = time lost, at most
word-trials-with-loss = trials with a fault
word-unsynced-bytes = not synced, at most
word-syncs-per-write = syncs per write
word-acknowledged = acknowledged writes
word-afterwards = afterwards
word-disk-fault = disk
word-disk-faults = Disks that failed
word-meanwhile = what it did
word-resumed = writes again after
word-said = it said
word-trials = trials
word-lead = lead
word-licence = licence
word-link-cpu-per-op = link CPU/op
word-live-store = live store
word-loss-on-kill = loss on kill
word-loss-on-power = loss on power failure
word-loss-window = loss window
word-max = max
word-memory = memory
word-newest-release = newest release
word-of-best = of best
word-of-winner = of the winner
word-op-per-s = op/s
word-op-per-s-by-slot = op/s by slot
word-operations = operations
word-operations-per-second = operations per second
word-p50 = p50
word-p90 = p90
word-p99 = p99
word-p999 = p99.9
word-per-second = per second
word-phase = phase
word-possible-loss = possible loss
word-proof = proof
word-rank = rank
word-rank-short = #
word-ratio = ratio
word-reason = reason
word-recovery = recovery
word-requested = requested
word-resources = memory and disk
word-result = result
word-retries = retries
word-round = round
word-rounds = rounds
word-rows = rows
word-rows-per-s = rows/s
word-rows-per-second = rows per second
word-run = run
word-saturated = saturated
word-schema-change = schema change
word-service-cores-busy = service cores busy
word-service-cpu = service CPU
word-service-cpu-per-op = service CPU/op
word-service-memory = service memory
word-setting = setting
word-slot = slot
word-source = source
word-start = start
word-started = started
word-state = state
word-step = step
word-store = store
word-study = study
word-system-time = system time
word-tenfold = at 10 × rows
word-tenfold-time = time at 10 × rows
word-user-time = user time
word-value = value
word-verdict = verdict
word-versions = versions
word-with-pitfall = with pitfall
word-with-pitfall-per-s = with pitfall /s
word-without-pitfall = without
word-without-pitfall-per-s = without /s
word-work = work
word-writers = concurrent writes
word-written-per-row = written/row

## Headings.

word-also-suitable = also suitable, not measured in this run
word-excluded = excluded
word-not-counted = not counted
word-notes = notes
word-others = other stores, best first
word-same-setting = "=": same setting as at an earlier value, measured again; the difference is noise
word-unless = unless
word-words = words

## Cells: parts of the way to a store.

word-app = app
word-app-and-store = app+store
word-baseline = baseline
word-link = link

## Cells: why there is no figure or rank.

word-answers-not-checked = answers not checked
word-durability-too-low = durability too low
word-durability-unknown = durability unknown
word-failed-before = failed before
word-gave-up = gave up
word-job-failed = job failed
word-killed-by-study = killed by study
word-no-figure = no figure
word-no-rate = no rate
word-not-available = n/a
word-not-in-this-run = not in this run
word-replication = did the order come back?

word-not-judged = not judged

word-not-measured = not measured
word-nothing-completed = nothing completed
word-nothing-measured = nothing was measured
word-operations-failed = operations failed
word-settings-differ = settings differ
word-skipped = skipped (budget)
word-too-few-rounds = too few rounds
word-unsupported = unsupported
word-wrong-answers = wrong answers

## Cells: growth.

word-constant = constant
word-falls = falls
word-grows = grows
word-inconclusive = inconclusive
word-linear = linear
word-operation-cheaper = an operation gets cheaper
word-operation-constant = an operation costs about the same
word-operation-dearer = an operation gets more expensive
word-sublinear = sublinear
word-superlinear = superlinear

## Cells: durability and settings.

word-confirmed = confirmed
word-differs = differs
word-empty = (empty)
word-keeps-less = lower durability
word-reported = reported
word-set-not-readable = set, not readable
word-unknown = unknown

## Cells: claims and comparisons.

word-better = better
word-different-work = different work
word-faster = faster
word-no-difference = no difference seen
word-slower = slower
word-worse = worse

## Cells: what a store is.

word-documents = documents
word-key-value = key-value
word-library = library
word-lines-of-text = lines of text
word-one-connection = one connection
word-server = server
word-several-connections = several connections
word-sql = SQL
word-wide-columns = wide columns

## Facts of machine, device and study.

word-allowed-errors = allowed failed operations
word-axes = axes
word-clock-source = clock source
word-compressible = compressible filler
word-fdatasync-max = fdatasync max
word-fdatasync-p50 = fdatasync p50
word-fdatasync-p90 = fdatasync p90
word-fields = fields of a row
word-file-system = file system
word-free = free
word-governor = governor
word-kernel = kernel
word-load-before = load before the run
word-minimum-durability = minimum durability
word-most-rounds = most rounds
word-mount-options = mount options
word-no-mount-options = none that affects durability
word-none = none
word-not-reported = not reported
word-plausible = plausible
word-processor = processor
word-quiet-wait = longest wait for a quiet disk
word-seed = seed
word-server-cache = cache of each server
word-survives-power-failure = power-failure safety
word-swap-in-use = swap in use
word-tcp = TCP on 127.0.0.1
word-time-budget = time budget
word-transport = connection to servers
word-unix-socket = Unix socket where available
word-usable-cores = usable cores
word-virtualisation = virtualisation
