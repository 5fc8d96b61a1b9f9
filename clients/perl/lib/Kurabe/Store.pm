package Kurabe::Store;

# What every store has. It is the connection of the worker as well, as a process has one. A subclass has `libraries`
# and `capabilities`; `connect` and `disconnect` around a phase, and `close` at the end. Its operations are `load`,
# `insert`, `update`, `remove`, `increment`, which answer DONE, EXISTS or MISSING; `read` (a value or nothing),
# `multi_read` and `open_anew` (one of these a key), `scan`, `latest` and `search` (keys and values in turn); and
# `commit`. A value is the fields of a row, or its raw encoding where the store keeps no columns. Calls are
# `call_ping` and so on; what there is no method for, and what answers nothing, is unsupported. Whether a call failed
# as the server `refuses` it is told from the error.

use v5.24;
use warnings;
use experimental 'signatures';

use Exporter 'import';

use JSON::PP ();

# What came of an operation.
use constant { DONE => 0, EXISTS => 1, MISSING => 2, FAILED => 3, COMMIT_FAILED => 4 };
use constant { REST_COMMITTED => 5, REST_NOT_COMMITTED => 6, BEGINS => 7, TAKEN => 8 };

my @outcomes = qw(DONE EXISTS MISSING FAILED COMMIT_FAILED REST_COMMITTED REST_NOT_COMMITTED BEGINS TAKEN);
our @EXPORT_OK = (@outcomes, qw(
    address folder hide number_of patience refuse_unknown remove_file unescape word_of words
));
our %EXPORT_TAGS = (outcomes => \@outcomes);

sub has_columns { return 0 }
sub refuses { return 0 }
sub connect { }
sub disconnect { }
sub close { }
sub commit { }
sub call_ping { return JSON::PP::true }
sub call_create ($self) { return $self->call_reset }

# The first setting of a job that is none of those that are known is refused.
sub refuse_unknown ($job, $hint, @known) {
    my %is_known = map { $_ => 1 } @known;
    my ($unknown) = grep { !$is_known{$_} } sort keys %{ $job->{settings} // {} };
    die "$job->{candidate}{store} has no setting '$unknown' in the Perl client; $hint\n" if defined $unknown;
}

# A setting that is one of some words, of which the first is the usual one.
sub word_of ($job, $name, @words) {
    my $given = $job->{settings}{$name} // return $words[0];
    die "$name '$given' is unknown here; give @{[join ' or ', @words]}\n" if !grep { $_ eq $given } @words;
    return $given;
}

sub number_of ($job, $name) {
    my $given = $job->{settings}{$name} // return undef;
    die "$name '$given' is no number; write digits only\n" if $given !~ /\A[1-9][0-9]{0,17}\z/;
    return 0 + $given;
}

# The folder of an embedded store.
sub folder ($job) {
    return $job->{dir} // die "store '$job->{candidate}{store}' needs a folder: the job has no 'dir'\n";
}

# The address of a server in its parts.
sub address ($job) {
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
sub patience ($job) {
    my $seconds = ($job->{limits}{operation_ns} // 30e9) / 1e9;
    return $seconds < 0.001 ? 0.001 : $seconds;
}

sub remove_file ($path) {
    unlink $path or $!{ENOENT} or die "cannot remove a file of the job: $!\n";
}

my @hidden;

sub unescape ($text) {
    return $text =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ger;
}

# From now on user and password of an address stand in no error, as they are or decoded.
sub hide ($url) {
    my ($secrets) = ($url // '') =~ m{^\w+://([^/]*)@} or return;
    my %all = map { ($_ => 1, unescape($_) => 1) } grep { length } split /:/, $secrets, 2;
    @hidden = sort { length $b <=> length $a } keys %all;
}

# An error in one line, without the place in the program.
sub words ($text) {
    utf8::decode($text);
    $text =~ s/,?\s+at \S+ line \d+\b.*//s;
    $text =~ s/^DBI connect\(.*?\) failed: /cannot connect: /s;
    $text =~ s/\s+/ /g;
    $text =~ s/^ | $//g;
    $text =~ s/(?<!\w)\Q$_\E(?!\w)/***/g for @hidden;
    return length $text ? substr $text, 0, 400 : 'an error without words';
}

1;
