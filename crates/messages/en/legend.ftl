### What the words in tables mean.

## The table of stores by phases.

legend-matrix-rates = 1 = fastest; 2.2 × = takes 2.2 times as long; ? = no clear winner.

legend-matrix-others = 1 = best; 2.2 × = 2.2 times worse; ? = no clear winner.

legend-matrix-unstable = 2.2 × ? = by the means of an unstable machine, so it is no rank.

legend-matrix-clients = Among clients: the same comparison between the clients of one store.

legend-matrix-few-rounds = A figure in brackets has no rank: there are too few rounds.

## Words.

legend-detectable = smallest detectable difference: what this many rounds show with 80 % power, for the median pair of candidates.

legend-overhead = harness overhead: the share of the stores' time that preparing and checking operations takes. It is part of rates, not of latencies.

legend-encoding = encoding: the share of the time for encoding and decoding rows. It is part of rates and latencies.

legend-level = CI above 95 %: the interval allows for the number of compared pairs. At most one ranking in twenty shows a difference by chance.

legend-baseline = saturated (baseline): 'echo' is a no-op that takes this share of the store's time per operation. Above 5 % the rate is partly that of the harness.

legend-client = saturated (client): the client's threads were busy and the service's cores were not. The client limits the rate.

legend-busy = saturated (client, app, store): the part that limits the rate, with its utilisation. The other parts are not busy; the app is the services before the store.

legend-app-and-store = app+store: the store runs inside the app's process. A run over the in-memory baseline 'map' shows which of the two limits the rate.

legend-cpus = CPUs: all processors of the machine are busy. The share is that of this part.

legend-store-waits = store waits: no part is busy. The store waits for its disk or for locks.

legend-link = link: no part is busy. The bandwidth limit caps the rate.

legend-map = map: the share of a request's time that it also takes over the in-memory baseline 'map', behind the same app.

legend-disk-faults = In each job the store's disk failed for a while during updates, and was whole again. Later Kurabe cut its power, started the store again and read every row. A write is lost if the store had acknowledged it, also while the disk failed. The disk is one that Kurabe mounts, in memory.

legend-power-losses = In each job Kurabe cut the power of the store's disk at a random moment during updates. The disk forgot what was not synced, all of it or a part. Then Kurabe started the store again and read every row. A write is lost if the store had acknowledged it. The control acknowledges first and writes later, to show that losses are found.

legend-losses = In each job Kurabe killed the store (SIGKILL) at a random moment during updates. Then it started the store again and read every row. A write is lost if the store had acknowledged it. The time lost begins at the acknowledgement of the first lost write. It ends at the last one before the store was gone. The control acknowledges first and writes later, to show that losses are found.
