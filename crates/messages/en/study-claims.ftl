### Mistakes in the claims, bindings and published figures of a study.

### A claim

study-claim-no-name = a claim needs a name, such as name = "sqlite-first"

# $most (number)
study-claim-a-name = 1 to { $most } of the characters a to z, 0 to 9, '-', '_' and '.'

# $most (number)
study-claim-says = a claim needs a sentence of at most { $most } characters; give says = "…"

# $character (text) escaped
study-claim-control = 'says' has the control character '{ $character }'; remove it

# $keys (series)
study-claim-states-nothing = this claim states nothing; give one of { $keys }

# $first (text)
# $second (text)
study-claim-two-conditions =
    '{ $first }' and '{ $second }' are two conditions; put them into all = […] or any = […]

# $key (text)
# $head (text)
# $keys (series) what goes with it
study-claim-foreign-key = { $keys-count ->
    [0] '{ $key }' has no meaning beside '{ $head }'; leave it out
   *[other] '{ $key }' has no meaning beside '{ $head }', which takes { $keys }; leave it out
 }

study-claim-inner-keys = 'name', 'says', 'durability' and 'bindings' belong to a claim, not to a condition inside it

study-claim-inner-not-judged = 'not_judged' and 'known' cover a whole claim; make it a claim of its own

# $part (text)
# $most (count)
study-stands-for-reason =
    'stands_for' of '{ $part }' needs a reason of at most { $most ->
        [one] 1 character
       *[other] { $most } characters
    }

# $part (text)
# $candidate (text)
study-stands-for-missing =
    '{ $candidate }' is not '{ $part }' of the source: give the reason in 'stands_for', or bind the program itself

study-claim-no-condition = the list has no condition; give at least one

# $known (series)
study-claim-no-phase = the claim names no phase; give phase = "…", one of: { $known }

# $needed (text) such as to = …
study-claim-needs = the claim needs { $needed }

# $level (text)
study-claim-durability =
    no candidate of the study has a setting of durability '{ $level }'; use another level, or leave it out

### Comparisons

# $candidate (text)
study-claim-no-than = '{ $candidate }' has nothing to compare with; give than = "…"

# $candidate (text)
study-claim-itself = '{ $candidate }' is compared with itself at the same place; name another candidate

# $candidate (text)
study-claim-among = 'among' names nobody but '{ $candidate }'; name another, or leave it out for every store

study-claim-a-factor = a factor above 0

study-claim-a-factor-above-one = a factor above 1, such as 1.1

# $low (number)
# $high (number)
study-claim-no-factor-between = no value lies between { $low } and { $high }; by_at_least must be the smaller factor

study-claim-empty-bounds = no value lies between the two bounds; the lower bound must be the smaller

study-claim-no-bound = the claim has no bound; give one or two

study-claim-factors-need-than = 'by_at_least' and 'by_at_most' are factors between two candidates; give than = "…"

study-claim-amount-of-one =
    'at_least' and 'at_most' are amounts of one candidate; between two, use 'by_at_least' or 'by_at_most'

### Growth and changes

study-claim-growth-rows = growth needs several numbers of rows; give the study an [[axis]] over rows

study-claim-growth-at = growth is over rows; give 'from' and 'to' instead of 'rows' in 'at'

# $from (number)
# $to (number)
study-claim-growth-order = growth goes from fewer rows to more, not from { $from } to { $to }

# $axis (text)
# $value (text)
study-claim-change-same = '{ $axis }' changes from { $value } to the same value

# $axis (text)
# $phase (text)
study-claim-axis-phase = axis '{ $axis }' does not change the phase '{ $phase }'

### Amounts

study-claim-an-amount = an amount above 0

study-claim-a-rate = a rate such as 1000/s

study-claim-a-time = a time such as 5ms

study-claim-a-size = a size such as 100 MiB

# $expected (message) a time such as 5ms
# $metric (text)
study-claim-for-metric = { $expected } for { $metric }

### Published figures

# $column (text)
study-claim-column-of = 'of' in column '{ $column }' is for times of single operations; set unit = "ms"

# $row (text)
# $values (number)
# $columns (number)
study-claim-row-length =
    row '{ $row }' has { $values } values, but the table has { $columns } columns; write "–" for a missing value

study-claim-one-place = a published figure is for one place; name a value instead of 'every'

study-claim-minutes = minutes and seconds such as "5:18", or "–" for a missing value

study-claim-a-figure = a number above 0, or "–" for a missing value

# $column (text)
study-claim-column-no-phase = column '{ $column }' needs the phase that did its work: give 'phase' there or in the row
