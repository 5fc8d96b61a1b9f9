package Kurabe::Sql;

# What stores that speak SQL through DBI have in common: statements, the connection of a worker with those that it
# needs prepared, and calls. A subclass has `dbh` (a new connection), `quote` (the quotation mark of names),
# `is_duplicate` of a statement's error, `ends_transaction` (of a connection after an error, which was a duplicate or
# not) and `snapshot`; it may have another `is_deadlock`, `place` (how a value of a type is bound), `insert_sql` and
# `increment_sql`.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Store';

use Kurabe::Store ':outcomes';

use DBI qw(:sql_types);

my $RETRIES = 1000;

sub has_columns { return 1 }

sub setup ($class, $job) {
    my $self = bless { job => $job, fields => $job->{schema}{fields} }, $class;
    my ($table, $counters) = map { $self->quoted($_) } $job->{namespace}, "$job->{namespace}_counters";
    my ($key, @rest) = map { $self->quoted($_->{name}) } $self->{fields}->@*;
    my $all = join ', ', $key, @rest;
    my $insert = "INSERT INTO $table ($all) VALUES (@{[join ', ', ('?') x (1 + @rest)]})";
    my $scan = "SELECT $all FROM $table";
    $self->{sql} = {
        load => $insert,
        insert => $insert,
        read => "SELECT @{[join ', ', @rest]} FROM $table WHERE $key = ?",
        update => "UPDATE $table SET @{[join ', ', map { qq($_ = ?) } @rest]} WHERE $key = ?",
        delete => "DELETE FROM $table WHERE $key = ?",
        scan => $scan,
        latest => "$scan ORDER BY $key DESC LIMIT ?",
        many => "$scan WHERE $key IN",
    };
    @$self{qw(table counters columns)} = ($table, $counters, [$key, @rest]);
    return $self;
}

sub quoted ($self, $name) {
    my $mark = $self->quote;
    return $mark . ($name =~ s/$mark/$mark$mark/gr) . $mark;
}

# With an insert that is one of several in a transaction, or not.
sub insert_sql ($self, $is_together) { return $self->{sql}{insert} }

# Adds 1 to a counter; that which makes the counter may be another one.
sub increment_sql ($self) { return $self->make_sql }

# Whether a counter is there once it was made.
sub keeps_counters { return 1 }

# Makes a counter, or adds 1 to one that is there.
sub make_sql ($self) {
    return "INSERT INTO $self->{counters} AS c VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = c.n + 1";
}

# The columns with an index of their own.
sub indexed ($self) {
    my ($fields, $columns) = @$self{qw(fields columns)};
    return map { $columns->[$_] } grep { $fields->[$_]{indexed} } 1 .. $#$fields;
}

sub operations ($self) {
    my (undef, @rest) = $self->{fields}->@*;
    my @all = qw(load insert read update delete scan latest multi-read increment open);
    return (grep { $_->{type} eq 'int64' } @rest) ? [@all, 'search'] : \@all;
}

sub capabilities ($self) {
    return (
        operations => $self->operations, transactions => JSON::PP::true, read_scopes => [qw(each snapshot)],
        processes => JSON::PP::true,
    );
}

sub place ($self, $type) {
    return { TYPE => $type eq 'int64' ? SQL_BIGINT : $type eq 'bytes' ? SQL_BLOB : SQL_VARCHAR };
}

sub is_deadlock { return 0 }

# Attributes of the statements of a worker.
sub prepared { return {} }

# A new connection, or what it cannot be made for. No error is printed, and each one dies.
sub open_dbh ($self, $dsn, $user, $password, %more) {
    my %usual = (RaiseError => 1, PrintError => 0, AutoCommit => 1, ShowErrorStatement => 0);
    return DBI->connect($dsn, $user, $password, { %usual, %more }) // die "cannot connect: $DBI::errstr\n";
}

# Does something over a connection of its own.
sub with ($self, $work) {
    my $dbh = $self->dbh;
    my @found = eval { $work->($dbh) };
    my $error = $@;
    eval { $dbh->disconnect };
    die $error if $error;
    return wantarray ? @found : $found[0];
}

# The first row of an answer.
sub one ($self, $sql, @values) {
    return $self->with(sub ($dbh) { $dbh->selectrow_array($sql, undef, @values) });
}

# Statements that are not prepared.
sub run_all ($self, @sql) {
    $self->with(sub ($dbh) { $dbh->do($_) for @sql });
    return JSON::PP::true;
}

sub drop ($self) {
    return map { "DROP TABLE IF EXISTS $_" } @$self{qw(table counters)};
}

sub connect ($self, $phase, $) {
    @$self{qw(is_together many)} = ($phase->{commit_every} > 1, {});
    delete @$self{qw(is_open cause)};
    my %does = map { $_ => 1 } $phase->{operations}->@*;
    # Where each operation opens the store, no other connection does so before it.
    return if $does{open};
    $self->{dbh} = $self->dbh;
    $self->snapshot($self->{dbh}) if ($phase->{read_scope} // '') eq 'snapshot';
    my ($sql, $searched) = ($self->{sql}, $phase->{search_field});
    my ($key, @rest) = map { $_->{type} } $self->{fields}->@*;
    my %texts = (
        load => [$sql->{load}, $key, @rest],
        insert => [$self->insert_sql($self->{is_together}), $key, @rest],
        read => [$sql->{read}, $key],
        update => [$sql->{update}, @rest, $key],
        delete => [$sql->{delete}, $key],
        scan => [$sql->{scan}],
        latest => [$sql->{latest}, 'int64'],
        increment => [$self->increment_sql, 'int64'],
        search => defined $searched
            && ["$sql->{scan} WHERE $self->{columns}[$searched] BETWEEN ? AND ?", 'int64', 'int64'],
    );
    $self->{$_} = $self->_prepare($texts{$_}->@*) for grep { $texts{$_} } keys %does;
}

# A statement whose values are bound as their types are.
sub _prepare ($self, $sql, @types) {
    my $statement = $self->{dbh}->prepare($sql, $self->prepared);
    my $at = 0;
    for my $type (@types) { $statement->bind_param(++$at, undef, $self->place($type)) }
    return $statement;
}

# Does a write, in a transaction where writes are committed together; gives how many rows it met.
sub _write ($self, $statement, @values) {
    delete @$self{qw(duplicate deadlock)};
    if ($self->{is_together} && !$self->{is_open}) {
        $self->{dbh}->begin_work;
        $self->{is_open} = 1;
    }
    my $met = eval { $statement->execute(@values) };
    return $met if defined $met;
    my $error = $@;
    # Asked now, as the next call to the module clears what it knows of the error.
    @$self{qw(duplicate deadlock)} = ($self->is_duplicate($statement), $self->is_deadlock($statement));
    if ($self->{is_open} && $self->ends_transaction($self->{dbh}, $self->{duplicate})) {
        # What was written since the last commit is gone, and the next commit tells.
        @$self{qw(is_open cause)} = (0, $error);
        eval { $self->{dbh}->rollback };
    }
    die $error;
}

sub load ($self, $key, $fields) {
    $self->_write($self->{load}, $key, @$fields);
    return DONE;
}

sub insert ($self, $key, $fields) {
    my $met = eval { $self->_write($self->{insert}, $key, @$fields) };
    return $met > 0 ? DONE : EXISTS if defined $met;
    return EXISTS if $self->{duplicate};
    die $@;
}

sub update ($self, $key, $fields) {
    return $self->_write($self->{update}, @$fields, $key) > 0 ? DONE : MISSING;
}

sub remove ($self, $key) {
    return $self->_write($self->{delete}, $key) > 0 ? DONE : MISSING;
}

sub increment ($self, $row) {
    for my $turn (0 .. $RETRIES) {
        return DONE if eval { $self->_add($row); 1 };
        # Connections that make the same counters may deadlock; nothing was written.
        die $@ if $self->{is_together} || $turn == $RETRIES || !$self->{deadlock};
    }
}

sub _add ($self, $row) {
    return if $self->_write($self->{increment}, $row) != 0 || !$self->keeps_counters;
    # Another connection may make it first: the statement adds to it then.
    $self->{make} //= $self->_prepare($self->make_sql, 'int64');
    $self->_write($self->{make}, $row);
}

sub commit ($self) {
    my ($is_open, $cause) = delete @$self{qw(is_open cause)};
    die 'writes of this transaction were rolled back after: ' . $cause if defined $cause;
    $self->{dbh}->commit if $is_open;
}

sub read ($self, $key) {
    return $self->{dbh}->selectrow_arrayref($self->{read}, undef, $key);
}

# Rows as keys and fields in turn.
sub _pairs ($self, $statement, @values) {
    return [map { (shift @$_, $_) } $self->{dbh}->selectall_arrayref($statement, undef, @values)->@*];
}

sub multi_read ($self, $keys) {
    my $count = @$keys;
    my $statement = $self->{many}{$count} //= $self->_prepare(
        "$self->{sql}{many} (@{[join ', ', ('?') x $count]})", ($self->{fields}[0]{type}) x $count,
    );
    my %found = $self->_pairs($statement, @$keys)->@*;
    return [@found{@$keys}];
}

sub scan ($self) { return $self->_pairs($self->{scan}) }
sub latest ($self, $rows) { return $self->_pairs($self->{latest}, $rows) }
sub search ($self, $low, $high) { return $self->_pairs($self->{search}, $low, $high) }

sub open_anew ($self, $keys) {
    return $self->with(sub ($dbh) {
        local $self->{dbh} = $dbh;
        my $statement = $self->_prepare($self->{sql}{read}, $self->{fields}[0]{type});
        my @found;
        for my $key (@$keys) {
            my $row = $dbh->selectrow_arrayref($statement, undef, $key);
            push @found, $row && [@$row];
        }
        return \@found;
    });
}

# What was not committed stays so: a commit fails until there is a new connection.
sub disconnect ($self) {
    # Statements go before their connection.
    delete @$self{qw(load insert read update delete scan latest increment make search many)};
    my $dbh = delete $self->{dbh} or return;
    eval { $dbh->rollback if $self->{is_open} };
    eval { $dbh->disconnect };
}

sub call_ping ($self) {
    $self->one('SELECT 1');
    return JSON::PP::true;
}

sub call_reset ($self) { return $self->run_all($self->drop) }

sub call_count ($self) {
    my ($rows) = $self->one("SELECT count(*) FROM $self->{table}");
    return { rows => 0 + $rows };
}

sub call_sum ($self) {
    my ($sum) = $self->one("SELECT COALESCE(SUM(n), 0) FROM $self->{counters}");
    return { sum => 0 + $sum };
}

1;
