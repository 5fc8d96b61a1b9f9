### Why a run does not start or go on.

run-interrupted = interrupted before anything was measured

# $problem (text)
run-environment = { $problem }. No store is to blame: the run ends here, and the current job is not recorded

# $error (text)
run-record = cannot write a record: { $error }; please report this

# $path (text)
# $error (text) of the system
run-io = cannot write '{ $path }': { $error }; choose another place with --dir

# $error (text) of the system
run-own-program = cannot find kurabe's own program: { $error }

### Refused before anything starts

# $dir (text)
# $reason (message)
run-no-power = cannot measure durability 'power' in '{ $dir }': { $reason }

# $name (text)
# $user (message)
# $folder (text)
# $other (text) a folder
run-closed-folder =
    '{ $name }' runs as { $user }, who cannot enter '{ $folder }'; choose another folder with --dir, such as '{ $other }'

# $name (text)
# $reason (text)
run-unsuitable = '{ $name }': { $reason }

# $name (text)
# $policy (text) of the server
run-evicts =
    '{ $name }': the server evicts rows of other users when its memory is full ({ $policy }).
    Give it another policy, or use --allow-evictions if nothing there is needed

# $name (text)
# $policy (text) of the server
# $room (size)
# $needed (size)
run-evicts-beyond =
    '{ $name }': the server evicts rows of other users when its memory is full ({ $policy }); it has room for { $room } of { $needed }.
    Give it another policy or more memory, or use --allow-evictions if nothing there is needed

# $rows (count)
# $needed (size)
# $free (size)
# $sizes (count) in --sizes
run-no-space =
    { $rows } rows may need { $needed } on disk, but { $free } are free; { $sizes ->
        [one] use fewer --rows
       *[other] leave that size out of --sizes
    }, or use another --dir

# $budget (text) as typed
# $rows (count)
# $least (text)
run-short-budget =
    a budget of { $budget } is too short: one round at { $rows } rows takes at least { $least }; give more, or fewer --stores

# $name (text)
# $phase (text)
# $client (text)
# $store (text)
run-no-restart =
    '{ $name }': phase '{ $phase }' restarts the store or breaks its disk, and the { $client } client does not reconnect.
    Use '{ $store }+rust', or 'kill' instead of 'restart'

# $error (text)
run-no-power-cut =
    this study breaks a disk that Kurabe mounts, or cuts its power, and here nothing can be mounted: { $error }.
    Run it as root on a system with FUSE (/dev/fuse); 'kurabe run crash' needs neither

# $name (text)
# $files (number)
# $connections (count)
# $most (number)
run-open-files =
    '{ $name }' needs { $files } open files for { $connections } connections, but the hard limit is { $most }.
    Raise it (ulimit -Hn { $files }), or use fewer connections

### What every job needs and is gone

# $said (text) by a client
# $limit (text)
run-files-exhausted =
    a client could not open more files or connections ({ $said }); the hard limit is { $limit }: raise it (ulimit -Hn), or use fewer connections

# $said (text) by a client
# $ports (count) 0 where it is unknown
run-ports-exhausted =
    no local port was free for a client's connection ({ $said }), because a closed connection keeps its port for a minute; widen net.ipv4.ip_local_port_range{ $ports ->
        [0] {""}
       *[other] {" "}({ $ports } ports)
    }, set net.ipv4.tcp_tw_reuse to 1, or connect less often

run-guardian-gone = the guardian, which cleans up if kurabe is killed, has ended, and Kurabe starts nothing without it

# $program (text)
# $error (text) of the system
run-cannot-start =
    cannot start '{ $program }': { $error }; stop what uses up processes, open files or memory, or raise this user's limit (ulimit)

# $path (text)
# $error (text) of the system
run-cannot-make = cannot make '{ $path }': { $error }

# $what (text) data, filler or logs
# $path (text)
run-place-gone =
    { $what ->
        [filler] the file of filler
        [logs] the folder for logs
       *[data] the data folder
    } '{ $path }' is gone: somebody has removed or moved it

# $what (text) data, filler or logs
# $path (text)
# $error (text) of the system
run-place-closed =
    cannot open { $what ->
        [filler] the file of filler
        [logs] the folder for logs
       *[data] the data folder
    } '{ $path }': { $error }

# $error (text) of the system
run-no-more-files =
    cannot open any more files: { $error }; raise the limit with 'ulimit -n', or stop the programs that hold them open

# $error (text) of the system
run-no-pipe = cannot talk to a client: { $error }

# $error (text) of the system
run-no-thread = cannot start a thread that reads what a client says: { $error }

# $error (text) of the system
run-no-wait = cannot wait for a program: { $error }

### Warnings in a run

# $name (text)
# $what (text)
run-absent = '{ $name }' lacks a figure, because its user may not read it: { $what }

# $name (text)
# $minimum (text)
# $setting (text)
# $found (text)
# $window (text) what can be lost
run-below-minimum =
    '{ $name }' does not keep '{ $minimum }', so it is not ranked in phases that write.
    Its server reports { $setting } = '{ $found }', which can lose: { $window }

# $name (text)
run-removing = Interrupted. First Kurabe removes what this run wrote to '{ $name }'.

# $name (text)
# $names (text) of tables or keys
run-not-removed = Kurabe could not remove what this run wrote to '{ $name }': '{ $names }'. Remove it yourself.

### The end of a run

run-end-interrupted = interrupted by the user

run-end-failed = every candidate failed

# $rounds (count)
# $planned (count)
run-end-budget = { $rounds } of { $planned } rounds fit into the budget

### Why a job failed: starting

run-client-no-output = the client has no stdout

run-no-client-process = a job needs at least one client process

# $limit (span)
run-address-silent = the server at that address did not answer within { $limit }

# $error (text)
run-address-wrong = the server at that address does not answer as it should: { $error }

# $error (text)
run-store-wrong = the store does not answer as it should: { $error }

# $name (text)
# $found (text)
# $asked (text)
run-setting-differs = setting '{ $name }' reads back as '{ $found }', not as '{ $asked }' as it was set

### Clients

# $limit (span)
run-client-reads-nothing = timeout: the client read nothing within { $limit }

# $what (message)
# $limit (span)
run-client-late = timeout: { $what } did not come within { $limit }

run-awaited-hello = its hello

run-awaited-reply = the answer to a call

run-awaited-end = the end of a program

run-awaited-rows = the rows to fetch

run-awaited-filling = the result of filling

run-awaited-ready = 'ready'

# $phase (text)
run-awaited-ready-of = 'ready' for phase '{ $phase }'

run-awaited-result = 'result'

# $phase (text)
run-awaited-result-of = the result of phase '{ $phase }' (or any progress of it)

# $limit (span)
run-client-stays = the client did not end within { $limit } after 'stop'

# $how (message) it ended
# $said (text) its last words with a colon before them, or nothing
run-client-ended = the client { $how }{ $said }

# $said (text) its last words with a colon before them, or nothing
run-client-closed = the client closed its output{ $said }

# $what (text)
run-client-broke-protocol = the client broke the protocol: { $what }

# $what (text)
run-program-broke-protocol = it broke the protocol: { $what }

# $expected (message)
# $got (text)
run-unexpected = expected { $expected }, got '{ $got }'

# $call (text)
run-call-unknown = call '{ $call }': it is unsupported, and every client must know it

# $call (text)
# $error (text)
run-call-failed = call '{ $call }' failed: { $error }

### Programs and rows

# $how (message) it ended
# $said (text) its last words with a colon before them, or nothing
run-program-ended = the program { $how }{ $said }

run-program-unread = the program did not read what it was to do

run-program-no-result = the program ended without a result

# $done (count)
# $wanted (count)
run-program-short = the program did { $done } of { $wanted } operations

# $error (text)
run-rows-to-fetch = the rows to fetch: { $error }

# $written (count)
# $rows (count)
# $why (text) with a colon before it, or nothing
run-rows-missing = only { $written } of { $rows } rows are there{ $why }

# $done (count)
# $wanted (count)
# $why (text) with a colon before it, or nothing
run-not-loaded = only { $done } of { $wanted } rows were loaded{ $why }

### Services that died

run-service-died = the service died

# $who (text) rows-from, store, app or link
# $noticed (message?) how a client noticed it, in brackets
# $log (text)
run-died =
    { $who ->
        [rows-from] the service that rows are fetched from
        [app] the app
        [link] the bandwidth limit
       *[store] the service
    } died{ $noticed }; the end of its log:
    { $log }

# $how (text)
run-noticed = { " " }({ $how })

# $message (text)
# $full (message)
run-on-full-disk = { $message } ({ $full })

# $phase (text)
# $first (text)
# $then (text)
run-failed-first = '{ $phase }' failed first: { $first }; then { $then }

### What a phase needs and its candidate lacks

# $operation (text)
run-lacks-operation = no { $operation }

# $path (text)
run-lacks-load-path = no load path { $path }

run-lacks-open-rows = no open of several rows

run-lacks-passes = no load of several passes

# $scope (text)
run-lacks-read-scope = no read scope { $scope }

run-lacks-reconnect = no connection for each operation

run-lacks-reconnect-many = a connection for each operation, several at a time

# $operation (text)
run-lacks-beside-writers = no { $operation } beside several writers

# $depth (count)
# $most (count)
run-lacks-depth = depth { $depth } (at most { $most })

run-lacks-batch = no batch

# $connections (count)
# $most (count)
run-lacks-connections = { $connections } connections (at most { $most })

run-lacks-schedule = no planned starts (rate)

run-lacks-think = no waits between operations (think)

run-lacks-search = no promise to search for: it is a baseline

run-lacks-mix = no mix

run-lacks-other-end = no end but by time, in whole seconds (duration = "2s")

run-lacks-other-warmup = no warm-up but by time

run-lacks-commits = no commit of several writes

# $distribution (text)
# $known (series)
run-lacks-distribution = no distribution { $distribution }; it has { $known }

# $connections (count)
# $most (count)
run-lacks-shared-knowledge =
    { $connections } connections after { $most }: its processes do not know of each other's writes

# $what (message)
run-lacks-for-load = { $what } for the load

# $kind (text)
run-lacks-key-type = no key of type { $kind }

run-keeps-columns = it keeps columns: nothing is encoded

# $encoding (text)
run-lacks-encoding = no encoding { $encoding }

run-lacks-data-file = no rows of a data file

# $bytes (count)
# $most (count)
run-lacks-long-keys = a key has { $bytes } bytes, at most { $most } fit

# $bytes (count)
# $most (count)
run-lacks-long-values = a value has { $bytes } bytes, at most { $most } fit

run-lacks-empty-values = no empty values

run-lacks-sharing = several processes cannot share it

run-lacks-programs-of-tool = a load tool is no client whose programs could be counted

run-lacks-kept-rows = keeps nothing from one program to the next

# $store (text)
run-lacks-row-source = { $store }, to fetch rows from, is not here

run-lacks-fetching = no fetching of rows from another store

### Actions in a phase

run-action-inside = it runs inside its client, which cannot be asked while it works

run-action-at-address = it runs at an address, and Kurabe ends no such server

# $limit (duration)
run-kill-command-slow = the command of --kill did not end within { $limit }

# $status (text)
# $limit (duration)
run-kill-command-idle =
    the command of --kill ended ({ $status }), and the server still answered over the same connection { $limit } later

# $status (text)
run-command-ended = it ended ({ $status })

# $ended (message?)
# $limit (duration)
# $error (text)
run-start-command =
    after the command of --start{ $ended ->
        [none] {""}
       *[other] {" "}({ $ended })
    } the server did not answer within { $limit }: { $error }

# $name (text)
# $error (text)
run-own-server-down = '{ $name }' was killed and is not back: { $error }; start it yourself

run-action-load-tool = a load tool does not reconnect

run-action-no-app = there is no app before the store

run-action-in-client = it runs inside its client, which would end with it; put it behind a service (STORE/serve)

run-action-no-promise = its durability setting promises nothing when its process ends

# $error (text)
run-action-no-pause = its processes could not be stopped: { $error }

run-action-too-late = the phase had already ended

run-no-disk = there is no disk that could fail, or whose power could be cut

### Settings, as a record gives their reasons

run-setting-asked = The study sets it.

run-setting-binary = The study sets it, instead of the one that Kurabe found.
