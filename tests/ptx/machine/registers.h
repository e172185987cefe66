// Places for virtual registers: compiled PTX names thousands, of which few hold a value at the same time.
//
// Liveness by basic blocks, then a linear scan over intervals in the order of the text. An interval covers all instructions
// between the first and the last where the value is live, so two registers that share a place never hold values at once. A
// register that is written under a predicate keeps its value in other lanes, so such a write is a read too.
#pragma once
#include <queue>
#include <tuple>
#include "base.h"

struct Places {
  std::vector<Instruction*> code; const s32* tables; int registers;
  std::vector<int> start_of, block_of;                 // of basic blocks; by instruction
  std::vector<std::vector<int>> next;                  // by block
  std::vector<std::vector<u64>> live, used, written;   // by block: bits of registers at its start
  std::vector<int> first, last;                        // by register

  static bool ends(const Instruction& i) { return i.op == OP_bra || i.op == OP_ret || i.op == OP_bra_table || i.op == OP_trap; }
  template <class F> static void each_read(const Instruction& i, F f) {
    for (int s : i.s) if (s >= 0) f(s);
    if (i.predicate >= 0) { f(i.predicate); each_written(i, f); }
  }
  template <class F> static void each_written(const Instruction& i, F f) { for (int d : i.d) if (d >= 0) f(d); }
  static bool holds(const std::vector<u64>& bits, int r) { return bits[r >> 6] >> (r & 63) & 1; }
  static void put_in(std::vector<u64>& bits, int r) { bits[r >> 6] |= 1ull << (r & 63); }

  void find_blocks() {
    int n = (int)code.size();
    block_of.assign(n + 1, 0);
    for (int k = 0; k < n; k++) {
      if (k == 0 || code[k]->label || ends(*code[k - 1])) start_of.push_back(k);
      block_of[k] = (int)start_of.size() - 1;
    }
    start_of.push_back(n);
    next.resize(start_of.size() - 1);
    for (size_t b = 0; b + 1 < start_of.size(); b++) {
      const Instruction& i = *code[start_of[b + 1] - 1];
      bool goes_on = start_of[b + 1] < n && (!ends(i) || i.predicate >= 0);
      if (goes_on) next[b].push_back((int)b + 1);
      if (i.op == OP_bra) next[b].push_back(block_of[i.immediate]);
      if (i.op == OP_bra_table) for (int k = 0; k < i.y; k++) next[b].push_back(block_of[tables[i.x + k]]);
    }
  }
  void find_live() {
    size_t blocks = next.size(), words = registers / 64 + 1;
    live.assign(blocks, std::vector<u64>(words)); used = written = live;
    for (size_t b = 0; b < blocks; b++)
      for (int k = start_of[b]; k < start_of[b + 1]; k++) {
        each_read(*code[k], [&](int r) { if (!holds(written[b], r)) put_in(used[b], r); });
        each_written(*code[k], [&](int r) { put_in(written[b], r); });
      }
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks; b-- > 0;)
        for (size_t w = 0; w < words; w++) {
          u64 out = 0;
          for (int n : next[b]) out |= live[n][w];
          u64 now = used[b][w] | (out & ~written[b][w]);
          if (now != live[b][w]) { live[b][w] = now; changed = true; }
        }
    }
  }
  void find_intervals() {
    first.assign(registers, 1 << 30); last.assign(registers, -1);
    auto covers = [&](int r, int k) { first[r] = std::min(first[r], k); last[r] = std::max(last[r], k); };
    for (size_t b = 0; b < next.size(); b++) {
      auto all = [&](const std::vector<u64>& bits, int k) {
        for (size_t w = 0; w < bits.size(); w++)
          for (u64 rest = bits[w]; rest; rest &= rest - 1) covers((int)w * 64 + __builtin_ctzll(rest), k);
      };
      all(live[b], 2 * start_of[b]);
      for (int n : next[b]) all(live[n], 2 * start_of[b + 1]);
      for (int k = start_of[b]; k < start_of[b + 1]; k++) {
        each_read(*code[k], [&](int r) { covers(r, 2 * k); });
        each_written(*code[k], [&](int r) { covers(r, 2 * k + 1); });
      }
    }
  }
  int assign() {
    typedef std::pair<int, int> Pair;
    std::vector<Pair> order;
    std::priority_queue<Pair, std::vector<Pair>, std::greater<Pair>> taken;      // until when, which place
    std::priority_queue<int, std::vector<int>, std::greater<int>> free_places;
    std::vector<int> place(registers, 0);
    int places = 0;
    for (int r = 0; r < registers; r++) if (last[r] >= 0) order.push_back({first[r], r});
    std::sort(order.begin(), order.end());
    for (auto [from, r] : order) {
      while (!taken.empty() && taken.top().first < from) { free_places.push(taken.top().second); taken.pop(); }
      if (free_places.empty()) free_places.push(places++);
      place[r] = free_places.top(); free_places.pop();
      taken.push({last[r], place[r]});
    }
    for (Instruction* i : code) {
      for (s32& d : i->d) if (d >= 0) d = place[d];
      for (s32& s : i->s) if (s >= 0) s = place[s];
      if (i->predicate >= 0) i->predicate = place[i->predicate];
    }
    return places;
  }
};
