// The state of a launch.
#pragma once
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>
#include "arithmetic.h"

// Who touched a granule of memory last. A time within a block is the number of barriers of the block that were passed, and of
// barriers of the warp. `reader` stands for all that read since the last write: `lanes`, `warps`, `blocks` say whether others
// than that thread, its warp, its block read too. A strength is 0 for a plain access, 1 for one that is ordered between
// all threads (atomic or volatile), 2 for one within a block. `value`: 32 bits that tell what was written, seen or not.
struct Shadow {
  u32 value, writer, write_barriers, write_syncs, write_pc, reader, read_barriers, read_syncs, read_pc;
  u8 written, read, write_strength, read_strength, lanes, warps, blocks, notes;
};
enum { READ_ONCE = 1, WRITTEN_ONCE = 2, SAME_VALUE = 4 };

// What an access does. `same`: it stores what is there already.
struct Touch { bool reads, writes; int strength; bool same; u32 value; };
static inline u32 folded(u64 v) { return (u32)(v * 0x9E3779B97F4A7C15ull >> 32); }

// What one block knows of another: all that `thread` had done, and the threads that it was behind, at that time.
struct Knowledge { u32 block, barriers, warp, syncs, thread; };
typedef std::vector<Knowledge> Knowledges;

// Stores of a block that other blocks do not see yet, in pieces of eight bytes.
struct DelayedStores {
  struct Piece { u64 address, value; u8 mask; };
  std::vector<Piece> pieces;
  std::unordered_map<u64, size_t> where;

  void store(u64 address, int size, u64 value) {
    u64 start = address & ~7ull;
    auto found = where.find(start);
    if (found == where.end()) { found = where.emplace(start, pieces.size()).first; pieces.push_back(Piece{start, 0, 0}); }
    Piece& piece = pieces[found->second];
    memcpy((u8*)&piece.value + (address & 7), &value, size);
    piece.mask |= ((1 << size) - 1) << (address & 7);
  }
  void overlay(u64 address, int size, u64& value) const {
    auto found = where.find(address & ~7ull);
    if (found == where.end()) return;
    const Piece& piece = pieces[found->second];
    int offset = address & 7;
    for (int k = 0; k < size; k++)
      if (piece.mask >> (offset + k) & 1) ((u8*)&value)[k] = ((const u8*)&piece.value)[offset + k];
  }
  void finish(size_t k) {                              // the piece arrives in memory
    Piece piece = pieces[k];
    for (int b = 0; b < 8; b++) if (piece.mask >> b & 1) ((u8*)piece.address)[b] = ((u8*)&piece.value)[b];
    where.erase(piece.address);
    if (k + 1 < pieces.size()) { pieces[k] = pieces.back(); where[pieces[k].address] = k; }
    pieces.pop_back();
  }
  void finish_at(u64 address) { auto found = where.find(address & ~7ull); if (found != where.end()) finish(found->second); }
  void finish_all() { while (!pieces.empty()) finish(pieces.size() - 1); }
};

// Lanes of a warp that are at one place. A diverged warp has several groups.
enum State { RUNS, AT_BARRIER, AT_WARP_OPERATION };
struct Group { u32 lanes; int pc; State state; u32 wanted; };       // wanted: the barrier's number, or the mask of lanes

// Threads have numbers: of the block, then 10 bits of the thread in it.
static inline u32 thread_number(u32 block, u32 thread) { return block << 10 | thread; }
static inline u32 block_of(u32 thread) { return thread >> 10; }
static inline u32 warp_of(u32 thread) { return thread >> 5 & 31; }

struct Block;
struct Warp {
  std::vector<u64> registers;                          // 32 lanes of each
  std::vector<Group> groups;
  u32 lanes, exited, syncs, number, carry[32];
};
struct Barrier { int arrived, pc, any, all, count; };
struct Block {
  u32 number, barriers; int exited;
  std::vector<Warp> warps;
  std::vector<u8> shared, local;
  std::vector<Shadow> shadows;                         // of shared memory
  Barrier barrier[16];
  DelayedStores delayed;
  Knowledges known;
  u64 near_sectors[512];                               // 128 sets of 4, the latest first; 0: none

  bool has_near(u64 sector) {                          // and has it from now on
    u64* set = near_sectors + 4 * (sector * 0x9E3779B97F4A7C15ull >> 57);
    int k = 0;
    while (k < 3 && set[k] != sector) k++;
    bool found = set[k] == sector;
    std::copy_backward(set, set + k, set + k + 1);
    set[0] = sector;
    return found;
  }
};

// Where an instruction is carried out.
struct Here { Block& block; Warp& warp; const Instruction& i; int pc; u32 first; };

struct Machine {
  const Launch& given; const Options& options; Counters& count; u32 threads;
  std::vector<u64> constants;                          // 32 copies of each
  std::vector<int> hints;                              // by instruction: the buffer that it touched last
  std::vector<Shadow*> shadows;                        // by buffer
  std::vector<int> variable_at, first_shadow;          // of shared memory: by byte, by variable
  std::map<std::pair<u64, u64>, int> finding_of;
  int found = 0; bool stopped = false, blocks_talk = false;
  std::unordered_map<u32, Knowledges> known, pending, fenced;       // by thread
  std::unordered_map<u64, Knowledges> published;       // by address
  u64 random_state;

  explicit Machine(const Launch& launch);
  ~Machine() { for (Shadow* s : shadows) free(s); }
  u64 draw() {
    random_state ^= random_state << 13; random_state ^= random_state >> 7; random_state ^= random_state << 17;
    return random_state * 0x2545F4914F6CDD1Dull >> 16;
  }
  void report(Kind kind, int pc1, int pc2, u32 thread1, u32 thread2, u64 address = 0, int buffer = -1, u64 v1 = 0, u64 v2 = 0);
  void fail(Kind kind, const Here& h, u32 lane, u64 address = 0, u64 v1 = 0) {
    stopped = true; report(kind, h.pc, h.pc, h.first + lane, 0, address, -1, v1);
  }

  // races.h
  bool knows(const Knowledges& all, u32 thread, u32 barriers, u32 syncs) const;
  bool ordered(u32 thread, u32 barriers, u32 syncs, const Here& h, u32 me) const;
  bool earlier_reads_are_ordered(const Shadow& s, const Here& h, u32 me) const;
  void note_race(Shadow& s, const Touch& t, bool shared, const Here& h, int lane, u64 at, int buffer);
  void note_read(Shadow& s, int strength, const Here& h, u32 me);
  void note_global(int buffer, u64 address, int size, const Touch& t, const Here& h, int lane);
  void note_shared(u64 address, int size, const Touch& t, const Here& h, int lane);
  void fence(const Here& h, u32 lane);
  void publish(u64 address, u32 me, bool modifies);
  void observe(u64 address, u32 me, bool acquires);

  // memory.h
  int buffer_at(u64 address, u32 size, int pc);
  int checked_global(u64 address, int size, int whole, const Here& h, int lane);
  bool checked_shared(u64 address, int size, int whole, const Here& h, int lane);
  void count_sectors(const u64* addresses, u32 mask, int size, s64& sectors, s64& useful, int pc, Block* loading = nullptr);
  void count_banks(const u64* addresses, u32 mask, int size);
  template <class F> bool in_some_order(u32 mask, F f);
  bool access(const Here& h, u32 mask);
  bool access_global(const Here& h, const Operands& o, const u64* addresses, bool stores);
  bool access_shared(const Here& h, const Operands& o, const u64* addresses, bool stores);
  bool access_local(const Here& h, const Operands& o, const u64* addresses, bool stores);
  bool atomic(const Here& h, u32 mask);

  // warps.h
  void split(Warp& w, int& group, u32 mask, int pc);
  void release(Block& b, int number);
  void release_complete(Block& b);
  void leave(const Here& h, int group, u32 mask);
  bool arrive(const Here& h, int group, u32 mask);
  bool meet(const Here& h, int group, u32 mask);
  void exchange(const Here& h, u32 mask, u32 wanted);
  void shuffle(const Here& h, const Operands& o);
  void match(const Here& h, const Operands& o);
  void jump_by_table(const Here& h, int group, u32 mask);

  // machine.cpp
  void start(Block& b, u32 number);
  int choose(Warp& w);
  bool compute(const Here& h, u32 mask);
  bool step(const Here& h, int group, u32 mask);
  void run(Block& b, Warp& w, int group, s64 budget);
  bool turn(Block& b, int& last);
  void give_up(Kind kind, Block& b);
  void launch();
};
