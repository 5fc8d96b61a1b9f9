### The answer in sentences.

# $at (message)
# $sentence (message)
sentence-at = At { $at }: { $sentence }

# $first (message)
# $next (message)
sentence-then = { $first } { $next }

### Who is not ranked.

sentence-no-ranking-no-job = Kurabe ranks no store, because no job completed without an error.

# $measured (count)
# $planned (count)
# $needed (count)
sentence-no-ranking-few-rounds =
    Kurabe ranks no store: { $measured } of { $planned ->
        [one] { $planned } round was
       *[other] { $planned } rounds were
    } measured, and a ranking needs { $needed }.

sentence-no-ranking-nobody =
    Kurabe ranks no store, because none completed a deciding phase without a fault. The reasons are listed below.

### Who is first.

# $names (names)
# $phases (list)
sentence-only-ranked = { $names } { $names-count ->
    [one] is the only ranked store
   *[other] are the only ranked stores
 } in { $phases }.

# $name (text)
# $metric (text) rate or another
# $phases (list)
sentence-first = '{ $name }' is { $metric ->
    [rate] fastest
   *[other] best
 } in { $phases }.

# $name (text)
# $phases (list)
sentence-first-unstable = '{ $name }' had the best mean in { $phases }.

# $names (names)
# $phases (list)
# $best (text)
# $metric (text) rate or another
sentence-tie =
    { $names } tie in { $phases }; '{ $best }' has the { $metric ->
        [rate] { $names-count ->
            [2] higher
           *[other] highest
         }
       *[other] { $names-count ->
            [2] better
           *[other] best
         }
     } mean.

# $stores (count)
# $phases (list)
# $best (text)
# $metric (text) rate or another
sentence-tie-of-many = { $stores } stores tie in { $phases }; '{ $best }' has the { $metric ->
    [rate] highest
   *[other] best
 } mean.

sentence-no-single-winner = Different stores lead in different phases, so the best one depends on your mix of work.

### A phase, with what was ranked where that is no rate, and with what the ranked candidates have in common.

# $phase (text)
# $metric (text)
# $among (series)
sentence-phase = { $phase }{ $metric ->
    [rate] { "" }
   *[other] {" "}by { $metric }
 }{ $among-count ->
    [0] { "" }
   *[other] {" "}({ $among })
 }

# $phase (message)
# $second (text)
# $best (text)
# $low (ratio)
# $high (ratio)
# $metric (text) rate or another
sentence-phase-tied = { $phase } ('{ $second }' reaches { $low } to { $high } times the { $metric ->
    [rate] rate
   *[other] figure
 } of '{ $best }')

# $phase (message)
# $next (text)
# $times (ratio)
sentence-phase-led = { $phase } ({ $times } times '{ $next }')

# $phase (message)
# $next (text)
# $times (ratio)
# $low (ratio)
# $high (ratio)
sentence-phase-led-within = { $phase } ({ $times } times '{ $next }', { $low } to { $high })

### What the run could detect.

sentence-unstable = Inconclusive: the machine was unstable during the run. Retry when it is idle.

sentence-all-decided = Every phase has one winner.

# $phases (list)
sentence-all-decided-but = Every phase has one winner. Only one store is ranked in { $phases }.

sentence-uncontested = No first rank was contested: there was nothing to compare with.

# $phases (list)
sentence-tied = The first rank is inconclusive in { $phases }.

# $difference (difference)
sentence-detectable = Smallest detectable difference: { $difference }.

# $least (difference)
# $least_phase (message)
# $most (difference)
# $most_phase (message)
sentence-detectable-range =
    Smallest detectable difference: { $least } ({ $least_phase }) to { $most } ({ $most_phase }).

sentence-too-noisy = To detect smaller differences, use longer phases, more rounds (--rounds) and an idle machine.

### What can be lost.

# $who (message)
# $loses (message) a predicate
sentence-risk = With these settings, { $who } { $loses }.

# $who (message)
sentence-risk-unknown = What { $who } can lose with these settings is unknown.

sentence-risk-all = every measured store

sentence-risk-rest = the others

# $candidate (text)
# $phases (list)
sentence-wrong-answers = '{ $candidate }' gave wrong answers in { $phases } and is not ranked there.

# $phase (text)
# $wrong (count)
sentence-wrong-in-phase = { $phase } ({ $wrong })

### Along axes.

# $at (message)
# $leads (list)
sentence-others-first = Others lead at { $at }: { $leads }.

# $names (names)
# $phases (list)
sentence-leads = { $names } in { $phases }

# $phases (list)
sentence-time-grows = Time grows faster than the data in { $phases }.

# $phases (list)
sentence-time-open = Whether time grows faster than the data is inconclusive in { $phases }.

sentence-time-does-not-grow = Time grows no faster than the data in any store.

# $metric (message)
# $phases (list)
sentence-metric-grows = The { $metric } grows with the data in { $phases }.

# $metric (message)
# $phases (list)
sentence-metric-open = Whether the { $metric } grows with the data is inconclusive in { $phases }.

# $metric (message)
sentence-metric-does-not-grow = The { $metric } does not grow with the data in any store.

# $phase (text)
# $stores (series)
sentence-phase-stores = { $phase } ({ $stores })

# $name (text)
# $exponent (significant3)
sentence-exponent = '{ $name }': rows^{ $exponent }

### Clients.

# $phase (text)
# $client (message)
# $store (message)
sentence-client-matters-more = In { $phase } the client matters more than the store: { $client }; { $store }.

# $phase (text)
# $client (message)
# $store (message)
sentence-store-matters-more = In { $phase } the store matters more than the client: { $store }; { $client }.

# $phase (text)
# $client (message)
# $store (message)
sentence-client-or-store = Whether client or store matters more in { $phase } is inconclusive: { $client }; { $store }.

# $phase (text)
# $client (message)
sentence-client-effect = What the client changes in { $phase }: { $client }.

# $times (ratio)
# $low (ratio)
# $high (ratio)
sentence-times-within = { $times } times ({ $low } to { $high })

# $store (text)
# $times (message)
# $best (text)
# $worst (text)
sentence-between-clients = '{ $store }' is { $times } faster through { $best } than through { $worst }

# $metric (message)
# $store (text)
# $times (message)
# $best (text)
# $worst (text)
sentence-between-clients-by =
    the { $metric } of '{ $store }' is { $times } better through { $best } than through { $worst }

# $times (message)
# $client (text)
# $best (text)
# $worst (text)
sentence-between-stores =
    with one client, stores differ by at most { $times }, '{ $best }' and '{ $worst }' through { $client }

### What the budget left out.

# $stores (list)
# $at (message)
sentence-skipped = Kurabe skipped { $stores } at { $at }, because the budget is too short.

# $name (text)
# $took (span)
sentence-skipped-after = '{ $name }' (unfinished after { $took })

# $name (text)
# $needed (span)
sentence-skipped-before = '{ $name }' (it needs about { $needed })

## What a store holds

# $candidate (text)
# $phase (text)
# $objective (text)
# $rate (count)
# $low (count)
# $high (count)
# $users (count)
sentence-holds = '{ $candidate }' holds { $rate } operations/s of { $phase } at { $objective } ({ $low } to { $high }). That is about { $users } users, each with one operation every 10 s.

# $candidate (text)
# $phase (text)
# $objective (text)
# $rate (count)
# $users (count)
sentence-holds-once = '{ $candidate }' holds { $rate } operations/s of { $phase } at { $objective }. That is about { $users } users, each with one operation every 10 s.

# $candidate (text)
# $phase (text)
# $objective (text)
sentence-holds-none = '{ $candidate }' keeps { $objective } in { $phase } at no rate that was tried.
