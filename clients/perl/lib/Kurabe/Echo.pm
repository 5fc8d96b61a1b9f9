package Kurabe::Echo;

# No store: it answers what is expected, and keeps what was written since the load in a hash of Perl. What is left is
# the language, the loop, values and tapes.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Store';

use Kurabe::Store ':outcomes';

sub new ($class, $job, $values) {
    Kurabe::Store::refuse_unknown($job, 'it has none');
    my $self = bless { values => $values, rows => $job->{rows}, processes => $job->{processes} // 1 }, $class;
    $self->call_reset;
    return $self;
}

sub libraries { return () }

sub capabilities {
    return (
        operations => [qw(load insert read update delete scan latest multi-read increment)], key_types => ['int64'],
        processes => JSON::PP::true, own_data => JSON::PP::false,
    );
}

# The value of a row that is there. One that nobody wrote since the load is made anew.
sub read ($self, $row) {
    return $self->{written}{$row} if exists $self->{written}{$row};
    return $row < $self->{rows} ? $self->{values}->value($row, 0) : undef;
}

sub _has ($self, $row) {
    return exists $self->{written}{$row} ? defined $self->{written}{$row} : $row < $self->{rows};
}

sub load { return DONE }

sub insert ($self, $row, $raw) {
    return EXISTS if $self->_has($row);
    $self->{highest} = $row + 1 if $row >= $self->{highest};
    $self->{written}{$row} = $raw;
    return DONE;
}

sub update ($self, $row, $raw) {
    return MISSING if !$self->_has($row);
    $self->{written}{$row} = $raw;
    return DONE;
}

sub remove ($self, $row) {
    return MISSING if !$self->_has($row);
    $self->{written}{$row} = undef;
    return DONE;
}

sub increment ($self, $) {
    $self->{sum}++;
    return DONE;
}

sub multi_read ($self, $rows) {
    return [map { scalar $self->read($_) } @$rows];
}

# Rows that are there among some, as keys and values, until there are so many.
sub _found ($self, $most, $row, $step, $end) {
    my @found;
    for (; $row != $end && @found < 2 * $most; $row += $step) {
        my $raw = $self->read($row);
        push @found, $row, $raw if defined $raw;
    }
    return \@found;
}

sub scan ($self) { return $self->_found($self->{highest}, 0, 1, $self->{highest}) }
sub latest ($self, $rows) { return $self->_found($rows, $self->{highest} - 1, -1, -1) }

sub call_reset ($self) {
    @$self{qw(written highest sum)} = ({}, $self->{rows}, 0);
    return JSON::PP::true;
}

# Each process counts for itself, so of several nobody knows the sum.
sub call_sum ($self) {
    return $self->{processes} > 1 ? undef : { sum => $self->{sum} };
}

1;
