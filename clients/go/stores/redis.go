package stores

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
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

// redisStore is Redis or another that speaks as it does: a string a row, `namespace:key`, and one a counter,
// `namespace+number`.
type redisStore struct {
	job            *protocol.Job
	options        *redis.Options
	rows, counters string
}

func openRedis(job *protocol.Job, _ *url.URL) (protocol.Store, error) {
	options, err := redis.ParseURL(job.URL)
	if err != nil {
		return nil, errUnreadable
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

func (s *redisStore) Capabilities() map[string]any {
	return map[string]any{
		"operations": plainOperations, "max_connections": 1000, "processes": true, "max_value_bytes": 512 << 20,
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

// Lost is all but what the server answers.
func (s *redisStore) Lost(err error) bool { return !isAnswer(err) }

func isAnswer(err error) bool {
	var answered redis.Error
	return errors.As(err, &answered)
}

type redisLane struct {
	plain
	store  *redisStore
	client *redis.Client
}

func (s *redisStore) Open() (protocol.Lane, error) {
	return &redisLane{store: s, client: s.client()}, nil
}

func (s *redisStore) Connect(*protocol.Phase, *protocol.Values) (protocol.Lane, error) {
	return s.lane()
}

// lane is one that has connected.
func (s *redisStore) lane() (*redisLane, error) {
	l := &redisLane{store: s, client: s.client()}
	if err := l.client.Ping(ctx).Err(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (s *redisStore) Calls() protocol.Calls {
	over := over[*redisLane]{s.lane}
	return protocol.Calls{
		"ping":     over.task(func(*redisLane) error { return nil }),
		"info":     over.call((*redisLane).info),
		"settings": over.call((*redisLane).settings),
		"create":   over.task((*redisLane).reset),
		"reset":    over.task((*redisLane).reset),
		"count":    over.figure("rows", (*redisLane).count),
		"sum":      over.figure("sum", (*redisLane).sum),
		"size":     over.figure("bytes", (*redisLane).size),
		"evicts":   over.call((*redisLane).evicts),
	}
}

// section gives the fields of a section of INFO; what is what of them is asked for.
func (l *redisLane) section(name, what string) (protocol.Texts, error) {
	texts := protocol.Texts{}
	info, err := l.client.Info(ctx, name).Result()
	for _, line := range strings.Split(info, "\r\n") {
		if name, value, isField := strings.Cut(line, ":"); isField {
			texts[name] = value
		}
	}
	// What the user of the address may not read, or what a hosted server has taken away.
	if redis.HasErrorPrefix(err, "NOPERM") || redis.HasErrorPrefix(err, "unknown command") {
		err = Denied{what, err}
	}
	return texts, err
}

// info is what the server tells to be, and whether it is a replica, which takes no writes.
func (l *redisLane) info() (any, error) {
	const what = "what the server tells about itself"
	told, err := l.section("server", what)
	if err != nil {
		return nil, err
	}
	replication, err := l.section("replication", what)
	texts := picked(told, "server_name", "redis_mode", "server_mode", "multiplexing_api")
	maps.Copy(texts, picked(replication, "role"))
	var products []string
	for name, version := range told {
		if product, isVersion := strings.CutSuffix(name, "_version"); isVersion {
			texts[name] = version
			if product != "redis" && product != "gcc" {
				products = append(products, name)
			}
		}
	}
	texts["version"] = told["redis_version"]
	// Redis's own version is what other products say that they can do.
	if version := told[told["server_name"]+"_version"]; version != "" {
		texts["version"] = version
	} else if len(products) == 1 {
		texts["version"] = told[products[0]]
	}
	return texts, err
}

func (l *redisLane) settings() (any, error) {
	texts := protocol.Texts{}
	// One name a command: servers before version 7 take no more.
	for _, name := range redisSettings {
		found, err := l.client.ConfigGet(ctx, name).Result()
		if isAnswer(err) {
			// Some users may not ask for them, and hosted servers do not know the command.
			err = Denied{"settings of the server", err}
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(texts, found)
	}
	return texts, nil
}

func (l *redisLane) evicts() (any, error) {
	told, err := l.section("memory", "whether the server throws keys away")
	if err != nil {
		return nil, err
	}
	limit, policy := told["maxmemory"], told["maxmemory_policy"]
	if limit == "" || limit == "0" || policy == "" || policy == "noeviction" {
		return protocol.Texts{}, nil
	}
	return protocol.Texts{"policy": fmt.Sprintf("maxmemory %s, maxmemory-policy %s", limit, policy)}, nil
}

// size is the memory of the whole server, which knows no size of a part of its keys.
func (l *redisLane) size() (int64, error) {
	told, err := l.section("memory", "memory of the server")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(told["used_memory"], 10, 64)
}

// each gives the names that begin with a prefix to take, each once, some at a time.
func (l *redisLane) each(prefix string, take func([]string) error) error {
	names := map[string]bool{}
	found := l.client.Scan(ctx, 0, prefix+"*", atOnce).Iterator()
	for found.Next(ctx) {
		names[found.Val()] = true
	}
	if err := found.Err(); err != nil {
		return err
	}
	for some := range slices.Chunk(slices.Collect(maps.Keys(names)), atOnce) {
		if err := take(some); err != nil {
			return err
		}
	}
	return nil
}

func (l *redisLane) reset() error {
	remove := func(names []string) error { return l.client.Del(ctx, names...).Err() }
	return errors.Join(l.each(l.store.rows, remove), l.each(l.store.counters, remove))
}

func (l *redisLane) count() (rows int64, err error) {
	err = l.each(l.store.rows, func(names []string) error { rows += int64(len(names)); return nil })
	return rows, err
}

func (l *redisLane) sum() (sum int64, err error) {
	err = l.each(l.store.counters, func(names []string) error {
		values, err := l.client.MGet(ctx, names...).Result()
		for _, value := range values {
			text, _ := value.(string)
			number, _ := strconv.ParseInt(text, 10, 64)
			sum += number
		}
		return err
	})
	return sum, err
}

func (l *redisLane) Load(row *protocol.Row) error {
	return l.client.Set(ctx, l.store.rows+row.Key.Text, row.Raw, 0).Err()
}

// set writes where mode, NX or XX, lets it.
func (l *redisLane) set(row *protocol.Row, mode string, otherwise protocol.Outcome) (protocol.Outcome, error) {
	err := l.client.SetArgs(ctx, l.store.rows+row.Key.Text, row.Raw, redis.SetArgs{Mode: mode}).Err()
	return unless(err, redis.Nil, otherwise)
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

func (l *redisLane) Read(key protocol.Key) (protocol.Answer, error) {
	raw, err := l.client.Get(ctx, l.store.rows+key.Text).Bytes()
	if err == redis.Nil {
		return protocol.Answer{}, nil
	}
	return protocol.Answer{Found: true, Raw: raw}, err
}

func (l *redisLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	values, err := l.client.MGet(ctx, named(l.store.rows, keys)...).Result()
	answers := make([]protocol.Answer, len(keys))
	for at, value := range values {
		if text, isThere := value.(string); isThere {
			answers[at] = protocol.Answer{Found: true, Raw: []byte(text)}
		}
	}
	return answers, err
}

func (l *redisLane) Close() error { return l.client.Close() }
