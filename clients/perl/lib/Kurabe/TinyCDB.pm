package Kurabe::TinyCDB;

# Constant databases through CDB_File, which has C code of its own for the same file format: made once, then read.

use strict;
use warnings;

use parent 'Kurabe::Store';

use CDB_File ();

use Kurabe::CdbLane;

sub new {
    my ($class, $job, $values) = @_;
    Kurabe::Store::refuse_unknown($job, 'it has sync, duplicates', qw(sync duplicates));
    my $syncs = Kurabe::Store::word_of($job, 'sync', qw(no yes)) eq 'yes';
    # The module only adds rows, and looks none up.
    Kurabe::Store::word_of($job, 'duplicates', 'keep');
    my $folder = Kurabe::Store::folder($job);
    return bless { values => $values, syncs => $syncs, folder => $folder, path => "$folder/$job->{namespace}.cdb" }, $class;
}

# No version of TinyCDB: none of its library is used.
sub libraries { return (CDB_File => CDB_File->VERSION) }

sub capabilities {
    return (
        operations => [qw(load read scan multi-read open)],
        # A file has each copy of a row that is loaded again.
        keeps_copies => JSON::PP::true,
        # Several read; a file is made by one, which `maker` sees to.
        processes => JSON::PP::true,
        # A whole file has at most 4 GiB.
        max_value_bytes => 2**30,
    );
}

sub connect {
    my ($self, $phase, $told) = @_;
    my %does = map { $_ => 1 } @{ $phase->{operations} };
    # A warm-up loads more rows than are counted.
    my $rows = $phase->{warmup_ns} || $told->{warmup} ? undef : $told->{count};
    return $does{load} ? Kurabe::CdbLane->maker($self, $rows) : Kurabe::CdbLane->new($self, $does{open});
}

# The finished file, open to read.
sub reader {
    my ($self) = @_;
    return CDB_File->TIEHASH($self->{path}) // die "no finished database to read from: $!\n";
}

# `file_synced` is no setting: the module always syncs the file that it finishes. `sync` adds that its folder is synced too.
sub call_settings {
    my ($self) = @_;
    return { sync => $self->{syncs} ? 'yes' : 'no', file_synced => 'yes', duplicates => 'keep' };
}

sub call_create { return $_[0]->call_reset }

sub call_reset {
    my ($self) = @_;
    Kurabe::Store::remove_file($_) for $self->{path}, "$self->{path}.new";
    return Kurabe::Store::true;
}

sub call_count {
    my ($self) = @_;
    return { rows => 0 } if !-e $self->{path};
    my ($rows, $cdb) = (0, $self->reader);
    for (my $key = $cdb->FIRSTKEY; defined $key; $key = $cdb->NEXTKEY($key)) { $rows++ }
    return { rows => $rows };
}

sub call_size {
    my ($self) = @_;
    return { bytes => -s $self->{path} // die "cannot tell the size of the file: $!\n" };
}

1;
