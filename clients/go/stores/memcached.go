package stores

import (
	"bufio"
	"errors"
	"fmt"
	"net"
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

var memcachedSettings = []string{"evictions", "item_size_max", "maxbytes", "maxconns", "num_threads"}

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

func openMemcached(job *protocol.Job) (protocol.Store, error) {
	parsed, err := address(job, "memcache://host:port or memcache:///path", "memcache")
	if err == nil {
		err = refuseUnknown(job, "give the server arguments")
	}
	if err != nil {
		return nil, err
	}
	s := &memcachedStore{job: job, network: "tcp", server: parsed.Host, inserted: []uint64{job.Rows}}
	s.rows, s.counters = job.Namespace+":", job.Namespace+"+"
	if parsed.Host == "" {
		s.network, s.server = "unix", parsed.Path
	}
	s.values = protocol.NewValues(job.Schema.Fields, nil, false)
	return s, nil
}

// longestName is the length of the longest name that a row can have.
func (s *memcachedStore) longestName() int {
	return len(s.rows) + max(10, len(s.values.Key(0).Text))
}

func (s *memcachedStore) Receipt() protocol.Receipt {
	longest := int64(itemBytes)
	// It may not be up yet.
	if told, err := s.stats("stats settings", patience); err == nil {
		longest = number(told, "item_size_max")
	}
	return protocol.Receipt{
		Libraries: []string{"github.com/bradfitz/gomemcache"},
		Capabilities: map[string]any{
			"operations":      plainOperations,
			"max_connections": 1000,
			"processes":       true,
			"max_value_bytes": longest - itemHeadBytes - int64(s.longestName()),
			"max_key_bytes":   nameBytes - len(s.rows),
		},
	}
}

// client is a client with a connection of its own.
func (s *memcachedStore) client() (*memcache.Client, error) {
	client := memcache.New(s.server)
	client.Timeout = operationLimit(s.job)
	client.MaxIdleConns = 1
	return client, client.Ping()
}

func (s *memcachedStore) with(work func(*memcache.Client) error) error {
	client, err := s.client()
	if err == nil {
		err = work(client)
	}
	client.Close()
	return err
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

// each gives the items of rows that are there to take, some at a time.
func (s *memcachedStore) each(client *memcache.Client, take func(map[string]*memcache.Item) error) error {
	ask := func(first, end uint64) (int, error) {
		var names []string
		for row := first; row < end; row++ {
			names = append(names, s.rows+s.values.Key(uint32(row)).Text)
		}
		found, err := client.GetMulti(names)
		if err == nil {
			err = take(found)
		}
		return len(found), err
	}
	for row := uint64(0); row < s.job.Rows; row += keysAtOnce {
		if _, err := ask(row, min(row+keysAtOnce, s.job.Rows)); err != nil {
			return err
		}
	}
	s.lock.Lock()
	starts := slices.Sorted(slices.Values(s.inserted))
	s.lock.Unlock()
	// Those of the load were asked for above.
	next := s.job.Rows
	for _, start := range starts {
		next = max(next, start)
		for missing := 0; missing < longestGap; next += keysAtOnce {
			found, err := ask(next, next+keysAtOnce)
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

func (s *memcachedStore) eachCounter(client *memcache.Client, take func(map[string]*memcache.Item) error) error {
	for row := uint64(0); row < s.job.Rows; row += keysAtOnce {
		var names []string
		for counter := row; counter < min(row+keysAtOnce, s.job.Rows); counter++ {
			names = append(names, s.counters+strconv.FormatUint(counter, 10))
		}
		found, err := client.GetMulti(names)
		if err == nil {
			err = take(found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *memcachedStore) Calls() protocol.Calls {
	return protocol.Calls{
		"ping":     func() (any, error) { return succeeded(s.with(func(*memcache.Client) error { return nil })) },
		"info":     s.info,
		"settings": s.settings,
		"evicts":   s.evicts,
		"create":   s.create,
		"reset":    func() (any, error) { return succeeded(s.reset()) },
		"count":    func() (any, error) { return counted(s.count()) },
		"sum":      func() (any, error) { return summed(s.sum()) },
		"size":     func() (any, error) { return sized(s.stat("bytes")) },
	}
}

func (s *memcachedStore) info() (any, error) {
	told, err := s.stats("stats", callLimit(s.job))
	return protocol.Texts{"version": told["version"]}, err
}

func (s *memcachedStore) settings() (any, error) {
	told, err := s.stats("stats settings", callLimit(s.job))
	texts := protocol.Texts{}
	for _, name := range memcachedSettings {
		if value, isTold := told[name]; isTold {
			texts[name] = value
		}
	}
	return texts, err
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

func (s *memcachedStore) create() (any, error) {
	err := s.reset()
	if err == nil {
		s.evicted, err = s.stat("evictions")
	}
	return true, err
}

func (s *memcachedStore) reset() error {
	return s.with(func(client *memcache.Client) error {
		remove := func(found map[string]*memcache.Item) error {
			for name := range found {
				if err := client.Delete(name); err != nil && err != memcache.ErrCacheMiss {
					return err
				}
			}
			return nil
		}
		if err := s.each(client, remove); err != nil {
			return err
		}
		return s.eachCounter(client, remove)
	})
}

// count asks for each row. A server that threw items away for want of room has lost rows, whichever they were.
func (s *memcachedStore) count() (rows int64, err error) {
	evictions, err := s.stat("evictions")
	if err != nil {
		return 0, err
	}
	if evicted := evictions - s.evicted; evicted > 0 {
		return 0, fmt.Errorf("the server threw %d items away for want of memory; start it with more (-m), or with -M", evicted)
	}
	err = s.with(func(client *memcache.Client) error {
		return s.each(client, func(found map[string]*memcache.Item) error { rows += int64(len(found)); return nil })
	})
	return rows, err
}

func (s *memcachedStore) sum() (sum int64, err error) {
	err = s.with(func(client *memcache.Client) error {
		return s.eachCounter(client, func(found map[string]*memcache.Item) error {
			for _, item := range found {
				count, err := strconv.ParseInt(strings.TrimSpace(string(item.Value)), 10, 64)
				if err != nil {
					return err
				}
				sum += count
			}
			return nil
		})
	})
	return sum, err
}

func (s *memcachedStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	if phase.Does("open") {
		return &memcachedLane{store: s}, nil
	}
	client, err := s.client()
	if err != nil {
		client.Close()
		return nil, err
	}
	return &memcachedLane{store: s, client: client}, nil
}

type memcachedLane struct {
	plain
	store     *memcachedStore
	client    *memcache.Client
	hasInsert bool
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

// unless is done, or otherwise where the error is a certain one.
func unless(err, certain error, otherwise protocol.Outcome) (protocol.Outcome, error) {
	if err == certain {
		return otherwise, nil
	}
	return protocol.Done, err
}

// Increment adds the counter where there is none, as the text protocol makes none, unless another was quicker.
func (l *memcachedLane) Increment(counter uint32) error {
	name := l.store.counters + strconv.FormatUint(uint64(counter), 10)
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

func (l *memcachedLane) Read(key protocol.Key) (protocol.Answer, error) { return l.get(l.client, key) }

func (l *memcachedLane) get(client *memcache.Client, key protocol.Key) (protocol.Answer, error) {
	item, err := client.Get(l.store.rows + key.Text)
	if err == memcache.ErrCacheMiss {
		return protocol.Answer{}, nil
	} else if err != nil {
		return protocol.Answer{}, err
	}
	return protocol.Answer{Found: true, Raw: item.Value}, nil
}

func (l *memcachedLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	names := make([]string, len(keys))
	for at, key := range keys {
		names[at] = l.store.rows + key.Text
	}
	found, err := l.client.GetMulti(names)
	answers := make([]protocol.Answer, len(keys))
	for at, name := range names {
		if item := found[name]; item != nil {
			answers[at] = protocol.Answer{Found: true, Raw: item.Value}
		}
	}
	return answers, err
}

func (l *memcachedLane) Open(keys []protocol.Key) ([]protocol.Answer, error) {
	answers := make([]protocol.Answer, len(keys))
	client := memcache.New(l.store.server)
	client.Timeout = operationLimit(l.store.job)
	for at, key := range keys {
		var err error
		if answers[at], err = l.get(client, key); err != nil {
			return nil, errors.Join(err, client.Close())
		}
	}
	return answers, client.Close()
}

func (l *memcachedLane) Close() {
	if l.client != nil {
		l.client.Close()
	}
}
