package Kurabe::Values;

# Keys and values, as docs/PROTOCOL.md has them. All texts are bytes.

use strict;
use warnings;

use Compress::Raw::Zlib ();

use constant { OFFSETS => 1_048_573, HEAD_BYTES => 25 };

sub new {
    my ($class, $job) = @_;
    my ($key, @parts) = @{ $job->{schema}{fields} };
    open my $file, '<:raw', $job->{pool} or die "cannot read the pool of filler: $!\n";
    local $/ = undef;
    my $pool = <$file>;
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

sub is_text { return $_[0]{is_text} }

# The key of a row: a text, or a number.
sub key {
    my ($self, $row) = @_;
    return $self->{is_text} ? sprintf $self->{format}, $row : $row;
}

# The key as bytes, for stores that know nothing else: a number is 8 bytes big-endian, in whose order numbers are.
sub key_bytes {
    my ($self, $key) = @_;
    return $self->{is_text} ? $key : pack 'q>', $key;
}

sub key_of_bytes {
    my ($self, $bytes) = @_;
    return $self->{is_text} ? $bytes : length $bytes == 8 ? unpack 'q>', $bytes : -1;
}

# The raw encoding of a row.
sub value {
    my ($self, $row, $version) = @_;
    return $self->raw($self->fields($row, $version));
}

# The fields after the key.
sub fields {
    my ($self, $row, $version) = @_;
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
sub raw {
    my ($self, $fields) = @_;
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
sub digest {
    my ($self, $key, $raw) = @_;
    return "\0" x 8 if !defined $raw;
    my $bytes = $self->{is_text} ? $key : pack 'q<', $key;
    return pack 'VV', Compress::Raw::Zlib::crc32($bytes), Compress::Raw::Zlib::crc32($raw);
}

1;
