### HTML pages.

## Headings and folds.

page-to-answer = Skip to the answer

page-contents = Contents

page-answer = Answer

page-caution = Caution:

page-numbers = numbers

page-matrix = stores by phases

page-stores = About the stores: kind, concurrent writes, licence, newest release, backup, schema changes

page-known = about the stores

page-other-stores = Other stores

page-excluded = Excluded

page-also-suitable = Also suitable, not measured in this run

page-others = Other stores, best first

page-sentences = The results in sentences, with their confidence

page-in-short = the results in short

page-claims = Claims

page-published = Published figures beside ours

page-published-short = Published figures

page-pitfalls = Effect of each pitfall

page-pitfalls-short = Pitfalls

page-clients = One store, several clients

page-clients-short = Clients

page-axes = Axes

page-durability-settings = durability: settings

page-phase = Ranking, latencies, rates over time

page-usage = CPU, memory, failures

page-words = Words in these tables

page-actions = Actions during phases

page-resources = Memory and disk

page-durability = Durability

page-not-counted = Not counted

page-all-counted = Every measurement counts.

page-elsewhere = In other configurations

page-absent = Absent

page-settings = Settings and versions

page-machine = Machine and device

page-method = Method

page-repeat = To repeat it

page-command = command

## Explanations.

page-space = { " " }

page-bars =
    Bar: share of the best store, paired by round. Thin line: interval of that share; if it reaches 100 %, the difference may be chance.
    Right: the measured figure.

page-pitfalls-about =
    A pitfall is a known mistake of method, measured beside the correct work in the same rounds.
    No ranking on this page includes these figures.

page-clients-about = The clients of one store are compared with each other: what do language and library cost?

page-clients-figures =
    CPU time is per operation, of the client and of the store's own processes.
    Start is the time until a client process was ready; no other figure includes it.

page-axes-about =
    How figures change with what the study varies. Over rows, an operation with constant cost is a horizontal line.
    Total time in proportion to the rows has exponent 1.

page-actions-about =
    What the study did while clients worked: median over jobs, with the range.
    Recovery is the time from the new start of a service to its first answer.

page-resources-about =
    Medians over rounds; memory is the peak. Disk: allocated blocks minus those of an empty store.
    Flush time: until the written data had reached the disk.

page-durability-losses =
    Levels: power = a power failure loses nothing; consistent = it loses the latest commits at most, and the data stay consistent;
    kill = a kill loses nothing; cache = anything can be lost.

page-durability-integrity =
    Integrity after a power failure: I0 = a consistent prefix; I1 = gaps possible; I2 = needs a repair tool;
    I3 = may be wrong or not open at all.

page-durability-live = Live store: whether the running store confirmed the setting.

## Method.

# $complete (count)
# $planned (count)
page-method-rounds =
    { $complete } of { $planned ->
        [one] { $planned } round is
       *[other] { $planned } rounds are
    } complete.

# $seed (text)
page-method-jobs =
    In each round every candidate has one job, in fresh processes on fresh data. The order is random, with seed { $seed }.
    A failed job is not tried again; a disturbed one is.

page-method-as-shipped = Every store ran as shipped. Phases that write are ranked within a level of durability.

# $levels (list)
page-method-durabilities = Every store ran its cheapest setting of each durability: { $levels }. A store without such a setting ran a stronger one.

# $level (message)
# $meaning (message)
page-method-durability =
    Every store ran its cheapest setting of durability { $level }: { $meaning }. A store without such a setting ran a stronger one.

page-method-weakened =
    Where other settings, the data directory or the commits contradict that setting, the store has a lower durability.

# $rows (count)
# $fields (count)
# $share (percent)
page-method-generated =
    The data are { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    } of { $fields ->
        [one] { $fields } field
       *[other] { $fields } fields
    }; { $share } of the filler is compressible.

# $rows (count)
# $fields (count)
# $found (clauses)
page-method-file =
    The data are { $rows ->
        [one] { $rows } row
       *[other] { $rows } rows
    } of { $fields ->
        [one] { $fields } field
       *[other] { $fields } fields
    } from a file. { $found }.

page-method-rate =
    Rate: operations completed, divided by the time from the first start to the last end.
    A figure is the geometric mean over rounds. Its interval is Student's t at 95 % on the log scale.

page-method-ratios = Ratios are paired by round. Candidates share a rank where the interval of their ratio includes 1.

page-method-levels =
    Intervals of ratios allow for the number of compared pairs (Holm's step-down).
    At most one ranking in twenty shows a difference that does not exist.

page-method-latencies =
    Latencies of all rounds are merged, never averaged. A percentile needs ten operations beyond it and has an order-statistic interval.

# $failures (count)
page-method-answers =
    A candidate loses its rank by one wrong answer in any round, or when its client gives up.
    Failed operations allowed: { $failures } in a phase, none in a load.

## Runs side by side.

page-compare-title = Runs side by side

page-compare-question = What changed between these runs?

page-compare-method = Each run is compared with run 1, by phase and by candidate name.

page-compare-above-faster = A ratio above 1 is faster than run 1.

page-compare-above-better = A ratio above 1 is better than run 1.

page-compare-below-better = A ratio below 1 is better than run 1.

page-compare-interval = Where the interval includes 1, no difference was seen.

page-compare-same = Machine, versions, settings and study are the same.

page-runs = the runs

page-differences = Other differences

page-not-compared = Not compared

page-all-compared = Everything that run 1 shares with the others is compared.

page-machines = Machines and devices

## Faults of Kurabe itself.

# $error (text)
page-fault-template = cannot fill the report's template: { $error }; this is a bug in kurabe, please report it

# $error (text)
page-fault-csv = cannot write CSV: { $error }; this is a bug in kurabe, please report it

# $chart (text)
# $error (text)
page-fault-chart = cannot draw the chart '{ $chart }': { $error }; this is a bug in kurabe, please report it
