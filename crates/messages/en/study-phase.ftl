### Mistakes in the phases of a study.

### Length and numbers

study-phase-no-end = give 'count', 'duration', or both

study-phase-zero = 'count' and 'duration' must be above 0

study-phase-think-long = 'think' must be shorter than 'duration'

study-phase-load-count = a load writes exactly 'rows' rows; leave 'count' and 'duration' out

study-phase-load-warmup = a load has no warm-up, because it writes each row once; leave the warm-up out

study-phase-no-common-rows =
    no number of rows divides evenly among the connections of all phases; make some numbers equal

study-phase-rate-end = a phase with a rate ends by time alone; give 'duration' and leave 'count' out

# $planned (count)
# $most (count)
study-phase-rate-many =
    the phase would plan { $planned } operations, more than { $most }; lower 'rate' or shorten 'duration'

# $numbers (count)
# $most (count)
study-phase-rate-inserts =
    its connections could insert rows numbered up to { $numbers }, more than { $most }.
    Lower 'rate', 'duration' or 'connections'

study-phase-slo-inserts = a search does its phase at one rate after the other, and an insert writes each row once; leave 'slo' or the inserts out

study-phase-slo-rank = a phase with 'slo' is ranked by its highest rate; leave 'rank_by' out

### Operations and their keys

# $key (text)
# $operation (text)
study-phase-foreign-key =
    '{ $key }' belongs to the operation '{ $operation }', which this phase lacks; leave it out

# $key (text)
# $operation (text)
study-phase-meaningless = '{ $key }' changes nothing of the operation '{ $operation }'; leave it out

study-phase-passes = several passes load row by row; leave 'load_path' out

study-phase-one-connection = 'rows_from' loads over one connection; leave 'connections' out

study-phase-mix-operations = a mix takes any operation except load, open, program and mix

# $example (text)
study-phase-mix-zero = all shares of the mix are 0; give one above 0, as in { $example }

study-phase-load-change = a change cannot turn a load into another operation, or another operation into a load

study-phase-first-load = the first phase must be the load; write [[phase]] operation = "load" first

study-phase-insert-data = a data file has a fixed set of rows, so 'insert' is not supported; remove this phase

study-phase-search-data = only generated rows have values to search for, so 'search' is not supported; remove this phase

### Rows and memory

# $most (count)
# $timed (count)
study-phase-many-rows =
    with its inserts the job could have more than { $most } rows; use a smaller count or fewer rows.
    A duration alone counts as { $timed } inserts

# $rows (count)
# $digits (number)
# $most (count)
# $timed (count)
study-phase-digits =
    with its inserts the job could have { $rows } rows, but keys of { $digits } digits distinguish only { $most }.
    Use more digits or fewer rows; a duration alone counts as { $timed } inserts

# $bytes (size)
# $most (size)
study-phase-memory =
    the connections would hold { $bytes } of rows at a time, more than { $most }.
    Use fewer connections, a smaller depth, batch or batch_rows, or shorter rows

### Searches

study-search-either = a search asks for either rows = N or at_least = N; give one of them

# $first (text)
# $second (text)
study-example-or = { $first } or { $second }

# $column (text)
# $distinct (count)
# $example (text)
study-phase-search-distinct =
    column '{ $column }' has { $distinct } distinct values, so no range of them selects that many rows; use { $example }

# $most (count)
# $rows (count)
study-phase-search-rows = a search for a number of rows needs at most { $most } rows, got { $rows }

### Programs

# $key (text)
study-phase-program-key = '{ $key }' has no meaning for programs; set it inside 'program', or leave it out

# $operation (text)
study-phase-program-operation = a program loads, reads or multi-reads, got '{ $operation }'

study-phase-program-own = a program has one connection; set name, ranking and actions on its phase instead

study-phase-after-program = phases of programs come last; move this phase before them

study-phase-program-rows =
    programs expect the rows as loaded; remove the phases before them that insert, update or delete

### Where rows come from

# $stores (series)
# $value (text)
study-phase-rows-from = rows_from takes "memory", "lines" or one of the stores { $stores }, got '{ $value }'

study-phase-no-lines = rows_from = "lines" needs a tab-separated data file; leave 'rows_from' out

study-phase-rows-of-data = rows of a data file do not come from another store; leave 'rows_from' out

# $store (text)
study-phase-one-source = a job fetches rows from one store, so '{ $store }' is one too many; remove it

### Actions

# $operation (text)
study-phase-no-actions = '{ $operation }' has no actions; leave 'actions' out

# $most (count)
# $count (count)
study-phase-actions-many = a phase has at most { $most } actions, got { $count }

# $service (text) store or app
study-phase-action-ends-twice = actions end the service '{ $service }' twice; give each end a phase of its own

study-phase-action-unranked =
    operations fail when a service ends, so this phase is not ranked; leave 'deciding' and 'need' out

# $known (series)
# $call (text)
study-phase-action-call = an action calls only what changes nothing ({ $known }), got '{ $call }'

# $examples (series)
study-phase-action-one = an action has 'at' and one thing to do, as in { $examples }

# $act (text) such as kill store
# $time (text)
study-phase-action-late = the action '{ $act }' at { $time } comes after the end of the phase

study-phase-action-range = only the last action of a phase may have a range of moments; give the others one

# $at (text)
study-phase-action-backwards = the range '{ $at }' ends before it begins; write the earlier moment first

study-phase-losses =
    a phase with 'counts_losses' reads every row once, in order, and stands behind the load and one phase of updates
    with one kill = "store" or cut = "store"; write operation = "read" without distribution, duration and warmup

study-losses-once = a study that counts losses has one number of rows and one shape of load; only candidates may vary

study-cut-alone =
    an action cuts the power or breaks the disk, and no phase counts what was lost; add a last phase with operation = "read" and
    counts_losses = true

# $example (text)
study-phase-disk =
    a phase with an action 'disk' has one of them, no warm-up, and a later cut = "store".
    An example: actions = { $example }

study-phase-after-losses = a phase that counts losses is the last one of its study; remove those after it

# $most (duration)
# $time (text)
study-phase-pause = a pause, or a fault of a disk, lasts at most { $most }, got { $time }

### What variations change

# $example (text)
study-phase-and-set = 'phase' and 'set' belong together, as in { $example }

study-phase-keeps-name = a phase keeps its name for comparisons; leave 'name' out

study-phase-data-shape = the rows of a data file cannot be changed; run without --data

study-phase-value-len = 'value_len_bytes' needs rows of a key and one text

# $field (text)
# $cause (message) the axis or pitfall
study-phase-indexed-twice = field '{ $field }' and { $cause } both set 'indexed'; remove one

# $key (text)
study-phase-key = '{ $key }'

# $key (text)
# $phase (text)
study-phase-key-of = '{ $key }' of phase '{ $phase }'

study-phase-each-value = each of its values

# $cause (message)
# $key (message)
# $first (message)
# $second (message)
study-phase-sets-twice = { $cause } sets { $key } twice, to { $first } and to { $second }; remove one

# $one (message) an axis or a pitfall
# $other (message)
# $key (message)
# $first (message)
# $second (message)
study-phase-both-set = { $one } and { $other } both set { $key }, to { $first } and to { $second }; remove one

# $one (message)
# $other (message)
# $key (message)
# $first (message)
# $second (message)
study-phase-pitfalls-set =
    { $one } and { $other } both set { $key }, to { $first } and to { $second }.
    To measure one apart from the others, set alone = true

study-phase-no-stores = stores = [] selects no store; leave it out for every store
