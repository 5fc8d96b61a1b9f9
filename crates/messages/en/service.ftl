### Processes and services: what did not start, run or end.

### Who

service-this-user = this user

# $name (text)
service-user = user '{ $name }'

### Files and folders

# $action (text) make, read, open, write, copy, owner, mode, port or sockets
# $path (text)
# $error (text) of the system
service-io =
    cannot { $action ->
        [copy] copy the data folder to
        [owner] change the owner of
        [mode] set the mode of
        [port] find a free port on
        [sockets] make a folder for sockets in
       *[other] { $action }
    } '{ $path }': { $error }; check the folder, or choose another with --dir

# $size (size)
# $folder (text)
# $error (text) of the system
service-no-room = the initialised data folder of { $size } does not fit in '{ $folder }': { $error }; free space there, or choose another folder with --dir

# $user (message)
# $folder (text)
service-closed = { $user } cannot enter '{ $folder }'; choose a place that every user can enter with --dir

# $dir (text)
# $error (text) of the system
service-folder = cannot make a folder in '{ $dir }': { $error }; choose another place with --dir

# $folder (text)
# $pid (number)
service-lock-taken = another kurabe uses '{ $folder }' (pid { $pid })

# $folder (text)
service-lock-clearing = processes of a killed kurabe still use '{ $folder }'; try again in a few seconds

# $path (text)
# $error (text) of the system
service-lock-failed = cannot lock '{ $path }': { $error }

service-not-a-file = it is not a file

### Commands of a service

# $key (text) start or init
service-empty-command = the command '{ $key }' of the service is empty; give it at least a program

# $name (text) with its braces
# $text (text) in which it is
# $known (series)
service-placeholder = unknown placeholder '{ $name }' in '{ $text }'; known here: { $known }

### The life of a service

# $program (text)
# $how (message) it ended
# $log (message)
service-init-failed = '{ $program }' did not make the data folder: it { $how }; { $log }

# $program (text)
# $limit (span)
# $log (message)
service-init-slow = '{ $program }' did not end within { $limit }; { $log }

# $program (text)
# $how (message) it ended
# $log (message)
service-ended-early = '{ $program }' ended before it accepted connections: it { $how }; { $log }

# $program (text)
# $limit (span)
# $log (message)
service-not-ready = '{ $program }' did not accept connections within { $limit }; { $log }

service-log-empty = its log is empty

# $log (text)
service-log-end =
    the last lines of its log:
    { $log }

# $program (text)
# $ports (series)
service-ports-taken = '{ $program }' found each port taken: { $ports }; stop the programs that use them, or try again

service-interrupted = interrupted

# $program (text)
# $error (text) of the system
service-wait = cannot wait for '{ $program }': { $error }; try again

# $pids (list)
service-survivors =
    { $pids-count ->
        [one] process { $pids } does not end after SIGKILL; it may wait for a device, so look at it with ps
       *[other] processes { $pids } do not end after SIGKILL; they may wait for a device, so look at them with ps
    }

# $pid (number)
service-process-gone = process { $pid } has ended; look at it before it is stopped

### How a process ended, after its name

# $status (text)
service-exit-status = ended with status { $status }

# $signal (number)
# $name (text) of the signal, or unknown
service-exit-signal =
    was ended by signal { $signal }{ $name ->
        [unknown] {""}
        [SIGILL] {" "}(SIGILL): this build needs processor instructions, such as AVX, that this processor lacks
        [SIGKILL] {" "}(SIGKILL): somebody killed it, for example the kernel when memory ran out
        [SIGBUS] {" "}(SIGBUS): it could not reach its own memory, for example because a disk or /dev/shm is full
        [SIGXFSZ] {" "}(SIGXFSZ): a file is larger than this user may make (ulimit -f)
        [SIGXCPU] {" "}(SIGXCPU): it used more processor time than this user may use (ulimit -t)
        [SIGSYS] {" "}(SIGSYS): it made a system call that is not allowed here, as in some containers
       *[other] {" "}({ $name })
    }

### The start of a process

# $program (text)
# $user (message)
# $error (text) of the system
service-start = cannot start '{ $program }' as { $user }: { $error }; check that the file exists and that this user may run it

# $path (text)
# $program (text)
# $error (text) of the system
service-stream = cannot open '{ $path }' for '{ $program }': { $error }; check the folder, or choose another with --dir

# $program (text)
service-unseen = cannot see '{ $program }' in /proc after its start; mount /proc

# $name (text)
# $error (text) of the system
service-user-lookup = cannot look up the user '{ $name }': { $error }; check the system's user database

service-no-nobody = there is no user 'nobody' to run services; run Kurabe as an ordinary user instead of root

### The guardian

# $run (text)
service-run-id = '{ $run }' is not a name for a run; use 1 to 64 letters, digits, '-', '_' and '.'

# $program (text)
# $error (text) of the system
service-guardian-start = cannot start '{ $program }' as guardian: { $error }; check that the file exists and may be run

# $program (text)
service-guardian-silent = '{ $program }' does not answer as a guardian; it must be Kurabe's own program

# $error (text) of the system
service-guardian-gone = the guardian has ended ({ $error }), and Kurabe starts nothing without it; run the command again

# $path (text)
service-line-break = '{ $path }' contains a line break; choose another folder with --dir

### Programs that are not here

# $candidates (either) file names
# $folders (either) in which Kurabe looked, besides PATH
service-missing =
    no { $candidates } in { $folders-count ->
        [0] PATH
       *[other] PATH or { $folders }
    }

# $path (text)
# $name (text) of its placeholder
service-not-a-program = '{ $path }', given for '{ $name }', is not a program that can be run; check the path

# $name (text)
# $known (series)
service-unknown-binary = the service has no binary '{ $name }'; it has { $known }

# $user (text)
# $program (text)
# $folder (text)
service-closed-program = user '{ $user }' must run '{ $program }', but cannot enter '{ $folder }'; put it where every user can enter

# $program (text)
# $said (text)
service-another-program = '{ $program }' is another program of that name: it calls itself '{ $said }'

# $program (text)
# $reason (message)
service-no-version = '{ $program }' does not tell its version: { $reason }; run it by hand to see why

# $how (message) it ended
service-version-nothing = it { $how } and printed nothing

# $limit (span)
service-version-slow = no answer within { $limit }

# $error (text)
service-version-unheard = its answer cannot be read ({ $error })

# $program (text)
# $how (message) it ended
service-crashed = '{ $program }' { $how }
