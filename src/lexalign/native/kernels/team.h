// What code that a CPU and a GPU share is written in: loops that a team of threads does together. On a CPU the
// team is one thread; on a GPU it is a block, which shares its memory and can wait for all of its threads.
#pragma once

#if defined(__CUDACC_RTC__)
using int64_t = long long;
using int32_t = int;
#else
#include <cmath>
#include <cstdint>
#endif

#if defined(__CUDACC__)
#define SHARED_CODE __device__ inline
#define NEVER __int_as_float(0xff800000)
#else
#define SHARED_CODE inline
#define NEVER (-__builtin_huge_valf())
#endif

namespace {

template <typename Value>
SHARED_CODE Value greater_of(Value one, Value other) {
  return one < other ? other : one;
}

template <typename Value>
SHARED_CODE Value lesser_of(Value one, Value other) {
  return other < one ? other : one;
}

SHARED_CODE float between(float value, float least, float most) {
  return value < least ? least : most < value ? most : value;
}

SHARED_CODE float bits_to_float(unsigned bits) {
#if defined(__CUDACC__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}

SHARED_CODE unsigned float_to_bits(float value) {
#if defined(__CUDACC__)
  return __float_as_uint(value);
#else
  return __builtin_bit_cast(unsigned, value);
#endif
}

// By way of float64, as `kernel_shapes.steady_log` and `steady_power`.
SHARED_CODE float rounded_log(float x) { return static_cast<float>(log(static_cast<double>(x))); }

SHARED_CODE float rounded_power(double x, double exponent) { return static_cast<float>(pow(x, exponent)); }

#if !defined(__CUDACC__)
struct Alone {
  static constexpr int64_t rank = 0, size = 1;

  void wait() const {}

  template <typename Task>
  void each(int64_t count, Task task) const {
    for (int64_t i = 0; i < count; ++i) task(i);
  }
};
#endif

#if defined(__CUDACC__) || defined(EMULATED_DEVICE)
struct Block {
  int64_t rank = threadIdx.x, size = blockDim.x;

  SHARED_CODE void wait() const { __syncthreads(); }

  // All of it is done when any thread goes on.
  template <typename Task>
  SHARED_CODE void each(int64_t count, Task task) const {
    for (int64_t i = rank; i < count; i += size) task(i);
    wait();
  }
};
#endif

// Adds one to what a team shares, and gives what it was.
SHARED_CODE int32_t count_up(int32_t *counter) {
#if defined(__CUDACC__) || defined(EMULATED_DEVICE)
  return atomicAdd(counter, 1);
#else
  return (*counter)++;
#endif
}

// Parts of a piece of memory, one after another.
class Room {
 public:
  SHARED_CODE explicit Room(char *memory) : memory_(memory) {}

  template <typename Value>
  SHARED_CODE Value *take(int64_t count) {
    Value *taken = reinterpret_cast<Value *>(memory_ + used_);
    used_ += (count * static_cast<int64_t>(sizeof(Value)) + 15) / 16 * 16;
    return taken;
  }

  SHARED_CODE int64_t used() const { return used_; }

 private:
  char *memory_;
  int64_t used_ = 0;
};

}  // namespace
