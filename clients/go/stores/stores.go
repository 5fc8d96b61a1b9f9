// Package stores has an adapter a store, each over the usual library of Go for it.
package stores

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
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

// Open opens the store of a job by a driver.
func Open(job *protocol.Job, driver string) (protocol.Store, error) {
	store := job.Candidate.Store
	switch driver + " " + store {
	case "go-redis redis", "go-redis valkey":
		return openRedis(job)
	case "go-sql-driver mysql", "go-sql-driver mariadb":
		return openMysql(job)
	case "pgx postgres":
		return openPostgres(job)
	case "modernc sqlite":
		return openSqlite(job)
	case "mongo-driver mongodb":
		return openMongodb(job)
	case "gomemcache memcached":
		return openMemcached(job)
	case " echo":
		return openEcho(job)
	case "bbolt bbolt":
		return openBbolt(job)
	}
	return nil, fmt.Errorf("the Go client has no driver '%s' for %s; its client.toml names them", driver, store)
}

// refuseUnknown refuses settings that are none of those that are known.
func refuseUnknown(job *protocol.Job, advice string, known ...string) error {
	for _, name := range slices.Sorted(maps.Keys(job.Settings)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s has no setting '%s'; %s", job.Candidate.Store, name, advice)
		}
	}
	return nil
}

// address is that of the server. The words of a library about a bad one could quote its password.
func address(job *protocol.Job, expected string, schemes ...string) (*url.URL, error) {
	if job.URL == "" {
		return nil, fmt.Errorf("no address of a server: expected %s", expected)
	}
	parsed, err := url.Parse(job.URL)
	if err != nil || !slices.Contains(schemes, parsed.Scheme) {
		return nil, fmt.Errorf("the address of the server cannot be read: expected %s", expected)
	}
	return parsed, nil
}

// folder is that of an embedded store.
func folder(job *protocol.Job) (string, error) {
	if job.Dir == "" {
		return "", fmt.Errorf("%s needs a folder: the job has no 'dir'", job.Candidate.Store)
	}
	return job.Dir, nil
}

func operationLimit(job *protocol.Job) time.Duration { return time.Duration(job.Limits.OperationNs) }
func callLimit(job *protocol.Job) time.Duration      { return time.Duration(job.Limits.CallNs) }

// another tells that a server is another product than the store.
func another(is, other, otherStore string) error {
	return fmt.Errorf("the server is %s, not %s; for it there is the store '%s'", other, is, otherStore)
}

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

func quoted(name, quote string) string {
	return quote + strings.ReplaceAll(name, quote, quote+quote) + quote
}

// plain is part of lanes without order and without transactions.
type plain struct{}

func (plain) Scan() ([]protocol.Answer, error)                 { return nil, errUnsupported }
func (plain) Latest(uint32) ([]protocol.Answer, error)         { return nil, errUnsupported }
func (plain) Search(uint32, uint32) ([]protocol.Answer, error) { return nil, errUnsupported }
func (plain) Commit() error                                    { return nil }

// Answers to calls.

func succeeded(err error) (any, error)           { return true, err }
func counted(rows int64, err error) (any, error) { return map[string]int64{"rows": rows}, err }
func summed(sum int64, err error) (any, error)   { return map[string]int64{"sum": sum}, err }
func sized(bytes int64, err error) (any, error)  { return map[string]int64{"bytes": bytes}, err }
func checked(isSound bool, detail string) any {
	return map[string]any{"sound": isSound, "detail": detail}
}
