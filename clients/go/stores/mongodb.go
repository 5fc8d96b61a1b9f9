package stores

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"kurabe/protocol"
)

const (
	keyIndex = "kurabe_key"
	// look is so long as a server is looked for.
	look         = 5 * time.Second
	unauthorized = 13
)

// shutdowns are the codes of a server that goes.
var shutdowns = []int{91, 11600, 11602}

// mongodbStore is a lone MongoDB server; the variant is the place of the key.
type mongodbStore struct {
	job      *protocol.Job
	uri      string
	database string
	concern  *writeconcern.WriteConcern
	keyName  string
	// Rows that were loaded, for the index that is built after the last.
	loaded atomic.Uint64
}

func openMongodb(job *protocol.Job) (protocol.Store, error) {
	const expected = "mongodb://[user:password@]host[:port][/database], or mongodb:///path for a unix socket"
	if err := refuseUnknown(job, "it has write_concern", "write_concern"); err != nil {
		return nil, err
	}
	s := &mongodbStore{job: job, uri: job.URL, database: "test", keyName: "_id"}
	switch job.Candidate.Variant {
	case "", "id":
	case "indexed-before", "indexed-after":
		s.keyName = job.Schema.Fields[0].Name
	default:
		return nil, fmt.Errorf("no variant '%s'; there are id, indexed-before, indexed-after", job.Candidate.Variant)
	}
	isJournaled := false
	switch value := job.Settings["write_concern"]; value {
	case "":
	case "journaled", "w1":
		isJournaled = value == "journaled"
		s.concern = &writeconcern.WriteConcern{W: 1, Journal: &isJournaled}
	default:
		return nil, fmt.Errorf("setting write_concern cannot be '%s'; there are w1, journaled", value)
	}
	if path, isSocket := strings.CutPrefix(job.URL, "mongodb:///"); isSocket {
		s.uri = "mongodb://" + url.QueryEscape("/"+path)
	} else if parsed, err := address(job, expected, "mongodb"); err != nil {
		return nil, err
	} else if name := strings.TrimPrefix(parsed.Path, "/"); name != "" {
		s.database = name
	}
	if s.options(look).Validate() != nil {
		return nil, fmt.Errorf("the address of the server cannot be read: expected %s", expected)
	}
	return s, nil
}

// options of a driver with one connection for operations; another, which it always has, asks how the server is.
func (s *mongodbStore) options(limit time.Duration) *options.ClientOptions {
	all := options.Client().ApplyURI(s.uri)
	all.SetAppName("kurabe").SetRetryReads(false).SetRetryWrites(false).SetMaxAdaptiveRetries(0).SetMaxPoolSize(1)
	all.SetServerMonitoringMode("poll").SetServerSelectionTimeout(min(limit, look)).SetConnectTimeout(limit)
	if s.concern != nil {
		all.SetWriteConcern(s.concern)
	}
	return all
}

func (s *mongodbStore) Receipt() protocol.Receipt {
	return protocol.Receipt{
		Libraries: []string{"go.mongodb.org/mongo-driver/v2"},
		Columns:   true,
		Capabilities: map[string]any{
			"operations": columnOperations(s.job), "read_scopes": []string{"each"}, "transactions": false,
			"max_connections": 256, "processes": !s.indexesAfter(), "max_value_bytes": 16<<20 - 16<<10, "passes": false,
		},
	}
}

func (s *mongodbStore) indexesAfter() bool { return s.job.Candidate.Variant == "indexed-after" }

// client is a driver that has connected.
func (s *mongodbStore) client(limit time.Duration) (*mongo.Client, error) {
	client, err := mongo.Connect(s.options(limit))
	if err != nil {
		return nil, err
	}
	if err = client.Ping(ctx, nil); err != nil {
		goodbye(client)
	}
	return client, err
}

// goodbye ends a driver; a server that does not answer any more keeps nobody.
func goodbye(client *mongo.Client) {
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_ = client.Disconnect(limited)
}

func (s *mongodbStore) with(work func(*mongo.Database) error) error {
	client, err := s.client(callLimit(s.job))
	if err != nil {
		return err
	}
	defer goodbye(client)
	return work(client.Database(s.database))
}

// Lost is all but what the server answers, and what it says as it goes.
func (s *mongodbStore) Lost(err error) bool {
	var told mongo.ServerError
	if mongo.IsNetworkError(err) || !errors.As(err, &told) {
		return true
	}
	return slices.ContainsFunc(shutdowns, told.HasErrorCode)
}

// denied is what the user of the address may not read.
func denied(what string, err error) error {
	var told mongo.ServerError
	if errors.As(err, &told) && told.HasErrorCode(unauthorized) {
		return Denied{what, err}
	}
	return err
}

func (s *mongodbStore) Calls() protocol.Calls {
	return protocol.Calls{
		"ping":     func() (any, error) { return succeeded(s.with(func(*mongo.Database) error { return nil })) },
		"info":     s.info,
		"settings": s.settings,
		"create":   func() (any, error) { return succeeded(s.with(s.create)) },
		"reset":    func() (any, error) { return succeeded(s.with(s.drop)) },
		"count": func() (any, error) {
			return counted(s.number(func(database *mongo.Database) (int64, error) {
				return database.Collection(s.job.Namespace).CountDocuments(ctx, bson.D{})
			}))
		},
		"sum":   func() (any, error) { return summed(s.number(s.sum)) },
		"size":  func() (any, error) { return sized(s.number(s.size)) },
		"check": s.check,
	}
}

func (s *mongodbStore) number(ask func(*mongo.Database) (int64, error)) (number int64, err error) {
	err = s.with(func(database *mongo.Database) (err error) { number, err = ask(database); return err })
	return number, err
}

func command(database *mongo.Database, words bson.D) (bson.Raw, error) {
	return database.RunCommand(ctx, words).Raw()
}

func (s *mongodbStore) info() (any, error) {
	texts := protocol.Texts{}
	return texts, s.with(func(database *mongo.Database) error {
		build, err := command(database, bson.D{{Key: "buildInfo", Value: 1}})
		tell(texts, "version", build, "version")
		tell(texts, "commit", build, "gitVersion")
		tell(texts, "allocator", build, "allocator")
		return err
	})
}

// tell notes the value at a path of a document, where there is one.
func tell(texts protocol.Texts, name string, from bson.Raw, path ...string) {
	value, err := from.LookupErr(path...)
	if err != nil {
		return
	}
	if text, isText := value.StringValueOK(); isText {
		texts[name] = text
	} else if number, isNumber := value.AsInt64OK(); isNumber {
		texts[name] = fmt.Sprint(number)
	}
}

func (s *mongodbStore) settings() (any, error) {
	texts := protocol.Texts{}
	return texts, s.with(func(database *mongo.Database) error {
		admin := database.Client().Database("admin")
		status, failed := command(admin, bson.D{{Key: "serverStatus", Value: 1}})
		given, err := command(admin, bson.D{{Key: "getCmdLineOpts", Value: 1}})
		failed = errors.Join(failed, err)
		intervals, err := command(admin, bson.D{
			{Key: "getParameter", Value: 1}, {Key: "journalCommitInterval", Value: 1}, {Key: "syncdelay", Value: 1},
		})
		if err = errors.Join(failed, err); err != nil {
			return denied("settings of the server", err)
		}
		tell(texts, "storage_engine", status, "storageEngine", "name")
		tell(texts, "cache_bytes", status, "wiredTiger", "cache", "maximum bytes configured")
		tell(texts, "engine_config", given, "parsed", "storage", "wiredTiger", "engineConfig", "configString")
		tell(texts, "journal_commit_interval_ms", intervals, "journalCommitInterval")
		tell(texts, "checkpoint_every_s", intervals, "syncdelay")
		if texts["write_concern"], err = s.writeConcern(database); err != nil {
			return err
		}
		texts["key_index"] = "none"
		indexes, err := database.Collection(s.job.Namespace).Indexes().ListSpecifications(ctx)
		for _, index := range indexes {
			if index.Name == keyIndex {
				texts["key_index"] = "unique"
			}
		}
		return err
	})
}

// writeConcern is what every write asks for; where nothing is said, what a server does then. No server keeps it.
func (s *mongodbStore) writeConcern(database *mongo.Database) (string, error) {
	said := s.options(look).WriteConcern
	if said == nil {
		hello, err := command(database, bson.D{{Key: "hello", Value: 1}})
		if _, none := hello.LookupErr("setName"); none == nil {
			return "of the replica set", err
		}
		// The implicit majority of one lone server syncs nothing.
		return "w1", err
	}
	isOne := said.W == nil || said.W == 1
	switch {
	case isOne && said.Journal != nil && *said.Journal:
		return "journaled", nil
	case isOne:
		return "w1", nil
	}
	return fmt.Sprintf("w %v", said.W), nil
}

func (s *mongodbStore) drop(database *mongo.Database) error {
	// To drop what is not there is no error.
	return errors.Join(database.Collection(s.job.Namespace).Drop(ctx), database.Collection(s.counters()).Drop(ctx))
}

func (s *mongodbStore) counters() string { return s.job.Namespace + "_counters" }

func (s *mongodbStore) create(database *mongo.Database) error {
	s.loaded.Store(0)
	err := s.drop(database)
	for _, name := range []string{s.job.Namespace, s.counters()} {
		if err == nil {
			err = database.CreateCollection(ctx, name)
		}
	}
	rows := database.Collection(s.job.Namespace)
	if err == nil && s.job.Candidate.Variant == "indexed-before" {
		err = s.buildKeyIndex(rows)
	}
	for _, field := range s.job.Schema.Fields[1:] {
		if err == nil && field.Indexed {
			_, err = rows.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.D{{Key: field.Name, Value: 1}}})
		}
	}
	return err
}

func (s *mongodbStore) buildKeyIndex(rows *mongo.Collection) error {
	index := mongo.IndexModel{
		Keys: bson.D{{Key: s.keyName, Value: 1}}, Options: options.Index().SetUnique(true).SetName(keyIndex),
	}
	_, err := rows.Indexes().CreateOne(ctx, index)
	return err
}

func (s *mongodbStore) sum(database *mongo.Database) (int64, error) {
	counts := bson.D{{Key: "$sum", Value: "$count"}}
	total := bson.D{{Key: "$group", Value: bson.D{{Key: "_id", Value: nil}, {Key: "sum", Value: counts}}}}
	groups, err := database.Collection(s.counters()).Aggregate(ctx, mongo.Pipeline{total})
	if err != nil {
		return 0, err
	}
	var all []struct{ Sum int64 }
	// No counter at all is no group at all.
	if err = groups.All(ctx, &all); err != nil || len(all) == 0 {
		return 0, err
	}
	return all[0].Sum, nil
}

// size is asked for after a checkpoint: before one, next to nothing of what was written is in the files.
func (s *mongodbStore) size(database *mongo.Database) (int64, error) {
	_, err := command(database.Client().Database("admin"), bson.D{{Key: "fsync", Value: 1}})
	if err != nil {
		return 0, denied("size of the collection, which only a checkpoint makes known", err)
	}
	answer, err := command(database, bson.D{{Key: "collStats", Value: s.job.Namespace}})
	if err != nil {
		return 0, denied("size of the collection", err)
	}
	bytes, _ := answer.Lookup("totalSize").AsInt64OK()
	return bytes, nil
}

func (s *mongodbStore) check() (any, error) {
	var answer struct {
		Valid  bool
		Errors []string
	}
	err := s.with(func(database *mongo.Database) error {
		words := bson.D{{Key: "validate", Value: s.job.Namespace}, {Key: "full", Value: true}}
		return database.RunCommand(ctx, words).Decode(&answer)
	})
	return checked(answer.Valid, strings.Join(answer.Errors, "; ")), err
}

func (s *mongodbStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	l := &mongodbLane{store: s, textKey: s.job.Schema.Fields[0].Type == "text"}
	if phase.Does("open") {
		return l, nil
	}
	if phase.SearchField > 0 {
		l.searched = s.job.Schema.Fields[phase.SearchField].Name
	}
	client, err := s.client(operationLimit(s.job))
	if err != nil {
		return nil, err
	}
	l.use(client)
	return l, nil
}

// mongodbLane is a connection of one worker: a driver of its own with one connection.
type mongodbLane struct {
	store          *mongodbStore
	client         *mongo.Client
	rows, counters *mongo.Collection
	textKey        bool
	searched       string
}

func (l *mongodbLane) use(client *mongo.Client) {
	l.client = client
	database := client.Database(l.store.database)
	l.rows, l.counters = database.Collection(l.store.job.Namespace), database.Collection(l.store.counters())
}

// document of a row: the key, then the fields in order. Where the key has a field of its own, the driver adds the _id.
func (l *mongodbLane) document(row *protocol.Row) bson.D {
	document := make(bson.D, 1, 1+len(row.Fields))
	document[0] = bson.E{Key: l.store.keyName, Value: row.Key.Arg}
	for at, value := range row.Fields {
		document = append(document, bson.E{Key: l.store.job.Schema.Fields[at+1].Name, Value: value})
	}
	return document
}

func (l *mongodbLane) filter(key protocol.Key) bson.D {
	return bson.D{{Key: l.store.keyName, Value: key.Arg}}
}

// answer takes a document apart: fields come back in the order in which they were written.
func (l *mongodbLane) answer(document bson.D) (protocol.Answer, error) {
	fields := l.store.job.Schema.Fields
	if l.store.keyName != "_id" && len(document) > 0 {
		document = document[1:]
	}
	if len(document) != len(fields) {
		return protocol.Answer{}, fmt.Errorf("the server gave a document of %d fields, not %d", len(document), len(fields))
	}
	cells := make([]protocol.Cell, len(fields))
	for at, element := range document {
		if at > 0 && element.Key != fields[at].Name {
			return protocol.Answer{}, fmt.Errorf("the server gave a document without '%s' in its place", fields[at].Name)
		}
		kind := fields[at].Type
		switch value := element.Value.(type) {
		case int64:
			cells[at].Int = value
			kind = strings.TrimPrefix(kind, "int64")
		case string:
			cells[at].Bytes = []byte(value)
			kind = strings.TrimPrefix(kind, "text")
		case bson.Binary:
			cells[at].Bytes = value.Data
			kind = strings.TrimPrefix(kind, "bytes")
		}
		if kind != "" {
			return protocol.Answer{}, fmt.Errorf("the server gave a value of type %T in field '%s'", element.Value, element.Key)
		}
	}
	return protocol.Answer{Found: true, Key: cells[0], Cells: cells[1:]}, nil
}

// Load counts the rows where the index comes after the last of them.
func (l *mongodbLane) Load(row *protocol.Row) error {
	_, err := l.rows.InsertOne(ctx, l.document(row))
	if l.store.indexesAfter() && l.store.loaded.Add(1) == l.store.job.Rows {
		err = errors.Join(err, l.store.buildKeyIndex(l.rows))
	}
	return err
}

func (l *mongodbLane) Insert(row *protocol.Row) (protocol.Outcome, error) {
	_, err := l.rows.InsertOne(ctx, l.document(row))
	if mongo.IsDuplicateKeyError(err) {
		return protocol.Exists, nil
	}
	return protocol.Done, err
}

func (l *mongodbLane) Update(row *protocol.Row) (protocol.Outcome, error) {
	result, err := l.rows.ReplaceOne(ctx, l.filter(row.Key), l.document(row))
	if err != nil {
		return protocol.Failed, err
	}
	return done(result.MatchedCount > 0, protocol.Missing), nil
}

func (l *mongodbLane) Delete(key protocol.Key) (protocol.Outcome, error) {
	result, err := l.rows.DeleteOne(ctx, l.filter(key))
	if err != nil {
		return protocol.Failed, err
	}
	return done(result.DeletedCount > 0, protocol.Missing), nil
}

func (l *mongodbLane) Increment(counter uint32) error {
	one := bson.D{{Key: "$inc", Value: bson.D{{Key: "count", Value: int64(1)}}}}
	filter := bson.D{{Key: "_id", Value: int64(counter)}}
	_, err := l.counters.UpdateOne(ctx, filter, one, options.UpdateOne().SetUpsert(true))
	return err
}

// Commit has nothing to do: every write carries its own write concern.
func (l *mongodbLane) Commit() error { return nil }

func (l *mongodbLane) Read(key protocol.Key) (protocol.Answer, error) {
	var document bson.D
	err := l.rows.FindOne(ctx, l.filter(key)).Decode(&document)
	if err == mongo.ErrNoDocuments {
		return protocol.Answer{}, nil
	} else if err != nil {
		return protocol.Answer{}, err
	}
	return l.answer(document)
}

func (l *mongodbLane) find(filter bson.D, how ...options.Lister[options.FindOptions]) ([]protocol.Answer, error) {
	cursor, err := l.rows.Find(ctx, filter, how...)
	if err != nil {
		return nil, err
	}
	var documents []bson.D
	if err = cursor.All(ctx, &documents); err != nil {
		return nil, err
	}
	answers := make([]protocol.Answer, len(documents))
	for at, document := range documents {
		if answers[at], err = l.answer(document); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

func (l *mongodbLane) Scan() ([]protocol.Answer, error) { return l.find(bson.D{}) }

func (l *mongodbLane) Latest(rows uint32) ([]protocol.Answer, error) {
	order := bson.D{{Key: l.store.keyName, Value: -1}}
	return l.find(bson.D{}, options.Find().SetSort(order).SetLimit(int64(rows)))
}

func (l *mongodbLane) Search(low, high uint32) ([]protocol.Answer, error) {
	between := bson.D{{Key: "$gte", Value: int64(low)}, {Key: "$lte", Value: int64(high)}}
	return l.find(bson.D{{Key: l.searched, Value: between}})
}

func (l *mongodbLane) MultiRead(keys []protocol.Key) ([]protocol.Answer, error) {
	among := bson.D{{Key: "$in", Value: bson.A(inPlaces(keys))}}
	rows, err := l.find(bson.D{{Key: l.store.keyName, Value: among}})
	return inOrder(keys, rows, l.textKey), err
}

// Open makes a driver, and ends it with its session.
func (l *mongodbLane) Open(keys []protocol.Key) ([]protocol.Answer, error) {
	client, err := mongo.Connect(l.store.options(operationLimit(l.store.job)))
	if err != nil {
		return nil, err
	}
	defer goodbye(client)
	opened := &mongodbLane{store: l.store, textKey: l.textKey}
	opened.use(client)
	answers := make([]protocol.Answer, len(keys))
	for at := 0; err == nil && at < len(keys); at++ {
		answers[at], err = opened.Read(keys[at])
	}
	return answers, err
}

func (l *mongodbLane) Close() {
	if l.client != nil {
		goodbye(l.client)
	}
}
