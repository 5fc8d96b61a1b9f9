### The machine: its facts, and what it refuses.

# $action (text) find, examine, create, open, write, sync, measure or sync-all
# $path (text)
# $error (text) of the system
machine-io =
    cannot { $action ->
        [sync-all] sync the file system of
       *[other] { $action }
    } '{ $path }': { $error }; check that it exists and may be written, or choose another folder with --dir

machine-interrupted = interrupted

### Facts

machine-quota-one = 1 processor

# $quota (number) processors
machine-quota = { $quota } processors

# $free (size)
# $all (size)
machine-disk-full = the disk is full: { $free } of { $all } are free

# $files (count)
machine-disk-no-files = the disk has no room for another file: it already has { $files }

### What differs from when a run started

# $fact (text)
# $before (text)
# $now (text)
machine-changed =
    { $fact ->
        [processor] the processor
        [architecture] the architecture
        [processors] the number of processors
        [usable] the number of usable processors
        [affinity] the number of processors by affinity
        [kernel] the kernel
        [hypervisor] the hypervisor
        [governor] the frequency governor
        [clock] the clock source
       *[mount] the list of mount options
    } was '{ $before }' and is now '{ $now }'

# $before (size)
# $now (size)
machine-memory-changed = the main memory was { $before } and is now { $now }

# $before (message?) none where there is no quota
# $now (message?)
machine-quota-changed =
    the CPU quota was { $before ->
        [none] none
       *[other] { $before }
    } and is now { $now ->
        [none] none
       *[other] { $now }
    }

### Files

machine-folder = a folder

machine-pipe = a pipe

machine-socket = a socket

machine-device = a device

# $what (message)
machine-not-a-file = it is { $what }, not a file

# $most (count)
machine-file-too-large = it is larger than { $most } bytes

# $error (text) with its place
machine-not-utf8 = it is not UTF-8: { $error }
