// The kernels of a GPU on a CPU: the very same source, with the threads of a block as coroutines that take turns
// wherever they wait for one another.
#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#define EMULATED_DEVICE
#define __global__
#define __device__
#define __shared__
#define __grid_constant__
#define __launch_bounds__(threads)

namespace {

struct Index {
  unsigned x;
};

Index threadIdx, blockIdx, blockDim;

constexpr int STACK = 1 << 16;

struct Coroutine {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(STACK);
  bool done = false;
};

ucontext_t scheduler;
std::vector<Coroutine> coroutines;
std::function<void()> body;

void run_body() {
  body();
  coroutines[threadIdx.x].done = true;
}

void __syncthreads() { swapcontext(&coroutines[threadIdx.x].context, &scheduler); }

int32_t atomicAdd(int32_t *counter, int32_t added) {
  const int32_t before = *counter;
  *counter += added;
  return before;
}

}  // namespace

extern "C" {
alignas(16) char shared[48 * 1024];
}

#include "device_kernels.cu"

namespace {

// Turns are taken in this order or, in every other round, in the opposite one: what depends on it would show.
void run_block(unsigned threads) {
  coroutines.resize(std::max<size_t>(coroutines.size(), threads));
  for (unsigned t = 0; t < threads; ++t) {
    Coroutine &one = coroutines[t];
    one.done = false;
    getcontext(&one.context);
    one.context.uc_stack.ss_sp = one.stack.data();
    one.context.uc_stack.ss_size = one.stack.size();
    one.context.uc_link = &scheduler;
    makecontext(&one.context, run_body, 0);
  }
  for (unsigned round = 0, left = threads; left; ++round) {
    left = 0;
    for (unsigned turn = 0; turn < threads; ++turn) {
      threadIdx.x = round % 2 ? turn : threads - 1 - turn;
      if (coroutines[threadIdx.x].done) continue;
      swapcontext(&scheduler, &coroutines[threadIdx.x].context);
      left += !coroutines[threadIdx.x].done;
    }
  }
}

}  // namespace

// What is not shared memory is given as garbage, as on a GPU.
#define LAUNCH(kernel, Step)                                                                            \
  extern "C" void launch_##kernel(const Step *step, char *memory, int64_t bytes, int64_t parts, int64_t threads) { \
    blockDim.x = threads;                                                                               \
    for (int64_t part = 0; part < parts; ++part) {                                                      \
      blockIdx.x = part;                                                                                \
      if (!memory) std::fill_n(shared, sizeof shared, static_cast<char>(0x7b));                         \
      body = [=] { kernel(*step, memory, bytes); };                                                     \
      run_block(threads);                                                                               \
    }                                                                                                   \
  }

LAUNCH(try_kernels, TrialStep)
LAUNCH(prepare_banks, BankStep)
LAUNCH(select_by_banks, BankStep)
LAUNCH(commit_banks, BankStep)
LAUNCH(scan_rows, ListingStep)
LAUNCH(merge_scans, ListingStep)
LAUNCH(select_plainly, ListingStep)
LAUNCH(prepare_replacement, ReplacementStep)
LAUNCH(select_by_replacement, ReplacementStep)
LAUNCH(commit_replacement, ReplacementStep)
LAUNCH(ask_pairs, PairStep)
LAUNCH(attend_to_source, PairStep)

extern "C" {
int64_t size_of_BankStep() { return sizeof(BankStep); }
int64_t size_of_ListingStep() { return sizeof(ListingStep); }
int64_t size_of_TrialStep() { return sizeof(TrialStep); }
int64_t size_of_PairStep() { return sizeof(PairStep); }
int64_t size_of_ReplacementStep() { return sizeof(ReplacementStep); }

// The memory that a block needs.
int64_t bytes_of_select_by_banks(const BankStep *step, int64_t threads) {
  blockDim.x = threads;
  Room room(nullptr);
  Selecting<Block> selecting(*step, 0, Block(), room);
  Slots<Block>(*step, 0, nullptr, step->num_free + step->rows * step->moves, Block(), room);
  return room.used();
}

int64_t bytes_of_commit_banks(const BankStep *step, int64_t threads) {
  blockDim.x = threads;
  Room room(nullptr);
  Committing<Block>(*step, 0, Block(), room);
  return room.used();
}

int64_t bytes_of_scan_rows(const ListingStep *step, int64_t threads) {
  blockDim.x = threads;
  Room room(nullptr);
  RowScan<Block>(*step, 0, Block(), room);
  return room.used();
}

int64_t bytes_of_merge_scans(const ListingStep *step, int64_t threads) {
  blockDim.x = threads;
  Room room(nullptr);
  Merging<Block>(*step, 0, Block(), room);
  return room.used();
}

int64_t bytes_of_select_plainly(const ListingStep *step, int64_t threads) {
  return bytes_of_merge_scans(step, threads);
}

int64_t bytes_of_select_by_replacement(const ReplacementStep *step, int64_t threads) {
  blockDim.x = threads;
  Room room(nullptr);
  Replacing<Block>(*step, 0, Block(), room);
  return room.used();
}

int64_t bytes_of_attend_to_source(const PairStep *step, int64_t) {
  Room room(nullptr);
  room.take<float>(step->per_block * step->heads * (step->source | 1));
  room.take<float>(step->per_block * step->heads);
  return room.used();
}

int64_t bytes_of_ask_pairs(const PairStep *, int64_t) { return 0; }
int64_t bytes_of_try_kernels(const TrialStep *, int64_t) { return 0; }
int64_t bytes_of_prepare_banks(const BankStep *, int64_t) { return 0; }
int64_t bytes_of_prepare_replacement(const ReplacementStep *, int64_t) { return 0; }
int64_t bytes_of_commit_replacement(const ReplacementStep *, int64_t) { return 0; }
}
