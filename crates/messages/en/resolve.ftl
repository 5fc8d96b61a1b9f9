### Candidates, and what is not on this machine.

# $name (text)
# $reason (text)
# $remedy (described) a command
resolve-install = '{ $name }': { $reason }; install it with: { $remedy }

# $name (text)
# $reason (text)
resolve-missing = '{ $name }': { $reason }

# $reasons (clauses)
resolve-nobody = no candidate can take part: { $reasons }

# $name (text)
# $reason (text) as recorded
resolve-left-out = { $name } is left out: { $reason }

# $name (text)
# $reason (text) as recorded
# $remedy (described) a command
resolve-left-out-remedy = { $name } is left out: { $reason }; get it with: { $remedy }

# $name (text)
# $host (text)
resolve-remote = '{ $name }' is not on this machine; add --allow-remote if you may send load to '{ $host }'

### Programs, libraries and files

# $error (text)
# $what (described)
resolve-by-hand = { $error }; it needs { $what }

# $title (text)
# $file (text)
# $variant (text)
resolve-variant-file = { $title } needs '{ $file }' for '{ $variant }'

# $path (text)
# $title (text)
# $error (text) of the linker
resolve-given-library = cannot open '{ $path }', given as the library of { $title }: { $error }

# $title (text)
# $errors (clauses) of the linker
resolve-no-library = cannot open any library of { $title }: { $errors }

### Durability

# $title (text)
# $minimum (text)
resolve-no-durability = { $title } has no setting of durability '{ $minimum }'; choose one of its settings by name

# $name (text)
# $title (text)
# $setting (text)
# $known (series)
resolve-unknown-durability = '{ $name }': { $title } has no durability setting '{ $setting }'; it has { $known }

### Clients

# $program (text)
resolve-no-servers = '{ $program }', which drives servers, is missing

# $program (text)
resolve-servers-silent = '{ $program }', which must drive servers, does not tell its version

# $program (text)
resolve-servers-other = '{ $program }', which must drive servers, is another program

# $program (text)
# $exe (text)
resolve-servers-build = '{ $program }', which drives servers, is of another build than '{ $exe }'

# $program (text)
resolve-no-program = '{ $program }' is not installed

# $client (message)
# $error (text)
resolve-client-start = { $client } cannot start: { $error }

# $client (message)
# $store (text)
resolve-client-lacks = { $client } lacks what it needs for { $store }

# $client (message)
# $store (text)
# $driver (text)
resolve-driver-lacks = { $client } lacks what it needs for { $store } by { $driver }

### Apps

# $title (text)
# $file (text)
resolve-app-file = { $title } needs '{ $file }'

# $title (text)
# $oldest (text) version
# $program (text)
# $version (text)
# $variable (text)
resolve-too-old = { $title } needs version { $oldest } or newer, but '{ $program }' is { $version }; set { $variable } to another program
