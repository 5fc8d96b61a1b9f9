package Kurabe::Store;

# What every store has. A subclass has `libraries`, `capabilities` and `connect`, which gives the connection of a worker: its
# operations are `load`, `insert`, `update`, `remove`, `increment`, which answer DONE, EXISTS or MISSING; `read` (a value or
# nothing), `multi_read` and `open_anew` (one of these a key), `scan`, `latest` and `search` (keys and values in turn);
# `commit` and `close`. A value is the fields of a row, or its raw encoding where the store keeps no columns. Calls are
# `call_ping` and so on; what there is no method for, and what answers nothing, is unsupported.

use strict;
use warnings;

use JSON::PP ();

use Kurabe::Words 'unescape';

sub true { return JSON::PP::true }
sub has_columns { return 0 }
sub close { }
sub commit { }

sub call_ping { return JSON::PP::true }

# The first setting of a job that is none of those that are known is refused.
sub refuse_unknown {
    my ($job, $hint, @known) = @_;
    my %is_known = map { $_ => 1 } @known;
    my ($unknown) = grep { !$is_known{$_} } sort keys %{ $job->{settings} // {} };
    die "$job->{candidate}{store} has no setting '$unknown' in the Perl client; $hint\n" if defined $unknown;
}

# A setting that is one of some words, of which the first is the usual one.
sub word_of {
    my ($job, $name, @words) = @_;
    my $given = $job->{settings}{$name} // return $words[0];
    die "$name '$given' is unknown here; give @{[join ' or ', @words]}\n" if !grep { $_ eq $given } @words;
    return $given;
}

sub number_of {
    my ($job, $name) = @_;
    my $given = $job->{settings}{$name} // return undef;
    die "$name '$given' is no number; write digits only\n" if $given !~ /\A[1-9][0-9]{0,17}\z/;
    return 0 + $given;
}

# The folder of an embedded store.
sub folder {
    my ($job) = @_;
    return $job->{dir} // die "store '$job->{candidate}{store}' needs a folder: the job has no 'dir'\n";
}

# The address of a server in its parts.
sub address {
    my ($job) = @_;
    my $url = $job->{url} // die "store '$job->{candidate}{store}' needs a running server: the job has no 'url'\n";
    my ($scheme, $login, $host, $port, $path, $query) =
        $url =~ m{\A([\w+]+):(?://)?(?:([^/]*)@)?(\[[^\]]*\]|[^/:?]*)(?::(\d+))?(/[^?]*)?(?:\?(.*))?\z}
        or die "the job's url is no address of a server; it looks like scheme://host:port\n";
    my ($user, $password) = map { unescape($_) } split /:/, $login // '', 2;
    my %query = map { unescape($_) } map { split /=/, $_, 2 } grep { /=/ } split /&/, $query // '';
    $host =~ tr/[]//d;
    return {
        scheme => $scheme, user => $user, password => $password, host => $host, port => $port,
        path => unescape($path // ''), query => \%query,
    };
}

# Longest wait for a server or a lock, in seconds.
sub patience {
    my ($job) = @_;
    my $seconds = ($job->{limits}{operation_ns} // 30e9) / 1e9;
    return $seconds < 0.001 ? 0.001 : $seconds;
}

sub remove_file {
    my ($path) = @_;
    unlink $path or $!{ENOENT} or die "cannot remove a file of the job: $!\n";
}

1;
