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
    Each study repeats a published comparison with checked answers, interleaved rounds and intervals.
    It states the author's conclusions as conditions before the run. `docs/CLAIMS.md` explains the verdicts.

markdown-articles-method =
    A pitfall is a mistake of the published method. `--as-published` repeats that method with all its pitfalls.
    Then it removes one pitfall at a time.

markdown-articles-figures =
    `kurabe report results/* --articles articles.html` adds charts and all tables.

markdown-articles-origin = The figures hold for the named machines only: run a study on yours.

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
