package stores

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"kurabe/protocol"
)

const atOnce = 1000

var redisSettings = []string{
	"appendonly", "appendfsync", "io-threads", "no-appendfsync-on-rewrite", "save", "maxmemory", "maxmemory-policy",
}

// redisStore is Redis or Valkey: a string a row, `namespace:key`, and one a counter, `namespace+number`.
type redisStore struct {
	job            *protocol.Job
	options        *redis.Options
	rows, counters string
}

func openRedis(job *protocol.Job) (protocol.Store, error) {
	const expected = "redis://[user:password@]host:port[/database] or unix:///path"
	if _, err := address(job, expected, "redis", "unix"); err != nil {
		return nil, err
	}
	if err := refuseUnknown(job, "give the server arguments"); err != nil {
		return nil, err
	}
	options, err := redis.ParseURL(job.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of the server cannot be read: expected %s", expected)
	}
	limit := operationLimit(job)
	options.MaxRetries = -1
	options.PoolSize = 1
	options.DialerRetries = 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = limit, limit, limit
	// Nothing is sent but what is asked for.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return &redisStore{job, options, job.Namespace + ":", job.Namespace + "+"}, nil
}

func (s *redisStore) Receipt() protocol.Receipt {
	return protocol.Receipt{
		Libraries: []string{"github.com/redis/go-redis/v9"},
		Capabilities: map[string]any{
			"operations":      plainOperations,
			"max_connections": 1000,
			"processes":       true,
			"max_value_bytes": 512 << 20,
		},
	}
}

// client has a connection of its own, which the first command makes, and nothing else: the pool would make another in
// silence.
func (s *redisStore) client() *redis.Client {
	options := *s.options
	var dialled atomic.Bool
	dial := redis.NewDialer(&options)
	options.Dialer = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dialled.Swap(true) {
			return nil, errors.New("the connection is gone")
		}
		return dial(ctx, network, address)
	}
	return redis.NewClient(&options)
}

func (s *redisStore) with(work func(*redis.Client) error) error {
	client := s.client()
	defer client.Close()
	return work(client)
}

// Lost is all but what the server answers.
func (s *redisStore) Lost(err error) bool {
	var answered redis.Error
	return !errors.As(err, &answered)
}

// each gives the names that begin with a prefix to take, each once, some at a time.
func (s *redisStore) each(client *redis.Client, prefix string, take func([]string) error) error {
	seen := map[string]bool{}
	var names []string
	found := client.Scan(ctx, 0, prefix+"*", atOnce).Iterator()
	for found.Next(ctx) {
		if name := found.Val(); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	for len(names) > 0 {
		some := min(atOnce, len(names))
		if err := take(names[:some]); err != nil {
			return err
		}
		names = names[some:]
	}
	return nil
}

func (s *redisStore) Calls() protocol.Calls {
	return protocol.Calls{
		"ping": func() (any, error) {
			return succeeded(s.with(func(client *redis.Client) error { return client.Ping(ctx).Err() }))
		},
		"info":     s.info,
		"settings": s.settings,
		"create":   func() (any, error) { return succeeded(s.reset()) },
		"reset":    func() (any, error) { return succeeded(s.reset()) },
		"count":    func() (any, error) { return counted(s.count()) },
		"sum":      func() (any, error) { return summed(s.sum()) },
		"size":     func() (any, error) { return sized(s.size()) },
		"evicts":   s.evicts,
	}
}

// section gives the fields of a section of INFO.
func (s *redisStore) section(name string) (protocol.Texts, error) {
	texts := protocol.Texts{}
	err := s.with(func(client *redis.Client) error {
		info, err := client.Info(ctx, name).Result()
		for _, line := range strings.Split(info, "\r\n") {
			if name, value, isField := strings.Cut(line, ":"); isField {
				texts[name] = value
			}
		}
		return err
	})
	return texts, err
}

func (s *redisStore) info() (any, error) {
	told, err := s.section("server")
	if err != nil {
		return nil, refused("what the server tells about itself", err)
	}
	texts := protocol.Texts{"version": told["redis_version"]}
	for _, name := range []string{"server_name", "valkey_version", "redis_mode", "server_mode", "multiplexing_api"} {
		if value, isTold := told[name]; isTold {
			texts[name] = value
		}
	}
	// Whether it is a replica, which takes no writes.
	replication, err := s.section("replication")
	if err != nil {
		return nil, refused("what the server tells about itself", err)
	}
	if role, isTold := replication["role"]; isTold {
		texts["role"] = role
	}
	isValkey := told["server_name"] == "valkey" || told["valkey_version"] != ""
	switch wantsValkey := s.job.Candidate.Store == "valkey"; {
	case wantsValkey && !isValkey:
		err = another("Valkey", "Redis", "redis")
	case wantsValkey:
		texts["version"] = told["valkey_version"]
	case isValkey:
		err = another("Redis", "Valkey", "valkey")
	}
	return texts, err
}

func (s *redisStore) settings() (any, error) {
	texts := protocol.Texts{}
	err := s.with(func(client *redis.Client) error {
		// One name a command: servers before version 7 take no more.
		for _, name := range redisSettings {
			found, err := client.ConfigGet(ctx, name).Result()
			if err != nil {
				return err
			}
			for name, value := range found {
				texts[name] = value
			}
		}
		return nil
	})
	// Some users may not ask for them, and hosted servers do not know the command.
	isSignIn := redis.HasErrorPrefix(err, "WRONGPASS") || redis.HasErrorPrefix(err, "NOAUTH")
	if err != nil && !s.Lost(err) && !isSignIn {
		err = Denied{"settings of the server", err}
	}
	return texts, err
}

// refused is what the user of the address may not read, or what a hosted server has taken away.
func refused(what string, err error) error {
	if redis.HasErrorPrefix(err, "NOPERM") || redis.HasErrorPrefix(err, "unknown command") {
		return Denied{what, err}
	}
	return err
}

func (s *redisStore) evicts() (any, error) {
	told, err := s.section("memory")
	if err != nil {
		return nil, refused("whether the server throws keys away", err)
	}
	limit, policy := told["maxmemory"], told["maxmemory_policy"]
	if limit == "" || limit == "0" || policy == "" || policy == "noeviction" {
		return protocol.Texts{}, nil
	}
	return protocol.Texts{"policy": fmt.Sprintf("maxmemory %s, maxmemory-policy %s", limit, policy)}, nil
}

func (s *redisStore) reset() error {
	return s.with(func(client *redis.Client) error {
		remove := func(names []string) error { return client.Del(ctx, names...).Err() }
		if err := s.each(client, s.rows, remove); err != nil {
			return err
		}
		return s.each(client, s.counters, remove)
	})
}

func (s *redisStore) count() (rows int64, err error) {
	err = s.with(func(client *redis.Client) error {
		return s.each(client, s.rows, func(names []string) error { rows += int64(len(names)); return nil })
	})
	return rows, err
}

func (s *redisStore) sum() (sum int64, err error) {
	err = s.with(func(client *redis.Client) error {
		return s.each(client, s.counters, func(names []string) error {
			values, err := client.MGet(ctx, names...).Result()
			for _, value := range values {
				text, _ := value.(string)
				number, _ := strconv.ParseInt(text, 10, 64)
				sum += number
			}
			return err
		})
	})
	return sum, err
}

// size is the memory of the whole server, which knows no size of a part of its keys.
func (s *redisStore) size() (int64, error) {
	told, err := s.section("memory")
	if err != nil {
		return 0, refused("memory of the server", err)
	}
	return strconv.ParseInt(told["used_memory"], 10, 64)
}

func (s *redisStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	if phase.Does("open") {
		return &redisLane{store: s}, nil
	}
	l := &redisLane{store: s, client: s.client()}
	if err := l.client.Ping(ctx).Err(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

type redisLane struct {
	plain
	store  *redisStore
	client *redis.Client
}

func (l *redisLane) Load(row *protocol.Row) error {
	return l.client.Set(ctx, l.store.rows+row.Key.Text, row.Raw, 0).Err()
}

// set writes where mode, NX or XX, lets it.
func (l *redisLane) set(row *protocol.Row, mode string, otherwise protocol.Outcome) (protocol.Outcome, error) {
	err := l.client.SetArgs(ctx, l.store.rows+row.Key.Text, row.Raw, redis.SetArgs{Mode: mode}).Err()
	if err == redis.Nil {
		return otherwise, nil
	}
	return protocol.Done, err
}

func (l *redisLane) Insert(row *protocol.Row) (protocol.Outcome, error) {
	return l.set(row, "NX", protocol.Exists)
}
func (l *redisLane) Update(row *protocol.Row) (protocol.Outcome, error) {
	return l.set(row, "XX", protocol.Missing)
}

func (l *redisLane) Delete(key protocol.Key) (protocol.Outcome, error) {
	deleted, err := l.client.Del(ctx, l.store.rows+key.Text).Result()
	return done(deleted > 0, protocol.Missing), err
}

func (l *redisLane) Increment(counter uint32) error {
	return l.client.Incr(ctx, l.store.counters+strconv.FormatUint(uint64(counter), 10)).Err()
}

func (l *redisLane) Read(key protocol.Key) (protocol.Answer, error) { return l.get(l.client, key) }

func (l *redisLane) get(client *redis.Client, key protocol.Key) (protocol.Answer, error) {
	raw, err := client.Get(ctx, l.store.rows+key.Text).Bytes()
	if err == redis.Nil {
		return protocol.Answer{}, nil
	}
	return protocol.Answer{Found: true, Raw: raw}, err
}

func (l *redisLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	names := make([]string, len(keys))
	for at, key := range keys {
		names[at] = l.store.rows + key.Text
	}
	values, err := l.client.MGet(ctx, names...).Result()
	if err != nil {
		return nil, err
	}
	answers := make([]protocol.Answer, len(keys))
	for at, value := range values {
		if text, isThere := value.(string); isThere {
			answers[at] = protocol.Answer{Found: true, Raw: []byte(text)}
		}
	}
	return answers, nil
}

func (l *redisLane) Open(keys []protocol.Key) ([]protocol.Answer, error) {
	answers := make([]protocol.Answer, len(keys))
	return answers, l.store.with(func(client *redis.Client) (err error) {
		for at, key := range keys {
			if answers[at], err = l.get(client, key); err != nil {
				return err
			}
		}
		return nil
	})
}

func (l *redisLane) Close() {
	if l.client != nil {
		l.client.Close()
	}
}
