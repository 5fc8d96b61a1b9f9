### Why a candidate is not ranked, where it was skipped, and what went wrong in a job. Rounds count from 1.

# $wrong (count)
# $round (count)
# $example (message)
reason-wrong-answers = { $wrong ->
    [one] { $wrong } wrong answer, in round { $round }: { $example }
   *[other] { $wrong } wrong answers, first in round { $round }: { $example }
 }

# $setting (text)
# $asked (text)
# $found (text)
# $round (count)
reason-setting-differs = setting '{ $setting }' reads back as '{ $found }' in round { $round }, not as '{ $asked }'

# $round (count)
# $more (count) further rounds in which it failed too
# $error (message)
reason-job-failed = failed in round { $round }{ $more ->
    [0] { "" }
    [one] {" "}and { $more } other
   *[other] {" "}and { $more } others
 }: { $error }

# $what (text)
reason-unsupported = unsupported: { $what }

reason-service-ended = the plan ends a service or cuts its power, so the phase is not ranked

# $round (count)
# $more (count) further rounds in which it gave up too
# $error (message)
reason-gave-up = the client gave up in round { $round }{ $more ->
    [0] { "" }
    [one] {" "}and { $more } other
   *[other] {" "}and { $more } others
 }, after too many failures in a row: { $error }

# $failed (count)
# $error (message)
reason-failures = { $failed ->
    [one] { $failed } operation failed: { $error }
   *[other] { $failed } operations failed, most often with: { $error }
 }

# $round (count)
reason-nothing-completed = no operation completed in round { $round }

# $minimum (message)
# $loses (message) a predicate
# $why (message?) what took from its setting
reason-below-durability = it does not meet { $minimum }: it { $loses }{ $why ->
    [none] { "" }
   *[other] {" "}({ $why })
 }

# $minimum (message)
reason-durability-unknown = may not meet { $minimum }: what it can lose is unknown

# $at (message)
reason-failed-before = its job failed at { $at }

reason-not-checked = a load tool drives it, so nobody checks its answers and it is never ranked

# $rounds (count)
# $needed (count)
reason-too-few-rounds = { $rounds ->
    [one] { $rounds } comparable round
   *[other] { $rounds } comparable rounds
 }, but a rank needs { $needed }

### Where and why it was skipped.

# $at (message)
# $rounds (count) rounds that it did before
# $why (message)
reason-skipped = skipped (budget) at { $at }{ $rounds ->
    [0] { "" }
    [one] {" "}after { $rounds } round
   *[other] {" "}after { $rounds } rounds
 }: { $why }

# $after (span)
# $expected (span)
reason-stopped-late = Kurabe stopped it after { $after }, but expected about { $expected }

# $after (span)
reason-stopped-by-share = Kurabe stopped it after { $after }, its share of the budget

# $rounds (count)
# $needed (span)
# $left (span)
reason-would-take-longer = { $rounds ->
    [one] { $rounds } round needs
   *[other] { $rounds } rounds need
 } about { $needed }, but { $left } of the budget were left

reason-nothing-left = nothing was left of the budget

### Why something does not count.

# $round (count)
# $error (text)
reason-bad-end = the job failed at its end, after all phases of round { $round }: { $error }

# $operation (text)
# $error (text)
reason-bad-latencies = '{ $operation }' latencies from a client process: { $error }
