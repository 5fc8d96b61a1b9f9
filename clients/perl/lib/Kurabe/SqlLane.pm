package Kurabe::SqlLane;

# A connection of a worker to a store that speaks SQL, with its statements prepared.

use strict;
use warnings;

use Kurabe::Tape ':outcomes';

my $RETRIES = 1000;

sub new {
    my ($class, $store, $phase) = @_;
    my $self = bless { store => $store, together => $phase->{commit_every} > 1, many => {} }, $class;
    my %does = map { $_ => 1 } @{ $phase->{operations} };
    # Where each operation opens the store, no other connection does so before it.
    return $self if $does{open};
    $self->{dbh} = $store->dbh;
    $store->snapshot($self->{dbh}) if ($phase->{read_scope} // '') eq 'snapshot';
    my ($key, @rest) = map { $_->{type} } @{ $store->{fields} };
    my %texts = (
        load => [$store->{sql}{load}, $key, @rest],
        insert => [$store->insert_sql($self->{together}), $key, @rest],
        read => [$store->{sql}{read}, $key],
        update => [$store->{sql}{update}, @rest, $key],
        delete => [$store->{sql}{remove}, $key],
        scan => [$store->{sql}{scan}],
        latest => [$store->{sql}{latest}, 'int64'],
        increment => [$store->increment_sql, 'int64'],
        search => defined $phase->{search_field} ? [$store->search_sql($phase->{search_field}), 'int64', 'int64'] : undef,
    );
    $self->{$_} = $self->_prepare(@{ $texts{$_} }) for grep { $texts{$_} } keys %does;
    return $self;
}

# A statement whose values are bound as their types are.
sub _prepare {
    my ($self, $sql, @types) = @_;
    my $statement = $self->{dbh}->prepare($sql, $self->{store}->prepared);
    my $at = 0;
    for my $type (@types) { $statement->bind_param(++$at, undef, $self->{store}->place($type)) }
    return $statement;
}

# Does a write, in a transaction where writes are committed together; gives how many rows it met.
sub _write {
    my ($self, $statement, @values) = @_;
    my $store = $self->{store};
    delete @$self{qw(duplicate deadlock)};
    if ($self->{together} && !$self->{open}) {
        $self->{dbh}->begin_work;
        $self->{open} = 1;
    }
    my $met = eval { $statement->execute(@values) };
    return $met if defined $met;
    my $error = $@;
    # Asked now, as the next call to the module clears what it knows of the error.
    @$self{qw(duplicate deadlock)} = ($store->is_duplicate($statement), $store->is_deadlock($statement));
    if ($self->{open} && $store->ends_transaction($self->{dbh}, $self->{duplicate})) {
        # What was written since the last commit is gone, and the next commit tells.
        ($self->{open}, $self->{cause}) = (0, $error);
        eval { $self->{dbh}->rollback };
    }
    die $error;
}

sub load {
    my ($self, $key, $fields) = @_;
    $self->_write($self->{load}, $key, @$fields);
    return DONE;
}

sub insert {
    my ($self, $key, $fields) = @_;
    my $met = eval { $self->_write($self->{insert}, $key, @$fields) };
    return $met > 0 ? DONE : EXISTS if defined $met;
    return EXISTS if $self->{duplicate};
    die $@;
}

sub update {
    my ($self, $key, $fields) = @_;
    return $self->_write($self->{update}, @$fields, $key) > 0 ? DONE : MISSING;
}

sub remove {
    my ($self, $key) = @_;
    return $self->_write($self->{delete}, $key) > 0 ? DONE : MISSING;
}

sub increment {
    my ($self, $row) = @_;
    for my $turn (0 .. $RETRIES) {
        return DONE if eval { $self->_write($self->{increment}, $row); 1 };
        # Connections that make the same counters may deadlock; nothing was written.
        die $@ if $self->{together} || $turn == $RETRIES || !$self->{deadlock};
    }
}

sub commit {
    my ($self) = @_;
    my ($open, $cause) = delete @$self{qw(open cause)};
    die 'writes of this transaction were rolled back after: ' . $cause if defined $cause;
    $self->{dbh}->commit if $open;
}

sub read {
    my ($self, $key) = @_;
    return $self->{dbh}->selectrow_arrayref($self->{read}, undef, $key);
}

# Rows as keys and fields in turn.
sub _pairs {
    my ($self, $statement, @values) = @_;
    return [map { (shift @$_, $_) } @{ $self->{dbh}->selectall_arrayref($statement, undef, @values) }];
}

sub multi_read {
    my ($self, $keys) = @_;
    my ($count, $store) = (scalar @$keys, $self->{store});
    my $statement = $self->{many}{$count} //= $self->_prepare(
        "$store->{sql}{many} (@{[join ', ', ('?') x $count]})", ($store->{fields}[0]{type}) x $count,
    );
    my %found = @{ $self->_pairs($statement, @$keys) };
    return [@found{@$keys}];
}

sub scan { return $_[0]->_pairs($_[0]{scan}) }

sub latest {
    my ($self, $rows) = @_;
    return $self->_pairs($self->{latest}, $rows);
}

sub search {
    my ($self, $low, $high) = @_;
    return $self->_pairs($self->{search}, $low, $high);
}

sub open_anew {
    my ($self, $keys) = @_;
    my $store = $self->{store};
    return $store->with(sub {
        local $self->{dbh} = $_[0];
        my $statement = $self->_prepare($store->{sql}{read}, $store->{fields}[0]{type});
        my @found;
        for my $key (@$keys) {
            my $row = $_[0]->selectrow_arrayref($statement, undef, $key);
            push @found, $row && [@$row];
        }
        return \@found;
    });
}

sub close {
    my ($self) = @_;
    my $dbh = delete $self->{dbh} or return;
    # Statements go before their connection.
    delete @$self{qw(load insert read update delete scan latest increment search many)};
    eval { $dbh->rollback if $self->{open} };
    eval { $dbh->disconnect };
}

1;
