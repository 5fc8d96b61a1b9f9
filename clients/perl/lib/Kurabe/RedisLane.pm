package Kurabe::RedisLane;

# A connection of a worker to Redis.

use strict;
use warnings;

use Kurabe::Tape ':outcomes';

sub new {
    my ($class, $store, $redis) = @_;
    return bless { store => $store, redis => $redis, prefix => $store->{prefix}, counters => $store->{counters} }, $class;
}

sub load {
    my ($self, $key, $raw) = @_;
    $self->{redis}->set($self->{prefix} . $key, $raw);
    return DONE;
}

sub insert {
    my ($self, $key, $raw) = @_;
    return defined $self->{redis}->set($self->{prefix} . $key, $raw, 'NX') ? DONE : EXISTS;
}

sub update {
    my ($self, $key, $raw) = @_;
    return defined $self->{redis}->set($self->{prefix} . $key, $raw, 'XX') ? DONE : MISSING;
}

sub remove {
    my ($self, $key) = @_;
    return $self->{redis}->del($self->{prefix} . $key) ? DONE : MISSING;
}

sub increment {
    my ($self, $row) = @_;
    $self->{redis}->incr($self->{counters} . $row);
    return DONE;
}

sub read {
    my ($self, $key) = @_;
    return scalar $self->{redis}->get($self->{prefix} . $key);
}

sub multi_read {
    my ($self, $keys) = @_;
    return [$self->{redis}->mget(map { $self->{prefix} . $_ } @$keys)];
}

sub open_anew {
    my ($self, $keys) = @_;
    my $redis = $self->{store}->link;
    my @found = map { scalar $redis->get($self->{prefix} . $_) } @$keys;
    $redis->quit;
    return \@found;
}

sub commit { }

sub close {
    my ($self) = @_;
    # One that is gone needs no word.
    eval { $self->{redis}->quit };
}

1;
