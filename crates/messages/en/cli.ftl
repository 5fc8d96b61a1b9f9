### Mistakes and errors of several verbs.

# $path (text)
cli-write = cannot write '{ $path }'

# $path (text)
# $error (text) of the system
cli-write-refused =
    cannot write '{ $path }': { $error }
    Name a file that you can write, in a folder that exists.

# $path (text)
cli-write-read-only =
    cannot write '{ $path }': it is read-only
    Name a file that you can write.

# $path (text)
cli-write-beside = cannot write beside '{ $path }'

# $path (text)
cli-write-unchanged = cannot write '{ $path }', which is unchanged

# $path (text)
# $kept (text) another file
cli-write-kept = cannot write '{ $path }'; its old content is in '{ $kept }'

cli-stdout-closed =
    cannot write to stdout: it is closed
    Send it to a file, or to /dev/null.

cli-stdout = cannot write to stdout

# $reason (text)
# $command (text)
cli-no-servers-hint =
    { $reason }
    Get it with: { $command }

### Runs

cli-run-none =
    there is no run in './kurabe-runs'
    Name the folder of a run, or make one: kurabe run quick

# $name (text)
# $nearest (series) names in quotes
cli-run-unknown =
    there is no run '{ $name }'
    The nearest in ./kurabe-runs: { $nearest }

# $path (text) a run
cli-run-without-claims =
    the study of '{ $path }' has no claims
    To judge it by the claims of another study: --of STUDY

cli-no-claim =
    there is no claim to check
    Write a [[claim]] into the study.

# $command (text)
cli-resume-kill =
    this run was made with --kill and --start; give them again
    It was: { $command }

cli-kill-nothing =
    --kill is for a study that kills its store, and this one does not
    Run 'crash', or give a phase an action with kill = "store".

# $servers (count)
cli-kill-one-server =
    --kill and --start are for one server at an address, and { $servers } take part
    Name it: --stores STORE@URL --durability default

cli-check-no-claim =
    --check needs a claim, but the study has none
    Write a [[claim]] into the study.

# $line (number)
# $reason (text)
# $command (text)
cli-damaged =
    line { $line } of jobs.jsonl is damaged ({ $reason }), so its job does not count.
    Run it again: { $command }

# $name (text) a run
# $first (text) a run
# $differences (clauses)
cli-other-machine =
    '{ $name }' was made on another machine than '{ $first }' ({ $differences })
    Compare runs of one machine, or leave out --same-machine.

# $path (text)
cli-report-no-article = the run '{ $path }' repeats no published comparison; leave it out

cli-splice-several =
    --splice takes one run
    Name the run whose answer goes into the file.

cli-by-several =
    --by takes one run
    With several runs, each study ranks by its own metric.

# $path (text)
# $error (text) of the system
cli-splice-read =
    cannot read '{ $path }' as text: { $error }
    Name a Markdown file.

# $path (text)
cli-splice = cannot put the result into '{ $path }'

# $program (text)
# $path (text) a page
# $error (text)
cli-open =
    '{ $program }' cannot open the page ({ $error })
    Open '{ $path }' in a browser.

### Folders

# $path (text)
# $parent (text)
cli-dir-parent =
    cannot make '{ $path }': '{ $parent }' is not a folder
    Make that folder first, or choose another --dir.

# $path (text)
# $error (text) of the system
cli-dir-make =
    cannot make '{ $path }': { $error }
    Choose another --dir.

# $path (text)
cli-dir-not-folder =
    '{ $path }' is not a folder
    Name a folder with --dir.

# $path (text)
# $error (text) of the system
cli-dir-use =
    cannot use '{ $path }': { $error }
    Choose another --dir.

# $path (text)
cli-dir-utf8 =
    cannot use '{ $path }': its name is not UTF-8, which clients and servers need
    Choose another --dir.

# $path (text)
# $error (text) of the system
cli-out-make =
    cannot make '{ $path }': { $error }
    Choose a folder with --out.

### New definitions

# $path (text) or a name
# $problem (message)
cli-new = '{ $path }': { $problem }

cli-new-client-extends =
    a new client takes no --extends
    Kurabe writes a store for it.

# $name (text)
cli-new-name =
    it takes no name, got '{ $name }'
    Use: kurabe new FILE.toml, kurabe new store NAME or kurabe new client NAME

cli-new-toml =
    a study file ends in .toml
    Use: kurabe new FILE.toml, kurabe new store NAME or kurabe new client NAME

cli-new-extends =
    a store needs --extends with the store whose protocol it speaks, such as redis
    A store with another protocol comes with a client: kurabe new client NAME

# $store (text)
cli-new-at-address = no store can extend '{ $store }', which is only measured at an address

cli-new-exists =
    it exists already
    Choose another name.

cli-new-bad-name = a name has at most 64 letters a to z, digits, '-' and '_'

cli-new-taken =
    this name is taken
    Choose another name.

# $path (text)
# $command (text)
cli-new-runs =
    { $path }

    It runs without a change: { $command }

# $path (text)
# $command (text)
cli-new-server =
    { $path }

    Name its programs and how to identify it ([[identity]]). Then: { $command }

### Tools

cli-wire-cannot = the candidate cannot take part

cli-no-configuration = the study has no configuration

# $count (count) of candidates
cli-wire-one = expected one candidate, got { $count }

# $candidate (text)
# $title (text)
cli-wire-server =
    '{ $candidate }': { $title } is a server
    Start one and give its address: { $candidate }@URL

# $path (text)
cli-wire-rows = the rows of the data are in '{ $path }'

# $path (text)
cli-wire-files =
    the files of this job are in '{ $path }'.
    Remove this folder when you do not need it any more.

# $cost (significant3) ns
cli-selftest-clock = { $cost } ns for a clock read

# $cost (significant3) ns
# $net (significant3) ns
cli-selftest-operation = { $cost } ns for an operation, { $net } ns without its two clock reads

# $least (duration)
cli-selftest-time = '--time' must be { $least } at least, so that a stall fits in

# $trial (text)
# $error (text)
cli-selftest-failed = { $trial } failed: { $error }

cli-selftest-passes = passes

cli-selftest-fails = FAILS

# $value (duration)
cli-selftest-duration = { $value }

# $value (count)
cli-selftest-count = { $value }

# $value (percent)
cli-selftest-share = { $value }

# $least (message)
# $most (message)
cli-selftest-between = { $least } to { $most }

# $most (message)
cli-selftest-most = { $most } at most

# $what (message)
# $measured (message)
# $right (message)
cli-selftest-figure = { $what }: { $measured }; right is { $right }

# $connections (count)
cli-selftest-planned = planned operations, { $connections } { $connections ->
    [one] connection
   *[other] connections
}

# $connections (count)
cli-selftest-p99 = p99 of response times, { $connections } { $connections ->
    [one] connection
   *[other] connections
}

# $connections (count)
cli-selftest-p999 = p99.9 of response times, { $connections } { $connections ->
    [one] connection
   *[other] connections
}

# $connections (count)
cli-selftest-late = response times above 10 ms, { $connections } { $connections ->
    [one] connection
   *[other] connections
}

cli-selftest-closed = p99 in a closed loop, 16 connections

# $candidate (text)
# $phase (text)
cli-selftest-accounted = operations told of those planned, '{ $candidate }' in { $phase }

cli-selftest-overload-planned = planned operations above what the store can do

cli-selftest-overload-open = operations left open above what the store can do

cli-selftest-dropped = operations dropped where 100 may wait

cli-selftest-dropped-open = operations left open where 100 may wait

cli-selftest-hang-open = operations left open by a store that hangs at the end

cli-selftest-hang-waited = the longest response time before a store that hangs

cli-selftest-warm = p99 of response times after a stall in the warm-up

cli-selftest-lag = client lag at p99, 200,000 operations a second

cli-selftest-lag-done = operations done of those planned

# $sets (count)
cli-selftest-ranking-wrong = answers of { $sets } that say more than they may

cli-selftest-ranking-leads = answers in which a store leads

cli-selftest-ranking-taken = answers that recommend a store

cli-selftest-ranking-broken = answers to a run with invalid results

# $connections (count)
cli-selftest-waits = mean wait in the queue, { $connections } { $connections ->
    [one] connection
   *[other] connections
}

# $rounds (count)
# $path (text)
cli-selftest-medians = medians of { $rounds } rounds in { $path }

### Values of flags

cli-rounds-value = expected a number from 1 to 1000

cli-users-value = expected a number of users from 1 on

cli-think-value = a user who does not think at all is a closed loop; give a time above 0, or leave --users out

# $most (text)
cli-seed-value = expected a number from 0 to { $most }

# $known (either)
cli-one-of = expected { $known }

cli-host-value = expected NAME or NAME:PORT

# $address (text)
# $port (number)
cli-host-unspecified =
    this address names no host
    To serve other machines, use --listen { $address }:{ $port }
