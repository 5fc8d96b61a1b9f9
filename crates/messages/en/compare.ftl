### Runs side by side: what changed, and what else differs.

# $run (count) from 1
# $earlier (count)
# $id (text)
compare-copy = Run { $run } is a copy of run { $earlier } ({ $id }), so nothing can differ.

# $run (count)
# $differences (clauses)
compare-other-machine = Run { $run } used another machine than run 1: { $differences }. Its ratios compare the machines too.

# $run (count)
# $phases (list)
# $why (clauses)
compare-other-work = Run { $run } did other work than run 1 in { $phases }: { $why }. Ratios there do not show that a store or a machine changed.

compare-other-operations = the operations differ

## What changed

# $run (count)
compare-nothing = Run { $run } has no figure to compare with run 1.

# $run (count)
compare-no-same-work = Run { $run } has no figure of the same work as run 1.

# $run (count)
# $figures (message)
compare-too-few-rounds = Run { $run } has too few rounds to detect a difference in { $figures }.

# $run (count)
# $figures (message)
compare-no-difference = Run { $run } against run 1: no difference in any of { $figures } detected.

# $run (count)
# $ties (count)
# $figures (message)
compare-ties = Run { $run } against run 1: no difference in { $ties } of { $figures } detected.

# $run (count)
# $changes (clauses)
# $ties (count)
# $figures (message)
compare-changes = Run { $run } against run 1: { $changes }; no difference in { $ties } of { $figures } detected.

# $count (count)
compare-figures =
    { $count ->
        [one] 1 figure
       *[other] { $count } figures
    }

# $count (count)
compare-figures-of-same-work =
    { $count ->
        [one] 1 figure of the same work
       *[other] { $count } figures of the same work
    }

# $figures (list)
compare-faster = faster: { $figures }

# $figures (list)
compare-slower = slower: { $figures }

# $figures (list)
compare-better = better: { $figures }

# $figures (list)
compare-worse = worse: { $figures }

# $candidate (text)
# $phase (text)
# $ratio (ratio)
compare-ratio = '{ $candidate }' in { $phase } ({ $ratio } ×)

# $candidate (text)
# $phase (text)
# $metric (message)
# $ratio (ratio)
compare-ratio-of = '{ $candidate }' in { $phase } by { $metric } ({ $ratio } ×)

compare-above-faster = above 1 is faster

compare-above-better = above 1 is better

compare-below-better = below 1 is better

compare-right-faster = right of the line is faster

compare-right-better = right of the line is better

compare-left-better = left of the line is better

## What else differs

# $what (message)
# $one (message) in run 1
# $other (message)
# $run (count) the other
compare-difference = { $what }: { $one } in run 1, { $other } in run { $run }

# $what (message)
# $candidate (text)
# $one (message) in run 1
# $other (message)
# $run (count)
compare-difference-of = { $what } of '{ $candidate }': { $one } in run 1, { $other } in run { $run }

compare-subject-study = Study

compare-subject-minimum = Minimum durability

compare-subject-cache = Cache of servers in MiB

compare-subject-client = Client

compare-subject-durability = Durability

# $library (text)
compare-subject-library = Library { $library }

compare-subject-service = Server version

compare-subject-settings = Settings

compare-subject-store = Store

compare-subject-transport = Transport

compare-subject-variant = Variant

compare-subject-seed = Seed

compare-subject-kurabe = Kurabe version

compare-subject-processor = Processor

compare-subject-cores = Usable cores

compare-subject-cpu-quota = CPU quota

compare-subject-kernel = Kernel

compare-subject-memory = Memory in MiB

compare-subject-file-system = File system

## What differs in the rows

# $run (count)
# $one (count)
# $other (count)
compare-rows = { $one } rows in run 1, { $other } in run { $run }

# $run (count)
# $one (message)
# $other (message)
compare-data = data: { $one } in run 1, { $other } in run { $run }

# $file (text)
# $crc (text) eight hexadecimal digits
compare-data-file = '{ $file }' (CRC-32 { $crc })

compare-data-generated = generated

# $run (count)
# $one (percent)
# $other (percent)
compare-compressible = compressible share: { $one } in run 1, { $other } in run { $run }

compare-shape = the rows have other columns

## What is not compared

# $candidate (text)
# $phase (text)
# $run (count)
# $reason (message)
compare-not-ranked = '{ $candidate }' in { $phase } does not count in run { $run }: { $reason }

# $run (count)
# $candidates (names)
compare-only-candidates =
    { $candidates-count ->
        [one] Only run { $run } has the candidate { $candidates }
       *[other] Only run { $run } has the candidates { $candidates }
    }

# $run (count)
# $phases (names)
compare-only-phases =
    { $phases-count ->
        [one] Only run { $run } has the phase { $phases }
       *[other] Only run { $run } has the phases { $phases }
    }
