### What was done: by whom, how often, and how answers were checked.

# $count (count)
# $noun (text) store, pair (of a store and a client), configuration (of a store) or baseline
completion-noun =
    { $noun ->
        [pair] { $count ->
            [one] pair of a store and a client
           *[other] pairs of a store and a client
         }
        [configuration] { $count ->
            [one] pair of a store and a setting
           *[other] pairs of a store and a setting
         }
        [baseline] { $count ->
            [one] baseline
           *[other] baselines
         }
       *[store] { $count ->
            [one] store
           *[other] stores
         }
     }

# $whole (count) those that did all of it
# $all (count)
# $noun (message)
completion-who-of = { $whole ->
    [one] One
   *[other] { $whole }
 } of { $all } { $noun }

# $all (count)
# $noun (message)
completion-who-all = { $all ->
    [one] One
   *[other] { $all }
 } { $noun }

# $who (message)
# $whole (count)
# $rows (message)
# $connections (count)
# $times (message)
completion-done = { $who } did the { $whole ->
    [one] work on { $rows } over { $connections ->
        [one] one connection
       *[other] up to { $connections } connections
     }, { $times }.
   *[other] same work on { $rows } over { $connections ->
        [one] one connection
       *[other] up to { $connections } connections
     }, { $times } each in interleaved rounds.
 }

# $least (text) yes where some did it more often
# $rounds (count)
completion-times = { $least ->
    [yes] at least{" "}
   *[no] { "" }
 }{ $rounds ->
    [one] once
   *[other] { $rounds } times
 }

completion-checked = Every answer was checked.

completion-checked-increments = Every answer was checked, increments by their sum.

# $names (message)
completion-checked-without-sum =
    Every answer was checked, increments by their sum; those of { $names } were not checked.

# $rows (message)
completion-only-load-tools = Only load tools did the work on { $rows }, so no answer was checked.

# $noun (message)
# $all (count)
# $rows (message)
completion-nobody = { $all ->
    [one] The { $noun } did not do the work on { $rows }.
   *[other] None of { $all } { $noun } did the work on { $rows }.
 }

# $rows (count)
# $size (size)
completion-rows =
    { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    } ({ $size })

# $rows (count)
# $file (text)
completion-rows-of-file =
    { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    } of '{ $file }'

# $rows (message)
# $at (message)
completion-rows-at = { $rows } with { $at }

### Those that did not do all of it.

# $count (count)
completion-others = { $count } others

# $who (message)
completion-did-it = { $who } did it.

# $who (message)
# $round (count)
completion-failed = { $who } failed in round { $round }.

# $who (message)
# $at (message)
completion-failed-at = { $who } failed at { $at }.

# $who (message)
# $round (count)
completion-gave-up = After too many failures in a row, the client gave up on { $who } in round { $round }.

# $who (message)
completion-unsupported = { $who } can do none of it.

# $who (message)
# $count (count)
completion-skipped = { $who } { $count ->
    [one] was
   *[other] were
 } skipped, because the budget is too short.

# $who (message)
# $count (count)
completion-not-measured = { $who } { $count ->
    [one] was
   *[other] were
 } never measured.

### Other configurations.

# $count (count)
completion-other-configurations = There are { $count } other configurations.

# $configurations (clauses)
completion-other-configurations-named = Other configurations: { $configurations }.
