package stores

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"kurabe/protocol"
)

// postgresSettings decide what is kept and what it costs.
var postgresSettings = []string{
	"autovacuum", "checkpoint_timeout", "commit_delay", "data_checksums", "effective_cache_size", "fsync",
	"full_page_writes", "huge_pages", "io_method", "jit", "max_connections", "max_wal_size", "random_page_cost",
	"shared_buffers", "synchronous_commit", "transaction_read_only", "wal_compression", "wal_level",
	"wal_sync_method", "wal_writer_delay",
}

var (
	postgresTypes = map[string]string{"int64": "int8", "text": "text", "bytes": "bytea"}
	oneWord       = regexp.MustCompile(`^\w+$`)
)

const uniqueViolation = "23505"

// postgresStore is PostgreSQL.
type postgresStore struct {
	job    *protocol.Job
	config *pgx.ConnConfig
	kind   string
	table  *table
}

func openPostgres(job *protocol.Job) (protocol.Store, error) {
	const expected = "postgresql://user[:password]@host:port/database, with '?host=/folder' for a unix socket"
	parsed, err := address(job, expected, "postgresql", "postgres")
	if err == nil {
		err = refuseUnknown(job, "it has synchronous_commit; give the server arguments for others", "synchronous_commit")
	}
	if err != nil {
		return nil, err
	}
	s := &postgresStore{job: job, kind: "TABLE", table: newTable(job, `"`, true)}
	switch job.Candidate.Variant {
	case "", "logged":
	case "unlogged":
		s.kind = "UNLOGGED TABLE"
	default:
		return nil, fmt.Errorf("no variant '%s'; there are logged, unlogged", job.Candidate.Variant)
	}
	// Other clients speak without TLS, which this library would try first.
	if query := parsed.Query(); !query.Has("sslmode") {
		query.Set("sslmode", "disable")
		parsed.RawQuery = query.Encode()
	}
	if s.config, err = pgx.ParseConfig(parsed.String()); err != nil {
		return nil, fmt.Errorf("the address of the server cannot be read: expected %s", expected)
	}
	s.config.ConnectTimeout = callLimit(job)
	s.config.RuntimeParams["client_min_messages"] = "warning"
	if value, isGiven := job.Settings["synchronous_commit"]; isGiven {
		if !oneWord.MatchString(value) {
			return nil, fmt.Errorf("setting synchronous_commit cannot be '%s': one word is expected", value)
		}
		s.config.RuntimeParams["synchronous_commit"] = value
	}
	if s.config.RuntimeParams["application_name"] == "" {
		s.config.RuntimeParams["application_name"] = "kurabe"
	}
	return s, nil
}

func (s *postgresStore) Receipt() protocol.Receipt {
	return protocol.Receipt{
		Libraries: []string{"github.com/jackc/pgx/v5"},
		Columns:   true,
		Capabilities: map[string]any{
			"operations": columnOperations(s.job), "transactions": true, "read_scopes": []string{"each", "snapshot"},
			"max_connections": 256, "processes": true, "passes": false, "max_value_bytes": 1<<30 - 1024,
		},
	}
}

// connection is one whose statements end after a limit.
func (s *postgresStore) connection(limit time.Duration) (*pgxLink, error) {
	config := s.config.Copy()
	config.RuntimeParams["statement_timeout"] = fmt.Sprint(max(1, min(limit.Milliseconds(), 1<<31-1)))
	conn, err := pgx.ConnectConfig(ctx, config)
	return &pgxLink{conn: conn}, err
}

func (s *postgresStore) link() (link, error)   { return s.connection(operationLimit(s.job)) }
func (s *postgresStore) isDeadlock(error) bool { return false }
func (s *postgresStore) begin() string         { return "BEGIN" }

// snapshot is taken by the first statement of the transaction.
func (s *postgresStore) snapshot() string {
	return "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1"
}

func (s *postgresStore) isDuplicate(err error) bool {
	var told *pgconn.PgError
	return errors.As(err, &told) && told.Code == uniqueViolation
}

func (s *postgresStore) Lost(err error) bool {
	var told *pgconn.PgError
	var scanned pgx.ScanArgError
	if errors.As(err, &told) {
		return told.Severity == "FATAL" || told.Severity == "PANIC"
	}
	return !errors.As(err, &scanned)
}

// texts: an insert of a key that is there changes no row, so that a transaction goes on.
func (s *postgresStore) texts() (load, insert, increment string) {
	increment = fmt.Sprintf("INSERT INTO %[1]s VALUES ($1, 1) ON CONFLICT (id) DO UPDATE SET count = %[1]s.count + 1",
		s.table.counters)
	return s.table.insert, s.table.insert + " ON CONFLICT DO NOTHING", increment
}

// many takes the keys as an array.
func (s *postgresStore) many(keys []protocol.Key) (string, []any) {
	text := fmt.Sprintf("%s WHERE %s = ANY($1)", s.table.scan, s.table.key)
	if s.table.fields[0].Type == "text" {
		texts := make([]string, len(keys))
		for at, key := range keys {
			texts[at] = key.Text
		}
		return text, []any{texts}
	}
	numbers := make([]int64, len(keys))
	for at, key := range keys {
		numbers[at] = key.Arg.(int64)
	}
	return text, []any{numbers}
}

func (s *postgresStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	return newSQLLane(s, s.table, phase)
}

func (s *postgresStore) with(work func(*pgx.Conn) error) error {
	l, err := s.connection(callLimit(s.job))
	if err != nil {
		return err
	}
	defer l.close()
	return work(l.conn)
}

func (s *postgresStore) run(texts ...string) error {
	return s.with(func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, strings.Join(texts, "; "))
		return err
	})
}

func (s *postgresStore) number(text string) (number int64, err error) {
	err = s.with(func(conn *pgx.Conn) error { return conn.QueryRow(ctx, text).Scan(&number) })
	return number, err
}

func (s *postgresStore) Calls() protocol.Calls {
	sum := "SELECT coalesce(sum(count), 0)::int8 FROM " + s.table.counters
	// The table with its index, its long values and its maps.
	size := fmt.Sprintf("SELECT pg_total_relation_size('%s'::regclass)", s.table.name)
	drop := fmt.Sprintf("DROP TABLE IF EXISTS %s, %s", s.table.name, s.table.counters)
	return protocol.Calls{
		"ping":     func() (any, error) { return succeeded(s.run("SELECT 1")) },
		"info":     s.info,
		"settings": s.settings,
		"create":   func() (any, error) { return succeeded(s.run(append([]string{drop}, s.create()...)...)) },
		"reset":    func() (any, error) { return succeeded(s.run(drop)) },
		"count":    func() (any, error) { return counted(s.number(s.table.count())) },
		"sum":      func() (any, error) { return summed(s.number(sum)) },
		"size":     func() (any, error) { return sized(s.number(size)) },
	}
}

func (s *postgresStore) info() (any, error) {
	var version, build string
	err := s.with(func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT current_setting('server_version'), version()").Scan(&version, &build)
	})
	return protocol.Texts{"version": version, "build": build}, err
}

func (s *postgresStore) settings() (any, error) {
	texts := protocol.Texts{}
	return texts, s.with(func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY($1) UNION ALL "+
			"SELECT 'relpersistence', relpersistence::text FROM pg_class WHERE oid = to_regclass($2)", postgresSettings, s.table.name)
		if err != nil {
			return err
		}
		var name, value string
		_, err = pgx.ForEachRow(rows, []any{&name, &value}, func() error { texts[name] = value; return nil })
		return err
	})
}

func (s *postgresStore) create() []string {
	var columns, indexes []string
	for at, field := range s.table.fields {
		column := fmt.Sprintf("%s %s NOT NULL", s.table.columns[at], postgresTypes[field.Type])
		if at == 0 && field.Type == "text" {
			// Keys are in the order of their bytes, as in the other stores, whatever the database's own order is.
			column += ` COLLATE "C"`
		}
		columns = append(columns, column)
		if at > 0 && field.Indexed {
			indexes = append(indexes, fmt.Sprintf("CREATE INDEX ON %s (%s)", s.table.name, s.table.columns[at]))
		}
	}
	tables := []string{
		fmt.Sprintf("CREATE %s %s (%s, PRIMARY KEY (%s))", s.kind, s.table.name, strings.Join(columns, ", "), s.table.key),
		fmt.Sprintf("CREATE %s %s (id int8 PRIMARY KEY, count int8 NOT NULL)", s.kind, s.table.counters),
	}
	return append(tables, indexes...)
}

// pgxLink is a connection of pgx's own interface.
type pgxLink struct {
	conn     *pgx.Conn
	prepared int
}

func (l *pgxLink) prepare(text string) (statement, error) {
	l.prepared++
	name := fmt.Sprintf("kurabe_%d", l.prepared)
	_, err := l.conn.Prepare(ctx, name, text)
	return pgxStatement{l.conn, name}, err
}

func (l *pgxLink) run(text string) error {
	_, err := l.conn.Exec(ctx, text)
	return err
}

func (l *pgxLink) close() {
	// One that does not answer any more keeps nobody.
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	l.conn.Close(limited)
}

type pgxStatement struct {
	conn *pgx.Conn
	name string
}

func (s pgxStatement) exec(args ...any) (int64, error) {
	tag, err := s.conn.Exec(ctx, s.name, args...)
	return tag.RowsAffected(), err
}

func (s pgxStatement) query(next func() []any, args ...any) error {
	rows, err := s.conn.Query(ctx, s.name, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanAll(rows, next)
}
