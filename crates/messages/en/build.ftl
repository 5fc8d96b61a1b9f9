### Clients and apps that are built before their first use.

# $name (text)
build-client = the { $name } client

# $name (text)
build-app = the app '{ $name }'

# $what (message) a client or an app
# $program (text)
build-lacks = { $what } must be built, but '{ $program }' is missing

# $what (message)
# $log (text)
build-started =
    building { $what }, once for this version; the first build fetches its libraries, which may take minutes; see '{ $log }'

# $what (message)
# $time (span)
build-done = built { $what } in { $time }

# $what (message)
# $folder (text)
# $error (text) of the system
build-folder = cannot build { $what } in '{ $folder }': { $error }

# $what (message)
# $why (text)
build-failed = cannot build { $what }: { $why }

# $what (message)
# $product (text)
# $log (text)
build-no-product = the build of { $what } made no '{ $product }'; see '{ $log }'

# $what (message)
# $why (text)
build-slow-start = { $what } works, but starts more slowly than it could: { $why }

# $how (message) it ended
# $line (text) of its log
# $log (text)
build-ended = its build { $how }: { $line }; see '{ $log }'

# $how (message) it ended
# $log (text)
build-ended-silently = its build { $how } and printed nothing; see '{ $log }'

build-interrupted = its build was interrupted

# $limit (span)
# $log (text)
build-too-long = its build took longer than { $limit }; see '{ $log }'

build-lock-interrupted = interrupted while another run builds it
