#!/usr/bin/perl
# Kurabe's Perl client: works on one job from stdin, line by line (docs/PROTOCOL.md). A process is a connection.

use v5.24;
use warnings;
use experimental 'signatures';

use FindBin;
use lib "$FindBin::Bin/lib";

use IO::Handle;
use JSON::PP ();

use Kurabe::Store qw(hide words);
use Kurabe::Values;
use Kurabe::Worker;

use constant VERSION => 2;

# The driver of what a store speaks, and the package that drives it.
my %DRIVEN = (
    echo => ['', 'Echo'], memcached => ['memcached-fast', 'Memcached'], mysql => ['dbd', 'MySQL'],
    postgres => ['dbd', 'Postgres'], qdbm => ['depot', 'QDBM'], redis => ['redis', 'Redis'], sqlite => ['dbd', 'SQLite'],
    tinycdb => ['cdb_file', 'TinyCDB'], tokyocabinet => ['tokyocabinet', 'Tokyo'],
);
# Calls that only tell of a server, and what is missing where it refuses to.
my %TOLD = (
    info => 'version of the server', settings => 'settings of the server', size => 'size of the data',
    evicts => 'whether the server throws keys away',
);

# The lines of the protocol have a descriptor of their own: what libraries print is for people.
open my $out, '>&=', 3 or die "cannot open descriptor 3: $!\n";
$out->autoflush(1);
# A server that is gone is told by an error.
$SIG{PIPE} = 'IGNORE';

my $writer = JSON::PP->new->canonical->ascii;
my $reader = JSON::PP->new->utf8;
my $driver = $ARGV[0] // '';
# Of the job; the worker is that of the phase.
my ($store, $values, $source, $worker);

while (defined(my $line = <STDIN>)) {
    my $status = hear($line);
    exit $status if defined $status;
}
finish();
exit 3;

sub answer (%line) { $out->print($writer->encode(\%line), "\n") }

# Does what a line says; gives the status to exit with, or nothing.
sub hear ($line) {
    my $told = {};
    my $is_done = eval {
        $told = $reader->decode($line);
        if (exists $told->{kurabe}) { begin($told) }
        elsif (exists $told->{call}) { call($told->@{qw(call id)}) }
        elsif (exists $told->{prepare}) { prepare($told->{prepare}) }
        elsif (exists $told->{go}) { go($told->{go}) }
        elsif (exists $told->{skip}) { leave() }
        elsif (exists $told->{stop}) { finish(); answer(end => JSON::PP::true) }
        1;
    };
    return exists $told->{stop} ? 0 : undef if $is_done;
    answer(error => words($@));
    eval { finish() };
    return exists $told->{kurabe} ? 2 : 1;
}

sub begin ($told) {
    die "version $told->{kurabe} of the protocol is not spoken here, only ${\VERSION}\n" if $told->{kurabe} ne VERSION;
    my $job = $told->{job};
    my ($name, $wire) = $job->{candidate}->@{qw(store wire)};
    hide($job->{url});
    my ($its_driver, $package) = ($DRIVEN{$wire} // ['none'])->@*;
    die "the Perl client has no driver '$driver' for $name\n" if $its_driver ne $driver;
    require "Kurabe/$package.pm";
    $values = ($job->{data} ? 'Kurabe::OwnRows' : 'Kurabe::Values')->new($job);
    $source = $job->{data} && $job->{data}{source};
    $store = "Kurabe::$package"->new($job, $values);
    my %usual = (
        key_types => [qw(int64 text)], max_connections => 1, processes => JSON::PP::false,
        empty_values => JSON::PP::true, own_data => JSON::PP::true, schedules => JSON::PP::true,
        keeps_columns => $store->has_columns ? JSON::PP::true : JSON::PP::false,
    );
    answer(hello => {
        client => 'perl', version => '0.1.0',
        libraries => { perl => sprintf('%vd', $^V), $store->libraries },
        capabilities => { %usual, $store->capabilities },
    });
}

sub call ($name, $id) {
    my $method = $store->can("call_$name");
    my $answer = eval { $method ? $store->$method : undef };
    my $error = $@;
    my $missing = $error && $store->refuses($error) ? $TOLD{$name} : undef;
    answer(reply => $id,
        defined $missing ? (unsupported => JSON::PP::true, absent => ["$missing: " . words($error)])
        : $error ? (error => words($error))
        : defined $answer ? (ok => $answer)
        : (unsupported => JSON::PP::true));
}

sub prepare ($phase) {
    leave();
    my ($told, @others) = $phase->{workers}->@*;
    die "a process of Perl has one connection; start one process a connection\n" if @others;
    if ($told) {
        $worker = Kurabe::Worker->new($store, $values, $told, $phase);
        $worker->split_again($source) if $phase->{parse};
        $worker->warm_up;
    }
    answer(ready => $phase->{phase});
}

sub go ($phase) {
    $worker->measure if $worker;
    leave();
    answer(result => $phase);
}

# Closes the connection of a phase.
sub leave () {
    return if !$worker;
    undef $worker;
    $store->disconnect;
}

# Closes everything.
sub finish () {
    leave();
    $store->close if $store;
    undef $store;
}
