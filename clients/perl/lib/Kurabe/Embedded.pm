package Kurabe::Embedded;

# What stores in this process have in common: a file of rows and one of counters, each open once, from phase to phase,
# and what the worker has written since its last commit. A subclass has `open_file`, and a `mode`.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Store';

use Kurabe::Store ':outcomes';

# The open file of the rows, or that of the counters.
sub file ($self, $is_counters) {
    return $self->{files}[$is_counters] //= $self->open_file($is_counters, 0);
}

sub connect ($self, $phase, $) {
    my %does = map { $_ => 1 } $phase->{operations}->@*;
    # A process can have a file open once only.
    $self->close if $does{open};
    $self->{rows} = $does{open} ? undef : $self->file(0);
    $self->{counters} = $does{increment} ? $self->file(1) : undef;
    # Writes to each file that wait for a commit.
    $self->{dirty} = [0, 0];
    @$self{qw(syncs has_transactions)} = ($self->{mode} eq 'sync', $self->{mode} =~ /^tran/);
}

sub disconnect ($self) {
    eval { $self->_end('abort'); 1 } or warn "cannot end what was written: $@";
    delete @$self{qw(rows counters)};
}

sub close ($self) {
    my $files = delete $self->{files} or return;
    $_->close for grep { defined } @$files;
}

# Begins a transaction where writes need one and none is open.
sub _begin ($self, $is_counters) {
    return if $self->{dirty}[$is_counters];
    $self->{$is_counters ? 'counters' : 'rows'}->begin if $self->{has_transactions};
    $self->{dirty}[$is_counters] = 1;
}

# Ends what is open.
sub _end ($self, $how) {
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

sub load ($self, $key, $value) {
    $self->_begin(0);
    $self->{rows}->over($key, $value);
    return DONE;
}

sub insert ($self, $key, $value) {
    $self->_begin(0);
    return $self->{rows}->keep($key, $value) ? DONE : EXISTS;
}

# There is no write that demands an existing row: a lookup comes first.
sub update ($self, $key, $value) {
    $self->_begin(0);
    return MISSING if !$self->{rows}->has($key);
    $self->{rows}->over($key, $value);
    return DONE;
}

sub remove ($self, $key) {
    $self->_begin(0);
    return $self->{rows}->out($key) ? DONE : MISSING;
}

sub increment ($self, $row) {
    $self->_begin(1);
    $self->{counters}->add($row);
    return DONE;
}

sub commit ($self) { $self->_end('commit') }
sub read ($self, $key) { return $self->{rows}->get($key) }

sub multi_read ($self, $keys) {
    my $rows = $self->{rows};
    return [map { scalar $rows->get($_) } @$keys];
}

sub open_anew ($self, $keys) {
    my $file = $self->open_file(0, 1);
    my @found = eval { map { scalar $file->get($_) } @$keys };
    my $error = $@;
    $file->close;
    die $error if $error;
    return \@found;
}

sub scan ($self) { return $self->{rows}->all }
sub latest ($self, $rows) { return $self->{rows}->latest($rows) }
sub search ($self, $low, $high) { return $self->{rows}->search($low, $high) }

sub call_create ($self) {
    $self->call_reset;
    $self->file(0);
    return JSON::PP::true;
}

sub call_count ($self) { return { rows => 0 + $self->file(0)->rows } }
sub call_size ($self) { return { bytes => 0 + $self->file(0)->size } }
sub call_sum ($self) { return { sum => $self->file(1)->sum } }

1;
