#ifndef POLYBODY_NUMBERS_H
#define POLYBODY_NUMBERS_H

#include <Python.h>
#include <float.h>
#include <stdint.h>
#include <string.h>

static inline int is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static inline int is_digit(char c) { return (unsigned char)(c - '0') <= 9; }

static const double POWERS_OF_TEN[] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A number of at most 19 digits times a power of ten, correctly rounded; returns whether that succeeded.
   80-bit extended reals have 64 bits of mantissa and represent the powers up to 10^27 exactly, so that
   one operation rounds to 64 bits. Rounding again to 53 bits is correct unless the number is halfway
   between two doubles. */
#if LDBL_MANT_DIG == 64
static const long double LONG_POWERS_OF_TEN[] = {
    1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L,
    1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
static inline int scale_long(uint64_t mantissa, int exponent, double *out) {
    if (exponent < -27 || exponent > 27) return 0;
    long double value = (long double)mantissa;
    value = exponent < 0 ? value / LONG_POWERS_OF_TEN[-exponent] : value * LONG_POWERS_OF_TEN[exponent];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = (double)value;
    return (bits & 0x7FF) != 0x400;
}
#else
static inline int scale_long(uint64_t mantissa, int exponent, double *out) { return 0; }
#endif

/* Parses an xs:double that ends at white space or at `end`; returns its end, or NULL if it is none. A
   mantissa below 2^53 and a power of ten up to 22 are exact doubles, so that one operation rounds
   correctly (Clinger 1990). Otherwise extended reals are tried, and finally Python's conversion. */
static const char *read_real(const char *text, const char *end, double *out) {
    const char *p = text;
    int negative = 0, digits = 0, exponent = 0, any = 0;
    uint64_t mantissa = 0;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (end - p >= 3 && (end - p == 3 || is_space(p[3]))) {
        if (!memcmp(p, "INF", 3)) { *out = negative ? -Py_HUGE_VAL : Py_HUGE_VAL; return p + 3; }
        if (!memcmp(p, "NaN", 3) && p == text) { *out = Py_NAN; return p + 3; }
    }
    for (; p < end && is_digit(*p); p++, any = 1) {
        if (digits < 19) { mantissa = mantissa * 10 + (unsigned)(*p - '0'); digits += mantissa != 0; }
        else { digits++; exponent++; }
    }
    if (p < end && *p == '.')
        for (p++; p < end && is_digit(*p); p++, any = 1) {
            if (digits < 19) {
                mantissa = mantissa * 10 + (unsigned)(*p - '0');
                digits += mantissa != 0;
                exponent--;
            } else digits++;
        }
    if (!any) return NULL;
    if (p < end && (*p == 'e' || *p == 'E')) {
        int down = 0, power = 0, some = 0;
        p++;
        if (p < end && (*p == '-' || *p == '+')) down = *p++ == '-';
        for (; p < end && is_digit(*p); p++, some = 1)
            if (power < 100000) power = power * 10 + (*p - '0');
        if (!some) return NULL;
        exponent += down ? -power : power;
    }
    if (p < end && !is_space(*p)) return NULL;
    if (digits <= 19 && mantissa <= (1ULL << 53) && exponent >= -22 && exponent <= 22) {
        double value = (double)mantissa;
        value = exponent < 0 ? value / POWERS_OF_TEN[-exponent] : value * POWERS_OF_TEN[exponent];
        *out = negative ? -value : value;
        return p;
    }
    double wide;
    if (digits <= 19 && scale_long(mantissa, exponent, &wide)) {
        *out = negative ? -wide : wide;
        return p;
    }
    char buffer[64], *copy = buffer;
    size_t length = (size_t)(p - text);
    if (length >= sizeof buffer && !(copy = (char *)PyMem_Malloc(length + 1))) return NULL;
    memcpy(copy, text, length);
    copy[length] = 0;
    *out = PyOS_string_to_double(copy, NULL, NULL);  /* infinity if out of range */
    if (copy != buffer) PyMem_Free(copy);
    if (PyErr_Occurred()) { PyErr_Clear(); return NULL; }
    return p;
}

/* Parses an xs:integer that ends at white space or at `end` to a new int; NULL without an exception if it
   is none. */
static PyObject *read_int(const char *text, const char *end, const char **after) {
    const char *p = text, *first;
    int negative = 0;
    long long value = 0;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    first = p;
    while (p < end && is_digit(*p)) {
        if (p - first < 18) value = value * 10 + (*p - '0');
        p++;
    }
    *after = p;
    if (p == first || (p < end && !is_space(*p)) || p - first > 4000) return NULL;
    if (p - first <= 18) return PyLong_FromLongLong(negative ? -value : value);
    char buffer[4096];
    memcpy(buffer, text, (size_t)(p - text));
    buffer[p - text] = 0;
    return PyLong_FromString(buffer, NULL, 10);
}

/* Hashes eight bytes at a time; the last eight may overlap. Sufficient for tables of short texts. */
static inline uint32_t hash_bytes(const char *p, Py_ssize_t n) {
    uint64_t hash = (uint64_t)n, word = 0;
    if (n >= 8) {
        const char *last = p + n - 8;
        for (; p < last; p += 8) {
            memcpy(&word, p, 8);
            hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
            hash ^= hash >> 29;
        }
        memcpy(&word, last, 8);
    } else if (n >= 4) {
        uint32_t first, last;
        memcpy(&first, p, 4);
        memcpy(&last, p + n - 4, 4);
        word = first | (uint64_t)last << 32;
    } else if (n > 0) {
        word = (unsigned char)p[0] | (unsigned)(unsigned char)p[n / 2] << 8
            | (unsigned)(unsigned char)p[n - 1] << 16;
    }
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    return (uint32_t)(hash >> 32);
}

/* Case-insensitive hash of a name. */
static inline uint32_t hash_folded(const char *p, Py_ssize_t n) {
    uint32_t hash = (uint32_t)n;
    for (Py_ssize_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)(p[i] | 0x20)) * 0x9E3779B1U;
    return hash ^ hash >> 15;
}

/* Whether a text, converted to lower case, equals a name in lower case. */
static inline int is_folded(const char *name, const char *text, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] + 32) : text[i];
        if (name[i] != c) return 0;
    }
    return 1;
}

/* A shared Python float for recent numbers: documents repeat their numbers, and a float takes 24
   bytes. */
static PyObject *recent_floats[4096];
static inline PyObject *shared_float(double value) {
    uint64_t bits, known;
    memcpy(&bits, &value, sizeof bits);
    PyObject **place = &recent_floats[(bits * 0x9E3779B97F4A7C15ULL) >> 52], *old = *place;
    if (old) {
        const double held = PyFloat_AS_DOUBLE(old);
        memcpy(&known, &held, sizeof known);
        if (known == bits) { Py_INCREF(old); return old; }
    }
    PyObject *made = PyFloat_FromDouble(value);
    if (!made) return NULL;
    Py_INCREF(made);
    *place = made;
    Py_XDECREF(old);
    return made;
}

#endif
