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

func openMongodb(job *protocol.Job, at *url.URL) (protocol.Store, error) {
	s := &mongodbStore{job: job, uri: job.URL, database: "test", keyName: "_id"}
	if job.Candidate.Variant != "id" {
		s.keyName = job.Schema.Fields[0].Name
	}
	if value, isGiven := job.Settings["write_concern"]; isGiven {
		isJournaled := value == "journaled"
		s.concern = &writeconcern.WriteConcern{W: 1, Journal: &isJournaled}
	}
	if at.Host == "" && at.User == nil {
		s.uri = "mongodb://" + url.QueryEscape(at.Path)
	} else if name := strings.TrimPrefix(at.Path, "/"); name != "" {
		s.database = name
	}
	if s.options(look).Validate() != nil {
		return nil, errUnreadable
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

func (s *mongodbStore) Capabilities() map[string]any {
	return map[string]any{
		"operations": columnOperations(s.job), "max_connections": 256, "processes": !s.indexesAfter(),
		"max_value_bytes": 16<<20 - 16<<10, "passes": false,
	}
}

func (s *mongodbStore) indexesAfter() bool { return s.job.Candidate.Variant == "indexed-after" }

// mongodbLane is a connection of one worker or of a call: a driver of its own with one connection.
type mongodbLane struct {
	store          *mongodbStore
	client         *mongo.Client
	database       *mongo.Database
	rows, counters *mongo.Collection
	searched       string
}

// lane is one of a driver, which connects with its first command.
func (s *mongodbStore) lane(limit time.Duration) (*mongodbLane, error) {
	client, err := mongo.Connect(s.options(limit))
	if err != nil {
		return nil, err
	}
	database := client.Database(s.database)
	rows, counters := database.Collection(s.job.Namespace), database.Collection(s.job.Namespace+"_counters")
	return &mongodbLane{store: s, client: client, database: database, rows: rows, counters: counters}, nil
}

// connected is one that has connected.
func (s *mongodbStore) connected(limit time.Duration) (*mongodbLane, error) {
	l, err := s.lane(limit)
	if err != nil {
		return nil, err
	}
	if err = l.client.Ping(ctx, nil); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (s *mongodbStore) Open() (protocol.Lane, error) { return s.lane(operationLimit(s.job)) }

func (s *mongodbStore) Connect(phase *protocol.Phase, _ *protocol.Values) (protocol.Lane, error) {
	l, err := s.connected(operationLimit(s.job))
	if err == nil {
		l.searched = s.job.Schema.Fields[phase.SearchField].Name
	}
	return l, err
}

// Close ends a driver; a server that does not answer any more keeps nobody.
func (l *mongodbLane) Close() error {
	limited, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return l.client.Disconnect(limited)
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
	over := over[*mongodbLane]{func() (*mongodbLane, error) { return s.connected(callLimit(s.job)) }}
	return protocol.Calls{
		"ping":     over.task(func(*mongodbLane) error { return nil }),
		"info":     over.call((*mongodbLane).info),
		"settings": over.call((*mongodbLane).settings),
		"create":   over.task((*mongodbLane).create),
		"reset":    over.task((*mongodbLane).drop),
		"count":    over.figure("rows", func(l *mongodbLane) (int64, error) { return l.rows.CountDocuments(ctx, bson.D{}) }),
		"sum":      over.figure("sum", (*mongodbLane).sum),
		"size":     over.figure("bytes", (*mongodbLane).size),
		"check":    over.call((*mongodbLane).check),
	}
}

func command(database *mongo.Database, words any) (bson.Raw, error) {
	return database.RunCommand(ctx, words).Raw()
}

func (l *mongodbLane) info() (any, error) {
	texts := protocol.Texts{}
	build, err := command(l.database, bson.M{"buildInfo": 1})
	tell(texts, "version", build, "version")
	tell(texts, "commit", build, "gitVersion")
	tell(texts, "allocator", build, "allocator")
	return texts, err
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

func (l *mongodbLane) settings() (any, error) {
	texts := protocol.Texts{}
	admin := l.client.Database("admin")
	status, first := command(admin, bson.M{"serverStatus": 1})
	given, second := command(admin, bson.M{"getCmdLineOpts": 1})
	intervals, err := command(admin, bson.D{
		{Key: "getParameter", Value: 1}, {Key: "journalCommitInterval", Value: 1}, {Key: "syncdelay", Value: 1},
	})
	if err = errors.Join(first, second, err); err != nil {
		return nil, denied("settings of the server", err)
	}
	tell(texts, "storage_engine", status, "storageEngine", "name")
	tell(texts, "cache_bytes", status, "wiredTiger", "cache", "maximum bytes configured")
	tell(texts, "engine_config", given, "parsed", "storage", "wiredTiger", "engineConfig", "configString")
	tell(texts, "journal_commit_interval_ms", intervals, "journalCommitInterval")
	tell(texts, "checkpoint_every_s", intervals, "syncdelay")
	if texts["write_concern"], err = l.writeConcern(); err != nil {
		return nil, err
	}
	texts["key_index"] = "none"
	indexes, err := l.rows.Indexes().ListSpecifications(ctx)
	for _, index := range indexes {
		if index.Name == keyIndex {
			texts["key_index"] = "unique"
		}
	}
	return texts, err
}

// writeConcern is what every write asks for; where nothing is said, what a server does then. No server keeps it.
func (l *mongodbLane) writeConcern() (string, error) {
	said := l.store.options(look).WriteConcern
	if said == nil {
		hello, err := command(l.database, bson.M{"hello": 1})
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

func (l *mongodbLane) drop() error {
	// To drop what is not there is no error.
	return errors.Join(l.rows.Drop(ctx), l.counters.Drop(ctx))
}

func (l *mongodbLane) create() error {
	l.store.loaded.Store(0)
	err := l.drop()
	for _, made := range []*mongo.Collection{l.rows, l.counters} {
		if err == nil {
			err = l.database.CreateCollection(ctx, made.Name())
		}
	}
	if err == nil && l.store.job.Candidate.Variant == "indexed-before" {
		err = l.buildKeyIndex()
	}
	for _, field := range l.store.job.Schema.Fields[1:] {
		if err == nil && field.Indexed {
			_, err = l.rows.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.M{field.Name: 1}})
		}
	}
	return err
}

func (l *mongodbLane) buildKeyIndex() error {
	unique := options.Index().SetUnique(true).SetName(keyIndex)
	_, err := l.rows.Indexes().CreateOne(ctx, mongo.IndexModel{Keys: bson.M{l.store.keyName: 1}, Options: unique})
	return err
}

func (l *mongodbLane) sum() (int64, error) {
	total := bson.M{"$group": bson.M{"_id": nil, "sum": bson.M{"$sum": "$count"}}}
	groups, err := l.counters.Aggregate(ctx, bson.A{total})
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
func (l *mongodbLane) size() (int64, error) {
	_, err := command(l.client.Database("admin"), bson.M{"fsync": 1})
	if err != nil {
		return 0, denied("size of the collection, which only a checkpoint makes known", err)
	}
	answer, err := command(l.database, bson.M{"collStats": l.rows.Name()})
	if err != nil {
		return 0, denied("size of the collection", err)
	}
	bytes, _ := answer.Lookup("totalSize").AsInt64OK()
	return bytes, nil
}

func (l *mongodbLane) check() (any, error) {
	var answer struct {
		Valid  bool
		Errors []string
	}
	words := bson.D{{Key: "validate", Value: l.rows.Name()}, {Key: "full", Value: true}}
	err := l.database.RunCommand(ctx, words).Decode(&answer)
	return checked(answer.Valid, strings.Join(answer.Errors, "; ")), err
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
		kind := ""
		switch value := element.Value.(type) {
		case int64:
			cells[at].Int, kind = value, "int64"
		case string:
			cells[at].Bytes, kind = []byte(value), "text"
		case bson.Binary:
			cells[at].Bytes, kind = value.Data, "bytes"
		}
		if kind != fields[at].Type {
			return protocol.Answer{}, fmt.Errorf("the server gave a value of type %T in field '%s'", element.Value, element.Key)
		}
	}
	return protocol.Answer{Found: true, Key: cells[0], Cells: cells[1:]}, nil
}

// Load counts the rows where the index comes after the last of them.
func (l *mongodbLane) Load(row *protocol.Row) error {
	_, err := l.rows.InsertOne(ctx, l.document(row))
	if l.store.indexesAfter() && l.store.loaded.Add(1) == l.store.job.Rows {
		err = errors.Join(err, l.buildKeyIndex())
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
	return inOrder(keys, rows, l.store.job.Schema.Fields[0].Type == "text"), err
}
