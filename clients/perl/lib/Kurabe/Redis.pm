package Kurabe::Redis;

# Redis, and what speaks as it does, through Redis.pm: a string a row, `namespace:key`.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Store';

use Redis ();

use Kurabe::Store qw(:outcomes address patience refuse_unknown);

my @SETTINGS = qw(appendonly appendfsync io-threads no-appendfsync-on-rewrite save maxmemory maxmemory-policy);
my $AT_ONCE = 1000;

sub new ($class, $job, $) {
    refuse_unknown($job, 'give the server arguments');
    my $prefix = "$job->{namespace}:";
    return bless { job => $job, at => address($job), prefix => $prefix, counters => "${prefix}counter:" }, $class;
}

sub libraries { return ('Redis.pm' => Redis->VERSION) }

sub capabilities {
    return (
        operations => [qw(load insert read update delete multi-read increment open)],
        processes => JSON::PP::true, max_value_bytes => 512 * 2**20,
    );
}

# A new connection. With `reconnect` off a command whose connection is gone fails, and is not sent again.
sub link ($self) {
    my ($at, $patience) = ($self->{at}, patience($self->{job}));
    my $is_socket = $at->{scheme} =~ /unix/;
    die "the Perl client speaks to Redis without TLS; give redis://host:port\n" if $at->{scheme} =~ /rediss/;
    my %login = length($at->{password} // '') ? (password => $at->{password}) : ();
    $login{username} = $at->{user} if %login && length $at->{user};
    my $redis = Redis->new(
        $is_socket ? (sock => $at->{path}) : (server => join ':', $at->{host}, $at->{port} // 6379),
        %login, reconnect => 0, cnx_timeout => $patience, read_timeout => $patience, write_timeout => $patience,
    );
    my $database = $is_socket ? $at->{query}{db} : substr $at->{path}, 1;
    $redis->select($database) if length($database // '') && $database ne '0';
    return $redis;
}

sub connect ($self, @) { $self->{redis} = $self->link }

sub disconnect ($self) {
    my $redis = delete $self->{redis};
    # One that is gone needs no word.
    eval { $redis->quit };
}

sub load ($self, $key, $raw) {
    $self->{redis}->set($self->{prefix} . $key, $raw);
    return DONE;
}

sub insert ($self, $key, $raw) {
    return defined $self->{redis}->set($self->{prefix} . $key, $raw, 'NX') ? DONE : EXISTS;
}

sub update ($self, $key, $raw) {
    return defined $self->{redis}->set($self->{prefix} . $key, $raw, 'XX') ? DONE : MISSING;
}

sub remove ($self, $key) {
    return $self->{redis}->del($self->{prefix} . $key) ? DONE : MISSING;
}

sub increment ($self, $row) {
    $self->{redis}->incr($self->{counters} . $row);
    return DONE;
}

sub read ($self, $key) { return scalar $self->{redis}->get($self->{prefix} . $key) }
sub multi_read ($self, $keys) { return [$self->{redis}->mget(map { $self->{prefix} . $_ } @$keys)] }

sub open_anew ($self, $keys) {
    my $redis = $self->link;
    my @found = map { scalar $redis->get($self->{prefix} . $_) } @$keys;
    $redis->quit;
    return \@found;
}

# Names of all rows, or of all counters.
sub _names ($self, $redis, $is_counter) {
    my ($cursor, %names) = (0);
    do {
        ($cursor, my $some) = $redis->scan($cursor, 'MATCH', "$self->{prefix}*", 'COUNT', $AT_ONCE)->@*;
        $names{$_} = 1 for grep { $is_counter == (index($_, $self->{counters}) == 0) } @$some;
    } while $cursor ne '0';
    return keys %names;
}

# Some users may not ask, and hosted servers do not know the command.
sub refuses ($self, $error) { return $error =~ /NOPERM|unknown command/i }

sub call_ping ($self) {
    $self->link->ping;
    return JSON::PP::true;
}

# What the server tells to be: whether that is what was asked for, Kurabe decides.
sub call_info ($self) {
    my $redis = $self->link;
    my ($server, $replication) = map { $redis->info($_) } qw(server replication);
    my @names = grep { /_version\z|\A(?:server_name|redis_mode|server_mode)\z/ } sort keys %$server;
    my %told = map { $_ => $server->{$_} } @names;
    $told{role} = $replication->{role} if defined $replication->{role};
    # Its own version stands under its name, or beside that of the Redis that it is like.
    my $own = "@{[$server->{server_name} // '']}_version";
    my @others = grep { /_version\z/ && !/\A(?:redis|gcc)_version\z/ } @names;
    my $version = $told{$own} // (@others == 1 ? $told{ $others[0] } : $told{redis_version});
    return { version => $version // 'unknown', %told };
}

sub call_settings ($self) {
    my ($redis, %found) = ($self->link);
    for my $name (@SETTINGS) {
        my ($key, $value) = $redis->config('GET', $name)->@*;
        $found{$key} = "$value" if defined $key;
    }
    return \%found;
}

sub call_reset ($self) {
    my $redis = $self->link;
    my @names = map { $self->_names($redis, $_) } !!0, !!1;
    $redis->del(splice @names, 0, $AT_ONCE) while @names;
    return JSON::PP::true;
}

sub call_count ($self) {
    my @names = $self->_names($self->link, !!0);
    return { rows => scalar @names };
}

sub call_sum ($self) {
    my ($redis, $sum) = ($self->link, 0);
    my @names = $self->_names($redis, !!1);
    while (my @some = splice @names, 0, $AT_ONCE) {
        $sum += $_ // 0 for $redis->mget(@some);
    }
    return { sum => $sum };
}

1;
