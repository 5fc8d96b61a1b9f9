package Kurabe::Tape;

# Script and tape of one worker: what it is to do, and what came of it (docs/PROTOCOL.md, "A phase").

use v5.24;
use warnings;
use experimental 'signatures';

use Exporter 'import';

use constant { DONE => 0, EXISTS => 1, MISSING => 2, FAILED => 3, COMMIT_FAILED => 4 };
use constant { REST_COMMITTED => 5, REST_NOT_COMMITTED => 6, BEGINS => 7 };

our @EXPORT_OK = qw(DONE EXISTS MISSING FAILED COMMIT_FAILED REST_COMMITTED REST_NOT_COMMITTED BEGINS);
our %EXPORT_TAGS = (outcomes => \@EXPORT_OK);

# What operations are called here, by their codes: `delete` and `open` are functions of Perl.
my @KINDS = qw(load insert read update remove scan latest multi_read increment search open_anew);
my $COMMIT = 256;

sub new ($class, $told) {
    open my $script, '<:raw', $told->{script} or die "cannot read the script: $!\n";
    open my $tape, '>:raw', $told->{tape} or die "cannot write the tape: $!\n";
    return bless { script => $script, tape => $tape }, $class;
}

# The next entry: kind, row, argument, whether a commit is due behind it, and rows; nothing at the end.
sub next_entry ($self) {
    return if (CORE::read($self->{script}, my $entry, 12) // 0) != 12;
    my ($code, $row, $argument) = unpack 'V3', $entry;
    my $kind = $KINDS[ $code % $COMMIT ] // die "the script has an operation of an unknown kind\n";
    my $rows;
    if ($kind eq 'multi_read' || $kind eq 'open_anew') {
        CORE::read($self->{script}, my $more, 4 * $argument);
        $rows = [unpack 'V*', $more];
    }
    return ($kind, $row, $argument, $code >= $COMMIT, $rows);
}

# Notes an operation and the digests of the rows that it gave.
sub note ($self, $start, $end, $outcome, $digests) {
    print { $self->{tape} } pack('Q<Q<VV', $start, $end, $outcome, length($digests) / 8), $digests
        or die "cannot write the tape: $!\n";
}

# Notes a failure.
sub failed ($self, $start, $end, $outcome, $message) {
    utf8::encode($message);
    print { $self->{tape} } pack('Q<Q<VV', $start, $end, $outcome, length $message), $message
        or die "cannot write the tape: $!\n";
}

sub close ($self) {
    CORE::close $self->{tape} or die "cannot write the tape: $!\n";
}

1;
