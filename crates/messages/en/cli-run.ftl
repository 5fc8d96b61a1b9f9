### What `kurabe run` and `kurabe plan` print around the answer.

# $studies (text) one a line
cli-run-no-study =
    no study is named. Choose one:

    { $studies }

cli-run-name-study = no study is named; try: kurabe run quick

# $fact (text)
cli-run-data = data: { $fact }

# $rows (count)
# $all (count)
cli-run-fewer-rows = Kurabe loads { $rows } of the { $all } rows: at most --rows, and the same number for each connection

# $path (text)
cli-run-report = report     { $path }

# $path (text)
cli-run-kept = data       { $path }

# $command (text)
cli-run-resume = to continue this run: { $command }

# $path (text)
# $command (text)
cli-run-report-failed =
    cannot write '{ $path }'
    To write it elsewhere: { $command }

### What to do next

# $done (count)
# $all (count)
cli-next-stopped = Stopped after { $done } of { $all } rounds.

# $done (count)
# $all (count)
# $command (text)
cli-next-resume = Stopped after { $done } of { $all } rounds. To continue: { $command }

# $jobs (count)
# $command (text)
cli-next-disturbed = Other programs disturbed { $jobs } { $jobs ->
        [one] job
       *[other] jobs
    }. To repeat only { $jobs ->
        [one] this
       *[other] these
    }: { $command }

# $names (names)
# $took (span)
# $budget (span)
# $command (text)
cli-next-unfinished = { $names } took { $took } of { $budget } and did not finish. To run without { $names-count ->
        [one] it
       *[other] them
    }: { $command }

### Plan

cli-plan-label-time = time

cli-plan-label-disk = disk

cli-plan-label-data = data

cli-plan-label-axis = axis

cli-plan-label-order = order

cli-plan-label-skipped = skipped

# $round (number)
cli-plan-label-round = round { $round }

# $least (count) seconds
# $jobs (count)
cli-plan-time =
    at least { $least } s for { $jobs ->
        [one] { $jobs } job
       *[other] { $jobs } jobs
    }

# $least (count) seconds
# $jobs (count)
# $budget (text)
cli-plan-time-budget =
    at least { $least } s for { $jobs ->
        [one] { $jobs } job
       *[other] { $jobs } jobs
    }; budget { $budget }

# $folder (text)
# $system (text)
# $free (size)
cli-plan-disk = { $folder } on { $system }, { $free } free

# $rows (count)
# $bytes (count)
# $factors (series)
# $rounds (count)
cli-plan-rows =
    { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    } of { $bytes ->
        [one] { $bytes } byte
       *[other] { $bytes } bytes
    }{ $factors-count ->
        [0] {""}
       *[other] , { $factors }
    }, { $rounds } { $rounds ->
        [one] round
       *[other] rounds
    }

# $number (number)
# $what (message)
cli-plan-configuration = configuration { $number }: { $what }

# $name (text)
# $what (message)
cli-plan-named = { $name }: { $what }

# $level (text)
# $setting (text)
# $window (message)
cli-plan-durability = { $level } ({ $setting }; can lose: { $window })

# $sum (count)
# $shares (series)
cli-plan-weights = weights that add up to { $sum }: { $shares }

# $percent (text)
# $operation (text)
cli-plan-share = { $percent } % { $operation }

# $name (text)
# $values (series)
# $makes (message)
cli-plan-axis = { $name }: { $values } ({ $makes })

# $name (text)
# $phases (series)
# $values (series)
# $makes (message)
cli-plan-axis-phases = { $name } of { $phases }: { $values } ({ $makes })

cli-plan-makes-configurations = configurations: separate jobs, each with a new load

cli-plan-makes-phases = phases of one job, in an order that changes with each round

cli-plan-makes-candidates = candidates, ranked against each other

# $count (count)
cli-plan-more-rounds = and { $count } more

# $count (count)
cli-plan-more-configurations = and { $count } more { $count ->
        [one] configuration
       *[other] configurations
    }

cli-plan-skipped =
    Three rounds (or all, if fewer) come first in each configuration, the cheapest first, as far as the budget goes.
    Then Kurabe runs fewer rounds where three do not fit, and more where intervals are widest.
    Last, it repeats the jobs that it stopped because they took more than their share. It estimates times from fewer rows.
    It skips a store that lacks rounds, and the answer names it.
