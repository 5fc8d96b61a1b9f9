package Protocol;

# Kurabe's protocol: values, the loop, the tape, and what is said to the harness. A store is an object
# with the methods that its operations are named after; each gives what a tape notes of it.

use strict;
use warnings;

use Compress::Raw::Zlib ();
use IO::Handle ();
use JSON::PP ();
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

use constant { DONE => 0, EXISTS => 1, MISSING => 2, FAILED => 3, COMMIT_FAILED => 4 };
use constant { REST_COMMITTED => 5, REST_NOT_COMMITTED => 6, BEGINS => 7, TAKEN => 8 };

# After so many failures in a row a worker gives up.
use constant FAILURES_IN_A_ROW => 100;
use constant OFFSETS => 1_048_573;

# The lines of the profile have a descriptor of their own: what is printed is for people.
open our $out, '>&=', 3 or die "cannot open descriptor 3: $!\n";

open STARTS, '<&=', 4 or die "cannot open descriptor 4: $!\n";

my @KINDS = qw(load insert read update delete scan latest multi-read increment search open);

sub now_ns { return int(clock_gettime(CLOCK_MONOTONIC) * 1e9) }
sub crc32 { return Compress::Raw::Zlib::crc32($_[0]) }

# Values: `keys` and `raw` of a row, as docs/PROTOCOL.md has them.
sub values_of {
    my ($job) = @_;
    my ($key, @parts) = @{ $job->{schema}{fields} };
    open my $file, '<:raw', $job->{pool} or die "cannot read the pool: $!\n";
    local $/ = undef;
    my $pool = <$file>;
    my $longest = 0;
    for (@parts) { $longest = $_->{len_bytes} if ($_->{len_bytes} // 0) > $longest }
    $pool x= 1 + int($longest / length($pool) + 1);
    my ($is_text, $prefix, $digits) = ($key->{type} eq 'text', $key->{prefix} // 'k', $key->{digits} // 10);
    my $framed = @parts > 1;
    return {
        key => sub { $is_text ? sprintf("%s%0${digits}d", $prefix, $_[0]) : $_[0] },
        # What of a key is digested: its text, or 8 bytes.
        key_bytes => sub { $is_text ? $_[0] : pack 'q<', $_[0] },
        raw => sub {
            my ($row, $version) = @_;
            my ($start, $raw) = (($row * 7919 + $version * 104_729) % OFFSETS, '');
            for my $at (0 .. $#parts) {
                my $part = $parts[$at];
                if ($part->{type} eq 'int64') {
                    my $value = ($row * 31 + $version * 17 + $at + 1) % 2**31;
                    $value = 1 + $value % $part->{distinct} if defined $part->{distinct};
                    $raw .= pack 'q<', $value;
                    next;
                }
                my $len = $part->{len_bytes} // 0;
                my $text =
                      $part->{constant} ? substr('1234567890' x (1 + $len / 10), 0, $len)
                    : $len < 25         ? substr($pool, $start, $len)
                    :   sprintf('%010d:%010d:%02d:', $row, $version, $at + 1) . substr($pool, $start, $len - 25);
                $raw .= $framed ? pack('V', $len) . $text : $text;
            }
            return $raw;
        },
    };
}

# Works off the lines on stdin: $open makes the store of a job, and gives its receipt.
sub serve {
    my ($open) = @_;
    my $json = JSON::PP->new->canonical;
    $out->autoflush(1);
    my $say = sub { print {$out} $json->encode($_[0]), "\n" };
    my ($store, $values, $phase);
    while (my $line = <STDIN>) {
        my $told = $json->decode($line);
        if (exists $told->{kurabe}) {
            if ($told->{kurabe} != 2) { $say->({ error => "version $told->{kurabe} of the protocol is not spoken here" }); exit 2 }
            $values = values_of($told->{job});
            $store = eval { $open->($told->{job}, $values) } or do { $say->({ error => "$@" }); exit 1 };
            $say->({ hello => $store->receipt });
        } elsif (exists $told->{call}) {
            my %reply = (reply => $told->{id});
            my $method = $store->can("call_$told->{call}");
            if (!$method) { $reply{unsupported} = JSON::PP::true }
            elsif (!defined eval { $reply{ok} = $store->$method; 1 }) { delete $reply{ok}; $reply{error} = "$@" }
            $say->(\%reply);
        } elsif (exists $told->{prepare}) {
            $phase = eval { prepare($store, $values, $told->{prepare}) } or do { $say->({ error => "$@" }); exit 1 };
            $say->({ ready => $told->{prepare}{phase} });
        } elsif (exists $told->{go}) {
            measure($phase);
            $say->({ result => $told->{go} });
        } elsif (exists $told->{stop}) {
            $say->({ end => JSON::PP::true });
            exit 0;
        }
    }
    exit 3;
}

# Opens script and tape of the one worker and does the warm-up.
sub prepare {
    my ($store, $values, $told) = @_;
    my ($one, @others) = @{ $told->{workers} };
    die "one connection a process\n" if @others;
    return { none => 1 } if !$one;
    open my $script, '<:raw', $one->{script} or die "cannot read the script: $!\n";
    open my $tape, '>:raw', $one->{tape} or die "cannot write the tape: $!\n";
    my $phase = { store => $store, values => $values, script => $script, tape => $tape, told => $told, one => $one };
    run($phase, $one->{warmup}, $told->{warmup_ns}) if $one->{warmup} || $told->{warmup_ns};
    return $phase;
}

sub measure {
    my ($phase) = @_;
    return if $phase->{none};
    my $now = now_ns();
    note($phase, $now, $now, BEGINS, '');
    # Planned starts come once this is read.
    $phase->{tape}->flush;
    run($phase, $phase->{one}{count}, $phase->{told}{duration_ns});
    close $phase->{tape} or die "cannot write the tape: $!\n";
}

sub note {
    my ($phase, $start, $end, $outcome, $rows) = @_;
    my $count = $outcome == FAILED || $outcome == COMMIT_FAILED || $outcome == REST_NOT_COMMITTED ? length $rows
        : length($rows) / 8;
    print { $phase->{tape} } pack('Q<Q<VV', $start, $end, $outcome, $count), $rows;
}

# Waits for the next planned start, in ns; 0 where there is no further one.
sub next_start {
    my $start;
    return (sysread(STARTS, $start, 8) // 0) == 8 ? unpack 'Q<', $start : 0;
}

# Does operations until the script ends, so many are done, or so long has passed.
sub run {
    my ($phase, $most, $lasts_ns) = @_;
    my ($store, $script, $values) = @$phase{qw(store script values)};
    my $deadline = defined $lasts_ns ? now_ns() + $lasts_ns : undef;
    my ($done, $failed, $writes_fail, $due, $uncommitted) = (0) x 5;
    while ((!defined $most || $done < $most) && $failed < FAILURES_IN_A_ROW) {
        if ($phase->{told}{planned}) {
            my $free = now_ns();
            my $start = next_start() or last;
            note($phase, $start, $free, TAKEN, '');
        }
        last if read($script, my $entry, 12) != 12;
        my ($code, $row, $argument) = unpack 'V3', $entry;
        my $kind = $KINDS[$code & 255];
        my @rows;
        if ($kind eq 'multi-read' || $kind eq 'open') {
            read $script, my $more, 4 * $argument;
            @rows = unpack 'V*', $more;
        }
        # Made before the clock is read: keys, and the value of a write.
        my $is_write = $kind =~ /^(?:load|insert|update|delete|increment)$/;
        my @keys = map { $values->{key}->($_) } @rows ? @rows : $row;
        my $raw = $kind =~ /^(?:load|insert|update)$/ ? $values->{raw}->($row, $argument) : undef;
        $due ||= $code >= 256;
        $uncommitted ||= $is_write;
        (my $method = $kind eq 'open' ? 'open_store' : $kind) =~ tr/-/_/;
        my $must_commit = $is_write && $due;
        my ($outcome, @found) = (FAILED);
        my $start = now_ns();
        my $is_done = eval { ($outcome, @found) = $store->$method(\@keys, $raw, $row, $argument); 1 };
        if ($is_done && $must_commit) {
            $is_done = eval { $store->commit; 1 };
            $outcome = COMMIT_FAILED if !$is_done;
            ($due, $uncommitted) = (0, 0);
        }
        my $end = now_ns();
        if ($is_done) {
            # Pairs of key and value; nothing where there is no such row.
            my $rows = '';
            while (my ($key, $value) = splice @found, 0, 2) {
                $rows .= defined $value ? pack 'VV', crc32($values->{key_bytes}->($key)), crc32($value) : "\0" x 8;
            }
            note($phase, $start, $end, $outcome, $rows);
            # What is written between two commits that fail ends no row of failures.
            ($failed, $writes_fail) = (0, 0) if $must_commit || !$writes_fail;
        } else {
            chomp(my $error = $@);
            note($phase, $start, $end, $outcome, $error);
            $failed++;
            $writes_fail ||= $is_write && $kind ne 'load';
        }
        $done++;
        last if defined $deadline && $end >= $deadline;
    }
    if ($uncommitted) {
        my $start = now_ns();
        my $is_done = eval { $store->commit; 1 };
        chomp(my $error = $@);
        note($phase, $start, now_ns(), $is_done ? (REST_COMMITTED, '') : (REST_NOT_COMMITTED, $error));
    }
}

1;
