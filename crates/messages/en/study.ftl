### Mistakes in studies, candidates and flags: where, what, and what to do.

# $origin (text) a file or a flag
# $problem (message)
study-in = { $origin }: { $problem }

# $part (message) a phase, an axis, a candidate
# $problem (message)
study-in-part = { $part }: { $problem }

# $problem (message)
# $line (number)
# $column (number)
study-at = { $problem } (line { $line }, column { $column })

### Names

# $what (text) the kind of thing: a word, or several with hyphens
study-thing = { $what ->
    [data-file] data file
    [durability-setting] durability setting
    [int64-column] int64 column
    [load-tool] load tool before a service
    [user] user of a store
   *[other] { $what }
 }

# $thing (message)
# $name (text)
study-named = { $thing } '{ $name }'

# $thing (message)
# $name (text)
# $hint (message?) the nearest name, or all
study-unknown = { $hint ->
    [none] unknown { $thing } '{ $name }'
   *[other] unknown { $thing } '{ $name }'; { $hint }
 }

# $known (series)
study-expected = { $known-count ->
    [1] expected { $known }
   *[other] expected one of: { $known }
 }

# $named (message)
study-twice = { $named } appears twice; remove or rename one

# $name (text)
study-name-taken = the name '{ $name }' is taken; choose another

# $name (text)
# $way (text) the flag
study-not-carried =
    Kurabe cannot install the store '{ $name }': no package registry has it. To measure your own server: { $way }

# $name (text)
study-not-spoken =
    Kurabe cannot measure the store '{ $name }': no package registry has it, and no client speaks its protocol

# $path (text)
# $error (text)
study-unreadable = cannot read the study '{ $path }': { $error }

### Values

# $value (text) as typed
# $expected (message)
study-invalid = invalid value '{ $value }': expected { $expected }

study-a-duration = a duration such as 200ms, 30s or 5m

study-a-size = a number of rows such as 10k, 1m or 250000

study-a-rate = a rate such as 100/s, 6000/min or 5/h

study-a-share = a share such as 10%

study-a-number = a number such as 8 or 10_000

study-a-date = a date such as 2026-11-27 or 2026-11

# $most (number)
study-a-name = 1 to { $most } of the characters a to z, 0 to 9 and '-'

study-a-count-option = a number such as 500

study-a-size-option = a size such as 512m or 2g

study-options = options such as '-XX:+UseZGC -Xms1g'

# $key (text)
# $least (count)
# $most (count)
# $value (text) as typed
study-range = { $key } must be from { $least } to { $most }, got { $value }

# $key (text)
# $most (text)
# $value (text) as typed
study-above-zero = { $key } must be above 0 and at most { $most }, got '{ $value }'

# $key (text)
# $least (count)
study-least = { $key } must be at least { $least }

### Keys of a study file

study-no-phase-for-rate = no deciding phase can have a rate: they load, open or run programs; leave --rate out

# $key (text)
study-missing-key = the key '{ $key }' is missing

# $keys (names)
study-either = { $keys } exclude each other; keep one of them

# $key (text)
# $place (text) such as kind = "baseline"
study-belongs = '{ $key }' belongs to { $place }; leave it out here

# $key (text)
# $place (text) such as operation = "mix"
# $example (text)
study-belongs-as = '{ $key }' belongs to { $place }, as in { $example }

# $key (text)
# $problem (message)
study-in-key = key '{ $key }': { $problem }

# $found (message)
# $wanted (message)
study-wrong-kind = expected { $wanted }, got { $found }

study-kind-natural = a whole number, 0 or more

# $least (count)
# $most (count)
study-kind-whole = a whole number from { $least } to { $most }

study-kind-integer = a whole number

study-kind-number = a number

study-kind-boolean = true or false

study-kind-list = a list

study-kind-table = a table

# $count (count)
study-kind-list-of = { $count ->
    [one] a list of { $count } value
   *[other] a list of { $count } values
 }

study-kind-text = a text in quotes

study-kind-word-or-table = a word in quotes or a table

study-kind-other = a value that this key takes

study-toml-twice = a key appears twice; remove or rename one

# $said (text) in words of the parser
study-toml-syntax = this is no TOML: { $said }

study-absent-list = 'absent' must be a list of keys, such as ['install.debian']

# $key (text)
study-absent-unknown = the extended file has no key '{ $key }'

# $number (text)
study-number-large = the number { $number } is too large

study-date-text = a date or time is not allowed here; write it as a text in quotes

# $name (text)
study-setting-type = settings.{ $name } must be a text, a number, true or false

### The study as a whole

study-no-store = no store is named; write stores = ["sqlite", …] or a [[candidate]]

study-no-rows = give 'rows', or an [[axis]] over rows for several sizes

study-no-full = this study has one size; use --rows N

study-no-schema = give 'value_len_bytes' (and 'key') for key-value rows, or a [[field]] for each column

study-data-or-schema = 'data' excludes 'value_len_bytes', 'key' and [[field]]; keep one kind of rows

study-data-verbs = only 'kurabe run', 'kurabe plan' and 'kurabe dev wire' read a data file

study-budget-zero = a budget of 0 fits no round; use more, such as 5m

### Rows

# $rows (count)
study-size-twice = two sizes round to { $rows } rows, a multiple of the connections; remove one

# $rows (count)
# $connections (count)
# $rounded (count)
# $most (count)
study-rows-rounded =
    { $rows } rows round up to { $rounded } for { $connections } connections; at most { $most } are possible

# $held (count)
# $rows (count)
study-rows-held = rows must be from 1 to { $held }, the rows of the data file, got { $rows }

# $rows (count)
# $connections (count)
study-rows-few = { $rows } rows are fewer than the { $connections } connections that share them

### Columns

# $count (count)
study-schema-few = rows need a key and at least one more field; { $count } in all are too few

# $count (count)
study-schema-many = rows have at most 99 fields beside the key, got { $count }

study-schema-key = a key is int64 or text, not bytes

study-schema-name = a name is a letter and up to 30 of the characters a to z, 0 to 9 and '_'

study-schema-length =
    text and bytes fields need len_bytes from 0 to 16777216; int64 fields and the key have none

study-schema-index = only int64 fields beside the key can have an index

study-schema-prefix = only a text key has a prefix, of at most 20 bytes without spaces and control characters

study-schema-digits = only a text key has digits, from 6 to 10

study-schema-distinct = only an int64 field beside the key has 'distinct', at least 1

study-schema-constant = only text and bytes fields beside the key have a 'constant'

study-all-pitfalls = all pitfalls together, as it was published

# $pitfall (text)
study-without-pitfall = as published, without '{ $pitfall }' and those removed before it
