### Load tools beside Kurabe's own client.

# $candidate (text)
load-tool = A load tool drives '{ $candidate }'. Kurabe does not check its answers and never ranks it.

# $candidate (text)
# $own (text) the candidate of Kurabe's own client
# $phases (clauses)
load-tool-compared = A load tool drives '{ $candidate }'. Kurabe does not check its answers and never ranks it. Kurabe's own client ('{ $own }') compared with it: { $phases }.

# $phase (text)
# $rate (message)
load-tool-ratio = rate { $rate } in { $phase }

# $phase (text)
# $rate (message)
# $cpu (message)
load-tool-ratio-cpu = rate { $rate } and client CPU per operation { $cpu } in { $phase }
