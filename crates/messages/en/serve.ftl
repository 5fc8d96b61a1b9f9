### What `kurabe serve` prints.

# $error (text) of the system
# $flag (text)
serve-listen =
    { $error }
    Choose another with { $flag }.

serve-no-store = the store cannot take part

# $store (text)
serve-title = A board over { $store }

# $title (text) of the board
# $address (text)
serve-at = { $title }, at { $address } (Ctrl-C ends it)

# $title (text) of the board
# $address (text)
serve-at-all = { $title }, at { $address } and at every other address of this machine (Ctrl-C ends it)

# $store (text)
# $said (text) by the server
serve-server-ended = the server of { $store } has ended; its last lines: { $said }

# $store (text)
serve-server-ended-silently = the server of { $store } has ended

# $store (text)
# $said (text) by the server
serve-start-ended = the server of { $store } ended while it was starting; its last lines: { $said }

# $store (text)
serve-start-ended-silently = the server of { $store } ended while it was starting

# $words (text)
serve-lost =
    { $words }
    Posts that Kurabe confirmed are as durable as --durability says.

# $store (text)
serve-bus-error =
    { $store } was killed (SIGBUS): the kernel cannot read or write a file that it maps into memory.
    Check whether the disk is full.

serve-signals = cannot watch for signals

# $client (text)
serve-client =
    a board uses the Rust client of its store
    Leave out '+{ $client }'.

# $store (text)
serve-nothing-kept =
    { $store } keeps nothing in a folder
    Leave out --data.

serve-address-data =
    a server at an address keeps its rows itself
    Leave out --data.

# $store (text)
# $asked (text)
# $kept (text)
serve-durability =
    { $store } has no setting of durability '{ $asked }'
    Use --durability { $kept }

# $store (text)
serve-no-table = { $store } cannot make a table

# $store (text)
# $error (text)
serve-table-failed = { $store } cannot make the table: { $error }

# $path (text)
serve-make = cannot make '{ $path }'

# $path (text)
serve-read = cannot read '{ $path }'

# $path (text)
serve-not-a-job = '{ $path }' is not a job

# $store (text)
# $waited (count) seconds
# $error (text)
serve-waiting = waiting for { $store } ({ $waited } s): { $error }

### Its folder

# $path (text)
# $error (text)
serve-mark = cannot read the 'board.json' in '{ $path }': { $error }

# $path (text)
# $error (text) of the system
serve-folder-read =
    cannot read '{ $path }': { $error }
    Name another folder with --data.

# $path (text)
# $store (text)
serve-other-store =
    '{ $path }' is a board over '{ $store }'
    Serve it with --store { $store }, or name another folder.

# $path (text)
# $error (text) of the system
serve-folder-make =
    cannot make '{ $path }': { $error }
    Name another folder with --data.

# $path (text)
serve-not-a-board =
    '{ $path }' is not empty and is not a board
    Name an empty folder with --data.

# $path (text)
serve-write = cannot write in '{ $path }'

# $path (text)
# $pid (number)
serve-taken =
    another kurabe serves '{ $path }' (pid { $pid })
    End that one, or name another folder with --data.

# $error (text)
serve-lock =
    { $error }
    Name another folder with --data.

# $path (text)
serve-posts-kept = the posts are in '{ $path }'

serve-posts-gone = The posts are gone. To keep them, use --data DIR.
