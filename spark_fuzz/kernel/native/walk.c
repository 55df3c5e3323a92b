/* The walk of many schedules in lockstep, a lane of every vector each: the random choices of
   scheduler.py, and the steps of the reference.

   Before this text stand the sizes of one structure, and behind the types the lowered rules
   (lowering.py). What a schedule meets is noted once its group is over, schedule by schedule, so
   that tables are as if each had been walked alone. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#if NUMBER_BITS == 32
typedef int32_t number;
#else
typedef int64_t number;
#endif

/* Schedules in lockstep, and how far apart the numbers of one of them are. */
#define LANES (VECTOR_BYTES / (int)sizeof(number))
#define STRIDE LANES

/*NUMBERS*/

typedef number V __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t U __attribute__((vector_size(4 * LANES)));

/* A truth value is -1 or 0 in a lane of a vector, and 1 or 0 in a leaf. */
#define ALL(c) ((V){0} + (number)(c))

static inline V either(V mask, V one, V other) { return (one & mask) | (other & ~mask); }
static inline V minimum(V one, V other) { return either(one < other, one, other); }
static inline V maximum(V one, V other) { return either(one < other, other, one); }

static inline V quotient(V one, V other) {
    V found;
#if NUMBER_BITS == 32
    /* 53 bits hold the quotient of two numbers of 32 exactly enough to round it down. */
    for (int lane = 0; lane < LANES; lane++) {
        double ratio = (double)one[lane] / (double)other[lane];
        number whole = (number)ratio;
        found[lane] = whole - (ratio < (double)whole);
    }
#else
    for (int lane = 0; lane < LANES; lane++) found[lane] = quotient_of(one[lane], other[lane]);
#endif
    return found;
}
static inline V modulo(V one, V other) { return one - quotient(one, other) * other; }

/* ---- random choices: those of scheduler.py ---- */

enum { ENVIRONMENT_STEP = 1 << 20, PARENT_STEP = (1 << 20) + 1, DEPTH_STEP = (1 << 20) + 2 };
enum { DEPTHS = 6 };

static inline uint32_t mix(uint32_t value) {
    value = (value ^ (value >> 16)) * 0x7FEB352Du;
    value = (value ^ (value >> 15)) * 0x846CA68Bu;
    return value ^ (value >> 16);
}
static inline U mix_all(U value) {
    value = (value ^ (value >> 16)) * 0x7FEB352Du;
    value = (value ^ (value >> 15)) * 0x846CA68Bu;
    return value ^ (value >> 16);
}

static int64_t compute_schedule_key(int64_t seed, int64_t schedule) {
    uint32_t low = mix((uint32_t)seed) ^ mix((uint32_t)schedule + 0x9E3779B9u);
    uint32_t high = mix((uint32_t)(seed >> 32)) ^ mix((uint32_t)(schedule >> 32) + 0x85EBCA6Bu);
    int64_t upper = mix(low + high) & 0x3FFFFFFF;
    return upper << 32 | mix(low ^ mix(high + 0x27D4EB2Fu));
}

/* A word is mixed of a part that depends on the step, and one that depends on its index. */
static inline uint32_t spread(uint32_t key_high, uint32_t index) {
    uint32_t high = mix(key_high + index * 0x6C8E9CF5u);
    return high << 1 | high >> 31;
}
static inline U spread_all(U key_high, uint32_t index) {
    U high = mix_all(key_high + index * 0x6C8E9CF5u);
    return high << 1 | high >> 31;
}
static inline U begin_words(U key_low, uint32_t step) { return mix_all(key_low + step * 0x2545F491u); }
static uint32_t draw(int64_t key, uint32_t step, uint32_t index) {
    uint32_t low = mix((uint32_t)key + step * 0x2545F491u);
    return mix(low ^ spread((uint32_t)(key >> 32), index));
}

static inline int64_t pick_below(uint32_t word, int64_t bound) {
    return (int64_t)((uint64_t)word * (uint64_t)bound) >> 32;
}
static inline number pick_argument(number low, number high, uint32_t word) {
    uint32_t kind = word & 3;
    if (kind == 0 || low == high) return low;
    if (kind == 1) return high;
    return low + (number)pick_below(mix(word), (int64_t)high - low + 1);
}
static inline number pick_limit(number limit, uint32_t word) {
    if (limit == 0 || (word & 1) == 0) return 0;
    return 1 + (number)pick_below(mix(word), limit);
}
static inline number pick_weight(number weight, uint32_t word) {
    static const uint8_t shifts[8] = {0, 0, 0, 1, 1, 2, 3, 5};
    number smaller = weight >> shifts[word & 7];
    return smaller < 1 ? 1 : smaller;
}

/*RULES*/

/* ---- observations: the tables of walk.py ---- */

enum { LAST, SCHEDULES, FIRST, STEP, NAME, SITUATION_CELLS };
enum { CELLS = 4, PROBES_MAX = 16, AHEAD = 8 };

static inline void note(int64_t *row, int64_t schedule, int64_t step) {
    int64_t latest = row[LAST], schedules = row[SCHEDULES];
    if (schedules == 0) {
        row[FIRST] = schedule;
        row[STEP] = step;
    }
    /* No branch: nobody can predict whether a schedule meets something once more. */
    row[LAST] = schedule + 1;
    row[SCHEDULES] = schedules + (latest != schedule + 1);
}

/* ---- the walk ---- */

enum { WEIGHTED, PRIORITIES };
enum { AT_REST, STILL_MOVING, NOT_QUIESCENT };
enum { WORD_BITS = 62, USED_WORDS = (INSTANCES + 61) / 62, CLOSE_LOOK = 16 };
#define NO_END ((int64_t)1 << 40)
#define NUMBER_MAX ((int64_t)1 << 31)

typedef struct {
    int64_t campaign_seed, first_schedule, count, scheduler, is_swarm, steps_max, healing_steps_max;
    int64_t profiles, limits, parents, parent_cells, situations;
    const int64_t *initial, *profile_values, *limit_places, *usual_weights, *is_decisive,
        *parent_paths;
    int64_t *steps, *violations, *used, *healing_steps, *ends, *stuck, *overflow;
    int64_t *rule_table, *pair_table, *situation_table, *outcome_table;
    const int64_t *marks;
    int64_t *lost;
} Batch;

typedef struct {
    V state[LEAVES], parameters[PARAMETERS], weights[INSTANCES], sums[INSTANCES];
    U key_low, key_high, spreads[ARGUMENTS + 1];
    int64_t priorities[INSTANCES][LANES];
    number marks_low[INSTANCES], marks_high[INSTANCES];
    V steps, taken, seen;
    int64_t numbers[LANES], keys[LANES], parts[LANES], violations[LANES][GUARANTEES + 1];
    uint8_t fired[LANES][INSTANCES], outcomes[LANES][OUTCOMES + 1];
    int64_t *paths, *ends;                 /* [lane][part] */
    V *names_low, *names_high, *instances; /* [step] */
    int path_parts;
    int64_t next_end;
} Desk;

static void set_key(Desk *desk, int lane, int64_t key) {
    desk->keys[lane] = key;
    desk->key_low[lane] = (uint32_t)key;
    desk->key_high[lane] = (uint32_t)(key >> 32);
}

static void spread_keys(Desk *desk) {
    for (int index = 0; index <= ARGUMENTS; index++)
        desk->spreads[index] = spread_all(desk->key_high, index);
}

static void lay_path(const Batch *batch, Desk *desk, int lane, int64_t number_) {
    int64_t *path = desk->paths + (int64_t)lane * desk->path_parts;
    int64_t *ends = desk->ends + (int64_t)lane * desk->path_parts;
    int part = 0;
    if (batch->parents > 0) {
        int64_t key = compute_schedule_key(batch->campaign_seed, number_);
        int64_t parent = pick_below(draw(key, PARENT_STEP, 0), batch->parents);
        const int64_t *row = batch->parent_paths + parent * batch->parent_cells;
        int parts = (int)(batch->parent_cells / 2);
        for (; part < parts && row[part] >= 0; part++) {
            path[part] = row[part];
            ends[part] = row[parts + part];
        }
    }
    path[part] = number_;
    ends[part] = NO_END;
}

static void begin_group(const Batch *batch, Desk *desk, int64_t first) {
    desk->steps = desk->taken = desk->seen = ALL(0);
    memset(desk->violations, -1, sizeof desk->violations);
    memset(desk->fired, 0, sizeof desk->fired);
    memset(desk->outcomes, 0, sizeof desk->outcomes);
    desk->next_end = NO_END;
    for (int lane = 0; lane < LANES; lane++) {
        desk->numbers[lane] = first + lane;
        desk->parts[lane] = 0;
        lay_path(batch, desk, lane, first + lane);
        int64_t at = (int64_t)lane * desk->path_parts;
        set_key(desk, lane, compute_schedule_key(batch->campaign_seed, desk->paths[at]));
        if (desk->ends[at] < desk->next_end) desk->next_end = desk->ends[at];
    }
    for (int leaf = 0; leaf < LEAVES; leaf++) desk->state[leaf] = ALL(batch->initial[leaf]);
    U words = begin_words(desk->key_low, ENVIRONMENT_STEP);
    U chosen = mix_all(words ^ spread_all(desk->key_high, 0));
    for (int lane = 0; lane < LANES; lane++) {
        int64_t row = batch->is_swarm ? pick_below(chosen[lane], batch->profiles) : 0;
        const int64_t *values = batch->profile_values + row * PARAMETERS;
        for (int i = 0; i < PARAMETERS; i++) desk->parameters[i][lane] = (number)values[i];
    }
    for (int i = 0; batch->is_swarm && i < batch->limits; i++) {
        U word = mix_all(words ^ spread_all(desk->key_high, 1 + i));
        V *limit = &desk->parameters[batch->limit_places[i]];
        for (int lane = 0; lane < LANES; lane++)
            (*limit)[lane] = pick_limit((*limit)[lane], word[lane]);
    }
    for (int i = 0; i < INSTANCES; i++) {
        number usual = (number)batch->usual_weights[i];
        desk->weights[i] = ALL(batch->scheduler == PRIORITIES ? 1 : usual);
        if (!batch->is_swarm && batch->scheduler != PRIORITIES) continue;
        U word = mix_all(words ^ spread_all(desk->key_high, 1 + (uint32_t)batch->limits + i));
        for (int lane = 0; lane < LANES; lane++) {
            desk->priorities[i][lane] = word[lane];
            if (batch->scheduler != PRIORITIES)
                desk->weights[i][lane] = pick_weight(usual, word[lane]);
        }
    }
    spread_keys(desk);
}

/* Schedules whose path goes on with the choices of another one at this step. */
static void change_keys(const Batch *batch, Desk *desk, int64_t step) {
    desk->next_end = NO_END;
    for (int lane = 0; lane < LANES; lane++) {
        int64_t at = (int64_t)lane * desk->path_parts;
        if (desk->ends[at + desk->parts[lane]] == step) {
            desk->parts[lane] += 1;
            int64_t other = desk->paths[at + desk->parts[lane]];
            set_key(desk, lane, compute_schedule_key(batch->campaign_seed, other));
        }
        int64_t end = desk->ends[at + desk->parts[lane]];
        if (end < desk->next_end) desk->next_end = end;
    }
    spread_keys(desk);
}

/* By lane the first instance whose sum exceeds the picked number: one that is enabled. */
static inline V find_picked(const Desk *desk, V picked) {
    V found = ALL(0);
    for (int i = 0; i < INSTANCES; i++) found -= desk->sums[i] <= picked;
    return found;
}

static inline V pick_all(U word, V total) {
    V picked;
    for (int lane = 0; lane < LANES; lane++)
        picked[lane] = (number)pick_below(word[lane], total[lane]);
    return picked;
}

static int is_enabled(const Desk *desk, int instance, int lane) {
    return desk->sums[instance][lane] != (instance ? desk->sums[instance - 1][lane] : 0);
}

static int find_first(const Desk *desk, int lane) {
    int first = -1;
    for (int i = 0; i < INSTANCES; i++)
        if (is_enabled(desk, i, lane)
            && (first < 0 || desk->priorities[i][lane] > desk->priorities[first][lane]))
            first = i;
    return first;
}

static V pick_by_priority(const Batch *batch, Desk *desk, U word, V total, int64_t step) {
    V found = ALL(0);
    for (int lane = 0; lane < LANES; lane++) {
        if (total[lane] == 0) continue;
        int64_t changes = (int64_t)1 << pick_below(draw(desk->keys[lane], DEPTH_STEP, 0), DEPTHS);
        if (pick_below(word[lane], batch->steps_max) < changes)
            desk->priorities[find_first(desk, lane)][lane] = -step;
        found[lane] = find_first(desk, lane);
    }
    return found;
}

/* What is violated now and was not before, if the step could change that. */
static void note_violations(
    const Batch *batch, Desk *desk, V fresh, V instances, V total, V indexes
) {
    for (int lane = 0; lane < LANES; lane++) {
        if (fresh[lane] == 0 || total[lane] == 0) continue;
        if (!batch->is_decisive[instances[lane]]) continue;
        desk->seen[lane] |= fresh[lane];
        for (int bit = 0; bit < GUARANTEES; bit++)
            if (fresh[lane] >> bit & 1) desk->violations[lane][bit] = indexes[lane];
    }
}

static int is_any(V mask) {
    number any = 0;
    for (int lane = 0; lane < LANES; lane++) any |= mask[lane];
    return any != 0;
}

/* One step of each lane that has one. */
static void take_steps(
    const Batch *batch, Desk *desk, U low, V instances, V total, V indexes
) {
    number *state = (number *)desk->state;
    const number *parameters = (const number *)desk->parameters;
    const uint32_t *spreads = (const uint32_t *)desk->spreads;
    for (int lane = 0; lane < LANES; lane++) {
        if (total[lane] == 0) continue;
        int instance = (int)instances[lane];
        desk->fired[lane][instance] = 1;
        step(state + lane, parameters + lane, instance, low[lane], spreads + lane);
    }
    V fresh = judge(desk->state, desk->parameters) & ~desk->seen;
    if (is_any(fresh)) note_violations(batch, desk, fresh, instances, total, indexes);
}

static void walk(const Batch *batch, Desk *desk) {
    int watched = (int)((CLOSE_LOOK - desk->numbers[0] % CLOSE_LOOK) % CLOSE_LOOK);
    for (int64_t step_number = 0; step_number < batch->steps_max; step_number++) {
        if (step_number == desk->next_end) change_keys(batch, desk, step_number);
        V total;
        find_enabled(desk->state, desk->parameters, desk->weights, desk->sums, desk->marks_low,
                     desk->marks_high, &total, desk->names_low + step_number,
                     desk->names_high + step_number);
        if (!is_any(total)) return;
        for (int lane = watched; lane < LANES; lane += CLOSE_LOOK)
            if (total[lane])
                observe((number *)desk->state + lane, (number *)desk->parameters + lane,
                        desk->outcomes[lane]);
        U low = begin_words(desk->key_low, (uint32_t)step_number);
        U word = mix_all(low ^ desk->spreads[0]);
        V instances = batch->scheduler == WEIGHTED
            ? find_picked(desk, pick_all(word, total))
            : pick_by_priority(batch, desk, word, total, step_number);
        desk->instances[step_number] = instances;
        desk->steps -= total != 0;
        take_steps(batch, desk, low, instances, total, desk->steps);
    }
}

static void heal(const Batch *batch, Desk *desk, V *counts) {
    for (int lane = 0; lane < LANES; lane++) {
        int64_t at = (int64_t)lane * desk->path_parts;
        while (desk->ends[at + desk->parts[lane]] != NO_END) desk->parts[lane] += 1;
        int64_t own = desk->paths[at + desk->parts[lane]];
        set_key(desk, lane, compute_schedule_key(batch->campaign_seed, own));
    }
    spread_keys(desk);
    for (int64_t taken = 0;; taken++) {
        *counts = find_moving(desk->state, desk->parameters, desk->sums);
        if (taken >= batch->healing_steps_max || !is_any(*counts)) return;
        U low = begin_words(desk->key_low, (uint32_t)(batch->steps_max + taken));
        V picked = pick_all(mix_all(low ^ desk->spreads[0]), *counts);
        V instances = find_picked(desk, picked);
        desk->taken -= *counts != 0;
        take_steps(batch, desk, low, instances, *counts, desk->steps + desk->taken);
    }
}

static void note_situation(const Batch *batch, uint64_t name, int64_t schedule, int64_t step_number) {
    uint64_t mask = (uint64_t)batch->situations - 1, row = name & mask;
    for (int probe = 0; probe < PROBES_MAX; probe++) {
        int64_t *cells = batch->situation_table + row * SITUATION_CELLS;
        if ((uint64_t)cells[NAME] == name || cells[NAME] == 0) {
            cells[NAME] = (int64_t)name;
            note(cells, schedule, step_number);
            return;
        }
        row = (row + 1) & mask;
    }
    batch->lost[0] += 1;
}

static inline uint64_t get_name(const Desk *desk, int64_t step_number, int lane) {
#if NUMBER_BITS == 32
    uint64_t high = (uint32_t)desk->names_high[step_number][lane];
    return (high << 32 | (uint32_t)desk->names_low[step_number][lane]) + 1;
#else
    return (uint64_t)desk->names_low[step_number][lane] + 1;
#endif
}

static void note_schedule(const Batch *batch, const Desk *desk, int lane) {
    int64_t schedule = desk->numbers[lane], before = -1, steps = desk->steps[lane];
    uint64_t mask = (uint64_t)batch->situations - 1;
    for (int64_t i = 0; i < steps; i++) {
        uint64_t ahead = get_name(desk, i + AHEAD < steps ? i + AHEAD : i, lane) & mask;
        __builtin_prefetch(batch->situation_table + ahead * SITUATION_CELLS, 1);
        note_situation(batch, get_name(desk, i, lane), schedule, i);
        int64_t instance = desk->instances[i][lane], pair = before * INSTANCES + instance;
        if (before >= 0) note(batch->pair_table + pair * CELLS, schedule, i + 1);
        before = instance;
    }
    for (int i = 0; i < INSTANCES; i++)
        if (desk->fired[lane][i]) note(batch->rule_table + i * CELLS, schedule, 0);
    if (schedule % CLOSE_LOOK != 0) return;
    for (int i = 0; i < OUTCOMES; i++)
        for (int side = 0; side < 2; side++)
            if (desk->outcomes[lane][i] >> side & 1)
                note(batch->outcome_table + (2 * i + side) * CELLS, schedule, 0);
}

static void end_group(const Batch *batch, const Desk *desk, int64_t row, int lanes, V counts) {
    V quiescent = is_quiescent(desk->state, desk->parameters);
    V stuck = judge_rest(desk->state, desk->parameters);
    for (int lane = 0; lane < lanes; lane++, row++) {
        batch->steps[row] = desk->steps[lane];
        batch->healing_steps[row] = desk->taken[lane];
        batch->ends[row] = -1;
        batch->stuck[row] = 0;
        if (batch->healing_steps_max > 0) {
            int64_t at_end = quiescent[lane] ? AT_REST : NOT_QUIESCENT;
            batch->ends[row] = counts[lane] ? STILL_MOVING : at_end;
            batch->stuck[row] = stuck[lane];
        }
        int64_t *used = batch->used + row * USED_WORDS;
        memset(used, 0, USED_WORDS * sizeof(int64_t));
        for (int i = 0; i < INSTANCES; i++)
            used[i / WORD_BITS] |= (int64_t)desk->fired[lane][i] << (i % WORD_BITS);
        memcpy(batch->violations + row * GUARANTEES, desk->violations[lane],
               GUARANTEES * sizeof(int64_t));
#if NUMBER_BITS == 64
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            int64_t value = desk->state[leaf][lane];
            if (value >= NUMBER_MAX || value <= -NUMBER_MAX) batch->overflow[0] = 1;
        }
#endif
        note_schedule(batch, desk, lane);
    }
}

const int lanes = LANES;

/* Walks the schedules of a batch; returns 0, or 1 where there is no memory for it. */
int run_schedules(const Batch *batch) {
    Desk *desk = NULL;
    if (posix_memalign((void **)&desk, 64, sizeof(Desk))) return 1;
    desk->path_parts = (int)(batch->parent_cells / 2) + 1;
    size_t parts = (size_t)desk->path_parts * LANES, steps = (size_t)batch->steps_max;
    void *memory = NULL;
    if (posix_memalign(&memory, 64, 3 * steps * sizeof(V) + 2 * parts * sizeof(int64_t))) {
        free(desk);
        return 1;
    }
    desk->names_low = memory;
    desk->names_high = desk->names_low + steps;
    desk->instances = desk->names_high + steps;
    desk->paths = (int64_t *)(desk->instances + steps);
    desk->ends = desk->paths + parts;
    for (int i = 0; i < INSTANCES; i++) {
        desk->marks_low[i] = (number)batch->marks[i];
        desk->marks_high[i] = (number)(batch->marks[i] >> 32);
    }
    for (int64_t row = 0; row < batch->count; row += LANES) {
        int lanes = (int)(batch->count - row < LANES ? batch->count - row : LANES);
        V counts = ALL(0);
        begin_group(batch, desk, batch->first_schedule + row);
        walk(batch, desk);
        if (batch->healing_steps_max > 0) heal(batch, desk, &counts);
        end_group(batch, desk, row, lanes, counts);
    }
    free(memory);
    free(desk);
    return 0;
}
