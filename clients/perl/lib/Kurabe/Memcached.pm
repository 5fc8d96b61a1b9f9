package Kurabe::Memcached;

# memcached through Cache::Memcached::Fast: an item a row, `namespace:key`.

use strict;
use warnings;

use parent 'Kurabe::Store';

use Cache::Memcached::Fast ();
use IO::Socket::INET ();
use IO::Socket::UNIX ();

use Kurabe::MemcachedLane;

my @SETTINGS = qw(evictions item_size_max maxbytes maxconns num_threads);
# Longest item where the server does not tell, and what of it is not the value: name and head.
my ($ITEM_BYTES, $ITEM_HEAD_BYTES, $NAME_BYTES) = (2**20, 63, 250);
# The module refuses what is longer.
my $MOST_BYTES = 2**30;
my $AT_ONCE = 100;
# So many rows that are not there, one after the other, are the end of those that were inserted.
my $LONGEST_GAP = 20_000;
# A server that failed once is not connected to again: so long it counts as gone, in seconds.
my $FOR_EVER = 10**9;

sub new {
    my ($class, $job, $values) = @_;
    Kurabe::Store::refuse_unknown($job, 'give the server arguments');
    my $at = Kurabe::Store::address($job);
    die "expected memcache://host:port or memcache:///path as the address of the server\n" if $at->{scheme} ne 'memcache';
    return bless {
        job => $job, values => $values, at => $at, rows => "$job->{namespace}:", counters => "$job->{namespace}+",
        evicted => 0, first_inserted => {},
    }, $class;
}

sub libraries { return ('Cache::Memcached::Fast' => Cache::Memcached::Fast->VERSION) }

# Of a row, in bytes; keys of a data file may hold more than their first has.
sub _longest_name {
    my ($self) = @_;
    my ($own, $key) = ($self->{job}{data}, $self->{values}->key(0));
    my $bytes = $own ? $own->{longest_key_bytes} : length $key < 10 ? 10 : length $key;
    return $NAME_BYTES if $own && $own->{spaced_keys};
    my $name = length($self->{rows}) + $bytes;
    return $name < $NAME_BYTES ? $name : $NAME_BYTES;
}

sub capabilities {
    my ($self) = @_;
    # It may not be up yet.
    my $longest = eval { $self->_stats('stats settings', 1)->{item_size_max} } // $ITEM_BYTES;
    return (
        operations => [qw(load insert read update delete multi-read increment open)],
        processes => JSON::PP::true, max_value_bytes => $longest - $ITEM_HEAD_BYTES - $self->_longest_name,
        max_key_bytes => $NAME_BYTES - length $self->{rows},
        # A name has no space and no control character.
        own_data => $self->{job}{data} && $self->{job}{data}{spaced_keys} ? JSON::PP::false : JSON::PP::true,
    );
}

sub _is_socket { return !length $_[0]{at}{host} }

# A new connection: made with the first request, which is one for the version.
sub link {
    my ($self) = @_;
    my ($at, $patience) = ($self->{at}, Kurabe::Store::patience($self->{job}));
    my $link = Cache::Memcached::Fast->new({
        servers => [$self->_is_socket ? $at->{path} : join ':', $at->{host}, $at->{port} // 11211],
        connect_timeout => $patience, io_timeout => $patience, max_failures => 1, failure_timeout => $FOR_EVER,
        # Values stay as they are, and the server says which are too long.
        compress_threshold => -1, max_size => $MOST_BYTES, utf8 => 0,
    });
    die "cannot connect to the server, or it does not answer\n" if !answers($link);
    return $link;
}

# Whether the server answers; a connection that is gone is not made again.
sub answers {
    my ($link) = @_;
    return scalar %{ $link->server_versions // {} };
}

sub connect {
    my ($self) = @_;
    return Kurabe::MemcachedLane->new($self, $self->link);
}

# The module has no command for what a server tells of itself.
sub _stats {
    my ($self, $command, $patience) = @_;
    my ($at, @timeout) = ($self->{at}, Timeout => $patience // 10);
    my $socket = $self->_is_socket ? IO::Socket::UNIX->new(Peer => $at->{path}, @timeout)
        : IO::Socket::INET->new(PeerHost => $at->{host}, PeerPort => $at->{port} // 11211, @timeout);
    die "cannot connect to the server: $!\n" if !$socket;
    $socket->print("$command\r\n") && $socket->flush or die "cannot ask the server: $!\n";
    my %found;
    while (defined(my $line = $socket->getline)) {
        return \%found if $line =~ /^END/;
        $found{$1} = $2 if $line =~ /^STAT (\S+) (.*?)\r?$/;
    }
    die "the server did not tell all of '$command'\n";
}

# An insert is about to be made, the first of a phase: nothing else tells which rows there can be.
sub inserts {
    my ($self, $key) = @_;
    $self->{first_inserted}{ $self->_row($key) } = 1;
}

# The row of a key.
sub _row {
    my ($self, $key) = @_;
    return $key if !$self->{values}->is_text;
    for my $digits (1 .. 10) {
        my ($end) = $key =~ /([0-9]{$digits})\z/ or last;
        return $end + 0 if $self->{values}->key($end + 0) eq $key;
    }
    return 0;
}

# Gives `$take` the names of the rows that are there, some at a time.
sub _each_row {
    my ($self, $link, $take) = @_;
    my $ask = sub {
        my ($first, $count) = @_;
        my @names = map { $self->{rows} . $self->{values}->key($_) } $first .. $first + $count - 1;
        my @found = keys %{ $link->get_multi(@names) };
        $take->(@found) if @found;
        return scalar @found;
    };
    my $rows = $self->{job}{rows};
    for (my $row = 0; $row < $rows; $row += $AT_ONCE) { $ask->($row, $row + $AT_ONCE > $rows ? $rows - $row : $AT_ONCE) }
    my $next = $rows;
    # To those of a data file none is inserted.
    my @starts = $self->{job}{data} ? () : ($rows, sort { $a <=> $b } keys %{ $self->{first_inserted} });
    for my $start (@starts) {
        $next = $start if $start > $next;
        for (my $missing = 0; $missing < $LONGEST_GAP; $next += $AT_ONCE) {
            $missing = $ask->($next, $AT_ONCE) ? 0 : $missing + $AT_ONCE;
        }
    }
    die "the connection to the server was lost\n" if !answers($link);
}

# Gives `$take` the counters that are there, some at a time, as names and numbers.
sub _each_counter {
    my ($self, $link, $take) = @_;
    my $rows = $self->{job}{rows};
    for (my $row = 0; $row < $rows; $row += $AT_ONCE) {
        my $last = $row + $AT_ONCE > $rows ? $rows - 1 : $row + $AT_ONCE - 1;
        my $found = $link->get_multi(map { $self->{counters} . $_ } $row .. $last);
        $take->($found) if %$found;
    }
    die "the connection to the server was lost\n" if !answers($link);
}

sub call_ping {
    my ($self) = @_;
    $self->link;
    return Kurabe::Store::true;
}

sub call_info { return { version => $_[0]->_stats('stats')->{version} // 'unknown' } }

sub call_settings {
    my ($self) = @_;
    my $stats = $self->_stats('stats settings');
    return { map { $_ => $stats->{$_} } grep { defined $stats->{$_} } @SETTINGS };
}

# It throws items away where its memory (`-m`) is full, unless it was told to refuse new ones instead (`-M`).
sub call_evicts {
    my ($self) = @_;
    return {} if ($self->call_settings->{evictions} // '') eq 'off';
    my ($limit, $used) = @{ $self->_stats('stats') }{qw(limit_maxbytes bytes)};
    return { policy => "evictions on, limit_maxbytes $limit", room_bytes => $limit > $used ? $limit - $used : 0 };
}

sub call_create {
    my ($self) = @_;
    $self->call_reset;
    $self->{evicted} = $self->_stats('stats')->{evictions};
    return Kurabe::Store::true;
}

sub call_reset {
    my ($self) = @_;
    my $link = $self->link;
    $self->_each_row($link, sub { $link->delete_multi(@_) });
    $self->_each_counter($link, sub { $link->delete_multi(keys %{ $_[0] }) });
    return Kurabe::Store::true;
}

# Rows by asking for each. A server that threw items away for want of room has lost rows, whichever they were.
sub call_count {
    my ($self) = @_;
    my $evicted = $self->_stats('stats')->{evictions} - $self->{evicted};
    die "the server threw $evicted items away for want of memory; start it with more (-m), or with -M\n" if $evicted > 0;
    my $rows = 0;
    $self->_each_row($self->link, sub { $rows += @_ });
    return { rows => $rows };
}

sub call_sum {
    my ($self) = @_;
    my $sum = 0;
    $self->_each_counter($self->link, sub { $sum += $_ for values %{ $_[0] } });
    return { sum => $sum };
}

# Bytes of all items of the whole server.
sub call_size { return { bytes => 0 + $_[0]->_stats('stats')->{bytes} } }

1;
