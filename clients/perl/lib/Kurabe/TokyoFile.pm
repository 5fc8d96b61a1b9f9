package Kurabe::TokyoFile;

# One open database of any of the four kinds.

use strict;
use warnings;

use TokyoCabinet ();

use constant { WRITER => 2, READER => 1, CREATE => 4, TSYNC => 64, LARGE => 1, DECIMAL => 1, BETWEEN => 13 };
# Error codes: the record exists, there is no such record.
use constant { EXISTS => 21, NO_RECORD => 22 };

sub new {
    my ($class, $store, $path, $is_counters, $only_reads) = @_;
    my ($kind, $values) = @$store{qw(kind values)};
    my @names = map { $_->{name} } @{ $store->{fields} };
    my $db = $store->{module}->new or die "cannot make a handle\n";
    my $put = $store->{mode} eq 'putasync' ? 'putasync' : 'put';
    my $self = bless {
        db => $db, path => $path, kind => $kind, values => $values, store => $store, names => [@names[1 .. $#names]], put => $put,
        is_table => $kind eq 'table', is_fixed => $kind eq 'fixed', is_decimal => $kind eq 'table' && !$values->is_text,
    }, $class;
    my $options = $store->{is_large} ? LARGE : 0;
    my $tuned = $kind eq 'fixed' ? $db->tune($is_counters ? 4 : $store->{width}, $store->{limit_bytes})
        : $kind eq 'btree' ? $db->tune(0, 0, $store->{buckets}, -1, -1, $options)
        : $db->tune($store->{buckets}, -1, -1, $options);
    $tuned &&= $db->setxmsiz($store->{map_bytes}) if defined $store->{map_bytes} && $kind ne 'fixed';
    my $synced = $store->{mode} eq 'tran-sync' ? TSYNC : 0;
    $tuned && $db->open($path, $only_reads ? READER : WRITER | CREATE | $synced) or $self->_fail('cannot open the database: ');
    return $self;
}

sub _fail {
    my ($self, $what) = @_;
    my $code = $self->{db}->ecode;
    die(($what // '') . $self->{db}->errmsg($code) . " (code $code)\n");
}

# Whether it was done; not where the last error is the one expected.
sub _unless {
    my ($self, $is_done, $expected) = @_;
    return 1 if $is_done;
    return 0 if $self->{db}->ecode == $expected;
    $self->_fail;
}

# A key as it is stored: numbers of records begin with 1, and those of a table are digits.
sub _stored {
    my ($self, $key) = @_;
    return $self->{is_fixed} ? $key + 1 : $self->{is_decimal} ? $key : $self->{values}->key_bytes($key);
}

sub _seen {
    my ($self, $bytes) = @_;
    return $self->{is_fixed} ? $bytes - 1 : $self->{is_decimal} ? $bytes : $self->{values}->key_of_bytes($bytes);
}

sub _columns {
    my ($self, $value) = @_;
    return $value if !$self->{is_table};
    my %columns;
    @columns{ @{ $self->{names} } } = @$value;
    return \%columns;
}

sub _value {
    my ($self, $found) = @_;
    return $found if !$self->{is_table} || !defined $found;
    return [@$found{ @{ $self->{names} } }];
}

sub over {
    my ($self, $key, $value) = @_;
    my $put = $self->{put};
    $self->{db}->$put($self->_stored($key), $self->_columns($value)) or $self->_fail;
}

sub keep {
    my ($self, $key, $value) = @_;
    return $self->_unless(scalar $self->{db}->putkeep($self->_stored($key), $self->_columns($value)), EXISTS);
}

sub has {
    my ($self, $key) = @_;
    return $self->_unless($self->{db}->vsiz($self->_stored($key)) >= 0, NO_RECORD);
}

sub out {
    my ($self, $key) = @_;
    return $self->_unless(scalar $self->{db}->out($self->_stored($key)), NO_RECORD);
}

sub get {
    my ($self, $key) = @_;
    my $found = $self->{db}->get($self->_stored($key));
    $self->_unless(defined $found, NO_RECORD);
    return $self->_value($found);
}

sub add {
    my ($self, $row) = @_;
    my $key = $self->{is_fixed} ? $row + 1 : $self->{is_table} ? $row : pack 'q>', $row;
    defined $self->{db}->addint($key, 1) or $self->_fail;
}

# Gives `$take` all keys, as they are stored, and values.
sub _each {
    my ($self, $take) = @_;
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

sub all {
    my ($self) = @_;
    my @found;
    $self->_each(sub { push @found, $self->_seen($_[0]), $self->_value($_[1]) });
    return \@found;
}

# The library adds to an int as the machine has it, and in a table to a column of digits.
sub sum {
    my ($self) = @_;
    my $sum = 0;
    $self->_each(sub { $sum += $self->{is_table} ? (values %{ $_[1] })[0] : unpack 'i', $_[1] });
    return $sum;
}

sub latest {
    my ($self, $rows) = @_;
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

sub search {
    my ($self, $low, $high) = @_;
    my $query = TokyoCabinet::TDBQRY->new($self->{db});
    $query->addcond($self->{store}{fields}[ $self->{store}{search_field} ]{name}, BETWEEN, "$low $high");
    my @found;
    $query->proc(sub { push @found, $self->_seen($_[0]), $self->_value($_[1]); return 0 }) or $self->_fail;
    return \@found;
}

sub index {
    my ($self, @names) = @_;
    return if !$self->{is_table};
    for (@names) { $self->{db}->setindex($_, DECIMAL) or $self->_fail }
}

# Puts that a hash database still holds back are neither in its number of records nor in its file: any lookup writes them.
sub _write_delayed {
    my ($self) = @_;
    $self->{db}->vsiz('') if $self->{kind} eq 'hash';
}

sub rows {
    my ($self) = @_;
    $self->_write_delayed;
    return $self->{db}->rnum;
}

sub size {
    my ($self) = @_;
    $self->_write_delayed;
    return $self->{db}->fsiz;
}

# What the head of the file says: the module tells nothing of an open database.
sub settings {
    my ($self) = @_;
    open my $file, '<:raw', $self->{path} or die "cannot read the head of the file: $!\n";
    CORE::read($file, my $head, 256) // die "cannot read the head of the file: $!\n";
    # Its numbers are in the order of bytes that the library was built for: the length of the file tells which.
    my $number = unpack('x56 Q<', $head) <= unpack('x56 Q>', $head) ? 'Q<' : 'Q>';
    return (limsiz => '' . unpack "x72 $number", $head) if $self->{is_fixed};
    my ($options, $buckets) = unpack "x36 C x3 $number", $head;
    return (large => $options & LARGE ? 'yes' : 'no', bnum => "$buckets");
}

sub begin { $_[0]{db}->tranbegin or $_[0]->_fail }
sub commit { $_[0]{db}->trancommit or $_[0]->_fail }
sub abort { $_[0]{db}->tranabort or $_[0]->_fail }
sub sync { $_[0]{db}->sync or $_[0]->_fail }

sub close {
    my ($self) = @_;
    my $db = $self->{db};
    $db->close or $self->_fail('cannot close the database: ');
}

1;
