### Results in Markdown documents.

## The machine.

# $facts (series)
markdown-measured-on = Measured on: { $facts }. To repeat it:

# $usable (count)
# $cores (count)
markdown-cores = { $usable } of { $cores } cores

# $quota (message)
markdown-quota = CPU quota { $quota }

# $time (duration)
markdown-fdatasync = fdatasync { $time }

## The page about published comparisons.

markdown-articles-title = Published comparisons, measured again

markdown-articles-studies =
    Each study below repeats a published comparison with checked answers, interleaved rounds and intervals.

markdown-articles-claims =
    The study states each conclusion of the authors as a condition before the run. [CLAIMS](CLAIMS.md) explains the verdicts.

markdown-articles-figures =
    A pitfall is a mistake of the published method, measured beside the correct work in the same rounds.
    `kurabe show --full results/NAME` shows the effect of each pitfall, and the published figures beside ours.
    `kurabe report results/NAME` adds pictures.

markdown-articles-origin =
    `make articles` writes this page from the records in `results`, and a test compares it.
    The figures hold for the named machines only: run a study on yours.

# $study (text)
# $stores (series)
markdown-article-with = { $study } with { $stores }

# $source (message)
markdown-repeats = Repeats { $source }.

# $summary (message)
# $source (message)
markdown-claims-of = { $summary } ({ $source })

## Marks in a document.

# $mark (text)
# $begin (text)
# $end (text)
markdown-mark-missing =
    the line '{ $mark }' is missing
    put the lines '{ $begin }' and '{ $end }' where the result goes

# $mark (text)
markdown-mark-twice = the line '{ $mark }' appears more than once: keep one

# $begin (text)
# $end (text)
markdown-mark-order = the line '{ $end }' comes before '{ $begin }': swap them
