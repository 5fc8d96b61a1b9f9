package Kurabe::Values;

# Keys and values, as docs/PROTOCOL.md has them. All texts are bytes.

use v5.24;
use warnings;
use experimental 'signatures';

use Compress::Raw::Zlib ();

use constant { OFFSETS => 1_048_573, HEAD_BYTES => 25 };

# All of a file.
sub _content ($path, $what) {
    open my $file, '<:raw', $path or die "cannot read the $what: $!\n";
    local $/ = undef;
    return scalar <$file>;
}

sub new ($class, $job) {
    my ($key, @parts) = @{ $job->{schema}{fields} };
    my $pool = _content($job->{pool}, 'pool of filler');
    my $longest = 0;
    for (@parts) { $longest = $_->{len_bytes} if ($_->{len_bytes} // 0) > $longest }
    # Long enough that no filler has to begin again.
    $pool x= 2 + int($longest / length $pool);
    my $prefix = $key->{prefix} // 'k';
    utf8::encode($prefix);
    return bless {
        is_text => $key->{type} eq 'text', format => ($prefix =~ s/%/%%/gr) . "%0${\($key->{digits} // 10)}d",
        parts => \@parts, pool => $pool, is_framed => @parts > 1 || (@parts && $parts[0]{type} eq 'int64'),
    }, $class;
}

sub is_text ($self) { return $self->{is_text} }

# The key of a row: a text, or a number.
sub key ($self, $row) {
    return $self->{is_text} ? sprintf $self->{format}, $row : $row;
}

# The key as bytes, for stores that know nothing else: a number is 8 bytes big-endian, in whose order numbers are.
sub key_bytes ($self, $key) {
    return $self->{is_text} ? $key : pack 'q>', $key;
}

sub key_of_bytes ($self, $bytes) {
    return $self->{is_text} ? $bytes : length $bytes == 8 ? unpack 'q>', $bytes : -1;
}

# The raw encoding of a row.
sub value ($self, $row, $version) {
    return $self->raw($self->fields($row, $version));
}

# The fields after the key.
sub fields ($self, $row, $version) {
    my $start = ($row * 7919 + $version * 104_729) % OFFSETS;
    my ($number, @fields) = (0);
    for my $part (@{ $self->{parts} }) {
        $number++;
        if ($part->{type} eq 'int64') {
            my $value = ($row * 31 + $version * 17 + $number) % 2**31;
            push @fields, defined $part->{distinct} ? 1 + $value % $part->{distinct} : $value;
            next;
        }
        my $len = $part->{len_bytes} // 0;
        push @fields,
              $part->{constant} ? substr('1234567890' x (1 + $len / 10), 0, $len)
            : $len < HEAD_BYTES ? substr($self->{pool}, $start, $len)
            : sprintf('%010d:%010d:%02d:', $row, $version, $number) . substr($self->{pool}, $start, $len - HEAD_BYTES);
    }
    return \@fields;
}

# The raw encoding of fields, written or read; what is no number where one must be matches nothing.
sub raw ($self, $fields) {
    return $fields->[0] if !$self->{is_framed};
    my ($raw, $at) = ('', 0);
    for my $part (@{ $self->{parts} }) {
        my $field = $fields->[$at++] // '';
        $raw .= $part->{type} ne 'int64' ? pack 'V/a', $field
            : $field =~ /\A-?[0-9]+\z/ ? pack 'q<', $field
            : 'no number';
    }
    return $raw;
}

# A row of an answer, as a tape has it.
sub digest ($self, $key, $raw) {
    return "\0" x 8 if !defined $raw;
    my $bytes = $self->{is_text} ? $key : pack 'q<', $key;
    return pack 'VV', Compress::Raw::Zlib::crc32($bytes), Compress::Raw::Zlib::crc32($raw);
}

package Kurabe::OwnRows;

# Keys and values of a data file, as the harness laid them out (docs/PROTOCOL.md, "Own rows"). All texts are bytes.

use parent -norequire, 'Kurabe::Values';

# Bytes before the key of a record, and primes by which an update goes on in the rows.
use constant { RECORD_BYTES => 5, STEP => 7919, OTHER_STEP => 7907 };

sub new ($class, $job) {
    my $self = Kurabe::Values::new($class, $job);
    my $data = $job->{data};
    die "the data has $data->{count} rows, $job->{rows} are to be loaded\n" if $job->{rows} > $data->{count};
    $self->{count} = $data->{count};
    @$self{qw(records index)} = map { Kurabe::Values::_content($data->{$_}, 'rows of the data file') } qw(rows index);
    $self->{step} = $data->{count} % STEP ? STEP : OTHER_STEP;
    return $self;
}

# Key and value of a row as the file has them.
sub _record ($self, $row) {
    my $at = unpack 'Q<', substr $self->{index}, 8 * $row, 8;
    my ($key_bytes, $value_bytes) = unpack 'CV', substr $self->{records}, $at, RECORD_BYTES;
    return (
        substr($self->{records}, $at + RECORD_BYTES, $key_bytes),
        substr($self->{records}, $at + RECORD_BYTES + $key_bytes, $value_bytes),
    );
}

sub key ($self, $row) {
    my ($key) = $self->_record($row);
    return $self->key_of_bytes($key);
}

sub value ($self, $row, $version) {
    my (undef, $raw) = $self->_record(($row + $version * $self->{step}) % $self->{count});
    return $raw;
}

sub fields ($self, $row, $version) {
    my $raw = $self->value($row, $version);
    return [$raw] if !$self->{is_framed};
    my $template = join ' ', map { $_->{type} eq 'int64' ? 'q<' : 'V/a' } @{ $self->{parts} };
    return [unpack $template, $raw];
}

package Kurabe::Lines;

# The lines of a tab-separated data file, split again while its rows are written, as a program does that reads its file.

sub new ($class, $source, $values) {
    open my $file, '<:raw', $source->{path} or die "cannot read the data file: $!\n";
    my ($key, @columns) = ($source->{key}, @{ $source->{values} });
    # Numbers of columns are from 1 on.
    my @others = map { $_->[0] - 1 } @columns;
    return bless { file => $file, values => $values, key => $key - 1, columns => \@others }, $class;
}

# Splits line after line until one is the row that comes next; from the first again where it is row 0, with which a pass
# begins. Gives its key and value, or nothing where no line is.
sub find ($self, $row) {
    my ($file, $values, $key_at, $columns) = @$self{qw(file values key columns)};
    seek $file, 0, 0 if $row == 0;
    my ($key, $raw) = ($values->key($row), $values->value($row, 0));
    while (defined(my $line = <$file>)) {
        $line =~ s/\r?\n\z//;
        $line =~ s/\A\xef\xbb\xbf//;
        my @cells = split /\t/, $line, -1;
        my ($found, @fields) = @cells[$key_at, @$columns];
        next if grep { !defined } $found, @fields;
        next if $values->is_text ? $found ne $key : !_is_number($found) || $found != $key;
        return ($found, $raw) if $values->raw(\@fields) eq $raw;
    }
    return;
}

sub _is_number ($text) { return $text =~ /\A-?[0-9]+\z/ }

1;
