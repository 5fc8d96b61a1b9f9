package Kurabe::TinyCDB;

# Constant databases through CDB_File, which has C code of its own for the same file format: made once, then read.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Store';

use CDB_File ();
use IO::Handle;

use Kurabe::Store qw(:outcomes folder refuse_unknown remove_file word_of);

sub new ($class, $job, $values) {
    refuse_unknown($job, 'it has sync, duplicates', qw(sync duplicates));
    my $syncs = word_of($job, 'sync', qw(no yes)) eq 'yes';
    # The module only adds rows, and looks none up.
    word_of($job, 'duplicates', 'keep');
    my $folder = folder($job);
    my $path = "$folder/$job->{namespace}.cdb";
    return bless { values => $values, syncs => $syncs, folder => $folder, path => $path }, $class;
}

# No version of TinyCDB: none of its library is used.
sub libraries { return (CDB_File => CDB_File->VERSION) }

sub capabilities {
    return (
        operations => [qw(load read scan multi-read open)],
        # A file has each copy of a row that is loaded again.
        keeps_copies => JSON::PP::true,
        # Several read; a file is made by one, which `_begin` sees to.
        processes => JSON::PP::true,
        # A whole file has at most 4 GiB.
        max_value_bytes => 2**30,
    );
}

# A connection makes the database, or reads it. It is not open in a phase that measures the opening.
sub connect ($self, $phase, $told) {
    my %does = map { $_ => 1 } $phase->{operations}->@*;
    if ($does{load}) { $self->_begin }
    elsif (!$does{open}) { $self->{cdb} = $self->_reader }
    # Rows after which the file is complete. A warm-up loads more rows than are counted.
    $self->{left} = $phase->{warmup_ns} || $told->{warmup} ? undef : $told->{count};
}

# A load that did not come to its end is finished here, outside of any measured time.
sub disconnect ($self) {
    $self->_finish;
    delete $self->{cdb};
}

sub _begin ($self) {
    my $path = $self->{path};
    die "the file is made already, and a constant database takes no more rows\n" if -e $path;
    die "another process makes the file; load it over one connection\n" if -e "$path.new";
    $self->{maker} = CDB_File->new($path, "$path.new") // die "cannot begin a file: $!\n";
}

# The module syncs the file and gives it its name.
sub _finish ($self) {
    my $maker = delete $self->{maker} or return;
    $maker->finish or die "cannot finish the file: $!\n";
    return if !$self->{syncs};
    open my $folder, '<', $self->{folder} or die "cannot sync the folder of the file: $!\n";
    $folder->sync or die "cannot sync the folder of the file: $!\n";
}

# The finished file, open to read.
sub _reader ($self) {
    return CDB_File->TIEHASH($self->{path}) // die "no finished database to read from: $!\n";
}

sub load ($self, $key, $raw) {
    my $maker = $self->{maker} // die "the file is finished\n";
    $maker->insert($self->{values}->key_bytes($key), $raw);
    $self->{left}-- if defined $self->{left};
    return DONE;
}

# A commit finishes the file where it has all its rows.
sub commit ($self) {
    $self->_finish if defined $self->{left} && $self->{left} <= 0;
}

sub read ($self, $key) { return $self->{cdb}->FETCH($self->{values}->key_bytes($key)) }

sub multi_read ($self, $keys) {
    my ($cdb, $values) = @$self{qw(cdb values)};
    return [map { scalar $cdb->FETCH($values->key_bytes($_)) } @$keys];
}

sub open_anew ($self, $keys) {
    local $self->{cdb} = $self->_reader;
    return $self->multi_read($keys);
}

sub scan ($self) {
    my ($cdb, $values, @found) = @$self{qw(cdb values)};
    for (my $bytes = $cdb->FIRSTKEY; defined $bytes; $bytes = $cdb->NEXTKEY($bytes)) {
        push @found, $values->key_of_bytes($bytes), scalar $cdb->FETCH($bytes);
    }
    return \@found;
}

# `file_synced` is no setting: the module always syncs the file that it finishes. `sync` adds that its folder is
# synced too.
sub call_settings ($self) {
    return { sync => $self->{syncs} ? 'yes' : 'no', file_synced => 'yes', duplicates => 'keep' };
}

sub call_reset ($self) {
    remove_file($_) for $self->{path}, "$self->{path}.new";
    return JSON::PP::true;
}

sub call_count ($self) {
    return { rows => 0 } if !-e $self->{path};
    my ($rows, $cdb) = (0, $self->_reader);
    for (my $key = $cdb->FIRSTKEY; defined $key; $key = $cdb->NEXTKEY($key)) { $rows++ }
    return { rows => $rows };
}

sub call_size ($self) {
    return { bytes => -s $self->{path} // die "cannot tell the size of the file: $!\n" };
}

1;
