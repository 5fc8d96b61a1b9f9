package Kurabe::QDBM;

# QDBM's hash through its own module Depot. A row is a record; counters are in a second file.

use strict;
use warnings;

use parent 'Kurabe::Embedded';

use Depot ();

use Kurabe::DepotFile;

sub new {
    my ($class, $job, $values) = @_;
    Kurabe::Store::refuse_unknown($job, 'it has mode, bnum', qw(mode bnum));
    my $variant = $job->{candidate}{variant} // 'hash';
    die "the driver depot has the variant hash of qdbm alone; '$variant' cannot be driven by it\n" if $variant ne 'hash';
    return bless {
        values => $values, mode => Kurabe::Store::word_of($job, 'mode', qw(put sync)),
        buckets => Kurabe::Store::number_of($job, 'bnum'),
        path => Kurabe::Store::folder($job) . "/$job->{namespace}",
    }, $class;
}

# The module tells its own version and not that of the library.
sub libraries { return (Depot => Depot->VERSION) }

sub capabilities {
    return (
        operations => [qw(load insert read update delete scan multi-read increment open)],
        # A whole file has at most 2 GiB.
        max_value_bytes => 2**30,
    );
}

sub path {
    my ($self, $is_counters) = @_;
    return $self->{path} . ($is_counters ? '-counters' : '') . '.depot';
}

# Opens the file of the rows, or that of the counters.
sub open_file {
    my ($self, $is_counters, $only_reads) = @_;
    my $how = $only_reads ? Depot::OREADER : Depot::OWRITER | Depot::OCREAT;
    return Kurabe::DepotFile->new($self->path($is_counters), $how, $self->{buckets} // -1, $self->{values});
}

sub call_settings {
    my ($self) = @_;
    return { mode => $self->{mode}, bnum => '' . $self->file(0)->buckets };
}

sub call_reset {
    my ($self) = @_;
    $self->close;
    Kurabe::Store::remove_file($self->path($_)) for 0, 1;
    return Kurabe::Store::true;
}

1;
