package stores

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"strings"
	"time"

	"kurabe/protocol"
)

// table is that of a job in a kind of SQL: one column a field, the key first; and the one of its counters. Statements
// that a kind says otherwise it puts in the place of these.
type table struct {
	fields                     []protocol.Field
	columns                    []string
	plain, name, key, counters string
	quote                      string
	numbered                   bool
	// Statements of operations, by their names, and those of calls.
	load, insert, read, update, remove, scan, latest, increment string
	count, sum                                                  string
	// add adds 1 to a counter that is there; empty where increment does both at once.
	add string
}

// newTable is a table whose parameters stand as `?`, or as `$1`, `$2` where they are numbered.
func newTable(job *protocol.Job, quote string, numbered bool) *table {
	t := &table{fields: job.Schema.Fields, plain: job.Namespace, quote: quote, numbered: numbered}
	t.name, t.counters = t.quoted(job.Namespace), t.quoted(job.Namespace+"_counters")
	var sets []string
	for at, field := range t.fields {
		t.columns = append(t.columns, t.quoted(field.Name))
		sets = append(sets, t.columns[at]+" = "+t.place(at))
	}
	t.key = t.columns[0]
	all, where := strings.Join(t.columns, ", "), " WHERE "+t.key+" = "
	t.insert = fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.name, all, t.places(len(t.columns)))
	t.load = t.insert
	t.read = "SELECT " + strings.Join(t.columns[1:], ", ") + " FROM " + t.name + where + t.place(1)
	// An update takes the key last.
	t.update = "UPDATE " + t.name + " SET " + strings.Join(sets[1:], ", ") + where + t.place(len(t.columns))
	t.remove = "DELETE FROM " + t.name + where + t.place(1)
	t.scan = "SELECT " + all + " FROM " + t.name
	t.latest = t.scan + " ORDER BY " + t.key + " DESC LIMIT " + t.place(1)
	t.count = "SELECT count(*) FROM " + t.name
	t.sum = "SELECT COALESCE(SUM(count), 0) FROM " + t.counters
	return t
}

func (t *table) quoted(name string) string {
	return t.quote + strings.ReplaceAll(name, t.quote, t.quote+t.quote) + t.quote
}

// place of parameter number at, from 1.
func (t *table) place(at int) string {
	if t.numbered {
		return fmt.Sprintf("$%d", at)
	}
	return "?"
}

func (t *table) places(count int) string {
	all := make([]string, count)
	for at := range all {
		all[at] = t.place(at + 1)
	}
	return strings.Join(all, ", ")
}

func (t *table) search(field int) string {
	return fmt.Sprintf("%s WHERE %s BETWEEN %s AND %s", t.scan, t.columns[field], t.place(1), t.place(2))
}

func (t *table) hasTextKey() bool { return t.fields[0].Type == "text" }

// drop is the statements that make room for the tables.
func (t *table) drop() []string {
	return []string{"DROP TABLE IF EXISTS " + t.name, "DROP TABLE IF EXISTS " + t.counters}
}

// create is the statements that make the tables: that of the rows, its indexes, and that of the counters. kind stands
// behind CREATE, integer is the type of integers, end stands behind the columns.
func (t *table) create(kind, integer, end string, typeOf func(at int) string) []string {
	var columns, indexes []string
	for at, field := range t.fields {
		columns = append(columns, t.columns[at]+" "+typeOf(at))
		if at > 0 && field.Indexed {
			name := t.quoted(t.plain + "_by_" + field.Name)
			indexes = append(indexes, fmt.Sprintf("CREATE INDEX %s ON %s (%s)", name, t.name, t.columns[at]))
		}
	}
	rows := fmt.Sprintf("CREATE %s %s (%s, PRIMARY KEY (%s))%s", kind, t.name, strings.Join(columns, ", "), t.key, end)
	counters := fmt.Sprintf("CREATE %[1]s %[2]s (id %[3]s NOT NULL, count %[3]s NOT NULL, PRIMARY KEY (id))%[4]s",
		kind, t.counters, integer, end)
	return append(append([]string{rows}, indexes...), counters)
}

// link is a connection as a library has it.
type link interface {
	// prepare prepares a statement under a name.
	prepare(name, text string) error
	// exec tells how many rows a prepared statement met.
	exec(name string, args ...any) (int64, error)
	// query scans each row into what next gives; what is no name of a prepared statement is a text.
	query(next func() []any, name string, args ...any) error
	run(text string) error
	close() error
}

// scanned is what rows of any driver have.
type scanned interface {
	Next() bool
	Scan(into ...any) error
	Err() error
}

// scanAll takes every row into what next gives.
func scanAll(rows scanned, next func() []any) error {
	for rows.Next() {
		if err := rows.Scan(next()...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// databaseLink is a connection of database/sql: a pool of one, so that it is the worker's own.
type databaseLink struct {
	pool     *sql.DB
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

// connected is a connection on which statements were run.
func connected(connector driver.Connector, statements ...string) (link, error) {
	pool := sql.OpenDB(connector)
	pool.SetMaxOpenConns(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		pool.Close()
		return nil, err
	}
	l := &databaseLink{pool, conn, map[string]*sql.Stmt{}}
	if err = runAll(l, statements); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *databaseLink) prepare(name, text string) (err error) {
	l.prepared[name], err = l.conn.PrepareContext(ctx, text)
	return err
}

func (l *databaseLink) exec(name string, args ...any) (int64, error) {
	result, err := l.prepared[name].ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (l *databaseLink) query(next func() []any, name string, args ...any) (err error) {
	var rows *sql.Rows
	if prepared := l.prepared[name]; prepared != nil {
		rows, err = prepared.QueryContext(ctx, args...)
	} else {
		rows, err = l.conn.QueryContext(ctx, name, args...)
	}
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanAll(rows, next)
}

func (l *databaseLink) run(text string) error {
	_, err := l.conn.ExecContext(ctx, text)
	return err
}

func (l *databaseLink) close() error {
	l.conn.Close()
	return l.pool.Close()
}

// sqlStore is a store by its table; the rest each kind of SQL fills in.
type sqlStore struct {
	*table
	job *protocol.Job
	// connect makes a connection whose statements end after a limit.
	connect func(limit time.Duration) (link, error)
	// begin and snapshot begin transactions: one of writes, and one whose reads all see the same.
	begin, snapshot         string
	isDuplicate, isDeadlock func(err error) bool
	// keepsNoCounters is true where none is there even after it was made.
	keepsNoCounters bool
	// many is the statement for so many keys, and among makes parameters of them.
	many  func(keys int) string
	among func(keys []protocol.Key) []any
}

func newSQLStore(job *protocol.Job, t *table) sqlStore {
	s := sqlStore{table: t, job: job, begin: "BEGIN", isDeadlock: func(error) bool { return false }}
	s.many = func(keys int) string { return fmt.Sprintf("%s WHERE %s IN (%s)", t.scan, t.key, t.places(keys)) }
	s.among = inPlaces
	return s
}

// inPlaces are keys as parameters.
func inPlaces(keys []protocol.Key) []any {
	args := make([]any, len(keys))
	for at, key := range keys {
		args[at] = key.Arg
	}
	return args
}

func (s *sqlStore) Lost(error) bool { return false }

// with does something over a connection of its own.
func (s *sqlStore) with(work func(link) error) error {
	l, err := s.connect(callLimit(s.job))
	if err != nil {
		return err
	}
	defer l.close()
	return work(l)
}

func (s *sqlStore) run(texts ...string) error {
	return s.with(func(l link) error { return runAll(l, texts) })
}

func runAll(l link, texts []string) error {
	for _, text := range texts {
		if err := l.run(text); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlStore) number(text string) (number int64, err error) {
	err = s.with(func(l link) error { return l.query(func() []any { return []any{&number} }, text) })
	return number, err
}

// row gives the columns of the last row of a query by these names.
func (s *sqlStore) row(text string, names ...string) (protocol.Texts, error) {
	values, targets := make([]string, len(names)), make([]any, len(names))
	for at := range values {
		targets[at] = &values[at]
	}
	err := s.with(func(l link) error { return l.query(func() []any { return targets }, text) })
	texts := protocol.Texts{}
	for at, name := range names {
		texts[name] = values[at]
	}
	return texts, err
}

// addPairs adds the two columns of a query: names, and their values.
func addPairs(texts protocol.Texts, l link, text string, args ...any) error {
	var pairs []*[2]string
	err := l.query(func() []any {
		pair := new([2]string)
		pairs = append(pairs, pair)
		return []any{&pair[0], &pair[1]}
	}, text, args...)
	for _, pair := range pairs {
		texts[strings.ToLower(pair[0])] = pair[1]
	}
	return err
}

// calls are those that all have, and others.
func (s *sqlStore) calls(others protocol.Calls) protocol.Calls {
	calls := protocol.Calls{
		"ping":  task(func() error { return s.run("SELECT 1") }),
		"reset": task(func() error { return s.run(s.drop()...) }),
		"count": figure("rows", func() (int64, error) { return s.number(s.count) }),
		"sum":   figure("sum", func() (int64, error) { return s.number(s.sum) }),
	}
	maps.Copy(calls, others)
	return calls
}

const deadlockRetries = 1000

// sqlLane is a connection of one worker.
type sqlLane struct {
	store *sqlStore
	link  link
	// many has the names of prepared statements by how many keys they take.
	many     map[int]string
	together bool
	// addsFirst is true where an increment is an UPDATE, and makes its counter only where that met none.
	addsFirst bool
	isOpen    bool
	// cause is the error that rolled writes of the transaction back; the next commit tells.
	cause error
}

// lane is a connection with some statements prepared.
func (s *sqlStore) lane(texts map[string]string) (*sqlLane, error) {
	link, err := s.connect(operationLimit(s.job))
	if err != nil {
		return nil, err
	}
	for name, text := range texts {
		if err = link.prepare(name, text); err != nil {
			link.close()
			return nil, err
		}
	}
	return &sqlLane{store: s, link: link, many: map[int]string{}}, nil
}

func (s *sqlStore) Open() (protocol.Lane, error) { return s.lane(map[string]string{"read": s.read}) }

// Connect prepares the statements of the phase.
func (s *sqlStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	texts := map[string]string{
		"load": s.load, "insert": s.insert, "read": s.read, "update": s.update, "delete": s.remove, "scan": s.scan,
		"latest": s.latest, "increment": s.increment, "search": s.search(phase.SearchField),
	}
	maps.DeleteFunc(texts, func(name, _ string) bool { return !phase.Does(name) })
	// In a longer transaction an UPDATE that meets no row locks the gap, and others that make counters there wait for it.
	together := phase.CommitEvery > 1
	addsFirst := s.add != "" && phase.Does("increment") && !together
	if addsFirst {
		texts["add"] = s.add
	}
	l, err := s.lane(texts)
	if err != nil {
		return nil, err
	}
	l.together, l.addsFirst = together, addsFirst
	if phase.ReadScope == "snapshot" {
		if err = l.link.run(s.snapshot); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// write executes a statement, in a transaction where writes are committed together; how many rows it met.
func (l *sqlLane) write(name string, args ...any) (int64, error) {
	if l.together && !l.isOpen {
		if err := l.link.run(l.store.begin); err != nil {
			return 0, err
		}
		l.isOpen = true
	}
	met, err := l.link.exec(name, args...)
	if err != nil && l.isOpen && !l.store.isDuplicate(err) {
		l.cause, l.isOpen = err, false
		// A connection that cannot even roll back fails in the next statement.
		_ = l.link.run("ROLLBACK")
	}
	return met, err
}

func (l *sqlLane) Commit() error {
	isOpen, cause := l.isOpen, l.cause
	l.isOpen, l.cause = false, nil
	if isOpen {
		if err := l.link.run("COMMIT"); err != nil {
			// Some keep the transaction then; one that is gone already is no matter.
			_ = l.link.run("ROLLBACK")
			return err
		}
	}
	if cause != nil {
		return fmt.Errorf("writes of this transaction were rolled back after: %w", cause)
	}
	return nil
}

func (l *sqlLane) Load(row *protocol.Row) error {
	_, err := l.write("load", append([]any{row.Key.Arg}, row.Fields...)...)
	return err
}

// Insert of a key that is there fails, or meets no row.
func (l *sqlLane) Insert(row *protocol.Row) (protocol.Outcome, error) {
	met, err := l.write("insert", append([]any{row.Key.Arg}, row.Fields...)...)
	if err != nil && l.store.isDuplicate(err) {
		return protocol.Exists, nil
	}
	return done(met > 0, protocol.Exists), err
}

func (l *sqlLane) Update(row *protocol.Row) (protocol.Outcome, error) {
	met, err := l.write("update", append(row.Fields, row.Key.Arg)...)
	return done(met > 0, protocol.Missing), err
}

func (l *sqlLane) Delete(key protocol.Key) (protocol.Outcome, error) {
	met, err := l.write("delete", key.Arg)
	return done(met > 0, protocol.Missing), err
}

// Increment is tried again after a deadlock: connections that make the same counters wait for each other, and nothing
// was written.
func (l *sqlLane) Increment(counter uint32) (err error) {
	for range deadlockRetries {
		if err = l.addOrMake(int64(counter)); err == nil || l.together || !l.store.isDeadlock(err) {
			break
		}
	}
	return err
}

// addOrMake adds to a counter, and makes it where it is not there: the second statement allows for another connection
// that made it first.
func (l *sqlLane) addOrMake(counter int64) error {
	if l.addsFirst {
		if met, err := l.write("add", counter); err != nil || met > 0 || l.store.keepsNoCounters {
			return err
		}
	}
	_, err := l.write("increment", counter)
	return err
}

// cells are those of the columns from number first on, and where to scan them.
func (l *sqlLane) cells(first int) ([]protocol.Cell, []any) {
	fields := l.store.fields[first:]
	cells, targets := make([]protocol.Cell, len(fields)), make([]any, len(fields))
	for at := range fields {
		if fields[at].Type == "int64" {
			targets[at] = &cells[at].Int
		} else {
			targets[at] = &cells[at].Bytes
		}
	}
	return cells, targets
}

func (l *sqlLane) Read(key protocol.Key) (answer protocol.Answer, err error) {
	err = l.link.query(func() []any {
		cells, targets := l.cells(1)
		answer = protocol.Answer{Found: true, Cells: cells}
		return targets
	}, "read", key.Arg)
	return answer, err
}

func (l *sqlLane) all(name string, args ...any) (answers []protocol.Answer, err error) {
	var cells [][]protocol.Cell
	err = l.link.query(func() []any {
		row, targets := l.cells(0)
		cells = append(cells, row)
		return targets
	}, name, args...)
	answers = make([]protocol.Answer, len(cells))
	for at, row := range cells {
		answers[at] = protocol.Answer{Found: true, Key: row[0], Cells: row[1:]}
	}
	return answers, err
}

// MultiRead prepares a statement for each number of keys that comes.
func (l *sqlLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	name := l.many[len(keys)]
	if name == "" {
		name = fmt.Sprintf("many-%d", len(keys))
		if err := l.link.prepare(name, l.store.many(len(keys))); err != nil {
			return nil, err
		}
		l.many[len(keys)] = name
	}
	rows, err := l.all(name, l.store.among(keys)...)
	return inOrder(keys, rows, l.store.hasTextKey()), err
}

// inOrder puts rows in the order of the keys that were asked for.
func inOrder(keys []protocol.Key, rows []protocol.Answer, textKey bool) []protocol.Answer {
	found := make(map[any]protocol.Answer, len(rows))
	for _, row := range rows {
		if textKey {
			found[string(row.Key.Bytes)] = row
		} else {
			found[row.Key.Int] = row
		}
	}
	answers := make([]protocol.Answer, len(keys))
	for at, key := range keys {
		answers[at] = found[key.Arg]
	}
	return answers
}

func (l *sqlLane) Scan() ([]protocol.Answer, error) { return l.all("scan") }

func (l *sqlLane) Latest(rows uint32) ([]protocol.Answer, error) {
	return l.all("latest", int64(rows))
}

func (l *sqlLane) Search(low, high uint32) ([]protocol.Answer, error) {
	return l.all("search", int64(low), int64(high))
}

func (l *sqlLane) Close() error { return l.link.close() }
