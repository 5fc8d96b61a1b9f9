package Kurabe::DepotFile;

# An open hash database of QDBM.

use strict;
use warnings;

use Depot ();

# The words of the two answers that are no failures: the module has no codes.
my ($EXISTS, $NO_ITEM) = ('existing record', 'no item found');

sub new {
    my ($class, $path, $how, $buckets, $values) = @_;
    my $depot = Depot->new($path, $how, $buckets) // die "cannot open the file: $Depot::errmsg\n";
    return bless { depot => $depot, values => $values }, $class;
}

# Whether it was done; not where that is told by the words expected.
sub _unless {
    my ($is_done, $expected) = @_;
    return 1 if $is_done;
    return 0 if $Depot::errmsg eq $expected;
    die "$Depot::errmsg\n";
}

sub over {
    my ($self, $key, $raw) = @_;
    $self->{depot}->put($self->{values}->key_bytes($key), $raw, Depot::DOVER) or die "$Depot::errmsg\n";
}

sub keep {
    my ($self, $key, $raw) = @_;
    return _unless(scalar $self->{depot}->put($self->{values}->key_bytes($key), $raw, Depot::DKEEP), $EXISTS);
}

sub has {
    my ($self, $key) = @_;
    return _unless($self->{depot}->vsiz($self->{values}->key_bytes($key)) >= 0, $NO_ITEM);
}

sub out {
    my ($self, $key) = @_;
    return _unless(scalar $self->{depot}->out($self->{values}->key_bytes($key)), $NO_ITEM);
}

sub get {
    my ($self, $key) = @_;
    my $raw = $self->{depot}->get($self->{values}->key_bytes($key));
    _unless(defined $raw, $NO_ITEM);
    return $raw;
}

# The library has no counters: read, add, write.
sub add {
    my ($self, $row) = @_;
    my ($key, $depot) = (pack('q>', $row), $self->{depot});
    my $old = $depot->get($key);
    _unless(defined $old, $NO_ITEM);
    $depot->put($key, pack('q<', 1 + (defined $old ? unpack 'q<', $old : 0)), Depot::DOVER) or die "$Depot::errmsg\n";
}

# Gives `$take` all keys, as they are stored, and values.
sub _each {
    my ($self, $take) = @_;
    my $depot = $self->{depot};
    $depot->iterinit or die "$Depot::errmsg\n";
    while (defined(my $key = $depot->iternext)) {
        $take->($key, $depot->get($key) // die "$Depot::errmsg\n");
    }
    _unless(0, $NO_ITEM);
}

sub all {
    my ($self) = @_;
    my ($values, @found) = ($self->{values});
    $self->_each(sub { push @found, $values->key_of_bytes($_[0]), $_[1] });
    return \@found;
}

sub sum {
    my ($self) = @_;
    my $sum = 0;
    $self->_each(sub { $sum += unpack 'q<', $_[1] });
    return $sum;
}

sub buckets { return $_[0]{depot}->bnum }
sub rows { return $_[0]{depot}->rnum }
sub size { return $_[0]{depot}->fsiz }

sub sync {
    my ($self) = @_;
    $self->{depot}->sync or die "$Depot::errmsg\n";
}

# A file that is not closed does not open again without a repair.
sub close {
    my ($self) = @_;
    my $depot = delete $self->{depot} or return;
    $depot->close or die "cannot close the file: $Depot::errmsg\n";
}

1;
