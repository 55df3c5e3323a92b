/* Rounded down, as in Python. */
static inline number quotient_of(number one, number other) {
    if (other == 0) return 0;
    number whole = one / other;
    return whole - (one % other != 0 && (one < 0) != (other < 0));
}
static inline number modulo_of(number one, number other) {
    return one - quotient_of(one, other) * other;
}
static inline number minimum_of(number one, number other) { return one < other ? one : other; }
static inline number maximum_of(number one, number other) { return one < other ? other : one; }
