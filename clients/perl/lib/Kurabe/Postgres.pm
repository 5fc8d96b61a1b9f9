package Kurabe::Postgres;

# PostgreSQL through DBD::Pg: statements that the server prepares.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Sql';

use DBD::Pg ':pg_types';

use Kurabe::Store qw(address refuse_unknown unescape);

my %TYPES = (int64 => 'BIGINT', text => 'TEXT', bytes => 'BYTEA');
my $DUPLICATE = '23505';
# Settings that decide what is kept and what it costs.
my @SETTINGS = qw(
    autovacuum checkpoint_timeout commit_delay data_checksums effective_cache_size fsync full_page_writes huge_pages
    io_method jit max_connections max_wal_size random_page_cost shared_buffers synchronous_commit
    transaction_read_only wal_compression wal_level wal_sync_method wal_writer_delay
);

sub new ($class, $job, $) {
    refuse_unknown($job, 'it has synchronous_commit', 'synchronous_commit');
    my $self = $class->setup($job);
    $self->{at} = address($job);
    $self->{is_unlogged} = ($job->{candidate}{variant} // '') eq 'unlogged';
    return $self;
}

sub libraries { return (DBI => DBI->VERSION, 'DBD::Pg' => DBD::Pg->VERSION) }

sub capabilities ($self) {
    return ($self->SUPER::capabilities, passes => JSON::PP::false, max_value_bytes => 2**30 - 1024);
}

sub quote { return '"' }

sub place ($self, $type) {
    return { pg_type => $type eq 'int64' ? PG_INT8 : $type eq 'bytes' ? PG_BYTEA : PG_TEXT };
}

# A duplicate key ends a transaction, so it is asked for without an error where there is one.
sub insert_sql ($self, $is_together) { return $self->{sql}{insert} . ($is_together ? ' ON CONFLICT DO NOTHING' : '') }
sub is_duplicate ($self, $statement) { return $statement->state eq $DUPLICATE }
sub ends_transaction { return 1 }
sub snapshot ($self, $dbh) { $dbh->do('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY') }

sub dbh ($self) {
    my $at = $self->{at};
    my $commit = $self->{job}{settings}{synchronous_commit};
    my $options = '-c client_min_messages=warning' . (defined $commit ? " -c synchronous_commit=$commit" : '');
    my %parts = (
        %{ $at->{query} }, options => $options, connect_timeout => 30,
        length $at->{host} ? (host => unescape($at->{host})) : (), defined $at->{port} ? (port => $at->{port}) : (),
        length $at->{path} > 1 ? (dbname => substr $at->{path}, 1) : (),
    );
    my $dsn = 'dbi:Pg:' . join ';', map { "$_='" . ($parts{$_} =~ s/(['\\])/\\$1/gr) . "'" } sort keys %parts;
    # Texts stay bytes. A statement is prepared by the server when it is first used, and not when it is used again.
    my $dbh = $self->open_dbh($dsn, @$at{qw(user password)}, pg_enable_utf8 => 0, pg_server_prepare => 1);
    $dbh->{pg_switch_prepared} = 1;
    return $dbh;
}

sub call_info ($self) {
    my ($told, $build) = $self->one("SELECT current_setting('server_version'), version()");
    return { version => $told, build => $build };
}

sub call_settings ($self) {
    my %found;
    $self->with(sub ($dbh) {
        my $names = join ', ', map { "'$_'" } @SETTINGS;
        my $rows = $dbh->selectall_arrayref(
            "SELECT name, current_setting(name) FROM pg_settings WHERE name IN ($names)");
        %found = map { @$_ } @$rows;
        my ($kind) = $dbh->selectrow_array(
            'SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass(?)', undef, $self->{table});
        $found{relpersistence} = $kind if defined $kind;
    });
    return \%found;
}

sub call_create ($self) {
    my ($fields, $columns, $table) = @$self{qw(fields columns table)};
    my $kind = $self->{is_unlogged} ? 'UNLOGGED TABLE' : 'TABLE';
    my @parts = map {
        my $type = $fields->[$_]{type};
        # Text is compared by bytes, as in the other stores.
        join ' ', $columns->[$_], $TYPES{$type}, $type eq 'text' ? 'COLLATE "C"' : (), $_ ? 'NOT NULL' : 'PRIMARY KEY';
    } 0 .. $#$fields;
    return $self->run_all(
        $self->drop,
        "CREATE $kind $table (@{[join ', ', @parts]})",
        (map { "CREATE INDEX ON $table ($_)" } $self->indexed),
        "CREATE $kind $self->{counters} (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)",
    );
}

sub call_size ($self) {
    my ($bytes) = $self->one('SELECT pg_total_relation_size(?)', $self->{table});
    return { bytes => 0 + $bytes };
}

1;
