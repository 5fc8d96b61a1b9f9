#!/usr/bin/perl
# Redis by a driver of a few lines: a string a row, `namespace:key`.

use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use IO::Socket::INET;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

use Protocol;

package Redis;

sub connect {
    my ($class, $host, $port, $driver) = @_;
    my $socket = IO::Socket::INET->new(PeerHost => $host, PeerPort => $port, Proto => 'tcp', Timeout => 10)
        or die "cannot connect to $host:$port: $!\n";
    setsockopt $socket, Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1;
    return bless { socket => $socket, ahead => '', driver => $driver }, $class;
}

# Sends a command and reads its answer; an error of the server dies.
sub ask {
    my ($self, @words) = @_;
    my $text = sprintf "*%d\r\n", scalar @words;
    $text .= sprintf("\$%d\r\n%s\r\n", length, $_) for @words;
    local $SIG{PIPE} = 'IGNORE';
    my $sent = syswrite $self->{socket}, $text;
    die "connection lost: $!\n" if !defined $sent || $sent != length $text;
    return $self->answer;
}

sub more {
    my ($self, $bytes) = @_;
    my $got = sysread $self->{socket}, $self->{ahead}, $bytes, length $self->{ahead};
    die "connection lost: the server closed it\n" if !$got;
}

sub line {
    my ($self) = @_;
    my $step = $self->{driver} eq 'bytewise' ? 1 : 65536;
    my $at;
    $self->more($step) while ($at = index $self->{ahead}, "\r\n") < 0;
    my $line = substr $self->{ahead}, 0, $at + 2, '';
    return substr $line, 0, -2;
}

sub answer {
    my ($self) = @_;
    my $line = $self->line;
    my ($sign, $rest) = (substr($line, 0, 1), substr $line, 1);
    return $rest if $sign eq '+' || $sign eq ':';
    die "$rest\n" if $sign eq '-';
    return undef if $rest < 0;
    return [map { $self->answer } 1 .. $rest] if $sign eq '*';
    $self->more($rest + 2 - length $self->{ahead}) while length $self->{ahead} < $rest + 2;
    return substr substr($self->{ahead}, 0, $rest + 2, ''), 0, -2;
}

package Toy;

sub open {
    my ($class, $job, $driver) = @_;
    my ($host, $port) = ($job->{url} // '') =~ m{^redis://([^:/@]+):(\d+)}
        or die "the job's url is no address of a Redis server without a password\n";
    return bless { at => [$host, $port, $driver], namespace => $job->{namespace} }, $class;
}

sub redis { my ($self) = @_; return $self->{redis} //= Redis->connect(@{ $self->{at} }) }

sub receipt {
    my ($self) = @_;
    return {
        client => 'toy', version => '1', libraries => { perl => sprintf('%vd', $^V), driver => $self->{at}[2] },
        capabilities => {
            operations => [qw(load insert read update delete latest scan multi-read increment open)],
            max_connections => 1, processes => \1, schedules => \1, empty_values => \1, max_value_bytes => 512 * 2**20,
        },
    };
}

sub name { my ($self, $key) = @_; return "$self->{namespace}:$key" }

sub load { my ($self, $keys, $raw) = @_; $self->redis->ask('SET', $self->name(@$keys), $raw); return Protocol::DONE }

sub insert {
    my ($self, $keys, $raw) = @_;
    return defined $self->redis->ask('SET', $self->name(@$keys), $raw, 'NX') ? Protocol::DONE : Protocol::EXISTS;
}

sub update {
    my ($self, $keys, $raw) = @_;
    return defined $self->redis->ask('SET', $self->name(@$keys), $raw, 'XX') ? Protocol::DONE : Protocol::MISSING;
}

sub delete { my ($self, $keys) = @_; return $self->redis->ask('DEL', $self->name(@$keys)) ? Protocol::DONE : Protocol::MISSING }

sub increment { my ($self, $keys, $raw, $row) = @_; $self->redis->ask('INCR', "$self->{namespace}:counter:$row"); return Protocol::DONE }

sub read { my ($self, $keys) = @_; return (Protocol::DONE, $keys->[0], $self->redis->ask('GET', $self->name(@$keys))) }

sub multi_read {
    my ($self, $keys) = @_;
    my $found = $self->redis->ask('MGET', map { $self->name($_) } @$keys);
    return (Protocol::DONE, map { ($keys->[$_], $found->[$_]) } 0 .. $#$keys);
}

sub open_store {
    my ($self, $keys) = @_;
    my $redis = Redis->connect(@{ $self->{at} });
    return (Protocol::DONE, map { ($_, $redis->ask('GET', $self->name($_))) } @$keys);
}

sub all_keys {
    my ($self, $is_counter) = @_;
    my ($cursor, @found) = (0);
    do {
        my $answer = $self->redis->ask('SCAN', $cursor, 'MATCH', "$self->{namespace}:*", 'COUNT', 1000);
        ($cursor, my $some) = @$answer;
        push @found, grep { $is_counter == (index($_, "$self->{namespace}:counter:") == 0) } @$some;
    } while $cursor ne '0';
    my %once = map { $_ => 1 } @found;
    return keys %once;
}

sub rows_of {
    my ($self, @names) = @_;
    my @found = @names ? @{ $self->redis->ask('MGET', @names) } : ();
    my $from = 1 + length $self->{namespace};
    return (Protocol::DONE, map { (substr($names[$_], $from), $found[$_]) } 0 .. $#names);
}

sub scan { my ($self) = @_; return $self->rows_of($self->all_keys(0)) }

sub latest {
    my ($self, $keys, $raw, $row, $rows) = @_;
    my $from = 1 + length $self->{namespace};
    my @sorted = sort { length $b <=> length $a || $b cmp $a } $self->all_keys(0);
    return $self->rows_of(@sorted > $rows ? @sorted[0 .. $rows - 1] : @sorted);
}

sub commit { }

sub call_ping { my ($self) = @_; $self->redis->ask('PING'); return \1 }

sub call_info {
    my ($self) = @_;
    my %told = $self->redis->ask('INFO') =~ /^(\w+_version|server_name|redis_mode|server_mode|role):(\S+)/mg;
    # Redis's own version is what other products say that they can do.
    my @products = grep { /_version$/ && !/^(?:redis|gcc)_/ } keys %told;
    my $version = $told{ ($told{server_name} // '') . '_version' };
    $version //= $told{ $products[0] } if @products == 1;
    return { version => $version // $told{redis_version} // 'unknown', %told };
}

sub call_settings {
    my ($self) = @_;
    my %found;
    for my $name (qw(appendonly appendfsync no-appendfsync-on-rewrite save maxmemory maxmemory-policy)) {
        my ($key, $value) = @{ $self->redis->ask('CONFIG', 'GET', $name) };
        $found{$key} = $value if defined $key;
    }
    return \%found;
}

sub call_create { my ($self) = @_; return $self->call_reset }

sub call_reset {
    my ($self) = @_;
    my @names = ($self->all_keys(0), $self->all_keys(1));
    $self->redis->ask('DEL', splice @names, 0, 1000) while @names;
    return \1;
}

sub call_count { my ($self) = @_; return { rows => scalar(my @all = $self->all_keys(0)) } }

sub call_sum {
    my ($self) = @_;
    my ($sum, @names) = (0, $self->all_keys(1));
    $sum += $_ // 0 for @names ? @{ $self->redis->ask('MGET', @names) } : ();
    return { sum => $sum };
}

package main;

my $driver = shift @ARGV // 'buffered';
Protocol::serve(sub { my ($job) = @_; return Toy->open($job, $driver) });
