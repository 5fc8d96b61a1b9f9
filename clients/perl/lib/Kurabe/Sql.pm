package Kurabe::Sql;

# What stores that speak SQL through DBI have in common: statements and calls. A subclass has `dbh` (a new connection), `quote`
# (the quotation mark of names), `place` (how a value of a type is bound), `is_duplicate` and `is_deadlock` of a statement's error,
# `ends_transaction` (of a connection after an error, which was a duplicate or not), `snapshot`, `insert_sql`, `increment_sql`.

use strict;
use warnings;

use parent 'Kurabe::Store';

use DBI ();

use Kurabe::SqlLane;

sub has_columns { return 1 }

sub setup {
    my ($class, $job) = @_;
    my $self = bless { job => $job, fields => $job->{schema}{fields} }, $class;
    my ($table, $counters) = map { $self->quoted($_) } $job->{namespace}, "$job->{namespace}_counters";
    my ($key, @rest) = map { $self->quoted($_->{name}) } @{ $self->{fields} };
    my $all = join ', ', $key, @rest;
    my $places = join ', ', ('?') x (1 + @rest);
    my $scan = "SELECT $all FROM $table";
    $self->{sql} = {
        load => "INSERT INTO $table ($all) VALUES ($places)",
        insert => "INSERT INTO $table ($all) VALUES ($places)",
        read => "SELECT @{[join ', ', @rest]} FROM $table WHERE $key = ?",
        update => "UPDATE $table SET @{[join ', ', map { qq($_ = ?) } @rest]} WHERE $key = ?",
        remove => "DELETE FROM $table WHERE $key = ?",
        scan => $scan,
        latest => "$scan ORDER BY $key DESC LIMIT ?",
        many => "$scan WHERE $key IN",
    };
    @$self{qw(table counters columns)} = ($table, $counters, [$key, @rest]);
    return $self;
}

sub quoted {
    my ($self, $name) = @_;
    my $mark = $self->quote;
    return $mark . ($name =~ s/$mark/$mark$mark/gr) . $mark;
}

sub search_sql {
    my ($self, $field) = @_;
    return "$self->{sql}{scan} WHERE $self->{columns}[$field] BETWEEN ? AND ?";
}

# The columns with an index of their own.
sub indexed {
    my ($self) = @_;
    my ($fields, $columns) = @$self{qw(fields columns)};
    return map { $columns->[$_] } grep { $fields->[$_]{indexed} } 1 .. $#$fields;
}

sub operations {
    my ($self) = @_;
    my (undef, @rest) = @{ $self->{fields} };
    my @all = qw(load insert read update delete scan latest multi-read increment open);
    return (grep { $_->{type} eq 'int64' } @rest) ? [@all, 'search'] : \@all;
}

# Attributes of the statements of a worker.
sub prepared { return {} }

# No error is printed, and each one dies.
sub attributes { return (RaiseError => 1, PrintError => 0, AutoCommit => 1, ShowErrorStatement => 0) }

# A new connection; what it cannot be made for is told.
sub open_dbh {
    my ($self, $dsn, $user, $password, %more) = @_;
    return DBI->connect($dsn, $user, $password, { attributes(), %more }) // die "cannot connect: $DBI::errstr\n";
}

# Does something over a connection of its own.
sub with {
    my ($self, $work) = @_;
    my $dbh = $self->dbh;
    my @found = eval { $work->($dbh) };
    my $error = $@;
    eval { $dbh->disconnect };
    die $error if $error;
    return wantarray ? @found : $found[0];
}

# The first row of an answer.
sub one {
    my ($self, $sql) = @_;
    return $self->with(sub { return $_[0]->selectrow_array($sql) });
}

sub connect {
    my ($self, $phase) = @_;
    return Kurabe::SqlLane->new($self, $phase);
}

# Statements that are not prepared.
sub run_all {
    my ($self, @sql) = @_;
    $self->with(sub { my ($dbh) = @_; $dbh->do($_) for @sql });
    return Kurabe::Store::true;
}

sub drop {
    my ($self) = @_;
    return map { "DROP TABLE IF EXISTS $_" } @$self{qw(table counters)};
}

sub call_ping {
    my ($self) = @_;
    my ($one) = $self->one('SELECT 1');
    return Kurabe::Store::true;
}

sub call_reset {
    my ($self) = @_;
    return $self->run_all($self->drop);
}

sub call_count {
    my ($self) = @_;
    my ($rows) = $self->one("SELECT count(*) FROM $self->{table}");
    return { rows => 0 + $rows };
}

sub call_sum {
    my ($self) = @_;
    my ($sum) = $self->one("SELECT COALESCE(SUM(n), 0) FROM $self->{counters}");
    return { sum => 0 + $sum };
}

1;
