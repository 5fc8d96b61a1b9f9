package Kurabe::Echo;

# No store: it answers what is expected, and keeps what was written since the load in a hash of Perl. What is left is the
# language, the loop, values and tapes.

use strict;
use warnings;

use parent 'Kurabe::Store';

use Kurabe::Tape ':outcomes';

sub new {
    my ($class, $job, $values) = @_;
    Kurabe::Store::refuse_unknown($job, 'it has none');
    my $self = bless { values => $values, rows => $job->{rows}, processes => $job->{processes} // 1 }, $class;
    $self->call_reset;
    return $self;
}

sub libraries { return () }

sub capabilities {
    return (
        operations => [qw(load insert read update delete scan latest multi-read increment)], key_types => ['int64'],
        processes => Kurabe::Store::true, own_data => JSON::PP::false,
    );
}

sub connect { return $_[0] }

# The value of a row that is there. One that nobody wrote since the load is made anew.
sub read {
    my ($self, $row) = @_;
    return $self->{written}{$row} if exists $self->{written}{$row};
    return $row < $self->{rows} ? $self->{values}->value($row, 0) : undef;
}

sub _has {
    my ($self, $row) = @_;
    return exists $self->{written}{$row} ? defined $self->{written}{$row} : $row < $self->{rows};
}

sub load { return DONE }

sub insert {
    my ($self, $row, $raw) = @_;
    return EXISTS if $self->_has($row);
    $self->{highest} = $row + 1 if $row >= $self->{highest};
    $self->{written}{$row} = $raw;
    return DONE;
}

sub update {
    my ($self, $row, $raw) = @_;
    return MISSING if !$self->_has($row);
    $self->{written}{$row} = $raw;
    return DONE;
}

sub remove {
    my ($self, $row) = @_;
    return MISSING if !$self->_has($row);
    $self->{written}{$row} = undef;
    return DONE;
}

sub increment {
    my ($self) = @_;
    $self->{sum}++;
    return DONE;
}

sub multi_read {
    my ($self, $rows) = @_;
    return [map { scalar $self->read($_) } @$rows];
}

# Rows that are there among some, as keys and values, until there are so many.
sub _found {
    my ($self, $most, $row, $step, $end) = @_;
    my @found;
    for (; $row != $end && @found < 2 * $most; $row += $step) {
        my $raw = $self->read($row);
        push @found, $row, $raw if defined $raw;
    }
    return \@found;
}

sub scan { return $_[0]->_found($_[0]{highest}, 0, 1, $_[0]{highest}) }
sub latest { return $_[0]->_found($_[1], $_[0]{highest} - 1, -1, -1) }

sub call_create { return $_[0]->call_reset }

sub call_reset {
    my ($self) = @_;
    @$self{qw(written highest sum)} = ({}, $self->{rows}, 0);
    return Kurabe::Store::true;
}

# Each process counts for itself, so of several nobody knows the sum.
sub call_sum {
    my ($self) = @_;
    return $self->{processes} > 1 ? undef : { sum => $self->{sum} };
}

1;
