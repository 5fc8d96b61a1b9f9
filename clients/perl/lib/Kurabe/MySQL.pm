package Kurabe::MySQL;

# MySQL, and what speaks as it does, through DBD::mysql: statements that the server prepares, and no connecting again.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Sql';

use DBD::mysql ();

use Kurabe::Store qw(address refuse_unknown);

my %ENGINES = (
    innodb => 'InnoDB', myisam => 'MyISAM', aria => 'Aria', rocksdb => 'ROCKSDB',
    archive => 'ARCHIVE', blackhole => 'BLACKHOLE',
);
# What engines can do that cannot do everything.
my %PARTS = (
    ARCHIVE => [qw(load insert read scan latest multi-read open)],
    # An increment is the UPDATE, which meets no row.
    BLACKHOLE => [qw(load insert increment)],
);
my ($DUPLICATE, $DEADLOCK) = (1062, 1213);
my $SHORT_BYTES = 255;
# Settings that decide what is kept and what it costs.
my @SETTINGS = qw(
    aria_group_commit aria_pagecache_buffer_size aria_sync_log_dir binlog_format binlog_row_image delay_key_write
    innodb_adaptive_hash_index innodb_buffer_pool_size innodb_change_buffering innodb_doublewrite
    innodb_flush_log_at_timeout innodb_flush_log_at_trx_commit innodb_flush_method innodb_io_capacity
    innodb_log_buffer_size innodb_log_file_size innodb_redo_log_capacity innodb_use_fdatasync key_buffer_size log_bin
    max_allowed_packet max_connections myisam_recover_options performance_schema read_only rocksdb_block_cache_size
    rocksdb_flush_log_at_trx_commit rocksdb_manual_wal_flush rocksdb_write_disable_wal sync_binlog
    transaction_isolation tx_isolation
);

# The mode of every session, whatever that of the server is; row 0 of an archive keeps its number.
my $SQL_MODE = 'STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,'
    . 'NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION';

sub new ($class, $job, $values) {
    refuse_unknown($job, 'give the server arguments');
    my $variant = $job->{candidate}{variant} // 'innodb';
    my $engine = $ENGINES{$variant} // die "the Perl client has no variant '$variant' of $job->{candidate}{store}\n";
    my $self = $class->setup($job);
    @$self{qw(engine at)} = ($engine, address($job));
    # Keys of a data file differ in length, and are compared by their bytes.
    my $own = $job->{data};
    $self->{key_bytes} = $own ? $own->{longest_key_bytes} : $values->is_text ? length $values->key(0) : 0;
    $self->{is_ascii} = !$own && $values->key(0) !~ /[^\x00-\x7f]/;
    return $self;
}

sub libraries { return (DBI => DBI->VERSION, 'DBD::mysql' => DBD::mysql->VERSION) }

sub capabilities ($self) {
    my ($engine, $parts) = ($self->{engine}, $PARTS{ $self->{engine} });
    my $has_transactions = $engine eq 'InnoDB' || $engine eq 'ROCKSDB';
    return (
        $self->SUPER::capabilities, passes => JSON::PP::false, max_value_bytes => 60 * 2**20,
        $parts ? (operations => $parts, insert => 'upsert') : (),
        $has_transactions ? () : (transactions => JSON::PP::false, read_scopes => ['each']),
        # An archive numbers its rows by itself.
        $engine eq 'ARCHIVE' ? (key_types => ['int64'], own_data => JSON::PP::false) : (),
    );
}

sub quote { return '`' }

# The server prepares it, or it is refused: the module would put the values into the text by itself.
sub prepared { return { mysql_server_prepare => 1, mysql_server_prepare_disable_fallback => 1 } }

# In a longer transaction an UPDATE that meets no row locks the gap, and others that make counters there wait for it.
sub increment_sql ($self) {
    return $self->{is_together} ? $self->make_sql : "UPDATE $self->{counters} SET n = n + 1 WHERE id = ?";
}
sub keeps_counters ($self) { return $self->{engine} ne 'BLACKHOLE' }
sub make_sql ($self) { return "INSERT INTO $self->{counters} VALUES (?, 1) ON DUPLICATE KEY UPDATE n = n + 1" }
sub is_duplicate ($self, $statement) { return ($statement->err // 0) == $DUPLICATE }
sub is_deadlock ($self, $statement) { return ($statement->err // 0) == $DEADLOCK }
sub ends_transaction ($self, $dbh, $is_duplicate) { return !$is_duplicate }
sub snapshot ($self, $dbh) { $dbh->do('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY') }

sub dbh ($self) {
    my $at = $self->{at};
    my $socket = $at->{query}{socket};
    my @parts = (
        length $at->{path} > 1 ? 'database=' . substr $at->{path}, 1 : (),
        defined $socket ? "mysql_socket=$socket" : ('host=' . $at->{host}, 'port=' . ($at->{port} // 3306)),
        'mysql_connect_timeout=30', 'mysql_client_found_rows=1',
    );
    my $dbh = $self->open_dbh('DBI:mysql:' . join(';', @parts), @$at{qw(user password)}, mysql_auto_reconnect => 0);
    $dbh->do('SET NAMES utf8mb4');
    $dbh->do("SET SESSION sql_mode = '$SQL_MODE'");
    return $dbh;
}

sub call_info ($self) {
    my ($told, $build) = $self->one('SELECT VERSION(), @@version_comment');
    return { version => $told, build => $build };
}

sub call_settings ($self) {
    my %found;
    $self->with(sub ($dbh) {
        my $names = join ', ', map { "'$_'" } @SETTINGS;
        my $rows = $dbh->selectall_arrayref("SHOW GLOBAL VARIABLES WHERE variable_name IN ($names)");
        push @$rows, @{ $dbh->selectall_arrayref("SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'") };
        $found{ lc $_->[0] } = "$_->[1]" for @$rows;
        my ($engine) = $dbh->selectrow_array(
            'SELECT engine FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?',
            undef, $self->{job}{namespace},
        );
        $found{engine} = lc $engine if defined $engine;
    });
    return \%found;
}

sub _type ($self, $field) {
    return 'BIGINT' if $field->{type} eq 'int64';
    my ($is_text, $len) = ($field->{type} eq 'text', $field->{len_bytes} // 0);
    return ($is_text ? 'VARCHAR' : 'VARBINARY') . '(' . ($len || 1) . ')' if $len <= $SHORT_BYTES;
    return ($len < 2**16 ? '' : $len < 2**24 ? 'MEDIUM' : 'LONG') . ($is_text ? 'TEXT' : 'BLOB');
}

sub call_create ($self) {
    my ($engine, $columns, $bytes) = @$self{qw(engine columns key_bytes)};
    my ($key, @rest) = @{ $self->{fields} };
    my $key_type = $key->{type} eq 'int64' ? 'BIGINT'
        : $self->{is_ascii} ? "VARCHAR($bytes) CHARACTER SET ascii COLLATE ascii_bin" : "VARBINARY($bytes)";
    my @types = ($key_type, map { $self->_type($_) } @rest);
    my @parts = map { "$columns->[$_] $types[$_] NOT NULL" } 0 .. $#types;
    # The one index that an archive can have is on a number that counts up.
    my $is_archive = $engine eq 'ARCHIVE';
    $parts[0] .= ' AUTO_INCREMENT' if $is_archive;
    push @parts, ($is_archive ? 'KEY' : 'PRIMARY KEY') . " ($columns->[0])";
    push @parts, map { "KEY ($_)" } $self->indexed if !$is_archive;
    my @counters = $is_archive ? ()
        : "CREATE TABLE $self->{counters} (id BIGINT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (id)) ENGINE=$engine";
    return $self->run_all(
        $self->drop,
        "CREATE TABLE $self->{table} (@{[join ', ', @parts]}) ENGINE=$engine CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        @counters,
    );
}

# What cannot be counted has no answer.
sub call_count ($self) { return $self->{engine} eq 'BLACKHOLE' ? undef : $self->SUPER::call_count }
sub call_sum ($self) { return $PARTS{ $self->{engine} } ? undef : $self->SUPER::call_sum }

1;
