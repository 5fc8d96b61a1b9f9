### What a run prints while it measures.

# $left (span)
progress-left = about { $left } left

# $rate (rate)
progress-rate = { $rate } op/s

progress-starting = starting

# $study (text)
# $rounds (count)
# $configurations (count)
# $candidates (series)
progress-plan = { $study }: { $rounds } { $rounds ->
        [one] round
       *[other] rounds
    }{ $configurations ->
        [one] {""}
       *[other] {" "}in each of { $configurations } configurations
    }: { $candidates }

# $pitfalls (series)
progress-pitfalls = pitfalls beside the corrected work: { $pitfalls }

# $round (number)
# $rounds (number)
# $candidate (text)
progress-round = round { $round }/{ $rounds }  { $candidate }

# $done (number)
# $all (number)
# $job (text)
progress-job = { $done } of { $all }: { $job }

# $who (message)
progress-repeated = { $who }: Kurabe repeats the job later

# $who (message)
progress-counts = { $who }: the job counts anyway

# $share (percent)
progress-steal = the hypervisor took { $share } of the processors (CPU steal)

# $name (text)
# $pid (number)
# $cores (text)
progress-program = '{ $name }' (pid { $pid }) used { $cores } cores

# $share (percent)
progress-programs = other programs used { $share } of the processors

# $candidate (text)
# $what (message)
progress-skipped = { $candidate }: { $what }

# $leaders (clauses)
progress-standing = so far: { $leaders }

# $phase (text)
# $first (text)
# $ratio (ratio)
# $next (text)
progress-leads-by = { $phase }: { $first } ({ $ratio } × { $next })

# $phase (text)
# $first (text)
progress-leads = { $phase }: { $first }

# $phase (text)
# $first (text)
progress-tie = { $phase }: a tie ({ $first } has the higher mean)

# $job (text)
# $took (span)
progress-took = { $job }  { $took }
