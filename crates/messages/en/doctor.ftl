### What `kurabe doctor` prints.

doctor-label-affinity = affinity

doctor-label-quota = cpu quota

doctor-label-swap = swap

doctor-label-virtual = virtual

doctor-label-load = load

doctor-label-folder = data folder

doctor-label-sync = fdatasync

doctor-label-flushes = flushes

doctor-label-power = durability power

# $size (size)
doctor-size = { $size }

# $model (text)
# $cores (count)
doctor-processor = { $model }, { $cores } { $cores ->
        [one] core
       *[other] cores
    }

# $usable (count)
# $cores (count)
doctor-affinity = Kurabe may use { $usable } of { $cores } cores (taskset)

# $quota (message)
doctor-quota = { $quota }: above it, the kernel stops every process of this control group. Raise cpu.max to measure stores.

# $all (message)
# $used (message)
doctor-swap = { $all } ({ $used } used)

# $load (text)
doctor-busy = { $load }: other programs are running, so figures will be noisy

# $system (text)
# $free (size)
doctor-system = { $system } ({ $free } free)

# $median (duration)
# $slow (duration)
# $slowest (duration)
doctor-sync = p50 { $median }, p90 { $slow }, max { $slowest }

doctor-flushes-counted = the device counts them, so Kurabe compares commits with them

doctor-flushes-uncounted = the device does not count them, so Kurabe cannot compare commits with them

doctor-power-measurable = measurable here

# $reason (message)
doctor-power-refused = refused here: { $reason }
