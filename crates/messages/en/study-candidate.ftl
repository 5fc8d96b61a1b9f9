### Mistakes in candidates: STORE[:VARIANT][+CLIENT[:DRIVER]][/APP…[+TOOL]][@URL].

### Addresses

study-candidate-bare-address =
    an address goes behind a store and '@', as in redis@redis://127.0.0.1:6379.
    For an HTTP service of your own: url@http://127.0.0.1:8080/path

study-candidate-no-scheme = the address does not begin with a scheme and '://', as in redis://127.0.0.1:6379

study-candidate-port = the port must be a number from 0 to 65,535

study-candidate-host-name = the host is no name and no IP address

# $error (message)
study-candidate-host = the address has no readable host and port ({ $error }); write it like redis://127.0.0.1:6379

study-candidate-host-or-store =
    the address has no readable host and port, and the text behind its comma names no store.
    Write the address like redis://127.0.0.1:6379

study-candidate-late-user =
    the address has an '@' behind its host.
    Write '/', '?', '#' and '@' in a user or password as %2F, %3F, %23 and %40

study-candidate-late-comma =
    the address has a comma behind its host, and what follows names no store.
    Write a comma that is part of the address as %2C

# $thing (message) store, client
study-candidate-comma =
    the text behind an address and a comma names no { $thing }.
    Give each candidate a --stores of its own, or write a comma of an address as %2C

study-candidate-comma-query =
    a comma behind the '?' of an address may be part of it.
    Give each candidate a --stores of its own, or write a comma of an address as %2C

# $store (text) its title
study-candidate-no-server = { $store } is not a server and has no address; leave the address out

study-candidate-needs-address = this store needs an address, as in url@http://127.0.0.1:8080/path

# $key (text)
study-candidate-at-address =
    '{ $key }' is not possible for a store at an address, because Kurabe measures it as it is; leave '{ $key }' out

study-candidate-app-address = Kurabe starts an app together with its store; leave the address out

### Stores and clients

study-candidate-none = no store is named; 'kurabe list stores' shows all stores

# $client (text)
# $store (text)
# $stores (series)
study-candidate-not-driven = the client '{ $client }' does not drive { $store }; it drives { $stores }

study-candidate-one-driver = this client has one driver for this store, which has no name; leave the name out

# $driver (text)
# $variants (series)
# $store (text)
# $variant (text)
study-candidate-no-variant = { $driver } drives only { $variants } of { $store }, not '{ $variant }'

### Apps and load tools

# $app (text) its title
study-candidate-not-proxy = { $app } runs before a store, not before another service

# $app (text) its title
# $example (text)
study-candidate-is-proxy = { $app } runs before another service, as in '{ $example }'

# $app (text) its title
# $example (text)
study-candidate-needs-proxy = { $app } speaks no HTTP; put a web server before it: '{ $example }'

# $app (text) its title
# $store (text)
# $stores (series)
study-candidate-app-store = { $app } does not run before '{ $store }', but before { $stores }

# $app (text) its title
# $store (text)
# $clients (series)
# $client (text)
study-candidate-app-client = { $app } drives '{ $store }' by { $clients }, not by '{ $client }'

study-candidate-asked-by = 'asked_by' names who asks an 'app', and there is none; name the tool as 'client'

# $client (text)
study-candidate-plain-get = { $client } sends a plain GET and checks no answer; leave 'settings' out

### Tables

# $most (number)
study-candidate-name = a name has 1 to { $most } characters and no control characters

# $store (text) its title
# $key (text)
study-candidate-no-service = { $store } is not a server, so '{ $key }' has no effect; leave it out

# $store (text) its title
study-candidate-built-in = { $store } is built in, so it has no other 'binary'; leave it out

# $setting (text)
# $known (series)
study-candidate-durability =
    '{ $setting }' is part of its durability; choose that with durability = "NAME", one of: { $known }
