package Kurabe::QDBM;

# QDBM's hash through its own module Depot. A row is a record; counters are in a second file.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Embedded';

use Depot ();

use Kurabe::Store qw(folder number_of refuse_unknown remove_file word_of);

sub new ($class, $job, $values) {
    refuse_unknown($job, 'it has mode, bnum', qw(mode bnum));
    my $variant = $job->{candidate}{variant} // 'hash';
    die "the driver depot has the variant hash of qdbm alone; '$variant' cannot be driven by it\n"
        if $variant ne 'hash';
    return bless {
        values => $values, mode => word_of($job, 'mode', qw(put sync)),
        buckets => number_of($job, 'bnum'),
        path => folder($job) . "/$job->{namespace}",
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

sub path ($self, $is_counters) {
    return $self->{path} . ($is_counters ? '-counters' : '') . '.depot';
}

# Opens the file of the rows, or that of the counters.
sub open_file ($self, $is_counters, $only_reads) {
    my $how = $only_reads ? Depot::OREADER : Depot::OWRITER | Depot::OCREAT;
    return Kurabe::QDBM::File->new($self->path($is_counters), $how, $self->{buckets} // -1, $self->{values});
}

sub call_settings ($self) {
    return { mode => $self->{mode}, bnum => '' . $self->file(0)->buckets };
}

sub call_reset ($self) {
    $self->close;
    remove_file($self->path($_)) for 0, 1;
    return JSON::PP::true;
}

package Kurabe::QDBM::File;

# An open hash database of QDBM.

# The words of the two answers that are no failures: the module has no codes.
my ($EXISTS, $NO_ITEM) = ('existing record', 'no item found');

sub new ($class, $path, $how, $buckets, $values) {
    my $depot = Depot->new($path, $how, $buckets) // die "cannot open the file: $Depot::errmsg\n";
    return bless { depot => $depot, values => $values }, $class;
}

# Whether it was done; not where that is told by the words expected.
sub _unless ($is_done, $expected) {
    return 1 if $is_done;
    return 0 if $Depot::errmsg eq $expected;
    die "$Depot::errmsg\n";
}

sub over ($self, $key, $raw) {
    $self->{depot}->put($self->{values}->key_bytes($key), $raw, Depot::DOVER) or die "$Depot::errmsg\n";
}

sub keep ($self, $key, $raw) {
    return _unless(scalar $self->{depot}->put($self->{values}->key_bytes($key), $raw, Depot::DKEEP), $EXISTS);
}

sub has ($self, $key) {
    return _unless($self->{depot}->vsiz($self->{values}->key_bytes($key)) >= 0, $NO_ITEM);
}

sub out ($self, $key) {
    return _unless(scalar $self->{depot}->out($self->{values}->key_bytes($key)), $NO_ITEM);
}

sub get ($self, $key) {
    my $raw = $self->{depot}->get($self->{values}->key_bytes($key));
    _unless(defined $raw, $NO_ITEM);
    return $raw;
}

# The library has no counters: read, add, write.
sub add ($self, $row) {
    my ($key, $depot) = (pack('q>', $row), $self->{depot});
    my $old = $depot->get($key);
    _unless(defined $old, $NO_ITEM);
    $depot->put($key, pack('q<', 1 + (defined $old ? unpack 'q<', $old : 0)), Depot::DOVER) or die "$Depot::errmsg\n";
}

# Gives `$take` all keys, as they are stored, and values.
sub _each ($self, $take) {
    my $depot = $self->{depot};
    $depot->iterinit or die "$Depot::errmsg\n";
    while (defined(my $key = $depot->iternext)) {
        $take->($key, $depot->get($key) // die "$Depot::errmsg\n");
    }
    _unless(0, $NO_ITEM);
}

sub all ($self) {
    my ($values, @found) = ($self->{values});
    $self->_each(sub ($key, $raw) { push @found, $values->key_of_bytes($key), $raw });
    return \@found;
}

sub sum ($self) {
    my $sum = 0;
    $self->_each(sub ($, $count) { $sum += unpack 'q<', $count });
    return $sum;
}

sub buckets ($self) { return $self->{depot}->bnum }
sub rows ($self) { return $self->{depot}->rnum }
sub size ($self) { return $self->{depot}->fsiz }

sub sync ($self) {
    $self->{depot}->sync or die "$Depot::errmsg\n";
}

# A file that is not closed does not open again without a repair.
sub close ($self) {
    my $depot = delete $self->{depot} or return;
    $depot->close or die "cannot close the file: $Depot::errmsg\n";
}

1;
