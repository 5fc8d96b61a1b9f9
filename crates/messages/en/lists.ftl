### Lists and names. A list grows from its first element: `$all` is the list so far.

# $name (text)
name-quoted = '{ $name }'

# $all (text)
# $next (text)
list-and-more = { $all }, { $next }

# $all (text)
# $last (text)
list-and-last = { $all } and { $last }

# $all (text)
# $next (text)
list-or-more = { $all }, { $next }

# $all (text)
# $last (text)
list-or-last = { $all } or { $last }

# $all (text)
# $next (text)
series-more = { $all }, { $next }

# $all (text)
# $next (text)
clauses-more = { $all }; { $next }

# $names (names)
names-alone = { $names }

# $text (text) the words of a store, a client or a system
text-quoted = { $text }

# $name (text) the nearest
did-you-mean = did you mean '{ $name }'?
