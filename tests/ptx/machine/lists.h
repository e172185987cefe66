// The names of operations, options, counters and findings. Python reads these lists, so each is written once.
#pragma once

// Operations that compute each lane by itself, then (after `bra`) those that the scheduler or memory take part in.
#define OPERATIONS(X) \
  X(nop) X(mov) X(special_register) X(load_parameter) \
  X(add16) X(add32) X(add64) X(sub16) X(sub32) X(sub64) X(add_carry) X(sub_carry) \
  X(mul_lo16) X(mul_lo32) X(mul_lo64) X(mul_hi_s16) X(mul_hi_u16) X(mul_hi_s32) X(mul_hi_u32) X(mul_hi_s64) X(mul_hi_u64) \
  X(mul_wide_s16) X(mul_wide_u16) X(mul_wide_s32) X(mul_wide_u32) \
  X(mad_lo16) X(mad_lo32) X(mad_lo64) X(mad_hi_s32) X(mad_hi_u32) X(mad_hi_s64) X(mad_hi_u64) \
  X(mad_wide_s16) X(mad_wide_u16) X(mad_wide_s32) X(mad_wide_u32) X(sad_s32) X(sad_u32) \
  X(div_s16) X(div_u16) X(div_s32) X(div_u32) X(div_s64) X(div_u64) \
  X(rem_s16) X(rem_u16) X(rem_s32) X(rem_u32) X(rem_s64) X(rem_u64) \
  X(min_s16) X(min_u16) X(min_s32) X(min_u32) X(min_s64) X(min_u64) \
  X(max_s16) X(max_u16) X(max_s32) X(max_u32) X(max_s64) X(max_u64) \
  X(abs16) X(abs32) X(abs64) X(neg16) X(neg32) X(neg64) X(bit_and) X(bit_or) X(bit_xor) \
  X(not16) X(not32) X(not64) X(not_predicate) X(cnot16) X(cnot32) X(cnot64) \
  X(shl16) X(shl32) X(shl64) X(shr_s16) X(shr_u16) X(shr_s32) X(shr_u32) X(shr_s64) X(shr_u64) \
  X(shf_l_wrap) X(shf_l_clamp) X(shf_r_wrap) X(shf_r_clamp) \
  X(popc32) X(popc64) X(clz32) X(clz64) X(brev32) X(brev64) X(bfind_u32) X(bfind_s32) X(bfind_u64) X(bfind_s64) X(bfind_shift_u32) \
  X(bfe_u32) X(bfe_s32) X(bfe_u64) X(bfe_s64) X(bfi32) X(bfi64) X(bmsk_clamp32) X(prmt) X(lop3) X(selp) \
  X(setp_s16) X(setp_u16) X(setp_s32) X(setp_u32) X(setp_s64) X(setp_u64) X(setp_f16) X(setp_f32) X(setp_f64) \
  X(add_f16) X(sub_f16) X(mul_f16) X(fma_f16) X(min_f16) X(max_f16) X(abs_f16) X(neg_f16) \
  X(add_f32) X(sub_f32) X(mul_f32) X(div_f32) X(fma_f32) X(min_f32) X(max_f32) X(min_nan_f32) X(max_nan_f32) \
  X(abs_f32) X(neg_f32) X(sqrt_f32) X(rcp_f32) X(rsqrt_f32) X(ex2_f32) X(lg2_f32) X(sin_f32) X(cos_f32) X(tanh_f32) \
  X(copysign_f32) X(testp_f32) \
  X(add_f64) X(sub_f64) X(mul_f64) X(div_f64) X(fma_f64) X(min_f64) X(max_f64) X(min_nan_f64) X(max_nan_f64) \
  X(abs_f64) X(neg_f64) X(sqrt_f64) X(rcp_f64) X(rsqrt_f64) X(copysign_f64) X(testp_f64) \
  X(convert_integers) X(convert_to_integer) X(convert_from_integer) X(convert_floats) X(pack) X(unpack) \
  X(active_mask) X(is_space) \
  X(bra) X(bra_table) X(ret) X(trap) X(load) X(store) X(atomic) X(fence) \
  X(bar_sync) X(bar_reduce) X(bar_warp) X(shuffle) X(vote) X(match) X(redux)

// seed: of all that is drawn by chance. random: 0 runs one block after another, warps and lanes in order. resident: blocks that
// run at a time. shuffle: 1 starts blocks in any order. quantum: mean number of instructions before another warp goes on. stray:
// of 4096 choices, how many run another part of a diverged warp than the one that is furthest behind. weak: 1 delays the stores
// of a block until a fence. drain: of 1024 turns, after how many some of the delayed stores arrive. race: 0 looks for no races.
// steps: warp instructions after which a launch counts as endless. lanes: 1 carries memory accesses of lanes out in an order
// that changes.
#define OPTIONS(X) X(seed) X(random) X(resident) X(shuffle) X(quantum) X(stray) X(weak) X(drain) X(race) X(steps) X(lanes)

// Requests are instructions of a warp; sectors are the 32-byte pieces that they touch; wavefronts are passes over the banks. Far
// sectors are those of loads that a cache of 16 KiB for each block, 4 ways, does not have.
#define COUNTERS(X) \
  X(warp_instructions) X(thread_instructions) X(branches) X(divergent_branches) X(blocks) X(threads) X(parameter_loads) \
  X(load_requests) X(load_sectors) X(far_sectors) X(load_bytes) X(load_useful) \
  X(store_requests) X(store_sectors) X(store_bytes) X(store_useful) \
  X(bytes_read) X(bytes_written) X(atomic_requests) X(atomic_lanes) X(atomic_sectors) \
  X(shared_requests) X(shared_wavefronts) X(shared_ideal) X(shared_atomic_requests) X(shared_atomic_lanes) \
  X(shared_atomic_conflicts) X(barriers) X(warp_operations) X(fences)

#define FINDINGS(X) \
  X(global_bounds) X(misaligned) X(shared_bounds) X(local_bounds) X(shared_unwritten) \
  X(shared_write_write) X(shared_read_write) X(shared_same_value) X(shared_atomic_read) X(shared_atomic_write) \
  X(global_write_write) X(global_read_write) X(global_same_write) X(global_same_read) \
  X(global_atomic_read) X(global_atomic_write) X(scope) \
  X(barrier_places) X(barrier_exited) X(mask) X(shuffle_source) X(deadlock) X(endless) X(trapped) X(unsupported) \
  X(partial_warp_barrier) X(narrow_access)
