### What pitfalls did.

# $pitfall (text)
# $candidates (names)
# $reason (message)
pitfall-out =
    With the pitfall '{ $pitfall }', { $candidates } { $candidates-count ->
        [one] does
       *[other] do
    } not count: { $reason }.

# $pitfall (text)
# $candidates (names)
# $kept (text) a level
# $corrected (text) the level without the pitfall
pitfall-keeps-less =
    With the pitfall '{ $pitfall }', { $candidates } { $candidates-count ->
        [one] keeps
       *[other] keep
    } durability '{ $kept }' instead of '{ $corrected }'.

# $pitfall (text)
pitfall-nothing = With the pitfall '{ $pitfall }', this run detected no change.

pitfall-nothing-else = This run detected no other change.

# $place (message)
# $pitfall (text)
# $changes (clauses)
pitfall-in-phase = { $place }: with the pitfall '{ $pitfall }', { $changes }.

## Who is first

# $winners (names)
# $others (names) who win without it
pitfall-first-another =
    { $winners } { $winners-count ->
        [one] wins
       *[other] tie for first
    } instead of { $others }

# $winners (names)
pitfall-first-same =
    { $winners } { $winners-count ->
        [one] is still first
       *[other] still tie for first
    }

# $winners (names)
# $others (names) who are first without it
pitfall-first-changed =
    { $winners } { $winners-count ->
        [one] is first alone
       *[other] tie for first
    }, and without it { $others } { $others-count ->
        [one] is first alone
       *[other] tie for first
    }

## What it did to a candidate

# $candidate (text)
# $reason (message)
pitfall-effect-out = '{ $candidate }' does not count ({ $reason })

# $metric (message)
# $candidate (text)
# $value (ratio)
pitfall-effect = the { $metric } of '{ $candidate }' is { $value } times as high

# $metric (message)
# $candidate (text)
# $value (ratio)
# $low (ratio)
# $high (ratio)
pitfall-effect-interval = the { $metric } of '{ $candidate }' is { $value } times as high ({ $low } to { $high })

# $candidate (text)
pitfall-effect-none = '{ $candidate }' has no figure to compare
