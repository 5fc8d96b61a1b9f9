package Kurabe::Words;

# Errors in words.

use strict;
use warnings;

use Exporter 'import';

our @EXPORT_OK = qw(hide unescape words);

my @hidden;

sub unescape {
    my ($text) = @_;
    $text =~ s/%([0-9A-Fa-f]{2})/chr hex $1/ge;
    return $text;
}

# From now on user and password of an address stand in no error, as they are or decoded.
sub hide {
    my ($url) = @_;
    my ($secrets) = ($url // '') =~ m{^\w+://([^/]*)@} or return;
    my %all = map { ($_ => 1, unescape($_) => 1) } grep { length } split /:/, $secrets, 2;
    @hidden = sort { length $b <=> length $a } keys %all;
}

# An error in one line, without the place in the program.
sub words {
    my ($text) = @_;
    utf8::decode($text);
    $text =~ s/,?\s+at \S+ line \d+\b.*//s;
    $text =~ s/^DBI connect\(.*?\) failed: /cannot connect: /s;
    $text =~ s/\s+/ /g;
    $text =~ s/^ | $//g;
    $text =~ s/(?<!\w)\Q$_\E(?!\w)/***/g for @hidden;
    return length $text ? substr $text, 0, 400 : 'an error without words';
}

1;
