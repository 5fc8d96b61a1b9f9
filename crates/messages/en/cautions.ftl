### Cautions above the figures: candidates that differ in more than their names, and an unstable machine.

# $one (text)
# $one-runs (text) its libraries
# $other (text)
# $other-runs (text)
caution-drivers = '{ $one }' runs { $one-runs }, and '{ $other }' runs { $other-runs }. Their difference includes that of the drivers.

# $one (text)
# $one-runs (text)
# $other (text)
# $other-runs (text)
caution-library-versions = '{ $one }' runs { $one-runs }, and '{ $other }' runs { $other-runs }. Their difference includes that of the versions.

# $store (text)
caution-many-libraries = The candidates of '{ $store }' run different libraries or versions. Their differences include those of the libraries.

# $one (text)
# $one-version (text)
# $other (text)
# $other-version (text)
caution-service-versions = The server of '{ $one }' is version { $one-version }, and that of '{ $other }' is { $other-version }. Their difference includes that of the versions.

## Durability

# $candidate (text)
# $kept (text) a level
# $promised (text) a level
# $why (clauses)
# $lost (message?)
caution-weakened = '{ $candidate }' keeps durability '{ $kept }' instead of '{ $promised }', which its setting promises: { $why }. It can lose { $lost }.

# $setting (text)
# $found (text)
caution-weakened-setting = its live store reports { $setting } = '{ $found }'

# $flushes (count)
# $commits (count)
# $phase (text)
# $round (count) from 1
caution-weakened-flushes = the disk was flushed { $flushes ->
        [one] once
       *[other] { $flushes } times
    } during its { $commits } commits in { $phase } (round { $round }), and each commit needs a flush

# $reason (message)
caution-weakened-place = its data folder weakens it: { $reason }

# $phase (text)
# $round (count) from 1
# $median (duration)
# $sync (duration)
caution-weakened-quick = its commits were faster than the disk can sync: half of its writes in { $phase } took at most { $median } in round { $round }; nine in ten synced 4 KiB writes took at least { $sync } throughout this run

# $candidate (text)
# $phase (text)
# $round (count) from 1
# $median (duration)
# $sync (duration)
# $follows (message)
caution-quick-commits = Commits of '{ $candidate }' were faster than the syncs before and after them. In round { $round }, half of its writes in { $phase } took at most { $median }. Nine in ten synced 4 KiB writes took at least { $sync }. { $follows }

caution-quick-shared = This proves nothing, because several connections or requests can share a sync.

caution-quick-disk = This proves nothing, because the speed of the disk changed.

caution-quick-busy = What it keeps is unknown: other work kept the disk busy, which hides a sync that does nothing. Repeat the run when the disk is idle.

## The machine

# $candidate (text)
# $pauses (count)
# $share (percent)
# $peak (size)
# $most (size)
caution-pauses =
    { $pauses ->
        [one] '{ $candidate }': the JVM paused once for garbage collection
       *[other] '{ $candidate }': the JVM paused { $pauses } times for garbage collection
    }, { $share } of the measured time. Its heap reached { $peak } of { $most }.

# $disturbed (count)
# $jobs (count)
caution-other-runs =
    Another run of Kurabe measured on this machine during { $disturbed } of { $jobs ->
        [one] { $jobs } job
       *[other] { $jobs } jobs
    }. Rates and times are those of a shared machine. Run one at a time.

# $phase (text)
# $others (percent)
# $programs (names)
caution-other-programs =
    Other programs{ $programs-count ->
        [0] {""}
       *[other] {" "}({ $programs })
    } used { $others } of the processors during '{ $phase }'. Retry when the machine is idle.

# $phase (text)
# $others (percent)
# $steal (percent)
# $programs (names)
caution-other-programs-and-steal =
    Other programs{ $programs-count ->
        [0] {""}
       *[other] {" "}({ $programs })
    } used { $others } of the processors during '{ $phase }', and CPU steal took { $steal }. Retry when the machine is idle.

# $phase (text)
# $steal (percent)
caution-steal = CPU steal took { $steal } of the processors during '{ $phase }'. Retry when the host is idle.

# $phase (text)
# $share (percent)
# $quota (message?)
caution-throttled =
    { $quota ->
        [none] The processes used up their CPU quota
       *[other] The processes used up their CPU quota of { $quota }
    } in { $share } of its periods during '{ $phase }'. They wait until such a period ends, so the quota limits the rates. Raise cpu.max of the control group.

# $fast (duration)
# $slow (duration)
caution-processor = The speed of the processor changed during the run. The same arithmetic took at most { $fast } before the fastest tenth of the jobs. It took at least { $slow } before the slowest tenth. Rates include this change; ranks compare within rounds.
