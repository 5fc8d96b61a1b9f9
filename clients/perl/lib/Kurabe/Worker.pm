package Kurabe::Worker;

# The worker of a phase: the connection, its script and its tape.

use v5.24;
use warnings;
use experimental 'signatures';

use List::Util 'min';
use Time::HiRes qw(CLOCK_MONOTONIC clock_gettime usleep);

use Kurabe::Store qw(:outcomes words);
use Kurabe::Values;

# After so many failures in a row a worker gives up.
use constant FAILURES_IN_A_ROW => 100;
# Or, where the store is restarted amid the phase, when nothing has succeeded for so long.
use constant PATIENCE_NS => 10e9;

my %IS_WRITE = map { $_ => 1 } qw(load insert update remove increment);
my %HAS_VALUE = map { $_ => 1 } qw(load insert update);

sub new ($class, $store, $values, $told, $phase) {
    my $tape = Kurabe::Tape->new($told);
    $store->connect($phase, $told);
    return bless { store => $store, values => $values, told => $told, phase => $phase, tape => $tape }, $class;
}

# Rows of a load come from the lines of their data file again.
sub split_again ($self, $source) {
    $self->{lines} = Kurabe::Lines->new($source, $self->{values});
}

sub now_ns { return int(clock_gettime(CLOCK_MONOTONIC) * 1e9) }

sub warm_up ($self) {
    my ($count, $lasts_ns) = ($self->{told}{warmup}, $self->{phase}{warmup_ns});
    $self->_work($count, $lasts_ns) if $count || $lasts_ns;
}

sub measure ($self) {
    my $now = now_ns();
    $self->{tape}->note($now, $now, BEGINS, '');
    # Starts come once this is read.
    $self->{tape}->flush if $self->{phase}{planned};
    $self->_work($self->{told}{count}, $self->{phase}{duration_ns});
    $self->{tape}->close;
}

# Works until the script ends, so many operations are done, or so long has passed.
sub _work ($self, $most, $lasts_ns) {
    my ($store, $tape) = @$self{qw(store tape)};
    my $deadline = defined $lasts_ns ? now_ns() + $lasts_ns : undef;
    my $reconnects = ($self->{phase}{on_loss} // '') eq 'reconnect';
    my ($done, $failed, $failing_since, $writes_fail, $due, $uncommitted) = (0) x 6;
    while (!defined $most || $done++ < $most) {
        if ($failed && $reconnects) {
            $self->_find_again($failed, min($failing_since + PATIENCE_NS, $deadline // 'inf')) or last;
        }
        last if $failed >= FAILURES_IN_A_ROW && !$reconnects;
        last if $self->{phase}{planned} && !$self->_await_start;
        my ($kind, $row, $argument, $commits, $rows) = $tape->next_entry or last;
        my $is_write = $IS_WRITE{$kind};
        $due ||= $commits;
        $uncommitted ||= $is_write;
        # Made before the clock is read: keys, and the value of a write.
        my @given = $self->_given($kind, $row, $argument, $rows);
        my $line = $self->{lines} && $kind eq 'load' ? $self->_line($row) : '';
        my $must_commit = $is_write && $due;
        my $outcome = FAILED;
        my $answer;
        my $start = now_ns();
        my $is_done = eval {
            $answer = $store->$kind(@given);
            if ($must_commit) {
                $outcome = COMMIT_FAILED;
                $store->commit;
            }
            1;
        };
        my $end = now_ns();
        if ($must_commit && ($is_done || $outcome == COMMIT_FAILED)) { $due = $uncommitted = 0 }
        if ($is_done) {
            # What is written between two commits that fail ends no row of failures.
            ($failed, $writes_fail) = (0, 0) if $must_commit || $reconnects || !$writes_fail;
            if ($is_write) { $tape->note($start, $end, $answer, $line) }
            else { $self->_note($kind, $row, $rows, $start, $end, $answer) }
        } else {
            $failing_since = $end if !$failed++;
            $writes_fail ||= $is_write && $kind ne 'load';
            $tape->failed($start, $end, $outcome, words($@));
        }
        last if defined $deadline && $end >= $deadline;
    }
    $self->_commit_rest if $uncommitted;
}

# Waits for the planned start of the next operation; whether there is one.
sub _await_start ($self) {
    my $free = now_ns();
    my $start = $self->{tape}->next_start or return;
    $self->{tape}->note($start, $free, TAKEN, '');
    return 1;
}

# Makes the connection anew, with pauses that grow; whether there is one before it is too late.
sub _find_again ($self, $tries, $until) {
    while () {
        usleep(1000 * min(2**min($tries++, 7), 100));
        return if now_ns() >= $until;
        eval { $self->{store}->disconnect };
        return 1 if eval { $self->{store}->connect(@$self{qw(phase told)}); 1 };
    }
}

# What the method of the connection is given.
sub _given ($self, $kind, $row, $argument, $rows) {
    my $values = $self->{values};
    return [map { $values->key($_) } @$rows] if $rows;
    return $row if $kind eq 'increment';
    return $argument if $kind eq 'latest';
    return ($row, $argument) if $kind eq 'search';
    return if $kind eq 'scan';
    return $values->key($row) if !$HAS_VALUE{$kind};
    my $value = $self->{store}->has_columns ? $values->fields($row, $argument) : $values->value($row, $argument);
    return ($values->key($row), $value);
}

# The row that a line of the data file has, split again, as a tape has it.
sub _line ($self, $row) {
    return $self->{values}->digest($self->{lines}->find($row));
}

sub _note ($self, $kind, $row, $rows, $start, $end, $answer) {
    my ($values, $has_columns) = ($self->{values}, $self->{store}->has_columns);
    # Keys and values in turn.
    my @found;
    if ($kind eq 'read') { @found = ($values->key($row), $answer) }
    elsif ($rows) { @found = map { ($values->key($rows->[$_]), $answer->[$_]) } 0 .. $#$rows }
    else { @found = @$answer }
    my $digests = '';
    while (my ($key, $value) = splice @found, 0, 2) {
        $digests .= $values->digest($key, $has_columns && defined $value ? $values->raw($value) : $value);
    }
    $self->{tape}->note($start, $end, DONE, $digests);
}

sub _commit_rest ($self) {
    my $start = now_ns();
    if (eval { $self->{store}->commit; 1 }) { $self->{tape}->note($start, now_ns(), REST_COMMITTED, '') }
    else { $self->{tape}->failed($start, now_ns(), REST_NOT_COMMITTED, words($@)) }
}

package Kurabe::Tape;

# Script and tape: what the worker is to do, and what came of it (docs/PROTOCOL.md, "A phase").

# What operations are called here, by their codes: `delete` and `open` are functions of Perl.
my @KINDS = qw(load insert read update remove scan latest multi_read increment search open_anew);
my $COMMIT = 256;

sub new ($class, $told) {
    open my $script, '<:raw', $told->{script} or die "cannot read the script: $!\n";
    open my $tape, '>:raw', $told->{tape} or die "cannot write the tape: $!\n";
    open my $starts, '<&', 4 or die "cannot open descriptor 4: $!\n";
    return bless { script => $script, tape => $tape, starts => $starts }, $class;
}

# The next entry: kind, row, argument, whether a commit is due behind it, and rows; nothing at the end.
sub next_entry ($self) {
    return if (CORE::read($self->{script}, my $entry, 12) // 0) != 12;
    my ($code, $row, $argument) = unpack 'V3', $entry;
    my $kind = $KINDS[ $code % $COMMIT ] // die "the script has an operation of an unknown kind\n";
    my $rows;
    if ($kind eq 'multi_read' || $kind eq 'open_anew') {
        CORE::read($self->{script}, my $more, 4 * $argument);
        $rows = [unpack 'V*', $more];
    }
    return ($kind, $row, $argument, $code >= $COMMIT, $rows);
}

# Waits for the next planned start, in ns; 0 where there is no further one. What is read ahead would be begun too late.
sub next_start ($self) {
    my $start;
    return (sysread($self->{starts}, $start, 8) // 0) == 8 ? unpack 'Q<', $start : 0;
}

# Notes an operation and the digests of the rows that it gave.
sub note ($self, $start, $end, $outcome, $digests) {
    print { $self->{tape} } pack('Q<Q<VV', $start, $end, $outcome, length($digests) / 8), $digests
        or die "cannot write the tape: $!\n";
}

# Notes a failure.
sub failed ($self, $start, $end, $outcome, $message) {
    utf8::encode($message);
    print { $self->{tape} } pack('Q<Q<VV', $start, $end, $outcome, length $message), $message
        or die "cannot write the tape: $!\n";
}

sub flush ($self) { $self->{tape}->flush or die "cannot write the tape: $!\n" }

sub close ($self) {
    CORE::close $self->{tape} or die "cannot write the tape: $!\n";
}

1;
