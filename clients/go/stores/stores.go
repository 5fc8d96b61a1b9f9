// Package stores has an adapter a store, each over the usual library of Go for it.
package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"kurabe/protocol"
)

// Nothing is cancelled: limits of time are those of connections and servers.
var ctx = context.Background()

var errUnsupported = errors.New("this store has no such operation")

// The operations that every store has, and those that need order or a look at all rows.
var (
	plainOperations = []string{"load", "insert", "read", "update", "delete", "multi-read", "increment", "open"}
	allOperations   = append([]string{"scan", "latest"}, plainOperations...)
)

// columnOperations are those of stores with columns, which are searched where there are numbers.
func columnOperations(job *protocol.Job) []string {
	if job.HasInts() {
		return append([]string{"search"}, allOperations...)
	}
	return allOperations
}

// Adapter is how stores are driven by a library.
type Adapter struct {
	// Library is its module; none where the language drives the store.
	Library string
	// Columns tells whether the store keeps columns.
	Columns bool
	open    func(job *protocol.Job, at *url.URL) (protocol.Store, error)
	// expected is what an address looks like, and schemes are those that it can have; without them the store is embedded.
	expected string
	schemes  []string
	// variants that it has, the usual one first.
	variants []string
	// settings that it takes with their values, none where any word or number will do; and what to do where another is
	// given and these are no advice.
	settings map[string][]string
	advice   string
}

var wordOrNumber = regexp.MustCompile(`^-?\w+$`)

const giveArguments = "give the server arguments"

// adapters by driver and wire.
var adapters = map[string]*Adapter{
	"bbolt bbolt": {
		Library: "go.etcd.io/bbolt", open: openBbolt,
		settings: map[string][]string{
			"no_sync": {"true", "false"}, "no_freelist_sync": {"true", "false"}, "freelist_type": {"array", "hashmap"},
		},
	},
	" echo": {open: openEcho},
	"gomemcache memcached": {
		Library: "github.com/bradfitz/gomemcache", open: openMemcached, advice: giveArguments,
		expected: "memcache://host:port or memcache:///path", schemes: []string{"memcache"},
	},
	"go-redis redis": {
		Library: "github.com/redis/go-redis/v9", open: openRedis, advice: giveArguments,
		expected: "redis://[user:password@]host:port[/database] or unix:///path", schemes: []string{"redis", "unix"},
	},
	"go-sql-driver mysql": {
		Library: "github.com/go-sql-driver/mysql", Columns: true, open: openMysql, advice: giveArguments,
		expected: "mysql://user[:password]@host:port/database, with '?socket=/path' for a unix socket",
		schemes:  []string{"mysql"}, variants: []string{"innodb", "aria", "archive", "blackhole", "myisam", "rocksdb"},
	},
	"modernc sqlite": {
		Library: "modernc.org/sqlite", Columns: true, open: openSqlite,
		settings: map[string][]string{
			"page_size": nil, "journal_mode": nil, "synchronous": nil, "cache_size": nil, "mmap_size": nil,
			"wal_autocheckpoint": nil, "text_type": {"text", "string"},
		},
	},
	"mongo-driver mongodb": {
		Library: "go.mongodb.org/mongo-driver/v2", Columns: true, open: openMongodb,
		expected: "mongodb://[user:password@]host[:port][/database], or mongodb:///path for a unix socket",
		schemes:  []string{"mongodb"}, variants: []string{"id", "indexed-before", "indexed-after"},
		settings: map[string][]string{"write_concern": {"w1", "journaled"}},
	},
	"pgx postgres": {
		Library: "github.com/jackc/pgx/v5", Columns: true, open: openPostgres,
		expected: "postgresql://user[:password]@host:port/database, with '?host=/folder' for a unix socket",
		schemes:  []string{"postgresql", "postgres"}, variants: []string{"logged", "unlogged"},
		settings: map[string][]string{"synchronous_commit": nil},
		advice:   "it has synchronous_commit; give the server arguments for others",
	},
}

// Find gives the adapter for the store of a job and a driver.
func Find(job *protocol.Job, driver string) (*Adapter, error) {
	if adapter := adapters[driver+" "+job.Candidate.Wire]; adapter != nil {
		return adapter, nil
	}
	const lacking = "the Go client has no driver '%s' for %s; its client.toml names them"
	return nil, fmt.Errorf(lacking, driver, job.Candidate.Store)
}

// errUnreadable takes the place of a library's words about a bad address, which could quote its password.
var errUnreadable = errors.New("the address of the server cannot be read")

// refuse refuses a variant, settings and values that are not known.
func (a *Adapter) refuse(job *protocol.Job) error {
	if variant := job.Candidate.Variant; variant != "" && !slices.Contains(a.variants, variant) {
		return fmt.Errorf("no variant '%s'; there are %s", variant, strings.Join(a.variants, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(job.Settings)) {
		value := job.Settings[name]
		values, isKnown := a.settings[name]
		if !isKnown {
			known := strings.Join(slices.Sorted(maps.Keys(a.settings)), ", ")
			advice := cmp.Or(a.advice, "it has "+cmp.Or(known, "none"))
			return fmt.Errorf("%s has no setting '%s'; %s", job.Candidate.Store, name, advice)
		}
		if !wordOrNumber.MatchString(value) || len(values) > 0 && !slices.Contains(values, value) {
			expected := cmp.Or(strings.Join(values, " or "), "a word or a number")
			return fmt.Errorf("setting %s cannot be '%s': %s is expected", name, value, expected)
		}
	}
	return nil
}

// Open opens the store of a job.
func (a *Adapter) Open(job *protocol.Job) (protocol.Store, error) {
	if err := a.refuse(job); err != nil {
		return nil, err
	}
	if job.Candidate.Variant == "" && len(a.variants) > 0 {
		job.Candidate.Variant = a.variants[0]
	}
	if len(a.schemes) > 0 && job.URL == "" {
		return nil, fmt.Errorf("no address of a server: expected %s", a.expected)
	}
	at, err := url.Parse(job.URL)
	if err != nil || len(a.schemes) > 0 && !slices.Contains(a.schemes, at.Scheme) {
		err = errUnreadable
	}
	var store protocol.Store
	if err == nil {
		store, err = a.open(job, at)
	}
	if err == errUnreadable {
		err = fmt.Errorf("%w: expected %s", err, a.expected)
	}
	return store, err
}

// file is that of an embedded store.
func file(job *protocol.Job, name string) (string, error) {
	if job.Dir == "" {
		return "", fmt.Errorf("%s needs a folder: the job has no 'dir'", job.Candidate.Store)
	}
	return filepath.Join(job.Dir, name), nil
}

func operationLimit(job *protocol.Job) time.Duration { return time.Duration(job.Limits.OperationNs) }
func callLimit(job *protocol.Job) time.Duration      { return time.Duration(job.Limits.CallNs) }

// Denied is what the user of the address may not read: a call leaves it out in words.
type Denied struct {
	What  string
	Cause error
}

func (d Denied) Error() string { return d.What + ": " + d.Cause.Error() }

// Version of a module, as the program was built with it.
func Version(module string) string {
	build, _ := debug.ReadBuildInfo()
	for _, one := range build.Deps {
		if one.Path == module {
			return strings.TrimPrefix(one.Version, "v")
		}
	}
	return "unknown"
}

func done(isDone bool, otherwise protocol.Outcome) protocol.Outcome {
	if isDone {
		return protocol.Done
	}
	return otherwise
}

// unless is done, or otherwise where the error is a certain one.
func unless(err, certain error, otherwise protocol.Outcome) (protocol.Outcome, error) {
	if err == certain {
		return otherwise, nil
	}
	return protocol.Done, err
}

// named are the names of keys behind a prefix.
func named(prefix string, keys []protocol.Key) []string {
	names := make([]string, len(keys))
	for at, key := range keys {
		names[at] = prefix + key.Text
	}
	return names
}

// picked are those of some texts that have one of these names.
func picked(texts protocol.Texts, names ...string) protocol.Texts {
	found := protocol.Texts{}
	for _, name := range names {
		if value, isThere := texts[name]; isThere {
			found[name] = value
		}
	}
	return found
}

// plain is part of lanes without order and without transactions.
type plain struct{}

func (plain) Scan() ([]protocol.Answer, error)                 { return nil, errUnsupported }
func (plain) Latest(uint32) ([]protocol.Answer, error)         { return nil, errUnsupported }
func (plain) Search(uint32, uint32) ([]protocol.Answer, error) { return nil, errUnsupported }
func (plain) Commit() error                                    { return nil }

// What a call answers: true, a number by its name, or whether a store is sound.

func task(work func() error) func() (any, error) {
	return func() (any, error) { return true, work() }
}

func figure(name string, ask func() (int64, error)) func() (any, error) {
	return func() (any, error) {
		number, err := ask()
		return map[string]int64{name: number}, err
	}
}

func checked(isSound bool, detail string) any {
	return map[string]any{"sound": isSound, "detail": detail}
}

// over makes calls that have a connection of their own.
type over[L protocol.Lane] struct{ connect func() (L, error) }

func (o over[L]) call(ask func(L) (any, error)) func() (any, error) {
	return func() (any, error) {
		l, err := o.connect()
		if err != nil {
			return nil, err
		}
		defer l.Close()
		return ask(l)
	}
}

func (o over[L]) task(work func(L) error) func() (any, error) {
	return o.call(func(l L) (any, error) { return true, work(l) })
}

func (o over[L]) figure(name string, ask func(L) (int64, error)) func() (any, error) {
	return o.call(func(l L) (any, error) { return figure(name, func() (int64, error) { return ask(l) })() })
}
