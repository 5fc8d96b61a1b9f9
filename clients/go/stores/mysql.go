package stores

import (
	"errors"
	"fmt"
	"net"
	"net/url"
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
	duplicateKey = 1062
	deadlock     = 1213
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

// mysqlStore is MySQL, MariaDB or another that speaks as they do; the variant is the engine. What only one of the two
// knows stands in comments that the other skips: MariaDB's begin with M, and of MySQL's it skips those from 5.7 on.
type mysqlStore struct {
	sqlStore
	config *mysql.Config
	engine string
}

func openMysql(job *protocol.Job, at *url.URL) (protocol.Store, error) {
	s := &mysqlStore{sqlStore: newSQLStore(job, newTable(job, "`", false)), engine: job.Candidate.Variant}
	s.connect = s.connection
	s.snapshot = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"
	s.add = "UPDATE " + s.counters + " SET count = count + 1 WHERE id = ?"
	s.keepsNoCounters = s.engine == "blackhole"
	s.increment = "INSERT INTO " + s.counters + " VALUES (?, 1) ON DUPLICATE KEY UPDATE count = count + 1"
	s.isDuplicate = func(err error) bool { return codeOf(err) == duplicateKey }
	s.isDeadlock = func(err error) bool { return codeOf(err) == deadlock }
	s.config = mysql.NewConfig()
	s.config.Net, s.config.Addr = "tcp", at.Host
	if at.Port() == "" {
		s.config.Addr = net.JoinHostPort(at.Hostname(), "3306")
	}
	if socket := at.Query().Get("socket"); socket != "" {
		s.config.Net, s.config.Addr = "unix", socket
	}
	s.config.User = at.User.Username()
	s.config.Passwd, _ = at.User.Password()
	s.config.DBName = strings.TrimPrefix(at.Path, "/")
	s.config.Collation = "utf8mb4_bin"
	// An update that changes nothing has met its row all the same.
	s.config.ClientFoundRows = true
	return s, nil
}

func (s *mysqlStore) Capabilities() map[string]any {
	told := map[string]any{
		"operations": columnOperations(s.job), "transactions": s.engine == "innodb" || s.engine == "rocksdb",
		"max_connections": 256, "processes": true, "passes": false, "max_value_bytes": 60 << 20,
	}
	if told["transactions"] == true {
		told["read_scopes"] = []string{"each", "snapshot"}
	}
	switch s.engine {
	case "archive":
		operations := []string{"load", "insert", "read", "scan", "latest", "multi-read", "open"}
		isIndexed := func(field protocol.Field) bool { return field.Indexed }
		if s.job.HasInts() && !slices.ContainsFunc(s.fields[1:], isIndexed) {
			operations = append(operations, "search")
		}
		told["operations"], told["key_types"], told["insert"] = operations, []string{"int64"}, "upsert"
	case "blackhole":
		// An increment is the UPDATE, which meets no row.
		told["operations"], told["insert"] = []string{"load", "insert", "increment"}, "upsert"
	}
	return told
}

// connection is one whose statements end after a limit. MySQL ends reads only; its writes can only wait for locks.
func (s *mysqlStore) connection(limit time.Duration) (link, error) {
	config := s.config.Clone()
	// The server ends a statement itself; one that does not answer at all is given a little longer.
	config.Timeout, config.ReadTimeout, config.WriteTimeout = limit, limit+2*time.Second, limit+2*time.Second
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	millis := max(1, min(limit.Milliseconds(), 1<<32-1))
	seconds := (millis + 999) / 1000
	return connected(connector, fmt.Sprintf("SET SESSION sql_mode = '%s' /*M!100101 , max_statement_time = %f */ "+
		"/*!50708 , max_execution_time = %d, innodb_lock_wait_timeout = %d, lock_wait_timeout = %[4]d */ "+
		"/*!80003 , information_schema_stats_expiry = 0 */", sqlMode, max(limit.Seconds(), 0.001), millis, seconds))
}

func codeOf(err error) uint16 {
	var told *mysql.MySQLError
	if errors.As(err, &told) {
		return told.Number
	}
	return 0
}

func (s *mysqlStore) Lost(err error) bool {
	code := codeOf(err)
	return code == 0 || slices.Contains(lostCodes, code)
}

func (s *mysqlStore) Calls() protocol.Calls {
	calls := s.calls(protocol.Calls{
		"info":     func() (any, error) { return s.row("SELECT VERSION(), @@version_comment", "version", "build") },
		"settings": s.settings,
		"create":   task(func() error { return s.with(s.create) }),
		"size":     figure("bytes", s.size),
		"check": func() (any, error) {
			last, err := s.row("CHECK TABLE "+s.name, "table", "operation", "kind", "words")
			words := last["words"]
			return checked(strings.EqualFold(words, "ok") || strings.Contains(words, "up to date"), words), err
		},
	})
	// What an engine does not have.
	lacking := map[string][]string{"archive": {"sum"}, "blackhole": {"sum", "count", "size", "check"}}
	for _, name := range lacking[s.engine] {
		delete(calls, name)
	}
	return calls
}

func (s *mysqlStore) settings() (any, error) {
	texts := protocol.Texts{}
	return texts, s.with(func(l link) error {
		names := "'" + strings.Join(mysqlSettings, "', '") + "'"
		err := addPairs(texts, l, "SHOW GLOBAL VARIABLES WHERE variable_name IN ("+names+")")
		if err != nil {
			return err
		}
		// A statement switches the log off, so MySQL shows it with its counters and not with its settings.
		if err := addPairs(texts, l, "SHOW GLOBAL STATUS LIKE 'innodb_redo_log_enabled'"); err != nil {
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
func (s *mysqlStore) liveEngine(l link) (string, error) {
	texts := protocol.Texts{}
	err := addPairs(texts, l, "SELECT 'engine', COALESCE(engine, '') FROM information_schema.tables "+
		"WHERE table_schema = DATABASE() AND table_name = ?", s.plain)
	return strings.ToLower(texts["engine"]), err
}

// create looks at the table again: a server that lacks an engine may take another in its place.
func (s *mysqlStore) create(l link) error {
	end := " ENGINE=" + engines[s.engine] + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	made := s.table.create("TABLE", "BIGINT", end, func(at int) string { return s.typeOf(at) + " NOT NULL" })
	switch s.engine {
	case "archive":
		// The one index that it can have is on a number that counts up.
		counting := strings.Replace(made[0], "NOT NULL", "NOT NULL AUTO_INCREMENT", 1)
		made = []string{strings.Replace(counting, "PRIMARY KEY (", "KEY (", 1)}
	}
	if err := runAll(l, append(s.drop(), made...)); err != nil {
		return err
	}
	live, err := s.liveEngine(l)
	if err == nil && live != s.engine {
		err = errors.Join(fmt.Errorf("the server made a table of engine %s where %s was asked for; SHOW ENGINES tells "+
			"what it has", live, s.engine), runAll(l, s.drop()))
	}
	return err
}

// typeOf a column.
func (s *mysqlStore) typeOf(at int) string {
	field := s.fields[at]
	length := field.LenBytes
	if field.Type == "int64" {
		return "BIGINT"
	}
	if at == 0 {
		longest := protocol.NewValues(s.fields, nil, true).Key(0).Text
		if strings.ContainsFunc(longest, func(char rune) bool { return char > 127 }) {
			return fmt.Sprintf("VARBINARY(%d)", len(longest))
		}
		return fmt.Sprintf("VARCHAR(%d) CHARACTER SET ascii COLLATE ascii_bin", len(longest))
	}
	short, long := "VARBINARY", "BLOB"
	if field.Type == "text" {
		short, long = "VARCHAR", "TEXT"
	}
	all := 0
	for _, other := range s.fields[1:] {
		if other.LenBytes <= shortBytes && other.Type == "text" {
			all += 4 * other.LenBytes
		} else if other.LenBytes <= shortBytes {
			all += other.LenBytes
		}
	}
	switch {
	case length <= shortBytes && all <= shortFieldsBytes:
		return fmt.Sprintf("%s(%d)", short, max(length, 1))
	case length < 1<<16:
		return long
	case length < 1<<24:
		return "MEDIUM" + long
	}
	return "LONG" + long
}

// size is the file of an InnoDB table, which only users with the privilege PROCESS may see; of other engines what they
// tell about data and indexes.
func (s *mysqlStore) size() (int64, error) {
	text := fmt.Sprintf("SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables WHERE "+
		"table_schema = DATABASE() AND table_name IN ('%[1]s', '%[1]s_counters')", s.plain)
	if s.engine == "innodb" {
		text = fmt.Sprintf("SELECT COALESCE(SUM(file_size), 0) FROM "+
			"information_schema./*!80000 innodb_tablespaces *//*M! innodb_sys_tablespaces */ WHERE name IN "+
			"(CONCAT(DATABASE(), '/%[1]s'), CONCAT(DATABASE(), '/%[1]s_counters'))", s.plain)
	}
	bytes, err := s.number(text)
	if slices.Contains(deniedCodes, codeOf(err)) {
		err = Denied{"size of the table", err}
	}
	return bytes, err
}
