### What `kurabe setup` prints.

# $name (text)
cli-setup-here = { $name } is here

# $name (text)
# $reason (text)
cli-setup-still-missing = { $name } is still missing: { $reason }

# $name (text)
# $reason (text)
# $place (text)
cli-setup-by-hand = { $name }: { $reason }. Install it by hand: { $place }

cli-setup-plan = To be done:

cli-setup-nothing = Nothing was done.

cli-setup-ask = Continue? [y/N]

cli-setup-no-terminal =
    setup asks before it installs anything, but stdin is not a terminal
    Add --yes to install without a question.

# $client (text)
cli-setup-build-client = build the { $client } client

# $app (text)
cli-setup-build-app = build the app '{ $app }'

# $reason (text)
# $command (text)
cli-setup-build-needs =
    { $reason }
    To install what it needs: { $command }

# $path (text)
cli-setup-write = cannot write to '{ $path }'

# $command (text)
# $limit (span)
cli-setup-too-long = '{ $command }' took longer than { $limit }

# $command (text)
# $status (text)
cli-setup-failed = '{ $command }' ended with { $status }

# $command (text)
# $status (text)
cli-setup-failed-sudo =
    '{ $command }' ended with { $status }
    If sudo needs a password, run 'sudo -v' first.

cli-setup-answer = cannot read the answer

cli-signals = cannot watch for Ctrl-C
