package stores

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"kurabe/protocol"
)

// engines by the names of variants.
var engines = map[string]string{
	"innodb": "InnoDB", "myisam": "MyISAM", "aria": "Aria TRANSACTIONAL=1 ROW_FORMAT=PAGE", "rocksdb": "ROCKSDB",
	"archive": "ARCHIVE", "blackhole": "BLACKHOLE",
}

const (
	// shortBytes is the longest field that is VARCHAR or VARBINARY, and shortFieldsBytes what all of a row may hold.
	shortBytes       = 255
	shortFieldsBytes = 60_000
	// Codes of errors, the same in both products below 1900.
	duplicateKey    = 1062
	unknownVariable = 1193
	deadlock        = 1213
)

// lostCodes are those of a server that goes, or of a connection that was ended, and deniedCodes those of a missing right.
var (
	lostCodes   = []uint16{1053, 1927, 3169}
	deniedCodes = []uint16{1142, 1143, 1227}
)

// mysqlSettings decide what is kept and what it costs.
var mysqlSettings = []string{
	"aria_group_commit", "aria_pagecache_buffer_size", "aria_sync_log_dir", "binlog_format", "binlog_row_image",
	"delay_key_write", "innodb_adaptive_hash_index", "innodb_buffer_pool_size", "innodb_change_buffering",
	"innodb_doublewrite", "innodb_flush_log_at_timeout", "innodb_flush_log_at_trx_commit", "innodb_flush_method",
	"innodb_io_capacity", "innodb_log_buffer_size", "innodb_log_file_size", "innodb_redo_log_capacity",
	"innodb_use_fdatasync", "key_buffer_size", "log_bin", "max_allowed_packet", "max_connections",
	"myisam_recover_options", "performance_schema", "read_only", "rocksdb_block_cache_size",
	"rocksdb_flush_log_at_trx_commit", "rocksdb_manual_wal_flush", "rocksdb_write_disable_wal", "sync_binlog",
	"transaction_isolation", "tx_isolation",
}

// sqlMode is that of every session, whatever that of the server is; row 0 of an archive keeps its number.
const sqlMode = "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO," +
	"NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION"

// mysqlStore is MySQL or MariaDB; the variant is the engine.
type mysqlStore struct {
	job    *protocol.Job
	config *mysql.Config
	engine string
	table  *table
}

func openMysql(job *protocol.Job) (protocol.Store, error) {
	const expected = "mysql://user[:password]@host:port/database, with '?socket=/path' for a unix socket"
	parsed, err := address(job, expected, "mysql")
	if err == nil {
		err = refuseUnknown(job, "give the server arguments")
	}
	if err != nil {
		return nil, err
	}
	s := &mysqlStore{job: job, engine: job.Candidate.Variant, table: newTable(job, "`", false)}
	if s.engine == "" {
		s.engine = "innodb"
	}
	if engines[s.engine] == "" {
		names := strings.Join(slices.Sorted(maps.Keys(engines)), ", ")
		return nil, fmt.Errorf("no variant '%s'; there are %s", s.engine, names)
	}
	s.config = mysql.NewConfig()
	s.config.Net, s.config.Addr = "tcp", parsed.Host
	if parsed.Port() == "" {
		s.config.Addr = net.JoinHostPort(parsed.Hostname(), "3306")
	}
	if socket := parsed.Query().Get("socket"); socket != "" {
		s.config.Net, s.config.Addr = "unix", socket
	}
	s.config.User = parsed.User.Username()
	s.config.Passwd, _ = parsed.User.Password()
	s.config.DBName = strings.TrimPrefix(parsed.Path, "/")
	s.config.Collation = "utf8mb4_bin"
	// An update that changes nothing has met its row all the same.
	s.config.ClientFoundRows = true
	return s, nil
}

// isPart tells whether the engine cannot do everything.
func (s *mysqlStore) isPart() bool { return s.engine == "archive" || s.engine == "blackhole" }

func (s *mysqlStore) Receipt() protocol.Receipt {
	transactions := s.engine == "innodb" || s.engine == "rocksdb"
	told := map[string]any{
		"operations": columnOperations(s.job), "transactions": transactions, "read_scopes": []string{"each"},
		"max_connections": 256, "processes": true, "passes": false, "max_value_bytes": 60 << 20,
	}
	if transactions {
		told["read_scopes"] = []string{"each", "snapshot"}
	}
	switch s.engine {
	case "archive":
		operations := []string{"load", "insert", "read", "scan", "latest", "multi-read", "open"}
		if s.job.HasInts() && len(s.indexed()) == 0 {
			operations = append(operations, "search")
		}
		told["operations"], told["key_types"], told["insert"] = operations, []string{"int64"}, "upsert"
	case "blackhole":
		told["operations"], told["insert"] = []string{"load", "insert"}, "upsert"
	}
	return protocol.Receipt{
		Libraries: []string{"github.com/go-sql-driver/mysql"}, Columns: true, Capabilities: told,
	}
}

// connection is one whose statements end after a limit. MySQL ends reads only; its writes can only wait for locks.
func (s *mysqlStore) connection(limit time.Duration) (*databaseLink, error) {
	config := s.config.Clone()
	// The server ends a statement itself; one that does not answer at all is given a little longer.
	config.Timeout, config.ReadTimeout, config.WriteTimeout = limit, limit+2*time.Second, limit+2*time.Second
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	millis := max(1, min(limit.Milliseconds(), 1<<32-1))
	seconds := (millis + 999) / 1000
	limits := fmt.Sprintf("max_statement_time = %f", max(limit.Seconds(), 0.001))
	if s.job.Candidate.Store == "mysql" {
		limits = fmt.Sprintf("max_execution_time = %d, innodb_lock_wait_timeout = %d, lock_wait_timeout = %d, "+
			"information_schema_stats_expiry = 0", millis, seconds, seconds)
	}
	l, err := connected(connector, "SET SESSION "+limits+", sql_mode = '"+sqlMode+"'")
	// The other product does not know these variables.
	if codeOf(err) == unknownVariable {
		if s.job.Candidate.Store == "mysql" {
			return nil, another("MySQL", "MariaDB", "mariadb")
		}
		return nil, another("MariaDB", "MySQL", "mysql")
	}
	return l, err
}

func codeOf(err error) uint16 {
	var told *mysql.MySQLError
	if errors.As(err, &told) {
		return told.Number
	}
	return 0
}

func (s *mysqlStore) link() (link, error)        { return s.connection(operationLimit(s.job)) }
func (s *mysqlStore) begin() string              { return "BEGIN" }
func (s *mysqlStore) isDuplicate(err error) bool { return codeOf(err) == duplicateKey }
func (s *mysqlStore) isDeadlock(err error) bool  { return codeOf(err) == deadlock }
func (s *mysqlStore) snapshot() string {
	return "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
}

func (s *mysqlStore) Lost(err error) bool {
	code := codeOf(err)
	return code == 0 || slices.Contains(lostCodes, code)
}

func (s *mysqlStore) texts() (load, insert, increment string) {
	increment = fmt.Sprintf("INSERT INTO %s VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1", s.table.counters)
	return s.table.insert, s.table.insert, increment
}

func (s *mysqlStore) many(keys []protocol.Key) (string, []any) {
	return s.table.many(len(keys)), inPlaces(keys)
}

func (s *mysqlStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	return newSQLLane(s, s.table, phase)
}

func (s *mysqlStore) with(work func(*databaseLink) error) error {
	l, err := s.connection(callLimit(s.job))
	if err != nil {
		return err
	}
	defer l.close()
	return work(l)
}

func (s *mysqlStore) number(text string) (number int64, err error) {
	err = s.with(func(l *databaseLink) error { return l.conn.QueryRowContext(ctx, text).Scan(&number) })
	return number, err
}

func (s *mysqlStore) Calls() protocol.Calls {
	calls := protocol.Calls{
		"ping": func() (any, error) {
			return succeeded(s.with(func(l *databaseLink) error { return l.conn.PingContext(ctx) }))
		},
		"info":     s.info,
		"settings": s.settings,
		"create":   func() (any, error) { return succeeded(s.with(s.create)) },
		"reset":    func() (any, error) { return succeeded(s.with(func(l *databaseLink) error { return l.run(s.drop()) })) },
		"count":    func() (any, error) { return counted(s.number(s.table.count())) },
		"size":     func() (any, error) { return sized(s.size()) },
		"check":    s.check,
	}
	if s.engine == "blackhole" {
		delete(calls, "count")
		delete(calls, "size")
		delete(calls, "check")
	}
	if !s.isPart() {
		sum := fmt.Sprintf("SELECT CAST(COALESCE(SUM(count), 0) AS UNSIGNED) FROM %s", s.table.counters)
		calls["sum"] = func() (any, error) { return summed(s.number(sum)) }
	}
	return calls
}

func (s *mysqlStore) info() (any, error) {
	var version, build string
	err := s.with(func(l *databaseLink) error {
		return l.conn.QueryRowContext(ctx, "SELECT VERSION(), @@version_comment").Scan(&version, &build)
	})
	return protocol.Texts{"version": version, "build": build}, err
}

func (s *mysqlStore) settings() (any, error) {
	texts := protocol.Texts{}
	return texts, s.with(func(l *databaseLink) error {
		names := "'" + strings.Join(mysqlSettings, "', '") + "'"
		err := l.texts(texts, strings.ToLower, "SHOW GLOBAL VARIABLES WHERE variable_name IN ("+names+")")
		if err != nil {
			return err
		}
		// A statement switches the log off, so MySQL shows it with its counters and not with its settings.
		if err := l.texts(texts, strings.ToLower, "SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'"); err != nil {
			return err
		}
		engine, err := s.liveEngine(l)
		if engine != "" {
			texts["engine"] = engine
		}
		return err
	})
}

// liveEngine is that of the table as it is; none where there is no table.
func (s *mysqlStore) liveEngine(l *databaseLink) (string, error) {
	texts := protocol.Texts{}
	err := l.texts(texts, func(string) string { return "engine" }, "SELECT table_name, COALESCE(engine, '') FROM "+
		"information_schema.tables WHERE table_schema = DATABASE() AND table_name = ?", s.table.plain)
	return strings.ToLower(texts["engine"]), err
}

func (s *mysqlStore) drop() string {
	return fmt.Sprintf("DROP TABLE IF EXISTS %s, %s", s.table.name, s.table.counters)
}

func (s *mysqlStore) indexed() (columns []string) {
	for at, field := range s.table.fields[1:] {
		if field.Indexed {
			columns = append(columns, s.table.columns[at+1])
		}
	}
	return columns
}

// create looks at the table again: a server that lacks an engine may take another in its place.
func (s *mysqlStore) create(l *databaseLink) error {
	var parts []string
	for at, column := range s.table.columns {
		parts = append(parts, column+" "+s.typeOf(at)+" NOT NULL")
	}
	if s.engine == "archive" {
		// The one index that it can have is on a number that counts up.
		parts[0] += " AUTO_INCREMENT"
		parts = append(parts, "KEY ("+s.table.key+")")
	} else {
		parts = append(parts, "PRIMARY KEY ("+s.table.key+")")
		for _, column := range s.indexed() {
			parts = append(parts, "KEY ("+column+")")
		}
	}
	engine := engines[s.engine]
	statements := []string{
		s.drop(),
		fmt.Sprintf("CREATE TABLE %s (%s) ENGINE=%s CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
			s.table.name, strings.Join(parts, ", "), engine),
	}
	if !s.isPart() {
		statements = append(statements, fmt.Sprintf("CREATE TABLE %s (id BIGINT NOT NULL, count BIGINT NOT NULL, "+
			"PRIMARY KEY (id)) ENGINE=%s", s.table.counters, engine))
	}
	for _, text := range statements {
		if err := l.run(text); err != nil {
			return err
		}
	}
	live, err := s.liveEngine(l)
	if err == nil && live != s.engine {
		err = errors.Join(fmt.Errorf("the server made a table of engine %s where %s was asked for; SHOW ENGINES tells "+
			"what it has", live, s.engine), l.run(s.drop()))
	}
	return err
}

// typeOf a column.
func (s *mysqlStore) typeOf(at int) string {
	field := s.table.fields[at]
	length, isText := field.LenBytes, field.Type == "text"
	if field.Type == "int64" {
		return "BIGINT"
	}
	if at == 0 {
		longest := protocol.NewValues(s.table.fields, nil, true).Key(0).Text
		if strings.ContainsFunc(longest, func(char rune) bool { return char > 127 }) {
			return fmt.Sprintf("VARBINARY(%d)", len(longest))
		}
		return fmt.Sprintf("VARCHAR(%d) CHARACTER SET ascii COLLATE ascii_bin", len(longest))
	}
	all := 0
	for _, other := range s.table.fields[1:] {
		if other.LenBytes <= shortBytes && other.Type == "text" {
			all += 4 * other.LenBytes
		} else if other.LenBytes <= shortBytes {
			all += other.LenBytes
		}
	}
	if length <= shortBytes && all <= shortFieldsBytes {
		return fmt.Sprintf("%s(%d)", map[bool]string{true: "VARCHAR", false: "VARBINARY"}[isText], max(length, 1))
	}
	kind := map[bool]string{true: "TEXT", false: "BLOB"}[isText]
	switch {
	case length < 1<<16:
		return kind
	case length < 1<<24:
		return "MEDIUM" + kind
	}
	return "LONG" + kind
}

// size is the file of an InnoDB table, which only users with the privilege PROCESS may see; of other engines what they
// tell about data and indexes.
func (s *mysqlStore) size() (int64, error) {
	text := fmt.Sprintf("SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables WHERE "+
		"table_schema = DATABASE() AND table_name IN ('%[1]s', '%[1]s_counters')", s.table.plain)
	if s.engine == "innodb" {
		view := map[bool]string{true: "innodb_tablespaces", false: "innodb_sys_tablespaces"}[s.job.Candidate.Store == "mysql"]
		text = fmt.Sprintf("SELECT COALESCE(SUM(file_size), 0) FROM information_schema.%[2]s WHERE name IN "+
			"(CONCAT(DATABASE(), '/%[1]s'), CONCAT(DATABASE(), '/%[1]s_counters'))", s.table.plain, view)
	}
	bytes, err := s.number(text)
	if slices.Contains(deniedCodes, codeOf(err)) {
		err = Denied{"size of the table", err}
	}
	return bytes, err
}

func (s *mysqlStore) check() (any, error) {
	var name, operation, kind, words string
	err := s.with(func(l *databaseLink) error {
		rows, err := l.conn.QueryContext(ctx, "CHECK TABLE "+s.table.name)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&name, &operation, &kind, &words); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	return checked(strings.EqualFold(words, "ok") || strings.Contains(words, "up to date"), words), err
}
