### Help of `kurabe` itself, of its verbs, and of flags that `kurabe run` does not have.

help-kurabe =
    Compare data stores: the same verified work, repeated fairly

    Each store does the same work in interleaved rounds. Kurabe checks every answer of a store, and every figure has an interval.

help-kurabe-examples = Try first:  kurabe run quick

help-short-begin =
    Kurabe measures data stores with your work, on your machine.
    Each store does the same verified work, in interleaved rounds.
    The answer names the store to take, and what would change that.

help-short-end =
    Try first:     kurabe run quick
    All commands:  kurabe --help

### Verbs

help-run = Run a study: start stores, do the work, report what really differs

help-plan = Show what a study would do: candidates, order, time, disk

help-list = List stores, clients, apps and studies, or show one of them

help-setup = Install stores, clients and apps that are missing

help-new = Write a template of a study, a store or a client

help-show = Show the results of a run in the terminal

help-report = Write the HTML page of a run, or of several side by side

help-compare = Show several runs side by side, each against the first

help-claims = Judge the claims of a study by the results of a run

help-serve = Serve a bulletin board over one store, for browsers and HTTP

help-doctor = Check the machine and the disk under the data folders

help-dev = Try a client, measure Kurabe's own cost, print completions and schemas

help-wire = Print the lines that Kurabe would send a client, to try one by hand

help-selftest =
    Test Kurabe itself on this machine: its overhead, its open loop, its rules
    Trials are 'overhead', 'lag', 'stall', 'account', 'queue' and 'ranking'; without a name all of them run. Each figure
    is shown with what is right. The exit status is 1 if one fails.

help-selftest-trials = What to test; all if left out

help-selftest-time = How long each phase of 'lag', 'stall' and 'queue' lasts, such as '10s'; 30 s if left out

help-generate = Print the completions of a shell, the man page or a JSON Schema

### Headings

help-heading-usage = Usage

help-heading-commands = Commands

help-heading-arguments = Arguments

help-heading-options = Options

help-heading-compared = What is compared

help-heading-amount = How much

help-heading-claims = Pitfalls and claims

help-heading-data = Rows of a file

help-heading-where = Where it happens

help-heading-shown = What is shown

help-heading-everywhere = Everywhere

### Everywhere

help-definitions =
    Use stores, clients, apps and studies from this folder too

    'kurabe new store' and 'kurabe new client' write such folders. Give the flag again for each folder.
    Kurabe always reads those in ~/.config/kurabe.

help-language =
    Language of answers and help: en or ja [default: by the environment]

    The first of LC_ALL, LC_MESSAGES and LANG that is set decides. JSON is always in English.

help-help =
    Print help

    -h prints a line for each flag, --help the reasons too.

help-version = Print the version

help-json =
    Print JSON

    Every sentence has an id, typed arguments and an English text.

### List, setup and new

help-list-what =
    stores, clients, apps or studies; or the name of one [default: an overview]

help-list-name =
    Show this one in full

    For a study, Kurabe prints its file, a start for your own.

help-setup-stores =
    What to install: STORE, STORE:VARIANT, +CLIENT, +CLIENT:DRIVER or /APP

    Kurabe says what it is going to run, and asks before it does.

help-setup-all = Every store, variant, client and app that can be installed here

help-anew = Install again what is installed already, to get a newer version

help-yes = Do not ask

help-new-what =
    A study file to write, such as my.toml; or 'store' or 'client'

    The file runs without a change. Its comments explain each key.

help-new-name = Name of the store or client

help-extends =
    The store whose protocol the new store speaks

    For a store with a protocol of its own, use 'kurabe new client NAME'.

help-into = Folder of definitions to write into [default: definitions]

### Show, report, compare and claims

help-show-run = Folder of a run, or its name in ./kurabe-runs [default: the newest]

help-show-full =
    Show everything: every ranking, latencies, resources, claims

    It also shows what does not count, and why.

help-by =
    Rank by this metric instead of the study's

    The metrics are rate, rows-rate, highest-rate, p50, p90, p99, p99.9, client-cpu, service-cpu, memory and disk-per-row.

help-csv = Print CSV: one line for each phase and candidate

help-bom =
    Begin --csv with a byte order mark

    Some spreadsheets need it to read UTF-8.

help-report-runs =
    Folder of a run, or its name in ./kurabe-runs [default: the newest]

    With several runs the page shows them side by side.

help-open = Open the page in the browser

help-report-out =
    File to write [default: report.html in the folder of the run]

    With several runs the default is compare.html in the folder of the first.

help-splice =
    Put the answer into a Markdown file

    It goes between the lines '<!-- kurabe:result -->' and '<!-- /kurabe:result -->'. Everything else stays the same.
    Marks with the name of a study, as in '<!-- kurabe:result crash -->', take a run of it alone.

help-articles =
    Write a page about published comparisons from these runs

    It has a screen an article: whether the order came back, what turned it, and which conclusions are right.
    A name that ends in '.html' makes a page with charts and all tables. Any other name makes Markdown.

help-report-tables = With --splice: add every ranking, resources and durability

help-compare-runs =
    Folders of runs, or their names in ./kurabe-runs

    Kurabe compares the others with the first.

help-same-machine =
    Fail if a run was made on another machine than the first

    Figures of different machines differ for many reasons. In CI this flag catches such a comparison.

help-claims-run = Folder of a run, or its name in ./kurabe-runs [default: the newest]

help-of =
    Judge the claims of this study instead

    Without it Kurabe judges the claims that were fixed before the run. With it, the answer says that the claims are newer.

### Serve

help-store = The store: STORE, STORE:VARIANT, or either with @URL

help-serve-data =
    Folder for the posts

    Kurabe makes it if it is missing, and finds the posts again next time. Without this flag, the posts are lost at the end.

help-listen =
    Address to listen on [default: 127.0.0.1:8080]

    Other machines need an address of this machine, such as 0.0.0.0:8080.

help-port = Short for --listen 127.0.0.1:N

help-threads =
    Threads, each with a connection to the store [default: 8]

    A store that allows fewer connections gets fewer threads.

help-serve-durability =
    Minimum durability of posts [default: power]

    The levels are power, consistent, window=1s, window=100commits, kill and cache. 'default' runs the store as it ships.

help-hosts =
    Another host name of the service, such as board.example

    The service refuses requests for names that it does not know. Give the flag again for each.

### Dev

help-candidate =
    One candidate

    A server needs its address, as in redis@redis://127.0.0.1:6379.

help-generate-what =
    What to print: bash, zsh, fish, man, schema-run, schema-entry, schema-answer

    bash, zsh and fish are completions. 'man' is the man page with all commands.
    schema-run describes run.json, schema-entry a line of jobs.jsonl, schema-answer what --json prints.
