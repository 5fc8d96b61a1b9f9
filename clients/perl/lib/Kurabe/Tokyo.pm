package Kurabe::Tokyo;

# Tokyo Cabinet through its own module: four kinds of databases. Counters are in a second database of the same kind.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Embedded';

use TokyoCabinet ();

use Kurabe::Store qw(folder number_of refuse_unknown remove_file word_of);

# Class of the module, and how its files end.
my %KINDS = (hash => ['HDB', 'tch'], btree => ['BDB', 'tcb'], fixed => ['FDB', 'tcf'], table => ['TDB', 'tct']);
# Address space of a fixed-length database where the job says nothing: more than any job writes.
my $LIMIT_BYTES = 2**40;

sub new ($class, $job, $values) {
    refuse_unknown($job, 'it has mode, large, bnum, xmsiz, limsiz', qw(mode large bnum xmsiz limsiz));
    my $kind = $job->{candidate}{variant} // 'hash';
    my $known = $KINDS{$kind} // die "tokyocabinet has no variant '$kind'; it has hash, btree, fixed, table\n";
    my ($module, $ending) = @$known;
    die "keys of variant fixed are numbers; take a schema with an int64 key\n" if $kind eq 'fixed' && $values->is_text;
    my ($key, @parts) = @{ $job->{schema}{fields} };
    # The widest raw value of a job.
    my $width = 0;
    $width += $_->{type} eq 'int64' ? 8 : ($_->{len_bytes} // 0) + (@parts > 1 ? 4 : 0) for @parts;
    return bless {
        values => $values, kind => $kind, module => "TokyoCabinet::$module", width => $width,
        fields => $job->{schema}{fields},
        mode => word_of($job, 'mode', 'put', $kind eq 'hash' ? 'putasync' : (), qw(sync tran tran-sync)),
        is_large => word_of($job, 'large', qw(no yes)) eq 'yes',
        buckets => number_of($job, 'bnum') // 0, map_bytes => number_of($job, 'xmsiz'),
        limit_bytes => number_of($job, 'limsiz') // $LIMIT_BYTES,
        folder => folder($job), names => ["$job->{namespace}.$ending", "$job->{namespace}-counters.$ending"],
    }, $class;
}

sub libraries { return (TokyoCabinet => TokyoCabinet->VERSION, tokyocabinet => TokyoCabinet::VERSION()) }
sub has_columns ($self) { return $self->{kind} eq 'table' }

sub capabilities ($self) {
    my ($kind, @operations) = ($self->{kind}, qw(load insert read update delete scan multi-read increment open));
    push @operations, 'latest' if $kind eq 'btree' || $kind eq 'fixed';
    my (undef, @rest) = @{ $self->{fields} };
    push @operations, 'search' if $kind eq 'table' && grep { $_->{type} eq 'int64' } @rest;
    return (
        operations => \@operations,
        # Keys of a data file are no numbers of records.
        $kind eq 'fixed' ? (key_types => ['int64'], own_data => JSON::PP::false) : (),
        transactions => $self->{mode} =~ /^tran/ ? JSON::PP::true : JSON::PP::false,
        max_value_bytes => 2**30,
    );
}

sub open_file ($self, $is_counters, $only_reads) {
    return Kurabe::Tokyo::File->new($self, "$self->{folder}/$self->{names}[$is_counters]", $is_counters, $only_reads);
}

sub connect ($self, $phase, $told) {
    $self->{search_field} = $phase->{search_field};
    $self->SUPER::connect($phase, $told);
}

sub call_settings ($self) {
    return { mode => $self->{mode}, tsync => $self->{mode} eq 'tran-sync' ? 'yes' : 'no', $self->file(0)->settings };
}

sub call_create ($self) {
    $self->SUPER::call_create;
    $self->file(0)->index(map { $_->{name} } grep { $_->{indexed} } @{ $self->{fields} });
    return JSON::PP::true;
}

# Beside each file are its log and the indexes, named after it.
sub call_reset ($self) {
    $self->close;
    opendir my $folder, $self->{folder} or die "cannot read the folder of the job: $!\n";
    for my $entry (readdir $folder) {
        remove_file("$self->{folder}/$entry") if grep { index($entry, $_) == 0 } @{ $self->{names} };
    }
    return JSON::PP::true;
}

package Kurabe::Tokyo::File;

# One open database of any of the four kinds.

use constant { WRITER => 2, READER => 1, CREATE => 4, TSYNC => 64, LARGE => 1, DECIMAL => 1, BETWEEN => 13 };
# Error codes: the record exists, there is no such record.
use constant { EXISTS => 21, NO_RECORD => 22 };

sub new ($class, $store, $path, $is_counters, $only_reads) {
    my ($kind, $values) = @$store{qw(kind values)};
    my @names = map { $_->{name} } @{ $store->{fields} };
    my $db = $store->{module}->new or die "cannot make a handle\n";
    my $put = $store->{mode} eq 'putasync' ? 'putasync' : 'put';
    my $self = bless {
        db => $db, path => $path, kind => $kind, values => $values, store => $store,
        names => [@names[1 .. $#names]], put => $put,
        is_table => $kind eq 'table', is_fixed => $kind eq 'fixed', is_decimal => $kind eq 'table' && !$values->is_text,
    }, $class;
    my $options = $store->{is_large} ? LARGE : 0;
    my $tuned = $kind eq 'fixed' ? $db->tune($is_counters ? 4 : $store->{width}, $store->{limit_bytes})
        : $kind eq 'btree' ? $db->tune(0, 0, $store->{buckets}, -1, -1, $options)
        : $db->tune($store->{buckets}, -1, -1, $options);
    $tuned &&= $db->setxmsiz($store->{map_bytes}) if defined $store->{map_bytes} && $kind ne 'fixed';
    my $synced = $store->{mode} eq 'tran-sync' ? TSYNC : 0;
    $tuned && $db->open($path, $only_reads ? READER : WRITER | CREATE | $synced)
        or $self->_fail('cannot open the database: ');
    return $self;
}

sub _fail ($self, $what = '') {
    my $code = $self->{db}->ecode;
    die $what . $self->{db}->errmsg($code) . " (code $code)\n";
}

# Whether it was done; not where the last error is the one expected.
sub _unless ($self, $is_done, $expected) {
    return 1 if $is_done;
    return 0 if $self->{db}->ecode == $expected;
    $self->_fail;
}

# A key as it is stored: numbers of records begin with 1, and those of a table are digits.
sub _stored ($self, $key) {
    return $self->{is_fixed} ? $key + 1 : $self->{is_decimal} ? $key : $self->{values}->key_bytes($key);
}

sub _seen ($self, $bytes) {
    return $self->{is_fixed} ? $bytes - 1 : $self->{is_decimal} ? $bytes : $self->{values}->key_of_bytes($bytes);
}

sub _columns ($self, $value) {
    return $value if !$self->{is_table};
    my %columns;
    @columns{ @{ $self->{names} } } = @$value;
    return \%columns;
}

sub _value ($self, $found) {
    return $found if !$self->{is_table} || !defined $found;
    return [@$found{ @{ $self->{names} } }];
}

sub over ($self, $key, $value) {
    my $put = $self->{put};
    $self->{db}->$put($self->_stored($key), $self->_columns($value)) or $self->_fail;
}

sub keep ($self, $key, $value) {
    return $self->_unless(scalar $self->{db}->putkeep($self->_stored($key), $self->_columns($value)), EXISTS);
}

sub has ($self, $key) {
    return $self->_unless($self->{db}->vsiz($self->_stored($key)) >= 0, NO_RECORD);
}

sub out ($self, $key) {
    return $self->_unless(scalar $self->{db}->out($self->_stored($key)), NO_RECORD);
}

sub get ($self, $key) {
    my $found = $self->{db}->get($self->_stored($key));
    $self->_unless(defined $found, NO_RECORD);
    return $self->_value($found);
}

sub add ($self, $row) {
    my $key = $self->{is_fixed} ? $row + 1 : $self->{is_table} ? $row : pack 'q>', $row;
    defined $self->{db}->addint($key, 1) or $self->_fail;
}

# Gives `$take` all keys, as they are stored, and values.
sub _each ($self, $take) {
    my $db = $self->{db};
    if ($self->{kind} eq 'btree') {
        my $cursor = TokyoCabinet::BDBCUR->new($db);
        for (my $more = $cursor->first; $more; $more = $cursor->next) { $take->($cursor->key, $cursor->val) }
    } else {
        $db->iterinit or $self->_fail;
        while (defined(my $key = $db->iternext)) { $take->($key, $db->get($key) // $self->_fail) }
    }
    $self->_unless(0, NO_RECORD);
}

sub all ($self) {
    my @found;
    $self->_each(sub ($key, $value) { push @found, $self->_seen($key), $self->_value($value) });
    return \@found;
}

# The library adds to an int as the machine has it, and in a table to a column of digits.
sub sum ($self) {
    my $sum = 0;
    $self->_each(sub ($, $count) { $sum += $self->{is_table} ? (values %$count)[0] : unpack 'i', $count });
    return $sum;
}

sub latest ($self, $rows) {
    my ($db, @found) = ($self->{db});
    if ($self->{is_fixed}) {
        # From the highest number down; numbers without a record are passed over.
        my $last = $db->range('[max,max]', 1);
        for (my $id = $last->[0] // 0; $id > 0 && @found < 2 * $rows; $id--) {
            my $value = $db->get($id);
            push @found, $id - 1, $value if $self->_unless(defined $value, NO_RECORD);
        }
        return \@found;
    }
    my $cursor = TokyoCabinet::BDBCUR->new($db);
    for (my $more = $cursor->last; $more && @found < 2 * $rows; $more = $cursor->prev) {
        push @found, $self->_seen($cursor->key), $cursor->val;
    }
    $self->_unless(@found == 2 * $rows, NO_RECORD);
    return \@found;
}

sub search ($self, $low, $high) {
    my $query = TokyoCabinet::TDBQRY->new($self->{db});
    $query->addcond($self->{store}{fields}[ $self->{store}{search_field} ]{name}, BETWEEN, "$low $high");
    my @found;
    my $take = sub ($key, $value, @) { push @found, $self->_seen($key), $self->_value($value); return 0 };
    $query->proc($take) or $self->_fail;
    return \@found;
}

sub index ($self, @names) {
    return if !$self->{is_table};
    for (@names) { $self->{db}->setindex($_, DECIMAL) or $self->_fail }
}

# Puts that a hash database still holds back are neither in its number of records nor in its file: any lookup writes
# them.
sub _write_delayed ($self) {
    $self->{db}->vsiz('') if $self->{kind} eq 'hash';
}

sub rows ($self) {
    $self->_write_delayed;
    return $self->{db}->rnum;
}

sub size ($self) {
    $self->_write_delayed;
    return $self->{db}->fsiz;
}

# What the head of the file says: the module tells nothing of an open database.
sub settings ($self) {
    open my $file, '<:raw', $self->{path} or die "cannot read the head of the file: $!\n";
    CORE::read($file, my $head, 256) // die "cannot read the head of the file: $!\n";
    # Its numbers are in the order of bytes that the library was built for: the length of the file tells which.
    my $number = unpack('x56 Q<', $head) <= unpack('x56 Q>', $head) ? 'Q<' : 'Q>';
    return (limsiz => '' . unpack "x72 $number", $head) if $self->{is_fixed};
    my ($options, $buckets) = unpack "x36 C x3 $number", $head;
    return (large => $options & LARGE ? 'yes' : 'no', bnum => "$buckets");
}

sub begin ($self) { $self->{db}->tranbegin or $self->_fail }
sub commit ($self) { $self->{db}->trancommit or $self->_fail }
sub abort ($self) { $self->{db}->tranabort or $self->_fail }
sub sync ($self) { $self->{db}->sync or $self->_fail }

sub close ($self) {
    $self->{db}->close or $self->_fail('cannot close the database: ');
}

1;
