/* The inner loops of breadth-first search over the arrays of frontier.py: expand, pack, insert,
   judge.

   States are rows of packed words, numbered in the order in which they are found. Successors are
   collected in a buffer and inserted together, so that the memory fetches their places in the table
   while others are computed. */

#include <stdint.h>
#include <string.h>

typedef int64_t number;
#define STRIDE 1

/*NUMBERS*/

/*RULES*/

enum { CELL, LOW, TOP, MASK, WORD, SHIFT, FIELD_CELLS };
enum { PICTURE_STRIDE = 3, PICTURE_CELLS = 4 };
enum { NO_ROOM_IN_FIELD = -1, NO_ROOM_IN_BUFFER = -2, AHEAD = 16 };

typedef struct {
    int64_t words, fields_count, write_cells, slaves, slave_cells_count, pictures;
    int64_t buffer_rows, action_cells, states_max, table_mask, batch;
    const int64_t *parameters, *fields, *writes, *slave_cells, *picture_fields;
    const int64_t *can_reach_violation, *bits, *earlier;
    int64_t *scratch_words, *base, *state, *enabled, *ranges, *arguments;
    int64_t *rows, *actions;
    int32_t *row_parents;
    int64_t *row_asleep, *slots;
    int64_t *states;
    int32_t *parents;
    int64_t *asleep;
    int32_t *table;
} Search;

static void unpack_state(const Search *search, const int64_t *row, int64_t *state) {
    for (int64_t i = 0; i < search->fields_count; i++) {
        const int64_t *field = search->fields + i * FIELD_CELLS;
        state[field[CELL]] = (row[field[WORD]] >> field[SHIFT] & field[MASK]) + field[LOW];
    }
}

static inline int pack_field(const int64_t *field, const int64_t *state, int64_t *row) {
    int64_t value = minimum_of(state[field[CELL]], field[TOP]) - field[LOW];
    int64_t *word = row + field[WORD];
    *word = (*word & ~(field[MASK] << field[SHIFT])) | (int64_t)((uint64_t)value << field[SHIFT]);
    return 0 <= value && value <= field[MASK];
}

int pack_state(const Search *search, const int64_t *state, int64_t *row) {
    memset(row, 0, (size_t)search->words * sizeof(int64_t));
    int is_fitting = 1;
    for (int64_t i = 0; i < search->fields_count; i++)
        is_fitting &= pack_field(search->fields + i * FIELD_CELLS, state, row);
    return is_fitting;
}

static int can_reach_violation(const Search *search) {
    int64_t place = 0;
    for (int64_t i = 0; i < search->pictures; i++) {
        const int64_t *field = search->picture_fields + i * PICTURE_CELLS;
        int64_t value = minimum_of(search->state[field[CELL]], field[TOP]);
        place += (value - field[LOW]) * field[PICTURE_STRIDE];
    }
    return search->can_reach_violation[place] != 0;
}

static int is_before(const Search *search, int64_t one, int64_t other) {
    const int64_t *state = search->state;
    const int64_t *mine = search->slave_cells + one * search->slave_cells_count;
    const int64_t *theirs = search->slave_cells + other * search->slave_cells_count;
    for (int64_t i = 0; i < search->slave_cells_count; i++)
        if (state[mine[i]] != state[theirs[i]]) return state[mine[i]] < state[theirs[i]];
    return 0;
}

static int order_slaves(const Search *search) {
    int is_changed = 0;
    for (int64_t first = 0; first < search->slaves; first++)
        for (int64_t second = first + 1; second < search->slaves; second++) {
            if (!is_before(search, second, first)) continue;
            is_changed = 1;
            for (int64_t i = 0; i < search->slave_cells_count; i++) {
                int64_t *one = search->state + search->slave_cells[first * search->slave_cells_count + i];
                int64_t *other = search->state + search->slave_cells[second * search->slave_cells_count + i];
                int64_t kept = *one;
                *one = *other, *other = kept;
            }
        }
    return is_changed;
}

static inline int pack_successor(const Search *search, int64_t instance, int64_t *row, int is_exchanged) {
    if (is_exchanged) return pack_state(search, search->state, row);
    for (int64_t i = 0; i < search->words; i++) row[i] = search->scratch_words[i];
    const int64_t *writes = search->writes + instance * search->write_cells;
    int is_fitting = 1;
    for (int64_t i = 1; i <= writes[0]; i++)
        is_fitting &= pack_field(search->fields + writes[i] * FIELD_CELLS, search->state, row);
    return is_fitting;
}

static int advance_arguments(const Search *search, int64_t count) {
    for (int64_t i = count - 1; i >= 0; i--) {
        if (search->arguments[i] < search->ranges[2 * i + 1]) {
            search->arguments[i] += 1;
            return 1;
        }
        search->arguments[i] = search->ranges[2 * i];
    }
    return 0;
}

/* Appends a row for every successor that can reach a violation, by a step that is not asleep;
   returns the number of rows. */
int64_t collect_successors(const Search *search, int64_t filled, int64_t asleep) {
    memcpy(search->state, search->base, LEAVES * sizeof(int64_t));
    int64_t taken = 0;
    int64_t enabled = find_enabled(search->base, search->parameters, search->enabled);
    for (int64_t i = 0; i < enabled; i++) {
        int64_t instance = search->enabled[i];
        if (search->writes[instance * search->write_cells] < 0) continue;
        if (search->bits[instance] & asleep) {
            if (search->slaves < 2) taken |= search->bits[instance];
            continue;
        }
        int64_t count = find_ranges(search->base, search->parameters, instance, search->ranges);
        for (int64_t k = 0; k < count; k++) search->arguments[k] = search->ranges[2 * k];
        int is_more = 1, is_any_exchanged = 0;
        while (is_more) {
            if (filled == search->buffer_rows) return NO_ROOM_IN_BUFFER;
            fire(search->state, search->parameters, instance, search->arguments);
            int64_t *action = search->actions + filled * search->action_cells;
            for (int64_t k = 0; k < count; k++) action[k + 1] = search->arguments[k];
            is_more = advance_arguments(search, count);
            int is_exchanged = 0;
            if (can_reach_violation(search)) {
                is_exchanged = search->slaves > 1 && order_slaves(search);
                int64_t *row = search->rows + filled * search->words;
                if (!pack_successor(search, instance, row, is_exchanged)) return NO_ROOM_IN_FIELD;
                action[0] = instance;
                search->row_asleep[filled] = is_exchanged ? 0 : taken & search->earlier[instance];
                is_any_exchanged |= is_exchanged;
                filled += 1;
            }
            if (is_exchanged)
                memcpy(search->state, search->base, LEAVES * sizeof(int64_t));
            else
                restore(search->state, search->base, instance);
        }
        if (!is_any_exchanged) taken |= search->bits[instance];
    }
    return filled;
}

static inline int64_t compute_slot(const int64_t *row, int64_t words, int64_t mask) {
    uint64_t value = 0;
    for (int64_t i = 0; i < words; i++) {
        value = (value ^ (uint64_t)row[i]) * 0x1E3779B97F4A7C15u;
        value ^= value >> 32;
    }
    return (int64_t)(value & (uint64_t)mask);
}

static inline int is_same(const int64_t *one, const int64_t *other, int64_t words) {
    int64_t difference = 0;
    for (int64_t i = 0; i < words; i++) difference |= one[i] ^ other[i];
    return difference == 0;
}

/* Numbers the buffer's new states; returns the new number of states. Stops at a full store. */
int64_t insert_rows(const Search *search, int64_t filled, int64_t count) {
    const int64_t words = search->words, mask = search->table_mask;
    for (int64_t i = 0; i < filled; i++) {
        search->slots[i] = compute_slot(search->rows + i * words, words, mask);
        __builtin_prefetch(search->table + search->slots[i], 1);
    }
    for (int64_t i = 0; i < filled; i++) {
        if (i + AHEAD < filled) {
            int32_t likely = search->table[search->slots[i + AHEAD]];
            if (likely > 0) __builtin_prefetch(search->states + (likely - 1) * words);
        }
        const int64_t *row = search->rows + i * words;
        int64_t slot = search->slots[i];
        int32_t known = search->table[slot];
        while (known > 0 && !is_same(search->states + (known - 1) * words, row, words)) {
            slot = (slot + 1) & mask;
            known = search->table[slot];
        }
        if (known > 0) continue;
        if (count == search->states_max) return count;
        for (int64_t k = 0; k < words; k++) search->states[count * words + k] = row[k];
        search->parents[count] = search->row_parents[i];
        search->asleep[count] = search->row_asleep[i];
        search->table[slot] = (int32_t)++count;
    }
    return count;
}

int64_t expand_states(const Search *search, int64_t first, int64_t count) {
    int64_t filled = 0, last = count;
    for (int64_t state = first; state < last; state++) {
        const int64_t *row = search->states + state * search->words;
        for (int64_t i = 0; i < search->words; i++) search->scratch_words[i] = row[i];
        unpack_state(search, row, search->base);
        int64_t end = collect_successors(search, filled, search->asleep[state]);
        if (end < 0) return end;
        for (int64_t i = filled; i < end; i++) search->row_parents[i] = (int32_t)state;
        filled = end;
        if (filled >= search->batch) {
            count = insert_rows(search, filled, count);
            filled = 0;
        }
        if (count == search->states_max) return count;
    }
    return insert_rows(search, filled, count);
}

void judge_states(const Search *search, int64_t first, int64_t last, int64_t *violating) {
    for (int64_t state = first; state < last; state++) {
        unpack_state(search, search->states + state * search->words, search->base);
        int64_t violated = judge(search->base, search->parameters);
        for (int bit = 0; violated != 0 && bit < GUARANTEES; bit++)
            if (violated >> bit & 1 && violating[bit] < 0) violating[bit] = state;
    }
}
