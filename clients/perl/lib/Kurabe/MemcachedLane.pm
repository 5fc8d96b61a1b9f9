package Kurabe::MemcachedLane;

# A connection of a worker to memcached. The module answers a write with true, with an empty text where the server refused it,
# and with nothing where it failed; a row that is not there and a failure are alike in a read.

use strict;
use warnings;

use Kurabe::Tape ':outcomes';

sub new {
    my ($class, $store, $link) = @_;
    return bless { store => $store, link => $link, prefix => $store->{rows}, counters => $store->{counters} }, $class;
}

# What a write came to, where the server refuses it for a key that is (not) there.
sub _written {
    my ($answer, $otherwise) = @_;
    die "the server is gone, or it took the value for too long\n" if !defined $answer;
    return $answer ? DONE : $otherwise // die "the server refused the write\n";
}

sub load {
    my ($self, $key, $raw) = @_;
    return _written(scalar $self->{link}->set($self->{prefix} . $key, $raw));
}

sub insert {
    my ($self, $key, $raw) = @_;
    $self->{store}->inserts($key) if !$self->{inserted}++;
    return _written(scalar $self->{link}->add($self->{prefix} . $key, $raw), EXISTS);
}

sub update {
    my ($self, $key, $raw) = @_;
    return _written(scalar $self->{link}->replace($self->{prefix} . $key, $raw), MISSING);
}

sub remove {
    my ($self, $key) = @_;
    return _written(scalar $self->{link}->delete($self->{prefix} . $key), MISSING);
}

# The text protocol makes no counter: where there is none it is added, unless another was quicker.
sub increment {
    my ($self, $row) = @_;
    my ($link, $name) = ($self->{link}, $self->{counters} . $row);
    until (_written(scalar $link->incr($name, 1), MISSING) == DONE) {
        last if _written(scalar $link->add($name, 1), EXISTS) == DONE;
    }
    return DONE;
}

# What is not there is asked for once more in other words: a server that is gone does not answer them either.
sub _checked {
    my ($link, $is_whole) = @_;
    die "the server is gone\n" if !$is_whole && !Kurabe::Memcached::answers($link);
}

sub _item {
    my ($link, $name) = @_;
    my $value = $link->get($name);
    _checked($link, defined $value);
    return $value;
}

sub read {
    my ($self, $key) = @_;
    return _item($self->{link}, $self->{prefix} . $key);
}

sub multi_read {
    my ($self, $keys) = @_;
    my @names = map { $self->{prefix} . $_ } @$keys;
    my $found = $self->{link}->get_multi(@names) // {};
    _checked($self->{link}, @names == keys %$found);
    return [@$found{@names}];
}

sub open_anew {
    my ($self, $keys) = @_;
    my $link = $self->{store}->link;
    my @found = map { scalar _item($link, $self->{prefix} . $_) } @$keys;
    $link->disconnect_all;
    return \@found;
}

sub commit { }

sub close {
    my ($self) = @_;
    $self->{link}->disconnect_all;
}

1;
