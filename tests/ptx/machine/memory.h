// Loads, stores and atomic operations, with their checks and counters.
#pragma once
#include "races.h"

enum Space { GLOBAL_SPACE, SHARED_SPACE, LOCAL_SPACE, GENERIC_SPACE };
enum Ordering { STRENGTH = 3, ACQUIRES = 4, RELEASES = 8 };

inline int Machine::buffer_at(u64 address, u32 size, int pc) {
  auto holds = [&](int k) {
    const Buffer& b = given.buffers[k];
    return address >= b.base && address + size <= b.base + b.size;
  };
  if (hints[pc] >= 0 && holds(hints[pc])) return hints[pc];
  int low = 0, high = given.buffer_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (given.buffers[middle].base <= address) low = middle + 1; else high = middle;
  }
  return low && holds(low - 1) ? hints[pc] = low - 1 : -1;
}

// The buffer that holds `whole` bytes, read `size` at a time; -1, reported, where there is none. Allocations of a GPU are
// aligned by more than any access asks for, so what counts is the distance from their start.
inline int Machine::checked_global(u64 address, int size, int whole, const Here& h, int lane) {
  int buffer = buffer_at(address, whole, h.pc);
  if (buffer < 0) fail(FOUND_global_bounds, h, lane, address, whole);
  else if ((address - given.buffers[buffer].allocation) & (whole - 1)) fail(FOUND_misaligned, h, lane, address, whole);
  else return buffer;
  return -1;
}
inline bool Machine::checked_shared(u64 address, int size, int whole, const Here& h, int lane) {
  u64 last = address + whole - 1;
  bool inside = last < (u64)given.shared_size && variable_at[address] >= 0 && variable_at[last] == variable_at[address];
  if (!inside) fail(FOUND_shared_bounds, h, lane, address, whole);
  else if (address & (whole - 1)) fail(FOUND_misaligned, h, lane, address, whole);
  else return true;
  return false;
}

inline void Machine::count_sectors(const u64* addresses, u32 mask, int size, s64& sectors, s64& useful, int pc, Block* loading) {
  int buffer = buffer_at(addresses[first_lane(mask)], size, pc);
  u64 start = buffer >= 0 ? given.buffers[buffer].allocation : 0, seen[160], last = ~0ull, last_address = ~0ull;
  int n = 0;
  for (u32 rest = mask; rest; rest &= rest - 1) {
    u64 address = addresses[first_lane(rest)] - start;
    if (address != last_address) useful += size;
    last_address = address;
    for (u64 s = address >> 5; s <= (address + size - 1) >> 5; s++) {
      if (s == last) continue;
      last = s;
      if (std::find(seen, seen + n, s) == seen + n) seen[n++] = s;
    }
  }
  sectors += n;
  for (int k = 0; loading && k < n; k++) count.far_sectors += !loading->has_near(seen[k] + (start >> 5));
}
// A warp reads words of 4 bytes at once, of 8 bytes in two halves, of 16 bytes in four quarters.
inline void Machine::count_banks(const u64* addresses, u32 mask, int size) {
  int parts = size <= 4 ? 1 : size / 4, lanes = 32 / parts;
  count.shared_requests++;
  for (int p = 0; p < parts; p++) {
    u32 part = mask & (u32)(((1ull << lanes) - 1) << p * lanes);
    if (!part) continue;
    u64 words[64]; int n = 0, in_bank[32] = {0}, most = 1;
    for (u32 rest = part; rest; rest &= rest - 1) {
      u64 a = addresses[first_lane(rest)];
      for (u64 w = a >> 2; w <= (a + size - 1) >> 2; w++) {
        if (n && words[n - 1] == w) continue;
        if (in_bank[w & 31] && std::find(words, words + n, w) != words + n) continue;
        words[n++] = w;
        most = std::max(most, ++in_bank[w & 31]);
      }
    }
    count.shared_wavefronts += most; count.shared_ideal++;
  }
}

// Calls f(lane), until it says false, in an order that changes.
template <class F> bool Machine::in_some_order(u32 mask, F f) {
  u32 step = 1, start = 0;
  if (options.random && options.lanes) { u64 r = draw(); step = (r & 15) * 2 + 1; start = r >> 4 & 31; }
  for (u32 k = 0; k < 32; k++) {
    u32 lane = (start + k * step) & 31;
    if (mask >> lane & 1 && !f((int)lane)) return false;
  }
  return true;
}

// Returns the memory that an address is in and turns a generic address into one of that memory.
static inline Space space_of(u64& address, int said) {
  Space space = address & LOCAL ? LOCAL_SPACE : address & SHARED ? SHARED_SPACE : GLOBAL_SPACE;
  if (said != GENERIC_SPACE) space = (Space)said;
  address &= ~(SHARED | LOCAL);
  return space;
}
// x: bytes of an element; count: elements; y: the space; z: the ordering; keep: bytes of the register, if the sign extends.
static inline u64 loaded(u64 v, const Instruction& i) { return i.keep ? cut(extend(v, i.x), i.keep) : v; }

inline bool Machine::access(const Here& h, u32 mask) {
  bool stores = h.i.op == OP_store;
  Operands o{h.warp.registers.data(), constants.data(), h.i, mask};
  const u64* a = o.s(0);
  u64 addresses[32]; u32 in[3] = {0, 0, 0};
  each_lane(mask, [&](int l) { addresses[l] = a[l] + (u64)h.i.immediate; in[space_of(addresses[l], h.i.y)] |= 1u << l; });
  bool fine = true;
  if (in[0]) { o.mask = in[0]; fine = access_global(h, o, addresses, stores); }
  if (in[1] && fine) { o.mask = in[1]; fine = access_shared(h, o, addresses, stores); }
  if (in[2] && fine) { o.mask = in[2]; fine = access_local(h, o, addresses, stores); }
  return fine;
}

inline bool Machine::access_global(const Here& h, const Operands& o, const u64* addresses, bool stores) {
  const Instruction& i = h.i;
  int size = i.x, whole = size * i.count, strength = i.z & STRENGTH;
  DelayedStores& delayed = h.block.delayed;
  if (stores) {
    count.store_requests++; count.store_bytes += (s64)population(o.mask) * whole;
    count_sectors(addresses, o.mask, whole, count.store_sectors, count.store_useful, h.pc);
  } else {
    count.load_requests++; count.load_bytes += (s64)population(o.mask) * whole;
    count_sectors(addresses, o.mask, whole, count.load_sectors, count.load_useful, h.pc, &h.block);
  }
  if (i.z & RELEASES) { delayed.finish_all(); each_lane(o.mask, [&](int l) { fence(h, l); }); }
  return in_some_order(o.mask, [&](int l) {
    int buffer = checked_global(addresses[l], size, whole, h, l);
    if (buffer < 0) return false;
    for (int k = 0; k < i.count; k++) {
      u64 address = addresses[l] + (u64)k * size, there = 0;
      memcpy(&there, (void*)address, size);
      if (!delayed.pieces.empty()) delayed.overlay(address, size, there);
      if (stores) {
        u64 v = cut(o.s(1 + k)[l], size);
        note_global(buffer, address, size, {false, true, strength, there == v, folded(v)}, h, l);
        if (strength && blocks_talk) publish(address, h.first + l, false);
        if (options.weak) delayed.store(address, size, v); else memcpy((void*)address, &v, size);
      } else {
        note_global(buffer, address, size, {true, false, strength, false, 0}, h, l);
        if (strength && options.weak) delayed.finish_at(address);
        if (strength && blocks_talk) observe(address, h.first + l, i.z & ACQUIRES);
        if (i.d[k] >= 0) o.d(k)[l] = loaded(there, i);
      }
    }
    return true;
  });
}

inline bool Machine::access_shared(const Here& h, const Operands& o, const u64* addresses, bool stores) {
  const Instruction& i = h.i;
  int size = i.x, strength = i.z & STRENGTH;
  count_banks(addresses, o.mask, size * i.count);
  return in_some_order(o.mask, [&](int l) {
    if (!checked_shared(addresses[l], size, size * i.count, h, l)) return false;
    for (int k = 0; k < i.count; k++) {
      u64 address = addresses[l] + (u64)k * size, there = 0;
      u8* place = &h.block.shared[address];
      memcpy(&there, place, size);
      if (stores) {
        u64 v = cut(o.s(1 + k)[l], size);
        note_shared(address, size, {false, true, strength, there == v, folded(v)}, h, l);
        memcpy(place, &v, size);
      } else {
        note_shared(address, size, {true, false, strength, false, 0}, h, l);
        if (i.d[k] >= 0) o.d(k)[l] = loaded(there, i);
      }
    }
    return true;
  });
}

inline bool Machine::access_local(const Here& h, const Operands& o, const u64* addresses, bool stores) {
  const Instruction& i = h.i;
  for (u32 rest = o.mask; rest; rest &= rest - 1) {
    int l = first_lane(rest), size = i.x;
    if (addresses[l] + (u64)size * i.count > (u64)given.local_size) fail(FOUND_local_bounds, h, l, addresses[l], size);
    if (stopped) return false;
    for (int k = 0; k < i.count; k++) {
      u8* place = &h.block.local[(size_t)(h.warp.number * 32 + l) * given.local_size + addresses[l] + k * size];
      u64 v = 0;
      if (stores) memcpy(place, &o.s(1 + k)[l], size);
      else { memcpy(&v, place, size); if (i.d[k] >= 0) o.d(k)[l] = loaded(v, i); }
    }
  }
  return true;
}

template <class T> static inline u64 least_or_greatest(u64 a, u64 b, bool greater) {
  T p = get<T>(a), q = get<T>(b);
  return put<T>((q > p) == greater ? q : p);
}
// What an atomic operation stores. Kinds: add min max and or xor exch cas inc dec. Types: u32 s32 u64 s64 f32 f64 f16 u16.
static u64 combined(int kind, int type, u64 old, u64 b, u64 c) {
  switch (kind) {
    case 0:
      switch (type) {
        case 2: case 3: return old + b;
        case 4: return put<f32>(get<f32>(old) + get<f32>(b));
        case 5: return put<f64>(get<f64>(old) + get<f64>(b));
        case 6: return put<f16>(narrow(widen(get<f16>(old)) + widen(get<f16>(b))));
        default: return (u32)(old + b);
      }
    case 1: case 2:
      switch (type) {
        case 1: return least_or_greatest<s32>(old, b, kind == 2);
        case 2: return least_or_greatest<u64>(old, b, kind == 2);
        case 3: return least_or_greatest<s64>(old, b, kind == 2);
        default: return least_or_greatest<u32>(old, b, kind == 2);
      }
    case 3: return old & b;
    case 4: return old | b;
    case 5: return old ^ b;
    case 6: return b;
    case 7: return old == b ? c : old;
    case 8: return (u32)old >= (u32)b ? 0 : (u32)(old + 1);
    default: return (u32)old == 0 || (u32)old > (u32)b ? (u32)b : (u32)(old - 1);
  }
}

// x: bytes; y: the space; z: the ordering; count: the kind; keep: the type.
inline bool Machine::atomic(const Here& h, u32 mask) {
  const Instruction& i = h.i;
  Operands o{h.warp.registers.data(), constants.data(), i, mask};
  const u64 *a = o.s(0), *b = o.s(1), *c = i.s[2] == NONE ? b : o.s(2);
  int size = i.x, strength = i.z & STRENGTH;
  u64 addresses[32]; u32 global = 0, shared = 0;
  each_lane(mask, [&](int l) {
    addresses[l] = a[l] + (u64)i.immediate;
    (space_of(addresses[l], i.y) == SHARED_SPACE ? shared : global) |= 1u << l;
  });
  if (global) {
    s64 useful = 0;
    count.atomic_requests++; count.atomic_lanes += population(global);
    count_sectors(addresses, global, size, count.atomic_sectors, useful, h.pc);
    if (i.z & RELEASES) { h.block.delayed.finish_all(); each_lane(global, [&](int l) { fence(h, l); }); }
  }
  if (shared) {
    count.shared_atomic_requests++; count.shared_atomic_lanes += population(shared);
    for (u32 rest = shared; rest; rest &= rest - 1)
      for (u32 other = rest & (rest - 1); other; other &= other - 1)
        if (addresses[first_lane(rest)] == addresses[first_lane(other)]) { count.shared_atomic_conflicts++; break; }
  }
  return in_some_order(mask, [&](int l) {
    u64 address = addresses[l], old = 0; u8* place;
    if (global >> l & 1) {
      int buffer = checked_global(address, size, size, h, l);
      if (buffer < 0) return false;
      if (options.weak) h.block.delayed.finish_at(address);
      note_global(buffer, address, size, {true, true, strength, false, 0}, h, l);
      if (blocks_talk) { observe(address, h.first + l, i.z & ACQUIRES); publish(address, h.first + l, true); }
      place = (u8*)address;
    } else {
      if (!checked_shared(address, size, size, h, l)) return false;
      note_shared(address, size, {true, true, strength, false, 0}, h, l);
      place = &h.block.shared[address];
    }
    memcpy(&old, place, size);
    u64 v = combined(i.count, i.keep, old, cut(b[l], size), cut(c[l], size));
    memcpy(place, &v, size);
    if (i.d[0] >= 0) o.d()[l] = old;
    return true;
  });
}
