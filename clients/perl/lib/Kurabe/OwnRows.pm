package Kurabe::OwnRows;

# Keys and values of a data file, as the harness laid them out (docs/PROTOCOL.md, "Own rows"). All texts are bytes.

use strict;
use warnings;

use parent 'Kurabe::Values';

# Bytes before the key of a record, and primes by which an update goes on in the rows.
use constant { RECORD_BYTES => 5, STEP => 7919, OTHER_STEP => 7907 };

sub _content {
    my ($path) = @_;
    open my $file, '<:raw', $path or die "cannot read the rows of the data file: $!\n";
    local $/ = undef;
    return scalar <$file>;
}

sub new {
    my ($class, $job) = @_;
    my $self = Kurabe::Values::new($class, $job);
    my $data = $job->{data};
    die "the data has $data->{count} rows, $job->{rows} are to be loaded\n" if $job->{rows} > $data->{count};
    @$self{qw(records index count)} = (_content($data->{rows}), _content($data->{index}), $data->{count});
    $self->{step} = $data->{count} % STEP ? STEP : OTHER_STEP;
    return $self;
}

# Key and value of a row as the file has them.
sub _record {
    my ($self, $row) = @_;
    my $at = unpack 'Q<', substr $self->{index}, 8 * $row, 8;
    my ($key_bytes, $value_bytes) = unpack 'CV', substr $self->{records}, $at, RECORD_BYTES;
    return (
        substr($self->{records}, $at + RECORD_BYTES, $key_bytes),
        substr($self->{records}, $at + RECORD_BYTES + $key_bytes, $value_bytes),
    );
}

sub key {
    my ($self, $row) = @_;
    my ($key) = $self->_record($row);
    return $self->key_of_bytes($key);
}

sub value {
    my ($self, $row, $version) = @_;
    my (undef, $raw) = $self->_record(($row + $version * $self->{step}) % $self->{count});
    return $raw;
}

sub fields {
    my ($self, $row, $version) = @_;
    my $raw = $self->value($row, $version);
    return [$raw] if !$self->{is_framed};
    my $template = join ' ', map { $_->{type} eq 'int64' ? 'q<' : 'V/a' } @{ $self->{parts} };
    return [unpack $template, $raw];
}

1;
