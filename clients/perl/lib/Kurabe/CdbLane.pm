package Kurabe::CdbLane;

# A connection that makes a constant database, or one that reads it.

use strict;
use warnings;

use IO::Handle;

use CDB_File ();

use Kurabe::Tape ':outcomes';

sub new {
    my ($class, $store, $opens) = @_;
    # Not open in a phase that measures the opening.
    return bless { store => $store, values => $store->{values}, cdb => $opens ? undef : $store->reader }, $class;
}

# With the number of rows after which the file is complete, or none.
sub maker {
    my ($class, $store, $rows) = @_;
    my $path = $store->{path};
    die "the file is made already, and a constant database takes no more rows\n" if -e $path;
    die "another process makes the file; load it over one connection\n" if -e "$path.new";
    my $maker = CDB_File->new($path, "$path.new") // die "cannot begin a file: $!\n";
    return bless { store => $store, values => $store->{values}, maker => $maker, left => $rows }, $class;
}

sub load {
    my ($self, $key, $raw) = @_;
    my $maker = $self->{maker} // die "the file is finished\n";
    $maker->insert($self->{values}->key_bytes($key), $raw);
    $self->{left}-- if defined $self->{left};
    return DONE;
}

# A commit finishes the file where it has all its rows.
sub commit {
    my ($self) = @_;
    $self->_finish if defined $self->{left} && $self->{left} <= 0;
}

# The module syncs the file and gives it its name.
sub _finish {
    my ($self) = @_;
    my $maker = delete $self->{maker} or return;
    $maker->finish or die "cannot finish the file: $!\n";
    return if !$self->{store}{syncs};
    open my $folder, '<', $self->{store}{folder} or die "cannot sync the folder of the file: $!\n";
    $folder->sync or die "cannot sync the folder of the file: $!\n";
}

sub read {
    my ($self, $key) = @_;
    return $self->{cdb}->FETCH($self->{values}->key_bytes($key));
}

sub multi_read {
    my ($self, $keys) = @_;
    my ($cdb, $values) = @$self{qw(cdb values)};
    return [map { scalar $cdb->FETCH($values->key_bytes($_)) } @$keys];
}

sub open_anew {
    my ($self, $keys) = @_;
    local $self->{cdb} = $self->{store}->reader;
    return $self->multi_read($keys);
}

sub scan {
    my ($self) = @_;
    my ($cdb, $values, @found) = @$self{qw(cdb values)};
    for (my $bytes = $cdb->FIRSTKEY; defined $bytes; $bytes = $cdb->NEXTKEY($bytes)) {
        push @found, $values->key_of_bytes($bytes), scalar $cdb->FETCH($bytes);
    }
    return \@found;
}

# A load that did not come to its end is finished here, outside of any measured time.
sub close {
    my ($self) = @_;
    $self->_finish;
    delete $self->{cdb};
}

1;
