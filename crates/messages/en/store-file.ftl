### Mistakes in a store.toml, and what a server tells that is not the store.

### Keys

# $keys (names)
store-file-together = { $keys } belong together; give all or none

# $key (text)
# $needed (names)
store-file-needs = '{ $key }' needs { $needed }

store-file-identity = [[identity]] needs a 'told' that only this store reports; with told = "version" it also needs 'holds'

store-file-about = every store needs [about], and a baseline has none

store-file-status-source =
    about.status_source shows that status = "limited" or "retired" is documented.
    Give both or neither

# $setting (text)
# $integrity (text) I0 to I3
# $word (text)
store-file-window =
    durability setting '{ $setting }' has integrity { $integrity }, but its window says '{ $word }'.
    That is I2 (a repair tool) or I3

# $setting (text)
store-file-undoes-one = [[undoes]] '{ $setting }' takes one of 'when', 'unless' and 'holds'

# $setting (text)
store-file-undoes-nothing = [[undoes]] '{ $setting }' changes nothing; give it 'kill', 'power' or 'integrity'

# $most (number)
store-file-tuned-many = the profile 'tuned' has more than { $most } settings; remove some

store-file-one-default = only one durability setting can be the default; remove 'default' from the others

### Clients and kin

# $store (text)
store-file-no-client =
    no client drives '{ $store }'; name it in 'stores' of a client.toml, or set 'wire' to its protocol

# $store (text)
# $other (text)
store-file-same-identity = '{ $store }' and '{ $other }' have the same [[identity]]; change one

### Servers that are not the store

# $server (text) title
# $store (text) title
# $name (text) the store to use
store-file-is-another = the server is { $server }, not { $store }; use the store '{ $name }' for it

# $store (text) title
# $key (text) what the store reports
# $reported (series) what the server reports
# $hint (message?)
store-file-not-known = { $hint ->
    [none] the server does not report that it is { $store } (it reports { $reported }, but not '{ $key }')
   *[other] the server does not report that it is { $store } (it reports { $reported }, but not '{ $key }'); { $hint }
 }

# $store (text) title
# $name (text)
store-file-use = for { $store } use the store '{ $name }'

# $reason (described) as the descriptor has it
# $key (text)
# $value (text)
store-file-unsuitable = { $reason } (it reports { $key } = { $value })
