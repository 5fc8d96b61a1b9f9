#!/usr/bin/perl
# Kurabe's Perl client: works on one job from stdin, by the thin profile (docs/PROTOCOL.md). A process is a connection.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Kurabe::Session;

# The private copy is for the profile; what libraries print is for people.
open my $out, '>&', \*STDOUT or die "cannot copy stdout: $!\n";
open STDOUT, '>&', \*STDERR or die "cannot point stdout at stderr: $!\n";
# A server that is gone is told by an error.
$SIG{PIPE} = 'IGNORE';

my $session = Kurabe::Session->new($out, $ARGV[0] // '');
while (defined(my $line = <STDIN>)) {
    my $status = $session->hear($line);
    exit $status if defined $status;
}
$session->end;
exit 3;
