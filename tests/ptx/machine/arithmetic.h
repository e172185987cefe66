// Operations that compute each lane by itself. Registers hold 64 bits; narrower values are extended by zeros.
#pragma once
#include <algorithm>
#include <cfenv>
#include <cfloat>
#include <limits>
#include "base.h"

// The operands of one operation of a warp: of each, 32 lanes.
struct Operands {
  u64* registers; const u64* constants; const Instruction& i; u32 mask;
  const u64* s(int k) const { int n = i.s[k]; return n >= 0 ? registers + 32 * n : constants + 32 * (-n - 1); }
  u64* d(int k = 0) const { return registers + 32 * i.d[k]; }
};

static inline u64 extend(u64 v, int bytes) {           // by the sign
  return bytes == 1 ? (u64)(s64)(s8)v : bytes == 2 ? (u64)(s64)(s16)v : bytes == 4 ? (u64)(s64)(s32)v : v;
}
static inline u64 reversed(u64 v) { u64 r = 0; for (int k = 0; k < 64; k++) { r = r << 1 | (v & 1); v >>= 1; } return r; }

// Of two numbers a NaN gives way to the other, and -0 is less than 0.
template <class T> static inline T least(T a, T b) {
  return a != a ? b : b != b ? a : (a < b || (a == b && std::signbit(a))) ? a : b;
}
template <class T> static inline T greatest(T a, T b) {
  return a != a ? b : b != b ? a : (a > b || (a == b && !std::signbit(a))) ? a : b;
}
template <class T> static inline bool either_nan(T a, T b) { return a != a || b != b; }

// eq ne lt le gt ge, the same if a NaN makes them true, neither is a NaN, one is a NaN.
template <class T> static inline bool compare(int relation, T a, T b) {
  bool unordered = a != a || b != b;
  switch (relation) {
    case 0: return !unordered && a == b;
    case 1: return !unordered && a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    case 5: return a >= b;
    case 6: return unordered || a == b;
    case 7: return unordered || a != b;
    case 8: return unordered || a < b;
    case 9: return unordered || a <= b;
    case 10: return unordered || a > b;
    case 11: return unordered || a >= b;
    case 12: return !unordered;
    default: return unordered;
  }
}

template <class T, class R, class F> static inline void unary(const Operands& o, F f) {
  const u64* a = o.s(0); u64* d = o.d();
  each_lane_apart(o.mask, [=](int l) { d[l] = put<R>((R)f(get<T>(a[l]))); });
}
template <class T, class R, class F> static inline void binary(const Operands& o, F f) {
  const u64 *a = o.s(0), *b = o.s(1); u64* d = o.d();
  each_lane_apart(o.mask, [=](int l) { d[l] = put<R>((R)f(get<T>(a[l]), get<T>(b[l]))); });
}
template <class T, class U, class R, class F> static inline void ternary(const Operands& o, F f) {
  const u64 *a = o.s(0), *b = o.s(1), *c = o.s(2); u64* d = o.d();
  each_lane_apart(o.mask, [=](int l) { d[l] = put<R>((R)f(get<T>(a[l]), get<T>(b[l]), get<U>(c[l]))); });
}

template <class T, class F> static void compare_lanes(const Operands& o, F value) {
  const u64 *a = o.s(0), *b = o.s(1); u64* d = o.d();
  int relation = o.i.x;
  auto with = [=](auto holds) { each_lane_apart(o.mask, [=](int l) { d[l] = holds(value(a[l]), value(b[l])); }); };
  switch (relation) {
    case 0: with([](T p, T q) { return p == q; }); break;
    case 2: with([](T p, T q) { return p < q; }); break;
    case 3: with([](T p, T q) { return p <= q; }); break;
    case 4: with([](T p, T q) { return p > q; }); break;
    case 5: with([](T p, T q) { return p >= q; }); break;
    default: with([=](T p, T q) { return compare<T>(relation, p, q); });
  }
}
// setp: the comparison, combined (y: 1 and, 2 or, 3 xor) with a predicate (z: negated); a second result is of the contrary.
template <class T, class F> static void set_predicate(const Operands& o, F value) {
  const Instruction& i = o.i;
  u64 *d = o.d(), *other = i.d[1] >= 0 ? o.d(1) : nullptr, predicate[32];
  if (i.y) memcpy(predicate, o.s(2), sizeof predicate);             // the result may take its place
  compare_lanes<T>(o, value);
  if (!i.y && !other) return;
  each_lane(o.mask, [&](int l) {
    u64 holds = d[l], with = i.y ? (predicate[l] & 1) ^ (u64)i.z : 0;
    auto combined = [&](u64 v) { return i.y == 1 ? v & with : i.y == 2 ? v | with : i.y == 3 ? v ^ with : v; };
    d[l] = combined(holds);
    if (other) other[l] = combined(holds ^ 1);
  });
}

static inline u64 extract_bits(u64 a, u32 position, u32 length, u32 bits, bool sign) {
  position &= 255; length &= 255;
  if (!length) return 0;
  u64 fill = sign ? a >> std::min(position + length - 1, bits - 1) & 1 : 0, r = 0;
  for (u32 k = 0; k < bits; k++) r |= (k < length && position + k < bits ? a >> (position + k) & 1 : fill) << k;
  return r;
}
static inline u64 insert_bits(u64 a, u64 b, u32 position, u32 length, u32 bits) {
  position &= 255; length = std::min(length & 255, bits);
  if (position < bits && length) {
    u64 mask = (length >= 64 ? ~0ull : (1ull << length) - 1) << position;
    b = (b & ~mask) | (a << position & mask);
  }
  return cut(b, bits / 8);
}
static inline u32 permute_bytes(u64 a, u64 b, u32 selectors) {
  u64 v = b << 32 | (u32)a; u32 r = 0;
  for (int k = 0; k < 4; k++) {
    u32 s = selectors >> 4 * k & 15; u8 byte = v >> 8 * (s & 7);
    if (s & 8) byte = byte & 128 ? 255 : 0;
    r |= (u32)byte << 8 * k;
  }
  return r;
}
static inline u32 any_of_three(u32 a, u32 b, u32 c, u32 table) {
  u32 r = 0;
  for (int k = 0; k < 8; k++) if (table >> k & 1) r |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return r;
}

template <class I> static u64 clamped(f64 v) {          // a NaN is 0
  if (v != v) return 0;
  if (v <= (f64)std::numeric_limits<I>::min()) return put<I>(std::numeric_limits<I>::min());
  if (v >= (f64)std::numeric_limits<I>::max()) return put<I>(std::numeric_limits<I>::max());
  return put<I>((I)v);
}
static inline u64 to_integer(f64 v, int bytes, bool sign, bool from_double) {
  if (v != v && from_double && bytes == 8) return (u64)1 << 63;
  switch (bytes | sign << 4) {
    case 1: return clamped<u8>(v);
    case 2: return clamped<u16>(v);
    case 4: return clamped<u32>(v);
    case 8: return clamped<u64>(v);
    case 17: return extend(clamped<s8>(v), 1);
    case 18: return extend(clamped<s16>(v), 2);
    case 20: return extend(clamped<s32>(v), 4);
    default: return clamped<s64>(v);
  }
}
static inline f64 to_whole(f64 v, int how) {            // 0 as it is, 1 to nearest even, 2 to zero, 3 down, 4 up
  return how == 1 ? std::nearbyint(v) : how == 2 ? std::trunc(v) : how == 3 ? std::floor(v) : how == 4 ? std::ceil(v) : v;
}
static inline f64 read_float(u64 v, int bytes) {
  return bytes == 8 ? get<f64>(v) : bytes == 4 ? (f64)get<f32>(v) : widen(get<f16>(v));
}
static inline u64 write_float(f64 v, int bytes) {
  return bytes == 8 ? put<f64>(v) : bytes == 4 ? put<f32>((f32)v) : put<f16>(narrow(v));
}
static inline u64 integer_to_float(u64 v, int bytes, bool sign, int to) {
  if (sign) { s64 n = (s64)extend(v, bytes); return to == 4 ? put<f32>((f32)n) : write_float((f64)n, to); }
  return to == 4 ? put<f32>((f32)v) : write_float((f64)v, to);
}
static inline bool float_is(u64 v, int bytes, int what) {
  f64 x = read_float(v, bytes);
  bool normal = bytes == 8 ? std::isnormal(x) : std::isnormal(get<f32>(v));
  switch (what) {
    case 0: return std::isfinite(x);
    case 1: return std::isinf(x);
    case 2: return x == x;
    case 3: return x != x;
    case 4: return normal;
    default: return !normal && x != 0 && std::isfinite(x);
  }
}

#define UNARY(name, T, R, ...) case OP_##name: unary<T, R>(o, [=](T a) { return __VA_ARGS__; }); break;
#define BINARY(name, T, R, ...) case OP_##name: binary<T, R>(o, [=](T a, T b) { return __VA_ARGS__; }); break;
#define TERNARY(name, T, R, ...) case OP_##name: ternary<T, T, R>(o, [=](T a, T b, T c) { return __VA_ARGS__; }); break;
#define TERNARY_WIDE(name, T, U, ...) case OP_##name: ternary<T, U, U>(o, [=](T a, T b, U c) { return __VA_ARGS__; }); break;
#define SIGNED_AND_UNSIGNED(M, name, bits, ...) \
  M(name##_s##bits, s##bits, s##bits, __VA_ARGS__) M(name##_u##bits, u##bits, u##bits, __VA_ARGS__)

static bool compute_integers(const Operands& o) {
  const Instruction& i = o.i;
  switch (i.op) {
    case OP_nop: break;
    UNARY(mov, u64, u64, a)
    BINARY(add16, u16, u16, a + b) BINARY(add32, u32, u32, a + b) BINARY(add64, u64, u64, a + b)
    BINARY(sub16, u16, u16, a - b) BINARY(sub32, u32, u32, a - b) BINARY(sub64, u64, u64, a - b)
    BINARY(mul_lo16, u16, u16, (u32)a * b) BINARY(mul_lo32, u32, u32, a * b) BINARY(mul_lo64, u64, u64, a * b)
    BINARY(mul_hi_s16, s16, s16, ((s32)a * b) >> 16) BINARY(mul_hi_u16, u16, u16, ((u32)a * b) >> 16)
    BINARY(mul_hi_s32, s32, s32, ((s64)a * b) >> 32) BINARY(mul_hi_u32, u32, u32, ((u64)a * b) >> 32)
    BINARY(mul_hi_s64, s64, s64, ((s128)a * b) >> 64) BINARY(mul_hi_u64, u64, u64, ((u128)a * b) >> 64)
    BINARY(mul_wide_s16, s16, s32, (s32)a * b) BINARY(mul_wide_u16, u16, u32, (u32)a * b)
    BINARY(mul_wide_s32, s32, s64, (s64)a * b) BINARY(mul_wide_u32, u32, u64, (u64)a * b)
    TERNARY(mad_lo16, u16, u16, (u32)a * b + c) TERNARY(mad_lo32, u32, u32, a * b + c) TERNARY(mad_lo64, u64, u64, a * b + c)
    TERNARY(mad_hi_s32, s32, u32, (u32)(((s64)a * b) >> 32) + (u32)c)
    TERNARY(mad_hi_u32, u32, u32, (u32)(((u64)a * b) >> 32) + c)
    TERNARY(mad_hi_s64, s64, u64, (u64)(((s128)a * b) >> 64) + (u64)c)
    TERNARY(mad_hi_u64, u64, u64, (u64)(((u128)a * b) >> 64) + c)
    TERNARY_WIDE(mad_wide_s16, s16, u32, (u32)((s32)a * b) + c) TERNARY_WIDE(mad_wide_u16, u16, u32, (u32)a * b + c)
    TERNARY_WIDE(mad_wide_s32, s32, u64, (u64)((s64)a * b) + c) TERNARY_WIDE(mad_wide_u32, u32, u64, (u64)a * b + c)
    TERNARY(sad_s32, s32, u32, (u32)c + (u32)(a < b ? (s64)b - a : (s64)a - b))
    TERNARY(sad_u32, u32, u32, c + (a < b ? b - a : a - b))
    // What division by zero gives is not defined; here all bits.
    BINARY(div_s16, s16, s16, b ? (s32)a / b : -1) BINARY(div_u16, u16, u16, b ? a / b : 0xffff)
    BINARY(div_s32, s32, s32, b ? (s64)a / b : -1) BINARY(div_u32, u32, u32, b ? a / b : ~0u)
    BINARY(div_s64, s64, s64, b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b) BINARY(div_u64, u64, u64, b ? a / b : ~0ull)
    BINARY(rem_s16, s16, s16, b ? (s32)a % b : a) BINARY(rem_u16, u16, u16, b ? a % b : a)
    BINARY(rem_s32, s32, s32, b ? (s64)a % b : a) BINARY(rem_u32, u32, u32, b ? a % b : a)
    BINARY(rem_s64, s64, s64, b == 0 ? a : b == -1 ? 0 : a % b) BINARY(rem_u64, u64, u64, b ? a % b : a)
    SIGNED_AND_UNSIGNED(BINARY, min, 16, a < b ? a : b) SIGNED_AND_UNSIGNED(BINARY, max, 16, a > b ? a : b)
    SIGNED_AND_UNSIGNED(BINARY, min, 32, a < b ? a : b) SIGNED_AND_UNSIGNED(BINARY, max, 32, a > b ? a : b)
    SIGNED_AND_UNSIGNED(BINARY, min, 64, a < b ? a : b) SIGNED_AND_UNSIGNED(BINARY, max, 64, a > b ? a : b)
    UNARY(abs16, s16, u16, a < 0 ? 0 - (u32)a : a) UNARY(abs32, s32, u32, a < 0 ? 0u - (u32)a : a)
    UNARY(abs64, s64, u64, a < 0 ? 0ull - (u64)a : a)
    UNARY(neg16, u16, u16, 0 - a) UNARY(neg32, u32, u32, 0 - a) UNARY(neg64, u64, u64, 0 - a)
    BINARY(bit_and, u64, u64, a & b) BINARY(bit_or, u64, u64, a | b) BINARY(bit_xor, u64, u64, a ^ b)
    UNARY(not16, u16, u16, ~a) UNARY(not32, u32, u32, ~a) UNARY(not64, u64, u64, ~a) UNARY(not_predicate, u64, u64, a ^ 1)
    UNARY(cnot16, u16, u16, a == 0) UNARY(cnot32, u32, u32, a == 0) UNARY(cnot64, u64, u64, a == 0)
    BINARY(shl16, u64, u16, (u32)b > 15 ? 0 : (u16)a << (u32)b) BINARY(shl32, u64, u32, (u32)b > 31 ? 0 : (u32)a << (u32)b)
    BINARY(shl64, u64, u64, (u32)b > 63 ? 0 : a << (u32)b)
    BINARY(bmsk_clamp32, u64, u32, (u32)a > 31 ? 0 : ((u32)b > 31 ? ~0u : (1u << (u32)b) - 1) << (u32)a)
    BINARY(shr_s16, u64, s16, (s16)a >> std::min<u32>(b, 15)) BINARY(shr_u16, u64, u16, (u32)b > 15 ? 0 : (u16)a >> (u32)b)
    BINARY(shr_s32, u64, s32, (s32)a >> std::min<u32>(b, 31)) BINARY(shr_u32, u64, u32, (u32)b > 31 ? 0 : (u32)a >> (u32)b)
    BINARY(shr_s64, u64, s64, (s64)a >> std::min<u32>(b, 63)) BINARY(shr_u64, u64, u64, (u32)b > 63 ? 0 : a >> (u32)b)
    TERNARY(shf_l_wrap, u64, u32, (b << 32 | a) << (c & 31) >> 32)
    TERNARY(shf_l_clamp, u64, u32, c > 31 ? a : (b << 32 | a) << c >> 32)
    TERNARY(shf_r_wrap, u64, u32, (b << 32 | a) >> (c & 31))
    TERNARY(shf_r_clamp, u64, u32, (b << 32 | a) >> std::min<u64>(c, 32))
    UNARY(popc32, u32, u32, __builtin_popcount(a)) UNARY(popc64, u64, u32, __builtin_popcountll(a))
    UNARY(clz32, u32, u32, a ? __builtin_clz(a) : 32) UNARY(clz64, u64, u32, a ? __builtin_clzll(a) : 64)
    UNARY(brev32, u32, u32, reversed(a) >> 32) UNARY(brev64, u64, u64, reversed(a))
    UNARY(bfind_u32, u32, u32, a ? 31 - __builtin_clz(a) : ~0u) UNARY(bfind_u64, u64, u32, a ? 63 - __builtin_clzll(a) : ~0u)
    UNARY(bfind_shift_u32, u32, u32, a ? __builtin_clz(a) : ~0u)
    UNARY(bfind_s32, s32, u32, a == 0 || a == -1 ? ~0u : 31 - __builtin_clz((u32)(a < 0 ? ~a : a)))
    UNARY(bfind_s64, s64, u32, a == 0 || a == -1 ? ~0u : 63 - __builtin_clzll((u64)(a < 0 ? ~a : a)))
    TERNARY(bfe_u32, u64, u32, extract_bits(a, b, c, 32, false)) TERNARY(bfe_s32, u64, u32, extract_bits(a, b, c, 32, true))
    TERNARY(bfe_u64, u64, u64, extract_bits(a, b, c, 64, false)) TERNARY(bfe_s64, u64, u64, extract_bits(a, b, c, 64, true))
    case OP_bfi32: case OP_bfi64: {
      const u64 *a = o.s(0), *b = o.s(1), *c = o.s(2), *e = o.s(3); u64* d = o.d(); u32 bits = i.op == OP_bfi32 ? 32 : 64;
      each_lane_apart(o.mask, [=](int l) { d[l] = insert_bits(a[l], b[l], c[l], e[l], bits); });
      break; }
    TERNARY(prmt, u64, u32, permute_bytes(a, b, c))
    TERNARY(lop3, u32, u32, any_of_three(a, b, c, i.x))
    TERNARY(selp, u64, u64, c & 1 ? a : b)
    case OP_setp_s16: set_predicate<s16>(o, [](u64 v) { return get<s16>(v); }); break;
    case OP_setp_u16: set_predicate<u16>(o, [](u64 v) { return get<u16>(v); }); break;
    case OP_setp_s32: set_predicate<s32>(o, [](u64 v) { return get<s32>(v); }); break;
    case OP_setp_u32: set_predicate<u32>(o, [](u64 v) { return get<u32>(v); }); break;
    case OP_setp_s64: set_predicate<s64>(o, [](u64 v) { return get<s64>(v); }); break;
    case OP_setp_u64: set_predicate<u64>(o, [](u64 v) { return get<u64>(v); }); break;
    default: return false;
  }
  return true;
}

static bool compute_floats(const Operands& o) {
  const Instruction& i = o.i;
  switch (i.op) {
    BINARY(add_f16, f16, f16, narrow(widen(a) + widen(b))) BINARY(sub_f16, f16, f16, narrow(widen(a) - widen(b)))
    BINARY(mul_f16, f16, f16, narrow(widen(a) * widen(b))) TERNARY(fma_f16, f16, f16, narrow(widen(a) * widen(b) + widen(c)))
    BINARY(min_f16, f16, f16, narrow(least(widen(a), widen(b)))) BINARY(max_f16, f16, f16, narrow(greatest(widen(a), widen(b))))
    UNARY(abs_f16, u16, u16, a & 0x7fff) UNARY(neg_f16, u16, u16, a ^ 0x8000)
    case OP_setp_f16: set_predicate<f64>(o, [](u64 v) { return widen(get<f16>(v)); }); break;
    case OP_setp_f32: set_predicate<f32>(o, [](u64 v) { return get<f32>(v); }); break;
    case OP_setp_f64: set_predicate<f64>(o, [](u64 v) { return get<f64>(v); }); break;
    BINARY(add_f32, f32, f32, a + b) BINARY(sub_f32, f32, f32, a - b) BINARY(mul_f32, f32, f32, a * b)
    BINARY(div_f32, f32, f32, a / b) TERNARY(fma_f32, f32, f32, __builtin_fmaf(a, b, c))
    BINARY(min_f32, f32, f32, least(a, b)) BINARY(max_f32, f32, f32, greatest(a, b))
    BINARY(min_nan_f32, f32, f32, either_nan(a, b) ? NAN : least(a, b))
    BINARY(max_nan_f32, f32, f32, either_nan(a, b) ? NAN : greatest(a, b))
    UNARY(abs_f32, u32, u32, a & ~(1u << 31)) UNARY(neg_f32, u32, u32, a ^ 1u << 31)
    UNARY(sqrt_f32, f32, f32, std::sqrt(a)) UNARY(rcp_f32, f32, f32, 1.0f / a) UNARY(rsqrt_f32, f32, f32, 1 / std::sqrt((f64)a))
    case OP_ex2_f32: {                                 // x: results that are not normal become 0
      bool flush = i.x;
      unary<f32, f32>(o, [=](f32 a) { f64 v = std::exp2((f64)a); return flush && v < FLT_MIN ? 0.0 : v; });
      break; }
    UNARY(lg2_f32, f32, f32, std::log2((f64)a)) UNARY(sin_f32, f32, f32, std::sin((f64)a))
    UNARY(cos_f32, f32, f32, std::cos((f64)a)) UNARY(tanh_f32, f32, f32, std::tanh((f64)a))
    BINARY(copysign_f32, u32, u32, (b & ~(1u << 31)) | (a & 1u << 31))
    BINARY(add_f64, f64, f64, a + b) BINARY(sub_f64, f64, f64, a - b) BINARY(mul_f64, f64, f64, a * b)
    BINARY(div_f64, f64, f64, a / b) TERNARY(fma_f64, f64, f64, __builtin_fma(a, b, c))
    BINARY(min_f64, f64, f64, least(a, b)) BINARY(max_f64, f64, f64, greatest(a, b))
    BINARY(min_nan_f64, f64, f64, either_nan(a, b) ? NAN : least(a, b))
    BINARY(max_nan_f64, f64, f64, either_nan(a, b) ? NAN : greatest(a, b))
    UNARY(abs_f64, u64, u64, a & ~(1ull << 63)) UNARY(neg_f64, u64, u64, a ^ 1ull << 63)
    UNARY(sqrt_f64, f64, f64, std::sqrt(a)) UNARY(rcp_f64, f64, f64, 1.0 / a) UNARY(rsqrt_f64, f64, f64, 1 / std::sqrt(a))
    BINARY(copysign_f64, u64, u64, (b & ~(1ull << 63)) | (a & 1ull << 63))
    UNARY(testp_f32, u64, u64, float_is(a, 4, i.x)) UNARY(testp_f64, u64, u64, float_is(a, 8, i.x))
    default: return false;
  }
  return true;
}

// x: bytes of the source, with 16 if it is signed; y: the same of the destination; keep: bytes of the destination's register.
static bool convert(const Operands& o) {
  const Instruction& i = o.i;
  int from = i.x & 15, to = i.y & 15, keep = i.keep, how = i.z, count = i.count;
  bool from_signed = i.x >> 4, to_signed = i.y >> 4, saturate = i.count;
  const u64* a = o.s(0); u64* d = i.d[0] >= 0 ? o.d() : nullptr;
  switch (i.op) {
    case OP_convert_integers:
      each_lane_apart(o.mask, [=](int l) {
        u64 v = cut(from_signed ? extend(a[l], from) : cut(a[l], from), to);
        d[l] = cut(to_signed ? extend(v, to) : v, keep);
      });
      break;
    case OP_convert_to_integer:
      each_lane_apart(o.mask, [=](int l) {
        d[l] = cut(to_integer(to_whole(read_float(a[l], from), how), to, to_signed, from == 8), keep);
      });
      break;
    case OP_convert_from_integer:
      each_lane_apart(o.mask, [=](int l) { d[l] = integer_to_float(cut(a[l], from), from, from_signed, to); });
      break;
    case OP_convert_floats:
      each_lane_apart(o.mask, [=](int l) {
        f64 v = to_whole(read_float(a[l], from), how);
        d[l] = write_float(!saturate ? v : v > 0 ? std::min(v, 1.0) : 0, to);
      });
      break;
    case OP_pack:                                      // x: bytes of a part
      each_lane_apart(o.mask, [=, &o](int l) {
        u64 v = 0;
        for (int k = 0; k < count; k++) v |= cut(o.s(k)[l], from) << 8 * from * k;
        d[l] = v;
      });
      break;
    case OP_unpack:
      each_lane_apart(o.mask, [=, &o](int l) {
        u64 v = a[l];
        for (int k = 0; k < count; k++) if (o.i.d[k] >= 0) o.d(k)[l] = cut(v >> 8 * from * k, from);
      });
      break;
    default: return false;
  }
  return true;
}
