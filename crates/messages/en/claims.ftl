### Claims of a study: what was found, what became of them, and what would decide them.

## Verdicts

claim-right = right

claim-right-and-more-so = right, and more so

claim-wrong = wrong

claim-undecided = undecided

claim-other-work = other work

# $count (count)
claim-count-right =
    { $count ->
        [one] 1 is right
       *[other] { $count } are right
    }

# $count (count)
claim-count-right-and-more-so =
    { $count ->
        [one] 1 is right (and more so)
       *[other] { $count } are right (and more so)
    }

# $count (count)
claim-count-wrong =
    { $count ->
        [one] 1 is wrong
       *[other] { $count } are wrong
    }

# $count (count)
claim-count-undecided =
    { $count ->
        [one] 1 is undecided
       *[other] { $count } are undecided
    }

# $count (count)
claim-count-other-work =
    { $count ->
        [one] 1 is about other work
       *[other] { $count } are about other work
    }

# $count (count)
claim-count-not-judged =
    { $count ->
        [one] 1 claim is not judged
       *[other] { $count } claims are not judged
    }

# $claims (count)
# $level (text) confidence level of the intervals
# $verdicts (list)
claim-summary =
    { $claims ->
        [one] 1 claim
       *[other] { $claims } claims
    }, judged as one family with { $level } intervals. Verdicts by binding: { $verdicts }.

# $summary (message)
claim-summary-edited = { $summary } The claims are not those with which the run was started.

# $title (described)
# $site (described)
# $date (described)
claim-source = "{ $title }", { $site }, { $date }

# $parts (series) binding and durability
claim-context = { $parts }

claim-as-shipped = as shipped

# $claim (text)
# $context (message?) binding and durability
# $verdict (message)
claim-judged =
    claim '{ $claim }'{ $context ->
        [none] {""}
       *[other] {" "}({ $context })
    }: { $verdict }

## What would decide a claim

# $command (text)
claim-decide = To decide it: { $command }

# $longer (span)
# $command (text)
claim-decide-skipped = To decide it, allow about { $longer } more for the skipped jobs: { $command }

# $command (text)
claim-decide-less = To test it, ask for less durability: { $command }

claim-decide-never = Too close to call: 100 rounds would not decide it.

## What was found: a subject, its figure, and what is claimed

# $measure (message)
# $unknown (message?)
# $clients (message?)
claim-finding =
    { $measure }{ $unknown ->
        [none] {""}
       *[other] : { $unknown }
    }{ $clients ->
        [none] {""}
       *[other] {" "}({ $clients })
    }

# $one (text)
# $other (text)
claim-clients = through different clients: { $one } and { $other }

# $place (message)
# $subject (message)
# $figure (message?)
# $claimed (message?)
claim-measure =
    { $place }: { $subject }{ $figure ->
        [none] {""}
       *[other] {" "}= { $figure }
    }{ $claimed ->
        [none] {""}
       *[other] , claimed { $claimed }
    }

# $phase (text)
# $at (message?) the configuration
# $factors (message?) where the phase lies on axes that make phases
claim-place =
    { $phase }{ $at ->
        [none] {""}
       *[other] {" "}at { $at }
    }{ $factors ->
        [none] {""}
       *[other] {" "}with { $factors }
    }

# $metric (message)
# $candidate (text)
claim-of = { $metric } of '{ $candidate }'

# $metric (message)
# $candidate (text)
# $than (text)
claim-of-both = { $metric } of '{ $candidate }' / '{ $than }'

# $metric (message)
# $candidate (text)
# $than (text)
# $place (message) of the second
claim-of-both-places = { $metric } of '{ $candidate }' / '{ $than }' in { $place }

# $candidate (text)
claim-total-time = total time of '{ $candidate }'

# $subject (message)
claim-exponent = growth exponent of { $subject }

# $subject (message)
# $low (count) rows
# $high (count) rows
claim-exponent-over = growth exponent of { $subject } from { $low } to { $high } rows

# $subject (message)
# $rows (count)
claim-bend = rise of the growth exponent of { $subject } after { $rows } rows

# $change (message)
# $subject (message)
claim-effect = effect of { $change } on { $subject }

# $axis (text)
# $from (text)
# $to (text)
claim-change = { $axis } from { $from } to { $to }

# $candidate (text)
# $rows (count)
# $jobs (count)
claim-loses-rows =
    '{ $candidate }' lost { $rows ->
        [0] no row
        [one] 1 row
       *[other] { $rows } rows
    } in { $jobs ->
        [one] 1 job
       *[other] { $jobs } jobs
    }

# $candidate (text)
claim-lost-rows = lost rows of '{ $candidate }'

# $candidate (text)
claim-failures = failures of '{ $candidate }'

# $candidate (text)
# $jobs (count)
claim-does-not-fail =
    '{ $candidate }' did not fail in { $jobs ->
        [one] 1 job
       *[other] { $jobs } jobs
    }

# $candidate (text)
# $message (line)
claim-fails = '{ $candidate }' failed: { $message }

# $value (message)
# $low (message)
# $high (message)
claim-interval = { $value } ({ $low } to { $high })

# $value (ratio)
claim-ratio = { $value }

# $value (ratio)
claim-factor = ×{ $value }

# $value (ratio)
# $low (ratio)
# $high (ratio)
claim-factor-interval = ×{ $value } ({ $low } to { $high })

# $value (significant3)
claim-number = { $value }

# $value (rate)
claim-rate = { $value }/s

# $value (duration)
claim-duration = { $value }

# $value (size)
claim-size = { $value }

# $low (message)
claim-at-least = at least { $low }

# $high (message)
claim-at-most = at most { $high }

# $low (message)
# $high (message)
claim-between = { $low } to { $high }

# $low (number)
# $high (number)
claim-linear = linear ({ $low } to { $high })

# $high (number)
claim-faster = faster than linear (above { $high })

claim-knee = a bend

# $phase (text)
# $subject (message)
# $figure (message)
claim-in-short = { $phase }: { $subject } { $figure }

# $candidate (text)
# $than (text)
claim-short-both = '{ $candidate }' / '{ $than }'

# $sides (message)
# $phase (text) of the second
claim-short-elsewhere = { $sides } in { $phase }

# $candidate (text)
claim-short-one = '{ $candidate }'

# $power (message)
claim-short-exponent = rows to the power of { $power }

# $power (message)
# $rows (count)
claim-short-bend = power higher by { $power } beyond { $rows } rows

## Figures by name

claim-metric-rate = rate

# $percentile (text)
claim-metric-latency = { $percentile }

claim-metric-client-cpu = client CPU

claim-metric-service-cpu = service CPU

claim-metric-disk = bytes on disk per row

## Why a statement is open

# $candidate (text)
claim-unknown-not-here = '{ $candidate }' is not in this run

# $candidate (text)
# $reason (line)
claim-unknown-left-out = '{ $candidate }' was left out: { $reason }

# $pitfall (text)
claim-unknown-pitfall = this run did not measure the pitfall '{ $pitfall }'

# $phase (text)
claim-unknown-sizes = this run has too few sizes of '{ $phase }'

# $factors (message)
claim-unknown-factors = this run did not measure { $factors }

# $phase (text)
# $factors (message)
claim-unknown-place = this run has no '{ $phase }' with { $factors }

# $candidate (text)
# $reason (message)
claim-unknown-uncounted = '{ $candidate }' does not count: { $reason }

# $candidate (text)
# $metric (message)
claim-unknown-figure = '{ $candidate }' has no { $metric } there

# $candidate (text)
# $than (text)
claim-unknown-other-durability = '{ $candidate }' and '{ $than }' keep different durability as shipped

claim-unknown-wrong-durability = this run asks for another durability

claim-unknown-alone = no other candidate was measured

# $candidate (text)
# $skipped (message)
claim-unknown-skipped = '{ $candidate }' was { $skipped }

# $times (times)
claim-unknown-unstable = the machine was unstable, so only a figure { $times } times beyond the claim decides

claim-unknown-unstable-growth = the machine was unstable, so growth decides nothing

# $rounds (count)
# $needed (count)
claim-unknown-rounds =
    { $rounds ->
        [one] it has 1 round and needs { $needed }
       *[other] it has { $rounds } rounds and needs { $needed }
    }

# $rounds (count)
claim-unknown-near = inconclusive; about { $rounds } rounds would decide it

claim-unknown-too-near = inconclusive; 100 rounds would not decide it

## Published figures

# $conditions (described)
claim-published-more = { $conditions }; more is better; × is relative to the winner of the source's column

# $conditions (described)
claim-published-less = { $conditions }; less is better; × is relative to the winner of the source's column

# $candidate (text)
# $part (text) the program of the source
# $reason (described)
claim-stands-in = '{ $candidate }' stands in for '{ $part }' ({ $reason })

# $fact (described)
# $source (text)
claim-by-fact = { $fact } ({ $source })

# $sizes (count)
# $low (count)
# $high (count)
claim-unknown-narrow =
    growth needs three sizes or more, ten times apart; here { $sizes ->
        [one] is 1 size
       *[other] are { $sizes } sizes
    }, from { $low } to { $high } rows

# $found (message)
# $stand-ins (text)
claim-instead = { $found }. { $stand-ins }

# $operations (count)
# $done (count)
claim-unknown-too-small =
    the source did { $operations ->
        [one] 1 operation
       *[other] { $operations } operations
    }, this run { $done }: too few to tell the time
