package Kurabe::Session;

# What is said between the harness and this process, line by line.

use strict;
use warnings;

use IO::Handle;
use JSON::PP ();

use Kurabe::OwnRows;
use Kurabe::Values;
use Kurabe::Words qw(hide words);
use Kurabe::Worker;

use constant VERSION => 2;

# The package that drives a store through a driver.
my %DRIVEN = (
    'redis redis' => 'Redis', 'valkey redis' => 'Redis',
    'mysql dbd' => 'MySQL', 'mariadb dbd' => 'MySQL', 'postgres dbd' => 'Postgres', 'sqlite dbd' => 'SQLite',
    'tinycdb cdb_file' => 'TinyCDB', 'qdbm depot' => 'QDBM', 'tokyocabinet tokyocabinet' => 'Tokyo',
    'memcached memcached-fast' => 'Memcached', 'echo ' => 'Echo',
);

sub new {
    my ($class, $out, $driver) = @_;
    $out->autoflush(1);
    my $json = JSON::PP->new->canonical->ascii;
    return bless { out => $out, driver => $driver, write => $json, read => JSON::PP->new->utf8 }, $class;
}

sub _say {
    my ($self, %line) = @_;
    $self->{out}->print($self->{write}->encode(\%line), "\n");
}

# Does what a line says; gives the status to exit with, or nothing.
sub hear {
    my ($self, $line) = @_;
    my $told = {};
    my $is_done = eval {
        $told = $self->{read}->decode($line);
        if (exists $told->{kurabe}) { $self->_begin($told) }
        elsif (exists $told->{call}) { $self->_call(@$told{qw(call id)}) }
        elsif (exists $told->{prepare}) { $self->_prepare($told->{prepare}) }
        elsif (exists $told->{go}) { $self->_go($told->{go}) }
        elsif (exists $told->{skip}) { $self->_leave }
        elsif (exists $told->{stop}) { $self->end; $self->_say(end => JSON::PP::true) }
        1;
    };
    if (!$is_done) {
        $self->_say(error => words($@));
        eval { $self->end };
        return exists $told->{kurabe} ? 2 : 1;
    }
    return exists $told->{stop} ? 0 : undef;
}

sub _begin {
    my ($self, $told) = @_;
    die "version $told->{kurabe} of the protocol is not spoken here, only ${\VERSION}\n" if $told->{kurabe} ne VERSION;
    my $job = $told->{job};
    my $name = $job->{candidate}{store};
    hide($job->{url});
    my $package = $DRIVEN{"$name $self->{driver}"}
        or die "the Perl client has no driver '$self->{driver}' for $name\n";
    require "Kurabe/$package.pm";
    $self->{values} = ($job->{data} ? 'Kurabe::OwnRows' : 'Kurabe::Values')->new($job);
    $self->{source} = $job->{data} && $job->{data}{source};
    my $store = $self->{store} = "Kurabe::$package"->new($job, $self->{values});
    my %usual = (
        key_types => [qw(int64 text)], max_connections => 1, processes => JSON::PP::false, empty_values => JSON::PP::true,
        own_data => JSON::PP::true, parse => JSON::PP::true,
        keeps_columns => $store->has_columns ? JSON::PP::true : JSON::PP::false,
    );
    $self->_say(hello => {
        client => 'perl', version => '0.1.0',
        libraries => { perl => sprintf('%vd', $^V), $store->libraries },
        capabilities => { %usual, $store->capabilities },
    });
}

# Calls that only tell of a server, and what is missing where it refuses to.
my %TOLD = (
    info => 'version of the server', settings => 'settings of the server', size => 'size of the data',
    evicts => 'whether the server throws keys away',
);

sub _call {
    my ($self, $name, $id) = @_;
    my $method = $self->{store}->can("call_$name");
    my $answer = eval { $method ? $self->{store}->$method : undef };
    my $error = $@;
    my $refuses = $error && $self->{store}->can('refuses');
    my $missing = $refuses && $self->{store}->$refuses($error) ? $TOLD{$name} : undef;
    if (defined $missing) { $self->_say(reply => $id, unsupported => JSON::PP::true, absent => ["$missing: " . words($error)]) }
    elsif ($error) { $self->_say(reply => $id, error => words($error)) }
    elsif (defined $answer) { $self->_say(reply => $id, ok => $answer) }
    else { $self->_say(reply => $id, unsupported => JSON::PP::true) }
}

sub _prepare {
    my ($self, $phase) = @_;
    $self->_leave;
    my ($told, @others) = @{ $phase->{workers} };
    die "a process of Perl has one connection; start one process a connection\n" if @others;
    if ($told) {
        $self->{worker} = Kurabe::Worker->new($self->{store}, $self->{values}, $told, $phase);
        $self->{worker}->split_again($self->{source}) if $phase->{parse};
        $self->{worker}->warm_up;
    }
    $self->_say(ready => $phase->{phase});
}

sub _go {
    my ($self, $name) = @_;
    $self->{worker}->measure if $self->{worker};
    $self->_leave;
    $self->_say(result => $name);
}

# Closes the connection of a phase.
sub _leave {
    my ($self) = @_;
    my $worker = delete $self->{worker} or return;
    $worker->close;
}

# Closes everything.
sub end {
    my ($self) = @_;
    $self->_leave;
    my $store = delete $self->{store} or return;
    $store->close;
}

1;
