### Whether the order of a published table came back by its own method, and what turned it.

# $first (message) the better one in the source
# $rest (message) those behind it
replication-before = { $first } > { $rest }

# $first (message) the better one in the source
# $rest (message) those behind it
replication-level = { $first } ≈ { $rest }

# $table (message)
# $column (message)
# $order (message) the source's best first
replication-right = { $table }, { $column }: the source's order came back by its own method: { $order }.

# $table (message)
# $column (message)
# $pairs (clauses)
replication-wrong = { $table }, { $column }: the source's order did not come back by its own method: { $pairs }.

# $table (message)
# $column (message)
# $pairs (clauses)
replication-undecided = { $table }, { $column }: whether the source's order comes back is undecided: { $pairs }.

# $table (message)
# $column (message)
replication-not-measured = { $table }, { $column }: fewer than two of its rows were measured by the source's method.

# $table (message)
# $column (message)
# $rounds (count)
# $needed (count)
replication-few-rounds =
    { $table }, { $column }: whether the source's order comes back is undecided. { $rounds ->
        [0] It has no round with both of two rows
        [one] It has 1 round
       *[other] It has { $rounds } rounds
    } and needs { $needed }.

# $first (message) the better one in the source
# $second (message)
# $theirs (times)
# $ours (message) a factor with its interval
replication-pair = { $first } over { $second }: ×{ $theirs } there, { $ours } here

# $first (message) the better one in the source, by a lead that counts as none
# $second (message)
# $theirs (times)
# $ours (message) a factor with its interval
replication-level-pair = { $first } as good as { $second }: ×{ $theirs } there, { $ours } here

# $pitfall (text) the pitfall that was removed
# $change (message) a factor with its interval
# $lead (message) a factor with its interval
# $best (message?) who is best from here on
replication-step =
    Without '{ $pitfall }' the lead changes by { $change }, to { $lead }.{ $best ->
        [none] {""}
       *[other] {" "}{ $best }
    }

# $best (message)
replication-new-best = From here on { $best } is the fastest.
