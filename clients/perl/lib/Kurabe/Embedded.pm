package Kurabe::Embedded;

# What stores in this process have in common: a file of rows and one of counters, each open once, from phase to phase. A subclass
# has `open_file`.

use strict;
use warnings;

use parent 'Kurabe::Store';

use Kurabe::EmbeddedLane;

# The open file of the rows, or that of the counters.
sub file {
    my ($self, $is_counters) = @_;
    return $self->{files}[$is_counters] //= $self->open_file($is_counters);
}

sub close {
    my ($self) = @_;
    my $files = delete $self->{files} or return;
    $_->close for grep { defined } @$files;
}

sub connect {
    my ($self, $phase) = @_;
    my %does = map { $_ => 1 } @{ $phase->{operations} };
    # A process can have a file open once only.
    $self->close if $does{open};
    $self->file(0) if !$does{open};
    $self->file(1) if $does{increment};
    return Kurabe::EmbeddedLane->new($self, $phase);
}

sub call_create {
    my ($self) = @_;
    $self->call_reset;
    $self->file(0);
    return Kurabe::Store::true;
}

sub call_count { return { rows => 0 + $_[0]->file(0)->rows } }
sub call_size { return { bytes => 0 + $_[0]->file(0)->size } }
sub call_sum { return { sum => $_[0]->file(1)->sum } }

1;
