#!/usr/bin/perl
# Kurabe's Perl client: works on one job from stdin (docs/PROTOCOL.md). A process is a connection.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/lib";

use Kurabe::Session;

# The lines of the profile have a descriptor of their own: what libraries print is for people.
open my $out, '>&=', 3 or die "cannot open descriptor 3: $!\n";
# A server that is gone is told by an error.
$SIG{PIPE} = 'IGNORE';

my $session = Kurabe::Session->new($out, $ARGV[0] // '');
while (defined(my $line = <STDIN>)) {
    my $status = $session->hear($line);
    exit $status if defined $status;
}
$session->end;
exit 3;
