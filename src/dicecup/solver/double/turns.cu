// The turns of many sheets at once. Compiled with the game's sizes defined:
//   DICE, FACES (of one layer), BOXES, MULTISETS (of one layer's dice), LANES (sheets side by side), TOTALS
//
// Before the last throw a value depends only on the multisets of inner and of outer dice: those steps work on
// [sheet][inner][outer]. The choices before it need every keep of double dice: those steps work on rows of LANES
// sheets, 16 bytes a thread, so that each gather moves whole cache lines. blockIdx.y is the group of LANES sheets.

#define DOUBLE_FACES (FACES * FACES)
#define ROW_THREADS (LANES / 4)          // threads to a row
#define FORBIDDEN (-32768)
#define NEVER (-1e9f)
#define LINKS ((DICE + 2 + 3) / 4 * 4)   // of a throw: DICE lower rows, its pair, its weight, padding

typedef unsigned long long u64;  // sums of either sign, as atomicAdd takes them

// ---------------------------------------------------------------- placing dice on sheets

struct Game {
    const int *place, *upper_mask;           // by mask
    const int *class_of;                     // [upper mask][total]
    const int *bonus;                        // [total]
    const int *free_points, *barred_points;  // [multiset][box]
    const int *barring;                      // [multiset]
    const int *is_upper;                     // [box]
};

__device__ inline const int *points_of(const Game &game, int dice, int mask) {
    const int *points = (game.barring[dice] & ~mask) ? game.barred_points : game.free_points;
    return points + dice * BOXES;
}

__device__ inline int place_of(const Game &game, int mask, int total) {
    return game.place[mask] + game.class_of[game.upper_mask[mask] * TOTALS + total];
}

// best[sheet][dice]: the most that one layer's dice make of a sheet whose other layer is scored already.
extern "C" __global__ void best_placements(
    const Game *tables, const int *sheet_mask, const int *sheet_total, int sheets, const float *after, float *best
) {
    const Game game = *tables;
    long long item = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= (long long)sheets * MULTISETS) return;
    int sheet = item / MULTISETS, dice = item % MULTISETS;
    int mask = sheet_mask[sheet], total = sheet_total[sheet];
    const int *points = points_of(game, dice, mask);
    float most = NEVER;
    for (int box = 0; box < BOXES; box++) {
        if (mask >> box & 1 || points[box] == FORBIDDEN) continue;
        int reached = total + (game.is_upper[box] ? points[box] : 0);
        float gain = points[box] + game.bonus[reached] - game.bonus[total];
        most = fmaxf(most, gain + after[place_of(game, mask | 1 << box, reached)]);
    }
    best[item] = most;
}

#define INNERS 33  // inner multisets to a block

// final[sheet][inner][outer]. Blocks: (inner multisets / INNERS, sheets).
extern "C" __global__ void final_values(
    const Game *tables, const int *sheet_mask, const int *sheet_total, const float *best, float *final
) {
    const Game game = *tables;
    __shared__ int rows[INNERS][BOXES];
    __shared__ float gains[INNERS][BOXES];
    __shared__ int counts[INNERS];
    int sheet = blockIdx.y, first = blockIdx.x * INNERS;
    int mask = sheet_mask[sheet], total = sheet_total[sheet];
    for (int inner = first + threadIdx.x; inner < min(first + INNERS, MULTISETS); inner += blockDim.x) {
        const int *points = points_of(game, inner, mask);
        int count = 0;
        for (int box = 0; box < BOXES; box++) {
            if (mask >> box & 1 || points[box] == FORBIDDEN) continue;
            int reached = total + (game.is_upper[box] ? points[box] : 0);
            rows[inner - first][count] = place_of(game, mask | 1 << box, reached);
            gains[inner - first][count++] = points[box] + game.bonus[reached] - game.bonus[total];
        }
        counts[inner - first] = count;
    }
    __syncthreads();
    float *out = final + (size_t)sheet * MULTISETS * MULTISETS;
    for (int inner = first; inner < min(first + INNERS, MULTISETS); inner++) {
        int count = counts[inner - first];
        for (int outer = threadIdx.x; outer < MULTISETS; outer += blockDim.x) {
            float most = NEVER;
            for (int way = 0; way < count; way++) {
                const float *row = best + (size_t)rows[inner - first][way] * MULTISETS;
                most = fmaxf(most, gains[inner - first][way] + __ldg(row + outer));
            }
            out[(size_t)inner * MULTISETS + outer] = most;
        }
    }
}

// out[sheet][inner][outer]: the mean of `above` over one more die in each layer. Blocks: (count, sheets).
extern "C" __global__ void expect_layer_dice(
    const float *above, int above_count, const int *grow, int count, float *out
) {
    __shared__ float column[MULTISETS];
    int inner = blockIdx.x, sheet = blockIdx.y;
    const float *values = above + (size_t)sheet * above_count * above_count;
    for (int outer = threadIdx.x; outer < above_count; outer += blockDim.x) {
        float total = 0;
        for (int face = 0; face < FACES; face++)
            total += values[(size_t)grow[inner * FACES + face] * above_count + outer];
        column[outer] = total;
    }
    __syncthreads();
    for (int outer = threadIdx.x; outer < count; outer += blockDim.x) {
        float total = 0;
        for (int face = 0; face < FACES; face++) total += column[grow[outer * FACES + face]];
        out[((size_t)sheet * count + inner) * count + outer] = total * (1.0f / DOUBLE_FACES);
    }
}

// ---------------------------------------------------------------- rows: the best keep, the mean throw

#define TILE 32  // pairs to a block

// rows[group][pair][lane] from values[sheet][place of the pair]. Blocks: (pairs / TILE, groups).
extern "C" __global__ void lay_rows(
    const float *values, int count, const int *pair_place, int pairs, float *rows
) {
    __shared__ float tile[LANES][TILE + 1];
    int first = blockIdx.x * TILE, group = blockIdx.y;
    for (int item = threadIdx.x; item < LANES * TILE; item += blockDim.x) {
        int lane = item / TILE, pair = first + item % TILE;
        size_t sheet = (size_t)group * LANES + lane;
        if (pair < pairs) tile[lane][item % TILE] = values[sheet * count * count + pair_place[pair]];
    }
    __syncthreads();
    for (int item = threadIdx.x; item < LANES * TILE; item += blockDim.x) {
        int lane = item % LANES, pair = first + item / LANES;
        if (pair < pairs) rows[((size_t)group * pairs + pair) * LANES + lane] = tile[lane][item / LANES];
    }
}

__device__ inline float4 load(const float4 *rows, size_t row, int part) {
    return __ldg(rows + row * ROW_THREADS + part);
}

__device__ inline float4 most(float4 a, float4 b) {
    a.x = fmaxf(a.x, b.x);
    a.y = fmaxf(a.y, b.y);
    a.z = fmaxf(a.z, b.z);
    a.w = fmaxf(a.w, b.w);
    return a;
}

// The best part of each keep: all of it, or the best with one die less. `pair` is null when keeps have own rows.
template <int SIZE>
__device__ inline void best_keeps(
    const float4 *keeps, int keep_rows, const int *pair, const int *less, const float4 *below, int below_rows,
    float4 *best, int rows
) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / ROW_THREADS, part = thread % ROW_THREADS;
    if (row >= rows) return;
    size_t group = blockIdx.y;
    below += group * below_rows * ROW_THREADS;
    float4 value = load(keeps + group * keep_rows * ROW_THREADS, pair ? pair[row] : row, part);
#pragma unroll
    for (int place = 0; place < SIZE; place++)
        value = most(value, load(below, less[(size_t)row * SIZE + place], part));
    best[(group * rows + row) * ROW_THREADS + part] = value;
}

#define BEST_KEEPS(SIZE)                                                                                     \
    extern "C" __global__ void best_keeps_##SIZE(                                                            \
        const float4 *keeps, int keep_rows, const int *pair, const int *less, const float4 *below,             \
        int below_rows, float4 *best, int rows                                                                \
    ) {                                                                                                      \
        best_keeps<SIZE>(keeps, keep_rows, pair, less, below, below_rows, best, rows);                       \
    }

// A throw's best: stopping, or the best keep of one die less. Gives its weight too.
__device__ inline float4 best_throw(
    const float4 *stop, const int *links, const float4 *below, size_t row, int part, int &weight
) {
    int link[LINKS];
#pragma unroll
    for (int quad = 0; quad < LINKS / 4; quad++) {
        int4 four = __ldg((const int4 *)links + row * (LINKS / 4) + quad);
        link[4 * quad] = four.x;
        link[4 * quad + 1] = four.y;
        link[4 * quad + 2] = four.z;
        link[4 * quad + 3] = four.w;
    }
    weight = link[DICE + 1];
    float4 value = load(stop, link[DICE], part);
#pragma unroll
    for (int place = 0; place < DICE; place++) value = most(value, load(below, link[place], part));
    return value;
}

extern "C" __global__ void best_throws(
    const float4 *stop, int stop_rows, const int *links, const float4 *below, int below_rows, float4 *best, int rows
) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / ROW_THREADS, part = thread % ROW_THREADS, weight;
    if (row >= rows) return;
    size_t group = blockIdx.y;
    stop += group * stop_rows * ROW_THREADS;
    below += group * below_rows * ROW_THREADS;
    best[(group * rows + row) * ROW_THREADS + part] = best_throw(stop, links, below, row, part, weight);
}

// The mean over one more double die.
extern "C" __global__ void expect_die(
    const float4 *above, int above_rows, const int *more, float4 *out, int rows
) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / ROW_THREADS, part = thread % ROW_THREADS;
    if (row >= rows) return;
    size_t group = blockIdx.y;
    above += group * above_rows * ROW_THREADS;
    const float share = 1.0f / DOUBLE_FACES;
    float4 sum = {0, 0, 0, 0};
#pragma unroll 12
    for (int face = 0; face < DOUBLE_FACES; face++) {
        float4 value = load(above, more[(size_t)row * DOUBLE_FACES + face], part);
        sum.x += value.x;
        sum.y += value.y;
        sum.z += value.z;
        sum.w += value.w;
    }
    float4 mean = {sum.x * share, sum.y * share, sum.z * share, sum.w * share};
    out[(group * rows + row) * ROW_THREADS + part] = mean;
}

// sums[group][lane]: every first throw's best by its weight, times `scale`. Added up as integers, so that the
// order in which blocks finish does not change the result.
extern "C" __global__ void sum_throws(
    const float4 *stop, int stop_rows, const int *links, const float4 *below, int below_rows, u64 *sums,
    int rows, int rounds, double scale
) {
    __shared__ u64 shared[LANES];
    for (int lane = threadIdx.x; lane < LANES; lane += blockDim.x) shared[lane] = 0;
    __syncthreads();
    int row_step = blockDim.x / ROW_THREADS, part = threadIdx.x % ROW_THREADS, weight;
    int row = blockIdx.x * rounds * row_step + threadIdx.x / ROW_THREADS;
    size_t group = blockIdx.y;
    stop += group * stop_rows * ROW_THREADS;
    below += group * below_rows * ROW_THREADS;
    double sum[4] = {0, 0, 0, 0};
    for (int round = 0; round < rounds && row < rows; round++, row += row_step) {
        float4 value = best_throw(stop, links, below, row, part, weight);
        sum[0] += (double)value.x * weight;
        sum[1] += (double)value.y * weight;
        sum[2] += (double)value.z * weight;
        sum[3] += (double)value.w * weight;
    }
#pragma unroll
    for (int item = 0; item < 4; item++) atomicAdd(shared + part * 4 + item, (u64)llrint(sum[item] * scale));
    __syncthreads();
    for (int lane = threadIdx.x; lane < LANES; lane += blockDim.x)
        atomicAdd(sums + group * LANES + lane, shared[lane]);
}
