package Kurabe::SQLite;

# SQLite through DBD::SQLite, which brings the library or takes the system's. A handle that finds the file locked
# waits in the library.

use v5.24;
use warnings;
use experimental 'signatures';

use parent 'Kurabe::Sql';

use DBD::SQLite ();

use Kurabe::Store qw(folder patience refuse_unknown);

# In the order in which they must be set: the size of a page before the first table, WAL before the synchronous level.
my @PRAGMAS = qw(page_size journal_mode synchronous cache_size mmap_size wal_autocheckpoint);
my @LEVELS = qw(off normal full extra);
my $CONSTRAINT = 19;

sub new ($class, $job, $) {
    refuse_unknown($job, "it has @{[join ', ', @PRAGMAS]}, text_type", @PRAGMAS, 'text_type');
    my $self = $class->setup($job);
    $self->{path} = folder($job) . '/data.sqlite';
    $self->{text_type} = uc($job->{settings}{text_type} // 'text');
    die "text_type cannot be '$job->{settings}{text_type}'; it is text or string\n"
        if $self->{text_type} !~ /\A(?:TEXT|STRING)\z/;
    $self->{pragmas} = [map { [$_, $job->{settings}{$_}] } grep { defined $job->{settings}{$_} } @PRAGMAS];
    for my $pragma (@{ $self->{pragmas} }) {
        my ($name, $value) = @$pragma;
        die "$name '$value' is no value of a pragma; give a word or a number\n" if $value !~ /\A-?\w+\z/;
    }
    $self->{sql}{load} =~ s/^INSERT/INSERT OR REPLACE/;
    return $self;
}

sub libraries {
    return (DBI => DBI->VERSION, 'DBD::SQLite' => DBD::SQLite->VERSION, sqlite => $DBD::SQLite::sqlite_version);
}

sub capabilities ($self) {
    return ($self->SUPER::capabilities, max_value_bytes => 1_000_000_000);
}

sub quote { return '"' }

sub is_duplicate ($self, $statement) { return (($statement->err // 0) & 255) == $CONSTRAINT }
# An error ends the transaction where the library rolled it back.
sub ends_transaction ($self, $dbh, $) { return $dbh->sqlite_get_autocommit }

# A deferred transaction takes its snapshot at the first read.
sub snapshot ($self, $dbh) {
    $dbh->do('BEGIN');
    my @row = $dbh->selectrow_array("SELECT $self->{columns}[0] FROM $self->{table} LIMIT 1");
}

# A handle with the pragmas of the job.
sub dbh ($self) {
    my $dbh = $self->open_dbh("dbi:SQLite:dbname=$self->{path}", '', '', sqlite_use_immediate_transaction => 1);
    $dbh->sqlite_busy_timeout(int(1000 * patience($self->{job})) || 1);
    # Some of them answer with a row.
    $dbh->selectall_arrayref("PRAGMA $_->[0] = $_->[1]") for @{ $self->{pragmas} };
    return $dbh;
}

sub call_info ($self) {
    my ($version, $source) = $self->one('SELECT sqlite_version(), sqlite_source_id()');
    return { version => $version, source => $source };
}

# Read over a handle that is opened exactly as those of the workers: some of these belong to a handle.
sub call_settings ($self) {
    my %found;
    $self->with(sub ($dbh) {
        for my $name (@PRAGMAS) {
            my ($value) = $dbh->selectrow_array("PRAGMA $name");
            next if !defined $value;
            $found{$name} = $name eq 'synchronous' ? $LEVELS[$value] // "$value" : "$value";
        }
    });
    return \%found;
}

sub call_create ($self) {
    my ($fields, $columns, $table) = @$self{qw(fields columns table)};
    my %types = (int64 => 'INTEGER', text => $self->{text_type}, bytes => 'BLOB');
    my @parts = map { "$columns->[$_] $types{ $fields->[$_]{type} }" } 0 .. $#$fields;
    $parts[0] = "$columns->[0] @{[$fields->[0]{type} eq 'int64' ? 'INTEGER' : 'TEXT']} PRIMARY KEY";
    my @indexes = map {
        my $name = $self->quoted("$self->{job}{namespace}_$fields->[$_]{name}");
        "CREATE INDEX $name ON $table ($columns->[$_])";
    } grep { $fields->[$_]{indexed} } 1 .. $#$fields;
    return $self->run_all(
        $self->drop, "CREATE TABLE $table (@{[join ', ', @parts]})", @indexes,
        "CREATE TABLE $self->{counters} (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)",
    );
}

# Pages of the database, those that are still in the write-ahead log too, times their size.
sub call_size ($self) {
    my ($bytes) = $self->one('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size');
    return { bytes => 0 + $bytes };
}

sub call_check ($self) {
    my ($detail) = $self->one('PRAGMA integrity_check(1)');
    return { sound => $detail eq 'ok' ? JSON::PP::true : JSON::PP::false, detail => $detail };
}

1;
