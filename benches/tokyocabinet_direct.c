/*
 * A hash database of Tokyo Cabinet driven directly, as fast as its C functions go: the other side of
 * `cargo bench -p kurabe-client --bench tokyocabinet`.
 *
 * usage: tokyocabinet_direct FILE VALUES VALUE_BYTES ROWS_STREAM ROWS READS
 *
 * VALUES holds the value of every row, one after the other; ROWS_STREAM holds the rows to read as 4-byte
 * little-endian numbers. Prints nanoseconds of: the load, the reads. Linked with the library alone: its header is
 * not needed, so what is used of it is declared here.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void *tchdbnew(void);
void tchdbdel(void *db);
bool tchdbtune(void *db, int64_t bnum, int8_t apow, int8_t fpow, uint8_t opts);
bool tchdbopen(void *db, const char *path, int mode);
bool tchdbclose(void *db);
bool tchdbput(void *db, const void *key, int key_len, const void *value, int len);
int tchdbget3(void *db, const void *key, int key_len, void *value, int room);

enum { WRITER = 1 << 1, CREATE = 1 << 2, LARGE = 1 };

static void fail(const char *what) {
    fprintf(stderr, "tokyocabinet_direct: %s\n", what);
    exit(1);
}

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
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

/* Eight bytes, big-endian. */
static void key_of(int64_t row, unsigned char *key) {
    uint64_t swapped = __builtin_bswap64((uint64_t)row);
    memcpy(key, &swapped, 8);
}

static int64_t load(void *db, const char *values, int len, int64_t rows) {
    unsigned char key[8];
    int64_t start = now_ns();
    for (int64_t row = 0; row < rows; row++) {
        key_of(row, key);
        if (!tchdbput(db, key, 8, values + row * len, len)) fail("put");
    }
    return now_ns() - start;
}

/* Reads copy the value out, and the last bytes are summed so that no copy can be left out. */
static int64_t read_rows(void *db, const uint32_t *stream, size_t entries, int64_t reads, int len) {
    unsigned char key[8];
    char *copy = malloc((size_t)len + 1);
    volatile unsigned sum = 0;
    size_t at = 0;
    int64_t start = now_ns();
    for (int64_t number = 0; number < reads; number++) {
        key_of(stream[at], key);
        if (++at == entries) at = 0;
        if (tchdbget3(db, key, 8, copy, len + 1) != len) fail("a value has a wrong length");
        sum += (unsigned char)copy[len - 1];
    }
    int64_t end = now_ns();
    free(copy);
    return end - start;
}

int main(int count, char **words) {
    if (count != 7) {
        fprintf(stderr, "usage: tokyocabinet_direct FILE VALUES VALUE_BYTES ROWS_STREAM ROWS READS\n");
        return 2;
    }
    int len = atoi(words[3]);
    int64_t rows = atoll(words[5]), reads = atoll(words[6]);
    size_t value_bytes, stream_bytes;
    char *values = slurp(words[2], &value_bytes);
    uint32_t *stream = slurp(words[4], &stream_bytes);
    if (value_bytes != (size_t)(rows * len) || stream_bytes < 4) fail("the files do not fit the numbers");

    /* One handle without locks, as Kurabe has where a job has one connection. */
    void *db = tchdbnew();
    if (!tchdbtune(db, 0, -1, -1, LARGE) || !tchdbopen(db, words[1], WRITER | CREATE)) fail(words[1]);
    int64_t load_ns = load(db, values, len, rows);
    int64_t read_ns = read_rows(db, stream, stream_bytes / 4, reads, len);
    if (!tchdbclose(db)) fail("close");
    tchdbdel(db);
    printf("%lld %lld\n", (long long)load_ns, (long long)read_ns);
    return 0;
}
