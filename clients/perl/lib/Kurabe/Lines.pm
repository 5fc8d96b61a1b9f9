package Kurabe::Lines;

# The lines of a tab-separated data file, split again while its rows are written, as a program does that reads its file.

use strict;
use warnings;

sub new {
    my ($class, $source, $values) = @_;
    open my $file, '<:raw', $source->{path} or die "cannot read the data file: $!\n";
    my ($key, @columns) = ($source->{key}, @{ $source->{values} });
    # Numbers of columns are from 1 on.
    return bless { file => $file, values => $values, key => $key - 1, columns => [map { $_->[0] - 1 } @columns] }, $class;
}

# Splits line after line until one is the row that comes next; from the first again where it is row 0, with which a pass
# begins. Gives its key and value, or nothing where no line is.
sub find {
    my ($self, $row) = @_;
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

sub _is_number { return $_[0] =~ /\A-?[0-9]+\z/ }

1;
