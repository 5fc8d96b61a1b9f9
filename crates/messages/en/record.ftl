### The folder of a run, and texts that a record has.

### The folder

# $path (text)
record-exists =
    '{ $path }' exists already.
    Choose another folder with --out, or continue that run with 'kurabe run --resume { $path }'

# $path (text)
record-other-content = '{ $path }' exists already and has something other than a run; choose another folder with --out

# $path (text)
record-no-folder = '{ $path }' exists already and is not a folder; choose another folder with --out

# $path (text)
# $error (text)
record-make = cannot make the folder '{ $path }': { $error }; choose a writable folder with --out

# $path (text)
# $reason (message)
record-no-run = '{ $path }' is not the folder of a run: { $reason }

record-no-run-json = it has no run.json

record-absent = it does not exist

# $error (message)
record-run-json = run.json: { $error }

# $error (text)
record-run-no-json = run.json is not JSON: { $error }

# $path (text)
record-gone = '{ $path }' is gone: somebody removed it, and its records are lost

# $path (text)
record-in-use = another kurabe is working in '{ $path }'; wait for it, or choose another folder with --out

# $value (text) as JSON
record-format-no-number = its format is { $value }, but a format is a whole number

# $path (text)
# $got (number)
# $format (number)
record-format =
    '{ $path }' has format { $got }, but this kurabe reads format { $format }; use the kurabe that wrote it

# $path (text)
# $line (number)
# $reason (message)
record-damaged =
    '{ $path }' is damaged in line { $line }: { $reason }.
    To keep the lines before it, remove this line and all that follow

# $path (text)
# $error (text)
# $remedy (message?)
record-cannot-read = { $remedy ->
    [none] cannot read '{ $path }': { $error }
   *[other] cannot read '{ $path }': { $error }; { $remedy }
 }

# $path (text)
# $error (text)
# $remedy (message?)
record-cannot-write = { $remedy ->
    [none] cannot write '{ $path }': { $error }
   *[other] cannot write '{ $path }': { $error }; { $remedy }
 }

record-free-space = free some space, then continue with 'kurabe run --resume'

record-choose-folder = choose a writable folder with --out

### Damage

record-cut-off = it is cut off

# $found (text)
# $written (text)
record-checksum = its checksum is { $found }, not { $written }

# $most (size)
record-line-long = it is longer than { $most }, the limit for a line

# $most (size)
record-lines-long = all lines have more than { $most }, as no run has

record-only-pitfalls = it has no configuration except those of pitfalls

# $configuration (number)
# $rounds (number)
# $most (number)
record-many-rounds = configuration { $configuration } has { $rounds } rounds, more than { $most }

# $configuration (number)
# $count (number)
record-no-configuration = it is of configuration { $configuration }, but run.json has { $count } configurations, from 0

# $round (number)
# $most (number)
record-no-round = it is of round { $round }, but no run has more than { $most }

### Values

# $text (text)
# $known (either)
record-no-loss = invalid loss '{ $text }': expected { $known }

# $text (text)
# $known (series)
record-no-minimum = invalid durability '{ $text }': expected one of: { $known }

record-minimum-process = durability 'process' is now 'consistent' (sound after a power failure) or 'kill'

record-minimum-none = durability 'none' is now 'cache'

# $text (text)
# $known (series)
record-no-window = durability '{ $text }' needs a window with a unit: expected one of: { $known }

# $text (text)
# $known (series)
record-no-objective = invalid objective '{ $text }': expected 'p99<5ms', or another of { $known }
