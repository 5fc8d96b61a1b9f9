### Going on with a run.

# $what (text)
resume-differs =
    cannot resume this run: { $what ->
        [study] the study's phases or data differ
        [data-file] the data file, or what is in it, differs
        [candidates] the candidates, their versions or their settings differ
        [definitions] the stores, clients or apps of --definitions differ
       *[kurabe] the version of kurabe differs
    } from when it started

# $changes (clauses)
resume-elsewhere =
    cannot resume this run here, because its figures would come from two different machines or disks:
    { $changes }
    Resume it where it started, with the same --dir, or start a new run

# $reason (text)
resume-password = { $reason }; if the server needs a password, give the whole list again with --stores

# $jobs (count)
resume-repeating =
    { $jobs ->
        [one] Repeating one job that other programs disturbed.
       *[other] Repeating { $jobs } jobs that other programs disturbed.
    }
