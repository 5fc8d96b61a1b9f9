### What a store keeps and what it can lose. Sentences call a kill a process crash.

durability-loss-nothing = nothing

durability-loss-last-commit = the last commit

# $commits (message)
durability-loss-commits = up to { $commits }

# $window (message)
durability-loss-time = up to { $window } of commits

# $size (size)
durability-loss-bytes = up to { $size } of writes

# $commits (message)
durability-loss-checkpoint = up to { $commits } since the last checkpoint (more if a reader delays it)

# $size (size)
durability-loss-checkpoint-bytes = all commits since the last checkpoint (up to { $size })

durability-loss-writeback = what the system has not written back (usually 30 s of commits)

durability-loss-everything = everything

### The same for a cell of a table.

# $size (size)
durability-cell-bytes = { $size }

durability-cell-writeback = about 30 s

### Predicates: what some stores can lose. The subject stands before them.

# $stores (count) how many stores the subject names
durability-loses-nothing = { $stores ->
    [one] loses
   *[other] lose
 } nothing in a process crash or a power failure

# $loss (message)
# $damage (message?) the state of the data after a power failure
durability-can-lose-in-both = can lose { $loss } in a process crash or a power failure{ $damage ->
    [none] { "" }
   *[other] , which { $damage }
 }

# $loss (message)
# $damage (message?)
durability-can-lose-in-power-failure = can lose { $loss } in a power failure{ $damage ->
    [none] { "" }
   *[other] , which { $damage }
 }, but nothing in a process crash

# $kill (message)
# $power (message)
# $damage (message?)
durability-can-lose-in-each = can lose { $kill } in a process crash, and { $power } in a power failure{ $damage ->
    [none] { "" }
   *[other] , which { $damage }
 }

# $stores (count)
# $damage (message)
durability-loses-nothing-but = { $stores ->
    [one] loses
   *[other] lose
 } nothing in a process crash, but a power failure { $damage }

durability-leaves-gaps = may leave gaps

durability-needs-repair = may leave files that need a repair tool

durability-is-damaged = may leave wrong data or files that do not open

### The same in few words, for the middle of a sentence about one store.

durability-short-nothing = loses nothing

# $loss (message)
# $damaged (text) yes or no
durability-short-in-power-failure = can lose { $loss }{ $damaged ->
    [yes] {" "}and be damaged
   *[no] { "" }
 } in a power failure

# $loss (message)
# $damaged (text) yes or no
durability-short-in-crash = can lose { $loss }{ $damaged ->
    [yes] {" "}and be damaged
   *[no] { "" }
 } in a process crash

### Minimum durability.

# $minimum (text) as it is typed
durability-named = durability { $minimum }

# $minimum (text) as it is typed
durability-quoted = '{ $minimum }'

# $window (message)
durability-quoted-window = a window of { $window }

# $profile (text) as it is typed
durability-profile = profile { $profile }

durability-needs-power = nothing may be lost in a power failure

durability-needs-consistent = a power failure may cost the latest commits, but the data stay sound

# $window (message)
durability-needs-window = at most { $window } of commits may be lost

# $commits (message)
durability-needs-window-commits = at most { $commits } may be lost

durability-needs-kill = nothing may be lost in a process crash

durability-needs-nothing = everything may be lost

durability-as-shipped = each store runs as it is shipped

## What can be lost, where no descriptor says it.

window-of-device = everything, when power fails: the disk holds nothing for sure

window-of-early-answers = what it answered last, when power fails: it answers before the disk can have it

## What kills and power cuts took.

loss-found = found

### Disks that fail

fault-full = a full disk

fault-write-error = failing writes

fault-sync-error = failing syncs

fault-read-only = a read-only disk

fault-slow = a slow disk

fault-went-on = goes on

# $share (percent)
fault-slower = slower ({ $share } of its rate)

fault-waited = waits

fault-failed = returns errors

fault-ended = ends

fault-by-itself = writes again

# $time (duration)
fault-not-seen = not within { $time }

# $writes (count)
fault-word-lost =
    LOST { $writes ->
        [one] 1 write
       *[other] { $writes } writes
    }

# $trials (count)
fault-headline-kept =
    In { $trials ->
        [one] 1 trial
       *[other] { $trials } trials
    } no store lost more than its setting allows after its disk had failed.

# $stores (names)
fault-headline-lost = { $stores } lost acknowledged writes, or did not give all rows, after the disk had failed.

# $stores (names)
# $fault (message) such as a full disk
# $time (duration)
fault-silent = after { $fault } no write was acknowledged any more within { $time }: { $stores }

# $candidate (text)
# $fault (message) such as a full disk
fault-not-measured = '{ $candidate }': no trial of { $fault } was judged

# $candidate (text)
# $fault (message) such as a full disk
# $times (count)
# $trials (count)
# $writes (count)
fault-lost =
    '{ $candidate }' lost up to { $writes ->
        [one] 1 acknowledged write
       *[other] { $writes } acknowledged writes
    } after { $fault } and a power cut ({ $times } of { $trials } trials)

# $candidate (text)
# $fault (message) such as a full disk
# $times (count)
# $trials (count)
fault-damaged = '{ $candidate }' gave errors, or values that nobody wrote there, after { $fault } and a power cut ({ $times } of { $trials } trials)

# $candidate (text)
# $fault (message) such as a full disk
# $times (count)
# $trials (count)
# $error (text)
fault-not-back = '{ $candidate }' gave no rows after { $fault } and a power cut ({ $times } of { $trials } trials): { $error }

### Kills and power cuts

loss-a-kill = a kill

loss-a-cut = a power cut

# $count (count)
loss-kills =
    { $count ->
        [one] 1 kill
       *[other] { $count } kills
    }

# $count (count)
loss-cuts =
    { $count ->
        [one] 1 power cut
       *[other] { $count } power cuts
    }

# $stores (names)
# $fault (message) a kill, a power cut
loss-headline-broken =
    { $stores } lost more in { $fault } than { $stores-count ->
        [one] its setting allows
       *[other] their settings allow
    }.

# $fault (message) a kill, a power cut
loss-headline-kept = No store lost more in { $fault } than its setting allows, as far as that can be compared.

loss-headline-control = No loss of the control was found, so that others lost nothing shows nothing. Repeat the run.

loss-headline-none = No trial could be judged.

# $stores (names)
# $faults (message) such as 20 kills
# $share (percent)
loss-kept-by =
    { $stores }: no acknowledged write lost in { $faults }{ $stores-count ->
        [one] {""}
       *[other] {" "}each
    }. At most { $share } of such trials lose one (95 % confidence).

# $count (count)
# $faults (message) such as 20 kills
# $share (percent)
loss-kept-by-many = { $count } others: no acknowledged write lost in { $faults } each. For each, at most { $share } of such trials lose one (95 % confidence).

# $count (count)
loss-allowed-by-many = { $count } others lost acknowledged writes, and none of them more than its setting allows.

# $candidate (text)
# $writes (count)
# $time (message?)
# $times (count)
# $faults (message) such as 20 kills
# $promised (message?)
loss-lost =
    '{ $candidate }' lost up to { $writes ->
        [one] 1 acknowledged write
       *[other] { $writes } acknowledged writes
    }{ $time ->
        [none] {""}
       *[other] {" "}({ $time })
    } in { $times } of { $faults }; its setting allows { $promised ->
        [none] an unknown loss
       *[other] { $promised }
    }.

# $time (duration)
loss-time = at least the last { $time }

# $candidate (text)
# $times (count)
# $faults (message) such as 20 kills
# $promised (message?)
loss-damaged =
    '{ $candidate }' gave errors, or values that nobody wrote there, after { $times } of { $faults }; its setting allows { $promised ->
        [none] an unknown loss
       *[other] { $promised }
    }.

# $candidate (text)
# $times (count)
# $faults (message) such as 20 kills
# $error (text)
# $promised (message?)
loss-not-back =
    '{ $candidate }' gave no rows after { $times } of { $faults } ({ $error }); its setting allows { $promised ->
        [none] an unknown loss
       *[other] { $promised }
    }.

# $candidate (text)
loss-not-measured = '{ $candidate }': no trial was judged

# $candidate (text)
# $error (text)
loss-not-measured-since = '{ $candidate }': no trial was judged: { $error }

loss-word-kept = kept

loss-word-allowed = lost, as allowed

loss-word-lost = lost, not comparable

loss-word-broken = LOST MORE THAN ALLOWED

loss-word-damaged = DAMAGED

loss-word-not-back = GAVE NO ROWS

loss-word-not-back-allowed = gave no rows, as allowed

loss-word-damaged-allowed = damaged, as allowed

loss-word-caught = control: found

loss-word-not-measured = not measured

loss-word-harness-broken = shows nothing: no control found

# $lost (count)
# $trials (count)
loss-cell-trials = { $lost } of { $trials }
