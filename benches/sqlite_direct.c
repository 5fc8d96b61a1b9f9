/* SQLite driven directly, without Kurabe: the same table, statements, rows and order of keys.
 *
 * usage: sqlite_direct DATABASE VALUES VALUE_BYTES ROWS_STREAM ROWS READS COMMIT_EVERY
 *
 * VALUES holds ROWS values of VALUE_BYTES bytes, ROWS_STREAM row numbers as u32 little-endian.
 * Prints the nanoseconds of three parts, each measured as a whole: loading all rows, READS reads
 * in a transaction each, READS reads in one transaction.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sqlite3.h"

static sqlite3 *database;

static void fail(const char *what) {
    fprintf(stderr, "sqlite_direct: %s: %s\n", what, database ? sqlite3_errmsg(database) : "");
    exit(1);
}

static void check(int code, int expected, const char *what) {
    if (code != expected) fail(what);
}

static void run(const char *sql) {
    check(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, sql);
}

static sqlite3_stmt *prepare(const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL), SQLITE_OK, sql);
    return statement;
}

static void step(sqlite3_stmt *statement, const char *what) {
    check(sqlite3_step(statement), SQLITE_DONE, what);
    check(sqlite3_reset(statement), SQLITE_OK, what);
}

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void *slurp(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail(path);
    *bytes = (size_t)ftell(file);
    rewind(file);
    void *content = malloc(*bytes);
    if (!content || fread(content, 1, *bytes, file) != *bytes) fail(path);
    fclose(file);
    return content;
}

static int64_t load(const char *values, int len, int64_t rows, int64_t commit_every) {
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    sqlite3_stmt *write = prepare("INSERT OR REPLACE INTO \"t\" (\"id\", \"value\") VALUES (?, ?)");
    int64_t start = now_ns();
    for (int64_t row = 0; row < rows; row++) {
        if (row % commit_every == 0) step(begin, "begin");
        sqlite3_bind_int64(write, 1, row);
        sqlite3_bind_text(write, 2, values + row * len, len, SQLITE_STATIC);
        step(write, "insert");
        if ((row + 1) % commit_every == 0 || row + 1 == rows) step(commit, "commit");
    }
    int64_t end = now_ns();
    sqlite3_finalize(begin);
    sqlite3_finalize(commit);
    sqlite3_finalize(write);
    return end - start;
}

/* Every insert commits by itself; rows follow those that were loaded. */
static int64_t insert_each(const char *values, int len, int64_t rows, int64_t inserts) {
    sqlite3_stmt *write = prepare("INSERT INTO \"t\" (\"id\", \"value\") VALUES (?, ?)");
    int64_t start = now_ns();
    for (int64_t row = 0; row < inserts; row++) {
        sqlite3_bind_int64(write, 1, rows + row);
        sqlite3_bind_text(write, 2, values + row * len, len, SQLITE_STATIC);
        step(write, "insert");
    }
    int64_t end = now_ns();
    sqlite3_finalize(write);
    return end - start;
}

/* Reads copy the value out, and the last bytes are summed so that no copy can be left out. */
static int64_t read_rows(const uint32_t *stream, size_t entries, int64_t reads, int len) {
    sqlite3_stmt *read = prepare("SELECT \"value\" FROM \"t\" WHERE \"id\" = ?1");
    char *copy = malloc((size_t)len + 1);
    volatile unsigned sum = 0;
    size_t at = 0;
    int64_t start = now_ns();
    for (int64_t number = 0; number < reads; number++) {
        sqlite3_bind_int64(read, 1, stream[at]);
        if (++at == entries) at = 0;
        check(sqlite3_step(read), SQLITE_ROW, "read");
        const unsigned char *value = sqlite3_column_text(read, 0);
        int got = sqlite3_column_bytes(read, 0);
        if (got != len) fail("a value has a wrong length");
        memcpy(copy, value, (size_t)got);
        sum += (unsigned char)copy[got - 1];
        check(sqlite3_reset(read), SQLITE_OK, "reset");
    }
    int64_t end = now_ns();
    free(copy);
    sqlite3_finalize(read);
    return end - start;
}

static void open_database(const char *path) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    check(sqlite3_open_v2(path, &database, flags, NULL), SQLITE_OK, path);
    run("PRAGMA journal_mode = 'wal'");
    run("PRAGMA synchronous = 'normal'");
}

int main(int count, char **words) {
    if (count != 9) {
        fprintf(stderr, "usage: sqlite_direct DATABASE VALUES VALUE_BYTES ROWS_STREAM ROWS READS COMMIT_EVERY INSERTS\n");
        return 2;
    }
    int len = atoi(words[3]);
    int64_t rows = atoll(words[5]), reads = atoll(words[6]), commit_every = atoll(words[7]), inserts = atoll(words[8]);
    size_t value_bytes, stream_bytes;
    char *values = slurp(words[2], &value_bytes);
    uint32_t *stream = slurp(words[4], &stream_bytes);
    if (value_bytes != (size_t)(rows * len) || stream_bytes < 4 || inserts > rows) fail("the files do not fit the numbers");

    /* Each part has a handle of its own, as each phase of Kurabe has. */
    open_database(words[1]);
    run("CREATE TABLE \"t\" (\"id\" INTEGER PRIMARY KEY, \"value\" TEXT)");
    int64_t load_ns = load(values, len, rows, commit_every);
    sqlite3_close(database);
    open_database(words[1]);
    int64_t each_ns = read_rows(stream, stream_bytes / 4, reads, len);
    sqlite3_close(database);
    open_database(words[1]);
    run("BEGIN");
    int64_t snapshot_ns = read_rows(stream, stream_bytes / 4, reads, len);
    sqlite3_close(database);
    open_database(words[1]);
    int64_t insert_ns = insert_each(values, len, rows, inserts);
    sqlite3_close(database);
    printf("%lld %lld %lld %lld\n", (long long)load_ns, (long long)each_ns, (long long)snapshot_ns, (long long)insert_ns);
    return 0;
}
