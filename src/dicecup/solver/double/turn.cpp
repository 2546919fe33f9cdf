// One turn of one sheet without index tables, for WebAssembly: `tools/turn_wasm.py` builds turn.wasm from this.
//
// Dice on sheets are valued by the source that GPUs run (turns.cu). The rest has one sheet only, so no tables of
// neighbours are worth their 130 MB: multisets of double dice are walked in the order of their rank, lowest die
// fastest, and without one of the other dice a walk is a walk too. So the best keeps of a row of throws are read
// side by side, and the throws are added to the keeps before them side by side.
//
// The host writes the tables (see `address`), calls `unpack_level` and `solve_turn`, and reads `layers` and `keeps`;
// then `play_turns` for why a keep is good.

#define DICE 6
#define FACES 6
#define BOXES 16
#define MULTISETS 462
#define TOTALS 106
#define LANES 4

// What turns.cu takes from CUDA, for one thread.
typedef __SIZE_TYPE__ size_t;
struct Index { int x, y; };
struct float4 { float x, y, z, w; };
struct int4 { int x, y, z, w; };
static Index blockIdx, blockDim = {1, 1}, threadIdx;
#define __global__ inline
#define __device__ static
#define __shared__ static
#define __syncthreads()
static inline float fmaxf(float a, float b) { return a > b ? a : b; }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline long long llrint(double value) { return (long long)value; }
template <class T> static T __ldg(const T *at) { return *at; }
template <class T> static void atomicAdd(T *at, T value) { *at += value; }
#pragma clang diagnostic ignored "-Wunused-function"
#include "turns.cu"

#define EXPORT extern "C" __attribute__((visibility("default")))

#define MASKS (1 << BOXES)
#define UPPERS 64
#define MOST_SHEETS 400000       // of a level
#define MOST_PLAYED 4000
#define MOST_PLANES (1 << 22)    // bytes of an unpacked table

static const int LAYER[DICE + 1] = {1, 6, 21, 56, 126, 252, 462};                     // multisets of one layer
static const int COUNT[DICE + 1] = {1, 36, 666, 8436, 82251, 658008, 4496388};         // of double dice
static const int LAYER_START[DICE + 2] = {0, 1, 37, 478, 3614, 19490, 82994, 296438};  // sums of squares
static const int KEEP_START[DICE + 1] = {0, 1, 37, 703, 9139, 91390, 749398};          // sums of COUNT

// ---------------------------------------------------------------- what the host writes and reads

static int place[MASKS], upper_mask[MASKS], class_of[UPPERS * TOTALS], class_count[UPPERS], bonus[TOTALS];
static int free_points[MULTISETS * BOXES], barred_points[MULTISETS * BOXES], barring[MULTISETS], is_upper[BOXES];
static int grow[DICE * 252 * FACES];  // grow[size][rank][face], each size from size * 252 * FACES on
static unsigned char is_own[MASKS], planes[MOST_PLANES];
static float level[MOST_SHEETS], layers[296438], keeps[749398], best[749398];
static float outer_best[BOXES * TOTALS * MULTISETS];
static int endings[MOST_PLAYED * 4];  // of turns: a box and its points, twice
static double sums[658008];  // of 36 numbers: in 32 bits they would be off by a ten-thousandth of a point

EXPORT void *address(int which) {
    void *const all[] = {place, upper_mask, class_of, bonus, free_points, barred_points, barring, is_upper,
                         class_count, is_own, grow, planes, level, layers, keeps, endings};
    return all[which];
}

// ---------------------------------------------------------------- the packed table

// Unpack the values of the sheets with `filled` boxes into `level`. `first` is the number of the level's first
// value, `width` the number of planes, `count` of values in a plane. Blocks are by upper boxes, rows by mask.
EXPORT void unpack_level(int filled, int first, int width, int count, float step) {
    static long long above[TOTALS];
    for (int upper = 0; upper < UPPERS; upper++) {
        for (int number = 0; number < class_count[upper]; number++) above[number] = 0;
        for (int mask = 0; mask < MASKS; mask++) {
            if (!is_own[mask] || upper_mask[mask] != upper || __builtin_popcount(mask) != filled) continue;
            long long left = 0;
            for (int number = 0; number < class_count[upper]; number++, first++) {
                u64 folded = 0;
                for (int plane = 0; plane < width; plane++)
                    folded |= (u64)planes[plane * count + first] << 8 * plane;
                left += (long long)(folded >> 1) ^ -(long long)(folded & 1);
                above[number] += left;
                level[place[mask] + number] = (float)(above[number] * (double)step);
            }
        }
    }
}

// ---------------------------------------------------------------- the turn

static const Game game = {place, upper_mask, class_of, bonus, free_points, barred_points, barring, is_upper};

// The values of final throws, [inner][outer]: the inner dice fill a box, then the outer dice another.
static void final_throws(int mask, int total, float *final) {
    static bool known[BOXES * TOTALS];
    for (bool &one : known) one = false;
    for (int inner = 0; inner < MULTISETS; inner++) {
        const int *points = points_of(game, inner, mask);
        float *row = final + inner * MULTISETS;
        for (int outer = 0; outer < MULTISETS; outer++) row[outer] = NEVER;
        for (int box = 0; box < BOXES; box++) {
            if (mask >> box & 1 || points[box] == FORBIDDEN) continue;
            int gain = is_upper[box] ? points[box] : 0, between = mask | 1 << box, reached = total + gain;
            float *after = outer_best + (box * TOTALS + gain) * MULTISETS;
            if (!known[box * TOTALS + gain]) {
                known[box * TOTALS + gain] = true;
                for (blockIdx.x = 0; blockIdx.x < MULTISETS; blockIdx.x++)
                    best_placements(&game, &between, &reached, 1, level, after);
            }
            float worth = points[box] + bonus[reached] - bonus[total];
            for (int outer = 0; outer < MULTISETS; outer++) row[outer] = fmaxf(row[outer], worth + after[outer]);
        }
    }
}

// Multisets of SIZE double dice that differ in the lowest die only: it may be 0 to `last`. Ranks without the lowest
// die, and without the others where it is 0; the layers' ranks of the others.
template <int SIZE> struct Row {
    int die[SIZE + 1], last, first, without[SIZE], inner, outer;
};

static int weight[DICE][DOUBLE_FACES];  // what a face adds to a rank as the lowest, second lowest … : binomials

static void weigh_faces() {
    for (int face = 0; face < DOUBLE_FACES; face++) {
        long long found = 1;
        for (int at = 0; at < DICE; at++) {
            found = found * (face + at) / (at + 1);
            weight[at][face] = found;
        }
    }
}

template <int SIZE, class Visit> static void walk(Visit visit) {
    // By place, the sums over the dice from there on: their ranks where they are and one place lower, and the layers'.
    int stay[SIZE + 1] = {}, move[SIZE + 1] = {}, inner[SIZE + 1] = {}, outer[SIZE + 1] = {};
    Row<SIZE> row;
    for (int at = 0; at <= SIZE; at++) row.die[at] = 0;
    for (int changed = SIZE - 1;;) {
        for (int at = changed; at >= 1; at--) {
            int die = row.die[at];
            stay[at] = stay[at + 1] + weight[at][die];
            move[at] = move[at + 1] + weight[at - 1][die];
            inner[at] = inner[at + 1] + weight[at][die / FACES];
            outer[at] = grow[((SIZE - 1 - at) * 252 + outer[at + 1]) * FACES + die % FACES];
        }
        row.last = SIZE > 1 ? row.die[1] : DOUBLE_FACES - 1;
        row.first = stay[1], row.inner = inner[1], row.outer = outer[1];
        row.without[0] = move[1];
        for (int at = 1; at < SIZE; at++) row.without[at] = move[at + 1] + stay[1] - stay[at];
        visit(row);
        // The next in the order of ranks: the lowest die that can grow does, and those below it start again.
        changed = 1;
        while (changed < SIZE && row.die[changed] == (changed < SIZE - 1 ? row.die[changed + 1] : DOUBLE_FACES - 1))
            changed++;
        if (changed >= SIZE) return;
        row.die[changed]++;
        for (int at = 1; at < changed; at++) row.die[at] = 0;
    }
}

// values[lowest die]: each throw or keep of a row with its best part; `below` are the best keeps of one die less.
template <int SIZE> static inline void best_of_row(const Row<SIZE> &row, const float *below, float *values) {
    const float *layer = layers + LAYER_START[SIZE];
    const int *last_outer = grow + ((SIZE - 1) * 252 + row.outer) * FACES;
    for (int face = 0; face <= row.last; face++)
        values[face] = layer[(row.inner + face / FACES) * LAYER[SIZE] + last_outer[face % FACES]];
    float without_lowest = below[row.without[0]];
    for (int face = 0; face <= row.last; face++) values[face] = fmaxf(values[face], without_lowest);
    for (int at = 1; at < SIZE; at++) {
        const float *keep = below + row.without[at];
        for (int face = 0; face <= row.last; face++) values[face] = fmaxf(values[face], keep[face]);
    }
}

// Add a row to the keeps of one die less that lead to it, once for each of its different dice.
template <int SIZE> static inline void add_row(const Row<SIZE> &row, const float *values) {
    double sum = 0;
    for (int face = 0; face <= row.last; face++) sum += values[face];
    sums[row.without[0]] += sum;
    for (int at = 1; at < SIZE; at++) {
        if (at > 1 && row.die[at] == row.die[at - 1]) continue;
        double *keep = sums + row.without[at];
        int last = at > 1 ? row.last : row.last - 1;
        for (int face = 0; face <= last; face++) keep[face] += values[face];
    }
}

template <int SIZE> static void best_keeps_of() {
    if constexpr (SIZE > 1) best_keeps_of<SIZE - 1>();
    const float *below = best + KEEP_START[SIZE - 1];
    walk<SIZE>([=](const Row<SIZE> &row) { best_of_row(row, below, best + KEEP_START[SIZE] + row.first); });
}

// The mean over one more die: keeps of SIZE - 1 dice from what SIZE dice are worth.
template <int SIZE, class Values> static void expect(Values values_of) {
    float *means = keeps + KEEP_START[SIZE - 1];
    for (int keep = 0; keep < COUNT[SIZE - 1]; keep++) sums[keep] = 0;
    walk<SIZE>([=](const Row<SIZE> &row) { add_row(row, values_of(row)); });
    for (int keep = 0; keep < COUNT[SIZE - 1]; keep++) means[keep] = sums[keep] * (1.0 / DOUBLE_FACES);
    if constexpr (SIZE > 1)
        expect<SIZE - 1>([=](const Row<SIZE - 1> &row) { return means + row.first; });
}

// layers[size][inner][outer]: keeps before the last throw, and final throws; keeps[size][rank]: before the last two.
EXPORT void solve_turn(int mask, int total) {
    weigh_faces();
    final_throws(mask, total, layers + LAYER_START[DICE]);
    for (int size = DICE - 1; size >= 0; size--)
        for (blockIdx.x = 0; blockIdx.x < LAYER[size]; blockIdx.x++)
            expect_layer_dice(
                layers + LAYER_START[size + 1], LAYER[size + 1], grow + size * 252 * FACES, LAYER[size],
                layers + LAYER_START[size]);
    best[0] = layers[0];
    best_keeps_of<DICE - 1>();
    static float values[DOUBLE_FACES];
    expect<DICE>([](const Row<DICE> &row) {
        best_of_row(row, best + KEEP_START[DICE - 1], values);
        return values;
    });
}

// ---------------------------------------------------------------- the rest of the turn, played many times

#define GOLDEN 0x9E3779B97F4A7C15ull

static u64 mix(u64 value) {  // splitmix64, as in playout/perfect_kernel.py
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ value >> 27) * 0x94D049BB133111EBull;
    return value ^ value >> 31;
}

static u64 chance_of(u64 seed, u64 game) { return mix(mix(seed + GOLDEN * (game + 1)) ^ 1ull << 32); }

static void sort(int *dice, int count) {
    for (int end = 1; end < count; end++) {
        int at = end, held = dice[end];
        for (; at > 0 && dice[at - 1] > held; at--) dice[at] = dice[at - 1];
        dice[at] = held;
    }
}

static int layer_rank(const int *dice, int count, bool is_outer) {
    int shown[DICE], rank = 0;
    for (int at = 0; at < count; at++) shown[at] = is_outer ? dice[at] % FACES : dice[at] / FACES;
    sort(shown, count);
    for (int at = 0; at < count; at++) rank += weight[at][shown[at]];
    return rank;
}

static float keep_value(const int *dice, int count, int left) {
    if (left == 1 || count == DICE) {
        int place = layer_rank(dice, count, false) * LAYER[count] + layer_rank(dice, count, true);
        return layers[LAYER_START[count] + place];
    }
    int rank = 0;
    for (int at = 0; at < count; at++) rank += weight[at][dice[at]];
    return keeps[KEEP_START[count] + rank];
}

// Throw the dice behind the first `fixed`, and go on with the best keeps; `dice` are those of the last throw then.
static void throw_dice(int *dice, int fixed, int left, u64 chance) {
    for (;;) {
        if (fixed < DICE) left--;
        for (int at = fixed; at < DICE; at++) {
            chance += GOLDEN;
            dice[at] = (mix(chance) >> 32) * DOUBLE_FACES >> 32;
        }
        sort(dice, DICE);
        if (left == 0) return;
        int best_kept[DICE], kept[DICE];
        float best_value = NEVER;
        fixed = DICE;
        for (int part = (1 << DICE) - 1; part >= 0; part--) {
            int count = 0;
            for (int at = 0; at < DICE; at++)
                if (part >> at & 1) kept[count++] = dice[at];
            float value = keep_value(kept, count, left);
            if (value <= best_value) continue;
            best_value = value, fixed = count;
            for (int at = 0; at < count; at++) best_kept[at] = kept[at];
        }
        if (fixed == DICE) return;
        for (int at = 0; at < fixed; at++) dice[at] = best_kept[at];
    }
}

static void best_boxes(const int *dice, int mask, int total, int *found) {
    int inner = layer_rank(dice, DICE, false), outer = layer_rank(dice, DICE, true);
    const int *points = points_of(game, inner, mask);
    float most = NEVER;
    for (int box = 0; box < BOXES; box++) {
        if (mask >> box & 1 || points[box] == FORBIDDEN) continue;
        int between = mask | 1 << box, reached = total + (is_upper[box] ? points[box] : 0);
        const int *others = points_of(game, outer, between);
        for (int other = 0; other < BOXES; other++) {
            if (between >> other & 1 || others[other] == FORBIDDEN) continue;
            int end = reached + (is_upper[other] ? others[other] : 0);
            float value = level[place_of(game, between | 1 << other, end)];
            value += points[box] + others[other] + bonus[end] - bonus[total];
            if (value <= most) continue;
            most = value;
            found[0] = box, found[1] = points[box], found[2] = other, found[3] = others[other];
        }
    }
}

// Play the turn that was solved last to its end, from the `count` dice kept in `endings`, with `left` throws to come.
EXPORT void play_turns(int mask, int total, int count, int left, int times, int seed) {
    int kept[DICE], dice[DICE];
    for (int at = 0; at < count; at++) kept[at] = endings[at];
    for (int number = 0; number < times; number++) {
        for (int at = 0; at < count; at++) dice[at] = kept[at];
        throw_dice(dice, count, left, chance_of(seed, number));
        best_boxes(dice, mask, total, endings + 4 * number);
    }
}
