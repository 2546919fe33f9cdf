// One level of a solve on the GPU: a block for every 32 neighbouring states of a group.
//
// The same turn as in level_kernels.py, on the same arrays. Lanes are neighbouring states;
// workers share out the multisets of dice. cuda.py puts the sizes of the game, the lattice and the list of
// arrays (ARRAYS) in front of this text, so that the compiler knows every trip count.

#define UPPER (-1)  // instead of the number of a group of lower boxes
#define NONE ((real)(-1e300 * 1e300))  // minus infinity; the run-time compiler has no name for it

struct Block {
    real *work, *final, *ahead;
    int lane, worker, kind, above, position, member, noted;
    long long lower, size;
};

__device__ real larger(real one, real other) { return one > other ? one : other; }

// Score anew a throw that can be a joker, for one lane: the best option that is not barred.
__device__ real best_option(ARRAYS, const Block& block, const int* states, const int* rows, int number)
{
    int column = 2 * number + (int)((closed[block.member] >> joker_face[number]) & 1);
    int highest = 0;
    for (int place = 0; place < block.noted; place++) {
        int row = states[place] * 2 * JOKERS + column;
        for (int option = option_start[row]; option < option_start[row + 1]; option++)
            // A state that only a neighbour has is noted too: in this lane nothing follows it.
            if (option_precedence[option] > highest
                && block.ahead[(rows[place] + option_target[option]) * LANES + block.lane] > NONE)
                highest = option_precedence[option];
    }
    real best = NONE;
    for (int place = 0; place < block.noted; place++) {
        int row = states[place] * 2 * JOKERS + column;
        for (int option = option_start[row]; option < option_start[row + 1]; option++) {
            if (option_endurance[option] < highest) continue;
            real follows = block.ahead[(rows[place] + option_target[option]) * LANES + block.lane];
            best = larger(best, follows + (real)option_points[option]);
        }
    }
    return best;
}

// Improve this worker's throws by the entries of one class of all states: entries are sorted by throw.
__device__ void offer(ARRAYS, const Block& block, const int* states, const int* rows, int rank_class, real* best)
{
    for (int place = 0; place < block.noted; place++) {
        const int* bounds = worker_bounds + (states[place] * 3 + rank_class) * (WORKERS + 1) + block.worker;
        for (int entry = bounds[0]; entry < bounds[1]; entry++) {
            real value = block.ahead[(rows[place] + entry_target[entry]) * LANES + block.lane];
            real* slot = best + entry_dice[entry] * LANES + block.lane;
            *slot = larger(value + (real)entry_points[entry], *slot);
        }
    }
}

// What every throw is worth at the end of the turn. Each worker has throws of its own.
__device__ void score_throws(ARRAYS, const Block& block, const int* states, const int* rows)
{
    real strike = NONE;
    for (int place = 0; place < block.noted; place++)
        for (int number = strike_start[states[place]]; number < strike_start[states[place] + 1]; number++)
            strike = larger(strike, block.ahead[(rows[place] + strike_target[number]) * LANES + block.lane]);
    const int first = worker_throw[block.worker], last = worker_throw[block.worker + 1];
    for (int thrown = first; thrown < last; thrown++) {
        block.final[thrown * LANES + block.lane] = STRIKES_YIELD ? NONE : strike;
        if (STRIKES_YIELD) block.work[thrown * LANES + block.lane] = strike;
    }
    offer(NAMES, block, states, rows, BARRING, block.final);
    offer(NAMES, block, states, rows, YIELDING, STRIKES_YIELD ? block.work : block.final);
    for (int thrown = first; STRIKES_YIELD && thrown < last; thrown++) {
        int slot = thrown * LANES + block.lane;
        if (block.final[slot] == NONE) block.final[slot] = block.work[slot];
    }
    offer(NAMES, block, states, rows, NEUTRAL, block.final);
    __syncthreads();  // the throws below belong to other workers
    if (JOKERS && ready[block.lower] && upper_ready[block.member])
        for (int number = block.worker; number < JOKERS; number += WORKERS)
            block.final[joker_dice[number] * LANES + block.lane] = best_option(NAMES, block, states, rows, number);
    __syncthreads();
    if (REPEATS && (holding[block.lower] || upper_holding[block.member]))
        for (int number = block.worker; number < REPEATS; number += WORKERS)
            block.final[repeat_dice[number] * LANES + block.lane] += (real)REPEAT_POINTS;
}

// Every keep: the mean of the keeps with one die more. Every throw: the best keep in it, or scoring.
__device__ void throw_again(const Block& block)
{
    // In 32 bits 1/6 is wrong always the same way; what is missing goes in before rounding.
    const real share = (real)(1.0 / FACES), rest = (real)(1.0 / FACES - (double)share);
    for (int dice = DICE - 1; dice >= 0; dice--) {
        __syncthreads();
        for (int keep = SIZES[dice] + block.worker; keep < SIZES[dice + 1]; keep += WORKERS) {
            real total = 0;
            #pragma unroll
            for (int face = 0; face < FACES; face++)
                total += block.work[ADD[keep * FACES + face] * LANES + block.lane];
            block.work[keep * LANES + block.lane] = fma(total, share, total * rest);
        }
    }
    for (int dice = 1; dice <= DICE; dice++) {
        __syncthreads();
        for (int row = SIZES[dice] + block.worker; row < SIZES[dice + 1]; row += WORKERS) {
            real best = dice < DICE ? block.work[row * LANES + block.lane]
                                    : block.final[(row - KEEPS) * LANES + block.lane];
            for (int number = TAKE_STARTS[row]; number < TAKE_STARTS[row + 1]; number++)
                best = larger(best, block.work[TAKE[number] * LANES + block.lane]);
            block.work[row * LANES + block.lane] = best;
        }
    }
    __syncthreads();
}

// Note which sheets of groups of boxes are in play, and where what follows them stands in `ahead`.
__device__ int note_states(ARRAYS, const Block& block, int* states, int* rows, int* parts)
{
    __shared__ int present[UPPER_STATES + 1];
    for (int number = block.worker; number < UPPER_STATES; number += WORKERS) {
        int own = member_state[block.member * UPPER_PARTS + upper_states[number * 2 + 1]];
        int any = __any_sync(0xffffffffu, own == upper_states[number * 2]);
        if (block.lane == 0) present[number] = any;
    }
    __syncthreads();
    __shared__ int count;
    if (block.lane == 0 && block.worker == 0) {
        int noted = 0, used = 0;
        for (int part = 0; part < PARTS; part++) {
            int digit = (int)((block.lower / stride[part]) % digits[part]);
            states[noted] = digit_state[digit_first[part] + digit];
            parts[noted] = part;
            rows[noted] = used;
            used += target_start[states[noted] + 1] - target_start[states[noted]];
            noted++;
        }
        for (int number = 0; number < UPPER_STATES; number++) {
            if (!present[number]) continue;
            states[noted] = upper_states[number * 2];
            parts[noted] = UPPER;
            rows[noted] = used;
            used += target_start[states[noted] + 1] - target_start[states[noted]];
            noted++;
        }
        count = noted;
    }
    __syncthreads();
    return count;
}

// Fetch what follows every target of every state in play.
__device__ void gather(
    ARRAYS, const Block& block, const int* states, const int* rows, const int* parts,
    const real* below, const long long* below_starts)
{
    const long long moves = move_first[block.kind * ABOVES + block.above];
    for (int place = block.worker; place < block.noted; place += WORKERS) {
        int state = states[place], part = parts[place];
        real* slot = block.ahead + rows[place] * LANES + block.lane;
        for (int target = target_start[state]; target < target_start[state + 1]; target++, slot += LANES) {
            if (part == UPPER) {
                int position = move[moves + target * block.size + block.position];
                *slot = position >= 0 ? below[below_starts[block.lower] + position] : NONE;
                continue;
            }
            long long digit = (block.lower / stride[part]) % digits[part];
            long long after = block.lower + (target_class[target] - digit) * stride[part];
            int position = kinds[after] == block.kind
                ? block.position : promote[promote_first[block.above] + block.position];
            *slot = below[below_starts[after] + position];
        }
    }
    __syncthreads();
}

extern "C" __global__ void solve_blocks(
    ARRAYS, const int* block_lower, const int* block_first, int open_boxes,
    const real* below, const long long* below_starts, real* level, const long long* level_starts)
{
    SHARED_ROOM(room)
    __shared__ int states[PARTS + UPPER_STATES + 1], rows[PARTS + UPPER_STATES + 1], parts[PARTS + UPPER_STATES + 1];
    Block block;
    block.work = room;
    block.final = block.work + ROWS * LANES;
    block.ahead = block.final + THROWS * LANES;
    block.lane = threadIdx.x;
    block.worker = threadIdx.y;
    block.lower = block_lower[blockIdx.x];
    block.kind = kinds[block.lower];
    block.above = open_boxes - opens[block.lower];
    block.size = group_size[block.kind * ABOVES + block.above];
    long long own = block_first[blockIdx.x] + block.lane;
    block.position = (int)(own < block.size ? own : block.size - 1);
    block.member = member[group_first[block.kind * ABOVES + block.above] + block.position];
    block.noted = note_states(NAMES, block, states, rows, parts);
    gather(NAMES, block, states, rows, parts, below, below_starts);
    score_throws(NAMES, block, states, rows);
    __syncthreads();
    for (int thrown = block.worker; thrown < THROWS; thrown += WORKERS)
        block.work[(KEEPS + thrown) * LANES + block.lane] = block.final[thrown * LANES + block.lane];
    for (int left = 1; left < TURN_THROWS; left++) throw_again(block);
    __syncthreads();
    real part = 0;
    for (int thrown = block.worker; thrown < THROWS; thrown += WORKERS)
        part += (real)weights[thrown] * block.work[(KEEPS + thrown) * LANES + block.lane];
    __syncthreads();
    block.ahead[block.worker * LANES + block.lane] = part;
    __syncthreads();
    if (block.worker || own >= block.size) return;
    real total = 0;
    for (int worker = 0; worker < WORKERS; worker++) total += block.ahead[worker * LANES + block.lane];
    level[level_starts[block.lower] + own] = total;
}
