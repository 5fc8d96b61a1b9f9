### The device under a folder, and whether data on it can survive a power failure.

# $file-system (text)
device-place = { $file-system }

# $file-system (text)
# $device (text)
device-place-on = { $file-system } on '{ $device }'

# $before (message)
# $now (message)
device-moved = the file system was { $before } and is now { $now }

# $place (message)
device-replaced = the file system was { $place } and is now another { $place }

### Why durability 'power' is refused

# $reason (message)
device-refused = { $reason }; choose a folder on a disk with --dir

# $file-system (text)
device-in-memory = '{ $file-system }' keeps its files in memory

# $option (text)
device-ignores-flushes = the mount option '{ $option }' disables flushes

# $median (count) in ns
# $least (count) in ns
device-sync-too-fast = the median fdatasync takes { $median } ns, less than { $least } ns: it does not reach a device
