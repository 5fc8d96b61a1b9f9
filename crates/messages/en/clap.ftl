### Mistakes in what was typed that the parser finds.

# $argument (text)
# $verb (text) a command
# $hint (message)
clap-unknown-argument =
    unexpected argument '{ $argument }' for '{ $verb }'
    { $hint }

# $name (text)
# $hint (message)
clap-unknown-verb =
    unknown command '{ $name }'
    { $hint }

# $verb (text) a command
# $hint (message)
clap-missing-verb =
    '{ $verb }' needs a command
    { $hint }

# $argument (text)
# $hint (message)
clap-no-value =
    '{ $argument }' needs a value
    { $hint }

# $value (text)
# $argument (text)
# $known (either)
# $hint (message)
clap-unlisted-value =
    invalid value '{ $value }' for '{ $argument }': expected { $known }
    { $hint }

# $least (count)
# $most (count)
clap-range = expected a whole number from { $least } to { $most }

clap-no-number = expected a whole number

clap-no-address = expected an IP address and a port, such as 127.0.0.1:8080

# $argument (text)
# $reason (text) it has the value
clap-bad-argument = '{ $argument }': { $reason }

# $value (text)
# $argument (text)
# $reason (text)
clap-bad-value = invalid value '{ $value }' for '{ $argument }': { $reason }

# $argument (text)
# $others (either)
# $hint (message)
clap-conflict =
    '{ $argument }' cannot go with { $others }
    { $hint }

# $argument (text)
# $hint (message)
clap-twice =
    '{ $argument }' cannot be given twice
    { $hint }

# $arguments (names)
# $verb (text) a command
# $hint (message)
clap-missing =
    '{ $verb }' needs { $arguments }
    { $hint }

# $argument (text)
# $least (number)
# $count (number)
# $hint (message)
clap-few-values =
    '{ $argument }' needs at least { $least } values, got { $count }
    { $hint }

# $verb (text) a command
# $hint (message)
clap-not-utf8 =
    an argument of '{ $verb }' is not UTF-8
    { $hint }

# $nearest (text)
# $verb (text) a command
clap-hint-nearest = Did you mean '{ $nearest }'? All flags: { $verb } --help

# $verb (text) a command
clap-hint-flags = All flags: { $verb } --help

# $nearest (text)
# $verb (text) a command
clap-hint-verb = Did you mean '{ $nearest }'? All commands: { $verb } --help

# $verb (text) a command
clap-hint-verbs = All commands: { $verb } --help

# $command (text)
clap-moved = Use: { $command }

# $command (text)
# $build (text) a command
clap-moved-build = Use: { $command }. To build one: { $build }
