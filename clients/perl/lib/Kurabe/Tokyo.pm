package Kurabe::Tokyo;

# Tokyo Cabinet through its own module: four kinds of databases. Counters are in a second database of the same kind.

use strict;
use warnings;

use parent 'Kurabe::Embedded';

use TokyoCabinet ();

use Kurabe::TokyoFile;

# Class of the module, and how its files end.
my %KINDS = (hash => ['HDB', 'tch'], btree => ['BDB', 'tcb'], fixed => ['FDB', 'tcf'], table => ['TDB', 'tct']);
# Address space of a fixed-length database where the job says nothing: more than any job writes.
my $LIMIT_BYTES = 2**40;

sub new {
    my ($class, $job, $values) = @_;
    Kurabe::Store::refuse_unknown($job, 'it has mode, large, bnum, xmsiz, limsiz', qw(mode large bnum xmsiz limsiz));
    my $kind = $job->{candidate}{variant} // 'hash';
    my ($module, $ending) = @{ $KINDS{$kind} // die "tokyocabinet has no variant '$kind'; it has hash, btree, fixed, table\n" };
    die "keys of variant fixed are numbers; take a schema with an int64 key\n" if $kind eq 'fixed' && $values->is_text;
    my ($key, @parts) = @{ $job->{schema}{fields} };
    # The widest raw value of a job.
    my $width = 0;
    $width += $_->{type} eq 'int64' ? 8 : ($_->{len_bytes} // 0) + (@parts > 1 ? 4 : 0) for @parts;
    return bless {
        values => $values, kind => $kind, module => "TokyoCabinet::$module", fields => $job->{schema}{fields}, width => $width,
        mode => Kurabe::Store::word_of($job, 'mode', 'put', $kind eq 'hash' ? 'putasync' : (), qw(sync tran tran-sync)),
        is_large => Kurabe::Store::word_of($job, 'large', qw(no yes)) eq 'yes',
        buckets => Kurabe::Store::number_of($job, 'bnum') // 0, map_bytes => Kurabe::Store::number_of($job, 'xmsiz'),
        limit_bytes => Kurabe::Store::number_of($job, 'limsiz') // $LIMIT_BYTES,
        folder => Kurabe::Store::folder($job), names => ["$job->{namespace}.$ending", "$job->{namespace}-counters.$ending"],
    }, $class;
}

sub libraries { return (TokyoCabinet => TokyoCabinet->VERSION, tokyocabinet => TokyoCabinet::VERSION()) }
sub has_columns { return $_[0]{kind} eq 'table' }

sub capabilities {
    my ($self) = @_;
    my ($kind, @operations) = ($self->{kind}, qw(load insert read update delete scan multi-read increment open));
    push @operations, 'latest' if $kind eq 'btree' || $kind eq 'fixed';
    my (undef, @rest) = @{ $self->{fields} };
    push @operations, 'search' if $kind eq 'table' && grep { $_->{type} eq 'int64' } @rest;
    return (
        operations => \@operations,
        # Keys of a data file are no numbers of records.
        $kind eq 'fixed' ? (key_types => ['int64'], own_data => JSON::PP::false) : (),
        transactions => $self->{mode} =~ /^tran/ ? JSON::PP::true : JSON::PP::false,
        max_value_bytes => 2**30,
    );
}

sub open_file {
    my ($self, $is_counters, $only_reads) = @_;
    return Kurabe::TokyoFile->new($self, "$self->{folder}/$self->{names}[$is_counters]", $is_counters, $only_reads);
}

sub connect {
    my ($self, $phase) = @_;
    $self->{search_field} = $phase->{search_field};
    return $self->SUPER::connect($phase);
}

sub call_settings {
    my ($self) = @_;
    return { mode => $self->{mode}, tsync => $self->{mode} eq 'tran-sync' ? 'yes' : 'no', $self->file(0)->settings };
}

sub call_create {
    my ($self) = @_;
    $self->SUPER::call_create;
    $self->file(0)->index(map { $_->{name} } grep { $_->{indexed} } @{ $self->{fields} });
    return Kurabe::Store::true;
}

# Beside each file are its log and the indexes, named after it.
sub call_reset {
    my ($self) = @_;
    $self->close;
    opendir my $folder, $self->{folder} or die "cannot read the folder of the job: $!\n";
    for my $entry (readdir $folder) {
        Kurabe::Store::remove_file("$self->{folder}/$entry") if grep { index($entry, $_) == 0 } @{ $self->{names} };
    }
    return Kurabe::Store::true;
}

1;
