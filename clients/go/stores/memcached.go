package stores

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"kurabe/protocol"
)

const (
	// itemBytes is the longest item where the server does not tell, and itemHeadBytes what of it is neither name nor value.
	itemBytes     = 1 << 20
	itemHeadBytes = 63
	nameBytes     = 250
	patience      = time.Second
	keysAtOnce    = 100
	// longestGap is so many rows that are not there, one after the other, as are the end of those that were inserted.
	longestGap = 20_000
)

// memcachedStore has an item a row, `namespace:key`, and one a counter, `namespace+number`. The server can name none of
// its keys for certain, so rows are counted and removed by asking for those that there can be.
type memcachedStore struct {
	job             *protocol.Job
	network, server string
	rows, counters  string
	lock            sync.Mutex
	values          *protocol.Values
	// First rows of inserts.
	inserted []uint64
	// Items that the server had thrown away when the namespace was made.
	evicted int64
}

func openMemcached(job *protocol.Job, at *url.URL) (protocol.Store, error) {
	s := &memcachedStore{job: job, network: "tcp", server: at.Host, inserted: []uint64{job.Rows}}
	s.rows, s.counters = job.Namespace+":", job.Namespace+"+"
	if at.Host == "" {
		s.network, s.server = "unix", at.Path
	}
	s.values = protocol.NewValues(job.Schema.Fields, nil, false)
	return s, nil
}

func (s *memcachedStore) Capabilities() map[string]any {
	longest := int64(itemBytes)
	// It may not be up yet.
	if told, err := s.stats("stats settings", patience); err == nil {
		longest = number(told, "item_size_max")
	}
	longestName := int64(len(s.rows) + max(10, len(s.values.Key(0).Text)))
	return map[string]any{
		"operations": plainOperations, "max_connections": 1000, "processes": true,
		"max_value_bytes": longest - itemHeadBytes - longestName, "max_key_bytes": nameBytes - len(s.rows),
	}
}

// client is a client with a connection of its own, which the first operation makes.
func (s *memcachedStore) client() *memcache.Client {
	client := memcache.New(s.server)
	client.Timeout = operationLimit(s.job)
	client.MaxIdleConns = 1
	return client
}

// Lost is all that comes of the connection. The library closes it after a refusal of the server too, and makes another
// with the next operation; that one is not gone.
func (s *memcachedStore) Lost(err error) bool {
	var failed net.Error
	var timeout *memcache.ConnectTimeoutError
	return errors.As(err, &failed) || errors.As(err, &timeout) || strings.Contains(err.Error(), "EOF")
}

// stats asks for figures of the server, which the library has no command for.
func (s *memcachedStore) stats(command string, limit time.Duration) (protocol.Texts, error) {
	conn, err := net.DialTimeout(s.network, s.server, limit)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err = conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return nil, err
	}
	if _, err = fmt.Fprintf(conn, "%s\r\n", command); err != nil {
		return nil, err
	}
	texts := protocol.Texts{}
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		switch words := strings.SplitN(lines.Text(), " ", 3); {
		case words[0] == "END":
			return texts, nil
		case words[0] == "STAT" && len(words) == 3:
			texts[words[1]] = words[2]
		default:
			return nil, fmt.Errorf("the server answered '%s' to '%s'", lines.Text(), command)
		}
	}
	return nil, errors.Join(errors.New("the server closed the connection"), lines.Err())
}

func number(texts protocol.Texts, name string) int64 {
	value, _ := strconv.ParseInt(texts[name], 10, 64)
	return value
}

func (s *memcachedStore) stat(name string) (int64, error) {
	told, err := s.stats("stats", callLimit(s.job))
	return number(told, name), err
}

func (s *memcachedStore) Calls() protocol.Calls {
	over := over[*memcachedLane]{s.lane}
	return protocol.Calls{
		"ping":     over.task(func(*memcachedLane) error { return nil }),
		"info":     s.info,
		"settings": s.settings,
		"evicts":   s.evicts,
		"create":   over.task((*memcachedLane).create),
		"reset":    over.task((*memcachedLane).reset),
		"count":    over.figure("rows", (*memcachedLane).count),
		"sum":      over.figure("sum", (*memcachedLane).sum),
		"size":     figure("bytes", func() (int64, error) { return s.stat("bytes") }),
	}
}

func (s *memcachedStore) info() (any, error) {
	told, err := s.stats("stats", callLimit(s.job))
	return protocol.Texts{"version": told["version"]}, err
}

func (s *memcachedStore) settings() (any, error) {
	told, err := s.stats("stats settings", callLimit(s.job))
	return picked(told, "evictions", "item_size_max", "maxbytes", "maxconns", "num_threads"), err
}

// evicts: it throws items away where its memory (-m) is full, unless it was told to refuse new ones instead (-M).
func (s *memcachedStore) evicts() (any, error) {
	settings, err := s.stats("stats settings", callLimit(s.job))
	if err != nil || settings["evictions"] == "off" {
		return map[string]any{}, err
	}
	told, err := s.stats("stats", callLimit(s.job))
	limit := number(told, "limit_maxbytes")
	policy := fmt.Sprintf("evictions on, limit_maxbytes %d", limit)
	return map[string]any{"policy": policy, "room_bytes": max(0, limit-number(told, "bytes"))}, err
}

func (s *memcachedStore) row(number uint64) string { return s.rows + s.values.Key(uint32(number)).Text }

func (s *memcachedStore) counter(number uint64) string {
	return s.counters + strconv.FormatUint(number, 10)
}

type memcachedLane struct {
	plain
	store     *memcachedStore
	client    *memcache.Client
	hasInsert bool
}

func (s *memcachedStore) Open() (protocol.Lane, error) {
	return &memcachedLane{store: s, client: s.client()}, nil
}

func (s *memcachedStore) Connect(*protocol.Phase, *protocol.Values) (protocol.Lane, error) {
	return s.lane()
}

// lane is one that has connected.
func (s *memcachedStore) lane() (*memcachedLane, error) {
	l := &memcachedLane{store: s, client: s.client()}
	if err := l.client.Ping(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

type taking func(map[string]*memcache.Item) error

// items gives those of some rows or counters that are there to take; how many there are.
func (l *memcachedLane) items(first, end uint64, name func(uint64) string, take taking) (int, error) {
	var names []string
	for at := first; at < end; at++ {
		names = append(names, name(at))
	}
	found, err := l.client.GetMulti(names)
	if err == nil {
		err = take(found)
	}
	return len(found), err
}

// loaded gives the items of all rows of the load, or of their counters, some at a time.
func (l *memcachedLane) loaded(name func(uint64) string, take taking) error {
	rows := l.store.job.Rows
	for row := uint64(0); row < rows; row += keysAtOnce {
		if _, err := l.items(row, min(row+keysAtOnce, rows), name, take); err != nil {
			return err
		}
	}
	return nil
}

// each gives the items of rows that are there, some at a time.
func (l *memcachedLane) each(take taking) error {
	if err := l.loaded(l.store.row, take); err != nil {
		return err
	}
	l.store.lock.Lock()
	starts := slices.Sorted(slices.Values(l.store.inserted))
	l.store.lock.Unlock()
	// Those of the load were asked for above.
	next := l.store.job.Rows
	for _, start := range starts {
		next = max(next, start)
		for missing := 0; missing < longestGap; next += keysAtOnce {
			found, err := l.items(next, next+keysAtOnce, l.store.row, take)
			if err != nil {
				return err
			}
			if missing += keysAtOnce; found > 0 {
				missing = 0
			}
		}
	}
	return nil
}

func (l *memcachedLane) create() (err error) {
	if err = l.reset(); err == nil {
		l.store.evicted, err = l.store.stat("evictions")
	}
	return err
}

func (l *memcachedLane) reset() error {
	remove := func(found map[string]*memcache.Item) error {
		for name := range found {
			if err := l.client.Delete(name); err != nil && err != memcache.ErrCacheMiss {
				return err
			}
		}
		return nil
	}
	if err := l.each(remove); err != nil {
		return err
	}
	return l.loaded(l.store.counter, remove)
}

// count asks for each row. A server that threw items away for want of room has lost rows, whichever they were.
func (l *memcachedLane) count() (rows int64, err error) {
	evictions, err := l.store.stat("evictions")
	if err != nil {
		return 0, err
	}
	if evicted := evictions - l.store.evicted; evicted > 0 {
		return 0, fmt.Errorf("the server threw %d items away for want of memory; start it with more (-m), or with -M", evicted)
	}
	err = l.each(func(found map[string]*memcache.Item) error { rows += int64(len(found)); return nil })
	return rows, err
}

func (l *memcachedLane) sum() (sum int64, err error) {
	err = l.loaded(l.store.counter, func(found map[string]*memcache.Item) error {
		for _, item := range found {
			count, err := strconv.ParseInt(strings.TrimSpace(string(item.Value)), 10, 64)
			if err != nil {
				return err
			}
			sum += count
		}
		return nil
	})
	return sum, err
}

func (l *memcachedLane) item(row *protocol.Row) *memcache.Item {
	return &memcache.Item{Key: l.store.rows + row.Key.Text, Value: row.Raw}
}

func (l *memcachedLane) Load(row *protocol.Row) error { return l.client.Set(l.item(row)) }

func (l *memcachedLane) Insert(row *protocol.Row) (protocol.Outcome, error) {
	if !l.hasInsert {
		l.hasInsert = true
		l.store.lock.Lock()
		l.store.inserted = append(l.store.inserted, uint64(row.Number))
		l.store.lock.Unlock()
	}
	return unless(l.client.Add(l.item(row)), memcache.ErrNotStored, protocol.Exists)
}

func (l *memcachedLane) Update(row *protocol.Row) (protocol.Outcome, error) {
	return unless(l.client.Replace(l.item(row)), memcache.ErrNotStored, protocol.Missing)
}

func (l *memcachedLane) Delete(key protocol.Key) (protocol.Outcome, error) {
	return unless(l.client.Delete(l.store.rows+key.Text), memcache.ErrCacheMiss, protocol.Missing)
}

// Increment adds the counter where there is none, as the text protocol makes none, unless another was quicker.
func (l *memcachedLane) Increment(counter uint32) error {
	name := l.store.counter(uint64(counter))
	for {
		_, err := l.client.Increment(name, 1)
		if err != memcache.ErrCacheMiss {
			return err
		}
		err = l.client.Add(&memcache.Item{Key: name, Value: []byte("1")})
		if err != memcache.ErrNotStored {
			return err
		}
	}
}

func (l *memcachedLane) Read(key protocol.Key) (protocol.Answer, error) {
	item, err := l.client.Get(l.store.rows + key.Text)
	if err == memcache.ErrCacheMiss {
		return protocol.Answer{}, nil
	} else if err != nil {
		return protocol.Answer{}, err
	}
	return protocol.Answer{Found: true, Raw: item.Value}, nil
}

func (l *memcachedLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	names := named(l.store.rows, keys)
	found, err := l.client.GetMulti(names)
	answers := make([]protocol.Answer, len(keys))
	for at, name := range names {
		if item := found[name]; item != nil {
			answers[at] = protocol.Answer{Found: true, Raw: item.Value}
		}
	}
	return answers, err
}

func (l *memcachedLane) Close() error { return l.client.Close() }
