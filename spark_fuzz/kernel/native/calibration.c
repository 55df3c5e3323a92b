/* Integers, branches and a small array: fixed work of the kernels' kind. */

#include <stdint.h>

enum { CELLS = 64 };

int64_t mix(int64_t iterations, int64_t *cells) {
    uint64_t word = 1;
    int64_t resets = 0;
    for (int64_t i = 0; i < iterations; i++) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        uint64_t cell = word & (CELLS - 1);
        if (cells[cell] < (int64_t)(word >> 60)) {
            cells[cell]++;
        } else {
            cells[cell] = 0;
            resets++;
        }
    }
    return resets;
}
