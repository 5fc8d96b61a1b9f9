package Kurabe::EmbeddedLane;

# The connection of a worker to a store in this process, and what it has written since its last commit.

use strict;
use warnings;

use Kurabe::Tape ':outcomes';

sub new {
    my ($class, $store) = @_;
    my $mode = $store->{mode};
    return bless {
        store => $store, rows => $store->{files} && $store->{files}[0], counters => $store->{files} && $store->{files}[1],
        # Writes to each file that wait for a commit.
        dirty => [0, 0], syncs => $mode eq 'sync', has_transactions => $mode =~ /^tran/,
    }, $class;
}

# Begins a transaction where writes need one and none is open.
sub _begin {
    my ($self, $is_counters) = @_;
    return if $self->{dirty}[$is_counters];
    $self->{$is_counters ? 'counters' : 'rows'}->begin if $self->{has_transactions};
    $self->{dirty}[$is_counters] = 1;
}

# Ends what is open.
sub _end {
    my ($self, $how) = @_;
    my $error;
    for my $at (0, 1) {
        next if !$self->{dirty}[$at];
        $self->{dirty}[$at] = 0;
        my $file = $self->{ $at ? 'counters' : 'rows' };
        if ($self->{has_transactions}) { eval { $file->$how; 1 } or $error //= $@ }
        elsif ($self->{syncs}) { eval { $file->sync; 1 } or $error //= $@ }
    }
    die $error if defined $error;
}

sub load {
    my ($self, $key, $value) = @_;
    $self->_begin(0);
    $self->{rows}->over($key, $value);
    return DONE;
}

sub insert {
    my ($self, $key, $value) = @_;
    $self->_begin(0);
    return $self->{rows}->keep($key, $value) ? DONE : EXISTS;
}

# There is no write that demands an existing row: a lookup comes first.
sub update {
    my ($self, $key, $value) = @_;
    $self->_begin(0);
    return MISSING if !$self->{rows}->has($key);
    $self->{rows}->over($key, $value);
    return DONE;
}

sub remove {
    my ($self, $key) = @_;
    $self->_begin(0);
    return $self->{rows}->out($key) ? DONE : MISSING;
}

sub increment {
    my ($self, $row) = @_;
    $self->_begin(1);
    $self->{counters}->add($row);
    return DONE;
}

sub commit { $_[0]->_end('commit') }
sub read { return $_[0]{rows}->get($_[1]) }

sub multi_read {
    my ($self, $keys) = @_;
    my $rows = $self->{rows};
    return [map { scalar $rows->get($_) } @$keys];
}

sub open_anew {
    my ($self, $keys) = @_;
    my $file = $self->{store}->open_file(0, 1);
    my @found = eval { map { scalar $file->get($_) } @$keys };
    my $error = $@;
    $file->close;
    die $error if $error;
    return \@found;
}

sub scan { return $_[0]{rows}->all }
sub latest { return $_[0]{rows}->latest($_[1]) }
sub search { return $_[0]{rows}->search($_[1], $_[2]) }

sub close {
    my ($self) = @_;
    eval { $self->_end('abort'); 1 } or warn "cannot end what was written: $@";
}

1;
