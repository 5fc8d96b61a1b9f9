### What `kurabe list` prints.

# $here (count)
# $all (count)
cli-list-stores = Stores ({ $here } of { $all } are installed): kurabe list stores

# $names (series)
cli-list-missing = missing: { $names }

# $names (series)
cli-list-baselines = baselines: { $names }

# $count (count)
cli-list-clients = Clients ({ $count }): kurabe list clients

# $count (count)
cli-list-apps = Apps ({ $count }): kurabe list apps

# $count (count)
cli-list-studies = Studies ({ $count }): kurabe list studies

cli-list-show-one = kurabe list NAME shows one of them.

cli-list-studies-end = To run one: kurabe run NAME. To print its file, a start for your own: kurabe list studies NAME

# $name (text)
# $nearest (text)
cli-list-unknown =
    there is no store, client, app or study '{ $name }'
    Did you mean '{ $nearest }'?

# $name (text)
cli-list-unknown-all =
    there is no store, client, app or study '{ $name }'
    'kurabe list' names all of them.

# $name (text)
# $commands (series)
cli-list-several =
    the name '{ $name }' has several meanings
    Choose one: { $commands }

### Stores: the table

cli-list-head-here = here

cli-list-head-what = what it is

cli-list-head-version = where, version

cli-list-head-levels = durability levels

cli-list-head-missing = missing

cli-list-head-get = get it with

cli-list-head-known = known

cli-list-head-registry = in no package registry

cli-list-head-own = to measure your own server

cli-list-head-no-store = not a store

cli-list-library = library

cli-list-built-in = built in

cli-list-not-built = client not built yet

# $place (message)
# $version (text)
cli-list-version = { $place }, { $version }

# $reason (text)
# $command (text)
cli-list-no-servers = Kurabe cannot measure servers yet: { $reason }. Get it with: { $command }

cli-list-stores-end = To show one in full (settings, what it can lose, clients, sources): kurabe list stores NAME

### Whether something is here

cli-list-found = found

cli-list-found-library = library found

# $client (text)
cli-list-in-client = in the { $client } client

cli-list-ready = ready

# $version (text)
cli-list-ready-version = ready: { $version }

cli-list-ready-tool = ready (load tool: Kurabe neither checks its answers nor ranks it)

cli-list-must-build = it must be built

cli-list-anew = it is installed; --anew installs it again

# $name (text) as `kurabe setup` takes it
cli-list-not-built-yet = not built yet: 'kurabe setup { $name }' or the first run with it builds it

# $reason (text)
cli-list-missing-reason = missing: { $reason }

# $reason (text)
# $command (text)
cli-list-missing-get =
    missing: { $reason }. Get it with:
    { $command }

# $name (text)
# $reason (text)
cli-missing = { $name }: { $reason }

# $name (text)
# $reason (text)
# $command (text)
cli-missing-get = { $name }: { $reason }. Get it with: { $command }

### One store

cli-list-label-read = read

cli-list-label-clients = clients

cli-list-label-tools = load tools

cli-list-label-get = get it

cli-list-label-install = install

cli-list-label-elsewhere = elsewhere

cli-list-label-library = library

# $names (series)
cli-list-tools = { $names } (Kurabe neither checks their answers nor ranks them)

cli-list-drivers = Drivers of the Rust client; the first is the default:

cli-list-durability = Durability settings, the cheapest first:

cli-list-undoing = Settings that break this durability:

cli-list-settings = Other settings:

cli-list-variants = Variants; the first is the default:

cli-list-as-shipped = as shipped

cli-list-by-name = only by name

# $names (series)
cli-list-only-for = only for { $names }

# $window (described)
# $kill (message)
# $power (message)
# $integrity (text)
cli-list-can-lose = can lose: { $window } [kill: { $kill }; power: { $power }; integrity: { $integrity }]

# $source (text)
cli-list-source = source: { $source }

# $proof (series)
cli-list-proof = proof: { $proof }

# $values (either)
cli-list-is = is { $values }

# $values (either)
cli-list-is-not = is not { $values }

# $values (either)
cli-list-holds = contains { $values }

### What a store can do

cli-list-abilities = What it can do on this machine:

cli-list-abilities-later = unknown until it is installed, because its client reports it

cli-list-no-client = no client answered

# $error (text)
cli-list-abilities-unknown = unknown: { $error }

cli-list-label-keys = keys

cli-list-label-paths = load paths

cli-list-label-scopes = read scopes

cli-list-label-transactions = transactions

cli-list-label-connections = connections

cli-list-label-depth = depth

cli-list-label-libraries = libraries

cli-list-yes = yes

cli-list-no = no

# $most (count)
cli-list-up-to = up to { $most }

# $most (count)
cli-list-up-to-batches = up to { $most }, batches

# $most (count)
cli-list-up-to-bytes = up to { $most } bytes

### Clients and apps

cli-list-every-store = every store

# $store (text)
# $drivers (text)
cli-list-by-drivers = { $store } by { $drivers }

cli-list-candidate-settings = Settings of a candidate:

cli-list-candidate-settings-first = Settings of a candidate; the first value is the default:

cli-list-choose-client = Choose a client by +NAME or +NAME:DRIVER, as in: kurabe run quick --stores sqlite,sqlite+python

cli-list-choose-app = Name an app after the store and a slash, as in: kurabe run board --stores sqlite,sqlite/serve

# $title (message)
# $stores (message)
cli-list-app = { $title }, before { $stores }

cli-list-any-app = any other app

# $stores (series)
cli-list-app-stores = { $stores }

cli-list-rust-stores = every store of the Rust client
