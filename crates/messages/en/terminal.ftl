### The answer on a terminal.

# $study (text)
# $title (described)
terminal-title = { $study }: { $title }

# $text (text)
# $characters (count)
terminal-cut = { $text }… ({ $characters } characters more in the record)

## Where the rest is.

# $folder (text)
terminal-show-full = details    kurabe show --full { $folder }

# $folder (text)
terminal-records = records  { $folder }

# $command (text)
terminal-repeat = repeat   { $command }

# $columns (series)
# $folder (text) of the run
terminal-no-room = no room for { $columns }: use a wider terminal or 'kurabe show --full { $folder }'

# $cases (count)
# $folder (text)
terminal-more-cases = { $cases ->
    [one] 1 more case
   *[other] { $cases } more cases
 }: kurabe show --full { $folder }

# $stores (count)
terminal-more-stores = and { $stores } more: 'kurabe list stores' lists them

# $stores (clauses)
terminal-excluded = excluded: { $stores }

## Sections.

terminal-in-short = in short

terminal-stores = the stores

terminal-differences = other differences

terminal-not-compared = not compared

# $pitfall (text)
terminal-pitfall = pitfall: { $pitfall }

# $at (message)
terminal-at = at { $at }

# $section (text)
# $at (message)
terminal-section-at = { $section } at { $at }

terminal-actions = median over jobs, with the range; recovery counts from the new start of the service

terminal-resources = medians over rounds; memory is the peak

# $rounds (message)
terminal-ranks-by-phase = { $rounds }; # is the rank in each phase

## Claims.

# $verdicts (series)
# $claim (described)
terminal-verdicts = { $verdicts }: { $claim }

# $source (message)
terminal-claims-source = from { $source }

# $claims (count)
# $folder (text)
terminal-claims-of-others = { $claims ->
    [one] 1 claim of the study is about other stores
   *[other] { $claims } claims of the study are about other stores
 }: kurabe claims { $folder }

## Runs side by side.

# $run (count)
# $study (text)
# $started (text)
# $kurabe (text)
# $name (text)
terminal-run = run { $run }  { $study } of { $started }, kurabe { $kurabe }, { $name }

# $good (message)
terminal-against-first = each run against run 1; { $good }
