// Barriers, and what lanes of a warp do together.
#pragma once
#include "memory.h"

// Lanes `mask` of a group go on from `pc` as a group of their own, which `group` then is; the others pass the instruction.
inline void Machine::split(Warp& w, int& group, u32 mask, int pc) {
  if (w.groups[group].lanes == mask) return;
  w.groups[group].lanes &= ~mask;
  w.groups[group].pc = pc + 1;
  w.groups.push_back(Group{mask, pc, RUNS, 0});
  group = (int)w.groups.size() - 1;
}

inline void Machine::release(Block& b, int number) {
  Barrier& barrier = b.barrier[number];
  if (b.exited) report(FOUND_barrier_exited, barrier.pc, barrier.pc, thread_number(b.number, 0), 0, 0, -1, b.exited);
  count.barriers++; b.barriers++;
  if (blocks_talk)
    for (u32 t = 0; t < threads; t++) {
      auto mine = known.find(thread_number(b.number, t));
      if (mine != known.end()) join(b.known, mine->second);
    }
  for (Warp& w : b.warps) {
    w.syncs++;
    for (Group& g : w.groups) {
      if (g.state != AT_BARRIER || (int)g.wanted != number) continue;
      const Instruction& i = given.code[g.pc];
      u64 result = i.x == 0 ? barrier.all : i.x == 1 ? barrier.any : barrier.count;
      if (i.op == OP_bar_reduce) each_lane(g.lanes, [&](int l) { w.registers[32 * i.d[0] + l] = result; });
      g.state = RUNS; g.pc++;
    }
  }
  barrier = Barrier{0, -1, 0, 1, 0};
}
inline void Machine::release_complete(Block& b) {
  for (int k = 0; k < 16; k++) if (b.barrier[k].arrived && b.barrier[k].arrived == (int)threads - b.exited) release(b, k);
}

inline void Machine::leave(const Here& h, int group, u32 mask) {
  Warp& w = h.warp;
  w.exited |= mask; h.block.exited += population(mask);
  w.groups[group].lanes &= ~mask; w.groups[group].pc = h.pc + 1;
  if (!w.groups[group].lanes) w.groups.erase(w.groups.begin() + group);
  for (Group& g : w.groups)                            // those who wait for no one but lanes that are gone now
    if (g.state == AT_WARP_OPERATION && !(g.wanted & ~w.exited & w.lanes & ~g.lanes)) g.state = RUNS;
  release_complete(h.block);
}

// bar.sync and bar.red (x: and, or, popc; y: of the negated predicate).
inline bool Machine::arrive(const Here& h, int group, u32 mask) {
  const Instruction& i = h.i;
  Operands o{h.warp.registers.data(), constants.data(), i, mask};
  int number = o.s(0)[first_lane(mask)] & 15;
  if (i.s[1] != NONE && o.s(1)[first_lane(mask)] != threads) { fail(FOUND_unsupported, h, first_lane(mask)); return false; }
  split(h.warp, group, mask, h.pc);
  Barrier& barrier = h.block.barrier[number];
  if (barrier.pc >= 0 && barrier.pc != h.pc) report(FOUND_barrier_places, barrier.pc, h.pc, h.first + first_lane(mask), 0);
  barrier.pc = h.pc; barrier.arrived += population(mask);
  Group& g = h.warp.groups[group];
  g.state = AT_BARRIER; g.wanted = number; g.pc = h.pc;
  if (i.op == OP_bar_reduce)
    each_lane(mask, [&](int l) {
      int v = (o.s(2)[l] & 1) ^ i.y;
      barrier.any |= v; barrier.all &= v; barrier.count += v;
    });
  if (barrier.arrived == (int)threads - h.block.exited) release(h.block, number);
  return false;
}

// An operation of the lanes that a mask (source 4) names: carried out when all of them have come. Returns whether to go on.
inline bool Machine::meet(const Here& h, int group, u32 mask) {
  Warp& w = h.warp;
  Operands o{w.registers.data(), constants.data(), h.i, mask};
  const u64* masks = o.s(4);
  u32 wanted = masks[first_lane(mask)], same = 0, present = w.lanes & ~w.exited;
  each_lane(mask, [&](int l) { if ((u32)masks[l] == wanted) same |= 1u << l; });
  bool part = same != mask;                            // lanes with another mask come to this instruction later
  if (part) {
    if (h.i.predicate >= 0) { fail(FOUND_unsupported, h, first_lane(mask)); return false; }
    int rest = group;
    split(w, group, same, h.pc);
    w.groups[rest].pc = h.pc;
    mask = same;
  }
  if (mask & ~wanted) report(FOUND_mask, h.pc, h.pc, h.first + first_lane(mask & ~wanted), 0, 0, -1, mask, wanted);
  if (wanted & ~present) report(FOUND_mask, h.pc, h.pc, h.first + first_lane(mask), 0, 0, -1, present, wanted);
  bool barrier = h.i.op == OP_bar_warp;
  auto waits = [&](const Group& g) {
    return g.state == AT_WARP_OPERATION && g.wanted == wanted && (barrier ? given.code[g.pc].op == OP_bar_warp : g.pc == h.pc);
  };
  if (wanted & present & ~mask) {
    split(w, group, mask, h.pc);
    w.groups[group].state = AT_WARP_OPERATION; w.groups[group].wanted = wanted; w.groups[group].pc = h.pc;
    u32 here = 0;
    for (Group& g : w.groups) if (waits(g)) here |= g.lanes;
    if (wanted & present & ~here) return false;
    if (!barrier) {                                    // together again: the operation is carried out by the joint group
      for (size_t k = w.groups.size(); k-- > 0;) if (waits(w.groups[k])) w.groups.erase(w.groups.begin() + k);
      w.groups.push_back(Group{here, h.pc, RUNS, 0});
      return false;
    }
  }
  count.warp_operations++;
  if (!barrier) exchange(h, mask, wanted);
  else if (present & ~wanted) report(FOUND_partial_warp_barrier, h.pc, h.pc, h.first, 0, 0, -1, wanted);
  else w.syncs++;
  if (!(wanted & present & ~mask)) {
    if (part) w.groups[group].pc = h.pc + 1;
    return !part;
  }
  for (Group& g : w.groups) if (waits(g)) { g.state = RUNS; g.pc++; }
  return false;
}

inline void Machine::exchange(const Here& h, u32 mask, u32 wanted) {
  const Instruction& i = h.i;
  Operands o{h.warp.registers.data(), constants.data(), i, mask};
  const u64* a = o.s(0);
  switch (i.op) {
    case OP_shuffle: shuffle(h, o); return;
    case OP_match: match(h, o); return;
    case OP_vote: {                                    // x: ballot all any uni; y: of the negated predicate
      u32 yes = 0, all = mask & wanted;
      each_lane(mask, [&](int l) { yes |= (u32)((a[l] & 1) ^ i.y) << l; });
      u64 result = i.x == 0 ? yes : i.x == 1 ? yes == all : i.x == 2 ? yes != 0 : yes == all || !yes;
      each_lane(mask, [&](int l) { o.d()[l] = result; });
      return; }
    default: {                                         // redux; x: as of atomic operations; y: the type
      u64 result = (u32)a[first_lane(mask)];
      each_lane(mask & (mask - 1), [&](int l) { result = (u32)combined(i.x, i.y, result, (u32)a[l], 0); });
      each_lane(mask, [&](int l) { o.d()[l] = result; });
    }
  }
}

inline void Machine::shuffle(const Here& h, const Operands& o) {      // x: up down bfly idx
  const Instruction& i = h.i;
  u64 value[32], inside[32];
  each_lane(o.mask, [&](int l) {
    u32 clamp = o.s(2)[l] & 31, segment = o.s(2)[l] >> 8 & 31, by = o.s(1)[l] & 31;
    int highest = (l & segment) | (clamp & ~segment), lowest = l & segment;
    int source = i.x == 0 ? l - (int)by : i.x == 1 ? l + (int)by : i.x == 2 ? l ^ (int)by : lowest | (by & ~segment);
    inside[l] = i.x == 0 ? source >= highest : source <= highest;
    if (!inside[l]) source = l;
    if (!(o.mask >> source & 1)) report(FOUND_shuffle_source, h.pc, h.pc, h.first + l, h.first + source);
    value[l] = (u32)o.s(0)[source];
  });
  each_lane(o.mask, [&](int l) {
    if (i.d[0] >= 0) o.d(0)[l] = value[l];
    if (i.d[1] >= 0) o.d(1)[l] = inside[l];
  });
}

inline void Machine::match(const Here& h, const Operands& o) {        // x: any all; y: bytes
  const Instruction& i = h.i;
  u64 equal[32];
  each_lane(o.mask, [&](int l) {
    equal[l] = 0;
    each_lane(o.mask, [&](int k) { if (cut(o.s(0)[k], i.y) == cut(o.s(0)[l], i.y)) equal[l] |= 1u << k; });
  });
  each_lane(o.mask, [&](int l) {
    if (i.x) {
      o.d(0)[l] = equal[l] == o.mask ? o.mask : 0;
      if (i.d[1] >= 0) o.d(1)[l] = equal[l] == o.mask;
    } else o.d(0)[l] = equal[l];
  });
}

// brx.idx: x: where the table starts; y: its entries. Lanes with one target form a group.
inline void Machine::jump_by_table(const Here& h, int group, u32 mask) {
  Operands o{h.warp.registers.data(), constants.data(), h.i, mask};
  const u64* index = o.s(0);
  while (mask) {
    u32 wanted = index[first_lane(mask)], same = 0;
    if (wanted >= (u32)h.i.y) { fail(FOUND_unsupported, h, first_lane(mask), 0, wanted); return; }
    each_lane(mask, [&](int l) { if ((u32)index[l] == wanted) same |= 1u << l; });
    int part = group;
    split(h.warp, part, same, h.pc);
    h.warp.groups[part].pc = given.tables[h.i.x + wanted];
    mask &= ~same;
  }
}
