// One turn of many games, each played as the values of its sheet say. Compiled behind turns.cu.

struct Turn {
    const float *const *layers;      // by size: [sheet][inner][outer], before the last throw; final throws last
    const float *const *keeps;       // by size: [group][keep row][lane], before the last but one
    const int *const *row_of_rank;   // by size: the row of every multiset of double dice
    const int *keep_rows;            // by size
    const int *layer_counts;         // by size
    const int *double_weights;       // [place][double face]: what it adds to a rank
    const int *layer_weights;        // [place][face]
};

// The next random die of a game: a counter, mixed as in SplitMix64.
__device__ inline int throw_die(u64 &counter) {
    u64 mixed = counter += 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
    mixed ^= mixed >> 31;
    return (int)((mixed >> 32) * DOUBLE_FACES >> 32);
}

__device__ inline void sort_faces(int *faces, int count) {
    for (int end = 1; end < count; end++)
        for (int at = end; at > 0 && faces[at - 1] > faces[at]; at--) {
            int held = faces[at];
            faces[at] = faces[at - 1];
            faces[at - 1] = held;
        }
}

__device__ inline int rank_of(const int *faces, int count, const int *weights, int kinds) {
    int rank = 0;
    for (int place = 0; place < count; place++) rank += weights[place * kinds + faces[place]];
    return rank;
}

__device__ inline void layer_ranks(const Turn &turn, const int *dice, int count, int &inner, int &outer) {
    int inners[DICE], outers[DICE];
    for (int place = 0; place < count; place++) {
        inners[place] = dice[place] / FACES;
        outers[place] = dice[place] % FACES;
    }
    sort_faces(outers, count);  // sorted dice have sorted inner faces
    inner = rank_of(inners, count, turn.layer_weights, FACES);
    outer = rank_of(outers, count, turn.layer_weights, FACES);
}

// The value of keeping `count` dice with one throw to come after them, or of stopping with all of them.
__device__ inline float last_value(const Turn &turn, const int *dice, int count, int sheet) {
    int inner, outer;
    layer_ranks(turn, dice, count, inner, outer);
    size_t multisets = turn.layer_counts[count];
    return turn.layers[count][((size_t)sheet * multisets + inner) * multisets + outer];
}

__device__ inline float early_value(const Turn &turn, const int *dice, int count, int sheet) {
    if (count == DICE) return last_value(turn, dice, count, sheet);
    int row = turn.row_of_rank[count][rank_of(dice, count, turn.double_weights, DOUBLE_FACES)];
    size_t group = sheet / LANES, lane = sheet % LANES;
    return turn.keeps[count][(group * turn.keep_rows[count] + row) * LANES + lane];
}

// Keep the best part of the dice and throw the others again; false when stopping is best.
__device__ inline bool throw_again(const Turn &turn, int *dice, int sheet, int throws_left, u64 &counter) {
    int best_part = 0, kept[DICE];
    float best = NEVER;
    for (int part = 0; part < 1 << DICE; part++) {
        int count = 0;
        for (int die = 0; die < DICE; die++)
            if (part >> die & 1) kept[count++] = dice[die];
        float value = throws_left > 1 ? early_value(turn, kept, count, sheet) : last_value(turn, kept, count, sheet);
        if (value > best) {
            best = value;
            best_part = part;
        }
    }
    for (int die = 0; die < DICE; die++)
        if (!(best_part >> die & 1)) dice[die] = throw_die(counter);
    sort_faces(dice, DICE);
    return best_part != (1 << DICE) - 1;
}

// Fill the two best boxes.
__device__ inline void place_dice(
    const Game &game, const Turn &turn, const int *dice, const float *after, int &mask, int &total, int &score
) {
    int layer[2];
    layer_ranks(turn, dice, DICE, layer[0], layer[1]);
    const int *first_points = points_of(game, layer[0], mask);
    float best = NEVER;
    int best_mask = 0, best_total = 0, best_gain = 0;
    for (int first = 0; first < BOXES; first++) {
        if (mask >> first & 1 || first_points[first] == FORBIDDEN) continue;
        int between = mask | 1 << first, reached = total + (game.is_upper[first] ? first_points[first] : 0);
        const int *points = points_of(game, layer[1], between);
        for (int second = 0; second < BOXES; second++) {
            if (between >> second & 1 || points[second] == FORBIDDEN) continue;
            int filled = between | 1 << second, end = reached + (game.is_upper[second] ? points[second] : 0);
            int gain = first_points[first] + points[second] + game.bonus[end] - game.bonus[total];
            float value = gain + after[place_of(game, filled, end)];
            if (value > best) {
                best = value;
                best_mask = filled;
                best_total = end;
                best_gain = gain;
            }
        }
    }
    mask = best_mask;
    total = best_total;
    score += best_gain;
}

// numbers[item] is the game, sheets[item] its sheet within the batch.
extern "C" __global__ void play_turn(
    const Game *tables, const Turn *turns, const int *sheets, const int *numbers, int games, const float *after,
    int throws, u64 seed, int *masks, int *totals, int *scores
) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= games) return;
    const Game game = *tables;
    const Turn turn = *turns;
    int number = numbers[item], mask = masks[number], total = totals[number], score = scores[number];
    u64 counter = seed ^ ((u64)number << 32 | (u64)mask << 8) * 0xd6e8feb86659fd93ull;
    int dice[DICE];
    for (int die = 0; die < DICE; die++) dice[die] = throw_die(counter);
    sort_faces(dice, DICE);
    for (int left = throws - 1; left > 0; left--)
        if (!throw_again(turn, dice, sheets[item], left, counter)) break;
    place_dice(game, turn, dice, after, mask, total, score);
    masks[number] = mask;
    totals[number] = total;
    scores[number] = score;
}
