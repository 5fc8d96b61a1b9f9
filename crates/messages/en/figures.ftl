### Figures whose unit or bound is a word.

# $seconds (text)
span-seconds = { $seconds } s

# $minutes (text)
span-minutes = { $minutes } min

# $hours (text)
span-hours = { $hours } h

# $most (count)
percent-above = more than { $most } %

# $factor (text)
factor-of = a factor of { $factor }

# $most (count)
factor-above = a factor above { $most }

interval-too-wide = too wide

## What ran.

# $version (text)
version-of-service = service { $version }

# $client (text)
# $version (text)
version-of-client = client { $client } { $version }

# $library (text)
# $version (text)
version-of-library = { $library } { $version }

# $runtime (text)
# $heap (size)
# $collector (text)
version-of-runtime = { $runtime } with a heap of { $heap } and { $collector }
