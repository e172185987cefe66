// Executes the PTX of one kernel, as Python has encoded it, on the processor.
//
// Model. A launch has blocks of threads, 32 lanes to a warp. A warp is a set of groups: lanes that stand at the same
// instruction and are carried out together. A branch that lanes take differently splits a group; groups that meet at a label
// become one again. As on devices since Volta, each group may run ahead of the others. `resident` blocks are alive at a time;
// a warp of a random one runs for a random number of instructions, so warps and blocks are preempted anywhere. One seed gives
// one schedule, always the same.
//
// Memory. Global memory is the process's own, so a kernel works on the caller's arrays. A store is visible at once, or with
// `weak` in any order until a fence of its block. Loads are never reordered. Registers are 64 bits wide and 0 at the start;
// shared and local memory are filled with rubbish.
//
// Checks. Every access must lie in a buffer or a variable and be aligned. A read of shared memory that no one wrote, a barrier
// reached at different places, lanes that a mask names and that do not come, a launch that waits for ever: all are found as
// they happen. Races are found by time stamps: for each granule (an element) the last write and the last reads, each with how
// many barriers its block and its warp had passed. Two accesses are ordered by a barrier between them, or between blocks by
// fences and atomics, for which knowledge travels: a fence makes what a thread did and knows publishable, an atomic or volatile
// store publishes it at its address, an atomic or volatile load takes it over, from the next fence on.
//
// Cost. A warp instruction takes some tens of nanoseconds; a memory access takes about ten per lane for the race check, and
// global memory takes 44 bytes of shadow for each granule that is touched.
//
// Limits. Readers of one granule from several warps or blocks are kept as one reader and a note. Within a block only barriers
// order accesses, not fences and flags. Barriers of a part of a warp order nothing. All of global memory counts as written: who
// wants to see reads of what is not fills it with rubbish. An access beyond an array that meets another one is not noticed.
// "approx" instructions are exact. Blocks and grids have one dimension. Clocks count instructions.
#include <cstdlib>
#include "registers.h"
#include "warps.h"
#ifdef __AVX512F__
#include <immintrin.h>
#endif

static u32 lanes_where(const u64* predicate) {
#ifdef __AVX512F__
  const __m512i one = _mm512_set1_epi64(1);
  u32 r = 0;
  for (int k = 0; k < 4; k++) r |= (u32)_mm512_test_epi64_mask(_mm512_loadu_si512(predicate + 8 * k), one) << 8 * k;
  return r;
#else
  u32 r = 0;
  for (int l = 0; l < 32; l++) r |= (u32)(predicate[l] & 1) << l;
  return r;
#endif
}

Machine::Machine(const Launch& launch)
    : given(launch), options(*launch.options), count(*launch.counters), threads((u32)launch.threads),
      constants((size_t)launch.constant_count * 32), hints(launch.code_count, -1), shadows(launch.buffer_count, nullptr),
      variable_at(launch.shared_size + 16, -1), first_shadow(launch.shared_count + 1, 0) {
  random_state = options.seed * 0x9E3779B97F4A7C15ull + 0x1234567;
  if (!random_state) random_state = 1;
  for (int k = 0; k < 8; k++) draw();
  for (s64 k = 0; k < given.constant_count * 32; k++) constants[k] = given.constants[k / 32];
  for (int v = 0; v < given.shared_count; v++) {
    const SharedVariable& variable = given.shared[v];
    std::fill_n(variable_at.begin() + variable.start, variable.size, v);
    first_shadow[v + 1] = first_shadow[v] + (int)((variable.size + variable.granule - 1) / variable.granule);
  }
}

// Findings of one kind at the same instructions are one, with a count. What stops the launch takes the last place if need be.
void Machine::report(Kind kind, int pc1, int pc2, u32 thread1, u32 thread2, u64 address, int buffer, u64 v1, u64 v2) {
  auto key = std::make_pair((u64)kind << 32 | (u32)pc1, (u64)(u32)pc2);
  auto known_as = finding_of.find(key);
  if (known_as != finding_of.end()) { given.findings[known_as->second].count++; return; }
  if (found == given.most_findings && !stopped) return;
  if (found == given.most_findings) found--;
  finding_of[key] = found;
  given.findings[found++] = Finding{kind, pc1, pc2, thread1, thread2, buffer, 1, address, v1, v2};
}

void Machine::start(Block& b, u32 number) {
  b.number = number; b.barriers = 1; b.exited = 0;
  b.warps.resize((threads + 31) / 32);
  for (u32 k = 0; k < b.warps.size(); k++) {
    Warp& w = b.warps[k];
    u32 lanes = std::min(32u, threads - 32 * k);
    w.lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
    w.exited = 0; w.syncs = 1; w.number = k;
    w.registers.assign((size_t)given.registers * 32, 0);
    w.groups.assign(1, Group{w.lanes, 0, RUNS, 0});
    std::fill_n(w.carry, 32, 0);
  }
  b.shared.assign(given.shared_size + 16, 0x5A);
  b.shadows.assign(first_shadow[given.shared_count], Shadow{});
  b.local.assign((size_t)given.local_size * threads, 0x5A);
  for (Barrier& barrier : b.barrier) barrier = Barrier{0, -1, 0, 1, 0};
  b.delayed.finish_all(); b.known.clear();
  std::fill_n(b.near_sectors, 512, 0);
  count.blocks++;
}

// Joins groups that stand at one instruction, and returns the one to run: furthest behind, seldom another; -1 if all wait.
int Machine::choose(Warp& w) {
  std::vector<Group>& g = w.groups;
  if (g.size() == 1) return g[0].state == RUNS ? 0 : -1;
  for (size_t a = 0; a < g.size(); a++)
    for (size_t b = a + 1; g[a].state == RUNS && b < g.size();)
      if (g[b].state == RUNS && g[b].pc == g[a].pc) { g[a].lanes |= g[b].lanes; g.erase(g.begin() + b); } else b++;
  int best = -1, running = 0;
  for (size_t a = 0; a < g.size(); a++)
    if (g[a].state == RUNS) { running++; if (best < 0 || g[a].pc < g[best].pc) best = (int)a; }
  if (running > 1 && draw() % 4096 < (u64)(options.random ? options.stray : 1)) {
    int skip = (int)(draw() % running);
    for (size_t a = 0; a < g.size(); a++) if (g[a].state == RUNS && !skip--) return (int)a;
  }
  return best;
}

static u64 special(int which, const Here& h, u32 l, const Launch& given, s64 clock) {
  switch (which) {
    case 0: return h.warp.number * 32 + l;
    case 1: return h.block.number;
    case 2: return given.threads;
    case 3: return given.blocks;
    case 4: return l;
    case 5: return h.warp.number;
    case 6: return 32;
    case 7: return 0;
    case 8: return 1;
    case 9: return (1u << l) - 1;
    case 10: return (u32)((2ull << l) - 1);
    case 11: return ~((1u << l) - 1);
    case 12: return ~(u32)((2ull << l) - 1);
    case 13: return 1u << l;
    case 14: return clock;
    default: return (u32)clock;
  }
}

// Operations of each lane by itself that need more than their operands, and all others of that kind.
bool Machine::compute(const Here& h, u32 mask) {
  const Instruction& i = h.i;
  Operands o{h.warp.registers.data(), constants.data(), i, mask};
  switch (i.op) {
    case OP_special_register:
      each_lane(mask, [&](u32 l) { o.d()[l] = special(i.x, h, l, given, count.warp_instructions); });
      return true;
    case OP_load_parameter: {
      u64 v = 0;
      memcpy(&v, given.parameters + i.immediate, i.x);
      v = loaded(v, i);
      count.parameter_loads++;
      each_lane(mask, [&](int l) { o.d()[l] = v; });
      return true; }
    case OP_add_carry: case OP_sub_carry:              // x: bytes; y: writes the carry; z: reads it
      each_lane(mask, [&](int l) {
        u128 a = cut(o.s(0)[l], i.x), b = cut(o.s(1)[l], i.x), in = i.z ? h.warp.carry[l] : 0;
        u128 r = i.op == OP_add_carry ? a + b + in : a - b - in;
        if (i.y) h.warp.carry[l] = (u32)(r >> 8 * i.x) & 1;
        o.d()[l] = cut((u64)r, i.x);
      });
      return true;
    case OP_active_mask: each_lane(mask, [&](int l) { o.d()[l] = mask; }); return true;
    case OP_is_space:
      each_lane(mask, [&](int l) { u64 a = o.s(0)[l]; o.d()[l] = space_of(a, GENERIC_SPACE) == i.x; });
      return true;
    default: return compute_integers(o) || compute_floats(o) || convert(o);
  }
}

// One instruction that the scheduler or memory take part in. Returns whether the group goes on to the next.
bool Machine::step(const Here& h, int group, u32 mask) {
  switch (h.i.op) {
    case OP_ret: leave(h, group, mask); return false;
    case OP_bra_table: jump_by_table(h, group, mask); return false;
    case OP_load: case OP_store: return access(h, mask);
    case OP_atomic: return atomic(h, mask);
    case OP_fence:                                     // x: orders more than the block
      count.fences++;
      if (h.i.x) { h.block.delayed.finish_all(); each_lane(mask, [&](int l) { fence(h, l); }); }
      return true;
    case OP_bar_sync: case OP_bar_reduce: return arrive(h, group, mask);
    case OP_bar_warp: case OP_shuffle: case OP_vote: case OP_match: case OP_redux: return meet(h, group, mask);
    default: fail(FOUND_trapped, h, first_lane(mask)); return false;
  }
}

// Runs one group until it waits, ends, splits or has used its budget.
void Machine::run(Block& b, Warp& w, int group, s64 budget) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const u32 active = w.groups[group].lanes, first = thread_number(b.number, w.number * 32);
  const bool alone = w.groups.size() == 1;
  const int from = w.groups[group].pc;
  int pc = from;
  for (; budget > 0 && !stopped; budget--) {
    const Instruction& i = given.code[pc];
    if (i.label && !alone && pc != from) break;        // others may be here or behind: `choose` joins them
    u32 mask = active;
    if (i.predicate >= 0) { u32 p = lanes_where(&w.registers[32 * i.predicate]); mask &= i.negated ? ~p : p; }
    count.warp_instructions++; count.thread_instructions += population(mask);
    if (i.op == OP_bra) {
      count.branches++;
      if (mask && mask != active) {
        count.divergent_branches++;
        split(w, group, mask, pc);
        w.groups[group].pc = (int)i.immediate;
        return;
      }
      pc = mask ? (int)i.immediate : pc + 1;
      if (!alone) break;
      continue;
    }
    if (!mask) { pc++; continue; }
    Here here{b, w, i, pc, first};
    if (i.op > OP_bra) {
      w.groups[group].pc = pc;
      if (!step(here, group, mask)) return;
    } else {
      if (i.rounding) std::fesetround(modes[i.rounding]);
      if (!compute(here, mask)) fail(FOUND_unsupported, here, first_lane(mask));
      if (i.rounding) std::fesetround(FE_TONEAREST);
    }
    pc++;
  }
  w.groups[group].pc = pc;
}

// Gives some warp of a block a turn. Returns whether there was one that does not wait.
bool Machine::turn(Block& b, int& last) {
  int n = (int)b.warps.size(), at = options.random ? (int)(draw() % n) : last % n;
  for (int k = 0; k < n; k++, at = at + 1 == n ? 0 : at + 1) {
    Warp& w = b.warps[at];
    int group = w.groups.empty() ? -1 : choose(w);
    if (group < 0) continue;
    s64 budget = options.random ? 1 + (s64)(draw() % (2 * options.quantum)) : 100000, until = count.warp_instructions + budget;
    while (group >= 0 && !stopped && count.warp_instructions < until) {
      run(b, w, group, until - count.warp_instructions);
      group = w.groups.empty() ? -1 : choose(w);
    }
    last = at;
    return true;
  }
  return false;
}

// Stops, and names a thread of the block that has not ended.
void Machine::give_up(Kind kind, Block& b) {
  for (Warp& w : b.warps) {
    if (w.groups.empty()) continue;
    const Group& g = w.groups[0];
    fail(kind, Here{b, w, given.code[g.pc], g.pc, thread_number(b.number, w.number * 32)}, first_lane(g.lanes), 0, b.exited);
    return;
  }
  stopped = true;
  report(kind, 0, 0, thread_number(b.number, 0), 0);
}

void Machine::launch() {
  std::vector<Block> blocks(std::min<s64>(given.blocks, options.random ? options.resident : 1));
  std::vector<int> alive;
  std::vector<u32> order(options.random && options.shuffle ? given.blocks : 0);
  for (size_t k = 0; k < order.size(); k++) order[k] = (u32)k;
  for (size_t k = order.size(); k > 1; k--) std::swap(order[k - 1], order[draw() % k]);
  auto next_number = [&](u32 k) { return order.empty() ? k : order[k]; };
  u32 next = 0; int last = 0;
  for (size_t k = 0; k < blocks.size(); k++) { start(blocks[k], next_number(next++)); alive.push_back((int)k); }
  count.threads += given.blocks * given.threads;
  while (!alive.empty() && !stopped) {
    size_t k = options.random ? draw() % alive.size() : 0;
    Block& b = blocks[alive[k]];
    if (count.warp_instructions > options.steps) { give_up(FOUND_endless, b); break; }
    bool ran = turn(b, last);
    if (options.weak && (s64)(draw() % 1024) < options.drain)
      for (u64 n = draw() % 4; n-- && !b.delayed.pieces.empty();) b.delayed.finish(draw() % b.delayed.pieces.size());
    if (ran) continue;
    if (b.exited == (int)threads) {
      b.delayed.finish_all();
      if (next < given.blocks) start(b, next_number(next++)); else alive.erase(alive.begin() + k);
      last = 0;
      continue;
    }
    give_up(FOUND_deadlock, b);
  }
  for (Block& b : blocks) b.delayed.finish_all();
}

// Runs a launch and returns how many findings there are.
extern "C" int ptx_launch(const Launch* launch) {
  Machine machine(*launch);
  machine.launch();
  return machine.found;
}

// Gives registers places and returns how many there are.
extern "C" int ptx_places(Instruction* code, s64 count, const s32* tables, s64 registers) {
  Places p;
  p.tables = tables; p.registers = (int)registers;
  for (s64 k = 0; k < count; k++) p.code.push_back(code + k);
  p.find_blocks(); p.find_live(); p.find_intervals();
  return p.assign();
}

#define X(name) #name " "
extern "C" const char* ptx_operations() { return OPERATIONS(X); }
extern "C" const char* ptx_options() { return OPTIONS(X); }
extern "C" const char* ptx_counters() { return COUNTERS(X); }
extern "C" const char* ptx_findings() { return FINDINGS(X); }
#undef X
