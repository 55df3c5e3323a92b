/* A function for each operator of terms, to be compared with the reference. */

#include <stdint.h>

typedef int64_t number;

/*NUMBERS*/

/*RULES*/
