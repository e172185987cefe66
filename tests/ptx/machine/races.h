// Races: two accesses to one place, at least one a write, that nothing orders.
#pragma once
#include "machine.h"

inline bool Machine::knows(const Knowledges& all, u32 thread, u32 barriers, u32 syncs) const {
  for (const Knowledge& k : all)
    if (k.block == block_of(thread))
      return barriers < k.barriers || thread == k.thread ||
             (warp_of(thread) == k.warp && barriers == k.barriers && syncs < k.syncs);
  return false;
}

// Is what `thread` did at that time ordered before what thread `me` does now?
inline bool Machine::ordered(u32 thread, u32 barriers, u32 syncs, const Here& h, u32 me) const {
  if (thread == me) return true;
  if (block_of(thread) == h.block.number)
    return barriers < h.block.barriers || (warp_of(thread) == h.warp.number && syncs < h.warp.syncs);
  if (!blocks_talk) return false;
  if (knows(h.block.known, thread, barriers, syncs)) return true;
  auto mine = known.find(me);
  return mine != known.end() && knows(mine->second, thread, barriers, syncs);
}

// Where several blocks read, the shadow does not know what each did: once blocks talk, such reads are taken for ordered.
inline bool Machine::earlier_reads_are_ordered(const Shadow& s, const Here& h, u32 me) const {
  if (s.blocks) return blocks_talk;
  if (block_of(s.reader) != h.block.number) return ordered(s.reader, s.read_barriers, s.read_syncs, h, me);
  if (s.read_barriers != h.block.barriers) return true;
  if (s.warps || warp_of(s.reader) != h.warp.number) return false;
  return s.read_syncs != h.warp.syncs || (!s.lanes && s.reader == me);
}

inline void Machine::note_read(Shadow& s, int strength, const Here& h, u32 me) {
  bool fresh = !s.read;
  if (!fresh && !s.blocks && block_of(s.reader) == h.block.number)
    fresh = s.read_barriers != h.block.barriers ||
            (!s.warps && warp_of(s.reader) == h.warp.number && s.read_syncs != h.warp.syncs);
  if (fresh || (s.read_strength && !strength)) {
    s.read = 1; s.reader = me; s.read_barriers = h.block.barriers; s.read_syncs = h.warp.syncs; s.read_pc = h.pc;
    s.read_strength = strength; s.lanes = s.warps = s.blocks = 0;
  } else if (strength <= s.read_strength || !s.read_strength) {
    if (block_of(s.reader) != h.block.number) s.blocks = 1;
    else if (warp_of(s.reader) != h.warp.number) s.warps = 1;
    else if (s.reader != me) s.lanes = 1;
  }
}

inline void Machine::note_race(Shadow& s, const Touch& t, bool shared, const Here& h, int lane, u64 at, int buffer) {
  u32 me = h.first + lane;
  const int strength = t.strength;
  auto clash = [&](int other, u32 thread) {            // two atomic accesses do not, unless one is ordered in its block only
    return !other || !strength || ((other == 2 || strength == 2) && block_of(thread) != h.block.number);
  };
  if (s.written && s.writer != me && clash(s.write_strength, s.writer) &&
      !ordered(s.writer, s.write_barriers, s.write_syncs, h, me)) {
    Kind kind;
    if (s.write_strength && strength) kind = FOUND_scope;
    else if (s.write_strength && !t.writes) kind = shared ? FOUND_shared_atomic_read : FOUND_global_atomic_read;
    else if (s.write_strength || strength) kind = shared ? FOUND_shared_atomic_write : FOUND_global_atomic_write;
    else if (t.writes) kind = t.same || t.value == s.value ? (shared ? FOUND_shared_same_value : FOUND_global_same_write)
                                 : shared ? FOUND_shared_write_write : FOUND_global_write_write;
    else kind = s.notes & SAME_VALUE ? (shared ? FOUND_shared_same_value : FOUND_global_same_read)
                                     : shared ? FOUND_shared_read_write : FOUND_global_read_write;
    report(kind, s.write_pc, h.pc, s.writer, me, at, buffer);
  }
  if (t.writes && s.read && clash(s.read_strength, s.reader) && !earlier_reads_are_ordered(s, h, me)) {
    Kind kind;
    if (strength) kind = shared ? FOUND_shared_atomic_read : FOUND_global_atomic_read;
    else if (s.read_strength) kind = shared ? FOUND_shared_atomic_write : FOUND_global_atomic_write;
    else if (t.same) kind = shared ? FOUND_shared_same_value : FOUND_global_same_read;
    else kind = shared ? FOUND_shared_read_write : FOUND_global_read_write;
    report(kind, s.read_pc, h.pc, s.reader, me, at, buffer);
  }
  if (t.reads) { s.notes |= READ_ONCE; note_read(s, strength, h, me); }
  if (t.writes) {
    s.notes = (s.notes & READ_ONCE) | WRITTEN_ONCE | (t.same ? SAME_VALUE : 0);
    s.written = 1; s.value = t.value; s.writer = me; s.write_pc = h.pc;
    s.write_barriers = h.block.barriers; s.write_syncs = h.warp.syncs;
    s.write_strength = strength;
  }
}

inline void Machine::note_global(int buffer, u64 address, int size, const Touch& t, const Here& h, int lane) {
  if (!options.race) return;
  const Buffer& b = given.buffers[buffer];
  if (!shadows[buffer]) shadows[buffer] = (Shadow*)calloc(b.size / b.granule + 1, sizeof(Shadow));
  if (size < b.granule) report(FOUND_narrow_access, h.pc, h.pc, h.first + lane, 0, address, buffer, size, b.granule);
  const int shift = __builtin_ctzll(b.granule);
  for (u64 k = (address - b.base) >> shift; k <= (address - b.base + size - 1) >> shift; k++) {
    Shadow& s = shadows[buffer][k];
    if (t.reads && !(s.notes & READ_ONCE)) count.bytes_read += b.granule;
    if (t.writes && !(s.notes & WRITTEN_ONCE)) count.bytes_written += b.granule;
    note_race(s, t, false, h, lane, address, buffer);
  }
}

inline void Machine::note_shared(u64 address, int size, const Touch& t, const Here& h, int lane) {
  int number = variable_at[address];
  const SharedVariable& v = given.shared[number];
  if (size < v.granule) report(FOUND_narrow_access, h.pc, h.pc, h.first + lane, 0, address, -1, size, v.granule);
  const int shift = __builtin_ctzll(v.granule);
  for (u64 k = (address - v.start) >> shift; k <= (address - v.start + size - 1) >> shift; k++) {
    Shadow& s = h.block.shadows[first_shadow[number] + k];
    if (t.reads && !s.written) report(FOUND_shared_unwritten, h.pc, h.pc, h.first + lane, 0, address);
    if (options.race) note_race(s, t, true, h, lane, address, -1);
    else if (t.writes) s.written = 1;
  }
}

static void join(Knowledges& into, const Knowledges& from) {
  for (const Knowledge& k : from) {
    auto same = std::find_if(into.begin(), into.end(), [&](const Knowledge& m) { return m.block == k.block; });
    if (same == into.end()) into.push_back(k);
    else if (std::make_pair(k.barriers, k.syncs) >= std::make_pair(same->barriers, same->syncs)) *same = k;
  }
}

// What the thread observed before now counts; what it did before now can be published.
inline void Machine::fence(const Here& h, u32 lane) {
  u32 me = h.first + lane;
  blocks_talk = true;
  auto waiting = pending.find(me);
  if (waiting != pending.end()) { join(known[me], waiting->second); pending.erase(waiting); }
  Knowledges all = h.block.known;
  auto mine = known.find(me);
  if (mine != known.end()) join(all, mine->second);
  Knowledge now{h.block.number, h.block.barriers, h.warp.number, h.warp.syncs, me};
  join(all, Knowledges{now});
  for (Knowledge& k : all) if (k.block == now.block) k = now;
  fenced[me] = all;
}
inline void Machine::publish(u64 address, u32 me, bool modifies) {
  auto mine = fenced.find(me);
  if (mine == fenced.end()) { if (!modifies) published.erase(address); }
  else if (modifies) join(published[address], mine->second);
  else published[address] = mine->second;
}
inline void Machine::observe(u64 address, u32 me, bool acquires) {
  auto there = published.find(address);
  if (there != published.end()) join(acquires ? known[me] : pending[me], there->second);
}
