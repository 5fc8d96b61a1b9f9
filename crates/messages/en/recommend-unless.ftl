### Cases in which something else is to be taken. They follow "unless".

# $work (message)
# $candidate (text)
# $times (times)
# $saves (message?)
# $loses (message?)
recommendation-unless-phase = { $work }: '{ $candidate }' is { $times } times faster there{ $saves ->
    [none] { "" }
   *[other] {" "}({ $saves })
 }{ $loses ->
    [none] { "" }
   *[other] , but it { $loses }
 }

# $operation (text)
# $phase (text)
recommendation-work-is-mostly = { $operation ->
    [load] you mostly load rows in bulk ({ $phase })
    [read] you mostly read by key ({ $phase })
    [scan] you mostly read all rows ({ $phase })
    [latest] you mostly read the newest rows ({ $phase })
    [search] you mostly search ranges ({ $phase })
    [update] you mostly change rows ({ $phase })
    [insert] you mostly add rows ({ $phase })
    [delete] you mostly delete rows ({ $phase })
    [increment] you mostly count ({ $phase })
   *[other] your work is mostly { $phase }
 }

# $time (span)
recommendation-saves = { $time } less work a day at the rate that you need

# $condition (message)
# $choice (message)
recommendation-unless-elsewhere = { $condition }: { $choice }

# $condition (message)
# $choice (message)
# $why (message)
recommendation-unless-elsewhere-because = { $condition }: { $choice }; { $why }

# $reason (message)
# $next (message)
recommendation-reason-and = { $reason }; { $next }

# $candidates (either)
recommendation-then-take = take { $candidates }

recommendation-then-inconclusive = inconclusive

# $needs (message)
# $minimum (text) as it is typed
recommendation-if-durability = { $needs } ({ $minimum })

recommendation-if-tuned = you set stores as their makers advise (profile tuned)

recommendation-if-default = you leave stores as they are shipped (profile default)

### What to take then.

# $candidate (text)
recommendation-instead = take '{ $candidate }'

# $store (text)
# $command (text)
recommendation-instead-not-measured = consider '{ $store }', not measured here: { $command }

# $store (text)
# $command (text)
recommendation-instead-not-ranked = consider '{ $store }', which did not qualify here: { $command }

# $wanted (text)
recommendation-instead-nothing = { $wanted ->
    [server] no server
    [sql] no store with SQL
    [writers] no server with several writers
    [drivers] no store with other drivers
    [isolation] no store that isolates connections better
    [expiry] no store that expires rows
   *[licence] no store under another licence
 } is known here

# $instead (message)
recommendation-unless-several-machines = several machines use it: { $instead }

# $instead (message)
recommendation-unless-several-machines-or-writers =
    several machines use it, or many connections write at once: { $instead }

# $instead (message)
recommendation-unless-many-writers = many connections write at once: { $instead }

# $instead (message)
recommendation-unless-queries = you need joins, or searches by other columns than the key: { $instead }

# $candidate (text)
# $times (times)
recommendation-unless-one-program =
    only one program uses it: '{ $candidate }' needs no server and is at least { $times } times faster

# $command (text)
recommendation-unless-power-fails = nothing may be lost in a power failure: { $command }

# $phase (text)
# $times (times)
# $other (message?)
recommendation-unless-grows =
    your data grow: with ten times the rows, an operation of { $phase } takes { $times } times as long{ $other ->
        [none] { "" }
       *[other] ; { $other }
    }

# $candidate (text)
recommendation-grows-less = '{ $candidate }' slows down less

# $slowest (message)
# $other (message?)
# $lock (message?)
recommendation-unless-pauses = pauses hurt you: { $slowest }{ $other ->
    [none] { "" }
   *[other] ; { $other }
 }{ $lock ->
    [none] { "" }
   *[other] ; { $lock }
 }

# $candidate (text)
# $time (duration)
recommendation-pauses-of-other = with '{ $candidate }' that time is { $time }

recommendation-waits-for-lock = its connections wait for one lock to write

# $languages (list)
# $instead (message)
recommendation-unless-language = { $languages-count ->
    [one] your program is not in { $languages }
   *[other] your program is in another language than { $languages }
 }: { $instead }

# $isolation (text)
# $instead (message)
recommendation-unless-isolation = { $isolation ->
    [last-write-wins] two connections change the same row (here the store may drop one change silently)
    [single-request] several rows change together, or a row depends on what was read (only one request is atomic here)
    [read-uncommitted] connections must not see what others have not committed
    [read-committed] a change depends on a row read before (read committed here: lock it, or a change may be lost)
    [repeatable-read] a change depends on a row read before (repeatable read here: lock it, or a change may be lost)
   *[other] connections change the same rows
 }: { $instead }

# $instead (message)
recommendation-unless-rows-expire = the store must expire or evict rows: { $instead }

# $licence (described)
# $instead (message)
recommendation-unless-distributed =
    you distribute your program without its source (licence { $licence }): { $instead }

# $licence (described)
# $instead (message)
recommendation-unless-service = you offer the store itself as a service (licence { $licence }): { $instead }

# $rate (rate)
# $candidate (text)
recommendation-unless-little-needed = you need less than { $rate }/s: '{ $candidate }', the plain choice, does that too

# $rows (count)
# $command (text)
recommendation-unless-more-rows = you have far more than { $rows } rows, which this run did not measure: { $command }

# $rate (rate)
recommendation-unless-less-needed = { $rate }/s is enough

# $command (text)
recommendation-unless-more-connections = more connections can share the work: { $command }

# $command (text)
recommendation-unless-less-kept = more writes may be lost: { $command }

# $size (size)
# $candidate (text)
# $other (size)
recommendation-unless-disk = disk space is short: a row takes { $size }, with '{ $candidate }' { $other }
