// What CUB's host code asks of the CUDA runtime, as on an H100. Memory is that of this process, and each launch is passed on to a
// function of Python's.
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>

#include <driver_types.h>
#include <vector_types.h>

using Launch = void (*)(const char* name, unsigned grid, unsigned block, void** arguments, size_t shared);

static Launch launch = nullptr;
static struct { dim3 grid, block; size_t shared; cudaStream_t stream; } configuration;
static void* no_binary = nullptr;

static std::unordered_map<const void*, std::string>& names() {  // kernels are registered while the library is loaded
  static std::unordered_map<const void*, std::string> found;
  return found;
}

static cudaError_t pass_on(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared) {
  if (grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1) return cudaErrorNotSupported;
  launch(names().at(function).c_str(), grid.x, block.x, arguments, shared);
  return cudaSuccess;
}

static int attribute(int which) {
  switch (which) {
    case cudaDevAttrComputeCapabilityMajor: return 9;
    case cudaDevAttrComputeCapabilityMinor: return 0;
    case cudaDevAttrMultiProcessorCount: return 132;
    case cudaDevAttrMaxThreadsPerBlock: return 1024;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return 2048;
    case cudaDevAttrMaxGridDimX: return 2147483647;
    case cudaDevAttrWarpSize: return 32;
    case cudaDevAttrMaxSharedMemoryPerBlock: return 49152;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return 232448;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return 233472;
    case cudaDevAttrReservedSharedMemoryPerBlock: return 1024;
    case cudaDevAttrL2CacheSize: return 52428800;
    case cudaDevAttrUnifiedAddressing: return 1;
    default: std::fprintf(stderr, "CUB asks for attribute %d\n", which); return 0;
  }
}

extern "C" {
void set_launch(Launch chosen) { launch = chosen; }

void** __cudaRegisterFatBinary(void*) { return &no_binary; }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
void __cudaRegisterFunction(void**, const char* function, char*, const char* name, int, void*, void*, void*, void*, int*) {
  names()[function] = name;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  configuration = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = configuration.grid, *block = configuration.block, *shared = configuration.shared;
  *(cudaStream_t*)stream = configuration.stream;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = (cudaKernel_t)function;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t) {
  return pass_on((const void*)kernel, grid, block, arguments, shared);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return pass_on(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) { *value = attribute(which); return cudaSuccess; }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* found, const void*) {
  std::memset(found, 0, sizeof *found);
  found->ptxVersion = found->binaryVersion = 90;
  found->maxThreadsPerBlock = 1024;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int threads, size_t, unsigned) {
  *blocks = 2048 / threads;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) { *device = 0; return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) { *count = 1; return cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, bytes);
  launch("memcpy", 0, 0, nullptr, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  std::memset(to, value, bytes);
  launch("memset", 0, 0, nullptr, bytes);
  return cudaSuccess;
}
}
