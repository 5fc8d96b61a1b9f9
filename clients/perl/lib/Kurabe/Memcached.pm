package Kurabe::Memcached;

# memcached through Cache::Memcached::Fast: an item a row, `namespace:key`. The module answers a write with true, with
# an empty text where the server refused it, and with nothing where it failed; a row that is not there and a failure
# are alike in a read.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Store';

use Cache::Memcached::Fast ();
use IO::Socket::INET ();
use IO::Socket::UNIX ();
use List::Util qw(max min);

use Kurabe::Store qw(:outcomes address patience refuse_unknown);

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

sub new ($class, $job, $values) {
    refuse_unknown($job, 'give the server arguments');
    my $at = address($job);
    die "expected memcache://host:port or memcache:///path as the address of the server\n"
        if $at->{scheme} ne 'memcache';
    return bless {
        job => $job, values => $values, at => $at, rows => "$job->{namespace}:", counters => "$job->{namespace}+",
        evicted => 0, first_inserted => {},
    }, $class;
}

sub libraries { return ('Cache::Memcached::Fast' => Cache::Memcached::Fast->VERSION) }

# Of a row, in bytes; keys of a data file may hold more than their first has.
sub _longest_name ($self) {
    my ($own, $key) = ($self->{job}{data}, $self->{values}->key(0));
    my $bytes = $own ? $own->{longest_key_bytes} : max(10, length $key);
    return $NAME_BYTES if $own && $own->{spaced_keys};
    return min($NAME_BYTES, length($self->{rows}) + $bytes);
}

sub capabilities ($self) {
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

sub _is_socket ($self) { return !length $self->{at}{host} }

# A new connection: made with the first request, which is one for the version.
sub link ($self) {
    my ($at, $patience) = ($self->{at}, patience($self->{job}));
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
sub answers ($link) {
    return scalar %{ $link->server_versions // {} };
}

sub connect ($self, @) { @$self{qw(link has_inserted)} = ($self->link, 0) }

sub disconnect ($self) {
    my $link = delete $self->{link} or return;
    $link->disconnect_all;
}

# What a write came to, where the server refuses it for a key that is (not) there.
sub _written ($answer, $otherwise = undef) {
    die "the server is gone, or it took the value for too long\n" if !defined $answer;
    return $answer ? DONE : $otherwise // die "the server refused the write\n";
}

sub load ($self, $key, $raw) {
    return _written(scalar $self->{link}->set($self->{rows} . $key, $raw));
}

sub insert ($self, $key, $raw) {
    # The first of a phase is kept: nothing else tells which rows there can be.
    $self->{first_inserted}{ $self->_row($key) } = 1 if !$self->{has_inserted}++;
    return _written(scalar $self->{link}->add($self->{rows} . $key, $raw), EXISTS);
}

sub update ($self, $key, $raw) {
    return _written(scalar $self->{link}->replace($self->{rows} . $key, $raw), MISSING);
}

sub remove ($self, $key) {
    return _written(scalar $self->{link}->delete($self->{rows} . $key), MISSING);
}

# The text protocol makes no counter: where there is none it is added, unless another was quicker.
sub increment ($self, $row) {
    my ($link, $name) = ($self->{link}, $self->{counters} . $row);
    until (_written(scalar $link->incr($name, 1), MISSING) == DONE) {
        last if _written(scalar $link->add($name, 1), EXISTS) == DONE;
    }
    return DONE;
}

# What is not there is asked for once more in other words: a server that is gone does not answer them either.
sub _checked ($link, $is_whole) {
    die "the server is gone\n" if !$is_whole && !answers($link);
}

sub _item ($link, $name) {
    my $value = $link->get($name);
    _checked($link, defined $value);
    return $value;
}

sub read ($self, $key) {
    return _item($self->{link}, $self->{rows} . $key);
}

sub multi_read ($self, $keys) {
    my @names = map { $self->{rows} . $_ } @$keys;
    my $found = $self->{link}->get_multi(@names) // {};
    _checked($self->{link}, @names == keys %$found);
    return [@$found{@names}];
}

sub open_anew ($self, $keys) {
    my $link = $self->link;
    my @found = map { scalar _item($link, $self->{rows} . $_) } @$keys;
    $link->disconnect_all;
    return \@found;
}

# The module has no command for what a server tells of itself.
sub _stats ($self, $command, $patience = 10) {
    my ($at, @timeout) = ($self->{at}, Timeout => $patience);
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

# The row of a key.
sub _row ($self, $key) {
    return $key if !$self->{values}->is_text;
    for my $digits (1 .. 10) {
        my ($end) = $key =~ /([0-9]{$digits})\z/ or last;
        return $end + 0 if $self->{values}->key($end + 0) eq $key;
    }
    return 0;
}

# Gives `$take` the names of the rows that are there, some at a time.
sub _each_row ($self, $link, $take) {
    my $ask = sub ($first, $count) {
        my @names = map { $self->{rows} . $self->{values}->key($_) } $first .. $first + $count - 1;
        my @found = keys %{ $link->get_multi(@names) };
        $take->(@found) if @found;
        return scalar @found;
    };
    my $rows = $self->{job}{rows};
    for (my $row = 0; $row < $rows; $row += $AT_ONCE) { $ask->($row, min($AT_ONCE, $rows - $row)) }
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
sub _each_counter ($self, $link, $take) {
    my $rows = $self->{job}{rows};
    for (my $row = 0; $row < $rows; $row += $AT_ONCE) {
        my $last = min($row + $AT_ONCE, $rows) - 1;
        my $found = $link->get_multi(map { $self->{counters} . $_ } $row .. $last);
        $take->($found) if %$found;
    }
    die "the connection to the server was lost\n" if !answers($link);
}

sub call_ping ($self) {
    $self->link;
    return JSON::PP::true;
}

sub call_info ($self) { return { version => $self->_stats('stats')->{version} // 'unknown' } }

sub call_settings ($self) {
    my $stats = $self->_stats('stats settings');
    return { map { $_ => $stats->{$_} } grep { defined $stats->{$_} } @SETTINGS };
}

# It throws items away where its memory (`-m`) is full, unless it was told to refuse new ones instead (`-M`).
sub call_evicts ($self) {
    return {} if ($self->call_settings->{evictions} // '') eq 'off';
    my ($limit, $used) = @{ $self->_stats('stats') }{qw(limit_maxbytes bytes)};
    return { policy => "evictions on, limit_maxbytes $limit", room_bytes => max(0, $limit - $used) };
}

sub call_create ($self) {
    $self->call_reset;
    $self->{evicted} = $self->_stats('stats')->{evictions};
    return JSON::PP::true;
}

sub call_reset ($self) {
    my $link = $self->link;
    $self->_each_row($link, sub (@names) { $link->delete_multi(@names) });
    $self->_each_counter($link, sub ($found) { $link->delete_multi(keys %$found) });
    return JSON::PP::true;
}

# Rows by asking for each. A server that threw items away for want of room has lost rows, whichever they were.
sub call_count ($self) {
    my $evicted = $self->_stats('stats')->{evictions} - $self->{evicted};
    die "the server threw $evicted items away for want of memory; start it with more (-m), or with -M\n"
        if $evicted > 0;
    my $rows = 0;
    $self->_each_row($self->link, sub (@names) { $rows += @names });
    return { rows => $rows };
}

sub call_sum ($self) {
    my $sum = 0;
    $self->_each_counter($self->link, sub ($found) { $sum += $_ for values %$found });
    return { sum => $sum };
}

# Bytes of all items of the whole server.
sub call_size ($self) { return { bytes => 0 + $self->_stats('stats')->{bytes} } }

1;
