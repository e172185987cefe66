// Types that all parts share: an instruction as Python encodes it, and what a launch is given.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#include "lists.h"

typedef uint64_t u64; typedef int64_t s64; typedef uint32_t u32; typedef int32_t s32;
typedef uint16_t u16; typedef int16_t s16; typedef uint8_t u8; typedef int8_t s8;
typedef double f64; typedef float f32;
typedef unsigned __int128 u128; typedef __int128 s128;

enum Operation {
#define X(name) OP_##name,
  OPERATIONS(X)
#undef X
  OPERATION_COUNT
};
enum Kind {
#define X(name) FOUND_##name,
  FINDINGS(X)
#undef X
};

const s32 NONE = -1000000;                             // a source that is not there
const u64 SHARED = 1ull << 60, LOCAL = 1ull << 61;     // marks of generic addresses

// Destinations are numbers of registers, -1 for none. Sources are registers from 0, constants from -1 downwards, or NONE.
// What x, y, z and keep mean depends on the operation. `label`: another instruction jumps here.
struct Instruction {
  s32 op, predicate, negated, d[4], s[5], x, y, z, count, rounding, label, keep, line;
  s64 immediate;
};
struct Buffer { u64 base, size; s64 granule; u64 allocation; };
struct SharedVariable { s64 start, size, granule; };
struct Options {
#define X(name) s64 name;
  OPTIONS(X)
#undef X
};
struct Counters {
#define X(name) s64 name;
  COUNTERS(X)
#undef X
};
// Two instructions and two threads where there are two, else one; the address; two values that explain it.
struct Finding { s64 kind, pc1, pc2, thread1, thread2, buffer, count; u64 address, value1, value2; };

struct Launch {
  const Instruction* code; s64 code_count;
  const u64* constants; s64 constant_count;
  const s32* tables;                                   // targets of jumps through tables
  const Buffer* buffers; s64 buffer_count;
  const u8* parameters;
  const SharedVariable* shared; s64 shared_count, shared_size, local_size;
  s64 registers, blocks, threads;
  const Options* options; Counters* counters; Finding* findings; s64 most_findings;
};

static inline int population(u32 x) { return __builtin_popcount(x); }
static inline int first_lane(u32 mask) { return __builtin_ctz(mask); }
static inline u64 cut(u64 v, int bytes) { return bytes == 8 ? v : v & ((1ull << 8 * bytes) - 1); }
template <class T> static inline T get(u64 x) { T t; memcpy(&t, &x, sizeof(T)); return t; }
template <class T> static inline u64 put(T t) { u64 x = 0; memcpy(&x, &t, sizeof(T)); return x; }

// Calls f(lane) for every lane of a mask.
template <class F> static inline void each_lane(u32 mask, F f) {
  for (u32 rest = mask; rest; rest &= rest - 1) f(first_lane(rest));
}
// The same where no lane reads what another one writes: all 32 in a loop that the compiler may vectorise.
template <class F> static inline void each_lane_apart(u32 mask, F f) {
  if (mask != ~0u) return each_lane(mask, f);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int l = 0; l < 32; l++) f(l);
}

// float16 without the compiler's help: all of its arithmetic is done in float64 and rounded once.
struct f16 { u16 bits; };
static inline f64 widen(f16 h) {
  int exponent = h.bits >> 10 & 31, fraction = h.bits & 1023;
  f64 v = exponent == 31 ? (fraction ? NAN : INFINITY)
        : exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  return h.bits & 0x8000 ? -v : v;
}
static inline f16 narrow(f64 v) {
  u16 sign = std::signbit(v) ? 0x8000 : 0;
  if (v != v) return f16{0x7fff};
  f64 size = std::fabs(v);
  if (size >= 65520) return f16{(u16)(sign | 0x7c00)};
  int exponent = -24;                                  // of the last place
  if (size >= 6.103515625e-05) { std::frexp(size, &exponent); exponent -= 11; }
  int places = (int)std::nearbyint(std::ldexp(size, -exponent));
  return f16{(u16)(sign | (exponent == -24 ? places : ((exponent + 25) << 10) + places - 1024))};
}
