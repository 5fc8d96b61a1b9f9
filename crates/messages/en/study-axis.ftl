### Mistakes in the axes and pitfalls of a study.

### Axes

study-axis-form = an axis such as connections=1,8,64 or read.connections=1,8

study-axis-value = a value must be a number, a word, true or false

study-axis-value-empty = a value is empty or has control characters

# $name (text)
# $known (series)
study-axis-unknown =
    unknown axis '{ $name }'; add [[axis.variation]] for an axis of your own, or use one of: { $known }

study-axis-not-own = the axis varies a key of the study; give 'values', or give the axis a name of its own

# $axis (text)
# $phase (text)
study-axis-own-phase = '{ $axis }' is an axis of the study's own and of no phase; leave '{ $phase }.' out

# $phases (series)
study-axis-no-phase = the axis does not depend on a phase; leave '{ $phases }' out

study-axis-design = design = "one-at-a-time" needs an axis of configurations other than rows; leave 'design' out

# $key (text)
study-axis-no-effect = no phase does anything that '{ $key }' could change; leave the axis out

# $key (text)
study-axis-no-effect-named = none of these phases does anything that '{ $key }' could change; leave the axis out

study-axis-no-search = no phase searches, so no index could change anything; add a search

study-axis-same-work = all candidates do the same work; leave 'stores' out, or use a [[pitfall]]

study-axis-both = an axis changes either the work or candidates; use two axes, or a [[pitfall]] for each value

study-axis-changes-nothing = no variation of the axis changes anything; add keys to each [[axis.variation.change]]

# $configurations (count)
# $candidates (count)
# $jobs (count)
# $most (count)
study-axis-jobs =
    { $configurations } configurations of { $candidates } candidates are { $jobs } jobs a round, more than { $most }.
    Use shorter axes, fewer stores, or design = "one-at-a-time"

# $candidate (text)
study-axis-candidate-sets = candidate '{ $candidate }' sets this itself; remove it there, or remove the axis

### How many values

study-axis-no-values = an axis needs at least two values

# $instead (message)
study-axis-one-value = an axis needs at least two values; for one value, { $instead }

# $count (number)
# $most (number)
study-axis-many = { $count } values are too many; give at most { $most }

# $flag (text)
# $value (text)
study-axis-as-flag = use { $flag } { $value }

# $line (text) such as encoding = "json"
study-axis-in-study = write { $line } in the study

# $line (text)
study-axis-in-phase = write { $line } in the phase

study-axis-in-field = write indexed = true in the [[field]], or leave it out

# $client (text)
study-axis-in-name = name the stores with it, as in STORE+{ $client }

study-axis-in-candidate = set it in a [[candidate]]

study-axis-as-study = write its change into the study

### What a candidate cannot be

study-axis-client-of-app = the app uses a client of its own

study-axis-at-address = Kurabe measures a store at an address as it is

# $flag (text) such as --durability default
study-axis-at-address-flag = Kurabe measures a store at an address as it is; add { $flag }

# $store (text) its title
# $setting (text)
study-axis-no-durability = { $store } has no durability setting '{ $setting }'

# $store (text) its title
# $minimum (message)
study-axis-no-minimum = { $store } has no setting of durability '{ $minimum }'

# $store (text) its title
study-axis-no-tuned = { $store } has no settings of the profile 'tuned'

# $store (text) its title
# $client (text)
study-axis-no-client = { $store } has no client '{ $client }'

# $setting (text)
study-axis-no-setting = it has no setting '{ $setting }'

### Pitfalls

# $pitfall (message)
study-pitfall-changes-nothing = { $pitfall } changes nothing; say in [[pitfall.change]] what it sets

# $pitfall (message)
study-pitfall-nothing-here = { $pitfall } changes nothing for the stores of this run

# $pitfall (message)
study-pitfall-nothing-new = { $pitfall } changes nothing: what it sets is set already

# $pitfall (message)
# $phase (text)
study-pitfall-phase-same = { $pitfall } changes nothing of phase '{ $phase }': what it sets is set already

# $pitfall (message)
# $phase (text)
study-pitfall-phase-left-out = { $pitfall } changes phase '{ $phase }' and leaves it out; do one of the two

# $pitfall (message)
# $phase (text)
study-pitfall-phase-unsupported = { $pitfall } cannot change phase '{ $phase }', which none of its stores can do; name others in 'stores'

# $pitfall (message)
# $value (text)
study-pitfall-axis-same = { $pitfall } changes nothing: 'from' and 'to' are both '{ $value }'

study-pitfall-none-here = no pitfall changes anything for the stores of this run; leave the flag out

study-pitfall-none = this study has no pitfall; leave the flag out

# $axis (text)
study-pitfall-axis = the study has no axis '{ $axis }' that makes phases of one job

# $jobs (count)
# $most (count)
study-pitfall-jobs = the pitfalls make { $jobs } jobs a round, more than { $most }; name fewer with --pitfall

study-pitfall-load-tool = a load tool checks no answer; name another client
