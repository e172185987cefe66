// The calls of CUB that `gpu_peers.py` counts. Each is called twice: with no memory, to ask how much it needs, and to compute.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>

#define CALL(name, ...) extern "C" int name(void* memory, size_t* bytes, long long n, __VA_ARGS__)

CALL(scan_float64, const double* x, double* y) { return cub::DeviceScan::InclusiveSum(memory, *bytes, x, y, n); }

CALL(scan_float32, const float* x, float* y) { return cub::DeviceScan::InclusiveSum(memory, *bytes, x, y, n); }

CALL(scan_int32, const int* x, int* y) { return cub::DeviceScan::InclusiveSum(memory, *bytes, x, y, n); }

CALL(scan_int64, const long long* x, long long* y) { return cub::DeviceScan::InclusiveSum(memory, *bytes, x, y, n); }

CALL(select_float64, const double* x, const bool* mask, long long* count, double* y) {
  return cub::DeviceSelect::Flagged(memory, *bytes, x, mask, y, count, n);
}

CALL(sort_uint32, const unsigned* x, unsigned* y) { return cub::DeviceRadixSort::SortKeys(memory, *bytes, x, y, n); }

CALL(argsort_uint32, const unsigned* x, unsigned* y, const int* i, int* j) {
  return cub::DeviceRadixSort::SortPairs(memory, *bytes, x, y, i, j, n);
}

CALL(segmented_sum_float64, const double* x, const long long* offsets, double* y) {
  return cub::DeviceSegmentedReduce::Sum(memory, *bytes, x, y, n, offsets, offsets + 1);
}
