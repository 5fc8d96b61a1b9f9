### What to take.

# $candidate (text)
recommendation-take = Take '{ $candidate }'.

# $candidate (text)
recommendation-take-only-measured = Take '{ $candidate }': no other store was measured.

# $candidate (text)
recommendation-take-only-left = Take '{ $candidate }': no other store qualifies.

# $store (text)
# $clients (either)
recommendation-take-clients = Take '{ $store }' through { $clients }: these clients are equivalent.

# $store (text)
# $count (count)
# $first (text)
recommendation-take-many-clients =
    Take '{ $store }' through any of { $count } equivalent clients, for example '{ $first }'.

# $store (text)
# $count (count)
recommendation-take-any-client =
    Take '{ $store }'. Which of its { $count } clients is fastest is inconclusive.

# $stores (either)
recommendation-take-either = Take { $stores }: they are equivalent.

# $count (count)
# $first (text)
recommendation-take-any = Take any of { $count } equivalent stores, for example '{ $first }'.

# $why (message)
# $ahead (clauses) who had the best mean where
# $next (message)
recommendation-inconclusive = Inconclusive: { $why }. { $ahead-count ->
    [0] { "" }
   *[other] { $ahead }.{" "}
 }{ $next }

recommendation-inconclusive-stopped = the run was stopped too early

recommendation-inconclusive-few-rounds = too few rounds to tell chance from difference

recommendation-inconclusive-noisy = this run can detect large differences only

recommendation-inconclusive-unstable = the machine was unstable during the run

# $candidate (text)
# $phases (list)
recommendation-ahead = '{ $candidate }' had the best mean in { $phases }

# $command (text)
recommendation-retry = Retry: { $command }

# $takes (span)
# $command (text)
recommendation-retry-takes = Retry (about { $takes }): { $command }

# $command (text)
recommendation-resume = Resume it: { $command }

recommendation-none-enough = No measured store reaches what you need.

recommendation-none-for-them = No measured store can serve several machines: all of them are libraries.

recommendation-none-ranked = No measured store qualifies: none is ranked in every deciding phase.

### Under other conditions.

# $condition (message)
# $candidates (either)
recommendation-elsewhere = { $condition }: take { $candidates }.

# $condition (message)
recommendation-elsewhere-same = { $condition }: take the same store.

# $condition (message)
recommendation-elsewhere-inconclusive = { $condition }: inconclusive.

recommendation-same-everywhere = Under every other condition: take the same store.

recommendation-same-otherwise = Under the other conditions: take the same store.

# $minimum (message)
recommendation-at-durability = At { $minimum }

# $profile (text)
recommendation-at-profile = With profile '{ $profile }'

### What a store is.

# $form (text) library or server
# $model (text)
# $writers (text) one or several
recommendation-about =
    { $form ->
        [server] a server that several machines can use
       *[library] a library inside your program
     }; { $model ->
        [sql] SQL
        [documents] documents
        [wide-column] rows of many columns
        [text-file] lines of text
       *[key-value] values under keys
     }; { $writers ->
        [one] one connection can write at a time
       *[several] several connections can write at once
     }

### Above the reasons.

recommendation-because = because

recommendation-even-so = even so

### Reasons. "it" is what was chosen.

# $leads (list)
recommendation-first = it is fastest in { $leads }

# $leads (list)
recommendation-first-everywhere = it is fastest in every deciding phase: { $leads }

# $phase (text)
# $times (times)
# $next (text)
recommendation-lead = { $phase } ({ $times } times '{ $next }')

# $phase (text)
recommendation-lead-alone = { $phase }

# $phases (list)
recommendation-level = no store is clearly faster in { $phases }

# $phase (text)
# $first (text)
# $times (times)
recommendation-weakest-phase = elsewhere it trails most in { $phase }: '{ $first }' is { $times } times faster

# $candidate (text)
# $phase (text)
# $rate (rate)
# $times (times)
# $need (message)
recommendation-enough =
    '{ $candidate }' does at least { $rate }/s in { $phase }: { $times } times the { $need } you need

# $enough (message)
recommendation-all-enough = every store is fast enough; { $enough }

# $rate (count)
recommendation-need = { $rate }/s

# $rate (significant3)
recommendation-need-fraction = { $rate }/s

# $candidate (text)
# $phase (text)
# $rate (rate)
# $share (percent)
recommendation-nearest =
    the nearest, '{ $candidate }', does at least { $rate }/s in { $phase }: { $share } of what you need

# $operations (message)
# $phase (text)
# $of (count)
# $time (duration)
recommendation-slowest = 1 in { $of } { $operations } in { $phase } takes longer than { $time }

# $operations (message)
# $phase (text)
# $of (count)
# $time (duration)
# $longest (duration)
recommendation-slowest-longest =
    1 in { $of } { $operations } in { $phase } takes longer than { $time } (longest: { $longest })

# $operation (text)
recommendation-operations = { $operation ->
    [latest] lists of the newest rows
    [search] range searches
    [multi-read] reads of several rows
   *[other] { $operation }s
 }

# $candidate (text)
# $phase (text)
# $operations (message)
# $share (percent)
# $time (duration)
# $asked (message)
recommendation-objective-met =
    '{ $candidate }' completes { $share } of { $operations } in { $phase } within { $time } ({ $asked })

# $candidate (text)
# $phase (text)
# $operations (message)
# $share (percent)
# $time (duration)
# $asked (message)
recommendation-objective-missed =
    the nearest, '{ $candidate }', completes { $share } of { $operations } in { $phase } within { $time } ({ $asked })

# $objective (text) as it is typed
recommendation-objective = you asked for { $objective }; closed loop, under the load of this run

# $candidate (text)
# $phase (text)
# $rate (rate)
# $objective (text) as it is typed
recommendation-held =
    '{ $candidate }' holds { $rate }/s of { $phase } at { $objective }, and no less in the other deciding phases

# $candidate (text)
# $phase (text)
# $objective (text)
recommendation-held-none =
    the nearest, '{ $candidate }', keeps { $objective } in { $phase } at no rate that was tried

# $from (count)
# $to (count)
# $phase (text)
# $stores (list)
# $verdict (message)
recommendation-growth =
    from { $from } to { $to } rows, an operation of { $phase } takes { $stores }: { $verdict }

# $times (times)
# $candidate (text)
# $from (duration)
# $to (duration)
recommendation-growth-of =
    { $times } times as long with '{ $candidate }' ({ $from } to { $to })

# $stores (count)
recommendation-growth-holds = { $stores ->
    [one] it scales
   *[other] both scale
 }

# $stores (count)
recommendation-growth-does-not-hold = { $stores ->
    [one] it does not scale
   *[other] neither scales
 }

# $names (names)
recommendation-growth-only = only { $names } { $names-count ->
    [one] scales
   *[other] scale
 }

# $names (names)
recommendation-libraries = { $names } { $names-count ->
    [one] is a library, which
   *[other] are libraries, which
 } several machines cannot use

# $names (names)
recommendation-too-weak = { $names } { $names-count ->
    [one] does
   *[other] do
 } not meet the minimum durability

# $used_by (text) one-program or several-machines
recommendation-plain = it is the plain choice for { $used_by ->
    [several-machines] programs on several machines
   *[one-program] one program on one machine
 }

# $used_by (text)
# $reason (described)
recommendation-plain-because = it is the plain choice for { $used_by ->
    [several-machines] programs on several machines
   *[one-program] one program on one machine
 }: { $reason }

# $phase (text)
# $faster (message)
# $safer (text)
# $side (message)
recommendation-trade =
    { $phase } is a trade, not a lead: it does { $faster }; '{ $safer }' does { $side }

# $trade (message)
# $safer (text)
recommendation-trade-has-no-less = { $trade } ('{ $safer }' has no weaker setting that is enough)

# $rate (rate)
# $flushes (message?)
# $loses (message?)
recommendation-trade-side = { $rate }/s{ $flushes ->
    [none] { "" }
   *[other] {" "}({ $flushes })
 }{ $loses ->
    [none] { "" }
   *[other] {" "}and { $loses }
 }

recommendation-one-flush = 1 flush per commit

# $flushes (significant2)
recommendation-flushes = { $flushes } flushes per commit

# $phase (text)
# $faster (text)
# $times (times)
# $loses (message)
recommendation-safer = '{ $faster }' is { $times } times faster in { $phase }, but it { $loses }

# $loses (message) a predicate
recommendation-loses = it { $loses }

recommendation-loss-unknown = but what it can lose is unknown

recommendation-retired = but its makers have retired it: there will be no further release

recommendation-critical-only = but its makers fix critical bugs only

# $version (text)
# $until (text)
# $newest (message?)
recommendation-out-of-support = but its measured version, { $version }, is out of support since { $until }{ $newest ->
    [none] { "" }
   *[other] ; { $newest }
 }

# $version (text)
recommendation-newest = the newest is { $version }

# $year (number)
# $version (message?)
recommendation-old = but its newest release{ $version ->
    [none] { "" }
   *[other] {" "}({ $version })
 } dates from { $year }, so bugs may stay unfixed

# $version (text)
recommendation-version = { $version }

### What cannot be taken.

# $candidates (series)
# $why (message)
recommendation-excluded = { $candidates }: { $why }

# $why (message)
# $remedy (described)
recommendation-excluded-remedy = { $why }; to get it: { $remedy }

# $reason (text)
recommendation-absent = { $reason }

# $phase (text)
# $share (percent)
recommendation-not-enough = reaches { $share } of the rate that you need in { $phase }

# $phase (text)
# $share (percent)
# $time (duration)
# $objective (text)
recommendation-too-slow =
    { $share } of its operations in { $phase } take up to { $time }; you asked for { $objective }

# $objective (text)
recommendation-too-few-operations = too few operations to judge { $objective }

# $phase (text)
# $objective (text)
recommendation-holds-none = keeps { $objective } in { $phase } at no rate that was tried

recommendation-excluded-retired = retired by its makers: there will be no further release

recommendation-excluded-library = several machines cannot use a library

### What was not measured, and the rest.

# $store (text)
# $title (text)
# $is_plain (text) yes or no
# $command (text)
recommendation-not-measured = { $store } ({ $title }{ $is_plain ->
    [yes] , a plain choice
   *[no] { "" }
 }): { $command }

# $store (text)
# $title (text)
# $is_plain (text) yes or no
# $remedy (described)
recommendation-not-here = { $store } ({ $title }{ $is_plain ->
    [yes] , a plain choice
   *[no] { "" }
 }), not ready on this machine: { $remedy }

# $candidate (text)
# $times (ratio)
# $phase (text)
recommendation-behind = { $candidate }: at most { $times } times slower than the best, in { $phase }

# $candidate (text)
recommendation-nowhere-behind = { $candidate }: behind in no phase
