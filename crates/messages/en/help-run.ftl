### Help of `kurabe run` and of the flags that other verbs share with it. The first line is the short help.

help-study =
    A built-in study, or the path of a study file

    'kurabe list studies' lists the built-in ones. 'kurabe new my.toml' writes one to change.

help-stores =
    Candidates instead of the study's, separated by commas

    A candidate is STORE[:VARIANT][+CLIENT[:DRIVER]][/APP…[+TOOL]][@URL], for example sqlite, redis+php:predis or postgres@postgresql://127.0.0.1/test.
    Give the flag again for more candidates. A candidate with a URL then stands alone, with all its commas.

help-all =
    Every store and variant that is installed here

    It takes the place of the study's candidates. Expect a long run: see 'kurabe plan'.

help-durability =
    Minimum durability: power, consistent, window=1s, kill, cache or default

    Each store runs its cheapest setting that meets this minimum.
    'power' loses nothing in a power failure. 'consistent' loses nothing when a process is killed, and the data stay sound.
    'window=1s' or 'window=100commits' bounds the loss. 'kill' loses nothing when a process is killed. 'cache' may lose everything.
    'default' runs each store as it ships. Kurabe then ranks only equal durability levels.

help-profile =
    Store settings: default, tuned or both

    'default' changes only what the run needs. 'tuned' sets what the makers advise, with one memory budget for all.
    'both' measures each store both ways, and the answer says whether the winner changes.

help-need =
    The rate that your work needs, such as 100/s or 6000/min

    The answer then says which stores reach it in every deciding phase, and by what factor.
    Where every store is fast enough, speed does not choose the store.

help-users =
    How many users the store must serve at a time

    Each is taken to start one operation, to wait for it, and to think for 10 s. '--think 3s' says another time.

help-think =
    How long a user thinks between two operations [default: 10s]

help-rate =
    Plan the starts of operations, such as 2000/s, in each deciding phase

    Users do not wait for each other, so a pause of the store delays all who come meanwhile.
    The times shown are then response times: they count from the planned start.

help-slo =
    The latency that your work allows, such as 'p99<5ms'

    For each deciding phase Kurabe finds the highest rate of planned arrivals that keeps it.
    The answer says how many users that is, and judges stores by it.

help-equivalent =
    The difference that does not matter to you [default: 20%]

    Two stores are equivalent where the run shows that they differ by less.

help-used-by =
    Who will use the store: one-program or several-machines

    Several machines need a server, so the answer then takes no library.

help-axes =
    Vary one thing: connections=1,8,64, durability=consistent,power, …

    Everything else stays the same, so a change in the figures has one cause.
    Give the flag again for a second axis. PHASE.NAME varies one phase only. docs/format/axes.md lists the names.

help-transport =
    How Kurabe reaches the servers that it starts: tcp or unix

    A Unix socket avoids TCP, which matters for short operations.

help-rounds =
    Rounds: every candidate runs once in each

    A rank and an interval need three rounds. More rounds find smaller differences, and the run takes longer by the same factor.

help-budget =
    Time limit, such as 5m

    Each store first gets three rounds in each configuration, the cheapest first.
    The remaining time goes where results are least certain. The answer names what Kurabe skipped.

help-rows =
    Rows to load, such as 250000 or 10k

    More rows than fit into the caches often change the order of the stores.

help-full =
    The row count of the study's source

    The run may take longer than the study is meant to take.

help-sizes =
    Several row counts, such as 10k,100k,1m

    The answer then says how cost grows with the data. A factor of 100 between the smallest and the largest shows it best.

help-seed =
    Seed of order, streams and filler

    The same seed gives the same operations in the same order.

help-pitfall =
    Measure this pitfall beside the corrected work

    A pitfall is a known mistake of method. Both run in the same rounds, so the answer shows what the mistake does.
    Give the flag again for each.

help-pitfalls =
    Measure every pitfall of the study, each alone and all together

    The run takes longer by a factor of about the number of pitfalls.

help-as-published =
    Measure all pitfalls of the study together

    This is the work as its source did it, beside the corrected work.

help-check =
    Exit with 1 where a claim is wrong

    --check=strict also fails where a claim is undecided or about other work. Use it in CI.

help-data =
    Rows of this TSV, CSV or JSONL file instead of generated rows

    Real rows have real lengths, and stores differ by them. Kurabe prints what it found in the file before the run.

help-key =
    Key column of --data: its name or its number from 1

    'row' numbers the rows.

help-values =
    A column to store beside the key [default: all others]

    Give the flag again for each column.

help-format =
    Format of --data: tsv, csv, csv-semicolon or jsonl

    By default Kurabe detects it from the name and the content.

help-header =
    Does the first record of --data name the columns: yes or no

    By default Kurabe decides by what the record looks like.

help-duplicates =
    Which record stays if a key of --data occurs twice: first, last or refuse

    'refuse' ends the run before it starts. By default the study decides, else Kurabe refuses the file.

help-short-lines =
    Lines of --data with too few cells: skip or refuse

    'refuse' ends the run before it starts. By default the study decides, else Kurabe skips them and says how many.

help-dir =
    Folder for the data of stores [default: /var/tmp]

    Put it on the disk that you ask about. Kurabe makes a missing folder, and removes it again. Its parent must exist.

help-allow-remote =
    Send load to servers on other machines

    Kurabe refuses that without this flag. Ask the owner of the machine first.

help-run-out =
    Folder for the results [default: ./kurabe-runs/TIME-STUDY]

    It must not exist yet.

help-run-resume =
    Continue an interrupted run

    Name its folder. Kurabe checks that study, stores and machine are the same, and repeats what was disturbed.

help-run-kill =
    Command that kills your server at an address

    For a study that kills its store, such as 'crash': --stores postgres@URL --durability default --kill 'docker kill db'
    --start 'docker start db'. The command is run by 'sh -c' and must end the server as a crash would. The trial counts if
    the server is gone afterwards.

help-run-start =
    Command that starts it again, on what it left

    It may end at once or stay for as long as the server runs.

help-run-allow-evictions =
    Measure a server that evicts rows when its memory is full

    Rows of other users of that server may disappear.

help-run-keep =
    Keep the data folders of the stores

    Their path is at the end of the output. You delete them.

help-run-anyway =
    Do not wait for an idle machine

    By default Kurabe waits up to 30 s and repeats disturbed jobs. With this flag it does neither, and a disturbed run names no winner.

help-quiet = Print no progress

help-run-json =
    Print the answer as JSON

    Every sentence has an id, typed arguments and an English text.

help-run-tables =
    Print every ranking at the end

    It adds intervals, latencies, resources and everything that does not count.

help-run-examples =
    Examples:
    {"  "}kurabe run                                     lists the studies
    {"  "}kurabe run quick                               small rows, embedded stores
    {"  "}kurabe run web --need 100/s                    enough for a web service?
    {"  "}kurabe run quick --stores sqlite,postgres --durability power
    {"  "}kurabe run primary-key --sizes 10k,100k,1m --budget 10m
    {"  "}kurabe run quick --data rows.tsv --key 1
