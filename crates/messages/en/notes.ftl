### Notes beside an answer: what is missing, what failed, what limits a rate.

# $count (count)
note-candidates = { $count } candidates

# $what (message)
# $detail (text) what the record says of it
note-with-detail = { $what } ({ $detail })

## Rounds

# $planned (count)
note-rounds-others-failed =
    { $planned ->
        [one] The round shown here is complete.
       *[other] All { $planned } rounds shown here are complete.
    } Jobs of other configurations failed.

# $planned (count)
# $why (clauses)
note-rounds-complete =
    { $planned ->
        [one] The round shown here is complete; { $why }.
       *[other] All { $planned } rounds shown here are complete; { $why }.
    }

# $complete (count)
# $planned (count)
# $why (clauses)
note-rounds =
    { $complete ->
        [one] 1 of { $planned } rounds is complete
       *[other] { $complete } of { $planned } rounds are complete
    }{ $why-count ->
        [0] .
       *[other] : { $why }.
    }

# $candidates (message) by name or by number
# $round (count) from 1
note-missing-failed = { $candidates } failed in round { $round }

# $candidates (message)
# $at (message) the configuration
note-missing-failed-before = { $candidates } failed at { $at }

note-missing-budget = the rest did not fit the budget

note-missing-interrupted = the run was interrupted

# $message (text) why
note-missing-broken = the run ended early: { $message }

note-missing-broken-unknown = the run could not go on

note-missing-no-end = the record has no end: the run is still going, or it was cut off

# $needed (count)
note-too-few-rounds = A ranking needs { $needed } rounds. Run with --rounds { $needed } or more.

# $lines (list) numbers of lines
note-duplicate-lines =
    { $lines-count ->
        [one] Line { $lines } of jobs.jsonl repeats an earlier line.
       *[other] Lines { $lines } of jobs.jsonl repeat earlier lines.
    } Kurabe counts each job once.

# $count (count)
note-more = { $count } more

## Jobs that were run again

# $jobs (count)
# $most (percent)
note-repeated-for-steal =
    { $jobs ->
        [one] Kurabe repeated 1 job because CPU steal took { $most } of the processors. jobs.jsonl keeps the disturbed job.
       *[other] Kurabe repeated { $jobs } jobs because CPU steal took up to { $most } of the processors. jobs.jsonl keeps the disturbed jobs.
    }

# $jobs (count)
# $most (percent)
# $programs (names) that used most, as far as they are known
note-repeated-for-programs =
    { $jobs ->
        [one] Kurabe repeated 1 job because other programs
       *[other] Kurabe repeated { $jobs } jobs because other programs
    }{ $programs-count ->
        [0] {""}
       *[other] {" "}({ $programs })
    } used up to { $most } of the processors. { $jobs ->
        [one] jobs.jsonl keeps the disturbed job.
       *[other] jobs.jsonl keeps the disturbed jobs.
    }

## Failures and what was left out

# $candidate (text)
# $phases (list) of note-failures-in
# $error (message) the most frequent one
note-failures = Operations of '{ $candidate }' failed: { $phases }. Rates and latencies exclude them. The most frequent error: { $error }

# $candidate (text)
# $phases (list) of note-failures-in
# $allowed (count)
# $error (message)
note-failures-allowed = Operations of '{ $candidate }' failed: { $phases }. The study allows { $allowed } in each phase of a job. Rates and latencies exclude them. The most frequent error: { $error }

# $count (count)
# $phase (text)
note-failures-in = { $count } in { $phase }

note-inferred = This run has an earlier record format. Kurabe infers what a store can lose from its durability class. The record does not say how much.

# $reason (message)
note-no-power = The data folder cannot guarantee durability 'power': { $reason }. A power failure can take everything.

# $candidates (message)
# $reason (text)
note-absent = { $candidates } did not take part: { $reason }.

# $candidates (message)
# $reason (text)
# $remedy (described) what to do, mostly a command
note-absent-remedy = { $candidates } did not take part: { $reason }. To include it: { $remedy }

# $candidates (message)
note-any-certificate = Kurabe did not check the server certificate of { $candidates } (tls=unverified). Another server could have answered.

# $candidate (text)
# $figures (clauses) each with the server's words
note-unreadable = Figures of '{ $candidate }' are missing because its user may not read them: { $figures }.

## What limits the rate of a store behind an app

# $candidate (text)
# $parts (clauses)
note-saturated = '{ $candidate }': { $parts }.

# $phases (list)
note-saturated-client = the client is saturated in { $phases }

# $phases (list)
note-saturated-link = the link limits the rate in { $phases }

# $phases (list)
note-saturated-app = the app is saturated in { $phases }

# $phases (list)
note-saturated-store = the store is saturated in { $phases }

# $phases (list)
note-saturated-app-with-store = the app, which contains the store, is saturated in { $phases }

# $phases (list)
note-saturated-nothing = no component is saturated in { $phases }, so the rate there is not CPU-bound

# $candidate (text)
# $phases (list) of note-closes-in
note-closes = The service of '{ $candidate }' closes connections: its client opened { $phases }. A service that keeps connections may be faster, because operations wait for each new one.

# $connections (count)
# $operations (count)
# $phase (text)
note-closes-in = { $connections } for { $operations } operations in { $phase }

# $candidate (text)
# $phases (list) of note-rate-missed-in
note-rate-missed = '{ $candidate }' does not hold the planned rate: it did { $phases }. Its response times there grow with the length of the phase.

# $share (percent)
# $phase (text)
note-rate-missed-in = { $share } of the operations in { $phase }

# $candidate (text)
# $phases (list) of note-late-in
note-late = The client of '{ $candidate }' started planned operations late by itself, 99 in 100 at most by { $phases }. Its response times include that.

# $lag (duration)
# $phase (text)
note-late-in = { $lag } in { $phase }

## Values of an axis at which a candidate has no figure

note-gap-no-rate = it has no rate in this phase

note-gap-not-measured = it was not measured there

## What went wrong in a job

# $phase (text)
# $what (message)
note-trouble-in = { $phase }: { $what }

# $message (message)
note-trouble-failed = failed: { $message }

# $count (count)
# $example (message)
note-trouble-wrong-answers =
    { $count ->
        [one] 1 wrong answer: { $example }
       *[other] { $count } wrong answers: { $example }
    }

# $message (message)
note-trouble-gave-up = gave up after too many failures in a row: { $message }

# $count (count)
# $message (message)
note-trouble-failures =
    { $count ->
        [one] 1 operation failed: { $message }
       *[other] { $count } operations failed, most often: { $message }
    }

# $setting (text)
# $found (text)
note-trouble-setting = setting '{ $setting }' reads back as '{ $found }'

# $setting (text)
note-trouble-setting-empty = setting '{ $setting }' reads back as nothing

# $sum (count)
# $needed (count)
note-trouble-counters = the counters add up to { $sum } instead of { $needed }

# $counted (count)
# $needed (count)
note-trouble-rows = the store has { $counted } rows at the end instead of { $needed }

note-trouble-no-example = the record has no example

note-trouble-no-message = the record has no message

note-trouble-ended-before = the job ended before this phase

note-trouble-no-result = the client gave no result

note-trouble-ended-early = the phase ended too early
