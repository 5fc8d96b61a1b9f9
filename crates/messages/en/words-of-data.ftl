### Words for what records hold, where they are shown.

# $text (described) a text of a definition
described = { $text }

# $window (message) such as 10 ms
record-window-of = window of { $window }

# $window (message) such as 10 ms
record-at-most = ≤ { $window }

# $level (text) as it is typed: power, consistent, kill, cache, default
record-level = { $level }

# $commits (count)
record-commits = { $commits ->
    [one] { $commits } commit
   *[other] { $commits } commits
 }

# $number (number)
# $unit (text) h, s or ms
record-time = { $number } { $unit }

record-proof-documents = documents

record-proof-system-calls = system calls

record-proof-kill-trials = kill trials

record-proof-power-trials = power trials
