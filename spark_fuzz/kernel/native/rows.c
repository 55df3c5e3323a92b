/* Sorting and merging of packed states: rows of words, compared word by word. */

#include <stdint.h>
#include <string.h>

static int compare(const uint64_t *one, const uint64_t *other, int64_t words) {
    for (int64_t word = 0; word < words; word++)
        if (one[word] != other[word])
            return one[word] > other[word] ? 1 : -1;
    return 0;
}

/* Put rows that are nearly in order into order, each once, at the front; their number. `kept` has
   room for a row. */
static int64_t insert_distinct(uint64_t *rows, int64_t count, int64_t words, uint64_t *kept) {
    size_t bytes = (size_t)words * sizeof(uint64_t);
    int64_t distinct = 0;
    for (int64_t row = 0; row < count; row++) {
        int64_t place = distinct;
        int order = -1;
        while (place > 0) {
            order = compare(rows + (place - 1) * words, rows + row * words, words);
            if (order <= 0)
                break;
            place--;
        }
        if (place > 0 && order == 0)
            continue;
        memcpy(kept, rows + row * words, bytes);
        memmove(rows + (place + 1) * words, rows + place * words,
                (size_t)(distinct - place) * bytes);
        memcpy(rows + place * words, kept, bytes);
        distinct++;
    }
    return distinct;
}

/* Write each row once into `placed`, in order; their number. The first words are hashes, spread
   evenly: without its lowest bits, the hash of a row tells nearly where the row goes. `ends` has a 0
   for each such number. */
int64_t place_distinct(const uint64_t *rows, int64_t count, int64_t words, uint64_t low,
                       int64_t shift, int64_t *ends, int64_t ends_count, uint64_t *placed,
                       uint64_t *kept) {
    for (int64_t row = 0; row < count; row++)
        ends[(rows[row * words] - low) >> shift]++;
    for (int64_t number = 1; number < ends_count; number++)
        ends[number] += ends[number - 1];
    for (int64_t row = 0; row < count; row++) {
        int64_t place = --ends[(rows[row * words] - low) >> shift];
        memcpy(placed + place * words, rows + row * words, (size_t)words * sizeof(uint64_t));
    }
    return insert_distinct(placed, count, words, kept);
}

/* Note 0 for each row that is known; both are in order. Which of the two goes on is computed, not
   branched on, as no processor can foretell it. */
void mark_known(const uint64_t *rows, int64_t count, const uint64_t *known, int64_t known_count,
                int64_t words, uint8_t *is_new) {
    int64_t row = 0, other = 0;
    while (row < count && other < known_count) {
        uint64_t mine = rows[row * words], theirs = known[other * words];
        for (int64_t word = 1; mine == theirs && word < words; word++) {
            mine = rows[row * words + word];
            theirs = known[other * words + word];
        }
        is_new[row] &= mine != theirs;
        row += mine <= theirs;
        other += theirs <= mine;
    }
}
