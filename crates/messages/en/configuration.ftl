### Where something was measured.

# $rows (count)
configuration-rows = { $rows ->
    [one] { $rows } row
   *[other] { $rows } rows
 }

# $connections (count)
configuration-connections = { $connections ->
    [one] { $connections } connection
   *[other] { $connections } connections
 }

# $bytes (count)
configuration-value-length = values of { $bytes ->
    [one] { $bytes } byte
   *[other] { $bytes } bytes
 }

# $writes (count)
configuration-commit-every = a commit every { $writes ->
    [one] write
   *[other] { $writes } writes
 }

configuration-index = an index

configuration-no-index = no index

configuration-raw-rows = raw rows

# $encoding (text)
configuration-encoding = rows as { $encoding }

# $pitfall (text)
configuration-pitfall = the pitfall '{ $pitfall }'

# $axis (text)
# $value (text)
configuration-word = { $axis } { $value }

# $axis (text)
# $value (count)
configuration-number = { $axis } { $value }

# $factors (list)
configuration-factors = { $factors }

# $at (message)
# $pitfall (message)
configuration-with-pitfall = { $at } with { $pitfall }
