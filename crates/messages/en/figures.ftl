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
