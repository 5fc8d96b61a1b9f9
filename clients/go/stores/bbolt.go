package stores

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"kurabe/protocol"
)

var (
	rowsBucket     = []byte("rows")
	countersBucket = []byte("counters")
	errNotMade     = errors.New("the file has no buckets yet; 'create' makes them")
	errNothingOpen = errors.New("nothing is open in a phase whose operation is to open the store")
)

// bboltStore is a file of two buckets, rows and counters. bbolt lets a process open a file once at a time and one
// writer at a time in: a write waits for the commits of others inside its own time.
type bboltStore struct {
	path    string
	options bolt.Options
	textKey bool
	lock    sync.Mutex
	// What all connections share, where it is open.
	db *bolt.DB
}

func openBbolt(job *protocol.Job) (protocol.Store, error) {
	dir, err := folder(job)
	if err == nil {
		err = refuseUnknown(job, "it has no_sync, no_freelist_sync, freelist_type", "no_sync", "no_freelist_sync", "freelist_type")
	}
	if err != nil {
		return nil, err
	}
	s := &bboltStore{path: filepath.Join(dir, "data.bbolt"), textKey: job.Schema.Fields[0].Type == "text"}
	s.options = *bolt.DefaultOptions
	// The lock of the file is free: nobody else has the folder.
	s.options.Timeout = time.Duration(max(job.Limits.CallNs, int64(time.Second)))
	for name, flag := range map[string]*bool{"no_sync": &s.options.NoSync, "no_freelist_sync": &s.options.NoFreelistSync} {
		switch value := job.Settings[name]; value {
		case "", "false":
		case "true":
			*flag = true
		default:
			return nil, fmt.Errorf("%s cannot be '%s'; it is true or false", name, value)
		}
	}
	switch value := job.Settings["freelist_type"]; value {
	case "":
	case string(bolt.FreelistArrayType), string(bolt.FreelistMapType):
		s.options.FreelistType = bolt.FreelistType(value)
	default:
		return nil, fmt.Errorf("freelist_type cannot be '%s'; it is %s or %s", value, bolt.FreelistArrayType, bolt.FreelistMapType)
	}
	_, err = s.open()
	return s, err
}

func (s *bboltStore) Receipt() protocol.Receipt {
	return protocol.Receipt{
		Libraries: []string{"go.etcd.io/bbolt"},
		Capabilities: map[string]any{
			"operations":      allOperations,
			"transactions":    true,
			"read_scopes":     []string{"each", "snapshot"},
			"max_value_bytes": bolt.MaxValueSize,
		},
	}
}

// anew opens the file.
func (s *bboltStore) anew() (*bolt.DB, error) {
	options := s.options
	return bolt.Open(s.path, 0o600, &options)
}

// open gives what all share; opens it where it is not open.
func (s *bboltStore) open() (_ *bolt.DB, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.db == nil {
		s.db, err = s.anew()
	}
	return s.db, err
}

// closed does something while the file is not open; others wait.
func (s *bboltStore) closed(work func() error) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.db != nil {
		if err := s.db.Close(); err != nil {
			return err
		}
		s.db = nil
	}
	return work()
}

func (s *bboltStore) Lost(error) bool { return false }

func (s *bboltStore) view(work func(*bolt.Tx) error) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	return db.View(work)
}

func (s *bboltStore) change(work func(*bolt.Tx) error) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	return db.Update(work)
}

func (s *bboltStore) Calls() protocol.Calls {
	remove := func(tx *bolt.Tx) error {
		for _, name := range [][]byte{rowsBucket, countersBucket} {
			if tx.Bucket(name) == nil {
				continue
			}
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
		}
		return nil
	}
	return protocol.Calls{
		"ping":     func() (any, error) { return succeeded(s.view(func(*bolt.Tx) error { return nil })) },
		"info":     func() (any, error) { return protocol.Texts{"version": Version("go.etcd.io/bbolt")}, nil },
		"settings": s.settings,
		"create": func() (any, error) {
			return succeeded(s.change(func(tx *bolt.Tx) error {
				err := remove(tx)
				for _, name := range [][]byte{rowsBucket, countersBucket} {
					if err == nil {
						_, err = tx.CreateBucket(name)
					}
				}
				return err
			}))
		},
		"reset": func() (any, error) { return succeeded(s.change(remove)) },
		"count": func() (any, error) { return counted(s.count()) },
		"sum":   func() (any, error) { return summed(s.sum()) },
		"size":  func() (any, error) { return sized(s.size()) },
		"check": s.check,
	}
}

// settings are those of the open database.
func (s *bboltStore) settings() (any, error) {
	db, err := s.open()
	if err != nil {
		return nil, err
	}
	return protocol.Texts{
		"no_sync":          fmt.Sprint(db.NoSync),
		"no_freelist_sync": fmt.Sprint(db.NoFreelistSync),
		"freelist_type":    string(db.FreelistType),
	}, nil
}

func (s *bboltStore) count() (rows int64, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		if bucket := tx.Bucket(rowsBucket); bucket != nil {
			rows = int64(bucket.Stats().KeyN)
		}
		return nil
	})
	return rows, err
}

func (s *bboltStore) sum() (sum int64, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		bucket := tx.Bucket(countersBucket)
		if bucket == nil {
			return nil
		}
		return bucket.ForEach(func(_, value []byte) error { sum += counterOf(value); return nil })
	})
	return sum, err
}

// size is that of all pages up to the last, free ones among them too.
func (s *bboltStore) size() (bytes int64, err error) {
	err = s.view(func(tx *bolt.Tx) error { bytes = tx.Size(); return nil })
	return bytes, err
}

func (s *bboltStore) check() (any, error) {
	detail := "ok"
	err := s.view(func(tx *bolt.Tx) error {
		for problem := range tx.Check() {
			if detail == "ok" {
				detail = problem.Error()
			}
		}
		return nil
	})
	return checked(detail == "ok", detail), err
}

func (s *bboltStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	l := &bboltLane{store: s}
	if phase.Does("open") {
		return l, s.closed(func() error { return nil })
	}
	var err error
	if l.db, err = s.open(); err == nil && phase.ReadScope == "snapshot" {
		l.snapshot, err = l.db.Begin(false)
	}
	return l, err
}

// key as bytes whose order is that of the keys.
func (s *bboltStore) key(key protocol.Key) []byte {
	if s.textKey {
		return []byte(key.Text)
	}
	return binary.BigEndian.AppendUint64(nil, uint64(key.Arg.(int64)))
}

// answer copies a row: what bbolt gives is its own, as long as the transaction.
func (s *bboltStore) answer(key, value []byte) protocol.Answer {
	answer := protocol.Answer{Found: true, Raw: append([]byte(nil), value...)}
	if s.textKey {
		answer.Key.Bytes = append([]byte(nil), key...)
	} else if len(key) == 8 {
		answer.Key.Int = int64(binary.BigEndian.Uint64(key))
	}
	return answer
}

func counterOf(value []byte) int64 {
	if len(value) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(value))
}

// bboltLane is a goroutine's way into the file.
type bboltLane struct {
	store *bboltStore
	db    *bolt.DB
	// snapshot is what all reads of the phase see, where they share one.
	snapshot *bolt.Tx
	// writing holds writes that wait for their commit; other writers wait for it too.
	writing *bolt.Tx
	writes  int
	// undone counts writes that an error undid since the last commit.
	undone int
}

// write does something in the open transaction; begins one where none is open.
func (l *bboltLane) write(bucket []byte, work func(*bolt.Bucket) error) (err error) {
	if l.db == nil {
		return errNothingOpen
	}
	if l.writing == nil {
		if l.writing, err = l.db.Begin(true); err != nil {
			return err
		}
	}
	if found := l.writing.Bucket(bucket); found == nil {
		err = errNotMade
	} else if err = work(found); err == nil {
		l.writes++
		return nil
	}
	// What is left of the transaction cannot be trusted.
	l.undone += l.writes
	return errors.Join(err, l.rollBack())
}

func (l *bboltLane) rollBack() error {
	writing := l.writing
	l.writing, l.writes = nil, 0
	return writing.Rollback()
}

func (l *bboltLane) Commit() error {
	if undone := l.undone; undone > 0 {
		l.undone = 0
		err := fmt.Errorf("an earlier error undid %d writes of this transaction", undone)
		if l.writing != nil {
			err = errors.Join(err, l.rollBack())
		}
		return err
	}
	if l.writing == nil {
		return nil
	}
	writing := l.writing
	l.writing, l.writes = nil, 0
	return writing.Commit()
}

func inRows(tx *bolt.Tx, work func(*bolt.Bucket)) error {
	rows := tx.Bucket(rowsBucket)
	if rows == nil {
		return errNotMade
	}
	work(rows)
	return nil
}

// read does something in the transaction that reads belong to now.
func (l *bboltLane) read(work func(*bolt.Bucket)) error {
	look := func(tx *bolt.Tx) error { return inRows(tx, work) }
	switch {
	case l.writing != nil:
		return look(l.writing)
	case l.snapshot != nil:
		return look(l.snapshot)
	case l.db == nil:
		return errNothingOpen
	}
	return l.db.View(look)
}

func (l *bboltLane) Load(row *protocol.Row) error {
	key := l.store.key(row.Key)
	return l.write(rowsBucket, func(rows *bolt.Bucket) error { return rows.Put(key, row.Raw) })
}

// put writes where the key is there, or where it is not: bbolt has no such write, so a look comes first.
func (l *bboltLane) put(row *protocol.Row, mustExist bool, otherwise protocol.Outcome) (outcome protocol.Outcome, err error) {
	key := l.store.key(row.Key)
	err = l.write(rowsBucket, func(rows *bolt.Bucket) error {
		if _, exists := find(rows, key); exists != mustExist {
			outcome = otherwise
			return nil
		}
		return rows.Put(key, row.Raw)
	})
	return outcome, err
}

func (l *bboltLane) Insert(row *protocol.Row) (protocol.Outcome, error) {
	return l.put(row, false, protocol.Exists)
}
func (l *bboltLane) Update(row *protocol.Row) (protocol.Outcome, error) {
	return l.put(row, true, protocol.Missing)
}

// Delete looks first: bbolt does not tell whether there was a row.
func (l *bboltLane) Delete(key protocol.Key) (outcome protocol.Outcome, err error) {
	name := l.store.key(key)
	err = l.write(rowsBucket, func(rows *bolt.Bucket) error {
		if _, exists := find(rows, name); !exists {
			outcome = protocol.Missing
			return nil
		}
		return rows.Delete(name)
	})
	return outcome, err
}

func (l *bboltLane) Increment(counter uint32) error {
	name := binary.BigEndian.AppendUint32(nil, counter)
	return l.write(countersBucket, func(counters *bolt.Bucket) error {
		count := counterOf(counters.Get(name)) + 1
		return counters.Put(name, binary.BigEndian.AppendUint64(nil, uint64(count)))
	})
}

func (l *bboltLane) get(rows *bolt.Bucket, key protocol.Key) protocol.Answer {
	if value, exists := find(rows, l.store.key(key)); exists {
		return protocol.Answer{Found: true, Raw: append([]byte(nil), value...)}
	}
	return protocol.Answer{}
}

// find does what Get does, which cannot tell an empty value of its own transaction from none.
func find(rows *bolt.Bucket, name []byte) (value []byte, exists bool) {
	found, value := rows.Cursor().Seek(name)
	return value, bytes.Equal(found, name) && found != nil
}

func (l *bboltLane) Read(key protocol.Key) (answer protocol.Answer, err error) {
	err = l.read(func(rows *bolt.Bucket) { answer = l.get(rows, key) })
	return answer, err
}

// MultiRead is a get for each key, all in one transaction.
func (l *bboltLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	answers := make([]protocol.Answer, len(keys))
	return answers, l.read(func(rows *bolt.Bucket) {
		for at, key := range keys {
			answers[at] = l.get(rows, key)
		}
	})
}

func (l *bboltLane) Scan() (answers []protocol.Answer, err error) {
	err = l.read(func(rows *bolt.Bucket) {
		cursor := rows.Cursor()
		for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
			answers = append(answers, l.store.answer(key, value))
		}
	})
	return answers, err
}

func (l *bboltLane) Latest(rows uint32) (answers []protocol.Answer, err error) {
	err = l.read(func(bucket *bolt.Bucket) {
		cursor := bucket.Cursor()
		for key, value := cursor.Last(); key != nil && len(answers) < int(rows); key, value = cursor.Prev() {
			answers = append(answers, l.store.answer(key, value))
		}
	})
	return answers, err
}

func (l *bboltLane) Search(uint32, uint32) ([]protocol.Answer, error) { return nil, errUnsupported }

// Open opens the file alone, reads each row in a transaction of its own, and closes it.
func (l *bboltLane) Open(keys []protocol.Key) ([]protocol.Answer, error) {
	answers := make([]protocol.Answer, len(keys))
	return answers, l.store.closed(func() error {
		db, err := l.store.anew()
		if err != nil {
			return err
		}
		for at, key := range keys {
			err = db.View(func(tx *bolt.Tx) error {
				return inRows(tx, func(rows *bolt.Bucket) { answers[at] = l.get(rows, key) })
			})
			if err != nil {
				return errors.Join(err, db.Close())
			}
		}
		return db.Close()
	})
}

func (l *bboltLane) Close() {
	if l.writing != nil {
		l.writing.Rollback()
	}
	if l.snapshot != nil {
		l.snapshot.Rollback()
	}
}
